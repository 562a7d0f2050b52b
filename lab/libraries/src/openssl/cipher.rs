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
    use crate::openssl::OpenSsl;
    use crate::openssl::tests::{check, each_library, hex, output_of};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::{Operation, Workload};

    /// Encrypts and decrypts a published pair.
    fn check_both(library: &OpenSsl, algorithm: Algorithm, key: &str, iv: &str, plain: &str, encrypted: &str) {
        for (operation, input, expected) in
            [(Operation::Encrypt, plain, encrypted), (Operation::Decrypt, encrypted, plain)]
        {
            let fixtures = Fixtures { key: hex(key), nonce: hex(iv), text: hex(input), ..Fixtures::default() };
            check(library, operation, algorithm, &fixtures, &hex(expected));
        }
    }

    const SP800_38A_TEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                                  30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

    #[test]
    fn aes_agrees_with_sp_800_38a() {
        const IV: &str = "000102030405060708090a0b0c0d0e0f";
        const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
        const KEY_128: &str = "2b7e151628aed2a6abf7158809cf4f3c";
        const KEY_256: &str = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
        each_library(|library| {
            // F.2.1, F.2.5, F.5.1, F.5.5
            let cases = [
                (
                    Algorithm::Aes128Cbc,
                    KEY_128,
                    IV,
                    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
                     73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
                ),
                (
                    Algorithm::Aes256Cbc,
                    KEY_256,
                    IV,
                    "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
                     39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
                ),
                (
                    Algorithm::Aes128Ctr,
                    KEY_128,
                    COUNTER,
                    "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
                     5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
                ),
                (
                    Algorithm::Aes256Ctr,
                    KEY_256,
                    COUNTER,
                    "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
                     2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
                ),
            ];
            for (algorithm, key, iv, encrypted) in cases {
                check_both(library, algorithm, key, iv, SP800_38A_TEXT, encrypted);
            }
        });
    }

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
