//! Signals that ask: SIGINT, SIGTERM, and SIGHUP, which says that the terminal is gone.

#![allow(unsafe_code)] // which signals are ignored is asked of libc

use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::ASKED;

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

pub(super) fn remove_at_the_end<T>(make: impl FnOnce(&mut Option<PathBuf>) -> T) -> io::Result<T> {
    let mut signals = Signals::new(heard())?;
    let made = Arc::new(Mutex::new(None));
    let to_remove = Arc::clone(&made);
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            if let Some(file) = &*to_remove.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = fs::remove_file(file); // it may not be there any more
            }
            let _ = emulate_default_handler(signal); // ends the process
        }
    })?;
    Ok(make(&mut made))
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
