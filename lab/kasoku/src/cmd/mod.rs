//! The command: one file a subcommand.
//!
//! A subcommand has its clap arguments as `Args` and a function `run` that gives a [`CommandOutcome`] or a [`Failure`]:
//! wrong usage, something that is not there, a store or file that cannot be read or written. Results go to standard
//! output, progress and errors to standard error.

#[cfg(target_os = "linux")]
pub mod ab;
pub mod advise;
pub mod become_program;
pub mod children;
pub mod compare;
pub mod cpu;
pub mod export;
pub mod guard;
pub mod history;
pub mod import;
pub mod libraries;
pub mod named;
pub mod openssl_conf;
pub mod progress;
pub mod rank;
pub mod report;
pub mod run;
pub mod runs;
pub mod samples;
pub mod selfcheck;
pub mod show;
pub mod site;
pub mod steps;
pub mod surroundings;
pub mod worker;

use std::fmt;
use std::io::Write as _;

pub use kasoku_report::Format;

use kasoku_measure::machine;
use kasoku_model::printable::escaped;
use kasoku_report::language::Language;
use kasoku_report::render::{TerminalView, WIDTH};
use kasoku_store::Store;
use kasoku_store::lock::{LockError, MeasuringLock};

/// How a command ended that did what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// Everything (exit status 0).
    Done,
    /// Something failed or was unverified; the rest is kept (exit status 1).
    Partial,
}

/// Wrong usage or bad input (exit status 2), or work that went wrong (1): what, where, and what to do, in sentences
/// without a full stop. Or that it was stopped by a signal, as it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
    status: u8,
}

impl Failure {
    /// With that message.
    pub fn new(message: impl fmt::Display) -> Self {
        Failure { message: lines(&message.to_string()), status: 2 }
    }

    /// With that message, of something that was asked for rightly and went wrong on the way (exit status 1).
    pub fn in_the_middle(message: impl fmt::Display) -> Self {
        Failure { message: lines(&message.to_string()), status: 1 }
    }

    /// With that message, of something that `signal` stopped (exit status 128 and its number, as a shell says it).
    pub fn stopped(signal: u8, message: impl fmt::Display) -> Self {
        Failure { message: lines(&message.to_string()), status: 128_u8.saturating_add(signal) }
    }

    /// The exit status it ends with.
    pub fn status(&self) -> u8 {
        self.status
    }

    /// Whether it was stopped, which is no error.
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

/// Writes a line to standard error. A reader that has gone is no reason to stop measuring.
pub fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", lines(text));
}

/// Names the runs that were left out of what was asked over all runs, because they cannot be read. The outcome is
/// partial if there are any.
fn tell_unread(store: &Store) -> CommandOutcome {
    let unread = store.unread();
    unread.values().for_each(|why| tell(&format!("Left out: {why}")));
    if unread.is_empty() { CommandOutcome::Done } else { CommandOutcome::Partial }
}

/// A message fit for a terminal, whatever the files are called that it names.
fn lines(message: &str) -> String {
    message.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// Whether standard output is a terminal whose user wants colours (`NO_COLOR` and `CLICOLOR` are honoured).
pub fn is_colour_wanted() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Returns language, width and colours of text on standard output.
fn view(language: Language) -> TerminalView {
    // Where there is no terminal, or one that does not know its size, as wide as it gets.
    let columns = columns().map_or(WIDTH, usize::from);
    TerminalView { columns, color: is_colour_wanted(), is_compact: false, language }
}

/// How wide the terminal is, if standard output is one that knows its size.
#[cfg(unix)]
fn columns() -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then_some(size.ws_col)
}

#[cfg(windows)]
fn columns() -> Option<u16> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0)
}

/// What is said before and beside figures of an emulator.
pub const EMULATED: &str = "EMULATED: this CPU is emulated. No figure says anything about a real one.";

/// Takes the lock of this machine; if another run has it, says so and waits, or refuses. That an emulator will do the
/// work is said first of all.
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
