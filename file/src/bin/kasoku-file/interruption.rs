//! Cleans up before a signal ends this process: removes the unfinished file and restores the terminal's settings.

#![allow(unsafe_code)] // only libc says which signals are ignored

use std::fs::{self, File};
use std::io;
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// The controlling terminal.
const TERMINAL: &str = "/dev/tty";

/// Clean-up to do before a signal ends this process. Signals wait while the lock of this value is held.
#[derive(Debug)]
pub(crate) struct Undo {
    is_watched: bool,
    /// File to remove.
    pub(crate) file: Option<PathBuf>,
    /// Terminal settings to restore.
    terminal: Option<Termios>,
}

static UNDO: Mutex<Undo> = Mutex::new(Undo { is_watched: false, file: None, terminal: None });

/// Locks [`Undo`]; the first call starts the thread that waits for signals.
///
/// # Errors
/// If the system refuses a handler or a thread.
pub(crate) fn undo() -> io::Result<MutexGuard<'static, Undo>> {
    let lock = || UNDO.lock().unwrap_or_else(PoisonError::into_inner);
    let mut undo = lock();
    if !undo.is_watched {
        let not_ignored = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
        let mut signals = Signals::new(not_ignored)?;
        std::thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                let undo = lock();
                if let Some(file) = &undo.file {
                    let _ = fs::remove_file(file); // already renamed or removed
                }
                if let (Some(settings), Ok(terminal)) = (&undo.terminal, File::open(TERMINAL)) {
                    let _ = tcsetattr(terminal, OptionalActions::Now, settings); // the terminal may be closed
                }
                let _ = emulate_default_handler(signal); // ends the process
            }
        })?;
        undo.is_watched = true;
    }
    Ok(undo)
}

/// Calls `ask`, which may switch off the terminal's echo. A signal during the call restores the terminal's settings
/// before ending the process.
///
/// # Errors
/// If the system refuses a handler or a thread.
pub(crate) fn restoring_terminal<T>(ask: impl FnOnce() -> T) -> io::Result<T> {
    undo()?.terminal = File::open(TERMINAL).ok().and_then(|terminal| tcgetattr(terminal).ok());
    let answer = ask();
    undo()?.terminal = None;
    Ok(answer)
}

/// Returns whether this process was started with `signal` ignored, as by `nohup`.
fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action, sigaction(2) only writes the current action to `action`, which is read only after
    // success.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
