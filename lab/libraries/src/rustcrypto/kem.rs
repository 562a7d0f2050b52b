//! ML-KEM-768.

use ml_kem::ml_kem_768::{Ciphertext, DecapsulationKey, EncapsulationKey};
use ml_kem::{Decapsulate, Encapsulate};

use super::super::loops::repeated::{put, repeated};
use super::super::loops::{exactly, rejected};
use super::super::{PreparedJob, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match (workload.algorithm, workload.operation) {
        (Algorithm::MlKem768, Operation::Encapsulate) => encapsulate(fixtures),
        (Algorithm::MlKem768, Operation::Decapsulate) => decapsulate(fixtures),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

fn encapsulate(fixtures: &Fixtures) -> PreparedJob {
    let encoded = exactly::<1184>("encapsulation key", &fixtures.public)?;
    let key = EncapsulationKey::new(&encoded.into()).map_err(|_| rejected("encapsulation key"))?;
    Ok(repeated(&[], 1088 + 32, None, move |_, output| {
        let (ciphertext, secret) = key.encapsulate();
        Ok(put(output, [&ciphertext, &secret]))
    }))
}

fn decapsulate(fixtures: &Fixtures) -> PreparedJob {
    let key = DecapsulationKey::from_seed(exactly::<64>("seed", &fixtures.key)?.into());
    let ciphertext = Ciphertext::from(exactly::<1088>("ciphertext", &fixtures.text)?);
    Ok(repeated(&[], 32, None, move |_, output| Ok(put(output, [&key.decapsulate(&ciphertext)]))))
}

/// The expanded decapsulation key (FIPS 203, algorithm 16: dk_PKE ‖ ek ‖ H(ek) ‖ z) that libraries take which do not
/// take the seed.
pub(crate) fn expanded_key(seed: &[u8]) -> Result<Vec<u8>, Unsupported> {
    #[allow(deprecated)] // the crate would rather have the seed stored
    use ml_kem::ExpandedKeyEncoding;
    let key = DecapsulationKey::from_seed(exactly::<64>("seed", seed)?.into());
    #[allow(deprecated)]
    let expanded = key.to_expanded_bytes();
    Ok(expanded.to_vec())
}
