//! XAES-256-GCM: the interface of a backend's key, and a generic implementation for backends without a kernel of their
//! own.

use alloc::boxed::Box;

use super::one_by_one::AesBackend;
use super::{Block, wipe};
use crate::backend::in_out::InOut;

/// A backend's key for XAES-256-GCM. The caller checks lengths against AES-GCM's limits before a call. After opening,
/// the caller compares the tags, and wipes the plaintext of forgeries.
pub(crate) trait XaesKey {
    fn seal(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// Opens a message. Writes the computed tag to `tag`; the caller compares this tag with the received one.
    fn open(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block);
}

/// First words, in little-endian order, of the two blocks from which a message key is derived (KDF in counter mode with
/// CMAC, SP 800-108r1). Each word has the block's number in 16 bits, big-endian, the letter X and a zero byte.
pub(super) const BEGINNINGS: [u32; 2] = [0x0058_0100, 0x0058_0200];

/// Returns the subkey K1 of CMAC (SP 800-38B §6.1): `zeros`, the encrypted zero block, times x. Takes the same time for
/// all values.
pub(super) fn subkey(zeros: Block) -> Block {
    let value = u128::from_be_bytes(zeros);
    // The bit shifted out is x^128, which reduces to 0x87.
    ((value << 1) ^ ((value >> 127) * 0x87)).to_be_bytes()
}

/// Splits a 24-byte nonce into two halves. The message key is derived from the first half; the second half is the nonce
/// under that key.
pub(super) fn halves(nonce: &[u8; 24]) -> [&[u8; 12]; 2] {
    let [context, rest] = nonce.as_chunks::<12>().0 else { unreachable!("24 bytes") };
    [context, rest]
}

/// An XAES-256-GCM key that expands a message key of type `K` for each message.
pub(crate) struct GenericXaesKey<K: AesBackend> {
    round_keys: K::RoundKeys,
    subkey: Block,
    proof: K::Proof,
}

impl<K: AesBackend> GenericXaesKey<K> {
    /// Expands `key`, which has 32 bytes.
    pub(crate) fn new(proof: K::Proof, key: &[u8]) -> Box<Self> {
        let mut new = Box::new(Self { round_keys: K::empty(proof), subkey: [0; 16], proof });
        K::expand(&mut new.round_keys, key);
        K::encrypt(&new.round_keys, core::slice::from_mut(&mut new.subkey));
        new.subkey = subkey(new.subkey);
        new
    }

    /// Derives the key of one message from `context`, the first half of the message's nonce.
    fn derive_message_key(&self, context: &[u8; 12]) -> Box<K> {
        let mut blocks = [self.subkey; 2];
        for (block, beginning) in blocks.iter_mut().zip(BEGINNINGS) {
            let input = beginning.to_le_bytes().into_iter().chain(*context);
            block.iter_mut().zip(input).for_each(|(byte, input)| *byte ^= input);
        }
        K::encrypt(&self.round_keys, &mut blocks);
        let key = K::new(self.proof, blocks.as_flattened());
        wipe(&mut blocks);
        key
    }
}

impl<K: AesBackend> Drop for GenericXaesKey<K> {
    fn drop(&mut self) {
        K::wipe(&mut self.round_keys);
        wipe(&mut self.subkey);
    }
}

impl<K: AesBackend> XaesKey for GenericXaesKey<K> {
    fn seal(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        let [context, nonce] = halves(nonce);
        self.derive_message_key(context).seal(nonce, aad, data, tag);
    }

    fn open(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        let [context, nonce] = halves(nonce);
        self.derive_message_key(context).open(nonce, aad, data, tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AesGcm;
    use crate::backend::Key;

    /// Tests the K1 values of the specification's test vectors. One of them needs a reduction, and one does not.
    #[test]
    fn subkey_matches_the_xaes_specification() {
        for (byte, k1) in
            [(1, 0xe531_954a_ca06_3d5b_8d9c_47a4_7d4c_c6f0_u128), (3, 0x2381_0ec5_0edb_99f3_7440_9466_ed1f_4b7b)]
        {
            let zeros = AesGcm::new(&[byte; 32]).map(|key| key.keys().encrypt_block(&[0; 16]));
            assert_eq!(zeros.map(subkey), Ok(k1.to_be_bytes()));
        }
    }
}
