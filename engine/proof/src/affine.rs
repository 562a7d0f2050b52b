//! Symbolic arithmetic on message lengths and loop counters: numbers that are not secret, but have no fixed value in a
//! proof.
//!
//! An [`AffineForm`] is a constant plus the sum of three symbolic numbers ([`SymbolicNumber`]), each times an integer
//! coefficient. The bits of an affine form are random field elements, so it passes through registers, vectors and
//! memory like any symbolic value. The prover recognises an affine form when code adds or compares it or uses it as an
//! address. A comparison of affine forms has a result only if that result is the same for all values of the symbolic
//! numbers.

use std::collections::HashMap;
use std::ops::{Add, Sub};
use std::rc::Rc;

use crate::field::Bit;
use crate::symbols::Variables;
use crate::word::{Word, low_ones};

/// A constant plus the sum of three symbolic numbers ([`SymbolicNumber`]), each times an integer coefficient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AffineForm {
    pub constant: i64,
    pub coefficients: [i64; 3],
}

/// A symbolic number: a number without a fixed value in a proof. The discriminant is its index in
/// [`AffineForm::coefficients`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolicNumber {
    /// Number of loop periods by which the message is longer than the shortest message of the case. A loop period is
    /// one pass of the main loop over its table of powers of H.
    Periods,
    /// Number of loop periods executed so far. A loop period is one pass of the main loop over its table of powers of
    /// H.
    Done,
    /// Length in bytes of the message's last vector, minus the length of that vector in the shortest message of the
    /// case.
    Rest,
}

/// Ranges of the symbolic numbers ([`SymbolicNumber`]) over which comparisons of affine forms must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Minimum and maximum of [`SymbolicNumber::Periods`], the number of loop periods by which the message is longer
    /// than the shortest message.
    pub periods: [i64; 2],
    /// Maximum of [`SymbolicNumber::Rest`], in bytes. `Rest` says by how much the message's last vector is longer than
    /// the last vector of the shortest message; its minimum is 0.
    pub rest: i64,
}

/// Table of affine forms, with the random field elements that stand for the bits of each form.
#[derive(Default)]
pub struct AffineForms {
    domain: Option<Domain>,
    variables: Variables,
    /// Bits of each affine form. Before look-up, a form is divided by the largest power of two that divides all its
    /// coefficients, so that a form and its double share random field elements.
    bits: HashMap<AffineForm, Rc<[Bit; 64]>>,
    /// Maps the random field element that stands for an affine form's lowest bit to that form.
    lowest: HashMap<Bit, AffineForm>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Sum,
    Difference,
}

/// CPU flags after adding or subtracting affine forms. A flag is `None` if it depends on the values of the symbolic
/// numbers.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    pub zero: Option<bool>,
    pub sign: Option<bool>,
    /// Carry of a sum, or borrow of a difference.
    pub carry: Option<bool>,
    /// Whether the signed result overflows.
    pub overflow: Option<bool>,
}

impl AffineForm {
    #[must_use]
    pub fn constant(constant: u64) -> Self {
        Self { constant: constant.cast_signed(), coefficients: [0; 3] }
    }

    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.coefficients == [0; 3]
    }

    #[must_use]
    pub fn plus(mut self, times: i64, number: SymbolicNumber) -> Self {
        self.coefficients[number as usize] += times;
        self
    }

    /// Substitutes the affine form `value` for the symbolic number `number`.
    #[must_use]
    pub fn substitute(mut self, number: SymbolicNumber, value: Self) -> Self {
        let times = std::mem::take(&mut self.coefficients[number as usize]);
        self + Self {
            constant: value.constant.wrapping_mul(times),
            coefficients: value.coefficients.map(|coefficient| coefficient.wrapping_mul(times)),
        }
    }

    /// Returns the minimum and maximum of the affine form over the ranges of the symbolic numbers in `domain`.
    fn range(&self, domain: &Domain) -> (i128, i128) {
        let left = if self.coefficients[0] == 0 { 0 } else { domain.periods[0] };
        let values = domain.periods.into_iter().flat_map(|periods| {
            [0, periods - left].into_iter().flat_map(move |done| [0, domain.rest].map(|rest| [periods, done, rest]))
        });
        values.fold((i128::MAX, i128::MIN), |(low, high), numbers| {
            let all = self.coefficients.iter().zip(numbers);
            let value = all.fold(i128::from(self.constant), |sum, (&coefficient, value)| {
                sum + i128::from(coefficient) * i128::from(value)
            });
            (low.min(value), high.max(value))
        })
    }

    /// Returns the exponent of the largest power of two that divides all coefficients.
    fn shift(&self) -> u32 {
        self.coefficients
            .iter()
            .filter(|&&coefficient| coefficient != 0)
            .map(|coefficient| coefficient.trailing_zeros())
            .min()
            .unwrap_or(63)
    }

    /// Returns the affine form modulo `modulus`, a power of two. Returns `None` if the remainder is not an affine form
    /// for all values in `domain`.
    fn remainder(&self, modulus: i64, domain: &Domain) -> Option<Self> {
        let rest = Self { constant: self.constant & (modulus - 1), coefficients: [0, 0, self.coefficients[2]] };
        let (low, high) = rest.range(domain);
        let are_multiples = self.coefficients[..2].iter().all(|coefficient| coefficient % modulus == 0);
        (are_multiples && low >= 0 && high < i128::from(modulus)).then_some(rest)
    }

    /// Adds or subtracts two affine forms. Returns `None` if a constant or a coefficient overflows.
    fn checked_combine(operation: Operation, one: Self, other: Self) -> Option<Self> {
        let number = |one: i64, other: i64| match operation {
            Operation::Sum => one.checked_add(other),
            Operation::Difference => one.checked_sub(other),
        };
        let mut result = Self { constant: number(one.constant, other.constant)?, coefficients: [0; 3] };
        for (result, (one, other)) in
            result.coefficients.iter_mut().zip(one.coefficients.into_iter().zip(other.coefficients))
        {
            *result = number(one, other)?;
        }
        Some(result)
    }
}

impl Add for AffineForm {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let coefficients =
            std::array::from_fn(|place| self.coefficients[place].wrapping_add(other.coefficients[place]));
        Self { constant: self.constant.wrapping_add(other.constant), coefficients }
    }
}

impl Sub for AffineForm {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let coefficients =
            std::array::from_fn(|place| self.coefficients[place].wrapping_sub(other.coefficients[place]));
        Self { constant: self.constant.wrapping_sub(other.constant), coefficients }
    }
}

impl AffineForms {
    /// Creates an empty table of affine forms, which draws the field elements of its variables from `variables`.
    pub(crate) fn new(variables: Variables) -> Self {
        Self { variables, ..Self::default() }
    }

    /// Sets the ranges of the symbolic numbers. If the ranges change, also removes all affine forms from the table.
    pub fn set_domain(&mut self, domain: Domain) {
        if self.domain != Some(domain) {
            // Keeps the list of variables, so that no later form has the field elements of an earlier one.
            *self = Self { domain: Some(domain), ..Self::new(std::mem::take(&mut self.variables)) };
        }
    }

    /// Sets the minimum of [`SymbolicNumber::Periods`] to `least`, because messages with fewer loop periods do not
    /// reach the current instruction. (`Periods` is the number of loop periods by which the message is longer than the
    /// shortest message.)
    pub fn set_min_periods(&mut self, least: i64) {
        if let Some(domain) = &mut self.domain {
            domain.periods[0] = least;
        }
    }

    /// Returns the 64-bit word that represents the affine form `form`.
    pub fn to_word(&mut self, form: AffineForm) -> Word {
        let Some(domain) = self.domain.filter(|_| !form.is_constant()) else {
            return Word::Known(form.constant.cast_unsigned());
        };
        let shift = form.shift();
        let odd = AffineForm {
            constant: form.constant >> shift,
            coefficients: form.coefficients.map(|coefficient| coefficient >> shift),
        };
        let odd_bits = self.bits.entry(odd).or_insert_with(|| {
            // Bits above the maximum are known zeros for every minimum number of periods.
            let (low, high) = odd.range(&Domain { periods: [0, domain.periods[1]], ..domain });
            let used = if low < 0 { 64 } else { 128 - high.leading_zeros() as usize };
            let bits = std::array::from_fn(|place| if place < used { self.variables.next() } else { Bit::ZERO });
            self.lowest.insert(bits[0], odd);
            Rc::new(bits)
        });
        let constant = Word::Known(form.constant.cast_unsigned() & low_ones(shift as usize)).bits();
        let bits: [Bit; 64] = std::array::from_fn(|place| match place.checked_sub(shift as usize) {
            None => constant[place],
            Some(place) => odd_bits[place],
        });
        Word::from_bits(&bits)
    }

    /// Returns the affine form modulo 2^`width` that the lowest `width` bits of a word represent. Returns `None` if
    /// these bits represent no affine form.
    #[must_use]
    pub fn recognise(&self, word: &Word, width: usize) -> Option<AffineForm> {
        self.domain?;
        let bits = match word {
            Word::Known(value) => {
                let value = value & low_ones(width);
                return Some(AffineForm {
                    constant: (value << (64 - width)).cast_signed() >> (64 - width),
                    coefficients: [0; 3],
                });
            }
            Word::Bits(bits) => bits,
        };
        let shift = bits[..width].iter().position(|bit| bit.known().is_none())?;
        let odd = self.lowest.get(&bits[shift])?;
        let odd_bits = &self.bits[odd];
        if bits[shift..width] != odd_bits[..width - shift] {
            return None;
        }
        let low = Word::from_bits(&bits[..shift]).known()?;
        Some(AffineForm {
            constant: odd.constant << shift | low.cast_signed(),
            coefficients: odd.coefficients.map(|coefficient| coefficient << shift),
        })
    }

    /// Adds or subtracts the affine forms that two words represent; at least one of the forms must not be constant.
    /// Returns the resulting word and its CPU flags. Returns `None` if a word represents no affine form, or if the
    /// result overflows.
    pub fn combine(
        &mut self,
        operation: Operation,
        one: &Word,
        other: &Word,
        width: usize,
    ) -> Option<(Word, Conditions)> {
        let (domain, one, other) = (self.domain?, self.recognise(one, width)?, self.recognise(other, width)?);
        if width < 32 {
            return None;
        }
        let whole = 1_i128 << width;
        // As unsigned numbers, negative values are 2^`width` greater.
        let wrap = |(low, high): (i128, i128)| match (low, high) {
            (0.., _) if high < whole => Some(0),
            (_, ..0) if low >= -whole => Some(whole),
            _ => None,
        };
        let sign = |(low, high): (i128, i128)| match (low, high) {
            (0.., _) if high < whole / 2 => Some(false),
            (_, ..0) if low >= -whole / 2 => Some(true),
            _ => None,
        };
        let result = AffineForm::checked_combine(operation, one, other)?;
        let (ranges, (low, high)) = ([one, other].map(|form| form.range(&domain)), result.range(&domain));
        let odd_constant = result.constant & low_ones((result.shift() as usize).min(width)).cast_signed();
        let zero = match (low, high) {
            (0, 0) => Some(true),
            _ if low > 0 && high < whole || high < 0 && low > -whole || odd_constant != 0 => Some(false),
            _ => None,
        };
        let carry = match (wrap(ranges[0]), wrap(ranges[1]), operation) {
            (Some(one), Some(other), Operation::Sum) => {
                let room = whole - 1 - one - other;
                is_negative(room - high, room - low)
            }
            (Some(one), Some(other), Operation::Difference) => is_negative(low + one - other, high + one - other),
            _ => None,
        };
        let fits = |(low, high): (i128, i128)| low >= -whole / 2 && high < whole / 2;
        let overflow = (fits(ranges[0]) && fits(ranges[1]) && fits((low, high))).then_some(false);
        let conditions = Conditions { zero, sign: sign((low, high)), carry, overflow };
        Some((self.to_word(result).low(width), conditions))
    }

    /// Shifts a word that represents an affine form right. Returns `None` if any bit shifted out depends on a symbolic
    /// number other than [`SymbolicNumber::Rest`].
    pub fn shift_right(&mut self, word: &Word, shift: usize) -> Option<Word> {
        let (form, domain) = (self.recognise(word, 64)?, self.domain?);
        let whole = 1_i64 << shift;
        let rest = form.remainder(whole, &domain)?;
        let (least, greatest) = form.range(&domain);
        let is_number = least >= 0 && greatest < 1 << 64;
        (is_number && !form.is_constant()).then(|| {
            let above = form - rest;
            self.to_word(AffineForm {
                constant: above.constant >> shift,
                coefficients: above.coefficients.map(|coefficient| coefficient >> shift),
            })
        })
    }

    /// ANDs a word that represents an affine form with `mask`, a power of two minus one. Returns `None` if the result
    /// is not an affine form.
    pub fn low_bits(&mut self, word: &Word, mask: u64, width: usize) -> Option<Word> {
        let (form, domain) = (self.recognise(word, width).filter(|form| !form.is_constant())?, self.domain?);
        let whole = mask.checked_add(1).filter(|whole| whole.is_power_of_two() && mask > 0)?.cast_signed();
        let rest = form.remainder(whole, &domain)?;
        Some(self.to_word(rest))
    }

    /// Returns whether the lowest `width` bits of a word are zero, or `None` if the answer depends on the symbolic
    /// numbers.
    #[must_use]
    pub fn is_zero(&self, word: &Word, width: usize) -> Option<bool> {
        let whole = 1_i128 << width;
        match self.recognise(word, width)?.range(&self.domain?) {
            (0, 0) => Some(true),
            (low, high) if low > 0 && high < whole || high < 0 && low > -whole => Some(false),
            _ => None,
        }
    }
}

/// Returns whether all numbers from `low` to `high` are negative, or `None` if some but not all are.
fn is_negative(low: i128, high: i128) -> Option<bool> {
    match (low, high) {
        (0.., _) => Some(false),
        (_, ..0) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::Symbols;

    const DOMAIN: Domain = Domain { periods: [1, 3], rest: 2 };

    /// Returns all combinations of values of the three symbolic numbers within the ranges in [`DOMAIN`].
    fn values() -> Vec<[i64; 3]> {
        let periods = DOMAIN.periods[0]..=DOMAIN.periods[1];
        periods
            .flat_map(|all| (0..=all - 1).flat_map(move |done| (0..=DOMAIN.rest).map(move |rest| [all, done, rest])))
            .collect()
    }

    /// Evaluates an affine form for the values `values` of the three symbolic numbers.
    fn evaluate(form: AffineForm, values: [i64; 3]) -> u64 {
        let multiples =
            form.coefficients.iter().zip(values).map(|(&coefficient, value)| coefficient.wrapping_mul(value));
        multiples.fold(form.constant, i64::wrapping_add).cast_unsigned()
    }

    /// Returns affine forms whose values are near zero, near sign changes, and near the overflow of a word, where CPU
    /// flags change.
    fn numbers() -> Vec<AffineForm> {
        let constants = [0, 1, 5, 64, 255, 256, 8192, 0xFFFF_FFFF, 1 << 32, 1 << 40, -1, -64, i64::MIN, i64::MAX];
        let coefficients =
            [[0; 3], [1, 0, 0], [0, 1, 0], [0, 0, 1], [64, -64, 1], [0, 256, 0], [1 << 24, 0, 0], [0, 1 << 32, 0]];
        constants
            .into_iter()
            .flat_map(|constant| coefficients.map(|coefficients| AffineForm { constant, coefficients }))
            .collect()
    }

    fn allowed() -> Symbols {
        let mut symbols = Symbols::default();
        symbols.affine_forms.set_domain(DOMAIN);
        symbols
    }

    #[test]
    fn affine_sums_and_differences_are_correct_for_all_values_of_the_symbolic_numbers() {
        let mut symbols = allowed();
        let mut decided = 0;
        for (operation, width) in
            [Operation::Sum, Operation::Difference].into_iter().flat_map(|it| [(it, 32), (it, 64)])
        {
            for (one, other) in
                numbers().into_iter().flat_map(|one| numbers().into_iter().map(move |other| (one, other)))
            {
                let words = [one, other].map(|form| symbols.affine_forms.to_word(form));
                let Some((result, conditions)) = symbols.affine_forms.combine(operation, &words[0], &words[1], width)
                else {
                    continue;
                };
                let result = symbols.affine_forms.recognise(&result, width);
                for unknown in values() {
                    let [a, b] = [one, other].map(|form| evaluate(form, unknown) & low_ones(width));
                    let all = match operation {
                        Operation::Sum => a.wrapping_add(b),
                        Operation::Difference => a.wrapping_sub(b),
                    };
                    let expected = all & low_ones(width);
                    let carry = match operation {
                        Operation::Sum => u128::from(a) + u128::from(b) > u128::from(low_ones(width)),
                        Operation::Difference => a < b,
                    };
                    let top = 1 << (width - 1);
                    let overflow = match operation {
                        Operation::Sum => (a ^ expected) & (b ^ expected) & top != 0,
                        Operation::Difference => (a ^ b) & (a ^ expected) & top != 0,
                    };
                    let case = format!("{one:?}, {other:?}, {width}, {unknown:?}");
                    assert_eq!(
                        result.map(|result| evaluate(result, unknown) & low_ones(width)),
                        Some(expected),
                        "{case}"
                    );
                    assert!(conditions.zero.is_none_or(|zero| zero == (expected == 0)), "zero: {case}");
                    assert!(conditions.sign.is_none_or(|sign| sign == (expected & top != 0)), "sign: {case}");
                    assert!(conditions.carry.is_none_or(|it| it == carry), "carry: {case}");
                    assert!(conditions.overflow.is_none_or(|it| it == overflow), "overflow: {case}");
                    decided += usize::from(conditions.carry.is_some());
                }
            }
        }
        assert!(decided > 10_000, "{decided}");
    }

    #[test]
    fn affine_shifts_masks_and_zero_tests_are_correct_for_all_values_of_the_symbolic_numbers() {
        let mut symbols = allowed();
        let mut decided = [0; 3];
        for form in numbers() {
            let word = symbols.affine_forms.to_word(form);
            for shift in [1, 4, 6, 7, 13, 32] {
                let Some(down) = symbols.affine_forms.shift_right(&word, shift) else { continue };
                let Some(down) = symbols.affine_forms.recognise(&down, 64) else { panic!("{form:?} >> {shift}") };
                for unknown in values() {
                    assert_eq!(
                        evaluate(down, unknown),
                        evaluate(form, unknown) >> shift,
                        "{form:?} >> {shift}, {unknown:?}"
                    );
                }
                decided[0] += 1;
            }
            for (bits, width) in [1, 15, 63, 127, 8191].into_iter().flat_map(|bits| [(bits, 32), (bits, 64)]) {
                let Some(low) = symbols.affine_forms.low_bits(&word, bits, width) else { continue };
                let Some(low) = symbols.affine_forms.recognise(&low, 64) else { panic!("{form:?} & {bits}") };
                for unknown in values() {
                    assert_eq!(
                        evaluate(low, unknown),
                        evaluate(form, unknown) & bits,
                        "{form:?} & {bits}, {unknown:?}"
                    );
                }
                decided[1] += 1;
            }
            for width in [8, 16, 32, 64] {
                let Some(is_zero) = symbols.affine_forms.is_zero(&word, width) else { continue };
                for unknown in values() {
                    assert_eq!(
                        is_zero,
                        evaluate(form, unknown) & low_ones(width) == 0,
                        "{form:?}, {width}, {unknown:?}"
                    );
                }
                decided[2] += 1;
            }
        }
        assert!(decided.iter().all(|&count| count > 5), "{decided:?}");
    }
}
