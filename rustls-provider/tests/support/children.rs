//! Child processes that end with the test.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum run time of a child process.
const PATIENCE: Duration = Duration::from_secs(120);

/// Child process that is killed when dropped.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// Waits for the process. Returns whether it succeeded and its output; kills it after the maximum run time.
    pub(crate) fn finish(mut self) -> (bool, String) {
        let output = self.0.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut output) = output {
                output.read_to_end(&mut text).unwrap();
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                self.0.kill().unwrap();
                self.0.wait().unwrap();
                panic!("it did not end: {}", reader.join().unwrap());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        (status.success(), reader.join().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a command for `program`, which dies with the thread that starts it. With `setpriv` that works even if the
/// thread is killed.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let setpriv = Path::new("/usr/bin/setpriv");
    if !setpriv.exists() {
        return Command::new(program);
    }
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// Returns the program with captured output. Returns `None`, with a message, if it is not installed and `CI` is not
/// set.
pub(crate) fn program(name: &str) -> Option<Command> {
    let is_there = Command::new(name)
        .arg(if name == "curl" { "--version" } else { "version" })
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if is_there {
        let mut command = command(name);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        return Some(command);
    }
    assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{name} is not here");
    eprintln!("left out: {name} is not here");
    None
}
