//! The libraries `limit-…`: not libraries, but the bare instructions that AES-GCM cannot do without, as fast as this CPU does
//! them: AES rounds alone, the carry-less products of Karatsuba's GHASH alone, and all that GCM needs.
//!
//! The slower of the first two no implementation can pass; the third is what the CPU does when nothing waits for anything.
//! They come for each width of registers, since a backend has no more than its own. Nothing is encrypted for anybody, so
//! nothing can be verified, and none is ever ranked.
#![allow(unsafe_code)] // loops in assembly, whose instructions are what is measured

#[cfg(target_arch = "x86_64")]
mod alone;
#[cfg(target_arch = "x86_64")]
mod gcm;
#[cfg(target_arch = "x86_64")]
mod table;

use super::{Description, Entry, Job, Library, Opening, Prepared, Result, Switch, Unavailable, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library::Role;
use kasoku_model::workload::{Operation, Packets, Workload};

/// The limits in registers of one kind: the three entries to measure beside a backend of that width.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The rounds of AES alone.
    pub aes: &'static Entry,
    /// The products of GHASH alone, three a vector.
    pub clmul: &'static Entry,
    /// All that GCM needs.
    pub gcm: &'static Entry,
}

macro_rules! limits {
    ($registers:ident, $suffix:literal, $width:literal) => {
        Limits {
            aes: &entry(concat!("limit-aes", $suffix), concat!("the AES rounds of AES-GCM alone, ", $width), |_| {
                open(Kind::Aes, Registers::$registers)
            }),
            clmul: &entry(
                concat!("limit-clmul", $suffix),
                concat!("the carry-less products of GHASH alone, ", $width),
                |_| open(Kind::Clmul, Registers::$registers),
            ),
            gcm: &entry(concat!("limit-gcm", $suffix), concat!("all operations of AES-GCM, ", $width), |_| {
                open(Kind::Gcm, Registers::$registers)
            }),
        }
    };
}

/// In 128-bit registers and the encoding of SSE: all that is there without AVX.
pub const XMM: Limits = limits!(Xmm, "-xmm", "128 bits wide, without AVX");
/// In 128-bit registers and the encoding of AVX.
pub const XMM_OF_AVX: Limits = limits!(XmmOfAvx, "-xmm-avx", "128 bits wide, with AVX");
/// In 256-bit registers.
pub const YMM: Limits = limits!(Ymm, "-ymm", "256 bits wide");
/// In 512-bit registers.
pub const ZMM: Limits = limits!(Zmm, "", "512 bits wide");
/// AES rounds and products, interleaved, in 512-bit registers: whether they get in each other's way. AES-128 only.
pub const MIXED: &Entry = &entry("limit-mixed", "both, interleaved", |_| open(Kind::Mixed, Registers::Zmm));

/// What its series say of themselves.
pub const NOTE: &str = "bare instructions; nothing is encrypted";

const fn entry(
    name: &'static str,
    about: &'static str,
    open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
) -> Entry {
    let switch = |_| Switch::None("the instructions are the measurement");
    Entry::new(name, about, open, switch).unlisted(Role::Bound)
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// AES rounds.
    Aes,
    /// Carry-less products, three a vector.
    Clmul,
    /// Both, and nothing else.
    Mixed,
    /// All that GCM needs.
    Gcm,
}

/// Where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registers {
    /// 128 bits, in the encoding of SSE.
    Xmm,
    /// 128 bits, in the encoding of AVX.
    XmmOfAvx,
    /// 256 bits.
    Ymm,
    /// 512 bits.
    Zmm,
}

impl Registers {
    /// Bytes of one of them.
    fn bytes(self) -> usize {
        match self {
            Registers::Xmm | Registers::XmmOfAvx => 16,
            Registers::Ymm => 32,
            Registers::Zmm => 64,
        }
    }

    /// Whether this CPU has the instructions of every loop in them.
    #[cfg(target_arch = "x86_64")]
    fn is_there(self) -> bool {
        let narrow = is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("ssse3");
        let wide = is_x86_feature_detected!("vaes") && is_x86_feature_detected!("vpclmulqdq");
        narrow
            && match self {
                Registers::Xmm => true,
                Registers::XmmOfAvx => is_x86_feature_detected!("avx"),
                Registers::Ymm => wide && is_x86_feature_detected!("avx2"),
                Registers::Zmm => wide && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"),
            }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_there(self) -> bool {
        false
    }
}

fn open(kind: Kind, registers: Registers) -> Result<Box<dyn Library>, Unavailable> {
    if registers.is_there() {
        return Ok(Box::new(Limit { kind, registers }));
    }
    let why = format!("this CPU has no AES and carry-less products in registers of {} bits", 8 * registers.bytes());
    Err(Unavailable { why, install: None })
}

struct Limit {
    kind: Kind,
    registers: Registers,
}

impl Library for Limit {
    fn description(&self) -> Description {
        Description { version: env!("CARGO_PKG_VERSION").to_owned(), cpu_features: None, loaded_from: None }
    }

    #[cfg(target_arch = "x86_64")]
    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> Prepared {
        let Workload { operation, algorithm, bytes, .. } = *workload;
        let rounds = match algorithm {
            Algorithm::Aes128Gcm => 10,
            Algorithm::Aes256Gcm if self.kind != Kind::Mixed => 14,
            _ => return Err(Unsupported::new(format!("there is no such bound for {algorithm}"))),
        };
        if operation != Operation::Seal || bytes == 0 {
            return Err(Unsupported::new("the bound is that of sealing one byte or more"));
        }
        let Limit { kind, registers } = *self;
        Ok(Box::new(Turns { kind, registers, rounds, bytes, table: table::Table::of(&fixtures.text) }))
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn prepare_primitive(&self, _workload: &Workload, _fixtures: &Fixtures) -> Prepared {
        Err(Unsupported::new("the loops are for x86-64"))
    }

    /// Beside packets the bound is that of the cipher alone.
    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> Prepared {
        if packets == Packets::CIPHER {
            return self.prepare_primitive(workload, fixtures);
        }
        Err(Unsupported::new("the bound is that of the cipher alone"))
    }
}

#[cfg(target_arch = "x86_64")]
struct Turns {
    kind: Kind,
    registers: Registers,
    rounds: u64,
    bytes: usize,
    table: table::Table,
}

#[cfg(target_arch = "x86_64")]
impl Turns {
    /// The turns that stand for `bytes`.
    fn turns(&self, bytes: u64) -> u64 {
        let register = self.registers.bytes() as u64;
        match self.kind {
            // A turn has the rounds of AES-128.
            Kind::Aes => (bytes * self.rounds).div_ceil(register * alone::ROUNDS),
            Kind::Gcm | Kind::Clmul | Kind::Mixed => bytes.div_ceil(register * alone::TURN),
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Job for Turns {
    /// One loop for all messages: what is counted is bytes, and nothing begins or ends between them.
    fn run(&mut self, iterations: u64) -> Result<()> {
        let turns = self.turns(iterations * self.bytes as u64);
        match self.kind {
            Kind::Gcm => gcm::work(self.registers, self.rounds, turns, &mut self.table),
            _ => alone::work(self.kind, self.registers, turns, &mut self.table),
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.table.ciphertext().to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        Some(NOTE)
    }
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use std::arch::x86_64::{
        __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64,
    };
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_turn_stands_for_as_many_bytes_as_it_has_registers() {
        let turns = |kind, registers, rounds, bytes| {
            let table = table::Table::of(&[]);
            Turns { kind, registers, rounds, bytes: 0, table }.turns(bytes)
        };
        for kind in [Kind::Aes, Kind::Clmul, Kind::Mixed, Kind::Gcm] {
            assert_eq!(turns(kind, Registers::Zmm, 10, 16384), 32, "{kind:?}");
            assert_eq!(turns(kind, Registers::Xmm, 10, 16384), 128, "{kind:?}");
        }
        assert_eq!(turns(Kind::Aes, Registers::Zmm, 14, 163_840), 448, "14 rounds are two fifths more than 10");
        assert_eq!(turns(Kind::Gcm, Registers::Zmm, 14, 163_840), 320);
    }

    /// The kinds of registers whose loops this CPU can run.
    pub(super) fn available() -> Vec<Registers> {
        let all = [Registers::Xmm, Registers::XmmOfAvx, Registers::Ymm, Registers::Zmm];
        let available: Vec<Registers> = all.into_iter().filter(|registers| registers.is_there()).collect();
        if available.len() < all.len() {
            eprintln!("left out: this CPU has only {available:?}");
        }
        available
    }

    /// A middle round of AES.
    pub(super) fn middle_round(state: u128, key: u128) -> u128 {
        // SAFETY: only called where `available` found the instructions.
        number(unsafe { round(vector(state), vector(key)) })
    }

    /// Rounds of AES with these keys, the last one a last round.
    pub(super) fn block_rounds(state: u128, keys: &[u128]) -> u128 {
        let Some((&last, middle)) = keys.split_last() else { return state };
        let state = middle.iter().fold(state, |state, &key| middle_round(state, key));
        // SAFETY: as above.
        number(unsafe { last_round(vector(state), vector(last)) })
    }

    #[target_feature(enable = "aes")]
    fn round(state: __m128i, key: __m128i) -> __m128i {
        _mm_aesenc_si128(state, key)
    }

    #[target_feature(enable = "aes")]
    fn last_round(state: __m128i, key: __m128i) -> __m128i {
        _mm_aesenclast_si128(state, key)
    }

    fn vector(number: u128) -> __m128i {
        // SAFETY: every CPU of this architecture has SSE2.
        unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) }
    }

    fn number(vector: __m128i) -> u128 {
        // SAFETY: as above.
        let (low, high) = unsafe { (_mm_cvtsi128_si64(vector), _mm_cvtsi128_si64(_mm_unpackhi_epi64(vector, vector))) };
        u128::from(low as u64) | u128::from(high as u64) << 64
    }

    /// Nothing is faster than a part of it: the whole of GCM not faster than its rounds or its products alone.
    #[test]
    fn the_whole_is_not_faster_than_its_parts() {
        for registers in available() {
            for algorithm in [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm] {
                let [aes, clmul, gcm] = shortest([Kind::Aes, Kind::Clmul, Kind::Gcm], registers, algorithm);
                let part = aes.max(clmul);
                assert!(
                    gcm.as_secs_f64() > 0.95 * part.as_secs_f64(),
                    "{registers:?}, {algorithm}: {gcm:?} and {part:?}"
                );
            }
        }
    }

    /// The shortest of many runs over 160 KB of each kind, in turn: the core's clock may change meanwhile.
    fn shortest<const N: usize>(kinds: [Kind; N], registers: Registers, algorithm: Algorithm) -> [Duration; N] {
        let workload = Workload::new(Operation::Seal, algorithm, 16384);
        let mut jobs =
            kinds.map(|kind| Limit { kind, registers }.prepare(&workload, &Fixtures::of(&workload)).unwrap());
        let mut shortest = [Duration::MAX; N];
        for _ in 0..200 {
            for (job, shortest) in jobs.iter_mut().zip(&mut shortest) {
                let start = Instant::now();
                job.run(10).unwrap();
                *shortest = start.elapsed().min(*shortest);
            }
        }
        shortest
    }

    #[test]
    fn only_sealing_by_aes_gcm_has_a_bound() {
        for (registers, kind) in available().into_iter().flat_map(|r| [(r, Kind::Aes), (r, Kind::Gcm)]) {
            let library = Limit { kind, registers };
            let taken = |operation, algorithm, bytes| {
                let workload = Workload::new(operation, algorithm, bytes);
                library.prepare(&workload, &Fixtures::of(&workload)).is_ok()
            };
            assert!(taken(Operation::Seal, Algorithm::Aes128Gcm, 16384));
            assert!(taken(Operation::Seal, Algorithm::Aes256Gcm, 1440));
            assert!(!taken(Operation::Seal, Algorithm::Aes128Gcm, 0));
            assert!(!taken(Operation::Seal, Algorithm::ChaCha20Poly1305, 16384));
            assert!(!taken(Operation::Open, Algorithm::Aes128Gcm, 16384));
        }
    }
}
