//! Reference implementations of AES-GCM-SIV and XAES-256-GCM with RustCrypto's AES, written as the specifications
//! define them: slow and obvious.

use aes_gcm::aes::cipher::BlockCipherEncrypt;
use aes_gcm::aes::{Aes128, Aes256};
use aes_gcm::{KeyInit, aes};
use kasoku_engine::{AesGcmSiv, Error, XaesGcm};

use super::{Key, Message, paths, seal};

type Block = [u8; 16];

/// Seals with AES-GCM-SIV on every backend, compares with the reference implementation, opens, and checks that a
/// changed message is rejected.
pub(crate) fn aes_gcm_siv(input: &[u8]) {
    let (key, nonce, message) = Message::read(input);
    let (key, nonce) = (&key.bytes[..key.length], nonce[..12].try_into().expect("12 bytes"));
    let (expected, tag) = if key.len() == 24 { (Vec::new(), [0; 16]) } else { siv(key, nonce, &message) };
    for path in paths() {
        match AesGcmSiv::with_backend(key, path) {
            Ok(key) => message.comes_back(
                &key,
                (&expected, tag),
                |text, to| key.seal_to(nonce, message.aad, text, to),
                |sealed, to, tag| key.open_to(nonce, message.aad, sealed, to, tag),
            ),
            Err(error) => assert_eq!((key.len(), error), (24, Error::SivKeyLength(24))),
        }
    }
}

/// Seals with XAES-256-GCM on every backend, compares with the reference implementation, opens, and checks that a
/// changed message is rejected.
pub(crate) fn xaes(input: &[u8]) {
    let (key, nonce, message) = Message::read(input);
    let (context, of_gcm) = nonce.split_at(12);
    let derived = Key { bytes: derived(&key.bytes, context), length: 32 };
    let mut expected = message.text.to_vec();
    let tag = seal(derived, of_gcm, message.aad, &mut expected);
    for path in paths() {
        let key = XaesGcm::with_backend(&key.bytes, path).expect("it runs here");
        message.comes_back(
            &key,
            (&expected, tag),
            |text, to| key.seal_to(&nonce, message.aad, text, to),
            |sealed, to, tag| key.open_to(&nonce, message.aad, sealed, to, tag),
        );
    }
}

/// Derives the AES key of a message. Each half of the key is the CMAC (with CMAC's first subkey) of a block that
/// contains the number of the half, 1 or 2.
fn derived(key: &[u8; 32], context: &[u8]) -> [u8; 32] {
    let aes = Aes::new(key);
    let zeros = u128::from_be_bytes(aes.encrypt([0; 16]));
    let subkey = zeros << 1 ^ if zeros >> 127 == 1 { 0x87 } else { 0 };
    let half = |number| {
        let block: Block = [&[0, number, b'X', 0], context].concat().try_into().expect("a context has 12 bytes");
        aes.encrypt((u128::from_be_bytes(block) ^ subkey).to_be_bytes())
    };
    [half(1), half(2)].concat().try_into().expect("two halves")
}

/// Returns ciphertext and tag (RFC 8452 §4).
fn siv(key: &[u8], nonce: &[u8; 12], message: &Message<'_>) -> (Vec<u8>, Block) {
    let aes = Aes::new(key);
    let halves = |numbers: std::ops::Range<u32>| -> Vec<u8> {
        let half = |number: u32| {
            let block: Block = [&number.to_le_bytes()[..], nonce].concat().try_into().expect("12 and 4 bytes");
            aes.encrypt(block)[..8].to_vec()
        };
        numbers.flat_map(half).collect()
    };
    let (hash_key, aes) = (halves(0..2), Aes::new(&halves(2..2 + key.len() as u32 / 8)));
    let bits = |bytes: &[u8]| (bytes.len() as u64 * 8).to_le_bytes();
    let blocks = message.aad.chunks(16).chain(message.text.chunks(16)).map(padded);
    let lengths = [bits(message.aad), bits(&message.text)].concat();
    let mut hash = polyval(&padded(&hash_key), blocks.chain([padded(&lengths)])).to_le_bytes();
    hash.iter_mut().zip(nonce).for_each(|(byte, nonce)| *byte ^= nonce);
    hash[15] &= 0x7F;
    let tag = aes.encrypt(hash);

    let mut counter = tag;
    counter[15] |= 0x80;
    let mut ciphertext = message.text.to_vec();
    for block in ciphertext.chunks_mut(16) {
        block.iter_mut().zip(aes.encrypt(counter)).for_each(|(byte, key)| *byte ^= key);
        let (count, _) = counter.split_first_chunk_mut::<4>().expect("16 bytes");
        *count = u32::from_le_bytes(*count).wrapping_add(1).to_le_bytes();
    }
    (ciphertext, tag)
}

fn padded(bytes: &[u8]) -> Block {
    let mut block = [0; 16];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

/// Computes POLYVAL (RFC 8452 §3) bit by bit: adds the bit of x^i after those below it, and divides the sum by x each
/// time.
fn polyval(key: &Block, blocks: impl Iterator<Item = Block>) -> u128 {
    let key = u128::from_le_bytes(*key);
    blocks.fold(0, |hash, block| {
        let sum = hash ^ u128::from_le_bytes(block);
        (0..128).fold(0, |product, bit| {
            let product: u128 = product ^ if sum >> bit & 1 == 1 { key } else { 0 };
            // If bit 0 is set, adds the polynomial first, so that the division by x leaves no remainder: (x^128 + x^127
            // + x^126 + x^121 + 1 + 1) / x.
            product >> 1 ^ if product & 1 == 1 { 0xE1 << 120 } else { 0 }
        })
    })
}

enum Aes {
    With128(Box<Aes128>),
    With256(Box<Aes256>),
}

impl Aes {
    fn new(key: &[u8]) -> Self {
        let length = "its length was chosen";
        match key.len() {
            16 => Self::With128(Box::new(Aes128::new_from_slice(key).expect(length))),
            _ => Self::With256(Box::new(Aes256::new_from_slice(key).expect(length))),
        }
    }

    fn encrypt(&self, block: Block) -> Block {
        let mut block: aes::Block = block.into();
        match self {
            Self::With128(key) => key.encrypt_block(&mut block),
            Self::With256(key) => key.encrypt_block(&mut block),
        }
        block.into()
    }
}
