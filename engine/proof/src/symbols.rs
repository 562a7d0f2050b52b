//! The values of what is not known.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::aes;
use crate::affine::AffineForms;
use crate::field::Bit;
use crate::flow::Tally;
use crate::memo::{Bits, BitsHasher, Memo};

/// The bits of a byte, the lowest first.
pub type Byte = [Bit; 8];

/// Draws the point at which polynomials are compared, and keeps the S-box's value at each byte.
#[derive(Default)]
pub struct Symbols {
    variables: Variables,
    /// Those that are the S-box's values: calls share them.
    s_box_variables: Variables,
    s_box: SBox,
    /// Those of a passing call, and whether there is one.
    isolated_s_box: SBox,
    is_isolated: bool,
    /// The most that there were at a time.
    max_substitutions: usize,
    /// Rounds of AES that were done before: without the round key, the last round in a map of its own.
    rounds: [Memo; 2],
    /// The keystream of counters that were asked for before: of one key and nonce.
    pub keystream: HashMap<Vec<Bit>, Box<Bits>>,
    /// Numbers that are public, and not known.
    pub affine_forms: AffineForms,
    /// What is compared by the call under way.
    pub tally: Tally,
    /// The same of the key's making, and the most of a call before.
    key_tally: Tally,
    max_call_tally: Tally,
}

type SBox = HashMap<Byte, Byte, BuildHasherDefault<BitsHasher>>;

/// Values that are uniformly random in K, one after the other.
#[derive(Default)]
pub(crate) struct Variables {
    drawn: Vec<Bit>,
    next: usize,
    /// The first that is drawn by a call.
    first_of_call: usize,
}

/// Bytes that are asked of the system at a time.
const RANDOM_BYTES: usize = 1 << 16;

impl Variables {
    /// From the system's generator: no other would do for the bound.
    pub(crate) fn next(&mut self) -> Bit {
        if self.next == self.drawn.len() {
            let mut random = vec![0; RANDOM_BYTES];
            getrandom::fill(&mut random).unwrap_or_else(|error| panic!("no random numbers: {error}"));
            self.drawn.extend(random.as_chunks::<16>().0.iter().map(|value| Bit(u128::from_ne_bytes(*value))));
        }
        self.next += 1;
        self.drawn[self.next - 1]
    }
}

impl Symbols {
    /// A new variable's value.
    pub fn fresh(&mut self) -> Bit {
        self.variables.next()
    }

    /// Returns how many variables were drawn.
    pub(crate) fn position(&self) -> usize {
        self.variables.next
    }

    /// Draws the variables behind a position again. Returns the position before.
    pub(crate) fn rewind(&mut self, position: usize) -> usize {
        std::mem::replace(&mut self.variables.next, position)
    }

    /// As many new variables.
    pub fn fill(&mut self, bits: &mut [Bit]) {
        bits.fill_with(|| self.fresh());
    }

    /// AES's S-box: FIPS 197's table where the byte is known; elsewhere eight new variables for each byte that has not
    /// been seen before, so that only what holds for every function of bytes can be shown.
    pub fn substitute(&mut self, byte: &Byte) -> Byte {
        if let Some(known) = known_byte(byte) {
            return bits_of_byte(aes::S_BOX[usize::from(known)]);
        }
        if let Some(value) = self.s_box.get(byte).or_else(|| self.isolated_s_box.get(byte)) {
            return *value;
        }
        let value = std::array::from_fn(|_| self.s_box_variables.next());
        let seen = if self.is_isolated { &mut self.isolated_s_box } else { &mut self.s_box };
        seen.insert(*byte, value);
        self.max_substitutions = self.max_substitutions.max(self.s_box.len() + self.isolated_s_box.len());
        value
    }

    /// A round of AES that was done before.
    #[must_use]
    pub fn cached_round(&self, state: &Bits, is_last: bool) -> Option<&Bits> {
        self.rounds[usize::from(is_last)].get(state)
    }

    /// Keeps a round of AES, unless the values that it has of the S-box are forgotten sooner.
    pub fn cache_round(&mut self, state: &Bits, is_last: bool, new: &Bits) {
        if !self.is_isolated {
            self.rounds[usize::from(is_last)].insert(state, new);
        }
    }

    /// What was drawn until now is what calls share.
    pub fn share_variables(&mut self) {
        self.key_tally = std::mem::take(&mut self.tally);
        self.variables.first_of_call = self.variables.next;
    }

    /// Begins a call. Its own variables have the same values as those of the call before, of which nothing is asked any
    /// more: the statements about both are each one's own. (Not so the S-box's, which it keeps.)
    pub fn begin_call(&mut self) {
        self.max_call_tally = self.max_call_tally.greatest(&std::mem::take(&mut self.tally));
        self.variables.next = self.variables.first_of_call;
    }

    /// The same for a call that asks for the S-box's values mostly at bytes that no other call will have: they have to
    /// be [forgotten](Self::forget_substitutions) behind it.
    pub fn begin_isolated_call(&mut self) {
        self.begin_call();
        self.s_box_variables.first_of_call = self.s_box_variables.next;
        self.is_isolated = true;
    }

    /// Forgets the S-box's values since the passing call has begun: they too will be another call's variables.
    pub fn forget_substitutions(&mut self) {
        self.isolated_s_box.clear();
        self.s_box_variables.next = self.s_box_variables.first_of_call;
        self.is_isolated = false;
    }

    /// At how many unknown bytes the S-box had a value at a time.
    #[must_use]
    pub fn substitutions(&self) -> usize {
        self.max_substitutions
    }

    /// Returns what was compared by a key's making and by any one call with it.
    #[must_use]
    pub fn compared(&self) -> Tally {
        let call = self.max_call_tally.greatest(&self.tally);
        Tally {
            comparisons: self.key_tally.comparisons + call.comparisons,
            lookups: self.key_tally.lookups + call.lookups,
            arguments: self.max_substitutions as u64,
            ..self.key_tally.greatest(&call)
        }
    }
}

/// The byte of known bits.
#[must_use]
pub fn known_byte(bits: &[Bit]) -> Option<u8> {
    bits.iter().rev().try_fold(0, |byte, bit| Some(byte << 1 | u8::from(bit.known()?)))
}

/// The bits of a known byte.
#[must_use]
pub fn bits_of_byte(byte: u8) -> Byte {
    std::array::from_fn(|place| Bit::from(byte >> place & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_same_variables_and_the_s_box_has_its_own() {
        let mut symbols = Symbols::default();
        let shared = symbols.fresh();
        symbols.share_variables();
        let mut call = || {
            symbols.begin_call();
            let byte: Byte = std::array::from_fn(|_| symbols.fresh());
            (byte, symbols.substitute(&byte), symbols.fresh())
        };
        let (byte, value, next) = call();
        assert_eq!((byte, value, next), call());
        let mut all = [&[shared, next], &byte[..], &value[..]].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 18, "no two are one");
    }

    /// The S-box stays a function of bytes whichever rounds are kept, and however many more are.
    #[test]
    fn rounds_of_a_passing_call_are_not_kept() {
        let mut symbols = Symbols::default();
        let state: Bits = std::array::from_fn(|_| symbols.fresh());
        symbols.share_variables();
        symbols.begin_isolated_call();
        let round = |symbols: &mut Symbols| {
            let mut new = [Bit::ZERO; 128];
            aes::round(&state, &[Bit::ZERO; 128], false, symbols, &mut new);
            new
        };
        let first = round(&mut symbols);
        assert_eq!(round(&mut symbols), first);
        symbols.forget_substitutions();
        assert!(symbols.cached_round(&state, false).is_none());
        // Another byte takes the first values.
        symbols.substitute(&[Bit(5); 8]);
        let second = round(&mut symbols);
        assert!(second != first && symbols.cached_round(&state, false) == Some(&second));
        assert_eq!(symbols.substitutions(), 17);
    }

    #[test]
    fn the_s_box_is_a_function() {
        let mut symbols = Symbols::default();
        let one: Byte = std::array::from_fn(|_| symbols.fresh());
        let mut other = one;
        other[3] ^= Bit::ONE;
        let values = [&one, &other, &one].map(|byte| symbols.substitute(byte));
        assert_eq!(values[0], values[2]);
        assert_ne!(values[0], values[1]);
        assert_eq!(symbols.substitutions(), 2);
        assert_eq!(symbols.substitute(&bits_of_byte(0x53)), bits_of_byte(0xED), "FIPS 197, 5.1.1");
        assert_eq!(symbols.substitutions(), 2);
    }
}
