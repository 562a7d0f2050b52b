//! What a size costs within a piece.

use crate::algorithm::{Algorithm, AlgorithmKind};

/// A line, in one of its forms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostLine {
    /// Nanoseconds that an operation costs whatever its size: where the line meets no bytes at all, which for a piece
    /// that begins late may be below zero.
    pub fixed_ns: f64,
    /// Nanoseconds a byte.
    pub ns_per_byte: f64,
    /// How sizes count.
    pub form: CostForm,
    /// Bytes that are added to a text before its units are counted (the padding of hashes).
    pub(super) padding: usize,
}

/// How sizes count within a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CostForm {
    /// Each byte alike.
    Bytes,
    /// In whole units: a rest costs as much as a unit.
    Units {
        /// Bytes of a unit.
        unit: usize,
    },
    /// In units, and a rest costs something else a byte.
    Rest {
        /// Bytes of a unit.
        unit: usize,
        /// Nanoseconds a byte of the rest, more than one of a unit (or less, if negative).
        more_ns_per_byte: f64,
    },
    /// Each byte alike, and what a rest lacks of a unit costs too, though less or more than text.
    Filled {
        /// Bytes of a unit.
        unit: usize,
        /// Nanoseconds for each byte that the rest lacks.
        ns_per_missing_byte: f64,
    },
    /// Each byte alike, and something more if there is a rest.
    Ragged {
        /// Bytes of a unit.
        unit: usize,
        /// Nanoseconds that any rest costs.
        more_ns: f64,
    },
}

impl CostLine {
    /// Nanoseconds of an operation on `bytes`.
    pub fn at(&self, bytes: usize) -> f64 {
        let (size, rest) = (bytes as f64, |unit: usize| bytes % unit.max(1));
        let linear = |size: f64| self.fixed_ns + self.ns_per_byte * size;
        match self.form {
            CostForm::Bytes => linear(size),
            CostForm::Units { unit } => linear(whole(bytes, self.padding, unit)),
            CostForm::Rest { unit, more_ns_per_byte } => linear(size) + more_ns_per_byte * rest(unit) as f64,
            CostForm::Filled { unit, ns_per_missing_byte } => {
                linear(size) + ns_per_missing_byte * (whole(bytes, 0, unit) - size)
            }
            CostForm::Ragged { unit, more_ns } => linear(size) + if rest(unit) > 0 { more_ns } else { 0.0 },
        }
    }

    /// Nanoseconds a byte of a long text.
    pub fn per_byte(&self) -> f64 {
        self.ns_per_byte
    }
}

/// `bytes` and `padding` in whole units, in bytes.
pub(super) fn whole(bytes: usize, padding: usize, unit: usize) -> f64 {
    let unit = unit.max(1);
    bytes.saturating_add(padding).div_ceil(unit) as f64 * unit as f64
}

/// How many times as fast `after` is at `bytes` as `before` would be; `None` if either is no sensible figure there.
pub(super) fn jump(before: &CostLine, after: &CostLine, bytes: usize) -> Option<f64> {
    let jump = before.at(bytes) / after.at(bytes);
    (jump.is_finite() && jump > 0.0).then_some(jump)
}

/// The block of a hash and what its padding adds at least: the length and a mark.
pub(super) fn blocks(algorithm: Algorithm) -> Option<(usize, usize)> {
    if algorithm.kind() != AlgorithmKind::Hash {
        return None;
    }
    Some(match algorithm.name().trim_start_matches("hmac-") {
        "sha-1" | "sha-224" | "sha-256" | "md5" | "md4" | "ripemd-160" | "sm3" => (64, 9),
        "sha-384" | "sha-512" | "sha-512-256" => (128, 17),
        "blake2s-256" => (64, 0),
        "blake2b-512" => (128, 0),
        "sha3-224" => (144, 1),
        "sha3-256" | "shake-256" => (136, 1),
        "sha3-384" => (104, 1),
        "sha3-512" => (72, 1),
        "shake-128" => (168, 1),
        "whirlpool" => (64, 33),
        _ => return None,
    })
}
