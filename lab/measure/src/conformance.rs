//! Checks that a user-written worker conforms to the protocol (docs/WORKERS.md): its outputs, its clock, its errors and
//! its end.
//!
//! The checks find mistakes, and lies that are the same in every request. A program that recognises the checks can pass
//! them and lie afterwards.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::protocol::{PROTOCOL, Slice, TimedWorkload, WorkerDescription, WorkerRequest};
use super::verification::check_vectors;
use super::worker::{WorkerError, WorkerName, WorkerProcess, answer_limit};
use kasoku_libraries::fixtures::{Fixtures, deterministic, to_hexadecimal};
use kasoku_libraries::{self as libraries, LibraryEntry, Opening};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library::{AWS_LC, KASOKU, RUSTCRYPTO};
use kasoku_model::printable::is_hidden;
use kasoku_model::workload::{Operation, Workload};

/// Lengths of the texts, in bytes, whose outputs are compared with another library's.
const COMPARED_LENGTHS: [usize; 6] = [1, 15, 16, 100, 1350, 16_384];
/// Length of the text in the check of the clock, in bytes.
const TIMED_BYTES: usize = 1350;
/// Minimum time of a request in the check of the clock.
const MIN_TIMED: Duration = Duration::from_millis(20);
/// Maximum number of attempts to check the clock. One success is enough, since other programs may disturb any attempt.
const MAX_CLOCK_CHECKS: usize = 5;
/// Minimum ratio of the time that a worker reports to the time that the laboratory measures. The rest is for the
/// worker's warm-up.
const MIN_REPORTED_SHARE: f64 = 0.7;
/// Time in which a worker must not write a line without a request.
const SILENCE: Duration = Duration::from_millis(100);
/// Longest version text, in characters.
const MAX_VERSION: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedRule {
    /// The rule, as a short sentence about a conforming worker.
    pub rule: &'static str,
    pub outcome: RuleOutcome,
    /// Observation of the check.
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleOutcome {
    Kept,
    Broken,
    /// The worker lacks what the rule is about.
    NotChecked,
}

/// Result of a check: `Ok` if the rule is kept.
type Finding = Result<String, Objection>;

type Check = fn(&mut Subject) -> Finding;

enum Objection {
    Broken(String),
    NotChecked(String),
}

impl From<WorkerError> for Objection {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Unsupported(why) => Objection::NotChecked(why),
            other => Objection::Broken(other.to_string()),
        }
    }
}

fn broken<T>(what: impl Into<String>) -> Result<T, Objection> {
    Err(Objection::Broken(what.into()))
}

/// Checks all rules on a user-written worker. Fails if the worker cannot be started.
pub fn check(entry: &'static LibraryEntry) -> Result<Vec<CheckedRule>, WorkerError> {
    let name = WorkerName::new(entry, Acceleration::On);
    let mut subject = Subject { process: WorkerProcess::start(&name, &[])?, name, supported: Vec::new() };
    let rules: [(&str, Check); 10] = [
        ("describes itself", describes_itself),
        ("meets published vectors", meets_vectors),
        ("agrees with another library", agrees),
        ("gives the same output after many operations", repeats),
        ("divides operations into parts", divides),
        ("tells the time that passed", tells_the_time),
        ("answers wrong requests with an error", answers_wrong_requests),
        ("refuses forged messages", refuses_forgeries),
        ("writes nothing without a request", is_silent),
        ("ends with its input", ends),
    ];
    let mut checked = Vec::new();
    for (rule, check) in rules {
        let (outcome, detail) = match check(&mut subject) {
            Ok(detail) => (RuleOutcome::Kept, detail),
            Err(Objection::NotChecked(why)) => (RuleOutcome::NotChecked, why),
            Err(Objection::Broken(how)) => {
                // The next rule is checked on a new process, since this one may be in any state.
                subject.process = WorkerProcess::start(&subject.name, &[])?;
                (RuleOutcome::Broken, how)
            }
        };
        checked.push(CheckedRule { rule, outcome, detail });
    }
    Ok(checked)
}

struct Subject {
    name: WorkerName,
    process: WorkerProcess,
    /// Operations whose published vectors the worker passed.
    supported: Vec<(Algorithm, Operation)>,
}

impl Subject {
    /// Times a slice on the usual inputs. Returns also the time until the answer.
    fn time(&mut self, slice: Slice) -> Result<(TimedWorkload, Duration), Objection> {
        let fixtures = slice.fixtures.clone().unwrap_or_else(|| Box::new(Fixtures::of(&slice.workload)));
        let slice = Slice { fixtures: Some(fixtures), ..slice };
        let request = WorkerRequest::Slice(slice.clone());
        let begun = Instant::now();
        let timed: TimedWorkload = self.process.ask(&request, answer_limit(&request))?;
        let elapsed = begun.elapsed();
        let threads_ns = timed.nanoseconds.saturating_mul(slice.threads as u64).saturating_add(1_000_000);
        if timed.cpu_nanoseconds > threads_ns {
            return broken("more CPU time than time passed in its threads");
        }
        timed.checked(&slice, elapsed).map(|timed| (timed, elapsed)).map_err(Objection::Broken)
    }

    /// Returns the operation whose time is checked.
    fn timed_workload(&self) -> Result<Workload, Objection> {
        let mut bulk = self.supported.iter().filter(|(algorithm, _)| algorithm.kind().is_bulk());
        let Some(&(algorithm, operation)) = bulk.next().or(self.supported.first()) else {
            return Err(Objection::NotChecked("it met the vectors of no algorithm".to_owned()));
        };
        Ok(Workload::new(operation, algorithm, TIMED_BYTES))
    }
}

fn describes_itself(subject: &mut Subject) -> Finding {
    let request = WorkerRequest::Describe;
    let WorkerDescription { protocol, library } = subject.process.ask(&request, answer_limit(&request))?;
    if protocol != PROTOCOL {
        return broken(format!("it has version {protocol} of the protocol, not {PROTOCOL}"));
    }
    let version = library.version;
    if version.is_empty() || version.chars().count() > MAX_VERSION || version.chars().any(is_hidden) {
        return broken(format!("the version must be a line of 1 to {MAX_VERSION} visible characters"));
    }
    Ok(version)
}

fn meets_vectors(subject: &mut Subject) -> Finding {
    for &algorithm in Algorithm::ALL.iter().filter(|algorithm| !algorithm.is_quoted()) {
        for &operation in Operation::of(algorithm.kind()) {
            match check_vectors(&mut subject.process, algorithm, operation)? {
                Some(true) => subject.supported.push((algorithm, operation)),
                Some(false) => return broken(format!("{algorithm} {operation}: another output than published")),
                None => {}
            }
        }
    }
    let names: Vec<String> = subject.supported.iter().map(|(algorithm, one)| format!("{algorithm} {one}")).collect();
    if names.is_empty() {
        return broken("it supports no operation of any algorithm that has published vectors");
    }
    Ok(names.join(", "))
}

fn agrees(subject: &mut Subject) -> Finding {
    let mut compared = 0;
    for (algorithm, operation) in subject.supported.clone() {
        for bytes in COMPARED_LENGTHS {
            let workload = Workload::new(operation, algorithm, bytes);
            if workload.bytes != bytes || !deterministic(&workload) {
                continue;
            }
            let Some(expected) = reference_output(&workload, &Fixtures::of(&workload)) else { continue };
            let (timed, _) = subject.time(Slice { output: true, ..Slice::new(workload, 1) })?;
            if timed.output != Some(to_hexadecimal(&expected)) {
                return broken(format!("{workload}: another output than the libraries of this command"));
            }
            compared += 1;
        }
    }
    match compared {
        0 => Err(Objection::NotChecked("this command has none of its algorithms".to_owned())),
        _ => Ok(format!("{compared} texts of up to {} bytes", COMPARED_LENGTHS[COMPARED_LENGTHS.len() - 1])),
    }
}

/// Returns the output of the first library of this command that supports a workload.
fn reference_output(workload: &Workload, fixtures: &Fixtures) -> Option<Vec<u8>> {
    [RUSTCRYPTO, AWS_LC, KASOKU].iter().find_map(|name| {
        let library = (libraries::find(name)?.open)(&Opening::default()).ok()?;
        let mut job = library.prepare(workload, fixtures).ok()?;
        job.reset().ok()?;
        job.run(1).ok()?;
        Some(job.output())
    })
}

fn repeats(subject: &mut Subject) -> Finding {
    let workload = subject.timed_workload()?;
    let mut check = |iterations| subject.time(Slice::new(workload, iterations)).map(|(timed, _)| timed.check);
    let first = check(1)?;
    if first.is_none() {
        return broken("the answer has neither an output nor its checksum");
    }
    if check(1)? != first || check(1000)? != first {
        return broken(format!("{workload}: outputs of equal requests differ"));
    }
    Ok("after 1 and 1,000".to_owned())
}

fn divides(subject: &mut Subject) -> Finding {
    let workload = subject.timed_workload()?;
    let (timed, _) = subject.time(Slice { parts: 8, ..Slice::new(workload, 800) })?;
    match timed.iterations {
        100 => Ok("8 parts of 100".to_owned()),
        other => broken(format!("of 800 operations in 8 parts it timed {other}, not 100")),
    }
}

/// Compares a worker's times with the laboratory's clock. Times n and 4n operations, and compares the two differences,
/// in which the fixed cost of a request cancels out.
fn tells_the_time(subject: &mut Subject) -> Finding {
    let workload = subject.timed_workload()?;
    let mut iterations = 16;
    while subject.time(Slice::new(workload, iterations))?.1 < MIN_TIMED && iterations < 1 << 32 {
        iterations *= 2;
    }
    let mut worst = String::new();
    for _ in 0..MAX_CLOCK_CHECKS {
        let (few, few_elapsed) = subject.time(Slice::new(workload, iterations))?;
        let (many, many_elapsed) = subject.time(Slice::new(workload, 4 * iterations))?;
        if (few.iterations, many.iterations) != (iterations, 4 * iterations) {
            return broken(format!("of {iterations} operations in one part it timed {}", few.iterations));
        }
        let said = many.nanoseconds as f64 - few.nanoseconds as f64;
        let passed = many_elapsed.as_nanos() as f64 - few_elapsed.as_nanos() as f64;
        let growth = many.nanoseconds as f64 / few.nanoseconds.max(1) as f64;
        let seen = format!(
            "for {} more operations it told {:.1} ms, and {:.1} ms passed",
            3 * iterations,
            said / 1e6,
            passed / 1e6
        );
        if said >= MIN_REPORTED_SHARE * passed && growth > 2.5 && passed > 0.0 {
            return Ok(seen);
        }
        worst = seen;
    }
    broken(worst)
}

fn answers_wrong_requests(subject: &mut Subject) -> Finding {
    let workload = subject.timed_workload()?;
    let right = serde_json::to_value(WorkerRequest::Slice(Slice {
        fixtures: Some(Box::new(Fixtures::of(&workload))),
        ..Slice::new(workload, 1)
    }));
    let right = right.map_err(|error| Objection::Broken(error.to_string()))?;
    let with = |field: &str, value: Value| {
        let mut request = right.clone();
        request[field] = value;
        request
    };
    let no_hexadecimal = json!({"key": "zz", "nonce": "zz", "text": "zz", "aad": "zz"});
    let wrong = [
        ("a text instead of a request", json!("describe")),
        ("an unknown algorithm", with("algorithm", json!("rot13"))),
        ("an unknown operation", with("operation", json!("guess"))),
        ("inputs that are no hexadecimal", with("fixtures", no_hexadecimal)),
        ("a number of operations that is a text", with("iterations", json!("many"))),
    ];
    for (what, request) in &wrong {
        match subject.process.ask::<Value>(request, answer_limit(&WorkerRequest::Describe)) {
            Err(error) if error.is_fatal() => return broken(format!("{what}: {error}")),
            Err(_) => {}
            Ok(_) => return broken(format!("{what}: it answered as if nothing were wrong")),
        }
    }
    subject.time(Slice::new(workload, 1))?;
    Ok(format!("{} wrong requests, then a right one", wrong.len()))
}

fn refuses_forgeries(subject: &mut Subject) -> Finding {
    let is_aead = |one: &(Algorithm, Operation)| {
        one.1 == Operation::Open && one.0.kind() == AlgorithmKind::Aead && one.0 != Algorithm::Aes128CbcHmacSha1
    };
    let opened: Vec<Algorithm> = subject.supported.iter().filter(|one| is_aead(one)).map(|one| one.0).collect();
    let mut tried = 0;
    for algorithm in opened {
        let seal = Workload::new(Operation::Seal, algorithm, 100);
        let plain = Fixtures::of(&seal);
        let Some(mut sealed) = reference_output(&seal, &plain) else { continue };
        let tag = sealed.split_off(sealed.len() - 16);
        let genuine = Fixtures { text: sealed, tag, ..plain.clone() };
        let open = Workload::new(Operation::Open, algorithm, genuine.text.len());
        match subject.time(Slice::on_inputs(open, genuine.clone())) {
            Ok((opened, _)) if opened.output == Some(to_hexadecimal(&plain.text)) => {}
            Ok(_) => return broken(format!("{algorithm}: it opened a given message wrongly")),
            Err(Objection::Broken(why)) => return broken(format!("{algorithm}: a genuine message: {why}")),
            Err(other) => return Err(other),
        }
        for (part, place) in [("tag", 0), ("tag", 15), ("text", 0), ("text", 99), ("aad", 12)] {
            let mut forged = genuine.clone();
            let bytes = match part {
                "tag" => &mut forged.tag,
                "text" => &mut forged.text,
                _ => &mut forged.aad,
            };
            bytes[place] ^= 0x80;
            let request = WorkerRequest::Slice(Slice::on_inputs(open, forged));
            match subject.process.ask::<Value>(&request, answer_limit(&request)) {
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(_) => tried += 1,
                Ok(_) => {
                    return broken(format!("{algorithm}: it accepted a message with a changed byte of the {part}"));
                }
            }
        }
    }
    match tried {
        0 => Err(Objection::NotChecked("it opens no messages".to_owned())),
        _ => Ok(format!("{tried} forged messages")),
    }
}

fn is_silent(subject: &mut Subject) -> Finding {
    match subject.process.unsolicited_line(SILENCE) {
        Some(line) => broken(line),
        None => Ok(String::new()),
    }
}

fn ends(subject: &mut Subject) -> Finding {
    if subject.process.ends_with_its_input() { Ok(String::new()) } else { broken("it still runs a second later") }
}
