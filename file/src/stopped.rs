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
