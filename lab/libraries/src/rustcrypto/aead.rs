//! GCM, GCM-SIV, XAES, CCM, OCB and ChaCha20-Poly1305, from one buffer into another.

use aes::Aes128;
use aes_gcm::aead::array::ArraySize;
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::{AeadInOut, Aes128Gcm, Aes256Gcm, KeyInit};

use super::super::loops::aead::{Nonce, Separate, Tag, separate};
use super::super::loops::{failed, rejected};
use super::super::{PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Workload;

type Aes128Ccm = ccm::Ccm<Aes128, U16, U12>;
type Aes128Ocb = ocb3::Ocb3<Aes128, U12>;

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::Aes128Gcm => with::<Aes128Gcm, _>(workload, fixtures),
        Algorithm::Aes256Gcm => with::<Aes256Gcm, _>(workload, fixtures),
        Algorithm::Aes128GcmSiv => with::<aes_gcm_siv::Aes128GcmSiv, _>(workload, fixtures),
        Algorithm::Aes256GcmSiv => with::<aes_gcm_siv::Aes256GcmSiv, _>(workload, fixtures),
        Algorithm::Xaes256Gcm => with::<xaes_256_gcm::Xaes256Gcm, _>(workload, fixtures),
        Algorithm::Aes128Ccm => with::<Aes128Ccm, _>(workload, fixtures),
        Algorithm::Aes128Ocb => with::<Aes128Ocb, _>(workload, fixtures),
        Algorithm::ChaCha20Poly1305 => with::<chacha20poly1305::ChaCha20Poly1305, _>(workload, fixtures),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

fn with<A, const N: usize>(workload: &Workload, fixtures: &Fixtures) -> PreparedJob
where
    A: AeadInOut<NonceSize: ArraySize<ArrayType<u8> = [u8; N]>, TagSize = U16> + KeyInit + 'static,
{
    separate(workload, fixtures, |key| Ok(Detached(A::new_from_slice(key).map_err(|_| rejected("key"))?)))
}

/// An AEAD whose tag stands apart from the ciphertext.
struct Detached<A>(A);

impl<A, const N: usize> Separate<N> for Detached<A>
where
    A: AeadInOut<NonceSize: ArraySize<ArrayType<u8> = [u8; N]>, TagSize = U16>,
{
    fn seal(&self, nonce: &Nonce<N>, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        let buffers = InOutBuf::new(text, ciphertext).map_err(|_| failed("seal"))?;
        let sealed = self.0.encrypt_inout_detached(nonce.into(), aad, buffers).map_err(|_| failed("seal"))?;
        *tag = sealed.into();
        Ok(())
    }

    fn open(&self, nonce: &Nonce<N>, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let buffers = InOutBuf::new(ciphertext, text).map_err(|_| failed("open"))?;
        self.0.decrypt_inout_detached(nonce.into(), aad, buffers, tag.into()).map_err(|_| failed("open"))
    }
}
