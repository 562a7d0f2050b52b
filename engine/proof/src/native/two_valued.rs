//! Compares an instruction on symbolic bits with two executions of that instruction on the CPU. Each symbolic bit has
//! one concrete value in the first execution and one in the second.
//!
//! A random field element *t* stands for 0 in the first execution and for 1 in the second. A bit that is 0 in the first
//! execution and 1 in the second is represented by *t*; a bit that is 1 and then 0 is *t* + 1. Results of the
//! instruction are polynomials in *t*. Their values at *t* = 0 and *t* = 1 must be the CPU's results in the two
//! executions.

use std::collections::BTreeMap;
use std::rc::Rc;

use iced_x86::Register;

use super::cpu::{CpuState, FLAG_BITS};
use crate::field::Bit;
use crate::flow::{Degree, Flow};
use crate::machine::{Flag, Flags, Machine};
use crate::symbols::{Symbols, bits_of_byte};
use crate::word::Word;

/// Polynomials over GF(2) in a random field element *t*, which stands for a bit that is 0 in one CPU execution and 1 in
/// another execution.
pub(super) struct TwoValued {
    element: Bit,
    /// Values at *t* = 0 and *t* = 1, and degree, of each polynomial in *t* of degree [`MAX_KNOWN_DEGREE`] or less. The
    /// key is the polynomial's value at the random element *t*.
    known: BTreeMap<u128, ([bool; 2], u16)>,
}

/// Maximum degree of the polynomials in the table [`TwoValued::known`], which has 2^(degree + 1) entries. An execution
/// with a result of higher degree does not count as compared.
const MAX_KNOWN_DEGREE: usize = 7;

impl TwoValued {
    pub(super) fn new(symbols: &mut Symbols) -> Self {
        let element = symbols.fresh();
        let mut powers = vec![Bit::ONE, element];
        while powers.len() <= MAX_KNOWN_DEGREE {
            // `Bit::and` returns equal operands unchanged; multiplying by the element plus one avoids them.
            let last = powers[powers.len() - 1];
            powers.push(last.inverted().and(element) ^ element);
        }
        let polynomials = (0..1_usize << powers.len()).map(|which| {
            let terms = || powers.iter().enumerate().filter(move |(place, _)| which >> place & 1 == 1);
            let sum = terms().fold(Bit::ZERO, |sum, (_, &power)| sum ^ power);
            let degree = which.checked_ilog2().unwrap_or(0) as u16;
            (sum.0, ([which & 1 == 1, terms().count() % 2 == 1], degree))
        });
        Self { element, known: polynomials.collect() }
    }

    /// Returns polynomials in *t* whose values are the bits of `one` at *t* = 0, and the bits of `other` at *t* = 1.
    pub(super) fn merge_bytes(&self, one: &[u8], other: &[u8]) -> Vec<Bit> {
        let of_byte = |(&one, &other): (&u8, &u8)| {
            let mut bits = bits_of_byte(one);
            for (_, bit) in bits.iter_mut().enumerate().filter(|(place, _)| (one ^ other) >> place & 1 == 1) {
                *bit ^= self.element;
            }
            bits
        };
        one.iter().zip(other).flat_map(of_byte).collect()
    }

    fn word(&self, words: [u64; 2]) -> Word {
        Word::from_bits(&self.merge_bytes(&words[0].to_le_bytes(), &words[1].to_le_bytes()))
    }

    /// Sets registers and flags of `machine` to polynomials in *t*. The polynomials have the values in `one` at *t* =
    /// 0, and the values in `other` at *t* = 1.
    pub(super) fn set_registers(&self, [one, other]: &[CpuState; 2], machine: &mut Machine) {
        machine.memory.flow = Flow::default();
        machine.memory.flow.read(Degree::VARIABLE);
        machine.degrees.flags = Degree::VARIABLE;
        for (number, (&one, &other)) in one.integers.iter().zip(&other.integers).enumerate() {
            machine.set_integer(Register::RAX + number as u32, self.word([one, other]));
        }
        for (number, (&one, &other)) in one.masks.iter().zip(&other.masks).enumerate() {
            machine.set_mask(Register::K0 + number as u32, self.word([one, other]));
        }
        for (number, (one, other)) in one.vectors.iter().zip(&other.vectors).enumerate() {
            let mut line = [Bit::ZERO; 512];
            line.copy_from_slice(&self.merge_bytes(one, other));
            machine.set_vector(Register::ZMM0 + number as u32, Rc::new(line));
        }
        let [carry, parity, zero, sign, overflow] = FLAG_BITS.map(|place| {
            let flags = [one.flags, other.flags].map(|flags| [(flags >> place & 1) as u8]);
            Flag::Bit(self.merge_bytes(&flags[0], &flags[1])[0])
        });
        machine.flags = Flags { carry, parity, zero, sign, overflow };
    }

    /// Returns the values of `bit` in the first and in the second execution on the CPU. These are the values at *t* = 0
    /// and *t* = 1 of the polynomial in the random element *t* that represents `bit`. Returns `None` if this polynomial
    /// is not in the table [`TwoValued::known`].
    pub(super) fn values(&self, bit: Bit) -> Option<[bool; 2]> {
        self.known.get(&bit.0).map(|(values, _)| *values)
    }

    /// Returns whether the polynomials that represent `bits` have degree `most` or less. Ignores polynomials that are
    /// not in the table [`TwoValued::known`].
    pub(super) fn have_degree(&self, bits: &[Bit], most: Degree) -> bool {
        bits.iter().all(|bit| self.known.get(&bit.0).is_none_or(|(_, degree)| *degree <= most.0))
    }

    /// Compares `bits`, which are polynomials in the random element *t*, with results of the CPU. Their values at *t* =
    /// 0 must be the first element of `bytes`, and their values at *t* = 1 the second. Returns `None` if a value
    /// differs; otherwise returns whether all polynomials are in the table [`TwoValued::known`].
    pub(super) fn matches(&self, bits: &[Bit], bytes: [&[u8]; 2]) -> Option<bool> {
        let mut are_seen = true;
        for (place, &bit) in bits.iter().enumerate() {
            let expected = bytes.map(|bytes| bytes[place / 8] >> (place % 8) & 1 == 1);
            match self.values(bit) {
                None => are_seen = false,
                Some(values) if values == expected => {}
                Some(_) => return None,
            }
        }
        Some(are_seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomial_logic_matches_boolean_logic_at_0_and_1() {
        let pair = TwoValued::new(&mut Symbols::default());
        let bits = pair.merge_bytes(&[0b0011], &[0b0101]);
        for (one, other) in (0..4).flat_map(|one| (0..4).map(move |other| (one, other))) {
            let bit_values = |place: usize| [0b0011 >> place & 1 == 1, 0b0101 >> place & 1 == 1];
            let each = |of_bits: fn(bool, bool) -> bool| {
                [0, 1].map(|case| of_bits(bit_values(one)[case], bit_values(other)[case]))
            };
            let (a, b) = (bits[one], bits[other]);
            assert_eq!(pair.values(a ^ b), Some(each(|a, b| a != b)));
            assert_eq!(pair.values(a.and(b)), Some(each(|a, b| a && b)));
            assert_eq!(pair.values(a.or(b).and(a.inverted()).or(b)), Some(each(|_, b| b)));
        }
        assert_eq!(pair.matches(&bits, [&[0b0011], &[0b0101]]), Some(true));
        assert_eq!(pair.matches(&bits, [&[0b0011], &[0b0111]]), None);
        assert_eq!(pair.values(Symbols::default().fresh()), None);
    }
}
