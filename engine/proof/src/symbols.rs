//! Draws the random field elements that stand for symbolic bits, and models the S-box as an unknown function.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use sha2::{Digest, Sha256};

use crate::aes;
use crate::affine::AffineForms;
use crate::field::Bit;
use crate::flow::Tally;
use crate::memo::{Bits, BitsHasher, Memo};

pub type Byte = [Bit; 8];

/// Random field elements that stand for symbolic bits and S-box outputs, and caches of results computed from them.
#[derive(Default)]
pub struct Symbols {
    variables: Variables,
    /// Random field elements that stand for S-box outputs at symbolic inputs.
    s_box_variables: Variables,
    s_box: SBox,
    /// S-box values for inputs that occur only in the current call ([`Symbols::begin_call_with_temporary_s_box`]).
    temporary_s_box: SBox,
    has_temporary_s_box: bool,
    /// Largest number of symbolic S-box inputs that were stored at one time so far. The bound of the prover's error
    /// probability depends on this number.
    max_substitutions: usize,
    /// Caches of AES rounds without AddRoundKey: the first cache for all rounds but the last, the second for last
    /// rounds.
    rounds: [Memo; 2],
    /// Keystream blocks of the current key and nonce, with the counter as the key of the map.
    pub keystream: HashMap<Vec<Bit>, Box<Bits>>,
    /// Affine forms: numbers that are not secret but have no fixed value in a proof, such as message lengths.
    pub affine_forms: AffineForms,
    pub tally: Tally,
    key_tally: Tally,
    max_call_tally: Tally,
}

type SBox = HashMap<Byte, Byte, BuildHasherDefault<BitsHasher>>;

/// Name of a random point, whose field elements follow from the hash of a library's file (the Fiat–Shamir heuristic).
#[derive(Clone, Copy, Debug)]
pub struct RandomPoint {
    pub library_sha256: [u8; 32],
    /// Index of the point, for statements that are proven at several points.
    pub number: u8,
}

/// Origin of the field elements in a list.
#[derive(Clone, Copy, Default)]
enum Source {
    /// The operating system's generator.
    #[default]
    System,
    /// SHA-256 of a random point, the number of the list and a counter.
    Point(RandomPoint, u8),
}

/// A list of random elements of GF(2^128) that stand for symbolic bits. Each call can use the list again from the same
/// index on.
#[derive(Default)]
pub(crate) struct Variables {
    source: Source,
    drawn: Vec<Bit>,
    next: usize,
    /// Index in `drawn` of the first random element that a call uses. Elements before this index belong to key set-up.
    first_of_call: usize,
}

/// Number of random bytes drawn at once, to save system calls.
const RANDOM_BYTES: usize = 1 << 16;

impl Variables {
    fn new(source: Source) -> Self {
        Self { source, ..Self::default() }
    }

    /// Returns the next random field element.
    pub(crate) fn next(&mut self) -> Bit {
        if self.next == self.drawn.len() {
            let mut random = vec![0; RANDOM_BYTES];
            match self.source {
                Source::System => {
                    getrandom::fill(&mut random).unwrap_or_else(|error| panic!("no random numbers: {error}"));
                }
                Source::Point(point, list) => point.fill(list, self.drawn.len() as u64, &mut random),
            }
            self.drawn.extend(random.as_chunks::<16>().0.iter().map(|value| Bit(u128::from_le_bytes(*value))));
        }
        self.next += 1;
        self.drawn[self.next - 1]
    }
}

impl RandomPoint {
    /// Fills `random` with field elements of the list number `list`, from the element number `first` on, which must be
    /// even.
    fn fill(&self, list: u8, first: u64, random: &mut [u8]) {
        // The input and its padding fit in one block of SHA-256.
        let prefix = Sha256::new().chain_update(b"kasoku-proof").chain_update(self.library_sha256);
        let prefix = prefix.chain_update([self.number, list]);
        for (index, two) in (first..).step_by(2).zip(random.as_chunks_mut::<32>().0) {
            *two = prefix.clone().chain_update(index.to_le_bytes()).finalize().into();
        }
    }
}

impl Symbols {
    /// Creates an empty state whose field elements are those of `point`.
    #[must_use]
    pub fn at_point(point: RandomPoint) -> Self {
        let [variables, s_box_variables, affine] = [0, 1, 2].map(|list| Variables::new(Source::Point(point, list)));
        Self { variables, s_box_variables, affine_forms: AffineForms::new(affine), ..Self::default() }
    }

    pub fn fresh(&mut self) -> Bit {
        self.variables.next()
    }

    /// Returns the index of the next random field element.
    pub(crate) fn position(&self) -> usize {
        self.variables.next
    }

    /// Sets the index of the next random field element, so that the elements from `position` on are used again. Returns
    /// the previous index.
    pub(crate) fn rewind(&mut self, position: usize) -> usize {
        std::mem::replace(&mut self.variables.next, position)
    }

    pub fn fill(&mut self, bits: &mut [Bit]) {
        bits.fill_with(|| self.fresh());
    }

    /// Applies the S-box to `byte`. For a concrete byte, uses the table of FIPS 197. For a symbolic byte, returns eight
    /// random field elements, new ones if this byte was not an S-box input before. Proofs therefore hold for every
    /// function from bytes to bytes in place of the S-box.
    pub fn substitute(&mut self, byte: &Byte) -> Byte {
        if let Some(known) = known_byte(byte) {
            return bits_of_byte(aes::S_BOX[usize::from(known)]);
        }
        if let Some(value) = self.s_box.get(byte).or_else(|| self.temporary_s_box.get(byte)) {
            return *value;
        }
        let value = std::array::from_fn(|_| self.s_box_variables.next());
        let seen = if self.has_temporary_s_box { &mut self.temporary_s_box } else { &mut self.s_box };
        seen.insert(*byte, value);
        self.max_substitutions = self.max_substitutions.max(self.s_box.len() + self.temporary_s_box.len());
        value
    }

    /// Returns the AES round of `state` without AddRoundKey, or `None` if this round is not in the cache.
    #[must_use]
    pub fn cached_round(&self, state: &Bits, is_last: bool) -> Option<&Bits> {
        self.rounds[usize::from(is_last)].get(state)
    }

    /// Caches the AES round of `state` without AddRoundKey. Does nothing in a call with temporary S-box values, because
    /// the round would outlive these values.
    pub fn cache_round(&mut self, state: &Bits, is_last: bool, new: &Bits) {
        if !self.has_temporary_s_box {
            self.rounds[usize::from(is_last)].insert(state, new);
        }
    }

    /// Ends key set-up. From now on, every call shares the random field elements drawn so far, and draws new ones after
    /// them.
    pub fn share_variables(&mut self) {
        self.key_tally = std::mem::take(&mut self.tally);
        self.variables.first_of_call = self.variables.next;
    }

    /// Begins a call that uses the same random field elements as the previous call. S-box values of earlier calls
    /// remain. Reusing random elements is safe, because each call proves a separate statement.
    pub fn begin_call(&mut self) {
        self.max_call_tally = self.max_call_tally.greatest(&std::mem::take(&mut self.tally));
        self.variables.next = self.variables.first_of_call;
    }

    /// Begins a call with temporary S-box values: no other call has this call's new S-box inputs. The caller must end
    /// the call with [`Self::end_call_with_temporary_s_box`].
    pub fn begin_call_with_temporary_s_box(&mut self) {
        self.begin_call();
        self.s_box_variables.first_of_call = self.s_box_variables.next;
        self.has_temporary_s_box = true;
    }

    /// Ends a call that was begun by [`Self::begin_call_with_temporary_s_box`]. Discards the S-box values of this call,
    /// so that the next call can use the same random field elements for other values.
    pub fn end_call_with_temporary_s_box(&mut self) {
        self.temporary_s_box.clear();
        self.s_box_variables.next = self.s_box_variables.first_of_call;
        self.has_temporary_s_box = false;
    }

    /// Returns the maximum number of symbolic S-box inputs that were stored at one time.
    #[must_use]
    pub fn substitutions(&self) -> usize {
        self.max_substitutions
    }

    /// Returns the numbers from which the bound of the prover's error probability for one call is computed. The numbers
    /// of comparisons and look-ups are those of key set-up plus the maximum over all calls. The polynomial degrees are
    /// the maxima over key set-up and all calls.
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

/// Returns the byte's value if all its bits are concrete.
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
    fn calls_reuse_random_field_elements_but_never_repeat_one_within_a_call() {
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

    #[test]
    fn field_elements_of_a_point_depend_only_on_library_hash_point_and_list() {
        let draw = |first_byte: u8, number: u8| {
            let library_sha256 = std::array::from_fn(|at| if at == 0 { first_byte } else { 7 });
            let mut symbols = Symbols::at_point(RandomPoint { library_sha256, number });
            let s_box_value = symbols.substitute(&[Bit(5); 8]);
            let drawn: Vec<Bit> = (0..RANDOM_BYTES / 8).map(|_| symbols.fresh()).chain(s_box_value).collect();
            drawn
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        let mut all = [draw(1, 0), draw(1, 1), draw(2, 0)].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "two elements are equal");
    }

    /// A call with temporary S-box values discards them at its end. An AES round cached in such a call would then
    /// contradict the S-box.
    #[test]
    fn calls_that_discard_s_box_values_do_not_cache_aes_rounds() {
        let mut symbols = Symbols::default();
        let state: Bits = std::array::from_fn(|_| symbols.fresh());
        symbols.share_variables();
        symbols.begin_call_with_temporary_s_box();
        let round = |symbols: &mut Symbols| {
            let mut new = [Bit::ZERO; 128];
            aes::round(&state, &[Bit::ZERO; 128], false, symbols, &mut new);
            new
        };
        let first = round(&mut symbols);
        assert_eq!(round(&mut symbols), first);
        symbols.end_call_with_temporary_s_box();
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
