//! Block ciphers in CBC, CTR and XTS: one update of a running state per operation, as `openssl speed -evp` does.

use std::ffi::CStr;
use std::sync::Arc;

use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{CipherContext, CipherDirection, CipherOrigin, ROOM, Settings};
use crate::buffer::Buffer;
use crate::fixtures::{Fixtures, whole_blocks};
use crate::{Job, PreparedJob, Result, Unsupported};
use kasoku_model::algorithm::Algorithm;

/// Makes the job ready.
pub(super) fn prepare(
    libcrypto: &Arc<Libcrypto>,
    algorithm: Algorithm,
    direction: CipherDirection,
    fixtures: &Fixtures,
) -> PreparedJob {
    let (name, origin): (&CStr, CipherOrigin) = match algorithm {
        Algorithm::DesEde3Cbc => (c"DES-EDE3-CBC", CipherOrigin::Default),
        Algorithm::BlowfishCbc => (c"BF-CBC", CipherOrigin::Legacy),
        Algorithm::Camellia128Cbc => (c"CAMELLIA-128-CBC", CipherOrigin::Default),
        Algorithm::Camellia256Cbc => (c"CAMELLIA-256-CBC", CipherOrigin::Default),
        Algorithm::Aes128Cbc => (c"AES-128-CBC", CipherOrigin::Default),
        Algorithm::Aes256Cbc => (c"AES-256-CBC", CipherOrigin::Default),
        Algorithm::Aes128Ctr => (c"AES-128-CTR", CipherOrigin::Default),
        Algorithm::Aes256Ctr => (c"AES-256-CTR", CipherOrigin::Default),
        Algorithm::Aes256Xts => (c"AES-256-XTS", CipherOrigin::Default),
        _ => return Err(Unsupported::new(format!("{algorithm} is no cipher"))),
    };
    let block = whole_blocks(algorithm);
    if block.is_some_and(|block| !fixtures.text.len().is_multiple_of(block)) {
        return Err(Unsupported::new("CBC takes whole blocks"));
    }
    let is_per_unit = algorithm == Algorithm::Aes256Xts;
    if is_per_unit && fixtures.text.len() < 16 {
        return Err(Unsupported::new("XTS takes 16 bytes or more"));
    }
    let settings = Settings { without_padding: block.is_some(), ..Settings::default() };
    let context = CipherContext::new(libcrypto, name, origin, direction, settings, &fixtures.key, &fixtures.nonce)?;
    Ok(Box::new(CipherJob {
        context,
        iv: fixtures.nonce.clone(),
        input: Buffer::input(&fixtures.text),
        output: Buffer::output(fixtures.text.len() + ROOM),
        written: 0,
        is_per_unit,
    }))
}

struct CipherJob {
    context: CipherContext,
    iv: Vec<u8>,
    input: Buffer,
    output: Buffer,
    written: usize,
    /// Whether an operation is a data unit of its own. XTS has no running state: a second update would go on within
    /// the first unit, behind stolen ciphertext even wrongly.
    is_per_unit: bool,
}

impl Job for CipherJob {
    fn reset(&mut self) -> Result<()> {
        self.context.set_iv(&self.iv)
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            if self.is_per_unit {
                self.context.set_iv(&self.iv)?;
            }
            self.written = self.context.update(&self.input, &mut self.output)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.output[..self.written].to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        self.is_per_unit.then_some("the tweak is set for each call: a call is a data unit")
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::Fixtures;
    use crate::openssl::tests::{check, each_library, output_of};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::{Operation, Workload};

    #[test]
    fn ciphers_agree_with_independent_implementations() {
        use cbc::cipher::{BlockModeEncrypt, KeyIvInit};
        fn cbc<C>(fixtures: &Fixtures) -> Vec<u8>
        where
            C: cbc::cipher::BlockCipherEncrypt + cbc::cipher::KeyInit,
        {
            let mut text = fixtures.text.clone();
            let length = text.len();
            cbc::Encryptor::<C>::new_from_slices(&fixtures.key, &fixtures.nonce)
                .unwrap()
                .encrypt_padded::<cbc::cipher::block_padding::NoPadding>(&mut text, length)
                .unwrap();
            text
        }
        each_library(|library| {
            for bytes in [16, 1350, 8192] {
                for algorithm in [
                    Algorithm::DesEde3Cbc,
                    Algorithm::BlowfishCbc,
                    Algorithm::Camellia128Cbc,
                    Algorithm::Camellia256Cbc,
                    Algorithm::Aes128Cbc,
                    Algorithm::Aes256Cbc,
                ] {
                    let fixtures = Fixtures::of(&Workload::new(Operation::Encrypt, algorithm, bytes));
                    let encrypted = match algorithm {
                        Algorithm::DesEde3Cbc => cbc::<des::TdesEde3>(&fixtures),
                        Algorithm::BlowfishCbc => cbc::<blowfish::Blowfish>(&fixtures),
                        Algorithm::Camellia128Cbc => cbc::<camellia::Camellia128>(&fixtures),
                        Algorithm::Camellia256Cbc => cbc::<camellia::Camellia256>(&fixtures),
                        Algorithm::Aes128Cbc => cbc::<aes::Aes128>(&fixtures),
                        _ => cbc::<aes::Aes256>(&fixtures),
                    };
                    check(library, Operation::Encrypt, algorithm, &fixtures, &encrypted);
                    let back = Fixtures { text: encrypted, ..fixtures.clone() };
                    check(library, Operation::Decrypt, algorithm, &back, &fixtures.text);
                }
            }
        });
    }

    #[test]
    fn xts_agrees_with_an_independent_implementation_with_and_without_stealing() {
        use aes::cipher::KeyInit;
        each_library(|library| {
            for bytes in [16, 17, 31, 512, 1350] {
                let fixtures = Fixtures::of(&Workload::new(Operation::Encrypt, Algorithm::Aes256Xts, bytes));
                let mut encrypted = fixtures.text.clone();
                xts_mode::Xts128::new(
                    aes::Aes256::new_from_slice(&fixtures.key[..32]).unwrap(),
                    aes::Aes256::new_from_slice(&fixtures.key[32..]).unwrap(),
                )
                .encrypt_sector(&mut encrypted, fixtures.nonce[..].try_into().unwrap());
                check(library, Operation::Encrypt, Algorithm::Aes256Xts, &fixtures, &encrypted);
                let back = Fixtures { text: encrypted, ..fixtures.clone() };
                check(library, Operation::Decrypt, Algorithm::Aes256Xts, &back, &fixtures.text);
            }
        });
    }

    #[test]
    fn a_state_runs_on_until_it_is_reset_and_a_data_unit_does_not() {
        each_library(|library| {
            for algorithm in [Algorithm::Aes128Cbc, Algorithm::Aes128Ctr, Algorithm::Aes256Xts] {
                let fixtures = Fixtures::of(&Workload::new(Operation::Encrypt, algorithm, 64));
                let once = output_of(library, Operation::Encrypt, algorithm, &fixtures, 1);
                let twice = output_of(library, Operation::Encrypt, algorithm, &fixtures, 2);
                assert_eq!(once == twice, algorithm == Algorithm::Aes256Xts, "{algorithm}");
            }
            // The second of two updates is the second half of one twice as long.
            let fixtures = Fixtures::of(&Workload::new(Operation::Encrypt, Algorithm::Aes128Cbc, 64));
            let twice = output_of(library, Operation::Encrypt, Algorithm::Aes128Cbc, &fixtures, 2);
            let long = Fixtures { text: fixtures.text.repeat(2), ..fixtures };
            assert_eq!(output_of(library, Operation::Encrypt, Algorithm::Aes128Cbc, &long, 1)[64..], twice);
        });
    }

    #[test]
    fn what_a_cipher_cannot_take_is_refused_with_the_reason() {
        each_library(|library| {
            let refusal = |algorithm, change: fn(&mut Fixtures)| {
                let workload = Workload::new(Operation::Encrypt, algorithm, 64);
                let mut fixtures = Fixtures::of(&workload);
                change(&mut fixtures);
                crate::Library::prepare(library, &workload, &fixtures).map(|_| ()).unwrap_err().why
            };
            assert!(refusal(Algorithm::Aes128Cbc, |m| m.text.truncate(63)).contains("whole blocks"));
            assert!(refusal(Algorithm::Aes256Xts, |m| m.text.truncate(15)).contains("16 bytes"));
            assert!(refusal(Algorithm::Aes128Ctr, |m| m.key.truncate(15)).contains("a key of 16"));
            assert!(refusal(Algorithm::Aes128Ctr, |m| m.nonce.clear()).contains("an IV of 16"));
        });
    }
}
