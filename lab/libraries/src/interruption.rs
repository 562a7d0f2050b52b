//! Requests to stop this program, by Ctrl-C or by a termination signal.
//!
//! The signal handler only records the request. Code that waits checks for a request regularly and returns, so that
//! processes, folders and the store are cleaned up on the way out.

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

/// Number of the signal that requested the stop; 0 for none.
static REQUESTED_BY: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
/// Interval between checks for a request. It is longer than a slice of the default length, so that checks disturb no
/// measurement.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Handles signals until it is dropped: the first signal only requests a stop, a second one ends the process at once.
#[derive(Debug)]
pub struct SignalGuard {
    _listener: Listener,
}

/// Starts to handle signals. Signals that this process was started to ignore (by `nohup`, or in the background of a
/// script) stay ignored.
pub fn listen() -> io::Result<SignalGuard> {
    Listener::begin().map(|listener| SignalGuard { _listener: listener })
}

pub fn signal() -> Option<u8> {
    u8::try_from(REQUESTED_BY.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
}

/// Requests this program to stop, as SIGTERM does while something [listens](listen).
pub fn request() {
    const TERMINATE: usize = 15;
    REQUESTED_BY.store(TERMINATE, Ordering::SeqCst);
}

pub fn is_wanted() -> bool {
    signal().is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    TimedOut,
    /// All senders of the channel are gone, so no message can arrive.
    Ended,
    Interrupted,
}

pub fn receive<T>(channel: &Receiver<T>, limit: Duration) -> Result<T, Silence> {
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match channel.recv_timeout(left.min(CHECK_INTERVAL)) {
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
    fn receive_tells_timeouts_from_closed_channels() {
        let (sender, receiver) = std::sync::mpsc::channel();
        sender.send(1).unwrap();
        assert_eq!(receive(&receiver, Duration::ZERO), Ok(1));
        assert_eq!(receive(&receiver, Duration::from_millis(1)), Err(Silence::TimedOut));
        drop(sender);
        assert_eq!(receive(&receiver, Duration::from_secs(60)), Err(Silence::Ended));
    }
}
