//! The backends: each does the whole of AES-GCM with the instructions its name says, behind one contract.
//!
//! A backend's key is a type of its own: it holds that backend's round keys, that backend's powers of H, and the proof
//! that the CPU was checked. No function takes one backend's schedule into another.

use alloc::boxed::Box;
use core::fmt;
use core::str::FromStr;

use crate::Error;
use crate::cpu::{Feature, FeatureSet, Found};
use crate::text::Text;

/// Calls a method of the key in an enum of the backends' keys, whichever backend's it is.
macro_rules! of_the_backend {
    ($keys:ident, $value:expr, $key:ident => $call:expr) => {
        match $value {
            $keys::Portable($key) => $call,
            #[cfg(target_arch = "x86_64")]
            $keys::Aesni($key) => $call,
            #[cfg(target_arch = "x86_64")]
            $keys::Vaes256($key) => $call,
            #[cfg(target_arch = "x86_64")]
            $keys::Vaes512($key) => $call,
        }
    };
}

mod packet;
mod portable;
mod wipe;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub(crate) use packet::{PacketKey, PacketKeys};
#[cfg(target_arch = "x86_64")]
use wipe::Plain;
pub(crate) use wipe::wipe;

/// Bytes of an AES block, of a counter block, of a hash.
pub(crate) type Block = [u8; 16];

/// A way to do AES-GCM, named by the CPU features it needs; a later one is wider than an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Any CPU: bitsliced AES, carry-less products out of integer products.
    Portable,
    /// AES-NI and PCLMULQDQ, 128 bits at a time.
    Aesni,
    /// VAES and VPCLMULQDQ on AVX2, 256 bits at a time.
    Vaes256,
    /// VAES and VPCLMULQDQ on AVX-512, 512 bits at a time.
    Vaes512,
}

impl Backend {
    /// Every backend, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Aesni, Self::Vaes256, Self::Vaes512];

    /// Its name in every output: `portable`, `aesni`, `vaes256`, `vaes512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Aesni => "aesni",
            Self::Vaes256 => "vaes256",
            Self::Vaes512 => "vaes512",
        }
    }

    /// The features without which it cannot run.
    #[must_use]
    pub const fn needs(self) -> &'static [Feature] {
        match self {
            Self::Portable => &[],
            Self::Aesni => &[Feature::Ssse3, Feature::Sse41, Feature::Aes, Feature::Pclmulqdq],
            Self::Vaes256 => &[
                Feature::Ssse3,
                Feature::Sse41,
                Feature::Aes,
                Feature::Pclmulqdq,
                Feature::Avx,
                Feature::Avx2,
                Feature::Vaes,
                Feature::Vpclmulqdq,
            ],
            Self::Vaes512 => &[
                Feature::Ssse3,
                Feature::Sse41,
                Feature::Aes,
                Feature::Pclmulqdq,
                Feature::Avx,
                Feature::Avx2,
                Feature::Vaes,
                Feature::Vpclmulqdq,
                Feature::Bmi2,
                Feature::Avx512f,
                Feature::Avx512bw,
                Feature::Avx512dq,
                Feature::Avx512vl,
            ],
        }
    }

    /// Whether a CPU with `features` can run it.
    #[must_use]
    pub const fn runs_on(self, features: FeatureSet) -> bool {
        (cfg!(target_arch = "x86_64") || matches!(self, Self::Portable)) && features.has_all(self.needs())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is of no backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownBackend;

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        Self::ALL.into_iter().find(|backend| backend.name() == name).ok_or(UnknownBackend)
    }
}

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a backend; they are portable, aesni, vaes256 and vaes512")
    }
}

impl core::error::Error for UnknownBackend {}

/// How far a message has come that is sealed or opened in pieces.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// The counter block of the next block of text.
    pub(crate) counter: Block,
    /// Whether the counter may be seen: it begins at one with a nonce of 96 bits, and at a hash under the secret H with
    /// any other.
    pub(crate) has_public_counter: bool,
    /// The hash of all blocks so far.
    pub(crate) hash: Block,
}

/// What a backend's key can do. Lengths are within the mode's limits when it is called; tags are compared, and the
/// plaintext of forgeries wiped, by the caller.
pub(crate) trait Key {
    /// Seals a whole message with a 96-bit nonce, and writes its tag. (Not a value: returned in a `Result` it would be
    /// taken apart and put together again.)
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: Text<'_>, tag: &mut Block);

    /// Opens a whole message with a 96-bit nonce, and writes the tag it ought to have.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], text: Text<'_>, tag: &mut Block);

    /// One AES block.
    fn encrypt_block(&self, block: &Block) -> Block;

    /// Absorbs `data` into `hash`, its last block filled up with zeros.
    fn absorb(&self, hash: &mut Block, data: &[u8]);

    /// Seals a piece of whole blocks and hashes the ciphertext; the counter counts modulo 2^32.
    fn seal_blocks(&self, progress: &mut Progress, text: Text<'_>);

    /// Opens a piece of whole blocks after hashing the ciphertext; the counter counts modulo 2^32.
    fn open_blocks(&self, progress: &mut Progress, text: Text<'_>);
}

/// The key of whichever backend was chosen.
pub(crate) enum Keys {
    Portable(Box<portable::Key>),
    #[cfg(target_arch = "x86_64")]
    Aesni(Box<x86_64::aesni::Key>),
    #[cfg(target_arch = "x86_64")]
    Vaes256(Box<x86_64::vaes256::Key>),
    #[cfg(target_arch = "x86_64")]
    Vaes512(Box<x86_64::vaes512::Key>),
}

impl Keys {
    /// Expands `key` (16, 24 or 32 bytes) for `backend`, if `found` allows it.
    pub(crate) fn expand(key: &[u8], backend: Backend, found: Found) -> Result<Self, Error> {
        #[cfg(target_arch = "x86_64")]
        use crate::cpu::proof;
        let missing = Error::BackendUnavailable(backend);
        match backend {
            Backend::Portable => Ok(Self::Portable(portable::Key::new(key))),
            #[cfg(target_arch = "x86_64")]
            Backend::Aesni => Ok(Self::Aesni(x86_64::aesni::Key::new(proof::Aesni::of(found).ok_or(missing)?, key))),
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes256 => {
                Ok(Self::Vaes256(x86_64::vaes256::Key::new(proof::Vaes256::of(found).ok_or(missing)?, key)))
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes512 => {
                Ok(Self::Vaes512(x86_64::vaes512::Key::new(proof::Vaes512::of(found).ok_or(missing)?, key)))
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => {
                let _ = found;
                Err(missing)
            }
        }
    }

    /// Which backend's it is.
    pub(crate) fn backend(&self) -> Backend {
        match self {
            Self::Portable(_) => Backend::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Aesni(_) => Backend::Aesni,
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256(_) => Backend::Vaes256,
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512(_) => Backend::Vaes512,
        }
    }
}

impl Key for Keys {
    #[inline]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], text: Text<'_>, tag: &mut Block) {
        of_the_backend!(Keys, self, key => key.seal(nonce, aad, text, tag))
    }

    #[inline]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], text: Text<'_>, tag: &mut Block) {
        of_the_backend!(Keys, self, key => key.open(nonce, aad, text, tag))
    }

    fn encrypt_block(&self, block: &Block) -> Block {
        of_the_backend!(Keys, self, key => key.encrypt_block(block))
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        of_the_backend!(Keys, self, key => key.absorb(hash, data))
    }

    fn seal_blocks(&self, progress: &mut Progress, text: Text<'_>) {
        of_the_backend!(Keys, self, key => key.seal_blocks(progress, text))
    }

    fn open_blocks(&self, progress: &mut Progress, text: Text<'_>) {
        of_the_backend!(Keys, self, key => key.open_blocks(progress, text))
    }
}
