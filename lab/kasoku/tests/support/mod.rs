//! Fixtures for tests of commands: a sandbox for store, lock and files, and readers of what a command wrote.

#![allow(dead_code)] // each test binary uses its part

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kasoku_model::document::Document;
use kasoku_store::Store;
use serde_json::Value;

/// Time limit for anything that a test waits for. Only a hanging process reaches it.
pub(crate) const HANG: Duration = Duration::from_secs(180);

/// Waits until `is_done` returns true. Panics with `what` after [`HANG`].
pub(crate) fn wait_until(what: &str, mut is_done: impl FnMut() -> bool) {
    let end = Instant::now() + HANG;
    while !is_done() {
        assert!(Instant::now() < end, "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Temporary folder in which a test runs `kasoku`, with a store and a measuring lock of its own.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { folder: tempfile::tempdir().unwrap() }
    }

    /// Creates a sandbox whose store holds `documents`.
    pub(crate) fn with(documents: &[Document]) -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.store().add_documents(documents).unwrap();
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.path("store.sqlite")).unwrap()
    }

    /// Changes the store directly, as no command does.
    pub(crate) fn execute_sql(&self, sql: &str) {
        rusqlite::Connection::open(self.path("store.sqlite")).unwrap().execute(sql, []).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_kasoku"), arguments)
    }

    /// Like [`Sandbox::command`], but with another program than the `kasoku` under test.
    pub(crate) fn command_of(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            // Tests expect English in any locale.
            .env("LC_ALL", "C")
            .env("KASOKU_STORE", self.path("store.sqlite"))
            .env("KASOKU_LOCK", self.path("lock"))
            .stdin(Stdio::null());
        command
    }

    /// Returns a command in which `program` starts `kasoku` with `arguments`.
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

    /// Runs `kasoku`, which must succeed, and returns its standard output.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        let output = self.kasoku(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", error_of(&output));
        text_of(&output)
    }

    /// Runs `kasoku`, which must succeed, and parses its standard output as JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.text(arguments)).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
    }

    pub(crate) fn shown(&self, run: &str) -> Value {
        self.json(&["show", run, "--format", "json"])
    }

    /// Returns the newest stored run as JSON, or null while there is none.
    pub(crate) fn last_if_any(&self) -> Value {
        serde_json::from_slice(&self.kasoku(&["show", "last", "--format", "json"]).stdout).unwrap_or_default()
    }

    pub(crate) fn written(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs `kasoku`, which must end with `status` and print `says` to standard error. Returns standard error.
    pub(crate) fn message(&self, arguments: &[&str], status: i32, says: &str) -> String {
        let output = self.kasoku(arguments);
        let said = error_of(&output);
        assert!(
            output.status.code() == Some(status) && said.contains(says),
            "{arguments:?}: {}: {said}",
            output.status
        );
        said
    }

    /// Like [`Sandbox::message`], with status 2: wrong usage or bad input.
    pub(crate) fn refusal(&self, arguments: &[&str], says: &str) -> String {
        self.message(arguments, 2, says)
    }

    /// Runs `kasoku` as a user whose store does not exist and who has not named one.
    pub(crate) fn kasoku_without_a_store(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        command.env_remove("KASOKU_STORE").env("XDG_DATA_HOME", self.path("data")).output().unwrap()
    }

    /// Measures one level. Returns the output and the run document.
    pub(crate) fn run(&self, level: &str, arguments: &[&str]) -> (Output, Value) {
        let output = self.kasoku(&[&["run", level, "--json", "out.json"], arguments].concat());
        assert!(self.path("out.json").exists(), "{}", error_of(&output));
        (output, self.written("out.json"))
    }

    /// Measures one level, which must succeed. Returns the text on standard output and the run document.
    pub(crate) fn measure(&self, level: &str, arguments: &[&str]) -> (String, Value) {
        let (output, document) = self.run(level, arguments);
        check_status(&output, 0);
        (text_of(&output), document)
    }

    pub(crate) fn page(&self) -> String {
        let pages = self.pages();
        std::fs::read_to_string(pages.last().expect("no page was written")).unwrap()
    }

    pub(crate) fn pages(&self) -> Vec<PathBuf> {
        let mut names = names(self.folder.path());
        names.retain(|name| name.ends_with(".html"));
        names.sort();
        names.iter().map(|name| self.path(name)).collect()
    }

    /// Creates a folder in the sandbox. Every user may enter the folder and the sandbox, since root's nginx works as
    /// another user.
    #[cfg(unix)]
    pub(crate) fn open_folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(&path).unwrap();
        for folder in [self.folder.path(), &path] {
            std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        path
    }

    /// Copies `kasoku` to the sandbox. Another process writes the copy, for the reason given at [`Sandbox::program`].
    pub(crate) fn copy_of_kasoku(&self) -> PathBuf {
        let path = self.path("kasoku");
        assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_kasoku")).arg(&path).status().unwrap().success());
        path
    }

    /// Writes an executable script. A shell writes it: a file that this process holds open for writing, even in a child
    /// that another test is just starting, cannot be run.
    #[cfg(unix)]
    pub(crate) fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "printf '%s' \"$1\" >\"$0\" && chmod 755 \"$0\""]).arg(&path).arg(text);
        assert!(shell.status().unwrap().success());
        path
    }

    /// Measures with a library that crashes once, at its request number `request`. Returns the output and the run
    /// document.
    pub(crate) fn run_with_crash(&self, request: &str, line: &str) -> (Output, Value) {
        std::fs::write(self.path("crash"), request).unwrap();
        let mut command = self.command(&words(line));
        let output =
            command.args(["--json", "out.json"]).env("KASOKU_TEST_CRASH", self.path("crash")).output().unwrap();
        check_status(&output, 0);
        assert!(!self.path("crash").exists(), "the worker did not crash");
        (output, self.written("out.json"))
    }

    /// Kills a run when its document is as `is_time` wants it, calls `check`, and resumes the run. Returns the document
    /// before and after.
    pub(crate) fn kill_and_resume(
        &self,
        line: &str,
        is_time: impl Fn(&Value) -> bool,
        check: impl FnOnce(),
    ) -> (Value, Value) {
        let arguments = words(line);
        let mut child = self.start(&arguments);
        wait_until("the run measures", || is_time(&self.last_if_any()));
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be killed");
        child.kill().unwrap();
        child.wait().unwrap();
        let before = self.shown("last");
        assert_eq!(before["run"]["complete"], false);
        check();
        self.refusal(&[&arguments[..2], &["--resume", "last"]].concat(), "repeat the same arguments");

        let resume = [&arguments[..], &["--resume", "last"]].concat();
        let resumed = self.kasoku(&[&resume[..], &["--json", "out.json"]].concat());
        check_status(&resumed, 0);
        assert!(error_of(&resumed).contains("resuming"), "{}", error_of(&resumed));
        let document = self.written("out.json");
        assert_eq!(document["run"]["complete"], true);
        assert_eq!(self.shown("last")["series"], document["series"]);
        self.refusal(&resume, "is complete");
        (before, document)
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }
}

/// Finds a program in PATH or in the system administrator's folders.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Whether all `programs` are installed. Panics in CI if one is missing.
pub(crate) fn has(programs: &[&str]) -> bool {
    programs.iter().all(|program| is_there(find(program).is_some(), &format!("{program} (see test.sh)")))
}

/// Returns Kasoku's OpenSSL provider, which lies beside the command. Returns `None` if only the command's sources are
/// here.
pub(crate) fn provider() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_BIN_EXE_kasoku")).with_file_name("libkasoku_openssl.so");
    let what = format!("{} (cargo build --release -p kasoku-openssl)", beside.display());
    let is_in_workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openssl-provider").is_dir();
    (beside.is_file() || is_in_workspace && is_there(false, &what)).then_some(beside)
}

/// Returns a file of the shared test data: beside the checkout, or in `KASOKU_SHARED`.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("KASOKU_SHARED").map_or(beside, PathBuf::from).join(name);
    is_there(path.exists(), &path.display().to_string()).then_some(path)
}

/// Returns `is_there`. If it is false, prints that `what` is missing, or panics in CI.
pub(crate) fn is_there(is_there: bool, what: &str) -> bool {
    assert!(is_there || std::env::var("CI").unwrap_or_default().is_empty(), "{what} is missing");
    if !is_there {
        eprintln!("not tested: {what} is not here");
    }
    is_there
}

/// Resource use and exit status of a command.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// CPU seconds, which other load lengthens less than wall time.
    pub(crate) seconds: f64,
    /// Peak memory in bytes.
    pub(crate) memory: u64,
    pub(crate) status: i32,
}

/// Runs `kasoku` with standard error in the file `stderr`, and measures its cost.
#[cfg(target_os = "linux")]
#[allow(clippy::zombie_processes)] // wait4 waits for it
pub(crate) fn cost_of(sandbox: &Sandbox, arguments: &[&str]) -> Cost {
    let mut command = sandbox.command(arguments);
    command.stdout(Stdio::null()).stderr(std::fs::File::create(sandbox.path("stderr")).unwrap());
    let id = command.spawn().unwrap().id();
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    let mut memory = 0;
    loop {
        // The peak in `usage` would include the memory of this process, of which the child was a copy at first.
        memory = peak_memory(id).unwrap_or(memory);
        // SAFETY: the call writes to `status` and `usage`, which outlive it. Nothing else waits for the child.
        #[allow(unsafe_code)]
        let waited = unsafe { libc::wait4(id.cast_signed(), &mut status, libc::WNOHANG, usage.as_mut_ptr()) };
        if waited != 0 {
            assert_eq!(waited, id.cast_signed());
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // SAFETY: zeros are a valid value, and the call has written another.
    #[allow(unsafe_code)]
    let usage = unsafe { usage.assume_init() };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Cost {
        seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        memory,
        status: if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -1 },
    }
}

/// Peak memory of a process so far, in bytes.
#[cfg(target_os = "linux")]
pub(crate) fn peak_memory(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Returns the answers of `kasoku worker` to the JSON lines in `input`.
pub(crate) fn ask_worker(command: &mut Command, input: &str) -> Vec<Value> {
    let mut worker = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut worker.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = worker.wait_with_output().unwrap();
    text_of(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the command line of a process, each word followed by a space. It is empty once the process has ended.
pub(crate) fn command_line(process: u32) -> String {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

/// Returns the living processes that were started in the sandbox, by their command lines.
#[cfg(target_os = "linux")]
pub(crate) fn processes_of(sandbox: &Sandbox) -> Vec<String> {
    let folder = sandbox.path("");
    let mark = format!("KASOKU_LOCK={}", sandbox.path("lock").display());
    let is_of_sandbox = |process: &u32| {
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let is_marked = environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
        // nginx overwrites its environment, but holds its log in this folder open.
        let mut files = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten();
        let holds = |file: PathBuf| std::fs::read_link(file).is_ok_and(|file| file.starts_with(&folder));
        let is_other = *process != std::process::id();
        is_other && (is_marked || files.any(|entry| entry.is_ok_and(|entry| holds(entry.path()))))
    };
    let processes = names(Path::new("/proc")).into_iter().filter_map(|name| name.parse().ok());
    processes.filter(is_of_sandbox).map(command_line).collect()
}

/// A command whose lines on standard error are read while it runs.
pub(crate) struct Watched {
    pub(crate) child: Child,
    pub(crate) said: Receiver<String>,
    pub(crate) all: Vec<String>,
}

impl Watched {
    pub(crate) fn start(command: &mut Command) -> Watched {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, said) = channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Watched { child, said, all: Vec::new() }
    }

    /// Waits for a line that begins with `beginning` after the name of the level.
    pub(crate) fn wait_for(&mut self, beginning: &str) {
        let end = Instant::now() + HANG;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(line) = self.said.recv_timeout(left) else { panic!("no \"{beginning}\" in {:#?}", self.all) };
            self.all.push(line);
            let said = self.all.last().and_then(|line| line.split_once(": "));
            if said.is_some_and(|(_, what)| what.starts_with(beginning)) {
                return;
            }
        }
    }

    /// Waits for the end. Returns the status and all lines.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<String>) {
        wait_until("the command ends", || self.child.try_wait().unwrap().is_some());
        self.all.extend(self.said.iter());
        (self.child.wait().unwrap(), self.all)
    }

    pub(crate) fn kill(&mut self) -> ExitStatus {
        self.child.kill().unwrap();
        self.child.wait().unwrap()
    }
}

pub(crate) fn send_signal(name: &str, process: u32) {
    let status = Command::new("kill").args([name, &process.to_string()]).status().unwrap();
    assert!(status.success(), "kill {name} {process}");
}

pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

pub(crate) fn keys(object: &Value) -> String {
    object.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

pub(crate) const SHORT: [&str; 4] = ["--rounds", "18", "--slice", "1"];

/// Splits a command line into words and adds [`SHORT`].
pub(crate) fn short(line: &str) -> Vec<&str> {
    [&words(line)[..], &SHORT].concat()
}

/// Runs a command, which must end with `status`.
pub(crate) fn output_of(command: &mut Command, status: i32) -> Output {
    let output = command.output().unwrap();
    check_status(&output, status);
    output
}

pub(crate) fn check_status(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{}", error_of(output));
}

pub(crate) fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn text_of(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// The series of `library`, without A/A controls.
pub(crate) fn series<'a>(document: &'a Value, library: &str) -> Vec<&'a Value> {
    let all = list(&document["series"]).iter();
    all.filter(|series| series["library"] == library && series["details"]["control"].is_null()).collect()
}

pub(crate) fn count_samples(document: &Value) -> usize {
    document["series"].as_array().into_iter().flatten().map(|one| one["samples"].as_array().map_or(0, Vec::len)).sum()
}

/// The reasons why parts of a run were left out.
pub(crate) fn omissions(document: &Value) -> String {
    document["run"]["omissions"].to_string()
}
