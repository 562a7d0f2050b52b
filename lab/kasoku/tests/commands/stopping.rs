//! Runs that are stopped by a signal or killed: they keep their samples and leave no process and no file.

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::{HANG, Sandbox, count_samples, has, list, names, send_signal, wait_until};

/// Options of a run that takes hours.
const ENDLESS: [&str; 4] = ["--rounds", "10000", "--slice", "5"];
const FEW: [&str; 6] =
    ["--libraries", "rustcrypto,aws-lc", "--algorithms", "sha-256,aes-128-gcm", "--sizes", "64,1024"];

struct Started {
    child: Child,
    said: Receiver<String>,
    all: Vec<String>,
}

/// Returns a command that receives signals even if the tests were started to ignore them.
fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    std::fs::create_dir_all(sandbox.path("tmp")).unwrap();
    let mut command = sandbox.under(&["env", "--default-signal=HUP,INT,TERM"], arguments);
    command.env("KASOKU_PROGRESS", "all").env("TMPDIR", sandbox.path("tmp"));
    command
}

fn start(sandbox: &Sandbox, arguments: &[&str]) -> Started {
    let mut child = command(sandbox, arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, said) = channel();
    let errors = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    Started { child, said, all: Vec::new() }
}

impl Started {
    /// Waits for a line that begins with `beginning` after the name of the level.
    fn wait_for(&mut self, beginning: &str) {
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

    fn signal(&self, name: &str) {
        send_signal(name, self.child.id());
    }

    /// Waits for the end. Returns the status and the last line.
    fn end(mut self) -> (ExitStatus, String) {
        wait_until("it ends", || self.child.try_wait().unwrap().is_some());
        let status = self.child.wait().unwrap();
        self.all.extend(self.said.iter());
        (status, self.all.pop().unwrap_or_default())
    }
}

/// Returns the name of the run that `line` says is kept.
fn kept_run(line: &str) -> &str {
    let name = line.strip_prefix("Stopped. The results so far are kept as ").and_then(|rest| rest.split_once(','));
    let (name, rest) = name.unwrap_or_else(|| panic!("{line}"));
    assert_eq!(rest, format!(" marked incomplete: kasoku show {name}"));
    name
}

/// Command lines of the living processes that were started in the sandbox.
fn processes_of(sandbox: &Sandbox) -> Vec<String> {
    let (folder, own) = (sandbox.path(""), std::process::id().to_string());
    let mark = format!("KASOKU_LOCK={}", sandbox.path("lock").display());
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let is_of_sandbox = |process: &PathBuf| {
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        let is_marked = environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
        // nginx overwrites its environment, but has its log open.
        let mut files = std::fs::read_dir(process.join("fd")).into_iter().flatten();
        let holds = |file: PathBuf| std::fs::read_link(file).is_ok_and(|file| file.starts_with(&folder));
        !process.ends_with(&own) && (is_marked || files.any(|entry| entry.is_ok_and(|entry| holds(entry.path()))))
    };
    let name = |process: PathBuf| std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
    processes.filter(is_of_sandbox).map(name).collect()
}

fn check_nothing_is_left(sandbox: &Sandbox, what: &str) {
    wait_until(&format!("no process is left: {what}"), || processes_of(sandbox).is_empty());
    assert_eq!(names(&sandbox.path("tmp")), [""; 0], "{what}");
}

#[test]
fn stopped_run_keeps_its_samples_and_ends_with_the_signals_status() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let sandbox = Sandbox::new();
        let mut run = start(&sandbox, &[&["run", "primitives"], &FEW[..], &ENDLESS].concat());
        run.wait_for("round 3 ");
        run.signal(signal);
        let (ended, last) = run.end();
        assert_eq!(ended.code(), Some(status), "{last}");
        let document = sandbox.shown(kept_run(&last));
        assert_eq!(document["run"]["complete"], false);
        assert!(count_samples(&document) > 8, "two rounds were over");
        check_nothing_is_left(&sandbox, signal);
        assert!(sandbox.pages().is_empty() && !sandbox.path("store.sqlite-wal").exists());
        // The incomplete run can be shown, and does not block the next run.
        assert!(sandbox.text(&["show", "last"]).contains("INCOMPLETE"));
        sandbox.text(&[&["run", "primitives"], &FEW[..], &["--rounds", "3", "--slice", "1"]].concat());
    }
}

#[test]
fn run_stopped_during_verification_reports_that_nothing_was_measured() {
    let sandbox = Sandbox::new();
    let mut run =
        start(&sandbox, &[&["run", "primitives", "--libraries", "test-hang,rustcrypto"], &FEW[2..], &ENDLESS].concat());
    run.wait_for("verifying");
    // By then the run waits for a worker that never answers.
    std::thread::sleep(Duration::from_millis(300));
    run.signal("-INT");
    let (ended, last) = run.end();
    assert_eq!(ended.code(), Some(130), "{last}");
    let is_told = last.starts_with("Stopped before anything was measured; ") && last.ends_with("marked incomplete");
    assert!(is_told, "{last}");
    assert_eq!(count_samples(&sandbox.shown("last")), 0);
    check_nothing_is_left(&sandbox, "hanging");
}

#[test]
fn second_signal_kills_the_run_at_once() {
    // The run obeys the first signal within a fraction of a second, so the second one may come too late.
    for _ in 0..20 {
        let sandbox = Sandbox::new();
        let arguments = ["run", "primitives", "--libraries", "test-hang", "--algorithms", "sha-256", "--sizes", "64"];
        let mut run = start(&sandbox, &arguments);
        run.wait_for("verifying");
        run.signal("-INT");
        run.signal("-INT");
        let (ended, last) = run.end();
        check_nothing_is_left(&sandbox, "twice");
        if ended.signal() == Some(2) {
            return;
        }
        assert_eq!(ended.code(), Some(130), "{last}");
    }
    panic!("the second signal was never heard");
}

#[test]
fn killed_selfcheck_leaves_no_worker_and_no_burner() {
    let sandbox = Sandbox::new();
    let mut started = start(&sandbox, &["selfcheck", "--neighbour"]);
    wait_until("there are five processes", || processes_of(&sandbox).len() >= 5);
    started.child.kill().unwrap();
    started.child.wait().unwrap();
    check_nothing_is_left(&sandbox, "a self-check");
}

/// Kills runs of every level at random moments. `KASOKU_KILLS=100` kills 100 runs.
#[test]
fn killed_run_keeps_every_finished_round_and_earlier_runs() {
    let kills = std::env::var("KASOKU_KILLS").map_or(10, |kills| kills.parse().expect("a number of kills"));
    let packets = ["run", "packets", "--libraries", "ring", "--sizes", "1200"];
    let files = ["run", "files", "--libraries", "kasoku", "--sizes", "1M", "--repetitions", "10000"];
    let primitives = [&["run", "primitives"], &FEW[..], &ENDLESS].concat();
    let jvm = ["run", "jvm", "--quick", "--libraries", "sunjce"];
    let tls = ["run", "tls", "--libraries", "openssl", "--sizes", "1M", "--duration", "3", "--workers", "1"];
    let mut levels: Vec<&[&str]> = vec![&primitives, &packets, &files];
    levels.extend(has(&["java"]).then_some(&jvm[..]));
    levels.extend(has(&["nginx"]).then_some(&tls[..]));

    let sandbox = Sandbox::new();
    let folder = sandbox.open_folder("files");
    let whole = [&["run", "primitives"], &FEW[..], &["--rounds", "3", "--slice", "1"]].concat();
    assert_eq!(sandbox.kasoku(&whole).status.code(), Some(0));
    let finished = sandbox.shown("last");
    let name = finished["run"]["id"].as_str().unwrap().to_owned();

    let mut in_the_middle = 0;
    for (kill, level) in (0..kills).zip(levels.iter().cycle()) {
        let moment = Duration::from_millis(RandomState::new().hash_one(kill) % 4_000);
        let what = format!("{level:?}, killed after {moment:?}");
        let mut arguments = level.to_vec();
        if ["files", "tls"].contains(&level[1]) {
            arguments.extend(["--dir", folder.to_str().unwrap()]);
        }
        let mut run = start(&sandbox, &arguments);
        // At least one run is killed while it measures.
        if kill == 0 {
            run.wait_for("round 2 ")
        } else {
            std::thread::sleep(moment)
        }
        run.child.kill().unwrap();
        let status = run.child.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "{what}: {status}");
        wait_until(&format!("no process is left: {what}"), || processes_of(&sandbox).is_empty());

        assert_eq!(sandbox.shown(&name), finished, "{what}");
        let last = sandbox.shown("last");
        assert_eq!(last, sandbox.shown("last"), "{what}");
        // "level: round 3 of 10000" means that two rounds are finished. The last lines may have arrived only now.
        run.all.extend(run.said.iter());
        let round = |line: &String| line.split_once(": round ")?.1.split(' ').next()?.parse().ok();
        let begun: u64 = run.all.iter().filter_map(round).max().unwrap_or(0);
        if last["run"]["id"] == finished["run"]["id"] {
            assert_eq!(begun, 0, "{what}: nothing is kept of it");
            continue;
        }
        assert_eq!(last["run"]["complete"], false, "{what}");
        let rounds = list(&last["series"]).iter().flat_map(|series| list(&series["samples"]));
        let kept = rounds.map(|sample| sample["round"].as_u64().unwrap() + 1).max().unwrap_or(0);
        assert!(kept + 1 >= begun, "{what}: {kept} rounds are kept, and round {begun} had begun");
        in_the_middle += u64::from(begun > 1);
    }
    assert!(in_the_middle > 0, "no run was killed while it measured");
    assert_eq!(sandbox.kasoku(&whole).status.code(), Some(0), "nothing is in the way of the next one");
}

#[test]
fn every_phase_of_every_level_can_be_stopped() {
    let packets = ["packets", "--libraries", "ring", "--sizes", "1200"];
    let end_to_end = ["packets", "--end-to-end", "--libraries", "ring"];
    let files = ["files", "--libraries", "kasoku", "--sizes", "8M", "--repetitions", "10000"];
    let jvm = ["jvm", "--quick", "--libraries", "sunjce"];
    let tls = ["tls", "--libraries", "openssl", "--sizes", "1M,64M", "--duration", "3", "--workers", "1"];
    let mut places: Vec<(&[&str], &str)> = vec![
        (&packets, "verifying"),
        (&packets, "round 2"),
        (&end_to_end, "connecting"),
        (&end_to_end, "end to end: round"),
        (&files, "observing"),
        (&files, "round 2"),
    ];
    if has(&["java"]) {
        places.push((&jvm, "verifying"));
        places.push((&jvm, "round 1"));
    }
    if has(&["nginx"]) {
        places.extend(["starting", "making", "searching", "round 1"].map(|phase| (&tls[..], phase)));
    }
    for (level, phase) in places {
        let what = format!("{level:?} at \"{phase}\"");
        let sandbox = Sandbox::new();
        let folder = sandbox.open_folder("files");
        let mut arguments = [&["run"], level].concat();
        if ["files", "tls"].contains(&level[0]) {
            arguments.extend(["--dir", folder.to_str().unwrap()]);
        }
        let mut run = start(&sandbox, &arguments);
        run.wait_for(phase);
        run.signal("-INT");
        let (ended, last) = run.end();
        assert_eq!(ended.code(), Some(130), "{what}: {last}");
        let told = ["Stopped. The results so far are kept as ", "Stopped before anything was measured; "];
        assert!(told.iter().any(|start| last.starts_with(start)), "{what}: {last}");
        check_nothing_is_left(&sandbox, &what);
        assert_eq!(names(&folder), [""; 0], "{what}");
        assert_eq!(sandbox.shown("last")["run"]["complete"], false, "{what}");
    }
}

/// On a terminal, every process of the foreground group gets the signal. Only the laboratory is in that group.
#[test]
fn ctrl_c_on_a_terminal_stops_the_run_and_removes_the_progress_bar() {
    let sandbox = Sandbox::new();
    let own = command(&sandbox, &[&["run", "primitives"], &FEW[..], &ENDLESS].concat());
    let mut line = own.get_program().to_str().unwrap().to_owned();
    own.get_args().for_each(|argument| line.push_str(&format!(" '{}'", argument.to_str().unwrap())));
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.path(""));
    terminal.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script of util-linux");
    wait_until("it measures", || count_samples(&sandbox.last_if_any()) > 8);
    let mut keyboard = terminal.stdin.take().unwrap();
    keyboard.write_all(b"\x03").unwrap();
    keyboard.flush().unwrap();
    let mut screen = String::new();
    terminal.stdout.take().unwrap().read_to_string(&mut screen).unwrap();
    drop(keyboard);
    assert_eq!(terminal.wait().unwrap().code(), Some(130), "{screen:?}");
    let last = screen.trim_end().rsplit('\n').next().unwrap_or_default();
    assert!(last.contains("Stopped. The results so far are kept as "), "{last:?}");
    // The bar's line was cleared, and no bar was drawn after that.
    assert!(!last.contains('%') || last.rfind("\u{1b}[2K") > last.rfind('%'), "{last:?}");
    assert!(!screen.contains("signal"), "no worker died of it: {screen:?}");
    check_nothing_is_left(&sandbox, "terminal");
}
