//! What ends the work of several threads before its end: an error, or a panic in what they call.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::Error;

/// Why a thread stopped. A panic goes on in the caller's thread, when no other thread works any more.
pub(crate) enum Stopped {
    /// Something could not be read, written or opened.
    Error(Error),
    /// What was called, such as the caller's progress, panicked.
    Panic(Box<dyn Any + Send>),
}

/// Does `work`; a panic in it is caught, so that whoever waits for this thread hears of it.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Stopped> {
    // What a panic leaves half done is a buffer, which nobody looks at again before it is wiped.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(Stopped::Error),
        Err(panic) => Err(Stopped::Panic(panic)),
    }
}

impl Stopped {
    /// Whether it is about an earlier chunk than `other`: segments are begun in order, and each that was begun ends, so
    /// the earliest of all is the first of the file.
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

    /// The error.
    ///
    /// # Panics
    /// If it was a panic: with that one.
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
    fn what_is_about_the_first_chunk_counts() {
        let [of_1, of_2] = [1, 2].map(|chunk| Stopped::Error(Error::AuthenticationFailed { chunk }));
        let end_of_3 = Stopped::Error(Error::WrongEnd { chunk: 3 });
        let truncated = Stopped::Error(Error::Truncated);
        let others = [Stopped::Error(Error::Changed), Stopped::Panic(Box::new("panic"))];
        let in_order = [of_1, of_2, end_of_3, truncated];
        for (place, one) in in_order.iter().enumerate() {
            for (other_place, other) in in_order.iter().enumerate() {
                assert_eq!(one.is_before(other), place < other_place, "{place} {other_place}");
            }
            // Of what is about no chunk, whatever came first stays.
            assert!(others.iter().all(|other| !one.is_before(other) && !other.is_before(one)));
        }
    }
}
