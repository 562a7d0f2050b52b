//! Other programs: started, watched for a while, and gone with the test.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long any of them may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program that is killed when the test is done with it, however it ends.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    /// Its exit status and what it said; killed and failed if it takes too long.
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

/// A command that runs `program`, and dies with the thread that starts it: where there is `setpriv`, even if that is
/// killed.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let setpriv = Path::new("/usr/bin/setpriv");
    if !setpriv.exists() {
        return Command::new(program);
    }
    let mut command = Command::new(setpriv);
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// The program, with its output caught; `None`, and a word about it, where it is not installed and nobody insists.
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
