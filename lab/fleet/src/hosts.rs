//! The hosts of a run as each of them sees the others: messages between the first one and the rest. [`Alone`] has no
//! others; MPI brings them where it was built in.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Hosts that were started together.
pub trait Hosts {
    /// The number of this one; the first is 0.
    fn own(&self) -> usize;

    /// How many there are.
    fn count(&self) -> usize;

    /// Sends a message.
    fn send(&mut self, to: usize, message: &[u8]);

    /// Waits for the next message of another host, of at most `most` bytes; at full speed if it is to come at once.
    ///
    /// # Errors
    /// [`HostsError`]
    fn receive(&mut self, from: usize, most: usize, wait: Wait) -> Result<Vec<u8>, HostsError>;

    /// Waits until all hosts are here.
    fn barrier(&mut self);
}

/// How a message is waited for.
#[derive(Clone, Copy, Debug)]
pub enum Wait {
    /// As long as it takes, with hardly any work.
    Long,
    /// Until then, with hardly any work.
    Until(Instant),
    /// With all the work it takes to see it at once, for a few seconds.
    Eagerly,
}

/// What went wrong between hosts.
#[derive(Debug, thiserror::Error)]
pub enum HostsError {
    /// Longer than any message can be.
    #[error("host {host} sent {bytes} bytes; at most {most} are allowed")]
    TooLong {
        /// The host.
        host: usize,
        /// Its length.
        bytes: usize,
        /// The longest that is allowed.
        most: usize,
    },
    /// It did not come.
    #[error("host {0} does not answer")]
    Silent(usize),
    /// It makes no sense.
    #[error("host {host} sent an invalid message: {why}")]
    Nonsense {
        /// The host.
        host: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// How long an eager wait may take.
const EAGERLY: Duration = Duration::from_secs(30);

impl Wait {
    /// When it ends, if it does.
    pub fn end(self) -> Option<Instant> {
        match self {
            Wait::Long => None,
            Wait::Until(until) => Some(until),
            Wait::Eagerly => Some(Instant::now() + EAGERLY),
        }
    }

    /// Lets other work be done before one looks again.
    pub fn rest(self) {
        match self {
            Wait::Eagerly => std::hint::spin_loop(),
            Wait::Long | Wait::Until(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Sends `message` as JSON.
pub fn tell(hosts: &mut dyn Hosts, to: usize, message: &impl Serialize) {
    // Messages are plain values, which always have a form in JSON.
    if let Ok(text) = serde_json::to_vec(message) {
        hosts.send(to, &text);
    }
}

/// Waits for a message, and reads it.
///
/// # Errors
/// [`HostsError`]
pub fn hear<T: DeserializeOwned>(hosts: &mut dyn Hosts, from: usize, most: usize, wait: Wait) -> Result<T, HostsError> {
    let message = hosts.receive(from, most, wait)?;
    let nonsense = |error: serde_json::Error| HostsError::Nonsense {
        host: from,
        why: kasoku_model::printable::printable(&error.to_string()),
    };
    serde_json::from_slice(&message).map_err(nonsense)
}

/// One host without others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Hosts for Alone {
    fn own(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn send(&mut self, _to: usize, _message: &[u8]) {}

    fn receive(&mut self, from: usize, _most: usize, _wait: Wait) -> Result<Vec<u8>, HostsError> {
        Err(HostsError::Silent(from))
    }

    fn barrier(&mut self) {}
}
