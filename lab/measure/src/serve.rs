//! Serves the protocol in a worker: holds one library and answers requests until its input ends.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::child::write_line;
use super::clock::{self, Elapsed, Moment};
use super::code_path::{self, SingleStepping};
use super::files;
use super::protocol::{
    MAX_LINE, PROTOCOL, ReadyWorkload, Refusal, RequestLine, Slice, TimedWorkload, WorkerAnswer, WorkerDescription,
    WorkerRequest, checksum,
};
use kasoku_libraries::command::refusal;
use kasoku_libraries::fixtures::{Fixtures, deterministic, to_hexadecimal};
use kasoku_libraries::{Job, JobError, Library, OwnTiming, Unavailable, Unsupported};
use kasoku_model::workload::Workload;

/// Maximum total bytes of text in the jobs that a worker keeps. Above it, the worker drops its jobs and prepares them
/// anew.
const KEPT_TEXT: usize = 64 << 20;
const MAX_PARTS: u64 = 1000;
/// Maximum length in bytes of a short message, which spends more time around a cipher's kernel than in it.
const SHORT: usize = 256;
/// Minimum number of operations in a slice that has a warm-up. With fewer, each operation takes so long that the first
/// one hardly differs from the others.
const MIN_TO_WARM_UP: u64 = 16;

/// Answers the requests on `input` with lines on `output` until `input` ends.
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
        let answer = match (serde_json::from_str::<RequestLine>(&line), &library) {
            (Err(error), _) => Err(format!("not a request: {error}").into()),
            (Ok(_), Err(unavailable)) => Err(unavailable.clone().into()),
            (Ok(line), Ok(library)) => {
                line.request().map_err(Refusal::from).and_then(|request| jobs.answer(*library, request))
            }
        };
        write_line(&mut output, &answer.map_or_else(WorkerAnswer::Refused, WorkerAnswer::Done))?;
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Done {
    Description(WorkerDescription),
    Ready(ReadyWorkload),
    Timed(TimedWorkload),
}

/// Prepared jobs, which are kept because preparing one (key expansion, parsing an RSA key) may take longer than a
/// slice.
#[derive(Default)]
struct Jobs {
    ready: HashMap<Workload, Box<dyn Job>>,
    text: usize,
}

impl Jobs {
    fn answer(&mut self, library: &dyn Library, request: WorkerRequest) -> Result<Done, Refusal> {
        Ok(match request {
            WorkerRequest::Describe => {
                Done::Description(WorkerDescription { protocol: PROTOCOL, library: library.description() })
            }
            WorkerRequest::Ready(workload, threads) if workload.files().is_some() => {
                Done::Ready(files::serving::ready(library, &workload, threads)?)
            }
            WorkerRequest::Ready(workload, _) => {
                Done::Ready(ReadyWorkload { note: note(self.get(library, &workload)?), ..ReadyWorkload::default() })
            }
            WorkerRequest::Slice(Slice { fixtures: Some(fixtures), .. }) if !fixtures.tag.is_empty() => {
                return Err(Unsupported::new("it opens only messages that it sealed").into());
            }
            WorkerRequest::Slice(slice) => Done::Timed(match &slice.file {
                Some(file) => files::serving::time(library, &slice, file)?,
                None if slice.threads > 1 => many_threads(library, &slice)?,
                None => match &slice.fixtures {
                    Some(fixtures) => one_thread(&mut *library.prepare(&slice.workload, fixtures)?, &slice)?,
                    None => one_thread(self.get(library, &slice.workload)?, &slice)?,
                },
            }),
            WorkerRequest::OwnClock(workload, seconds) => {
                let job = self.get(library, &workload)?;
                let timing = job.own_clock(seconds).ok_or_else(|| Unsupported::new("it has no clock of its own"))??;
                let OwnTiming { nanoseconds, iterations, .. } = timing;
                Done::Timed(TimedWorkload { nanoseconds, iterations, note: note(job), ..TimedWorkload::default() })
            }
        })
    }

    fn get(&mut self, library: &dyn Library, workload: &Workload) -> Result<&mut dyn Job, Unsupported> {
        if !self.ready.contains_key(workload) && self.text + workload.bytes > KEPT_TEXT {
            self.ready.clear();
            self.text = 0;
        }
        match self.ready.entry(*workload) {
            std::collections::hash_map::Entry::Occupied(entry) => Ok(&mut **entry.into_mut()),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let job = library.prepare(workload, &Fixtures::of(workload))?;
                self.text += workload.bytes;
                Ok(&mut **entry.insert(job))
            }
        }
    }
}

fn note(job: &dyn Job) -> Option<String> {
    job.note().map(str::to_owned)
}

/// Times the operations in parts of equal length, and returns the fastest part. Disturbances come in bursts and only
/// ever add time. Among eight parts of a millisecond or two, one almost always runs undisturbed.
///
/// The warm-up uses every key once, so that the caches are in the state of continuous use. Only whole batches run, so
/// there may be more operations than requested.
fn one_thread(job: &mut dyn Job, slice: &Slice) -> Result<TimedWorkload, JobError> {
    let Slice { workload, iterations, .. } = *slice;
    let code_path = match slice.observe_ms {
        0 => None,
        ms => Some(observe(job, &workload, Duration::from_millis(ms))?),
    };
    let batch = workload.packets().map_or(1, |packets| packets.batch) as u64;
    let parts = (slice.parts as u64).clamp(1, MAX_PARTS).min(iterations);
    let each = (iterations / parts).next_multiple_of(batch);
    job.reset()?;
    if iterations >= MIN_TO_WARM_UP {
        job.run((iterations / MIN_TO_WARM_UP).max(workload.keys as u64))?;
        job.reset()?;
    }
    let before = clock::core_hz();
    let mut fastest: Option<(Elapsed, Option<f64>)> = None;
    let mut additions_before = clock::additions_hz();
    for part in 0..parts {
        let start = Moment::start();
        at_stack_position(part as usize, &mut || job.run(each))?;
        let elapsed = start.elapsed();
        let additions_after = clock::additions_hz();
        if fastest.is_none_or(|(fastest, _)| elapsed.wall_ns < fastest.wall_ns) {
            fastest = Some((elapsed, additions_before.zip(additions_after).map(|(before, after)| before.min(after))));
        }
        additions_before = additions_after;
    }
    let (elapsed, additions_hz) = fastest.unwrap_or_default();
    Ok(TimedWorkload {
        nanoseconds: elapsed.wall_ns,
        cpu_nanoseconds: elapsed.cpu_ns,
        iterations: each,
        core_hz: before.zip(clock::core_hz()).map(|(before, after)| before.midpoint(after)),
        additions_hz,
        check: check(job, &workload, iterations)?,
        output: slice.output.then(|| to_hexadecimal(&job.output())),
        code_path,
        note: note(job),
        ..TimedWorkload::default()
    })
}

/// Distance between two stack positions in bytes, which is the stack alignment in ABIs.
const STACK_STEP: usize = 16;
/// Number of stack positions at which the parts of a slice run in turn. Eight steps of 16 bytes span two cache lines.
const STACK_POSITIONS: usize = 8;

/// Calls `work` with its stack moved down by one to eight steps of 16 bytes; `place` modulo 8 selects how many.
///
/// The kernel puts a process's stack at a random multiple of 16 bytes. A library is slower if its vectors on the stack
/// cross cache lines. For RustCrypto's AES-128-GCM on Zen 4, starts differed by 4 to 5 %. With the fastest of eight
/// positions they differ by less than 1 %.
fn at_stack_position<T>(place: usize, work: &mut dyn FnMut() -> T) -> T {
    match place % STACK_POSITIONS {
        0 => below::<STACK_STEP, T>(work),
        1 => below::<{ 2 * STACK_STEP }, T>(work),
        2 => below::<{ 3 * STACK_STEP }, T>(work),
        3 => below::<{ 4 * STACK_STEP }, T>(work),
        4 => below::<{ 5 * STACK_STEP }, T>(work),
        5 => below::<{ 6 * STACK_STEP }, T>(work),
        6 => below::<{ 7 * STACK_STEP }, T>(work),
        _ => below::<{ 8 * STACK_STEP }, T>(work),
    }
}

#[inline(never)]
fn below<const BYTES: usize, T>(work: &mut dyn FnMut() -> T) -> T {
    let mut room = [0u8; BYTES];
    std::hint::black_box(&mut room);
    let outcome = work();
    // The second use keeps the call above from becoming a tail call, which would run on a stack without `room`.
    std::hint::black_box(&mut room);
    outcome
}

/// Returns the checksum of the output of one operation from a fresh state, run by the timed job. Returns `None` if the
/// output is random.
fn check(job: &mut dyn Job, workload: &Workload, iterations: u64) -> Result<Option<String>, JobError> {
    if !deterministic(workload) {
        return Ok(None);
    }
    // A single timed operation began in the fresh state, so its own output is checked.
    if iterations != 1 {
        job.reset()?;
        job.run(1)?;
    }
    Ok(Some(checksum(&job.output())))
}

fn observe(job: &mut dyn Job, workload: &Workload, duration: Duration) -> Result<String, JobError> {
    job.reset()?;
    // Each call of `run` takes about 0.2 ms, so that the observation of short operations ends on time.
    let start = Instant::now();
    job.run(1)?;
    let iterations = (200_000 / start.elapsed().as_nanos().max(1)).clamp(1, 4_000) as u64;
    let is_short = workload.algorithm.kind().is_bulk() && workload.bytes <= SHORT;
    let following = if is_short { SingleStepping::Sampled } else { SingleStepping::Off };
    code_path::observe(|| job.run(iterations), duration, following)
}

/// Times the workload in several threads at once. The wall time is from the first start to the last end.
fn many_threads(library: &dyn Library, slice: &Slice) -> Result<TimedWorkload, Refusal> {
    let Slice { ref workload, iterations, threads, .. } = *slice;
    let fixtures = slice.fixtures.as_deref().cloned().unwrap_or_else(|| Fixtures::of(workload));
    let barrier = Barrier::new(threads);
    let awake = AtomicUsize::new(0);
    let are_all_started = OnceLock::new();
    let work = || -> Result<(Instant, TimedWorkload), Refusal> {
        if !are_all_started.wait() {
            return Err(Refusal::from("another thread was refused".to_owned()));
        }
        let prepared = library.prepare(workload, &fixtures).map_err(Refusal::from).and_then(|mut job| {
            job.reset()?;
            job.run((iterations / MIN_TO_WARM_UP).max(1))?;
            job.reset()?;
            Ok(job)
        });
        // Every thread must reach the barrier, even one that cannot work; otherwise the others would wait for ever.
        barrier.wait();
        // The barrier wakes threads one after the other, so each spins until the last one is awake.
        awake.fetch_add(1, Ordering::AcqRel);
        while awake.load(Ordering::Acquire) < threads {
            std::hint::spin_loop();
        }
        let mut job = prepared?;
        let moment = Moment::start();
        job.run(iterations)?;
        let elapsed = moment.elapsed();
        let timed = TimedWorkload {
            nanoseconds: elapsed.wall_ns,
            cpu_nanoseconds: elapsed.cpu_ns,
            core_hz: clock::core_hz(),
            check: check(&mut *job, workload, iterations)?,
            note: note(&*job),
            ..TimedWorkload::default()
        };
        Ok((moment.wall(), timed))
    };
    let parts = thread::scope(|scope| {
        let started: io::Result<Vec<_>> =
            (0..threads).map(|_| thread::Builder::new().spawn_scoped(scope, work)).collect();
        // Tells the threads whether all were started; with one missing, the others would wait at the barrier for ever.
        are_all_started.get_or_init(|| started.is_ok());
        started
            .map_err(|error| format!("cannot start {threads} threads: {}", refusal(&error)))?
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Refusal::from("a thread panicked".to_owned()))))
            .collect::<Result<Vec<(Instant, TimedWorkload)>, Refusal>>()
    })?;
    let starts = parts.iter().map(|(start, _)| *start);
    let ends = parts.iter().map(|(start, timed)| *start + Duration::from_nanos(timed.nanoseconds));
    let (Some(start), Some(end)) = (starts.min(), ends.max()) else {
        return Err(Refusal::from("no thread ran".to_owned()));
    };
    let parts: Vec<TimedWorkload> = parts.into_iter().map(|(_, timed)| timed).collect();
    let first = &parts[0];
    if parts.iter().any(|part| part.check != first.check) {
        return Err(Refusal::from("the threads' outputs differ".to_owned()));
    }
    let clocks: Vec<f64> = parts.iter().filter_map(|part| part.core_hz).collect();
    Ok(TimedWorkload {
        nanoseconds: (end - start).as_nanos() as u64,
        cpu_nanoseconds: parts.iter().map(|part| part.cpu_nanoseconds).sum(),
        iterations: iterations * threads as u64,
        core_hz: (!clocks.is_empty()).then(|| clocks.iter().sum::<f64>() / clocks.len() as f64),
        ..first.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_libraries::{Opening, simulated};
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn ask(lines: &str) -> Vec<Value> {
        let library = (simulated::EMPTY.open)(&Opening::default()).unwrap();
        let mut output = Vec::new();
        serve(Ok(&*library), lines.as_bytes(), &mut output).unwrap();
        output.split(|&b| b == b'\n').filter(|l| !l.is_empty()).map(|l| serde_json::from_slice(l).unwrap()).collect()
    }

    fn hash(more: &str) -> String {
        format!("{{\"operation\":\"hash\",\"algorithm\":\"sha-256\"{more}}}\n")
    }

    #[test]
    fn slice_answer_has_time_and_check_and_the_iterations_of_all_threads() {
        for (more, iterations) in [(",\"iterations\":1000,\"threads\":3", 3000), (",\"iterations\":100000", 12500)] {
            let answers = ask(&hash(&format!(",\"bytes\":64,\"parts\":8{more}")));
            assert!(answers[0]["nanoseconds"].as_u64().unwrap() > 0 && answers[0]["check"].is_string(), "{answers:?}");
            assert_eq!(answers[0]["iterations"], iterations);
        }
    }

    #[test]
    fn serve_answers_invalid_requests_and_goes_on() {
        let mut lines = "nonsense\n{\"operation\":\"hash\",\"algorithm\":\"rot13\"}\n".to_owned();
        lines += &hash(&format!(",\"bytes\":{},\"iterations\":1", usize::MAX));
        lines += &hash(",\"threads\":0,\"iterations\":1");
        lines += "{\"operation\":\"seal\",\"algorithm\":\"sha-256\",\"iterations\":1}\n";
        lines += "{\"operation\":\"seal\",\"algorithm\":\"aes-128-gcm\",\"bytes\":16,\"keys\":0,\"iterations\":1}\n";
        lines += "{\"operation\":\"describe\"}\n";
        let answers = ask(&lines);
        assert_eq!(answers.len(), 7);
        assert!(answers[..6].iter().all(|answer| answer["error"].is_string()), "{answers:?}");
        assert_eq!(answers[6]["version"], "test");
    }

    #[test]
    fn serve_fails_on_a_line_above_the_maximum_length() {
        let library = (simulated::EMPTY.open)(&Opening::default()).unwrap();
        let endless = vec![b'x'; MAX_LINE + 2];
        assert!(serve(Ok(&*library), endless.as_slice(), Vec::new()).is_err());
    }

    #[inline(never)]
    fn address_of_a_local() -> usize {
        let local = 0u8;
        std::ptr::from_ref(std::hint::black_box(&local)).addr()
    }

    #[test]
    fn eight_calls_use_every_stack_position_in_two_cache_lines() {
        let places: BTreeSet<usize> = (0..STACK_POSITIONS)
            .map(|place| at_stack_position(place, &mut address_of_a_local) / STACK_STEP % STACK_POSITIONS)
            .collect();
        assert_eq!(places.len(), STACK_POSITIONS, "{places:?}");
        assert_eq!(
            at_stack_position(3, &mut address_of_a_local),
            at_stack_position(3 + STACK_POSITIONS, &mut address_of_a_local)
        );
    }
}
