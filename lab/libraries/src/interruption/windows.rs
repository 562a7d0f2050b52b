//! Console events that request a stop: Ctrl-C and Ctrl-Break, recorded as the corresponding Unix signals.
// The handler is registered by a call of C.
#![allow(unsafe_code)]

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use super::REQUESTED_BY;

const INTERRUPT: usize = 2;
const TERMINATE: usize = 15;

#[derive(Debug)]
pub(super) struct ConsoleListener;

impl ConsoleListener {
    pub(super) fn begin() -> io::Result<ConsoleListener> {
        // Initialise this before the handler is installed: the system may call it at any time, in its own thread.
        LazyLock::force(&REQUESTED_BY);
        // SAFETY: the handler is a function of this program and has the required type.
        match unsafe { SetConsoleCtrlHandler(Some(handle_event), 1) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(ConsoleListener),
        }
    }
}

impl Drop for ConsoleListener {
    fn drop(&mut self) {
        // SAFETY: as in `begin`. The call fails only if the handler is not installed.
        unsafe { SetConsoleCtrlHandler(Some(handle_event), 0) };
    }
}

/// Handles a console event. Returns 0 for the second request, so that the system ends the process.
unsafe extern "system" fn handle_event(event: u32) -> BOOL {
    let signal = match event {
        CTRL_C_EVENT => INTERRUPT,
        CTRL_BREAK_EVENT => TERMINATE,
        _ => return 0,
    };
    BOOL::from(REQUESTED_BY.swap(signal, Ordering::SeqCst) == 0)
}
