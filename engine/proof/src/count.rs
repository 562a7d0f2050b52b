//! Public numbers that are not known: how long a message is, and how much of it is done.
//!
//! A [`Count`] is a constant, and multiples of three unknown numbers. As bits it is variables, so it goes through
//! registers, vectors and memory as anything unknown does, and is recognised where numbers are added or compared, or
//! an address is made. What is asked of it is answered if the answer is the same for all values of the unknown numbers.

use std::collections::HashMap;
use std::ops::{Add, Sub};
use std::rc::Rc;

use crate::field::Bit;
use crate::symbols::Variables;
use crate::word::{Word, mask};

/// A constant, and how often each of [`Unknown`] is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Count {
    /// The constant.
    pub constant: i64,
    /// The multiples.
    pub of: [i64; 3],
}

/// The unknown numbers, as places of [`Count::of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// How many periods a message has beside its shortest form.
    Periods,
    /// How many of them are done.
    Done,
    /// How many bytes more than the fewest its last vector has.
    Rest,
}

/// The values that the unknown numbers may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// The least and the most periods; the least are not done.
    pub periods: [i64; 2],
    /// The most of the rest.
    pub rest: i64,
}

/// The counts as bits.
#[derive(Default)]
pub struct Counts {
    domain: Option<Domain>,
    variables: Variables,
    /// Without factors of two: a count and twice the count have the same variables.
    bits: HashMap<Count, Rc<[Bit; 64]>>,
    /// Whose lowest bit it is.
    lowest: HashMap<Bit, Count>,
}

/// What becomes of two numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Their sum.
    Sum,
    /// Their difference.
    Difference,
}

/// What is known of a result, as the flags have it.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// Whether it is zero.
    pub zero: Option<bool>,
    /// Whether it is below zero.
    pub sign: Option<bool>,
    /// Whether there is a carry or a borrow.
    pub carry: Option<bool>,
    /// Whether the signed result does not fit.
    pub overflow: Option<bool>,
}

impl Count {
    /// A constant.
    #[must_use]
    pub fn known(constant: u64) -> Self {
        Self { constant: constant.cast_signed(), of: [0; 3] }
    }

    /// Whether it is one.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.of == [0; 3]
    }

    /// The same, and a multiple of an unknown number.
    #[must_use]
    pub fn and(mut self, times: i64, unknown: Unknown) -> Self {
        self.of[unknown as usize] += times;
        self
    }

    /// The same with a number in place of an unknown one.
    #[must_use]
    pub fn with(mut self, unknown: Unknown, is: Self) -> Self {
        let times = std::mem::take(&mut self.of[unknown as usize]);
        self + Self { constant: is.constant.wrapping_mul(times), of: is.of.map(|of| of.wrapping_mul(times)) }
    }

    /// The least and the greatest value. As many periods are left as there are at least.
    fn range(&self, domain: &Domain) -> (i128, i128) {
        let left = if self.of[0] == 0 { 0 } else { domain.periods[0] };
        let values = domain.periods.into_iter().flat_map(|periods| {
            [0, periods - left].into_iter().flat_map(move |done| [0, domain.rest].map(|rest| [periods, done, rest]))
        });
        values.fold((i128::MAX, i128::MIN), |(low, high), unknown| {
            let all = self.of.iter().zip(unknown);
            let value =
                all.fold(i128::from(self.constant), |sum, (&of, value)| sum + i128::from(of) * i128::from(value));
            (low.min(value), high.max(value))
        })
    }

    /// The power of two that divides all multiples.
    fn places(&self) -> u32 {
        self.of.iter().filter(|&&of| of != 0).map(|of| of.trailing_zeros()).min().unwrap_or(63)
    }

    /// The sum or the difference, if no number is too great for it.
    fn checked(operation: Operation, one: Self, other: Self) -> Option<Self> {
        let number = |one: i64, other: i64| match operation {
            Operation::Sum => one.checked_add(other),
            Operation::Difference => one.checked_sub(other),
        };
        let mut result = Self { constant: number(one.constant, other.constant)?, of: [0; 3] };
        for (result, (one, other)) in result.of.iter_mut().zip(one.of.into_iter().zip(other.of)) {
            *result = number(one, other)?;
        }
        Some(result)
    }
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let of = std::array::from_fn(|place| self.of[place].wrapping_add(other.of[place]));
        Self { constant: self.constant.wrapping_add(other.constant), of }
    }
}

impl Sub for Count {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let of = std::array::from_fn(|place| self.of[place].wrapping_sub(other.of[place]));
        Self { constant: self.constant.wrapping_sub(other.constant), of }
    }
}

impl Counts {
    /// From now on there are unknown numbers, with other values than before.
    pub fn allow(&mut self, domain: Domain) {
        if self.domain != Some(domain) {
            *self = Self { domain: Some(domain), ..Self::default() };
        }
    }

    /// From now on there are at least so many periods, of which so many are left.
    pub fn narrow(&mut self, least: i64) {
        if let Some(domain) = &mut self.domain {
            domain.periods[0] = least;
        }
    }

    /// The word of a count.
    pub fn word(&mut self, count: Count) -> Word {
        let Some(domain) = self.domain.filter(|_| !count.is_known()) else {
            return Word::Known(count.constant.cast_unsigned());
        };
        let places = count.places();
        let odd = Count { constant: count.constant >> places, of: count.of.map(|of| of >> places) };
        let odd_bits = self.bits.entry(odd).or_insert_with(|| {
            // What is above the greatest value is known, whatever is left.
            let (low, high) = odd.range(&Domain { periods: [0, domain.periods[1]], ..domain });
            let used = if low < 0 { 64 } else { 128 - high.leading_zeros() as usize };
            let bits = std::array::from_fn(|place| if place < used { self.variables.next() } else { Bit::ZERO });
            self.lowest.insert(bits[0], odd);
            Rc::new(bits)
        });
        let constant = Word::Known(count.constant.cast_unsigned() & mask(places as usize)).bits();
        let bits: [Bit; 64] = std::array::from_fn(|place| match place.checked_sub(places as usize) {
            None => constant[place],
            Some(place) => odd_bits[place],
        });
        Word::of_bits(&bits)
    }

    /// The count that the lowest bits of a word are, modulo two to the number of bits.
    #[must_use]
    pub fn of(&self, word: &Word, width: usize) -> Option<Count> {
        self.domain?;
        let bits = match word {
            Word::Known(value) => {
                let value = value & mask(width);
                return Some(Count { constant: (value << (64 - width)).cast_signed() >> (64 - width), of: [0; 3] });
            }
            Word::Bits(bits) => bits,
        };
        let places = bits[..width].iter().position(|bit| bit.known().is_none())?;
        let odd = self.lowest.get(&bits[places])?;
        let odd_bits = &self.bits[odd];
        if bits[places..width] != odd_bits[..width - places] {
            return None;
        }
        let low = Word::of_bits(&bits[..places]).known()?;
        Some(Count { constant: odd.constant << places | low.cast_signed(), of: odd.of.map(|of| of << places) })
    }

    /// A sum or a difference of counts, of which not both are known, and what is known of it as far as it is the same
    /// for all values.
    pub fn combine(
        &mut self,
        operation: Operation,
        one: &Word,
        other: &Word,
        width: usize,
    ) -> Option<(Word, Conditions)> {
        let (domain, one, other) = (self.domain?, self.of(one, width)?, self.of(other, width)?);
        if width < 32 {
            return None;
        }
        let whole = 1_i128 << width;
        // Numbers below zero are two to the width more.
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
        let result = Count::checked(operation, one, other)?;
        let (ranges, (low, high)) = ([one, other].map(|count| count.range(&domain)), result.range(&domain));
        let odd_constant = result.constant & mask((result.places() as usize).min(width)).cast_signed();
        let zero = match (low, high) {
            (0, 0) => Some(true),
            _ if low > 0 && high < whole || high < 0 && low > -whole || odd_constant != 0 => Some(false),
            _ => None,
        };
        let carry = match (wrap(ranges[0]), wrap(ranges[1]), operation) {
            (Some(one), Some(other), Operation::Sum) => {
                let room = whole - 1 - one - other;
                decided(room - high, room - low)
            }
            (Some(one), Some(other), Operation::Difference) => decided(low + one - other, high + one - other),
            _ => None,
        };
        let fits = |(low, high): (i128, i128)| low >= -whole / 2 && high < whole / 2;
        let overflow = (fits(ranges[0]) && fits(ranges[1]) && fits((low, high))).then_some(false);
        let conditions = Conditions { zero, sign: sign((low, high)), carry, overflow };
        Some((self.word(result).low(width), conditions))
    }

    /// The word shifted down, if what leaves it is nothing or smaller than what stays.
    pub fn down(&mut self, word: &Word, places: usize) -> Option<Word> {
        let (count, domain) = (self.of(word, 64)?, self.domain?);
        let whole = 1_i64 << places;
        let rest = Count { constant: count.constant & (whole - 1), of: [0, 0, count.of[2]] };
        let (low, high) = rest.range(&domain);
        let is_split = count.of[..2].iter().all(|of| of % whole == 0) && low >= 0 && high < i128::from(whole);
        let (least, greatest) = count.range(&domain);
        let is_number = least >= 0 && greatest < 1 << 64;
        (is_split && is_number && !count.is_known()).then(|| {
            let above = count - rest;
            self.word(Count { constant: above.constant >> places, of: above.of.map(|of| of >> places) })
        })
    }

    /// The lowest bits of a word, if the count is smaller than them but for multiples.
    pub fn low(&mut self, word: &Word, mask: u64, width: usize) -> Option<Word> {
        let (count, domain) = (self.of(word, width).filter(|count| !count.is_known())?, self.domain?);
        let whole = mask.checked_add(1).filter(|whole| whole.is_power_of_two() && mask > 0)?.cast_signed();
        let rest = Count { constant: count.constant & (whole - 1), of: [0, 0, count.of[2]] };
        let (low, high) = rest.range(&domain);
        let is_split = count.of[..2].iter().all(|of| of % whole == 0) && low >= 0 && high < i128::from(whole);
        is_split.then(|| self.word(rest))
    }

    /// Whether a word is zero, if that is the same for all values.
    #[must_use]
    pub fn is_zero(&self, word: &Word, width: usize) -> Option<bool> {
        let whole = 1_i128 << width;
        match self.of(word, width)?.range(&self.domain?) {
            (0, 0) => Some(true),
            (low, high) if low > 0 && high < whole || high < 0 && low > -whole => Some(false),
            _ => None,
        }
    }
}

/// Whether what lies between both is below zero.
fn decided(low: i128, high: i128) -> Option<bool> {
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

    /// All values of the unknown numbers.
    fn values() -> Vec<[i64; 3]> {
        let periods = DOMAIN.periods[0]..=DOMAIN.periods[1];
        periods
            .flat_map(|all| (0..=all - 1).flat_map(move |done| (0..=DOMAIN.rest).map(move |rest| [all, done, rest])))
            .collect()
    }

    fn is(count: Count, unknown: [i64; 3]) -> u64 {
        let multiples = count.of.iter().zip(unknown).map(|(&of, value)| of.wrapping_mul(value));
        multiples.fold(count.constant, i64::wrapping_add).cast_unsigned()
    }

    /// Constants and multiples around what decides: zero, signs, the ends of words.
    fn numbers() -> Vec<Count> {
        let constants = [0, 1, 5, 64, 255, 256, 8192, 0xFFFF_FFFF, 1 << 32, 1 << 40, -1, -64, i64::MIN, i64::MAX];
        let of = [[0; 3], [1, 0, 0], [0, 1, 0], [0, 0, 1], [64, -64, 1], [0, 256, 0], [1 << 24, 0, 0], [0, 1 << 32, 0]];
        constants.into_iter().flat_map(|constant| of.map(|of| Count { constant, of })).collect()
    }

    fn allowed() -> Symbols {
        let mut symbols = Symbols::default();
        symbols.counts.allow(DOMAIN);
        symbols
    }

    /// What is decided of a sum or a difference is what it is for each of the values.
    #[test]
    fn conditions_hold_for_all_values() {
        let mut symbols = allowed();
        let mut decided = 0;
        for (operation, width) in
            [Operation::Sum, Operation::Difference].into_iter().flat_map(|it| [(it, 32), (it, 64)])
        {
            for (one, other) in
                numbers().into_iter().flat_map(|one| numbers().into_iter().map(move |other| (one, other)))
            {
                let words = [one, other].map(|count| symbols.counts.word(count));
                let Some((result, conditions)) = symbols.counts.combine(operation, &words[0], &words[1], width) else {
                    continue;
                };
                let result = symbols.counts.of(&result, width);
                for unknown in values() {
                    let [a, b] = [one, other].map(|count| is(count, unknown) & mask(width));
                    let all = match operation {
                        Operation::Sum => a.wrapping_add(b),
                        Operation::Difference => a.wrapping_sub(b),
                    };
                    let expected = all & mask(width);
                    let carry = match operation {
                        Operation::Sum => u128::from(a) + u128::from(b) > u128::from(mask(width)),
                        Operation::Difference => a < b,
                    };
                    let top = 1 << (width - 1);
                    let overflow = match operation {
                        Operation::Sum => (a ^ expected) & (b ^ expected) & top != 0,
                        Operation::Difference => (a ^ b) & (a ^ expected) & top != 0,
                    };
                    let case = format!("{one:?}, {other:?}, {width}, {unknown:?}");
                    assert_eq!(result.map(|result| is(result, unknown) & mask(width)), Some(expected), "{case}");
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

    /// So are shifts down, lowest bits, and whether a word is zero.
    #[test]
    fn pieces_hold_for_all_values() {
        let mut symbols = allowed();
        let mut decided = [0; 3];
        for count in numbers() {
            let word = symbols.counts.word(count);
            for places in [1, 4, 6, 7, 13, 32] {
                let Some(down) = symbols.counts.down(&word, places) else { continue };
                let Some(down) = symbols.counts.of(&down, 64) else { panic!("{count:?} >> {places}") };
                for unknown in values() {
                    assert_eq!(is(down, unknown), is(count, unknown) >> places, "{count:?} >> {places}, {unknown:?}");
                }
                decided[0] += 1;
            }
            for (bits, width) in [1, 15, 63, 127, 8191].into_iter().flat_map(|bits| [(bits, 32), (bits, 64)]) {
                let Some(low) = symbols.counts.low(&word, bits, width) else { continue };
                let Some(low) = symbols.counts.of(&low, 64) else { panic!("{count:?} & {bits}") };
                for unknown in values() {
                    assert_eq!(is(low, unknown), is(count, unknown) & bits, "{count:?} & {bits}, {unknown:?}");
                }
                decided[1] += 1;
            }
            for width in [8, 16, 32, 64] {
                let Some(is_zero) = symbols.counts.is_zero(&word, width) else { continue };
                for unknown in values() {
                    assert_eq!(is_zero, is(count, unknown) & mask(width) == 0, "{count:?}, {width}, {unknown:?}");
                }
                decided[2] += 1;
            }
        }
        assert!(decided.iter().all(|&count| count > 5), "{decided:?}");
    }
}
