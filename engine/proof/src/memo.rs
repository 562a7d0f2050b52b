//! A cache of results with a limited number of entries.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::field::Bit;

pub type Bits = [Bit; 128];

/// A cache for a function that maps 128 bits to 128 bits. Each bit is represented by an element of GF(2^128) ([`Bit`]).
#[derive(Default)]
pub struct Memo {
    values: HashMap<Box<Bits>, Box<Bits>, BuildHasherDefault<BitsHasher>>,
}

/// Maximum number of entries, of 4 KiB each. When the cache is full, all entries are removed.
const MAX_ENTRIES: usize = crate::flow::MAX_TABLE_LEN;

impl Memo {
    #[must_use]
    pub fn get(&self, bits: &Bits) -> Option<&Bits> {
        self.values.get(bits).map(|value| &**value)
    }

    pub fn insert(&mut self, bits: &Bits, value: &Bits) {
        if self.values.len() == MAX_ENTRIES {
            self.values.clear();
        }
        self.values.insert(Box::new(*bits), Box::new(*value));
    }
}

/// A fast hasher for keys that consist of field elements, most of which are random already.
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
