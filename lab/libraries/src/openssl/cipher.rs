//! OpenSSL's ciphers in CBC, CTR and XTS: each operation is one update of a continuing state, as in `openssl speed
//! -evp`.

use std::sync::Arc;

use super::cipher_name;
use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{CipherContext, CipherDirection, Settings};
use crate::fixtures::{Fixtures, whole_blocks};
use crate::loops::cipher::cipher_job;
use crate::{PreparedJob, Unsupported};
use kasoku_model::algorithm::Algorithm;

pub(super) fn prepare(
    libcrypto: &Arc<Libcrypto>,
    algorithm: Algorithm,
    direction: CipherDirection,
    fixtures: &Fixtures,
) -> PreparedJob {
    let block = whole_blocks(algorithm);
    if block.is_some_and(|block| !fixtures.text.len().is_multiple_of(block)) {
        return Err(Unsupported::new("CBC takes whole blocks"));
    }
    // XTS has no continuing state, so each operation is a data unit. A second update would continue the first unit, and
    // do so wrongly after ciphertext stealing.
    let is_per_unit = algorithm == Algorithm::Aes256Xts;
    if is_per_unit && fixtures.text.len() < 16 {
        return Err(Unsupported::new("XTS takes 16 bytes or more"));
    }
    let is_legacy = algorithm == Algorithm::BlowfishCbc;
    let settings = Settings { without_padding: block.is_some(), is_legacy, ..Settings::default() };
    let name = cipher_name(algorithm)?;
    let context = CipherContext::new(libcrypto, name, direction, settings, &fixtures.key, &fixtures.nonce)?;
    let note = is_per_unit.then_some("the tweak is set for each call: a call is a data unit");
    let iv = fixtures.nonce.clone();
    Ok(cipher_job(
        (context, iv),
        &fixtures.text,
        note,
        |(context, iv)| context.set_iv(iv),
        move |(context, iv), input, output| {
            if is_per_unit {
                context.set_iv(iv)?;
            }
            context.update(input, output)
        },
    ))
}

#[cfg(test)]
mod tests {
    use crate::fixtures::Fixtures;
    use crate::openssl::tests::{each_library, output_of};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::{Operation, Workload};

    #[test]
    fn openssl_ciphers_continue_between_calls_except_xts() {
        each_library(|library| {
            for algorithm in [Algorithm::Aes128Cbc, Algorithm::Aes128Ctr, Algorithm::Aes256Xts] {
                let fixtures = Fixtures::of(&Workload::new(Operation::Encrypt, algorithm, 64));
                let once = output_of(library, Operation::Encrypt, algorithm, &fixtures, 1);
                let twice = output_of(library, Operation::Encrypt, algorithm, &fixtures, 2);
                assert_eq!(once == twice, algorithm == Algorithm::Aes256Xts, "{algorithm}");
            }
            // The second of two updates equals the second half of one update of double length.
            let fixtures = Fixtures::of(&Workload::new(Operation::Encrypt, Algorithm::Aes128Cbc, 64));
            let twice = output_of(library, Operation::Encrypt, Algorithm::Aes128Cbc, &fixtures, 2);
            let long = Fixtures { text: fixtures.text.repeat(2), ..fixtures };
            assert_eq!(output_of(library, Operation::Encrypt, Algorithm::Aes128Cbc, &long, 1)[64..], twice);
        });
    }

    #[test]
    fn openssl_ciphers_give_the_reason_for_rejected_lengths() {
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
