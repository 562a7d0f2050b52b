//! Subcommands, one in each file.
//!
//! Each module has the clap arguments `Args` and a function `run` that returns a [`CommandOutcome`] or a [`Failure`].
//! Results go to standard output, progress and errors to standard error.

#[cfg(target_os = "linux")]
pub(crate) mod ab;
pub(crate) mod advise;
pub(crate) mod become_program;
pub(crate) mod children;
pub(crate) mod compare;
pub(crate) mod cpu;
pub(crate) mod export;
pub(crate) mod guard;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod libraries;
mod named;
pub(crate) mod openssl_conf;
mod progress;
pub(crate) mod rank;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub mod samples;
pub(crate) mod selfcheck;
pub(crate) mod show;
pub(crate) mod site;
pub(crate) mod steps;
mod surroundings;
pub(crate) mod worker;

use std::fmt;
use std::io::Write as _;

pub use kasoku_report::Format;
pub use named::number_of;
pub use progress::ProgressDisplay;

use kasoku_measure::machine;
use kasoku_model::printable::escaped;
use kasoku_report::block::Output;
use kasoku_report::language::Language;
use kasoku_report::render::{self, TerminalView, WIDTH};
use kasoku_store::Store;
use kasoku_store::lock::{LockError, MeasuringLock};
use kasoku_store::output_file::{self, OutputError};

/// Outcome of a command without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// Everything succeeded (exit status 0).
    Done,
    /// A part failed or was not verified; the other results are kept (exit status 1).
    Partial,
}

/// Error of a command: its message and exit status. The message says what is wrong, where, and what to do, in sentences
/// without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
    status: u8,
}

impl Failure {
    /// Creates a failure for wrong usage or bad input (exit status 2).
    pub fn new(message: impl fmt::Display) -> Self {
        Failure { message: lines(&message.to_string()), status: 2 }
    }

    /// Creates a failure for an error during a correct request (exit status 1).
    pub fn in_the_middle(message: impl fmt::Display) -> Self {
        Failure { message: lines(&message.to_string()), status: 1 }
    }

    /// Creates a failure for a stop by `signal` (exit status 128 plus the signal's number, as in a shell).
    pub fn stopped(signal: u8, message: impl fmt::Display) -> Self {
        Failure { message: lines(&message.to_string()), status: 128_u8.saturating_add(signal) }
    }

    pub fn status(&self) -> u8 {
        self.status
    }

    /// Returns whether a signal stopped the command, which is not an error.
    pub fn is_stopped(&self) -> bool {
        self.status > 128
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::new(error)
    }
}

/// Writes a line to standard error. Errors are ignored, since a closed pipe is no reason to stop measuring.
pub fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", lines(text));
}

/// Prints the runs that `store` could not read. Returns [`CommandOutcome::Partial`] if there are any.
fn tell_unread(store: &Store) -> CommandOutcome {
    let unread = store.unread();
    unread.values().for_each(|why| tell(&format!("Left out: {why}")));
    if unread.is_empty() { CommandOutcome::Done } else { CommandOutcome::Partial }
}

/// Escapes control characters in each line of a message, because file names may contain them.
fn lines(message: &str) -> String {
    message.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// Returns whether standard output is a terminal with colours. Honours `NO_COLOR` and `CLICOLOR`.
pub fn is_colour_wanted() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

fn view(language: Language) -> TerminalView {
    // Without a known width, the text is as wide as possible.
    let columns = terminal_size::terminal_size_of(std::io::stdout()).map_or(WIDTH, |(width, _)| usize::from(width.0));
    TerminalView { columns, color: is_colour_wanted(), is_compact: false, language }
}

/// Prints `output` in a format and language.
fn print_output(output: &Output, format: Format, language: Language) -> Result<(), OutputError> {
    output_file::print(&render::output(output, format, view(language)))
}

/// Warning that accompanies figures of an emulated CPU.
pub const EMULATED: &str = "EMULATED: this CPU is emulated. No figure says anything about a real one.";

/// Takes this machine's measuring lock, after a warning if the CPU is emulated. If another run holds the lock, waits
/// or, without `wait`, returns an error.
pub fn measuring_lock(wait: bool) -> Result<MeasuringLock, Failure> {
    if machine::is_emulated() {
        tell(EMULATED);
    }
    match MeasuringLock::acquire(false) {
        Err(busy @ LockError::Busy { .. }) if wait => {
            tell(&format!("{busy}; waiting for it to finish"));
            Ok(MeasuringLock::acquire(true)?)
        }
        Err(busy @ LockError::Busy { .. }) => Err(Failure::new(format!("{busy}; use --wait to wait for it to finish"))),
        other => Ok(other?),
    }
}
