//! The packet keys of the backends.

use alloc::boxed::Box;

#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Admission, Block, Cover, Mask, Packet, PacketKey, Reception, portable};
use crate::cpu::Found;
use crate::cpu::backend::Backend;
use crate::error::Error;

/// The keys of whichever backend was chosen.
pub(crate) enum PacketKeys {
    Portable(Box<portable::packet::Key>),
    #[cfg(target_arch = "x86_64")]
    Aesni(Box<x86_64::aesni::PacketKey>),
    #[cfg(target_arch = "x86_64")]
    Vaes256(Box<x86_64::vaes256::PacketKey>),
    #[cfg(target_arch = "x86_64")]
    Vaes512(Box<x86_64::vaes512::PacketKey>),
}

impl PacketKeys {
    /// Expands two keys of 16 or 32 bytes for `backend`, if `found` allows it.
    pub(crate) fn expand(
        key: &[u8],
        iv: &[u8; 12],
        header_key: &[u8],
        backend: Backend,
        found: Found,
    ) -> Result<Self, Error> {
        #[cfg(target_arch = "x86_64")]
        use crate::cpu::proof;
        let missing = Error::BackendUnavailable(backend);
        match backend {
            Backend::Portable => Ok(Self::Portable(portable::packet::Key::new(key, iv, header_key))),
            #[cfg(target_arch = "x86_64")]
            Backend::Aesni => {
                let proof = proof::Aesni::of(found).ok_or(missing)?;
                Ok(Self::Aesni(x86_64::aesni::PacketKey::new(proof, key, iv, header_key)))
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes256 => {
                let proof = proof::Vaes256::of(found).ok_or(missing)?;
                Ok(Self::Vaes256(x86_64::vaes256::PacketKey::new(proof, key, iv, header_key)))
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes512 => {
                let proof = proof::Vaes512::of(found).ok_or(missing)?;
                Ok(Self::Vaes512(x86_64::vaes512::PacketKey::new(proof, key, iv, header_key)))
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => {
                let _ = found;
                Err(missing)
            }
        }
    }

    /// Another packet key, of the same length, and IV under the same header-protection key.
    pub(crate) fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Self {
        match self {
            Self::Portable(old) => Self::Portable(old.next_phase(key, iv)),
            #[cfg(target_arch = "x86_64")]
            Self::Aesni(old) => Self::Aesni(old.next_phase(key, iv)),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256(old) => Self::Vaes256(old.next_phase(key, iv)),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512(old) => Self::Vaes512(old.next_phase(key, iv)),
        }
    }

    /// Bytes of the packet key: 16 or 32.
    pub(crate) fn key_bytes(&self) -> usize {
        of_the_backend!(PacketKeys, self, key => key.key_bytes())
    }

    /// Which backend's they are.
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

impl PacketKey for PacketKeys {
    #[inline]
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask {
        of_the_backend!(PacketKeys, self, key => key.seal(number, packet, header_bytes, sample))
    }

    #[inline]
    fn open(&self, number: u64, header: &[u8], text: &mut [u8], tag: &mut Block) {
        of_the_backend!(PacketKeys, self, key => key.open(number, header, text, tag))
    }

    #[inline]
    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block) {
        of_the_backend!(PacketKeys, self, key => key.open_masked(number, packet, cover, tag))
    }

    #[inline]
    fn mask(&self, sample: &Block) -> Mask {
        of_the_backend!(PacketKeys, self, key => key.mask(sample))
    }

    fn seal_batch<P: Packet>(&self, packets: &mut [P], admission: &impl Admission<P>) {
        of_the_backend!(PacketKeys, self, key => key.seal_batch(packets, admission))
    }

    fn unmask_batch<P: Packet>(&self, packets: &mut [P], reception: &impl Reception<P>) {
        of_the_backend!(PacketKeys, self, key => key.unmask_batch(packets, reception))
    }

    fn open_batch<P: Packet>(&self, packets: &mut [P], are_masked: bool, reception: &impl Reception<P>) {
        of_the_backend!(PacketKeys, self, key => key.open_batch(packets, are_masked, reception))
    }
}
