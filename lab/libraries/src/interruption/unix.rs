//! Signals that ask: SIGINT, SIGTERM, and SIGHUP, which says that the terminal is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::ASKED;

#[derive(Debug)]
pub(super) struct SignalListener {
    ends_at_once: Arc<AtomicBool>,
}

impl SignalListener {
    pub(super) fn begin() -> io::Result<SignalListener> {
        let ends_at_once = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)) {
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

/// Whether this process ignores that signal, as far as it can be told.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
