//! Verifies the output of a worker against published test vectors and other libraries, never against the worker itself.

use std::collections::BTreeSet;
use std::time::Duration;

use super::protocol::{Slice, TimedWorkload, WorkerRequest};
use super::worker::{WorkerError, WorkerProcess};
use kasoku_libraries::fixtures::{Fixtures, deterministic, from_hexadecimal, to_hexadecimal};
use kasoku_libraries::vectors;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library::family;
use kasoku_model::workload::{Operation, Workload};

/// `Ok` for a verified output, with a note if no independent library confirms it. `Err` holds the reason why it is not
/// verified.
pub(super) type Verdict = Result<Option<String>, String>;

const LIMIT: Duration = Duration::from_secs(8);

/// Whether `worker` computes the published test vectors of an operation; `None` if it supports none of them.
pub(super) fn check_vectors(
    worker: &mut WorkerProcess,
    algorithm: Algorithm,
    operation: Operation,
) -> Result<Option<bool>, WorkerError> {
    let mut met = None;
    let of_operation = vectors::of(algorithm).vectors.into_iter().filter(|vector| vector.operation == operation);
    for vector in of_operation.filter(|vector| !vector.output.is_empty()) {
        let workload = Workload::new(operation, algorithm, vector.input.text.len());
        match worker.ask(&WorkerRequest::Slice(Slice::on_inputs(workload, vector.input)), LIMIT) {
            Ok(TimedWorkload { output: Some(output), .. }) if output == vector.output => met = Some(true),
            // A library may not support every published form, such as a text shorter than a record.
            Err(WorkerError::Unsupported(_)) => {}
            Err(error) if error.is_fatal() => return Err(error),
            Ok(_) | Err(_) => return Ok(Some(false)),
        }
    }
    Ok(met)
}

pub(super) struct WorkerResult {
    pub(super) library: String,
    /// Checksum of the output, to compare between libraries; `None` if the output is random.
    pub(super) check: Option<String>,
    /// Whether the worker computed the published test vectors; `None` if it supports none of them.
    pub(super) met_vectors: Option<bool>,
    /// Whether the worker is user-written. A user-written worker verifies no other.
    pub(super) is_foreign: bool,
}

/// Judges `own`, one of the results of `all` workers for a workload whose output is not random.
///
/// Libraries that share code form a family, such as AWS-LC and ring, and do not verify each other. A worker is verified
/// if it met the published vectors and agrees with such a worker of another family. If no other family has the
/// workload, the vectors decide, and a note says so. If the workers disagree, the larger number of families decides.
/// With equal numbers, none is verified.
pub(super) fn judge(own: &WorkerResult, all: &[WorkerResult]) -> Verdict {
    let check = own.check.as_ref().ok_or("gave no check")?;
    if own.met_vectors == Some(false) {
        return Err("does not meet the published vectors".to_owned());
    }
    let is_trusted = |other: &&WorkerResult| {
        family(&other.library) != family(&own.library)
            && other.met_vectors == Some(true)
            && other.check.is_some()
            && !other.is_foreign
    };
    let families = |agrees: bool| -> BTreeSet<&str> {
        let others = all.iter().filter(is_trusted).filter(|other| (other.check.as_ref() == Some(check)) == agrees);
        others.map(|other| family(&other.library)).collect()
    };
    let (with, against) = (families(true), families(false));
    // The worker's own family has a vote only if the worker passed the published vectors.
    let own_vote = usize::from(own.met_vectors == Some(true));
    if with.is_empty() && against.is_empty() {
        return match own_vote {
            0 => Err("nobody here can verify it: no other library has it, and no published vector".to_owned()),
            _ => Ok(Some("verified by published vectors: no other library here has it".to_owned())),
        };
    }
    if !with.is_empty() && with.len() + own_vote > against.len() {
        return Ok(None);
    }
    let against: Vec<&str> = against.into_iter().collect();
    Err(format!("its output differs from that of {}", against.join(", ")))
}

/// Checks that `reference` accepts the random output of another library. The output is a signature over the workload's
/// message, or a ciphertext from which `reference` must recover the same secret.
pub(super) fn verify_with(
    reference: &mut WorkerProcess,
    workload: &Workload,
    answer: &TimedWorkload,
    limit: Duration,
) -> Result<(), WorkerError> {
    debug_assert!(!deterministic(workload));
    let output = answer.output.as_deref().and_then(from_hexadecimal).unwrap_or_default();
    let refused = |why: &str| Err(WorkerError::Failed(why.to_owned()));
    let (operation, fixtures, expected) = match workload.operation {
        Operation::Sign => {
            let fixtures = Fixtures { key: Vec::new(), signature: output, ..Fixtures::of(workload) };
            (Operation::Verify, fixtures, "0101".to_owned())
        }
        Operation::Encapsulate if output.len() > 32 => {
            let (ciphertext, secret) = output.split_at(output.len() - 32);
            let own = vectors::timed(workload.algorithm, Operation::Decapsulate);
            let fixtures = Fixtures { text: ciphertext.to_vec(), ..own };
            (Operation::Decapsulate, fixtures, to_hexadecimal(secret))
        }
        _ => return refused("gave nothing that could be verified"),
    };
    let workload = Workload::new(operation, workload.algorithm, fixtures.text.len());
    let answer: TimedWorkload = reference.ask(&WorkerRequest::Slice(Slice::on_inputs(workload, fixtures)), limit)?;
    if answer.output.as_ref() == Some(&expected) {
        Ok(())
    } else {
        refused("another library does not accept what it made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether each answer is verified. An answer consists of the library, its checksum, and whether it met the
    /// published vectors.
    fn verified(answers: &[(&str, &str, Option<bool>)]) -> Vec<bool> {
        let given: Vec<WorkerResult> = answers
            .iter()
            .map(|&(library, check, met_vectors)| WorkerResult {
                library: library.to_owned(),
                check: Some(check.to_owned()),
                met_vectors,
                is_foreign: library == "my-worker",
            })
            .collect();
        given.iter().map(|own| judge(own, &given).is_ok()).collect()
    }

    #[test]
    fn judge_verifies_answers_on_which_independent_families_agree() {
        let met = Some(true);
        let (openssl, rustcrypto) = (("openssl", "a", met), ("rustcrypto", "a", met));
        assert_eq!(verified(&[openssl, rustcrypto]), [true, true]);
        // A wrong answer does not affect the others, whether its library failed the vectors or only this size.
        assert_eq!(verified(&[openssl, rustcrypto, ("test-wrong", "b", Some(false))]), [true, true, false]);
        assert_eq!(verified(&[openssl, rustcrypto, ("graviola", "b", met)]), [true, true, false]);
        assert_eq!(verified(&[openssl, ("rustcrypto", "b", met)]), [false, false]);
        // A user-written worker is verified, but verifies no other.
        assert_eq!(verified(&[openssl, ("my-worker", "a", met)]), [true, true]);
        assert_eq!(verified(&[("openssl", "a", None), ("my-worker", "a", met)]), [false, true]);
        assert_eq!(verified(&[openssl, rustcrypto, ("my-worker", "b", met)]), [true, true, false]);
        // A library that failed the vectors verifies no other.
        assert_eq!(verified(&[("openssl", "a", None), ("test-wrong", "a", Some(false))]), [false, false]);
    }

    #[test]
    fn libraries_that_share_code_do_not_verify_each_other() {
        let given = ["aws-lc", "ring"].map(|library| WorkerResult {
            library: library.to_owned(),
            check: Some("a".to_owned()),
            met_vectors: Some(true),
            is_foreign: false,
        });
        for own in &given {
            assert!(judge(own, &given).unwrap().is_some_and(|note| note.contains("published")));
        }
        assert_eq!(verified(&[("aws-lc", "a", None), ("ring", "a", None)]), [false, false]);
    }
}
