//! Draws the random values of unknown bits, and models the S-box as an unknown function.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::aes;
use crate::affine::AffineForms;
use crate::field::Bit;
use crate::flow::Tally;
use crate::memo::{Bits, BitsHasher, Memo};

pub type Byte = [Bit; 8];

/// Random values that represent unknown bits and S-box outputs, and caches of results that depend on them.
#[derive(Default)]
pub struct Symbols {
    variables: Variables,
    /// Random values for the S-box's outputs at unknown inputs.
    s_box_variables: Variables,
    s_box: SBox,
    /// S-box values for inputs that occur only in the current isolated call ([`Symbols::begin_isolated_call`]).
    isolated_s_box: SBox,
    is_isolated: bool,
    /// Maximum number of unknown S-box inputs stored at one time.
    max_substitutions: usize,
    /// Caches of AES rounds without AddRoundKey; the second one is for last rounds.
    rounds: [Memo; 2],
    /// Keystream blocks of the current key and nonce, by their counter.
    pub keystream: HashMap<Vec<Bit>, Box<Bits>>,
    /// Affine forms of public numbers without a fixed value, such as message lengths.
    pub affine_forms: AffineForms,
    pub tally: Tally,
    key_tally: Tally,
    max_call_tally: Tally,
}

type SBox = HashMap<Byte, Byte, BuildHasherDefault<BitsHasher>>;

/// Random elements of GF(2^128) that represent unknown bits. Each call can take the elements from the same index on.
#[derive(Default)]
pub(crate) struct Variables {
    drawn: Vec<Bit>,
    next: usize,
    /// Index in `drawn` of the first random element after key set-up, from which each call takes elements.
    first_of_call: usize,
}

/// Number of random bytes requested from the system at once.
const RANDOM_BYTES: usize = 1 << 16;

impl Variables {
    /// Returns the next random element, from the system's generator, since the error bound requires true randomness.
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
    pub fn fresh(&mut self) -> Bit {
        self.variables.next()
    }

    /// Returns the index of the next random element.
    pub(crate) fn position(&self) -> usize {
        self.variables.next
    }

    /// Sets the index of the next random element, so that later elements are used again. Returns the previous index.
    pub(crate) fn rewind(&mut self, position: usize) -> usize {
        std::mem::replace(&mut self.variables.next, position)
    }

    pub fn fill(&mut self, bits: &mut [Bit]) {
        bits.fill_with(|| self.fresh());
    }

    /// Applies the S-box. Known bytes use the table of FIPS 197. Each new unknown byte gets eight new random bits, so
    /// the prover can show only statements that hold for every function of bytes in place of the S-box.
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

    /// Returns the cached AES round for `state`, without AddRoundKey, if there is one.
    #[must_use]
    pub fn cached_round(&self, state: &Bits, is_last: bool) -> Option<&Bits> {
        self.rounds[usize::from(is_last)].get(state)
    }

    /// Caches an AES round. Does nothing in isolated calls, because their S-box values are forgotten.
    pub fn cache_round(&mut self, state: &Bits, is_last: bool, new: &Bits) {
        if !self.is_isolated {
            self.rounds[usize::from(is_last)].insert(state, new);
        }
    }

    /// Ends key set-up: all later calls share the random elements used so far.
    pub fn share_variables(&mut self) {
        self.key_tally = std::mem::take(&mut self.tally);
        self.variables.first_of_call = self.variables.next;
    }

    /// Begins a call that takes the same random elements as the previous call, and keeps S-box values. Reuse is safe,
    /// because each call proves a separate statement.
    pub fn begin_call(&mut self) {
        self.max_call_tally = self.max_call_tally.greatest(&std::mem::take(&mut self.tally));
        self.variables.next = self.variables.first_of_call;
    }

    /// Begins an isolated call, whose S-box inputs occur in no other call. [`Self::forget_substitutions`] must follow.
    pub fn begin_isolated_call(&mut self) {
        self.begin_call();
        self.s_box_variables.first_of_call = self.s_box_variables.next;
        self.is_isolated = true;
    }

    /// Ends an isolated call and forgets its S-box values, so that the next call can use the same random elements.
    pub fn forget_substitutions(&mut self) {
        self.isolated_s_box.clear();
        self.s_box_variables.next = self.s_box_variables.first_of_call;
        self.is_isolated = false;
    }

    /// Returns the maximum number of unknown S-box inputs stored at one time.
    #[must_use]
    pub fn substitutions(&self) -> usize {
        self.max_substitutions
    }

    /// Returns the numbers of comparisons and the polynomial degrees that determine the error bound of any one proof:
    /// of key set-up plus the maximum of any call.
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

/// Returns the byte's value, if all bits are known.
#[must_use]
pub fn known_byte(bits: &[Bit]) -> Option<u8> {
    bits.iter().rev().try_fold(0, |byte, bit| Some(byte << 1 | u8::from(bit.known()?)))
}

#[must_use]
pub fn bits_of_byte(byte: u8) -> Byte {
    std::array::from_fn(|place| Bit::from(byte >> place & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_reuse_the_same_random_elements_but_never_as_s_box_outputs() {
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

    /// In an isolated call, S-box values are forgotten at its end. A round cached in that call would then contradict
    /// the S-box.
    #[test]
    fn isolated_calls_do_not_cache_aes_rounds() {
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
        // The next S-box argument reuses the variables.
        symbols.substitute(&[Bit(5); 8]);
        let second = round(&mut symbols);
        assert!(second != first && symbols.cached_round(&state, false) == Some(&second));
        assert_eq!(symbols.substitutions(), 17);
    }

    #[test]
    fn substitute_returns_same_value_for_equal_bytes() {
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
