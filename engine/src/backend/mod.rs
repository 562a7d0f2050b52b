//! The backends: each does the whole of AES-GCM with the instructions its name says, behind one contract.
//!
//! A backend's key is a type of its own: it holds that backend's round keys, that backend's powers of H, and the proof
//! that the CPU was checked. No function takes one backend's schedule into another.

use alloc::boxed::Box;

use crate::cpu::Found;
use crate::cpu::backend::Backend;
use crate::error::Error;
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

mod block;
mod key;
mod packet;
mod packet_keys;
mod portable;
mod wipe;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub(crate) use block::{Block, add, count, lengths};
pub(crate) use key::{Key, Progress};
pub(crate) use packet::{Admission, Cover, Mask, Numbers, Packet, PacketKey, Reception, SAMPLE_DISTANCE, Shape};
pub(crate) use packet_keys::PacketKeys;
#[cfg(target_arch = "x86_64")]
use wipe::Plain;
pub(crate) use wipe::wipe;

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
