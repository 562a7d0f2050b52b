//! A child of the laboratory: this program once more, in another part, spoken to in lines of JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;

/// How long one that says nothing more may take to end.
const ENDING: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// A running child. Dropped, it is ended.
pub(crate) struct ChildProcess {
    child: Child,
    input: ChildStdin,
}

impl ChildProcess {
    /// Starts `command`. Each line that it says is `heard` by a thread of its own, until that has heard enough; one
    /// that does not end, or not within `max_line` bytes, is the last.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn start(
        command: &mut Command,
        max_line: usize,
        mut heard: impl FnMut(String) -> bool + Send + 'static,
    ) -> io::Result<ChildProcess> {
        // A group of its own: Ctrl-C reaches the laboratory alone; its children die with it (see `cmd::worker`).
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = String::new();
                let read = (&mut output).take(max_line as u64).read_line(&mut line);
                let is_last = !matches!(read, Ok(1..)) || !line.ends_with('\n');
                if !heard(line) || is_last {
                    return;
                }
            }
        });
        Ok(ChildProcess { child, input })
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it says on standard error, if that was asked for and not taken before.
    pub(crate) fn take_errors(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Says `what` to it, in a line.
    ///
    /// # Errors
    /// If it does not listen any more.
    pub(crate) fn say(&mut self, what: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(what)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        self.input.flush()
    }

    /// How it ended, which said its last line; if it lives on, it is ended.
    pub(crate) fn ended(&mut self) -> String {
        let deadline = Instant::now() + ENDING;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => std::thread::sleep(BETWEEN_LOOKS),
                status => break status.ok().flatten(),
            }
        };
        self.end();
        status.map_or_else(|| "closed its output".to_owned(), |status| ending(&status))
    }

    /// Ends it, with what it started itself.
    pub(crate) fn end(&mut self) {
        // While it was not waited for, nobody else has its number, which is that of its group too.
        #[cfg(unix)]
        if let (Ok(None), Some(group)) = (self.child.try_wait(), group_of(&self.child)) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL); // gone meanwhile
        }
        let _ = self.child.kill(); // fails only if it is gone already
        let _ = self.child.wait();
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(unix)]
fn group_of(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
}

/// How a process ended, in words that follow its name.
#[cfg(unix)]
pub(crate) fn ending(status: &ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(libc::SIGILL), _) => "was ended by SIGILL: it ran an instruction this CPU does not have".to_owned(),
        (Some(libc::SIGSEGV), _) => "was ended by SIGSEGV".to_owned(),
        (Some(libc::SIGABRT), _) => "aborted".to_owned(),
        (Some(libc::SIGKILL), _) => "was killed (SIGKILL)".to_owned(),
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, Some(code)) => format!("ended with exit status {code}"),
        (None, None) => "ended".to_owned(),
    }
}

/// As above.
#[cfg(not(unix))]
pub(crate) fn ending(status: &ExitStatus) -> String {
    format!("ended with {status}")
}
