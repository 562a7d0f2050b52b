//! `kasoku guard`, for internal use: runs a server, and removes the server and its files however the laboratory ends.
//!
//! The laboratory holds the other end of standard input. When it closes that end, or is killed, the server gets
//! SIGTERM, and SIGKILL if it does not end in time.

use std::io::{Read, Write as _, stdin, stdout};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::become_program::Signal;
use super::{CommandOutcome, Failure};
use kasoku_measure::own_program;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder to remove at the end
    #[arg(long)]
    folder: PathBuf,
    /// Program to run, and its arguments
    #[arg(last = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

/// Time that the server has to end after SIGTERM.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Input by which the laboratory tells the guard not to remove the folder, since the laboratory removes the folder
/// itself.
const LEAVE_FOLDER: &[u8] = b"stop\n";

/// Starts the server, prints its process ID and waits for the end of standard input.
pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let mut command = own_program::command().map_err(Failure::new)?;
    // If this process is killed, the server gets SIGTERM, and then also ends its workers.
    command.args(["become", "--signal", "terminate", "--"]).args(&args.command).stdin(Stdio::null());
    // A process group of its own, so that the server and its workers can be killed together.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| Failure::new(format!("cannot start the server: {error}")))?;
    let number = child.id();
    let _ = writeln!(stdout(), "{number}").and_then(|()| stdout().flush()); // on an error, the input has also ended
    let mut input = Vec::new();
    let _ = stdin().lock().take(64).read_to_end(&mut input); // an error counts as the end
    signal(number, false, Signal::Terminate);
    if !ends_in_time(&mut child) {
        signal(number, true, Signal::Kill);
        ends_in_time(&mut child);
    }
    if input != LEAVE_FOLDER {
        let _ = std::fs::remove_dir_all(&args.folder); // on an error, the next run removes the folder
    }
    Ok(CommandOutcome::Done)
}

/// Waits for the end of `child`, and returns whether it ended in time.
fn ends_in_time(child: &mut Child) -> bool {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(None) if begin.elapsed() < STOP_TIMEOUT => std::thread::sleep(POLL_INTERVAL),
            status => return !matches!(status, Ok(None)),
        }
    }
}

/// Sends a signal to a process or its group. The process has not been reaped, so no other process has its ID.
#[cfg(unix)]
fn signal(number: u32, is_group: bool, signal: Signal) {
    use rustix::process::{Pid, kill_process, kill_process_group};
    let Some(pid) = i32::try_from(number).ok().and_then(Pid::from_raw) else { return };
    let signal = signal.number();
    // An ended process cannot be signalled.
    let _ = if is_group { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
}

#[cfg(not(unix))]
fn signal(_number: u32, _is_group: bool, _signal: Signal) {}
