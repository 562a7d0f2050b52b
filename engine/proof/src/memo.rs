//! What was computed before, looked up instead of computed again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::field::Bit;

/// What is looked up, and what is found.
pub type Bits = [Bit; 128];

/// The values of a function of 128 bits.
#[derive(Default)]
pub struct Memo {
    values: HashMap<Box<Bits>, Box<Bits>, BuildHasherDefault<BitsHasher>>,
}

/// The most that are kept; then it begins anew. (Each takes 4 KiB.)
const MAX_ENTRIES: usize = crate::flow::MAX_TABLE_LEN;

impl Memo {
    /// The value at `bits`, if it was asked for before.
    #[must_use]
    pub fn get(&self, bits: &Bits) -> Option<&Bits> {
        self.values.get(bits).map(|value| &**value)
    }

    /// Keeps the value at `bits`.
    pub fn insert(&mut self, bits: &Bits, value: &Bits) {
        if self.values.len() == MAX_ENTRIES {
            self.values.clear();
        }
        self.values.insert(Box::new(*bits), Box::new(*value));
    }
}

/// Of what is random already, in some order.
#[derive(Default)]
pub struct BitsHasher(u64);

impl Hasher for BitsHasher {
    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u128(byte.into()));
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = self.0.rotate_left(7).wrapping_add(value as u64);
    }

    fn write_usize(&mut self, _: usize) {}
}
