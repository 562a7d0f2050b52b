//! The worker's Java source, which is embedded in this program, and its compiled classes in a private temporary folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::super::{command, remove_switches};
use super::runtime::{OLDEST, Runtime};

/// Source files of the worker; the first contains `main`.
const SOURCES: [(&str, &str); 7] = [
    (FILE, include_str!("../../jvm/Worker.java")),
    ("Protocol.java", include_str!("../../jvm/Protocol.java")),
    ("Task.java", include_str!("../../jvm/Task.java")),
    ("Ciphers.java", include_str!("../../jvm/Ciphers.java")),
    ("SuiteJob.java", include_str!("../../jvm/SuiteJob.java")),
    ("FileApplication.java", include_str!("../../jvm/FileApplication.java")),
    ("Supply.java", include_str!("../../jvm/Supply.java")),
];
const FILE: &str = "Worker.java";
/// Source of the HTTPS server, compiled separately because some JDKs lack its modules.
const SERVER_SOURCE: &str = include_str!("../../jvm/Server.java");
const SERVER_FILE: &str = "Server.java";
/// Prefix of the folder names; the process ID follows.
const PREFIX: &str = "kasoku-jvm-";
/// Time limit for the compiler, which takes a second or two on an idle machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The compiled worker in its folder, which is removed on drop. Folders of killed processes are removed when the next
/// one is created.
#[derive(Debug)]
pub struct Classes {
    folder: PathBuf,
    _removed_with_this: Option<TempDir>,
}

#[derive(Debug, thiserror::Error)]
pub enum ClassesError {
    #[error("{path}: {error}")]
    File { path: PathBuf, error: std::io::Error },
    #[error("cannot compile the Java side: {0}")]
    Compiler(String),
}

impl Classes {
    /// Compiles the worker with `runtime`, compatible with Java [`OLDEST`] and later.
    pub fn compile(runtime: &Runtime) -> Result<Classes, ClassesError> {
        let folder = new_folder()?;
        let classes = Classes { folder: folder.path().to_owned(), _removed_with_this: Some(folder) };
        let files: Result<Vec<_>, _> =
            SOURCES.iter().map(|(name, source)| write(&classes.folder, name, source)).collect();
        classes.add(runtime, &files?)?;
        Ok(classes)
    }

    /// Compiles the HTTPS server into the same folder. Fails if `runtime` has no compiler or no module
    /// `jdk.httpserver`.
    pub fn add_server(&self, runtime: &Runtime) -> Result<(), ClassesError> {
        self.add(runtime, &[write(&self.folder, SERVER_FILE, SERVER_SOURCE)?])
    }

    fn add(&self, runtime: &Runtime, sources: &[PathBuf]) -> Result<(), ClassesError> {
        let mut compiler = Command::new(&runtime.java);
        compiler.args(["-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-m", "jdk.compiler/com.sun.tools.javac.Main"]);
        compiler.args(["-proc:none", "-nowarn", "-encoding", "UTF-8"]);
        // No --release: the worker uses a class of a module that Java 11 does not export.
        compiler.args(["-source", &OLDEST.to_string(), "-target", &OLDEST.to_string(), "-Xlint:-options", "-d"]);
        compiler.arg(&self.folder).arg("-cp").arg(&self.folder).args(sources);
        remove_switches(&mut compiler);
        command::run_to_end(&mut compiler, LIMIT).map_err(ClassesError::Compiler)?;
        Ok(())
    }

    /// Returns the class path for `java`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    #[cfg(feature = "test-doubles")]
    pub(super) fn imagined() -> Classes {
        Classes { folder: PathBuf::from("kasoku-no-such-folder"), _removed_with_this: None }
    }
}

/// Writes the worker as one source file to a new folder, which the worker removes when it starts. Before Java 22,
/// `java` compiles single files only.
pub(super) fn source_alone() -> Result<PathBuf, ClassesError> {
    let lines = || SOURCES.iter().flat_map(|(_, source)| source.lines());
    let is_import = |line: &&str| line.starts_with("import ");
    let joined: Vec<&str> = lines().filter(is_import).chain(lines().filter(|line| !is_import(line))).collect();
    write(&new_folder()?.keep(), FILE, &joined.join("\n"))
}

fn write(folder: &Path, name: &str, source: &str) -> Result<PathBuf, ClassesError> {
    let path = folder.join(name);
    std::fs::write(&path, source).map_err(|error| ClassesError::File { path: path.clone(), error })?;
    Ok(path)
}

fn new_folder() -> Result<TempDir, ClassesError> {
    let temporary = std::env::temp_dir();
    remove_left_over(&temporary);
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.prefix(&prefix).tempdir_in(&temporary);
    folder.map_err(|error| ClassesError::File { path: temporary, error })
}

fn remove_left_over(temporary: &Path) {
    let Ok(entries) = std::fs::read_dir(temporary) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let process = process.split('-').next().and_then(|process| process.parse::<u32>().ok());
        // Skip links. The system refuses to remove other users' folders.
        if process.is_some_and(|process| !is_alive(process)) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn class_folders_are_private_and_stale_ones_are_removed() {
        use std::os::unix::fs::PermissionsExt as _;
        let mut child = Command::new("true").spawn().unwrap();
        let gone = child.id();
        child.wait().unwrap();
        let left = std::env::temp_dir().join(format!("{PREFIX}{gone}-0"));
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join(FILE), "").unwrap();
        let folder = new_folder().unwrap();
        assert!(!left.exists());
        assert_eq!(folder.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        let other = new_folder().unwrap();
        assert!(folder.path().exists() && folder.path() != other.path(), "one's own is kept while one lives");
        let path = folder.path().to_owned();
        drop((folder, other));
        assert!(!path.exists());
    }
}
