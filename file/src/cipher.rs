//! Ciphers of the format: the two instantiations that the specification names.

use std::fmt;

/// Cipher of an encrypted file. Each key belongs to one cipher, which follows from the key's length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cipher {
    /// AES-128-GCM. PyPI's `cryptography` recommends this cipher.
    Cobblestone128,
    /// AES-256-GCM, for environments that require keys of 256 bits.
    #[default]
    Cobblestone256,
}

impl Cipher {
    /// All ciphers.
    pub const ALL: [Cipher; 2] = [Cipher::Cobblestone128, Cipher::Cobblestone256];

    /// Returns the name for command lines, such as `cobblestone-128`.
    pub fn name(self) -> &'static str {
        match self {
            Cipher::Cobblestone128 => "cobblestone-128",
            Cipher::Cobblestone256 => "cobblestone-256",
        }
    }

    /// Returns the length of a key in bytes.
    pub fn key_bytes(self) -> usize {
        match self {
            Cipher::Cobblestone128 => 16,
            Cipher::Cobblestone256 => 32,
        }
    }

    /// Returns the prefix of salt and context from the specification. It separates this use of a key from other uses.
    pub(crate) fn label(self) -> &'static [u8] {
        match self {
            Cipher::Cobblestone128 => b"c2sp.org/chunked-encryption@v1+AEAD_AES_128_GCM\0",
            Cipher::Cobblestone256 => b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0",
        }
    }
}

impl fmt::Display for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
