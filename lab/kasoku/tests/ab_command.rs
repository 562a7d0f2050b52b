//! `kasoku ab` as people and continuous integration use it.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use support::{Sandbox, error_of, keys, wait_until};

/// Eight rounds unless another number is given, without a run to warm up.
fn short<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let rounds: &[&str] = if arguments.contains(&"--rounds") { &[] } else { &["--rounds", "8"] };
    [&["ab", "--warmup", "0"][..], rounds, arguments].concat()
}

fn document(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let output = sandbox.kasoku(&short(&[&["--format", "json"], arguments].concat()));
    assert!(output.status.success(), "{}", error_of(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn two_commands_that_are_the_same_show_no_difference() {
    let found = document(&Sandbox::new(), &["sleep 0.01", "sleep 0.01"]);
    assert_eq!(found["verdict"], "no-difference", "{found}");
    assert!(found["says"].as_str().unwrap().starts_with("No difference shown: B against A "), "{found}");
}

#[test]
fn a_command_that_takes_longer_is_found_in_every_form() {
    let sandbox = Sandbox::new();
    // Other tests may take the cores: then more rounds show what fewer did not.
    let of_rounds = |rounds| document(&sandbox, &["--rounds", rounds, "--", "sleep", "0.01", "--", "sleep", "0.02"]);
    let mut tries = ["8", "30", "100", "300"].into_iter().map(of_rounds);
    let found = tries.find(|found| found["verdict"] == "more").expect("not even 300 rounds show it");
    let rounds = found["quantities"][0]["rounds"].as_u64().unwrap();
    let expected = "a absent b complete kasoku machine quantities samples says schema shell started verdict warmup";
    assert_eq!(keys(&found), expected);
    assert_eq!((&found["verdict"], &found["schema"], &found["complete"]), (&"more".into(), &1.into(), &true.into()));
    assert_eq!((&found["a"], &found["b"]), (&"sleep 0.01".into(), &"sleep 0.02".into()));
    let quantities = found["quantities"].as_array().unwrap();
    let time = &quantities[0];
    assert_eq!(keys(time), "a b ci95 control floor quantity ratio rounds unit verdict");
    assert_eq!((&time["quantity"], &time["unit"], &time["rounds"]), (&"time".into(), &"s".into(), &rounds.into()));
    let figure = |name: &str| time[name].as_f64().unwrap();
    assert!(figure("a") >= 0.01 && figure("b") >= 0.02 && figure("ratio") > 1.2, "{time}");
    let ci95: Vec<f64> = time["ci95"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
    assert!(ci95[0] > 1.0 + figure("floor") && ci95[0] <= figure("ratio") && figure("ratio") <= ci95[1], "{time}");
    // What is counted nowhere here is said once; what is, is judged.
    let shown: Vec<&str> = quantities.iter().map(|one| one["quantity"].as_str().unwrap()).collect();
    let absent: Vec<&str> =
        found["absent"].as_array().unwrap().iter().map(|one| one["quantity"].as_str().unwrap()).collect();
    for name in ["instructions", "energy"] {
        assert!(shown.contains(&name) != absent.contains(&name), "{found}");
    }
    let samples = found["samples"].as_array().unwrap();
    assert_eq!(samples.len() as u64, 3 * rounds);
    for turn in ["a", "again", "b"] {
        let own: Vec<&Value> = samples.iter().filter(|sample| sample["turn"] == turn).collect();
        assert_eq!(own.len() as u64, rounds);
        assert!(own.iter().all(|sample| sample["ns"].as_u64().unwrap() >= 10_000_000));
        // A command that sleeps takes next to no CPU time: starting this program is not counted.
        let is_idle = |sample: &&&Value| sample["cpu_ns"].as_u64().unwrap() < 10_000_000;
        assert!(own.iter().filter(is_idle).count() * 10 >= own.len() * 9 - 9);
    }

    let files = ["--json", "ab.json", "--markdown", "ab.md", "--fail-on-regression", "sleep 0.01", "sleep 0.2"];
    let output = sandbox.kasoku(&short(&files));
    assert_eq!(output.status.code(), Some(1), "{}", error_of(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("A  sleep 0.01") && table.contains("8 rounds of A, A again and B"), "{table}");
    let last = table.lines().last().unwrap();
    assert!(last.starts_with("B takes ") && last.contains(" than A (") || last.contains(" as long as A ("), "{table}");
    let written = sandbox.written("ab.json");
    assert_eq!(written["verdict"], "more");
    let markdown = std::fs::read_to_string(sandbox.path("ab.md")).unwrap();
    assert!(markdown.contains("| time |") && markdown.contains("`` sleep 0.01 ``"), "{markdown}");
    let output = sandbox.kasoku(&short(&["--format", "csv", "--fail-on-regression", "sleep 0.02", "sleep 0.01"]));
    assert!(output.status.success(), "less is no regression: {}", error_of(&output));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1 + 3 * 8);
}

#[test]
fn cpu_time_of_what_a_command_starts_counts() {
    let sandbox = Sandbox::new();
    let busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    let found = document(&sandbox, &["--shell", &format!("sh -c '{busy}'; true"), "true"]);
    let cpu = found["quantities"].as_array().unwrap().iter().find(|one| one["quantity"] == "cpu-time").unwrap();
    assert_eq!((&cpu["verdict"], &found["shell"]), (&"less".into(), &true.into()), "{found}");
}

#[test]
fn what_a_command_prints_is_left_aside_unless_it_is_asked_for() {
    let sandbox = Sandbox::new();
    let commands = ["--", "sh", "-c", "echo out; echo err >&2; read x || echo no input", "--", "true"];
    let output = sandbox.kasoku(&short(&commands));
    assert!(output.status.success());
    let said = format!("{}{}", String::from_utf8(output.stdout.clone()).unwrap(), error_of(&output));
    assert!(!said.contains("err\n") && !said.contains("out\n"), "{said}");
    let output = sandbox.kasoku(&short(&[&["--show-output"], &commands[..]].concat()));
    let shown = error_of(&output);
    assert_eq!(["out\n", "err\n", "no input\n"].map(|line| shown.matches(line).count()), [16; 3], "{shown}");
}

#[test]
fn a_command_that_fails_ends_it_with_what_it_said() {
    let sandbox = Sandbox::new();
    let output = sandbox.kasoku(&short(&["--", "true", "--", "sh", "-c", "echo a \u{1b}[31mreason >&2; exit 3"]));
    let said = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("B ended with exit status 3: a ") && said.contains("reason"), "{said}");
    assert!(!said.contains('\u{1b}') && output.stdout.is_empty(), "{said}");
    let output = sandbox.kasoku(&short(&["true", "sh -c 'kill -9 $$'"]));
    assert!(output.status.code() == Some(1) && error_of(&output).contains("B was killed"), "{}", error_of(&output));
}

#[test]
fn shell_syntax_without_a_shell_gives_a_warning() {
    let sandbox = Sandbox::new();
    let output = sandbox.kasoku(&short(&["echo a > b", "echo 'a > b'"]));
    let warning = "warning: A: no shell runs the command, so > has no special meaning; use --shell";
    assert!(output.status.success() && error_of(&output).contains(warning), "{}", error_of(&output));
    assert!(!error_of(&output).contains("warning: B") && !sandbox.path("b").exists(), "{}", error_of(&output));
    for arguments in [&["--shell", "echo a > b", "true | true"][..], &["--", "echo", ">", "--", "echo", "$A"]] {
        let output = sandbox.kasoku(&short(arguments));
        assert!(output.status.success() && !error_of(&output).contains("warning"), "{}", error_of(&output));
    }
    let output = sandbox.kasoku(&["ab", "A=1 nosuchprogram", "true"]);
    let said = error_of(&output);
    assert!(said.contains("so = has no special meaning") && said.contains("A: program not found: 'A=1'"), "{said}");
}

#[test]
fn wrong_usage_is_told_before_anything_runs() {
    let sandbox = Sandbox::new();
    for (arguments, why) in [
        (&["ab", "true", "nosuchprogram --x"][..], "B: program not found: nosuchprogram"),
        (&["ab", "./nosuch", "true"], "A: program not found: ./nosuch"),
        (&["ab", "true", "'true"], "B: unclosed quote"),
        (&["ab", "true", ""], "B is empty"),
        (&["ab", "true", "true", "true"], "two commands are needed"),
        (&["ab", "--", "true", "--", "true", "--", "true"], "two commands are needed"),
        (&["ab", "--", "true", "--"], "B is empty"),
        (&["ab", "--shell", "--", "true", "--", "true"], "--shell takes each command in quotes"),
        (&["ab", "true"], "2 values required"),
        (&["ab"], "required"),
        (&["ab", "--rounds", "4", "true", "true"], "the number of rounds must be from 5 to 10000"),
        (&["ab", "--time", "0", "true", "true"], "the number of seconds must be from 1 to 86400"),
        (&["ab", "--json", "nosuch/x.json", "true", "true"], "its folder does not exist"),
    ] {
        sandbox.refusal(arguments, why);
    }
}

#[test]
fn a_stop_says_what_the_whole_rounds_show_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let stop = |arguments: &[&str], after: Duration| {
        let mut command = sandbox.under(&["env", "--default-signal=INT"], arguments);
        let mut child = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(after);
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        wait_until("it ends", || child.try_wait().unwrap().is_some());
        child.wait_with_output().unwrap()
    };
    let long = "sleep 977.1";
    let output = stop(&["ab", "--warmup", "0", long, "true"], Duration::from_secs(2));
    assert_eq!(output.status.code(), Some(130), "{}", error_of(&output));
    assert!(error_of(&output).contains("nothing is kept") && output.stdout.is_empty(), "{}", error_of(&output));
    let listed = Command::new("ps").args(["-e", "-o", "args"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&listed.stdout).lines().any(|line| line.ends_with(long)), "it still runs");
    // Commands that are so short that a signal most often comes while none of them is waited for.
    for after in 0..5 {
        let output = stop(&["ab", "--rounds", "10000", "true", "true"], Duration::from_millis(2_000 + 7 * after));
        assert_eq!(output.status.code(), Some(130), "{}", error_of(&output));
        assert!(error_of(&output).contains("complete rounds"), "{}", error_of(&output));
        assert!(String::from_utf8(output.stdout).unwrap().contains("rounds of A"));
    }
}
