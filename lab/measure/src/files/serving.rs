//! The worker's side: one file encrypted or decrypted into another, and how long that took.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::clock;
use crate::code_path::{self, Following};
use crate::protocol::{Answer, Request};
use crate::request::workload_of;
use crate::serve::Refusal;
use kasoku_libraries::Library;
use kasoku_libraries::files::FileWork;
use kasoku_libraries::fixtures::Fixtures;
use kasoku_model::algorithm::Kind;
use kasoku_model::workload::Operation;

/// The most bytes that are read at a time.
const LARGEST_BUFFER: usize = 64 << 20;

/// Answers a request of the level `files`.
pub(crate) fn answer(library: &dyn Library, request: &Request) -> Result<Answer, Refusal> {
    let workload = workload_of(request).map_err(Refusal::Error)?;
    let Some(file) = &request.file else { return Err(Refusal::Error("the request names no files".to_owned())) };
    let buffer = file.buffer;
    if !(1..=LARGEST_BUFFER).contains(&buffer) {
        return Err(Refusal::Error(format!("a buffer has from 1 to {LARGEST_BUFFER} bytes")));
    }
    let fixtures = fixtures_of(&workload);
    let work = FileWork {
        operation: workload.operation,
        algorithm: workload.algorithm,
        threads: request.threads,
        buffer,
        fixtures: &fixtures,
    };
    let mut job = library.prepare_file(&work)?;
    let described = Answer {
        form: Some(job.form()),
        note: job.note().map(str::to_owned),
        buffer: job.has_buffer().then_some(buffer),
        ..Answer::default()
    };
    if request.iterations == 0 {
        return Ok(described);
    }
    if request.iterations != 1 {
        return Err(Refusal::Error("a file is encrypted or decrypted once a request".to_owned()));
    }
    let (from, to) = (Path::new(&file.input), Path::new(&file.output));
    if request.observe_ms > 0 {
        let duration = Duration::from_millis(request.observe_ms);
        let code_path = code_path::observe(|| job.run(from, to), duration, Following::None)?;
        return Ok(Answer { code_path: Some(code_path), ..described });
    }
    let cpu_ns = clock::process_cpu_ns();
    let start = Instant::now();
    job.run(from, to)?;
    let nanoseconds = start.elapsed().as_nanos() as u64;
    Ok(Answer {
        nanoseconds: Some(nanoseconds),
        cpu_nanoseconds: Some(clock::process_cpu_ns().saturating_sub(cpu_ns)),
        iterations: Some(1),
        ..described
    })
}

/// Key and nonce of a workload on files: those of its algorithm on any text.
pub(super) fn fixtures_of(workload: &kasoku_model::workload::Workload) -> Fixtures {
    let operation = match workload.algorithm.kind() {
        Kind::Aead => Operation::Seal,
        _ => Operation::Encrypt,
    };
    let fixtures = Fixtures::of(&kasoku_model::workload::Workload::new(operation, workload.algorithm, 0));
    Fixtures { key: fixtures.key, nonce: fixtures.nonce, ..Fixtures::default() }
}
