//! Runs that are stopped by a signal or killed: they keep their samples and leave no process and no file.

use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Sandbox, Watched, count_samples, has, list, names, processes_of, send_signal, wait_until, words};

const FEW: &str = "run primitives --libraries rustcrypto,aws-lc --algorithms sha-256,aes-128-gcm --sizes 64,1024";
/// Options of a run that takes hours.
const ENDLESS: [&str; 4] = ["--rounds", "10000", "--slice", "5"];
/// Options of a run that is soon over.
const SHORT: [&str; 4] = ["--rounds", "3", "--slice", "1"];
const PACKETS: &str = "run packets --libraries ring --sizes 1200";
const JVM: &str = "run jvm --quick --libraries sunjce";

/// Splits a command line into words, and adds `options`.
fn words_with<'a>(line: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&words(line)[..], options].concat()
}

/// Returns a command that receives signals even if the tests were started to ignore them.
fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    std::fs::create_dir_all(sandbox.path("tmp")).unwrap();
    let mut command = sandbox.under(&["env", "--default-signal=HUP,INT,TERM"], arguments);
    command.env("KASOKU_PROGRESS", "all").env("TMPDIR", sandbox.path("tmp"));
    command
}

fn start(sandbox: &Sandbox, arguments: &[&str]) -> Watched {
    Watched::start(&mut command(sandbox, arguments))
}

/// Returns the name of the run that `line` says is kept.
fn kept_run(line: &str) -> &str {
    let name = line.strip_prefix("Stopped. The results so far are kept as ").and_then(|rest| rest.split_once(','));
    let (name, rest) = name.unwrap_or_else(|| panic!("{line}"));
    assert_eq!(rest, format!(" marked incomplete: kasoku show {name}"));
    name
}

fn check_nothing_is_left(sandbox: &Sandbox, what: &str) {
    wait_until(&format!("no process is left: {what}"), || processes_of(sandbox).is_empty());
    assert_eq!(names(&sandbox.path("tmp")), [""; 0], "{what}");
}

#[test]
fn stopped_run_keeps_its_samples_and_ends_with_the_signals_status() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let sandbox = Sandbox::new();
        let mut run = start(&sandbox, &words_with(FEW, &ENDLESS));
        run.wait_for("round 3 ");
        send_signal(signal, run.child.id());
        let (ended, said) = run.end();
        let last = said.last().unwrap();
        assert_eq!(ended.code(), Some(status), "{last}");
        let document = sandbox.shown(kept_run(last));
        assert_eq!(document["run"]["complete"], false);
        assert!(count_samples(&document) > 8, "two rounds were finished");
        check_nothing_is_left(&sandbox, signal);
        assert!(sandbox.pages().is_empty() && !sandbox.path("store.sqlite-wal").exists());
        // The incomplete run can be shown, and does not block the next run.
        assert!(sandbox.text(&["show", "last"]).contains("INCOMPLETE"));
        sandbox.text(&words_with(FEW, &SHORT));
    }
}

#[test]
fn second_signal_kills_the_run_at_once() {
    // The run ends soon after the first signal, so the second may come too late. Then try again.
    for _ in 0..20 {
        let sandbox = Sandbox::new();
        let mut run = start(&sandbox, &words("run primitives --libraries test-hang --algorithms sha-256 --sizes 64"));
        run.wait_for("verifying");
        send_signal("-INT", run.child.id());
        send_signal("-INT", run.child.id());
        let (ended, said) = run.end();
        let last = said.last().unwrap();
        check_nothing_is_left(&sandbox, "twice");
        if ended.signal() == Some(2) {
            return;
        }
        assert_eq!(ended.code(), Some(130), "{last}");
    }
    panic!("the second signal always came too late");
}

#[test]
fn killed_selfcheck_leaves_no_worker() {
    let sandbox = Sandbox::new();
    let mut started = start(&sandbox, &["selfcheck"]);
    wait_until("there are five processes", || processes_of(&sandbox).len() >= 5);
    started.kill();
    check_nothing_is_left(&sandbox, "a self-check");
}

/// Kills runs of every level at random moments. `KASOKU_KILLS=100` kills 100 runs.
#[test]
fn killed_run_keeps_every_finished_round_and_earlier_runs() {
    let kills = std::env::var("KASOKU_KILLS").map_or(10, |kills| kills.parse().expect("KASOKU_KILLS is not a number"));
    let primitives = words_with(FEW, &ENDLESS);
    let files = words("run files --dir files --libraries kasoku --sizes 1M --repetitions 10000");
    let mut levels = vec![primitives, words(PACKETS), files];
    if has(&["java"]) {
        levels.push(words(JVM));
    }
    if has(&["nginx"]) {
        levels.push(words("run tls --dir files --libraries openssl --sizes 1M --duration 3 --workers 1"));
    }

    let sandbox = Sandbox::new();
    sandbox.open_folder("files");
    let whole = words_with(FEW, &SHORT);
    assert_eq!(sandbox.kasoku(&whole).status.code(), Some(0));
    let finished = sandbox.shown("last");
    let name = finished["run"]["id"].as_str().unwrap().to_owned();

    let mut in_the_middle = 0;
    for (kill, level) in (0..kills).zip(levels.iter().cycle()) {
        let moment = Duration::from_millis(RandomState::new().hash_one(kill) % 4_000);
        let what = format!("{level:?}, killed after {moment:?}");
        let mut run = start(&sandbox, level);
        // At least one run is killed while it measures.
        if kill == 0 {
            run.wait_for("round 2 ")
        } else {
            std::thread::sleep(moment)
        }
        let status = run.kill();
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
            assert_eq!(begun, 0, "{what}: the run had begun a round, but is not stored");
            continue;
        }
        assert_eq!(last["run"]["complete"], false, "{what}");
        let rounds = list(&last["series"]).iter().flat_map(|series| list(&series["samples"]));
        let kept = rounds.map(|sample| sample["round"].as_u64().unwrap() + 1).max().unwrap_or(0);
        assert!(kept + 1 >= begun, "{what}: {kept} rounds are kept, and round {begun} had begun");
        in_the_middle += u64::from(begun > 1);
    }
    assert!(in_the_middle > 0, "no run was killed while it measured");
    assert_eq!(sandbox.kasoku(&whole).status.code(), Some(0), "the killed runs must not block the next one");
}

#[test]
fn every_phase_of_every_level_can_be_stopped() {
    let end_to_end = "run packets --end-to-end --libraries ring";
    let files = "run files --dir files --libraries kasoku --sizes 8M --repetitions 10000";
    let tls = "run tls --dir files --libraries openssl --sizes 1M,64M --duration 3 --workers 1";
    let hanging = "run primitives --libraries test-hang,rustcrypto --algorithms sha-256 --sizes 64 --rounds 10000";
    let mut places = vec![
        (hanging, "verifying"),
        (PACKETS, "verifying"),
        (PACKETS, "round 2"),
        (end_to_end, "connecting"),
        (end_to_end, "end to end: round"),
        (files, "observing"),
        (files, "round 2"),
    ];
    if has(&["java"]) {
        places.extend(["verifying", "round 1"].map(|phase| (JVM, phase)));
    }
    if has(&["nginx"]) {
        places.extend(["starting", "making", "searching", "round 1"].map(|phase| (tls, phase)));
    }
    for (line, phase) in places {
        let what = format!("{line} at \"{phase}\"");
        let sandbox = Sandbox::new();
        let folder = sandbox.open_folder("files");
        let mut run = start(&sandbox, &words(line));
        run.wait_for(phase);
        if line == hanging {
            // After this time, the run waits for a worker that never answers.
            std::thread::sleep(Duration::from_millis(300));
        }
        send_signal("-INT", run.child.id());
        let (ended, said) = run.end();
        let last = said.last().unwrap();
        assert_eq!(ended.code(), Some(130), "{what}: {last}");
        check_nothing_is_left(&sandbox, &what);
        assert_eq!(names(&folder), [""; 0], "{what}");
        let document = sandbox.shown("last");
        assert_eq!(document["run"]["complete"], false, "{what}");
        let has_told_of_nothing =
            last.starts_with("Stopped before anything was measured; ") && last.ends_with("marked incomplete");
        if count_samples(&document) == 0 {
            assert!(has_told_of_nothing, "{what}: {last}");
        } else {
            kept_run(last);
        }
        assert!(line != hanging || has_told_of_nothing, "{what}: {last}");
    }
}

/// On a terminal, every process of the foreground group gets the signal. Only the laboratory is in that group.
#[test]
fn ctrl_c_on_a_terminal_stops_the_run_and_removes_the_progress_bar() {
    let sandbox = Sandbox::new();
    let own = command(&sandbox, &words_with(FEW, &ENDLESS));
    let mut line = own.get_program().to_str().unwrap().to_owned();
    own.get_args().for_each(|argument| line.push_str(&format!(" '{}'", argument.to_str().unwrap())));
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.path(""));
    terminal.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal =
        terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("cannot start `script` of util-linux");
    wait_until("the run measures", || count_samples(&sandbox.last_if_any()) > 8);
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
    assert!(!screen.contains("signal"), "the signal ended a worker: {screen:?}");
    check_nothing_is_left(&sandbox, "terminal");
}
