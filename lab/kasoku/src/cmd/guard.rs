//! `kasoku guard`: runs a server for the laboratory, and removes it and its files however the laboratory ends. For the
//! laboratory's own use.
//!
//! The laboratory holds the other end of standard input and writes nothing: when that ends, by intention or because the
//! laboratory was killed, the server gets SIGTERM, and what does not end is killed.

use std::io::{Read, Write as _, stdin, stdout};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::become_program::Signal;
use super::{CommandOutcome, Failure};
use kasoku_measure::own_program;

/// The arguments of `kasoku guard`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder to remove at the end
    #[arg(long)]
    folder: PathBuf,
    /// Program to run, and its arguments
    #[arg(last = true, required = true)]
    command: Vec<std::ffi::OsString>,
}

/// How long the server may take to end.
const PATIENCE: Duration = Duration::from_secs(3);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// What the laboratory says when it clears up itself.
const LEAVE_FOLDER: &[u8] = b"stop\n";

/// Starts the server, prints its number, and waits for the end of standard input.
pub fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let mut command = own_program::command().map_err(Failure::new)?;
    // SIGTERM if this process is killed, on which a server ends its workers too.
    command.args(["become", "--signal", "terminate", "--"]).args(&args.command).stdin(Stdio::null());
    // A group of its own, so that all of it can be killed.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| Failure::new(format!("cannot start the server: {error}")))?;
    let number = child.id();
    let _ = writeln!(stdout(), "{number}").and_then(|()| stdout().flush()); // nobody there: the end comes at once
    let mut said = Vec::new();
    let _ = stdin().lock().take(64).read_to_end(&mut said); // what cannot be read has ended too
    signal(number, false, Signal::Terminate);
    if !ends_in_time(&mut child) {
        signal(number, true, Signal::Kill);
        ends_in_time(&mut child);
    }
    if said != LEAVE_FOLDER {
        let _ = std::fs::remove_dir_all(&args.folder); // the next run removes what cannot be removed now
    }
    Ok(CommandOutcome::Done)
}

/// Waits for the end of `child`; whether it came in time.
fn ends_in_time(child: &mut Child) -> bool {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(None) if begin.elapsed() < PATIENCE => std::thread::sleep(BETWEEN_LOOKS),
            status => return !matches!(status, Ok(None)),
        }
    }
}

/// Sends a signal to the process, or to its whole group. It is not waited for yet, so that the number is still its own.
#[cfg(unix)]
fn signal(number: u32, is_group: bool, signal: Signal) {
    use rustix::process::{Pid, kill_process, kill_process_group};
    let Some(pid) = i32::try_from(number).ok().and_then(Pid::from_raw) else { return };
    let signal = signal.number();
    // What has ended cannot be signalled.
    let _ = if is_group { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
}

#[cfg(not(unix))]
fn signal(_number: u32, _is_group: bool, _signal: Signal) {}
