//! When a command without an end of its own ends: on a signal, or when whoever started it closes its standard input.

#![allow(unsafe_code)] // what a signal does is set by libc

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_OVER: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C and SIGTERM end nothing by themselves; what this returns sees them.
///
/// # Errors
/// If the system refuses a thread.
pub fn watch() -> io::Result<impl Fn() -> bool> {
    extern "C" fn note(_signal: libc::c_int) {
        IS_OVER.store(true, Ordering::Relaxed);
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let handler = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
        // SAFETY: the handler only stores to an atomic, which may be done in a handler (signal-safety(7)).
        unsafe { libc::signal(signal, handler) };
    }
    if is_pipe() {
        std::thread::Builder::new().spawn(|| {
            let mut piece = [0; 1024];
            while !matches!(std::io::stdin().lock().read(&mut piece), Ok(0) | Err(_)) {}
            IS_OVER.store(true, Ordering::Relaxed);
        })?;
    }
    Ok(|| IS_OVER.load(Ordering::Relaxed))
}

/// Whether standard input ends when another process does. A terminal, which may belong to another job, and /dev/null,
/// which is what a service has, say nothing.
fn is_pipe() -> bool {
    use rustix::fs::FileType;
    let kind = rustix::fs::fstat(std::io::stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}
