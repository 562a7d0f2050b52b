//! What the tests of commands share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)] // each test uses what it needs

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use kasoku_model::document::Document;
use kasoku_store::Store;
use serde_json::Value;

/// Limit for whatever a test waits for: only what hangs reaches it.
pub(crate) const HANG: Duration = Duration::from_secs(180);

/// Waits until `is_done` says so. Panics with `what` after [`HANG`].
pub(crate) fn wait_until(what: &str, mut is_done: impl FnMut() -> bool) {
    let end = Instant::now() + HANG;
    while !is_done() {
        assert!(Instant::now() < end, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A folder of its own for one test: store, lock, report.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    /// An empty one.
    pub(crate) fn new() -> Sandbox {
        Sandbox { folder: tempfile::tempdir().unwrap() }
    }

    /// One whose store has these runs.
    pub(crate) fn with(documents: &[Document]) -> Sandbox {
        let sandbox = Sandbox::new();
        let mut store = Store::open(&sandbox.path("store.sqlite")).unwrap();
        documents.iter().for_each(|document| store.add_document(document).unwrap());
        sandbox
    }

    /// The path of `name` in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `kasoku` with these arguments, kept in here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kasoku"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            // What a test reads is English, whoever runs it.
            .env("LC_ALL", "C")
            .env("KASOKU_STORE", self.path("store.sqlite"))
            .env("KASOKU_LOCK", self.path("lock"))
            .stdin(Stdio::null());
        command
    }

    /// The same, started by another program.
    pub(crate) fn under(&self, program: &[&str], arguments: &[&str]) -> Command {
        let own = self.command(arguments);
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(own.get_program()).args(own.get_args()).current_dir(self.folder.path());
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
        command
    }

    pub(crate) fn kasoku(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What it prints; it must end well.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        let output = self.kasoku(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", error_of(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The JSON that it prints; it must end well.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.text(arguments)).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
    }

    /// The JSON in a file that it wrote.
    pub(crate) fn written(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// What it says on standard error, which has `says` in it; it must end with status 2.
    pub(crate) fn refusal(&self, arguments: &[&str], says: &str) -> String {
        let output = self.kasoku(arguments);
        let said = error_of(&output);
        assert!(output.status.code() == Some(2) && said.contains(says), "{arguments:?}: {}: {said}", output.status);
        said
    }

    /// The same, of a user who has no store and named none.
    pub(crate) fn kasoku_without_a_store(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        command.env_remove("KASOKU_STORE").env("XDG_DATA_HOME", self.path("data")).output().unwrap()
    }

    /// A short run of the level primitives; gives its output and its document.
    pub(crate) fn run(&self, arguments: &[&str]) -> (Output, Value) {
        self.run_level("primitives", arguments)
    }

    /// The same of another level.
    pub(crate) fn run_level(&self, level: &str, arguments: &[&str]) -> (Output, Value) {
        let mut all = vec!["run", level, "--json", "out.json"];
        all.extend(arguments);
        let output = self.kasoku(&all);
        assert!(self.path("out.json").exists(), "{}", error_of(&output));
        let document = self.written("out.json");
        (output, document)
    }

    /// The page in it; of several the one of the newest run.
    pub(crate) fn page(&self) -> String {
        let pages = self.pages();
        std::fs::read_to_string(pages.last().expect("there is no page")).unwrap()
    }

    /// Every page in it.
    pub(crate) fn pages(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
        files.sort();
        files
    }

    /// A folder in it, both open to everybody, since root's nginx works as another user.
    #[cfg(unix)]
    pub(crate) fn open_folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir(&path).unwrap();
        for folder in [self.folder.path(), &path] {
            std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        path
    }

    /// A program of this text in it. Another process writes it: a file that this one holds open for writing, even in a
    /// child that another test is just starting, cannot be run.
    #[cfg(unix)]
    pub(crate) fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "printf '%s' \"$1\" >\"$0\" && chmod 755 \"$0\""]).arg(&path).arg(text);
        assert!(shell.status().unwrap().success());
        path
    }

    /// It, started.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }
}

/// Where a program is, if it is in the PATH or where those of the system's administrator are.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Whether these programs are here; where CI says it runs there, a missing one fails.
pub(crate) fn has(programs: &[&str]) -> bool {
    programs.iter().all(|program| is_there(find(program).is_some(), &format!("{program} (see test.sh)")))
}

/// Kasoku's provider for OpenSSL where users have it, beside the command. Who has the command's sources alone has none.
pub(crate) fn provider() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_BIN_EXE_kasoku")).with_file_name("libkasoku_openssl.so");
    let what = format!("{} (cargo build --release -p kasoku-openssl)", beside.display());
    let is_in_workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openssl-provider").is_dir();
    (beside.is_file() || is_in_workspace && is_there(false, &what)).then_some(beside)
}

/// A file of the test data that projects share: beside the checkout, or where the environment says.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("KASOKU_SHARED").map_or(beside, PathBuf::from).join(name);
    is_there(path.exists(), &path.display().to_string()).then_some(path)
}

/// `is_there`; if not, it is said that something is not tested, and where CI says it runs there, that fails.
pub(crate) fn is_there(is_there: bool, what: &str) -> bool {
    assert!(is_there || std::env::var("CI").unwrap_or_default().is_empty(), "{what} is not here");
    if !is_there {
        eprintln!("not tested: {what} is not here");
    }
    is_there
}

/// What `command` prints, and the CPU time it takes, which other work on the machine makes little longer. The shell
/// tells the time of its children in its last line.
#[cfg(unix)]
pub(crate) fn timed(command: &Command) -> (String, Duration) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" \"$@\" && times"]).arg(command.get_program()).args(command.get_args());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
    shell.env("LC_ALL", "C"); // for the numbers of `times`
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", error_of(&output));
    let said = String::from_utf8(output.stdout).unwrap();
    let mut parts = said.trim_end().rsplitn(3, '\n');
    let seconds = |word: &str| -> f64 {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    let taken = parts.next().unwrap().split_whitespace().map(seconds).sum();
    (parts.nth(1).unwrap_or_default().to_owned(), Duration::from_secs_f64(taken))
}

/// The words of a command line without quotes.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The keys of a JSON object, in their order, in one line.
pub(crate) fn keys(object: &Value) -> String {
    object.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// What makes a run short.
pub(crate) const SHORT: [&str; 4] = ["--rounds", "18", "--slice", "1"];

/// `arguments` of a short run.
pub(crate) fn short<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    arguments.iter().copied().chain(SHORT).collect()
}

/// What a command said on standard error.
pub(crate) fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The series of `library`, none of them controls.
pub(crate) fn series<'a>(document: &'a Value, library: &str) -> Vec<&'a Value> {
    document["series"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|series| series["library"] == library && series["details"]["control"].is_null())
        .collect()
}
