//! Signals that request a stop: SIGINT, SIGTERM, and SIGHUP, which reports a closed terminal.

#![allow(unsafe_code)] // sigaction(2) tells which signals are ignored

use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::REQUESTED_BY;

#[derive(Debug)]
pub(super) struct SignalListener {
    ends_at_once: Arc<AtomicBool>,
}

impl SignalListener {
    pub(super) fn begin() -> io::Result<SignalListener> {
        let ends_at_once = Arc::new(AtomicBool::new(false));
        for signal in handled_signals() {
            // Order matters: at the first signal the flag is still unset, so only the second one ends the process.
            flag::register_conditional_default(signal, Arc::clone(&ends_at_once))?;
            flag::register(signal, Arc::clone(&ends_at_once))?;
            flag::register_usize(signal, Arc::clone(&REQUESTED_BY), usize::try_from(signal).unwrap_or_default())?;
        }
        Ok(SignalListener { ends_at_once })
    }
}

impl Drop for SignalListener {
    fn drop(&mut self) {
        self.ends_at_once.store(true, Ordering::SeqCst);
    }
}

fn handled_signals() -> impl Iterator<Item = i32> {
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal))
}

fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action, sigaction(2) only writes the current one to `action`, which is read on success.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
