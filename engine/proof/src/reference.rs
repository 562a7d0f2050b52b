//! AES-GCM as specified by FIPS 197 and NIST SP 800-38D, computed over bits that may be symbolic.
//!
//! A [`Reference`] caches keystream blocks, and GHASH values of prefixes of the text, for one key and one nonce.

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use crate::aes;
use crate::field::{Bit, carryless_product};
use crate::symbols::Symbols;

/// A block of 128 bits in byte order. The lowest bit of each byte comes first.
pub type Block = [Bit; 128];

/// AES-GCM reference for one key, one 96-bit nonce, one AAD and one text, both of maximum length. Messages use prefixes
/// of AAD and text.
pub struct Reference {
    round_keys: Vec<Block>,
    hash_key: Block,
    nonce: Vec<Bit>,
    aad: Vec<Bit>,
    text: Rc<[Bit]>,
    /// Encrypted counter blocks E(K, nonce ‖ counter), with the counter as index.
    keystream: Vec<Block>,
    hashes: [HashedPrefixes; 2],
    powers: HashMap<usize, Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Sealing,
    Opening,
}

impl Direction {
    pub const BOTH: [Self; 2] = [Self::Sealing, Self::Opening];
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Sealing { "sealing" } else { "opening" })
    }
}

/// GHASH values of an AAD followed by 0, 1, 2, … ciphertext blocks.
#[derive(Default)]
struct HashedPrefixes {
    aad: Vec<Bit>,
    hashes: Vec<Block>,
}

/// Expected result of a call.
pub struct Message {
    /// Ciphertext if the call seals, plaintext if it opens.
    pub text: Vec<Bit>,
    pub tag: Block,
}

impl Reference {
    pub fn new(key: &[Bit], nonce: Vec<Bit>, aad: Vec<Bit>, text: Vec<Bit>, symbols: &mut Symbols) -> Self {
        let round_keys = key_expansion(key, symbols);
        let hash_key = cipher(&round_keys, &[Bit::ZERO; 128], symbols);
        let (keystream, hashes, powers) = Default::default();
        Self { round_keys, hash_key, nonce, aad, text: text.into(), keystream, hashes, powers }
    }

    /// Returns the first `bytes` bytes of the AAD.
    #[must_use]
    pub fn aad(&self, bytes: usize) -> &[Bit] {
        &self.aad[..8 * bytes]
    }

    /// Returns the first `bytes` bytes of the input text.
    #[must_use]
    pub fn text(&self, bytes: usize) -> &[Bit] {
        &self.text[..8 * bytes]
    }

    /// Returns the input text of maximum length.
    #[must_use]
    pub fn whole_text(&self) -> Rc<[Bit]> {
        Rc::clone(&self.text)
    }

    /// Returns the keystream block E(K, nonce ‖ counter). For a nonce of 96 bits, J0 is the counter block with counter
    /// 1 (SP 800-38D §7.1, step 2).
    pub fn keystream(&mut self, counter: usize, symbols: &mut Symbols) -> &Block {
        for next in self.keystream.len()..=counter {
            let mut block = [Bit::ZERO; 128];
            block[..96].copy_from_slice(&self.nonce);
            block[96..].copy_from_slice(&bits(&(next as u32).to_be_bytes()));
            self.keystream.push(cipher(&self.round_keys, &block, symbols));
        }
        &self.keystream[counter]
    }

    /// Computes the expected result of sealing or opening the first `bytes` bytes of the text (SP 800-38D §7.1, §7.2).
    pub fn message(&mut self, direction: Direction, aad: &[Bit], bytes: usize, symbols: &mut Symbols) -> Message {
        let mut other = self.text(bytes).to_vec();
        for (index, block) in other.chunks_mut(128).enumerate() {
            aes::add(block, self.keystream(index + 2, symbols));
        }
        let (read, written) = (&self.text[..8 * bytes], &other);
        let ciphertext = if direction == Direction::Sealing { written } else { read };
        // Each block increases the hash's degree by one. A verdict multiplies up to eight bits of the tag.
        let degree = 8 * (aad.len().div_ceil(128) + bytes.div_ceil(16) + 2) as u32;
        symbols.tally.degree = symbols.tally.degree.max(degree);
        let known = &mut self.hashes[direction as usize];
        if known.aad != aad || known.hashes.is_empty() {
            let hash = aad.chunks(128).fold([Bit::ZERO; 128], |hash, block| ghash_step(&hash, block, &self.hash_key));
            *known = HashedPrefixes { aad: aad.to_vec(), hashes: vec![hash] };
        }
        let whole = bytes / 16;
        while known.hashes.len() <= whole {
            let index = known.hashes.len() - 1;
            let hash = ghash_step(&known.hashes[index], &ciphertext[128 * index..][..128], &self.hash_key);
            known.hashes.push(hash);
        }
        let mut hash = known.hashes[whole];
        if !bytes.is_multiple_of(16) {
            hash = ghash_step(&hash, &ciphertext[128 * whole..], &self.hash_key);
        }
        let mut lengths = bits(&(aad.len() as u64).to_be_bytes());
        lengths.extend(bits(&(8 * bytes as u64).to_be_bytes()));
        let mut tag = ghash_step(&hash, &lengths, &self.hash_key);
        aes::add(&mut tag, self.keystream(1, symbols));
        Message { text: other, tag }
    }

    /// Returns the GHASH value of the AAD and the first `blocks` ciphertext blocks. The block of lengths, with which
    /// GHASH ends, is not included.
    pub fn hash(&mut self, direction: Direction, aad: &[Bit], blocks: usize, symbols: &mut Symbols) -> Block {
        self.message(direction, aad, 16 * blocks, symbols);
        self.hashes[direction as usize].hashes[blocks]
    }

    /// Continues a GHASH computation from the GHASH value `hash` with the blocks of `text`. The last block is padded
    /// with zeros.
    #[must_use]
    pub fn extend_hash(&self, hash: &Block, text: &[Bit]) -> Block {
        text.chunks(128).fold(*hash, |hash, block| ghash_step(&hash, block, &self.hash_key))
    }

    /// Returns H, the GHASH key, to the power `power`.
    pub fn power(&mut self, power: usize) -> Block {
        if power == 1 {
            return self.hash_key;
        }
        if let Some(known) = self.powers.get(&power) {
            return *known;
        }
        let half = self.power(power / 2);
        let mut product = multiply_blocks(&half, &half);
        if power % 2 == 1 {
            product = multiply_blocks(&product, &self.hash_key);
        }
        self.powers.insert(power, product);
        product
    }

    /// Returns the keystream block for a 32-bit counter, which may be symbolic.
    pub fn keystream_of(&self, counter: &[Bit], symbols: &mut Symbols) -> Block {
        if let Some(known) = symbols.keystream.get(counter) {
            return **known;
        }
        let block = self.states(counter, symbols)[self.round_keys.len() - 1];
        symbols.keystream.insert(counter.to_vec(), Box::new(block));
        block
    }

    /// Pads a block with zeros and multiplies it by H to the power `power`. The product is the block's contribution to
    /// GHASH.
    pub fn times_power(&mut self, block: &[Bit], power: usize) -> Block {
        let mut padded = [Bit::ZERO; 128];
        padded[..block.len()].copy_from_slice(block);
        multiply_blocks(&padded, &self.power(power))
    }

    /// Returns the AES states of the counter block nonce ‖ counter: the first after AddRoundKey with the first round
    /// key, then one after each round. The last state is the keystream block.
    pub fn states(&self, counter: &[Bit], symbols: &mut Symbols) -> Vec<Block> {
        let mut state = [Bit::ZERO; 128];
        state[..96].copy_from_slice(&self.nonce);
        for (bytes, from) in state[96..].as_chunks_mut::<8>().0.iter_mut().zip(counter.as_chunks::<8>().0.iter().rev())
        {
            *bytes = *from;
        }
        states(&self.round_keys, &state, symbols)
    }

    pub fn encrypt(&self, block: &Block, symbols: &mut Symbols) -> Block {
        cipher(&self.round_keys, block, symbols)
    }
}

/// Computes one step of GHASH (SP 800-38D §6.4): pads `block` with zeros, adds it to `hash`, and multiplies the sum by
/// `hash_key`.
fn ghash_step(hash: &Block, block: &[Bit], hash_key: &Block) -> Block {
    let mut sum = *hash;
    aes::add(&mut sum, block);
    multiply_blocks(&sum, hash_key)
}

/// Multiplies two blocks in the field of GHASH (SP 800-38D §6.3), GF(2)\[x\] modulo x^128 + x^7 + x^2 + x + 1. The
/// highest bit of the first byte is the coefficient of x^0.
#[must_use]
pub fn multiply_blocks(one: &Block, other: &Block) -> Block {
    let coefficients = |block: &Block| -> Block { std::array::from_fn(|power| block[power ^ 7]) };
    let (one, other) = (coefficients(one), coefficients(other));
    let mut product = [Bit::ZERO; 256];
    for (i, j) in [(0, 0), (0, 64), (64, 0), (64, 64)] {
        let mut part = [Bit::ZERO; 128];
        carryless_product(&one[i..i + 64], &other[j..j + 64], &mut part);
        aes::add(&mut product[i + j..i + j + 128], &part);
    }
    for power in (128..256).rev() {
        let bit = product[power];
        for place in [0, 1, 2, 7] {
            product[power - 128 + place] ^= bit;
        }
    }
    std::array::from_fn(|place| product[place ^ 7])
}

/// Derives the AES-256 key of an XAES-256-GCM message (<https://c2sp.org/XAES-256-GCM>) from the XAES key and the first
/// 96 bits of the nonce. The derived key is two output blocks of the KDF in counter mode of SP 800-108, with CMAC.
pub fn xaes_key(key: &[Bit], nonce: &[Bit], symbols: &mut Symbols) -> Vec<Bit> {
    let round_keys = key_expansion(key, symbols);
    let zero = cipher(&round_keys, &[Bit::ZERO; 128], symbols);
    // CMAC's K1 (SP 800-38B §6.1): the block is doubled as a number, and a carry out of 2^127 is added as 0x87.
    let place = |power: usize| power ^ 0x78;
    let highest = zero[place(127)];
    let mut subkey = [Bit::ZERO; 128];
    for power in 0..128 {
        let doubled = if power > 0 { zero[place(power - 1)] } else { Bit::ZERO };
        let back = if power < 8 && 0x87 >> power & 1 == 1 { highest } else { Bit::ZERO };
        subkey[place(power)] = doubled ^ back;
    }
    let half = |counter: u8| {
        let mut block = subkey;
        aes::add(&mut block, &[bits(&[0, counter, b'X', 0]), nonce.to_vec()].concat());
        cipher(&round_keys, &block, symbols)
    };
    [1, 2].map(half).concat()
}

/// Encrypts a block with AES (FIPS 197 §5.1).
fn cipher(round_keys: &[Block], block: &Block, symbols: &mut Symbols) -> Block {
    states(round_keys, block, symbols)[round_keys.len() - 1]
}

/// Returns the AES states of `block`: the first after AddRoundKey with the first round key, then one after each round.
fn states(round_keys: &[Block], block: &Block, symbols: &mut Symbols) -> Vec<Block> {
    let mut states = vec![*block; round_keys.len()];
    aes::add(&mut states[0], &round_keys[0]);
    for round in 1..round_keys.len() {
        let (before, behind) = states.split_at_mut(round);
        let is_last = behind.len() == 1;
        aes::round(&before[round - 1], &round_keys[round], is_last, symbols, &mut behind[0]);
    }
    states
}

/// Expands a key (FIPS 197 §5.2).
fn key_expansion(key: &[Bit], symbols: &mut Symbols) -> Vec<Block> {
    let key_words = key.len() / 32;
    let mut words: Vec<[Bit; 32]> = key.as_chunks::<32>().0.to_vec();
    let mut round_constant = 1_u8;
    for index in key_words..4 * (key_words + 7) {
        let mut word = words[index - 1];
        if index % key_words == 0 {
            word.rotate_left(8);
            substitute_word(&mut word, symbols);
            aes::add(&mut word, &bits(&[round_constant]));
            round_constant = (round_constant << 1) ^ ((round_constant >> 7) * 0x1B);
        } else if key_words > 6 && index % key_words == 4 {
            substitute_word(&mut word, symbols);
        }
        aes::add(&mut word, &words[index - key_words]);
        words.push(word);
    }
    let block = |words: &[[Bit; 32]]| -> Block { std::array::from_fn(|place| words[place / 32][place % 32]) };
    words.chunks_exact(4).map(block).collect()
}

fn substitute_word(word: &mut [Bit; 32], symbols: &mut Symbols) {
    for byte in word.as_chunks_mut::<8>().0 {
        *byte = symbols.substitute(byte);
    }
}

#[must_use]
pub fn bits(bytes: &[u8]) -> Vec<Bit> {
    bytes.iter().flat_map(|&byte| crate::symbols::bits_of_byte(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::known_byte;

    fn hex(digits: &str) -> Vec<u8> {
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
    }

    fn bytes(bits: &[Bit]) -> Vec<u8> {
        bits.as_chunks::<8>().0.iter().map(|bits| known_byte(bits).unwrap()).collect()
    }

    fn seal(key: &str, nonce: &str, aad: &str, text: &str) -> (Vec<u8>, Vec<u8>) {
        let mut symbols = Symbols::default();
        let [key, nonce, aad, text] = [key, nonce, aad, text].map(|digits| bits(&hex(digits)));
        let text_bytes = text.len() / 8;
        let mut reference = Reference::new(&key, nonce, aad.clone(), text, &mut symbols);
        // A shorter message first, so that cached prefixes are used.
        reference.message(Direction::Sealing, &aad[..aad.len() / 2], text_bytes / 2, &mut symbols);
        let message = reference.message(Direction::Sealing, &aad, text_bytes, &mut symbols);
        assert_eq!(symbols.substitutions(), 0);
        (bytes(&message.text), bytes(&message.tag))
    }

    /// Test cases 4 and 16 of "The Galois/Counter Mode of Operation" (McGrew and Viega), for AES-128 and AES-256. Both
    /// have 60 bytes of text and 20 bytes of AAD.
    #[test]
    fn reference_seals_published_gcm_messages() {
        let nonce = "cafebabefacedbaddecaf888";
        let aad = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
        let text = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b1\
                    6aedf5aa0de657ba637b39";
        let (ciphertext, tag) = seal("feffe9928665731c6d6a8f9467308308", nonce, aad, text);
        let expected = "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa0\
                        51ba30b396a0aac973d58e091";
        assert_eq!((ciphertext, tag), (hex(expected), hex("5bc94fbc3221a5db94fae95ae7121a47")));
        let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
        let (ciphertext, tag) = seal(key, nonce, aad, text);
        let expected = "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838\
                        c5f61e6393ba7a0abcc9f662";
        assert_eq!((ciphertext, tag), (hex(expected), hex("76fc6ece0f4e1768cddf8853bb2d551b")));
    }

    /// Checks the two test vectors of the XAES-256-GCM specification. In one, the derivation of CMAC's subkey has a
    /// carry; in the other, it has none.
    #[test]
    fn reference_seals_published_xaes_messages() {
        let hexadecimal = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
        for (byte, aad, ciphertext, tag) in [
            (1, "", "ce546ef63c9cc60765923609", "b33a9a1974e96e52daf2fcf7075e2271"),
            (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a17943", "7fd083bf3fdb41abd740a21f71eb769d"),
        ] {
            let key = xaes_key(&bits(&[byte; 32]), &bits(b"ABCDEFGHIJKL"), &mut Symbols::default());
            let [nonce, aad, text] = ["MNOPQRSTUVWX", aad, "XAES-256-GCM"].map(|text| hexadecimal(text.as_bytes()));
            let sealed = seal(&hexadecimal(&bytes(&key)), &nonce, &aad, &text);
            assert_eq!(sealed, (hex(ciphertext), hex(tag)));
        }
    }

    /// Test case 7 of McGrew and Viega: AES-192 with empty text and empty AAD.
    #[test]
    fn reference_computes_published_tag_of_empty_message() {
        let (_, tag) = seal(&"00".repeat(24), &"00".repeat(12), "", "");
        assert_eq!(tag, hex("cd33b28ac773f74ba00ed1f312572435"));
    }
}
