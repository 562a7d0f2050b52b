//! Whether whoever started this program has asked it to stop, by Ctrl-C or by telling it to terminate.
//!
//! Nothing is done in the signal's handler: what waits for something looks here now and then, gives up, and what it
//! holds (processes, folders, the store) is put in order on the way out.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

#[cfg(unix)]
use unix::SignalListener as Listener;
#[cfg(windows)]
use windows::ConsoleListener as Listener;

/// The signal that asked; 0 if none did.
static ASKED: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
/// How often a wait looks whether it is to end: seldom enough that looking disturbs nothing that is measured, since no
/// slice is as long unless that was asked for.
const NOW_AND_THEN: Duration = Duration::from_millis(200);

/// As long as this lives, the first signal only asks. The second one, and any after this is gone, ends the process at
/// once.
#[derive(Debug)]
pub struct SignalGuard {
    /// Ends the listening when it is dropped.
    _listener: Listener,
}

/// Begins to listen. What this process was started to ignore (as by `nohup`, or in the background of a script) stays
/// ignored.
///
/// # Errors
/// If the system refuses a handler.
pub fn listen() -> io::Result<SignalGuard> {
    Listener::begin().map(|listener| SignalGuard { _listener: listener })
}

/// The signal that asked to stop.
pub fn signal() -> Option<u8> {
    u8::try_from(ASKED.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
}

/// Asks this program to stop, as SIGTERM does while something [listens](listen).
pub fn request() {
    const TERMINATE: usize = 15;
    ASKED.store(TERMINATE, Ordering::SeqCst);
}

/// Whether something asked to stop.
pub fn is_wanted() -> bool {
    signal().is_some()
}

/// Why nothing was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Nothing came in time.
    TimedOut,
    /// Nothing will come any more.
    Ended,
    /// This program is to stop.
    Interrupted,
}

/// Waits at most `limit` for what comes from `channel`.
///
/// # Errors
/// Why nothing came.
pub fn receive<T>(channel: &Receiver<T>, limit: Duration) -> Result<T, Silence> {
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match channel.recv_timeout(left.min(NOW_AND_THEN)) {
            Ok(received) => return Ok(received),
            Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
            Err(RecvTimeoutError::Timeout) if is_wanted() => return Err(Silence::Interrupted),
            Err(RecvTimeoutError::Timeout) if Instant::now() >= end => return Err(Silence::TimedOut),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_is_received_and_silence_is_told_apart() {
        let (sender, receiver) = std::sync::mpsc::channel();
        sender.send(1).unwrap();
        assert_eq!(receive(&receiver, Duration::ZERO), Ok(1));
        assert_eq!(receive(&receiver, Duration::from_millis(1)), Err(Silence::TimedOut));
        drop(sender);
        assert_eq!(receive(&receiver, Duration::from_secs(60)), Err(Silence::Ended));
    }
}
