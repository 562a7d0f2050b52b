//! Handles file requests in a worker: encrypts or decrypts one file into another and times that.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::clock;
use crate::code_path::{self, SingleStepping};
use crate::protocol::{FileConversion, ReadyWorkload, Refusal, Slice, TimedWorkload};
use kasoku_libraries::files::{FileJob, FileWork};
use kasoku_libraries::fixtures::Fixtures;
use kasoku_libraries::{Library, Unsupported};
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::workload::files::BUFFER;
use kasoku_model::workload::{Operation, Workload};

const MAX_BUFFER: usize = 64 << 20;

pub(crate) fn ready(library: &dyn Library, workload: &Workload, threads: usize) -> Result<ReadyWorkload, Refusal> {
    let job = prepare(library, workload, threads, BUFFER)?;
    let buffer = job.has_buffer().then_some(BUFFER);
    Ok(ReadyWorkload { form: Some(job.form()), note: job.note().map(str::to_owned), buffer })
}

/// Encrypts or decrypts `file` with `library`, as the workload of `slice` says. Returns the time of one conversion or,
/// if `slice` asks for an observation, the code path of conversions that are repeated during the observation.
pub(crate) fn time(library: &dyn Library, slice: &Slice, file: &FileConversion) -> Result<TimedWorkload, Refusal> {
    if !(1..=MAX_BUFFER).contains(&file.buffer) {
        return Err(format!("a buffer has from 1 to {MAX_BUFFER} bytes").into());
    }
    let mut job = prepare(library, &slice.workload, slice.threads, file.buffer)?;
    let mut convert = || job.run(Path::new(&file.input), Path::new(&file.output));
    if slice.observe_ms > 0 {
        let duration = Duration::from_millis(slice.observe_ms);
        let code_path = Some(code_path::observe(convert, duration, SingleStepping::Off)?);
        return Ok(TimedWorkload { code_path, ..TimedWorkload::default() });
    }
    let cpu_ns = clock::process_cpu_ns();
    let start = Instant::now();
    convert()?;
    Ok(TimedWorkload {
        nanoseconds: start.elapsed().as_nanos() as u64,
        cpu_nanoseconds: clock::process_cpu_ns().saturating_sub(cpu_ns),
        iterations: 1,
        ..TimedWorkload::default()
    })
}

fn prepare(
    library: &dyn Library,
    workload: &Workload,
    threads: usize,
    buffer: usize,
) -> Result<Box<dyn FileJob>, Unsupported> {
    let Workload { operation, algorithm, .. } = *workload;
    library.prepare_file(&FileWork { operation, algorithm, threads, buffer, fixtures: &fixtures_of(workload) })
}

/// Returns the key and nonce for a workload on files. They depend only on the algorithm, not on the plaintext.
pub(super) fn fixtures_of(workload: &Workload) -> Fixtures {
    let operation = match workload.algorithm.kind() {
        AlgorithmKind::Aead => Operation::Seal,
        _ => Operation::Encrypt,
    };
    let fixtures = Fixtures::of(&Workload::new(operation, workload.algorithm, 0));
    Fixtures { key: fixtures.key, nonce: fixtures.nonce, ..Fixtures::default() }
}
