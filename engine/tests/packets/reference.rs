//! Reference for packet protection in two passes, following RFC 9001 §5. AWS-LC and RustCrypto both execute each pass,
//! and must agree. (On AArch64, only RustCrypto.)

use aes_gcm::KeyInit;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use aes_gcm::aes::{Aes128, Aes256};
#[cfg(not(target_arch = "aarch64"))]
use aws_lc_rs::aead::quic;

use crate::support::peers::{AwsLc, RustCrypto, Tag};

/// The keys of one direction in both libraries.
pub(crate) struct Reference {
    aead: (AwsLc, RustCrypto),
    #[cfg(not(target_arch = "aarch64"))]
    other_mask: quic::HeaderProtectionKey,
    mask: Aes,
    iv: [u8; 12],
    path_id: u32,
}

enum Aes {
    With128(Box<Aes128>),
    With256(Box<Aes256>),
}

impl Reference {
    pub(crate) fn new(key: &[u8], iv: &[u8; 12], header_key: &[u8]) -> Self {
        let mask = match header_key.len() {
            16 => Aes::With128(Box::new(Aes128::new_from_slice(header_key).unwrap())),
            _ => Aes::With256(Box::new(Aes256::new_from_slice(header_key).unwrap())),
        };
        Self {
            aead: (AwsLc::new(key), RustCrypto::new(key)),
            #[cfg(not(target_arch = "aarch64"))]
            other_mask: {
                let algorithm = if header_key.len() == 16 { &quic::AES_128 } else { &quic::AES_256 };
                quic::HeaderProtectionKey::new(algorithm, header_key).unwrap()
            },
            mask,
            iv: *iv,
            path_id: 0,
        }
    }

    /// Protects the packets of another path (RFC 10069) from now on.
    pub(crate) fn on_path(self, path_id: u32) -> Self {
        Self { path_id, ..self }
    }

    /// Protects a packet that has room for its tag.
    pub(crate) fn protect(&self, number: u64, packet: &mut [u8], number_offset: usize, number_bytes: usize) {
        self.seal(number, packet, number_offset + number_bytes);
        let mask = self.mask(&packet[number_offset + 4..number_offset + 20]);
        packet[0] ^= mask[0] & first_byte_bits(packet[0]);
        xor(&mut packet[number_offset..number_offset + number_bytes], &mask[1..]);
    }

    /// Unmasks a header. Returns the packet number's bytes as a number, and their count.
    pub(crate) fn unmask(&self, packet: &mut [u8], number_offset: usize) -> (u32, usize) {
        let mask = self.mask(&packet[number_offset + 4..number_offset + 20]);
        packet[0] ^= mask[0] & first_byte_bits(packet[0]);
        let number_bytes = usize::from(packet[0] % 4) + 1;
        let number = &mut packet[number_offset..number_offset + number_bytes];
        xor(number, &mask[1..]);
        (number.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)), number_bytes)
    }

    /// Seals the payload and writes the tag to the last 16 bytes.
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize) {
        let mut nonce = self.iv;
        xor(&mut nonce, &[&self.path_id.to_be_bytes()[..], &number.to_be_bytes()].concat());
        let (header, rest) = packet.split_at_mut(header_bytes);
        let (text, room) = rest.split_last_chunk_mut::<16>().unwrap();
        let mut again = text.to_vec();
        let tag: Tag = self.aead.0.seal(&nonce, header, text);
        assert_eq!(self.aead.1.seal(&nonce, header, &mut again), tag, "the libraries disagree");
        assert!(again == text, "the libraries disagree");
        *room = tag;
    }

    fn mask(&self, sample: &[u8]) -> [u8; 5] {
        let mut block = sample.try_into().unwrap();
        match &self.mask {
            Aes::With128(key) => key.encrypt_block(&mut block),
            Aes::With256(key) => key.encrypt_block(&mut block),
        }
        #[cfg(not(target_arch = "aarch64"))]
        assert_eq!(block[..5], self.other_mask.new_mask(sample).unwrap(), "the libraries disagree");
        [block[0], block[1], block[2], block[3], block[4]]
    }
}

/// Protected bits of the first byte: four of a long header, five of a short one (RFC 9001 §5.4.1).
fn first_byte_bits(first: u8) -> u8 {
    if first & 0x80 == 0x80 { 0x0F } else { 0x1F }
}

fn xor(bytes: &mut [u8], mask: &[u8]) {
    for (byte, mask) in bytes.iter_mut().zip(mask) {
        *byte ^= mask;
    }
}
