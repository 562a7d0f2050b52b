//! Whether what a worker computes is right: against published vectors and against other libraries, never against
//! itself.

use std::time::Duration;

use super::protocol::{TimedWorkload, WorkerRequest, WorkloadOutput};
use super::worker_process::{WorkerError, WorkerProcess};
use kasoku_libraries::fixtures::{Fixtures, deterministic, from_hexadecimal};
use kasoku_libraries::vectors;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library::family;
use kasoku_model::workload::{Operation, Workload};

/// What became of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerificationVerdict {
    /// It agrees; with whom is said in a note where it is not an independent library.
    Agrees(Option<String>),
    /// It does not, or nobody could tell.
    Not(String),
}

/// Asks `worker` the published vectors of an operation. `Ok(true)` if it had any that it takes.
///
/// # Errors
/// The disagreement, as a sentence.
pub fn against_vectors(
    worker: &mut WorkerProcess,
    algorithm: Algorithm,
    operation: Operation,
    limit: Duration,
) -> Result<bool, VectorFailure> {
    let file = vectors::of(algorithm);
    let mut has_any = false;
    let of_operation = file.vectors.into_iter().filter(|vector| vector.operation == operation);
    for vector in of_operation.filter(|vector| !vector.output.is_empty()) {
        let workload = Workload::new(operation, algorithm, vector.input.text.len());
        match worker.ask(&WorkerRequest::Once(workload, Box::new(vector.input)), limit) {
            Ok(WorkloadOutput { output, .. }) if output == vector.output => has_any = true,
            Ok(_) => return Err(VectorFailure::Disagrees(format!("does not give what {} states", vector.source))),
            // A library may not take every published form (a text that is not its record's length, say).
            Err(WorkerError::Unsupported(_)) => {}
            Err(error) if error.is_fatal() => return Err(VectorFailure::Worker(error)),
            Err(error) => return Err(VectorFailure::Disagrees(format!("fails on {}: {error}", vector.source))),
        }
    }
    Ok(has_any)
}

/// Why published vectors were not met.
#[derive(Debug, PartialEq)]
pub enum VectorFailure {
    /// The worker computes something else.
    Disagrees(String),
    /// The worker is gone.
    Worker(WorkerError),
}

/// What one worker gave for a workload: a check to compare, or an output that another library must accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The library.
    pub library: String,
    /// The check, for outputs that are determined.
    pub check: Option<String>,
    /// Whether it met the published vectors; `None` if there were none it takes.
    pub met_vectors: Option<bool>,
}

/// The verdicts on `given`, the answers of all workers to one workload whose output is determined.
///
/// A worker is verified if it met the published vectors and a library of another family that met them too agrees. Where
/// no other family has the workload, the published vectors alone decide, and a note says so. Where two that both met
/// the vectors differ, the larger number of families decides; with equal numbers nobody is verified.
pub fn judge(given: &[Given]) -> Vec<VerificationVerdict> {
    given.iter().map(|own| judge_one(own, given)).collect()
}

fn judge_one(own: &Given, all: &[Given]) -> VerificationVerdict {
    let Some(check) = &own.check else { return VerificationVerdict::Not("gave no check".to_owned()) };
    if own.met_vectors == Some(false) {
        return VerificationVerdict::Not("does not meet the published vectors".to_owned());
    }
    let others = all.iter().filter(|other| family(&other.library) != family(&own.library));
    let trusted: Vec<&Given> =
        others.filter(|other| other.met_vectors == Some(true) && other.check.is_some()).collect();
    let families = |agrees: bool| {
        let mut names: Vec<&str> = trusted
            .iter()
            .filter(|other| (other.check.as_ref() == Some(check)) == agrees)
            .map(|other| family(&other.library))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let (with, against) = (families(true), families(false));
    if with.is_empty() && against.is_empty() {
        return match own.met_vectors {
            Some(true) => VerificationVerdict::Agrees(Some(
                "verified by published vectors: no other library here has it".to_owned(),
            )),
            _ => VerificationVerdict::Not(
                "nobody here can verify it: no other library has it, and no published vector".to_owned(),
            ),
        };
    }
    // Its own family's vote counts where it met the vectors itself.
    let own_vote = usize::from(own.met_vectors == Some(true));
    if !with.is_empty() && with.len() + own_vote > against.len() {
        return VerificationVerdict::Agrees(None);
    }
    VerificationVerdict::Not(format!("its output differs from that of {}", against.join(", ")))
}

/// Whether `reference` accepts what another library made where the output is not determined: a signature over the
/// workload's message, or a ciphertext from which it recovers the same secret.
///
/// # Errors
/// Why not, or why it could not tell.
pub fn accepted_by(
    reference: &mut WorkerProcess,
    workload: &Workload,
    answer: &TimedWorkload,
    limit: Duration,
) -> Result<(), WorkerError> {
    debug_assert!(!deterministic(workload));
    let output = answer.output.as_deref().and_then(from_hexadecimal).unwrap_or_default();
    let refused = |why: &str| Err(WorkerError::Failed(why.to_owned()));
    let inputs = Fixtures::of(workload);
    let (operation, fixtures, expected) = match workload.operation {
        Operation::Sign => {
            let fixtures = Fixtures { key: Vec::new(), signature: output, ..inputs };
            (Operation::Verify, fixtures, "0101".to_owned())
        }
        Operation::Encapsulate if output.len() > 32 => {
            let (ciphertext, secret) = output.split_at(output.len() - 32);
            let own = vectors::timed(workload.algorithm, Operation::Decapsulate);
            let fixtures = Fixtures { text: ciphertext.to_vec(), ..own };
            (Operation::Decapsulate, fixtures, kasoku_libraries::fixtures::to_hexadecimal(secret))
        }
        _ => return refused("gave nothing that could be verified"),
    };
    let workload = Workload::new(operation, workload.algorithm, fixtures.text.len());
    let WorkloadOutput { output, .. } = reference.ask(&WorkerRequest::Once(workload, Box::new(fixtures)), limit)?;
    if output == expected { Ok(()) } else { refused("another library does not accept what it made") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(library: &str, check: &str, met_vectors: Option<bool>) -> Given {
        Given { library: library.to_owned(), check: Some(check.to_owned()), met_vectors }
    }

    fn agrees(verdict: &VerificationVerdict) -> bool {
        matches!(verdict, VerificationVerdict::Agrees(_))
    }

    #[test]
    fn two_families_that_agree_verify_each_other() {
        let verdicts = judge(&[given("openssl", "a", Some(true)), given("rustcrypto", "a", Some(true))]);
        assert!(verdicts.iter().all(agrees));
    }

    #[test]
    fn a_wrong_one_is_caught_and_takes_nobody_with_it() {
        let verdicts = judge(&[
            given("openssl", "a", Some(true)),
            given("rustcrypto", "a", Some(true)),
            given("test-wrong", "b", Some(false)),
        ]);
        assert!(agrees(&verdicts[0]) && agrees(&verdicts[1]) && !agrees(&verdicts[2]));
    }

    #[test]
    fn one_that_meets_the_vectors_and_is_wrong_at_this_size_is_outvoted() {
        let verdicts = judge(&[
            given("openssl", "a", Some(true)),
            given("rustcrypto", "a", Some(true)),
            given("graviola", "b", Some(true)),
        ]);
        assert!(agrees(&verdicts[0]) && agrees(&verdicts[1]) && !agrees(&verdicts[2]));
    }

    #[test]
    fn two_that_differ_verify_neither() {
        let verdicts = judge(&[given("openssl", "a", Some(true)), given("rustcrypto", "b", Some(true))]);
        assert!(!verdicts.iter().any(agrees));
    }

    #[test]
    fn the_same_library_twice_is_one_witness() {
        let verdicts = judge(&[given("aws-lc", "a", Some(true)), given("ring", "a", Some(true))]);
        assert!(
            verdicts.iter().all(|v| matches!(v, VerificationVerdict::Agrees(Some(note)) if note.contains("published")))
        );
        let verdicts = judge(&[given("aws-lc", "a", None), given("ring", "a", None)]);
        assert!(!verdicts.iter().any(agrees));
    }

    #[test]
    fn nobody_is_verified_by_one_that_failed_the_vectors() {
        let verdicts = judge(&[given("openssl", "a", None), given("test-wrong", "a", Some(false))]);
        assert!(!verdicts.iter().any(agrees));
    }
}
