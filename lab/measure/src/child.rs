//! A child of the laboratory: this program once more, in another part, spoken to in lines of JSON.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

#[cfg(unix)]
pub(crate) use unix::ending;
#[cfg(unix)]
use unix::{Descendants, set_apart};
#[cfg(windows)]
pub(crate) use windows::ending;
#[cfg(windows)]
use windows::{Descendants, set_apart};

/// How long one that says nothing more may take to end.
const ENDING: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// A running child. Dropped, it is ended.
pub(crate) struct ChildProcess {
    child: Child,
    input: ChildStdin,
    descendants: Descendants,
}

impl ChildProcess {
    /// Starts `command`. Each line that it says is `heard` by a thread of its own, until that has heard enough; one
    /// that does not end, or not within `max_line` bytes, is the last.
    ///
    /// # Errors
    /// If the system refuses the process, or the thread that listens to it.
    pub(crate) fn start(
        command: &mut Command,
        max_line: usize,
        mut heard: impl FnMut(String) -> bool + Send + 'static,
    ) -> io::Result<ChildProcess> {
        set_apart(command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let descendants = Descendants::of(&child);
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        let child = ChildProcess { child, input, descendants };
        thread::Builder::new().spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = String::new();
                let read = (&mut output).take(max_line as u64).read_line(&mut line);
                let is_last = !matches!(read, Ok(1..)) || !line.ends_with('\n');
                if !heard(line) || is_last {
                    return;
                }
            }
        })?;
        Ok(child)
    }

    #[cfg(target_os = "linux")]
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
                Ok(None) if Instant::now() < deadline => thread::sleep(BETWEEN_LOOKS),
                status => break status.ok().flatten(),
            }
        };
        self.end();
        status.map_or_else(|| "closed its output".to_owned(), |status| ending(&status))
    }

    /// Ends it, with what it started itself.
    pub(crate) fn end(&mut self) {
        self.descendants.end(&mut self.child);
        let _ = self.child.kill(); // fails only if it is gone already
        let _ = self.child.wait();
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.end();
    }
}
