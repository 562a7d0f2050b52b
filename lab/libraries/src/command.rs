//! Runs another program to its end, with a list of arguments, no input, bounded output and a time limit.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::interruption;

/// Maximum number of bytes to read from each output. A virtual machine's list of flags takes 200 KiB.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;
/// Time to wait for the outputs to close after the program ended.
const DRAIN: Duration = Duration::from_secs(2);

#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandOutput {
    pub(super) out: String,
    pub(super) err: String,
}

/// Returns the first executable file called `name` in `path` (the value of PATH).
pub fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    // An empty entry means the current folder, which is not trusted.
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|file| is_program(file))
}

/// Runs a program to its end, or kills it after `limit`. The program inherits the environment, including the
/// acceleration state.
pub(super) fn run_to_end(command: &mut Command, limit: Duration) -> Result<CommandOutput, String> {
    let arguments: Vec<String> = command.get_args().map(|one| one.to_string_lossy().into_owned()).collect();
    let program = PathBuf::from(command.get_program());
    let named = || format!("{} {}", program.display(), arguments.join(" "));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {}: {}", named(), refusal(&error)))?;
    let readers = read_aside(child.stdout.take()).and_then(|out| Ok((out, read_aside(child.stderr.take())?)));
    let (out, err) = readers.map_err(|error| {
        end(&mut child);
        format!("cannot read what {} prints: {}", named(), refusal(&error))
    })?;
    let status = wait(&mut child, limit).map_err(|why| format!("{} {why}", named()))?;
    let out = out.recv_timeout(DRAIN).unwrap_or_default();
    let err = err.recv_timeout(DRAIN).unwrap_or_default();
    if status.success() {
        return Ok(CommandOutput { out, err });
    }
    let said = err.lines().chain(out.lines()).next().unwrap_or("it printed nothing");
    let said: String = said.chars().filter(|character| !character.is_control()).take(200).collect();
    Err(format!("{} failed ({status}): {said}", named()))
}

/// Describes why the system refused a process or thread, and how to raise the limit that was reached.
pub fn refusal(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock => format!(
            "{error}; no more processes and threads are allowed here: raise the limit (ulimit -u, or the pids limit of \
             the container)"
        ),
        _ => error.to_string(),
    }
}

fn wait(child: &mut Child, limit: Duration) -> Result<ExitStatus, String> {
    let begin = Instant::now();
    // Long enough not to disturb measurements.
    let pause = Duration::from_millis(10);
    loop {
        let why = match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if interruption::is_wanted() => "was stopped".to_owned(),
            Ok(None) if begin.elapsed() < limit => {
                thread::sleep(pause);
                continue;
            }
            Ok(None) => format!("did not end within {} seconds and was killed", limit.as_secs_f64()),
            Err(error) => format!("cannot wait for it: {error}"),
        };
        end(child);
        return Err(why);
    }
}

fn end(child: &mut Child) {
    let _ = child.kill(); // fails if the child has already ended
    let _ = child.wait();
}

/// Reads up to 1 MiB from `pipe` in a thread, so that a full pipe blocks no one. Sends the text once.
pub fn read_aside(pipe: Option<impl Read + Send + 'static>) -> io::Result<mpsc::Receiver<String>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // On an error, keep what was read before it. Ignore excess output.
            let _ = pipe.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    })?;
    Ok(receiver)
}

pub(super) fn is_program(file: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(file) else { return false };
    #[cfg(unix)]
    let is_executable = {
        use std::os::unix::fs::PermissionsExt as _;
        metadata.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let is_executable = true;
    metadata.is_file() && is_executable
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<CommandOutput, String> {
        run_to_end(Command::new("/bin/sh").args(["-c", script]), limit)
    }

    #[test]
    fn run_reads_both_outputs_and_reports_failures() {
        let limit = Duration::from_secs(10);
        let printed = shell("echo one; echo two >&2", limit).unwrap();
        assert_eq!(printed, CommandOutput { out: "one\n".to_owned(), err: "two\n".to_owned() });
        let why = shell("echo bad cipher >&2; exit 3", limit).unwrap_err();
        assert!(why.contains("bad cipher") && why.contains('3'), "{why}");
        let why = run_to_end(&mut Command::new("/nowhere/openssl"), limit).unwrap_err();
        assert!(why.contains("/nowhere/openssl"), "{why}");
    }

    #[test]
    fn run_kills_the_program_after_the_time_limit() {
        let begin = Instant::now();
        let why = shell("exec sleep 60", Duration::from_millis(100)).unwrap_err();
        assert!(why.contains("killed"), "{why}");
        assert!(begin.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn run_bounds_the_output_and_gives_no_input() {
        let why = shell("exec yes", Duration::from_secs(20)).unwrap_err();
        assert!(why.contains("failed") || why.contains("killed"), "{why}");
        assert_eq!(shell("cat", Duration::from_secs(10)).unwrap().out, "");
    }

    #[test]
    fn find_skips_files_that_are_not_executable() {
        use std::os::unix::fs::PermissionsExt as _;
        let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let path = std::env::join_paths([Path::new("."), first.path(), second.path()]).unwrap();
        assert_eq!(find("openssl", &path), None);
        for (folder, mode) in [(&first, 0o644), (&second, 0o755)] {
            let file = folder.path().join("openssl");
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!(find("openssl", &path), Some(second.path().join("openssl")));
    }
}
