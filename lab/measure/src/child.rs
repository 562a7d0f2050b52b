//! Child processes of the laboratory. Each runs this program in another role and exchanges lines of JSON with it.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

use system::set_apart;
pub(crate) use system::{Descendants, ending};

/// Maximum time that a child may take to end after it closed its output.
const ENDING: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

const KEPT_ERROR_TEXT: usize = 4096;
/// Maximum time for reading the last error text of a child that has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Last [`KEPT_ERROR_TEXT`] bytes that a child wrote to its standard error. A thread reads the pipe.
pub(crate) struct ErrorOutput {
    text: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl ErrorOutput {
    pub(crate) fn read(mut pipe: ChildStderr) -> io::Result<ErrorOutput> {
        let text = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&text);
        let reader = thread::Builder::new().spawn(move || {
            let mut chunk = [0; 1024];
            while let Ok(read @ 1..) = pipe.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&chunk[..read]);
                let excess = kept.len().saturating_sub(KEPT_ERROR_TEXT);
                kept.drain(..excess);
            }
        })?;
        Ok(ErrorOutput { text, reader })
    }

    pub(crate) fn last_line(&self) -> Option<String> {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).lines().rfind(|line| !line.trim().is_empty()).map(excerpt)
    }

    /// Returns the last error line of a child that has ended. Waits only a limited time, since a process that the child
    /// started may keep the pipe open.
    pub(crate) fn last_words(&self) -> Option<String> {
        let deadline = Instant::now() + LAST_WORDS;
        while !self.reader.is_finished() && Instant::now() < deadline {
            thread::sleep(BETWEEN_LOOKS);
        }
        self.last_line()
    }
}

pub(crate) fn write_line(output: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

/// Shortens a line of another program, and removes its control characters.
pub(crate) fn excerpt(line: &str) -> String {
    line.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(160).collect()
}

/// A running child process. Dropping it ends the process.
pub(crate) struct ChildProcess {
    child: Child,
    /// Standard input of the child; `None` once it is closed.
    input: Option<ChildStdin>,
    /// Reader of the child's standard error; `None` if that is not a pipe.
    errors: Option<ErrorOutput>,
    descendants: Descendants,
}

impl ChildProcess {
    /// Starts `command` like [`start`](Self::start), and returns its lines. A child that writes faster than this
    /// program reads must wait.
    pub(crate) fn start_with_lines(
        command: &mut Command,
        max_line: usize,
    ) -> io::Result<(ChildProcess, Receiver<String>)> {
        let (sender, lines) = sync_channel(1);
        let child = ChildProcess::start(command, max_line, move |line| sender.send(line).is_ok())?;
        Ok((child, lines))
    }

    /// Starts `command`. A thread passes each line of its output to `heard` until `heard` returns false. The thread
    /// stops after an unfinished line or a line above `max_line` bytes.
    pub(crate) fn start(
        command: &mut Command,
        max_line: usize,
        mut heard: impl FnMut(String) -> bool + Send + 'static,
    ) -> io::Result<ChildProcess> {
        set_apart(command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let descendants = Descendants::attach(&child);
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        let errors = child.stderr.take();
        let mut child = ChildProcess { child, input: Some(input), errors: None, descendants };
        child.errors = errors.map(ErrorOutput::read).transpose()?;
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

    pub(crate) fn say(&mut self, what: &impl Serialize) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        write_line(input, what)
    }

    /// Closes the child's input. Returns whether the child ends by itself within [`ENDING`].
    pub(crate) fn ends_with_its_input(&mut self) -> bool {
        self.input = None;
        self.wait().is_some()
    }

    /// Waits at most [`ENDING`] for the child to end.
    fn wait(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + ENDING;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(BETWEEN_LOOKS),
                status => return status.ok().flatten(),
            }
        }
    }

    /// Waits for a child that closed its output, and kills it if it does not end. Returns how it ended, with its last
    /// error line.
    pub(crate) fn ended(&mut self) -> String {
        let status = self.wait();
        self.end();
        let how = status.map_or_else(|| "closed its output".to_owned(), |status| ending(&status));
        match self.errors.as_ref().and_then(ErrorOutput::last_words) {
            Some(line) => format!("{how}: {line}"),
            None => how,
        }
    }

    pub(crate) fn end(&mut self) {
        self.descendants.end(&mut self.child);
        let _ = self.child.kill(); // fails only if the child has already ended
        let _ = self.child.wait();
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.end();
    }
}
