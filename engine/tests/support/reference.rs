//! Reference implementation of AES-GCM, written as the standards define it: slow and obvious.

#![allow(dead_code, reason = "each test uses its part")]

use std::sync::LazyLock;

pub(crate) type Block = [u8; 16];

/// An expanded key of the reference.
pub(crate) struct Reference {
    round_keys: Vec<Block>,
    hash_key: u128,
}

impl Reference {
    /// Expands a key of 16, 24 or 32 bytes (FIPS 197 §5.2).
    pub(crate) fn new(key: &[u8]) -> Self {
        let key_words = key.len() / 4;
        let rounds = key_words + 6;
        let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
        let mut constant = 1;
        for index in key_words..4 * (rounds + 1) {
            let mut word = words[index - 1];
            if index % key_words == 0 {
                word.rotate_left(1);
                word = word.map(substitute);
                word[0] ^= constant;
                constant = times(constant, 2);
            } else if key_words > 6 && index % key_words == 4 {
                word = word.map(substitute);
            }
            let before = words[index - key_words];
            words.push(std::array::from_fn(|byte| word[byte] ^ before[byte]));
        }
        let round_keys = words.as_chunks::<4>().0.iter().map(|four| four.concat().try_into().unwrap()).collect();
        let mut reference = Self { round_keys, hash_key: 0 };
        reference.hash_key = u128::from_be_bytes(reference.encrypt_block([0; 16]));
        reference
    }

    pub(crate) fn round_keys(&self) -> &[Block] {
        &self.round_keys
    }

    /// Encrypts one block (FIPS 197 §5.1).
    pub(crate) fn encrypt_block(&self, block: Block) -> Block {
        let rounds = self.round_keys.len() - 1;
        let mut state = xor(block, self.round_keys[0]);
        for round in 1..=rounds {
            let substituted = state.map(substitute);
            // ShiftRows: row r of a column comes from r columns further on.
            let shifted: Block = std::array::from_fn(|at| substituted[(at + 4 * (at % 4)) % 16]);
            let mixed = if round == rounds { shifted } else { mix_columns(shifted) };
            state = xor(mixed, self.round_keys[round]);
        }
        state
    }

    /// Returns ciphertext and tag for a nonce of any length (SP 800-38D §7.1).
    pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], text: &[u8]) -> (Vec<u8>, Block) {
        let first_counter = self.first_counter(nonce);
        let ciphertext = self.count_and_encrypt(increment(first_counter), text);
        (ciphertext.clone(), self.tag(first_counter, aad, &ciphertext))
    }

    /// Returns J0 (SP 800-38D §7.1, step 2).
    pub(crate) fn first_counter(&self, nonce: &[u8]) -> Block {
        if nonce.len() == 12 {
            return [nonce, &[0, 0, 0, 1]].concat().try_into().unwrap();
        }
        self.hash(&[&padded(nonce)[..], &lengths(0, nonce.len())].concat())
    }

    /// Returns the 16-byte nonce whose J0 is `first_counter`: solves J0 = (nonce • H ⊕ lengths) • H for the nonce.
    pub(crate) fn nonce_of(&self, first_counter: Block) -> Block {
        let inverse = inverse(self.hash_key);
        let lengths = u128::from_be_bytes(lengths(0, 16));
        let inner = multiply(u128::from_be_bytes(first_counter), inverse) ^ lengths;
        multiply(inner, inverse).to_be_bytes()
    }

    /// Computes GHASH of whole blocks (SP 800-38D §6.4).
    pub(crate) fn hash(&self, blocks: &[u8]) -> Block {
        let (blocks, rest) = blocks.as_chunks();
        assert!(rest.is_empty());
        blocks.iter().fold(0, |hash, &block| multiply(hash ^ u128::from_be_bytes(block), self.hash_key)).to_be_bytes()
    }

    /// Encrypts in counter mode: GCTR (SP 800-38D §6.5).
    fn count_and_encrypt(&self, mut counter: Block, text: &[u8]) -> Vec<u8> {
        let mut output = Vec::with_capacity(text.len());
        for piece in text.chunks(16) {
            let keystream = self.encrypt_block(counter);
            output.extend(piece.iter().zip(keystream).map(|(byte, key)| byte ^ key));
            counter = increment(counter);
        }
        output
    }

    /// Returns the tag of a ciphertext (SP 800-38D §7.1, steps 4 to 6).
    pub(crate) fn tag(&self, first_counter: Block, aad: &[u8], ciphertext: &[u8]) -> Block {
        let hashed = [padded(aad), padded(ciphertext), lengths(aad.len(), ciphertext.len()).to_vec()].concat();
        xor(self.hash(&hashed), self.encrypt_block(first_counter))
    }
}

/// Returns the block of both lengths in bits.
fn lengths(first: usize, second: usize) -> Block {
    (((first as u128 * 8) << 64) | (second as u128 * 8)).to_be_bytes()
}

/// Increments the last 32 bits, which wrap: inc32 (SP 800-38D §6.2).
fn increment(counter: Block) -> Block {
    let counter = u128::from_be_bytes(counter);
    ((counter >> 32 << 32) | u128::from((counter as u32).wrapping_add(1))).to_be_bytes()
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().div_ceil(16) * 16, 0);
    padded
}

fn xor(one: Block, other: Block) -> Block {
    std::array::from_fn(|at| one[at] ^ other[at])
}

/// Multiplies in GF(2^128) (SP 800-38D §6.3, algorithm 1).
fn multiply(x: u128, y: u128) -> u128 {
    let (mut z, mut v) = (0, y);
    for bit in (0..128).rev() {
        if x >> bit & 1 == 1 {
            z ^= v;
        }
        v = if v & 1 == 0 { v >> 1 } else { v >> 1 ^ 0xE1 << 120 };
    }
    z
}

/// Returns the inverse by Fermat: x to the power 2^128 − 2, whose exponent has all bits set but the lowest. The field's
/// 1 is the highest bit.
fn inverse(x: u128) -> u128 {
    let (mut square, mut product) = (x, 1 << 127);
    for _ in 1..128 {
        square = multiply(square, square);
        product = multiply(product, square);
    }
    product
}

/// Multiplies two bytes modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
fn times(mut one: u8, mut other: u8) -> u8 {
    let mut product = 0;
    while other != 0 {
        if other & 1 == 1 {
            product ^= one;
        }
        one = one << 1 ^ if one & 0x80 == 0 { 0 } else { 0x1B };
        other >>= 1;
    }
    product
}

/// The S-box: the inverse (0 for 0), then an affine map of its bits (FIPS 197 §5.1.1).
fn substitute(byte: u8) -> u8 {
    static TABLE: LazyLock<[u8; 256]> = LazyLock::new(|| {
        std::array::from_fn(|byte| {
            let inverse = (0..=255).find(|&other| times(byte as u8, other) == 1).unwrap_or(0);
            (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
        })
    });
    TABLE[usize::from(byte)]
}

/// FIPS 197 §5.1.3.
fn mix_columns(state: Block) -> Block {
    std::array::from_fn(|at| {
        let row = |further: usize| state[at / 4 * 4 + (at + further) % 4];
        times(row(0), 2) ^ times(row(1), 3) ^ row(2) ^ row(3)
    })
}

/// Derives the AES key of an XAES-256-GCM message (C2SP). Each half of the key is the CMAC (with CMAC's first subkey)
/// of a block that contains the number of the half, 1 or 2.
pub(crate) fn xaes_key(key: &[u8; 32], nonce: &[u8; 24]) -> [u8; 32] {
    let reference = Reference::new(key);
    let zeros = u128::from_be_bytes(reference.encrypt_block([0; 16]));
    let subkey = zeros << 1 ^ if zeros >> 127 == 1 { 0x87 } else { 0 };
    let mut derived = [0; 32];
    for (number, half) in (1..).zip(derived.as_chunks_mut().0) {
        let mut block = [0, number, b'X', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        block[4..].copy_from_slice(&nonce[..12]);
        *half = reference.encrypt_block((u128::from_be_bytes(block) ^ subkey).to_be_bytes());
    }
    derived
}
