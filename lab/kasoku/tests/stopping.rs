//! A run that is stopped, by Ctrl-C or by SIGTERM: what it had is kept, it says so, and nothing is left of it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod support;

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{HANG, Sandbox, has, wait_until};

/// Rounds for hours: whatever ends before was stopped.
const ENDLESS: [&str; 4] = ["--rounds", "10000", "--slice", "5"];
const FEW: [&str; 6] =
    ["--libraries", "rustcrypto,aws-lc", "--algorithms", "sha-256,aes-128-gcm", "--sizes", "64,1024"];

/// A run in its sandbox, with what it says on standard error, line by line.
struct Started {
    child: Child,
    said: Receiver<String>,
    all: Vec<String>,
}

/// A command in its sandbox that hears signals, even if these tests were started to ignore them.
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
    /// Waits until it has said a line that begins so behind the level.
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
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// How it ended, and the last line that it said.
    fn end(mut self) -> (std::process::ExitStatus, String) {
        wait_until("it ends", || self.child.try_wait().unwrap().is_some());
        let status = self.child.wait().unwrap();
        self.all.extend(self.said.iter());
        (status, self.all.pop().unwrap_or_default())
    }
}

/// The run that `line` says is kept.
fn kept(line: &str) -> &str {
    let name = line.strip_prefix("Stopped. The results so far are kept as ").and_then(|rest| rest.split_once(','));
    let (name, rest) = name.unwrap_or_else(|| panic!("{line}"));
    assert_eq!(rest, format!(" marked incomplete: kasoku show {name}"));
    name
}

/// Processes that were started in this sandbox and still live.
fn alive(sandbox: &Sandbox) -> Vec<String> {
    let (folder, own) = (sandbox.path(""), std::process::id().to_string());
    let mark = format!("KASOKU_LOCK={}", sandbox.path("lock").display());
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let is_of_room = |process: &std::path::PathBuf| {
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        let is_marked = environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
        // nginx writes over its environment, but has its log open.
        let mut files = std::fs::read_dir(process.join("fd")).into_iter().flatten();
        let holds = |file: PathBuf| std::fs::read_link(file).is_ok_and(|file| file.starts_with(&folder));
        !process.ends_with(&own) && (is_marked || files.any(|entry| entry.is_ok_and(|entry| holds(entry.path()))))
    };
    let name = |process: std::path::PathBuf| std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
    processes.filter(is_of_room).map(name).collect()
}

fn nothing_is_left(sandbox: &Sandbox, what: &str) {
    wait_until(&format!("no process is left: {what}"), || alive(sandbox).is_empty());
    let left: Vec<_> =
        std::fs::read_dir(sandbox.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{what}: {left:?}");
}

fn shown(sandbox: &Sandbox, run: &str) -> Value {
    sandbox.json(&["show", run, "--format", "json"])
}

fn samples(document: &Value) -> usize {
    let series = document["series"].as_array().unwrap();
    series.iter().map(|one| one["samples"].as_array().unwrap().len()).sum()
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_measured_and_says_so() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let sandbox = Sandbox::new();
        let mut run = start(&sandbox, &[&["run", "primitives"], &FEW[..], &ENDLESS].concat());
        run.wait_for("round 3 ");
        run.signal(signal);
        let (ended, last) = run.end();
        assert_eq!(ended.code(), Some(status), "{last}");
        let document = shown(&sandbox, kept(&last));
        assert_eq!(document["run"]["complete"], false);
        assert!(samples(&document) > 8, "two rounds were over");
        nothing_is_left(&sandbox, signal);
        assert!(sandbox.pages().is_empty() && !sandbox.path("store.sqlite-wal").exists());
        // What is there can be looked at, and does not stand in the way of the next run.
        assert!(sandbox.text(&["show", "last"]).contains("INCOMPLETE"));
        sandbox.text(&[&["run", "primitives"], &FEW[..], &["--rounds", "3", "--slice", "1"]].concat());
    }
}

#[test]
fn before_anything_was_measured_that_is_said() {
    let sandbox = Sandbox::new();
    let mut run =
        start(&sandbox, &[&["run", "primitives", "--libraries", "test-hang,rustcrypto"], &FEW[2..], &ENDLESS].concat());
    run.wait_for("verifying");
    // By now it waits for a worker that never answers.
    std::thread::sleep(Duration::from_millis(300));
    run.signal("-INT");
    let (ended, last) = run.end();
    assert_eq!(ended.code(), Some(130), "{last}");
    assert!(
        last.starts_with("Stopped before anything was measured; ") && last.ends_with("marked incomplete"),
        "{last}"
    );
    assert_eq!(samples(&shown(&sandbox, "last")), 0);
    nothing_is_left(&sandbox, "hanging");
}

#[test]
fn the_second_signal_ends_it_at_once() {
    // Whether it comes in time is chance: the first one is obeyed within a fraction of a second.
    for _ in 0..20 {
        let sandbox = Sandbox::new();
        let arguments = ["run", "primitives", "--libraries", "test-hang", "--algorithms", "sha-256", "--sizes", "64"];
        let mut run = start(&sandbox, &arguments);
        run.wait_for("verifying");
        run.signal("-INT");
        run.signal("-INT");
        let (ended, last) = run.end();
        nothing_is_left(&sandbox, "twice");
        if ended.signal() == Some(2) {
            return;
        }
        assert_eq!(ended.code(), Some(130), "{last}");
    }
    panic!("the second signal was never heard");
}

#[test]
fn a_self_check_that_is_killed_takes_its_workers_and_its_burner_with_it() {
    let sandbox = Sandbox::new();
    let mut started = start(&sandbox, &["selfcheck", "--neighbour"]);
    wait_until("there are five processes", || alive(&sandbox).len() >= 5);
    started.child.kill().unwrap();
    started.child.wait().unwrap();
    nothing_is_left(&sandbox, "a self-check");
}

/// Killed at any moment, in any level: nothing goes on, what a run before has measured is shown as it was, and so is
/// every round that the killed one had finished. `KASOKU_KILLS=100` does it as often.
#[test]
fn a_run_that_is_killed_at_any_moment_loses_nothing_that_was_finished() {
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
    let finished = shown(&sandbox, "last");
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
        // One at least while it measures; the others at any moment.
        if kill == 0 {
            run.wait_for("round 2 ")
        } else {
            std::thread::sleep(moment)
        }
        run.child.kill().unwrap();
        let status = run.child.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "{what}: {status}");
        wait_until(&format!("no process is left: {what}"), || alive(&sandbox).is_empty());

        assert_eq!(shown(&sandbox, &name), finished, "{what}");
        let last = shown(&sandbox, "last");
        assert_eq!(last, shown(&sandbox, "last"), "{what}");
        // "level: round 3 of 10000": two are over. (What was said last may be there only now.)
        run.all.extend(run.said.iter());
        let round = |line: &String| line.split_once(": round ")?.1.split(' ').next()?.parse().ok();
        let begun: u64 = run.all.iter().filter_map(round).max().unwrap_or(0);
        if last["run"]["id"] == finished["run"]["id"] {
            assert_eq!(begun, 0, "{what}: nothing is kept of it");
            continue;
        }
        assert_eq!(last["run"]["complete"], false, "{what}");
        let rounds = last["series"].as_array().unwrap().iter().flat_map(|series| series["samples"].as_array().unwrap());
        let kept = rounds.map(|sample| sample["round"].as_u64().unwrap() + 1).max().unwrap_or(0);
        assert!(kept + 1 >= begun, "{what}: {kept} rounds are kept, and round {begun} had begun");
        in_the_middle += u64::from(begun > 1);
    }
    assert!(in_the_middle > 0, "no run was killed while it measured");
    assert_eq!(sandbox.kasoku(&whole).status.code(), Some(0), "nothing is in the way of the next one");
}

/// Wherever a level waits for something, it is for its own processes, and it gives up.
#[test]
fn every_level_can_be_stopped_wherever_it_is() {
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
        nothing_is_left(&sandbox, &what);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{what}");
        assert_eq!(shown(&sandbox, "last")["run"]["complete"], false, "{what}");
    }
}

/// On a terminal the whole foreground group gets the signal; only the laboratory is in it, and the bar is taken away.
#[test]
fn ctrl_c_on_a_terminal_stops_the_run_in_order() {
    let sandbox = Sandbox::new();
    let own = command(&sandbox, &[&["run", "primitives"], &FEW[..], &ENDLESS].concat());
    let mut line = own.get_program().to_str().unwrap().to_owned();
    own.get_args().for_each(|argument| line.push_str(&format!(" '{}'", argument.to_str().unwrap())));
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.path(""));
    terminal.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script of util-linux");
    let has_samples = || {
        let shown = sandbox.kasoku(&["show", "last", "--format", "json"]);
        serde_json::from_slice::<Value>(&shown.stdout).is_ok_and(|document| samples(&document) > 8)
    };
    wait_until("it measures", has_samples);
    let mut keyboard = terminal.stdin.take().unwrap();
    keyboard.write_all(b"\x03").unwrap();
    keyboard.flush().unwrap();
    let mut screen = String::new();
    terminal.stdout.take().unwrap().read_to_string(&mut screen).unwrap();
    drop(keyboard);
    assert_eq!(terminal.wait().unwrap().code(), Some(130), "{screen:?}");
    let last = screen.trim_end().rsplit('\n').next().unwrap_or_default();
    assert!(last.contains("Stopped. The results so far are kept as "), "{last:?}");
    // The bar's line was taken away before, and none was drawn after.
    assert!(!last.contains('%') || last.rfind("\u{1b}[2K") > last.rfind('%'), "{last:?}");
    assert!(!screen.contains("signal"), "no worker died of it: {screen:?}");
    nothing_is_left(&sandbox, "terminal");
}
