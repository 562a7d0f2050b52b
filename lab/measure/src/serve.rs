//! The worker's side: holds one library and answers requests until its input ends.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::clock::{self, Elapsed, Moment};
use super::code_path::{self, Following};
use super::files;
use super::protocol::{Answer, MAX_LINE, Request};
use super::request::workload_of;
use kasoku_libraries::fixtures::{AAD_BYTES, Fixtures, deterministic, to_hexadecimal};
use kasoku_libraries::{Job, JobError, Library, Unavailable, Unsupported};
use kasoku_model::workload::Workload;

/// Jobs kept ready hold at most about this many bytes of text; more, and all are made anew.
const KEPT_TEXT: usize = 64 << 20;
/// A slice is timed in at most this many parts.
const MAX_PARTS: u64 = 1000;
/// Up to this many bytes the code around a cipher's kernel takes longer than the kernel.
const SHORT: usize = 256;
/// A slice with fewer iterations is not warmed up: its operations are so long that the first hardly differs.
const MIN_TO_WARM_UP: u64 = 16;

/// Answers the requests on `input` with lines on `output` until `input` ends.
///
/// # Errors
/// If `input` or `output` fails, or a line is longer than [`MAX_LINE`].
pub fn serve(
    library: Result<&dyn Library, Unavailable>,
    mut input: impl BufRead,
    mut output: impl Write,
) -> std::io::Result<()> {
    let mut jobs = Jobs::default();
    let mut line = String::new();
    loop {
        line.clear();
        let read = (&mut input).take(MAX_LINE as u64 + 1).read_line(&mut line)?;
        if read == 0 {
            return Ok(());
        }
        if read > MAX_LINE {
            return Err(std::io::Error::other("a request is longer than a line may be"));
        }
        let answer = match (serde_json::from_str::<Request>(&line), &library) {
            (Err(error), _) => Answer { error: Some(format!("not a request: {error}")), ..Answer::default() },
            (Ok(_), Err(unavailable)) => Answer {
                unavailable: Some(unavailable.why.clone()),
                install: unavailable.install.clone(),
                ..Answer::default()
            },
            (Ok(request), Ok(library)) => jobs.answer(*library, &request).unwrap_or_else(Refusal::answer),
        };
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

/// Why a request was not done.
pub(super) enum Refusal {
    Unsupported(String),
    Error(String),
}

impl Refusal {
    fn answer(self) -> Answer {
        match self {
            Refusal::Unsupported(why) => Answer { unsupported: Some(why), ..Answer::default() },
            Refusal::Error(what) => Answer { error: Some(what), ..Answer::default() },
        }
    }
}

impl From<Unsupported> for Refusal {
    fn from(unsupported: Unsupported) -> Self {
        Refusal::Unsupported(unsupported.why)
    }
}

impl From<JobError> for Refusal {
    fn from(error: JobError) -> Self {
        Refusal::Error(error.what)
    }
}

/// What was timed.
struct Timed {
    iterations: u64,
    elapsed: Elapsed,
    core_hz: Option<f64>,
    additions_hz: Option<f64>,
}

/// The jobs that were made so far: making one (key expansion, parsing an RSA key) may take longer than a slice.
#[derive(Default)]
struct Jobs {
    ready: HashMap<(Workload, usize), Box<dyn Job>>,
    text: usize,
}

impl Jobs {
    fn answer(&mut self, library: &dyn Library, request: &Request) -> Result<Answer, Refusal> {
        if request.operation == "describe" {
            let description = library.description();
            return Ok(Answer {
                version: Some(description.version),
                cpu_features: description.cpu_features,
                loaded_from: description.loaded_from,
                ..Answer::default()
            });
        }
        if request.file.is_some() {
            return files::serving::answer(library, request);
        }
        let workload = workload_of(request).map_err(Refusal::Error)?;
        // A packet's header is its AAD, of a fixed form.
        let aad = if workload.packets.is_some() { 0 } else { request.aad.unwrap_or(AAD_BYTES) };
        if let Some(fixtures) = &request.fixtures {
            return with_fixtures(library, &workload, fixtures);
        }
        let fixtures = || match workload.packets {
            Some(_) => Fixtures::of(&workload),
            None => Fixtures::of(&workload).with_aad(workload.algorithm, aad),
        };
        if request.threads > 1 {
            return many_threads(library, &workload, &fixtures(), request);
        }
        let job = self.get(library, &workload, aad, fixtures)?;
        if request.iterations == 0 {
            return Ok(Answer { note: job.note().map(str::to_owned), ..Answer::default() });
        }
        if let Some(timing) = request.seconds.and_then(|seconds| job.own_clock(seconds)) {
            let timing = timing?;
            return Ok(Answer {
                nanoseconds: Some(timing.nanoseconds),
                iterations: Some(timing.iterations),
                note: job.note().map(str::to_owned),
                ..Answer::default()
            });
        }
        let code_path = match request.observe_ms {
            0 => None,
            ms => Some(observe(job, &workload, Duration::from_millis(ms))?),
        };
        let timed = time(job, &workload, request.iterations, request.parts)?;
        Ok(Answer {
            nanoseconds: Some(timed.elapsed.wall_ns),
            cpu_nanoseconds: Some(timed.elapsed.cpu_ns),
            iterations: Some(timed.iterations),
            core_hz: timed.core_hz,
            additions_hz: timed.additions_hz,
            check: check(job, &workload, request.iterations)?,
            output: request.output.then(|| to_hexadecimal(&job.output())),
            code_path,
            note: job.note().map(str::to_owned),
            ..Answer::default()
        })
    }

    fn get(
        &mut self,
        library: &dyn Library,
        workload: &Workload,
        aad: usize,
        fixtures: impl Fn() -> Fixtures,
    ) -> Result<&mut dyn Job, Unsupported> {
        let key = (*workload, aad);
        if !self.ready.contains_key(&key) && self.text + workload.bytes > KEPT_TEXT {
            self.ready.clear();
            self.text = 0;
        }
        match self.ready.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => Ok(&mut **entry.into_mut()),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let job = library.prepare(workload, &fixtures())?;
                self.text += workload.bytes;
                Ok(&mut **entry.insert(job))
            }
        }
    }
}

/// One operation on inputs that the request brings, for a published vector or another library's signature.
fn with_fixtures(library: &dyn Library, workload: &Workload, fixtures: &Fixtures) -> Result<Answer, Refusal> {
    let mut job = library.prepare(workload, fixtures)?;
    job.reset()?;
    job.run(1)?;
    let output = job.output();
    Ok(Answer { check: Some(digest(&output)), output: Some(to_hexadecimal(&output)), ..Answer::default() })
}

/// Times `iterations` operations in `parts` of equal length, and gives the fastest part.
///
/// What disturbs a thread that has its core to itself (the core's other hardware thread, another guest of the host, an
/// interrupt) comes in bursts and only ever adds time; among eight parts of a millisecond or two there is almost always
/// one without. Many keys are gone through once before: timed is what the caches hold of them, not that they were cold.
///
/// Batches are done whole, so there may be more operations than were asked for.
fn time(job: &mut dyn Job, workload: &Workload, iterations: u64, parts: usize) -> Result<Timed, JobError> {
    let batch = workload.packets.map_or(1, |packets| packets.batch) as u64;
    let parts = (parts as u64).clamp(1, MAX_PARTS).min(iterations.max(1));
    let each = (iterations / parts).next_multiple_of(batch);
    job.reset()?;
    if iterations >= MIN_TO_WARM_UP {
        job.run((iterations / MIN_TO_WARM_UP).max(workload.keys as u64))?;
        job.reset()?;
    }
    let before = clock::core_hz();
    let mut fastest: Option<(Elapsed, Option<f64>)> = None;
    let mut additions_before = clock::additions_hz();
    for _ in 0..parts {
        let start = Moment::start();
        job.run(each)?;
        let elapsed = start.elapsed();
        let additions_after = clock::additions_hz();
        if fastest.is_none_or(|(fastest, _)| elapsed.wall_ns < fastest.wall_ns) {
            fastest = Some((elapsed, lower(additions_before, additions_after)));
        }
        additions_before = additions_after;
    }
    let (elapsed, additions_hz) = fastest.unwrap_or_default();
    Ok(Timed { iterations: each, elapsed, core_hz: middle(before, clock::core_hz()), additions_hz })
}

fn lower(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    Some(before?.min(after?))
}

fn middle(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    Some(before?.midpoint(after?))
}

/// The check of one operation from a fresh state, done by the very job that was timed, after it was timed.
fn check(job: &mut dyn Job, workload: &Workload, iterations: u64) -> Result<Option<String>, JobError> {
    if !deterministic(workload) {
        return Ok(None);
    }
    // A single timed operation began in the fresh state: its own output is looked at.
    if iterations != 1 {
        job.reset()?;
        job.run(1)?;
    }
    Ok(Some(digest(&job.output())))
}

fn digest(output: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(output)[..16])
}

fn observe(job: &mut dyn Job, workload: &Workload, duration: Duration) -> Result<String, JobError> {
    job.reset()?;
    // Calls of about 0.2 ms, so that the observation ends in time however long an operation is.
    let start = Instant::now();
    job.run(1)?;
    let iterations = (200_000 / start.elapsed().as_nanos().max(1)).clamp(1, 4_000) as u64;
    let is_short = workload.algorithm.kind().is_bulk() && workload.bytes <= SHORT;
    let following = if is_short { Following::Some } else { Following::None };
    code_path::observe(|| job.run(iterations), duration, following)
}

/// The workload in several threads at once; the wall time is from the first start to the last end.
fn many_threads(
    library: &dyn Library,
    workload: &Workload,
    fixtures: &Fixtures,
    request: &Request,
) -> Result<Answer, Refusal> {
    struct Part {
        start: Instant,
        end: Instant,
        cpu_ns: u64,
        core_hz: Option<f64>,
        check: Option<String>,
        note: Option<&'static str>,
    }
    let barrier = Barrier::new(request.threads);
    let awake = AtomicUsize::new(0);
    let work = || -> Result<Part, Refusal> {
        let prepared = library.prepare(workload, fixtures).map_err(Refusal::from).and_then(|mut job| {
            job.reset()?;
            job.run((request.iterations / MIN_TO_WARM_UP).max(1))?;
            job.reset()?;
            Ok(job)
        });
        // Every thread comes to the barrier, whether it can work or not; the others would wait for ever.
        barrier.wait();
        // The barrier wakes one after the other; all begin when the last is awake.
        awake.fetch_add(1, Ordering::AcqRel);
        while awake.load(Ordering::Acquire) < request.threads {
            std::hint::spin_loop();
        }
        let mut job = prepared?;
        let moment = Moment::start();
        job.run(request.iterations)?;
        let elapsed = moment.elapsed();
        let start = moment.wall();
        Ok(Part {
            start,
            end: start + Duration::from_nanos(elapsed.wall_ns),
            cpu_ns: elapsed.cpu_ns,
            core_hz: clock::core_hz(),
            check: check(&mut *job, workload, request.iterations)?,
            note: job.note(),
        })
    };
    let parts = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..request.threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Refusal::Error("a thread panicked".to_owned()))))
            .collect::<Result<Vec<Part>, Refusal>>()
    })?;
    let (Some(start), Some(end)) = (parts.iter().map(|part| part.start).min(), parts.iter().map(|part| part.end).max())
    else {
        return Err(Refusal::Error("no thread ran".to_owned()));
    };
    let first = &parts[0];
    if parts.iter().any(|part| part.check != first.check) {
        return Err(Refusal::Error("the threads' outputs differ".to_owned()));
    }
    let clocks: Vec<f64> = parts.iter().filter_map(|part| part.core_hz).collect();
    Ok(Answer {
        nanoseconds: Some((end - start).as_nanos() as u64),
        cpu_nanoseconds: Some(parts.iter().map(|part| part.cpu_ns).sum()),
        iterations: Some(request.iterations * request.threads as u64),
        core_hz: (!clocks.is_empty()).then(|| clocks.iter().sum::<f64>() / clocks.len() as f64),
        check: first.check.clone(),
        note: first.note.map(str::to_owned),
        ..Answer::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_libraries::{Opening, planted};
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::Operation;

    fn ask(lines: &str) -> Vec<Answer> {
        let library = (planted::EMPTY.open)(&Opening::default()).unwrap();
        let mut output = Vec::new();
        serve(Ok(&*library), lines.as_bytes(), &mut output).unwrap();
        output.split(|&b| b == b'\n').filter(|l| !l.is_empty()).map(|l| serde_json::from_slice(l).unwrap()).collect()
    }

    fn line(request: &Request) -> String {
        serde_json::to_string(request).unwrap() + "\n"
    }

    #[test]
    fn a_slice_is_timed_and_checked() {
        let request = Request::work(Operation::Hash, Algorithm::Sha256, 64, 100_000);
        let answers = ask(&line(&request));
        assert!(answers[0].nanoseconds.unwrap() > 0 && answers[0].check.is_some(), "{answers:?}");
    }

    #[test]
    fn several_threads_do_as_many_times_the_work() {
        let request = Request { threads: 3, ..Request::work(Operation::Hash, Algorithm::Sha256, 64, 1000) };
        assert_eq!(ask(&line(&request))[0].iterations, Some(3000));
    }

    #[test]
    fn nonsense_is_answered_and_the_next_request_still_served() {
        let mut lines = "nonsense\n{\"operation\":\"hash\",\"algorithm\":\"rot13\"}\n".to_owned();
        lines += &line(&Request { bytes: usize::MAX, ..Request::work(Operation::Hash, Algorithm::Sha256, 0, 1) });
        lines += &line(&Request { threads: 0, ..Request::work(Operation::Hash, Algorithm::Sha256, 0, 1) });
        lines += &line(&Request::work(Operation::Seal, Algorithm::Sha256, 0, 1));
        lines += &line(&Request { keys: 0, ..Request::work(Operation::Seal, Algorithm::Aes128Gcm, 16, 1) });
        lines += &line(&Request::describe());
        let answers = ask(&lines);
        assert_eq!(answers.len(), 7);
        assert!(answers[..6].iter().all(|answer| answer.error.is_some()), "{answers:?}");
        assert_eq!(answers[6].version.as_deref(), Some("test"));
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let library = (planted::EMPTY.open)(&Opening::default()).unwrap();
        let endless = vec![b'x'; MAX_LINE + 2];
        assert!(serve(Ok(&*library), endless.as_slice(), Vec::new()).is_err());
    }
}
