//! Reasons why the threads stop early: an error, or a panic in a function of the caller.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::Error;

/// Reason why a thread stopped. A panic continues in the caller's thread when all other threads have ended.
pub(crate) enum Stopped {
    /// Reading, writing or opening failed.
    Error(Error),
    /// A function of the caller, such as the progress function, panicked.
    Panic(Box<dyn Any + Send>),
}

/// Runs `work` and catches a panic, so that waiting threads are notified.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Stopped> {
    // A panic leaves at most an unfinished buffer, which is wiped before it is used again.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(Stopped::Error),
        Err(panic) => Err(Stopped::Panic(panic)),
    }
}

impl Stopped {
    /// Returns whether this reason is about an earlier chunk than `other`. Threads begin segments in order and end each
    /// begun segment, so the earliest reason names the first failing chunk of the file.
    pub(crate) fn is_before(&self, other: &Stopped) -> bool {
        matches!((self.chunk(), other.chunk()), (Some(own), Some(other)) if own < other)
    }

    fn chunk(&self) -> Option<u64> {
        match self {
            Stopped::Error(Error::AuthenticationFailed { chunk } | Error::WrongEnd { chunk }) => Some(*chunk),
            Stopped::Error(Error::Truncated) => Some(u64::MAX),
            _ => None,
        }
    }

    /// Returns the error that stopped the thread.
    ///
    /// # Panics
    /// Resumes the panic if the reason was a panic.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Stopped::Error(error) => error,
            Stopped::Panic(panic) => resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_failing_chunk_is_reported() {
        let [of_1, of_2] = [1, 2].map(|chunk| Stopped::Error(Error::AuthenticationFailed { chunk }));
        let end_of_3 = Stopped::Error(Error::WrongEnd { chunk: 3 });
        let truncated = Stopped::Error(Error::Truncated);
        let others = [Stopped::Error(Error::Changed), Stopped::Panic(Box::new("panic"))];
        let in_order = [of_1, of_2, end_of_3, truncated];
        for (place, one) in in_order.iter().enumerate() {
            for (other_place, other) in in_order.iter().enumerate() {
                assert_eq!(one.is_before(other), place < other_place, "{place} {other_place}");
            }
            // A reason without a chunk is never before another one, so the first of them is kept.
            assert!(others.iter().all(|other| !one.is_before(other) && !other.is_before(one)));
        }
    }
}
