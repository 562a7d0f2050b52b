//! Runs a command once and measures its time.
//!
//! The command waits in a child process of this program until this program tells it to begin. So the time to start the
//! child is not counted.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{AbError, CommandUsage, Words};
use crate::child::{Descendants, ending};
use crate::{clock, own_program};
use kasoku_model::printable::printable;

/// Maximum time that a child process may take to become ready to run its command.
const READY: Duration = Duration::from_secs(30);
/// Time between two checks for an interruption during a wait.
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// Maximum length in bytes of a failed command's error output in messages. Longer output loses its beginning.
const MAX_SAID: u64 = 2_000;

/// Runs a command once; messages call it `which`. If `is_stop_wanted`, ends the command and returns `None`.
pub(super) fn attempt(
    which: &str,
    words: &Words,
    is_output_shown: bool,
    is_stop_wanted: fn() -> bool,
) -> Result<Option<CommandUsage>, AbError> {
    // Check here too for a request to stop: with short commands, it may never arrive during a wait.
    if is_stop_wanted() {
        return Ok(None);
    }
    let (mut ours, theirs) = UnixStream::pair()?;
    ours.set_read_timeout(Some(READY))?;
    let mut errors = tempfile::tempfile()?;
    let mut running = {
        let mut command = own_program::command()?;
        command.args(["become", "--signal", "kill", "--when-told", "--"]).args(words);
        command.stdin(Stdio::from(OwnedFd::from(theirs))).process_group(0);
        match is_output_shown {
            true => command.stdout(Stdio::from(io::stderr())).stderr(Stdio::inherit()),
            false => command.stdout(Stdio::null()).stderr(Stdio::from(errors.try_clone()?)),
        };
        // The CPU time of all children is that of the command, because no other child runs.
        Running { used: clock::children_cpu_ns(), child: command.spawn()?, is_stop_wanted }
    };
    let mut own = [0; 8];
    if ours.read_exact(&mut own).is_err() {
        let _ = running.child.kill(); // fails if the child has ended, which is usual
        return running.failed(which, &mut errors);
    }
    let began = Instant::now();
    ours.write_all(b"!")?;
    let Some(ended) = running.end()? else { return Ok(None) };
    let status = running.child.wait()?;
    if !status.success() {
        return running.failed(which, &mut errors);
    }
    Ok(Some(CommandUsage {
        ns: u64::try_from((ended - began).as_nanos()).unwrap_or(u64::MAX),
        cpu_ns: clock::children_cpu_ns().saturating_sub(running.used).saturating_sub(u64::from_le_bytes(own)),
    }))
}

/// A running command. Dropping it ends the command and its descendants.
struct Running {
    child: Child,
    /// CPU time in nanoseconds that earlier children of this program used.
    used: u64,
    is_stop_wanted: fn() -> bool,
}

impl Running {
    /// Waits until the command ends and returns that moment; `None` if a stop is wanted before.
    fn end(&mut self) -> io::Result<Option<Instant>> {
        let Ok(descriptor) = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()) else {
            // Old kernels lack pidfd; a second Ctrl-C ends the wait.
            return self.child.wait().map(|_| Some(Instant::now()));
        };
        loop {
            match poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&LOOK_AGAIN)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(Some(Instant::now())),
                Err(error) => return Err(error.into()),
            }
            if (self.is_stop_wanted)() {
                return Ok(None);
            }
        }
    }

    fn failed(&mut self, which: &str, errors: &mut File) -> Result<Option<CommandUsage>, AbError> {
        let how = ending(&self.child.wait()?);
        // A Ctrl-C may have reached the command before this program.
        if (self.is_stop_wanted)() {
            return Ok(None);
        }
        let length = errors.seek(SeekFrom::End(0))?;
        errors.seek(SeekFrom::Start(length.saturating_sub(MAX_SAID)))?;
        let mut said = Vec::new();
        errors.read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<String> = said.lines().map(printable).filter(|line| !line.is_empty()).collect();
        Err(AbError::Failed { which: which.to_owned(), how, said: lines.join("\n") })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        Descendants::attach(&self.child).end(&mut self.child);
        let _ = self.child.wait();
    }
}
