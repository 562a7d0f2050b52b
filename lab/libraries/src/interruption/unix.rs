//! Signals that ask: SIGINT, SIGTERM, and SIGHUP, which says that the terminal is gone.

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

/// Those that ask, and are not ignored.
fn heard() -> impl Iterator<Item = i32> {
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal))
}

/// Whether this process ignores that signal, as far as it can be told.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
