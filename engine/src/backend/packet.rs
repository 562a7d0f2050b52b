//! What a backend does with packets: AEAD and header mask together, and many packets at once.

use alloc::boxed::Box;

#[cfg(target_arch = "x86_64")]
use super::x86_64;
use super::{Block, portable};
use crate::cpu::Found;
use crate::cpu::backend::Backend;
use crate::error::Error;
use crate::packet::{FailedOpens, Mask, MaskedHeader, Packet, Protected};

/// A packet key, an IV and a header-protection key. Lengths and positions were checked before it is called; tags are
/// compared, and plaintext of forgeries is wiped, by the caller.
pub(crate) trait PacketKey {
    /// Seals the text of `packet`, which lies between `header_bytes` and 16 bytes for the tag, and writes the tag; the mask
    /// of the sample that begins at `sample`.
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask;

    /// Opens `text`, and writes the tag it ought to have.
    fn open(&self, number: u64, header: &[u8], text: &mut [u8], tag: &mut Block);

    /// The same for a packet whose header is still masked, and stays so.
    fn open_masked(&self, number: u64, packet: &mut [u8], header: MaskedHeader, tag: &mut Block);

    /// The mask of a sample.
    fn mask(&self, sample: &Block) -> Mask;

    /// Seals every packet that is admitted, and masks its header. (Each packet is admitted when its turn comes: done
    /// before, for all of them, it would not run beside anything.)
    fn seal_batch(&self, packets: &mut [Packet<'_>], protected: &Protected);

    /// Unmasks the header of every packet that is admitted.
    fn unmask_batch(&self, packets: &mut [Packet<'_>], expected: u64);

    /// Opens every packet that is good and admitted, and verifies it.
    fn open_batch(&self, packets: &mut [Packet<'_>], failed: &FailedOpens);

    /// Unmasks, opens and verifies.
    fn unprotect_batch(&self, packets: &mut [Packet<'_>], expected: u64, failed: &FailedOpens);
}

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
    fn open_masked(&self, number: u64, packet: &mut [u8], header: MaskedHeader, tag: &mut Block) {
        of_the_backend!(PacketKeys, self, key => key.open_masked(number, packet, header, tag))
    }

    #[inline]
    fn mask(&self, sample: &Block) -> Mask {
        of_the_backend!(PacketKeys, self, key => key.mask(sample))
    }

    fn seal_batch(&self, packets: &mut [Packet<'_>], protected: &Protected) {
        of_the_backend!(PacketKeys, self, key => key.seal_batch(packets, protected))
    }

    fn unmask_batch(&self, packets: &mut [Packet<'_>], expected: u64) {
        of_the_backend!(PacketKeys, self, key => key.unmask_batch(packets, expected))
    }

    fn open_batch(&self, packets: &mut [Packet<'_>], failed: &FailedOpens) {
        of_the_backend!(PacketKeys, self, key => key.open_batch(packets, failed))
    }

    fn unprotect_batch(&self, packets: &mut [Packet<'_>], expected: u64, failed: &FailedOpens) {
        of_the_backend!(PacketKeys, self, key => key.unprotect_batch(packets, expected, failed))
    }
}
