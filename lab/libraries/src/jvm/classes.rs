//! The worker's Java source, which is embedded in this program, and its compiled classes in a private temporary folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::super::{command, remove_switches};
use super::runtime::{OLDEST, Runtime};
use crate::folder::{self, Folder};

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
/// Time limit for the compiler, which takes a second or two on an idle machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The compiled worker in its folder, which is removed on drop.
#[derive(Debug)]
pub struct Classes {
    folder: PathBuf,
    _removed_with_this: Option<Folder>,
}

impl Classes {
    /// Compiles the worker with `runtime`, compatible with Java [`OLDEST`] and later.
    pub fn compile(runtime: &Runtime) -> Result<Classes, String> {
        let folder = new_folder()?;
        let classes = Classes { folder: folder.path().to_owned(), _removed_with_this: Some(folder) };
        let files: Result<Vec<_>, _> =
            SOURCES.iter().map(|(name, source)| write(&classes.folder, name, source)).collect();
        classes.add(runtime, &files?)?;
        Ok(classes)
    }

    /// Compiles the HTTPS server into the same folder. Fails if `runtime` has no compiler or no module
    /// `jdk.httpserver`.
    pub fn add_server(&self, runtime: &Runtime) -> Result<(), String> {
        self.add(runtime, &[write(&self.folder, SERVER_FILE, SERVER_SOURCE)?])
    }

    fn add(&self, runtime: &Runtime, sources: &[PathBuf]) -> Result<(), String> {
        let mut compiler = Command::new(&runtime.java);
        compiler.args(["-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-m", "jdk.compiler/com.sun.tools.javac.Main"]);
        compiler.args(["-proc:none", "-nowarn", "-encoding", "UTF-8"]);
        // No --release: the worker uses a class of a module that Java 11 does not export.
        compiler.args(["-source", &OLDEST.to_string(), "-target", &OLDEST.to_string(), "-Xlint:-options", "-d"]);
        compiler.arg(&self.folder).arg("-cp").arg(&self.folder).args(sources);
        remove_switches(&mut compiler);
        let compiled = command::run_to_end(&mut compiler, LIMIT);
        compiled.map(drop).map_err(|why| format!("cannot compile the Java side: {why}"))
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
pub(super) fn source_alone() -> Result<PathBuf, String> {
    let lines = || SOURCES.iter().flat_map(|(_, source)| source.lines());
    let is_import = |line: &&str| line.starts_with("import ");
    let joined: Vec<&str> = lines().filter(is_import).chain(lines().filter(|line| !is_import(line))).collect();
    let temporary = std::env::temp_dir();
    let folder =
        folder::create(&temporary, folder::JVM).map_err(|error| format!("{}: {error}", temporary.display()))?;
    write(&folder.keep(), FILE, &joined.join("\n"))
}

fn write(folder: &Path, name: &str, source: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    std::fs::write(&path, source).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn new_folder() -> Result<Folder, String> {
    let temporary = std::env::temp_dir();
    folder::remove_leftovers(&temporary);
    Folder::new(&temporary, folder::JVM).map_err(|error| format!("{}: {error}", temporary.display()))
}
