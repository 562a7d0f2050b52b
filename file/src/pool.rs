//! Pipeline of segments: one thread reads, several threads process, one thread writes in order. Buffers are reused.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use zeroize::Zeroizing;

use crate::stopped::{Stopped, caught};
use crate::{Error, Options};

/// Consecutive chunks on their way from input to output.
pub(crate) struct Segment {
    /// Number of the segment, from 0.
    pub(crate) number: u64,
    /// Input buffer.
    pub(crate) input: Zeroizing<Vec<u8>>,
    /// Number of bytes read into `input`.
    pub(crate) read: usize,
    /// Whether the input ends with this segment.
    pub(crate) is_end: bool,
    /// Output buffer.
    pub(crate) output: Zeroizing<Vec<u8>>,
}

/// Processes a segment and returns the number of output bytes.
pub(crate) type Work<'a> = dyn Fn(&mut Segment) -> Result<usize, Error> + Sync + 'a;

/// Processes `input` with `work` and writes the results to `output`, in segments whose input and output buffers have
/// `sizes` bytes. Writes segments in order, and none after a failed segment.
pub(crate) fn run<R: Read, W: Write + Send>(
    mut input: R,
    output: &mut W,
    sizes: (usize, usize),
    options: &Options<'_>,
    work: &Work<'_>,
) -> Result<(), Error> {
    let (free, taken) = channel();
    for _ in 0..options.segments() {
        let buffer = |size| Zeroizing::new(vec![0; size]);
        let segment = Segment { number: 0, input: buffer(sizes.0), read: 0, is_end: false, output: buffer(sizes.1) };
        let _ = free.send(segment); // the receiver exists
    }
    let (to_work, waiting) = channel::<Segment>();
    let (to_write, done) = channel();
    let waiting = Mutex::new(waiting);

    let stopped = thread::scope(|scope| {
        let spawn = || thread::Builder::new();
        let writer = spawn().spawn_scoped(scope, move || write_in_order(&done, output, &free));
        let writer = writer.map_err(|error| Stopped::Error(Error::Thread(error)))?;
        for number in 0..options.threads() {
            let (to_write, waiting) = (to_write.clone(), &waiting);
            match spawn().spawn_scoped(scope, move || serve(waiting, &to_write, work)) {
                Err(error) if number == 0 => return Err(Stopped::Error(Error::Thread(error))),
                Err(_) => break, // the started threads do all the work
                Ok(_) => {}
            }
        }
        drop(to_write);
        let read = read_all(&mut input, &taken, &to_work);
        drop(to_work);
        let written = writer.join().unwrap_or_else(|panic| Err(Stopped::Panic(panic)));
        // A write error stopped reading and comes first; a read error comes after all written segments.
        written.and(read.map_err(Stopped::Error))
    });
    stopped.map_err(Stopped::into_error)
}

/// Reads segments until the input ends or the other threads have stopped.
fn read_all<R: Read>(input: &mut R, taken: &Receiver<Segment>, to_work: &Sender<Segment>) -> Result<(), Error> {
    for number in 0.. {
        let Ok(mut segment) = taken.recv() else { return Ok(()) };
        segment.number = number;
        segment.read = fill(input, &mut segment.input)?;
        // A segment is shorter than its buffer only at the end of the input, so no further read is needed.
        segment.is_end = segment.read < segment.input.len();
        let is_end = segment.is_end;
        if to_work.send(segment).is_err() || is_end {
            break;
        }
    }
    Ok(())
}

/// Reads until `buffer` is full or the input ends, and returns the number of bytes.
pub(crate) fn fill<R: Read>(input: &mut R, buffer: &mut [u8]) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::Read(error)),
        }
    }
    Ok(filled)
}

type Done = (Segment, Result<usize, Stopped>);

fn serve(waiting: &Mutex<Receiver<Segment>>, to_write: &Sender<Done>, work: &Work<'_>) {
    loop {
        // Holds the lock while waiting: another thread with the lock could only wait, too.
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut segment) = next else { return };
        // Catches panics: the writer would wait forever for a segment that a panic destroyed.
        let result = caught(|| work(&mut segment));
        if to_write.send((segment, result)).is_err() {
            return;
        }
    }
}

fn write_in_order<W: Write>(done: &Receiver<Done>, output: &mut W, free: &Sender<Segment>) -> Result<(), Stopped> {
    let failed = |error| Stopped::Error(Error::Write(error));
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (segment, result) in done {
        early.insert(segment.number, (segment, result));
        while let Some((segment, result)) = early.remove(&next) {
            output.write_all(&segment.output[..result?]).map_err(failed)?;
            next += 1;
            let _ = free.send(segment); // fails if the reader has ended
        }
    }
    output.flush().map_err(failed)
}
