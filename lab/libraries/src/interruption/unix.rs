//! Signals that ask: SIGINT, SIGTERM, and SIGHUP, which says that the terminal is gone.

#![allow(unsafe_code)] // which signals are ignored is asked of libc

use std::fs::{self, File};
use std::io;
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::ASKED;

/// The terminal that controls this process.
const TERMINAL: &str = "/dev/tty";

#[derive(Debug)]
pub(super) struct SignalListener {
    ends_at_once: Arc<AtomicBool>,
}

impl SignalListener {
    pub(super) fn begin() -> io::Result<SignalListener> {
        let ends_at_once = Arc::new(AtomicBool::new(false));
        for signal in heard() {
            // In this order: the first signal finds the flag as it was, and sets it for the second.
            flag::register_conditional_default(signal, Arc::clone(&ends_at_once))?;
            flag::register(signal, Arc::clone(&ends_at_once))?;
            flag::register_usize(signal, Arc::clone(&ASKED), usize::try_from(signal).unwrap_or_default())?;
        }
        Ok(SignalListener { ends_at_once })
    }
}

impl Drop for SignalListener {
    fn drop(&mut self) {
        self.ends_at_once.store(true, Ordering::SeqCst);
    }
}

/// What a signal undoes before it ends this process.
#[derive(Debug)]
struct Undo {
    /// Whether the thread that waits for signals runs.
    is_watched: bool,
    /// The file to remove.
    file: Option<PathBuf>,
    /// The settings to give back to the terminal.
    terminal: Option<Termios>,
}

static UNDO: Mutex<Undo> = Mutex::new(Undo { is_watched: false, file: None, terminal: None });

pub(super) fn remove_at_the_end<T>(make: impl FnOnce(&mut Option<PathBuf>) -> T) -> io::Result<T> {
    Ok(make(&mut watched()?.file))
}

pub(super) fn restore_terminal_at_the_end<T>(ask: impl FnOnce() -> T) -> io::Result<T> {
    watched()?.terminal = File::open(TERMINAL).ok().and_then(|terminal| tcgetattr(terminal).ok());
    let answer = ask();
    watched()?.terminal = None;
    Ok(answer)
}

/// Locks [`UNDO`]. A thread does what it says when a signal comes that ends this process; while the lock is held, the
/// signal waits.
fn watched() -> io::Result<MutexGuard<'static, Undo>> {
    let lock = || UNDO.lock().unwrap_or_else(PoisonError::into_inner);
    let mut undo = lock();
    if !undo.is_watched {
        let mut signals = Signals::new(heard())?;
        std::thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                let undo = lock();
                if let Some(file) = &undo.file {
                    let _ = fs::remove_file(file); // it may not be there any more
                }
                if let (Some(settings), Ok(terminal)) = (&undo.terminal, File::open(TERMINAL)) {
                    let _ = tcsetattr(terminal, OptionalActions::Now, settings); // it may be gone
                }
                let _ = emulate_default_handler(signal); // ends the process
            }
        })?;
        undo.is_watched = true;
    }
    Ok(undo)
}

/// The signals that ask to stop, without those that this process was started to ignore.
fn heard() -> impl Iterator<Item = i32> {
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal))
}

/// Whether this process ignores `signal`.
fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action sigaction(2) only writes the present one to `action`, which is read if it did.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
