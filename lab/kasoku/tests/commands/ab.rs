//! `kasoku ab`: verdicts, output formats, failing commands and interruption.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::{Sandbox, check_status, error_of, keys, list, output_of, send_signal, text_of, wait_until};

/// Arguments of `kasoku ab` without warm-up, with eight rounds unless `arguments` name another number.
fn short<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let rounds: &[&str] = if arguments.contains(&"--rounds") { &[] } else { &["--rounds", "8"] };
    [&["ab", "--warmup", "0"][..], rounds, arguments].concat()
}

fn document(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    sandbox.json(&short(&[&["--format", "json"], arguments].concat()))
}

#[test]
fn ab_shows_no_difference_between_equal_commands() {
    let found = document(&Sandbox::new(), &["sleep 0.01", "sleep 0.01"]);
    assert_eq!(found["verdict"], "no-difference", "{found}");
    assert!(found["says"].as_str().unwrap().starts_with("No difference shown: B against A "), "{found}");
}

#[test]
fn ab_reports_a_slower_command_in_every_format() {
    let sandbox = Sandbox::new();
    // While other tests use the cores, more rounds are needed to show the difference.
    let of_rounds = |rounds| document(&sandbox, &["--rounds", rounds, "--", "sleep", "0.01", "--", "sleep", "0.02"]);
    let mut tries = ["8", "30", "100", "300"].into_iter().map(of_rounds);
    let found = tries.find(|found| found["verdict"] == "more").expect("even 300 rounds show no difference");
    let rounds = found["quantities"][0]["rounds"].as_u64().unwrap();
    let expected = "a b cleanup complete kasoku machine parameters prepare quantities samples says schema shell \
                    started verdict warmup";
    assert_eq!(keys(&found), expected);
    assert_eq!((&found["verdict"], &found["schema"], &found["complete"]), (&"more".into(), &1.into(), &true.into()));
    assert_eq!((&found["a"], &found["b"]), (&"sleep 0.01".into(), &"sleep 0.02".into()));
    let quantities = list(&found["quantities"]);
    let time = &quantities[0];
    assert_eq!(keys(time), "a b ci95 control floor quantity ratio rounds turn unit verdict");
    assert_eq!((&time["quantity"], &time["unit"], &time["rounds"]), (&"time".into(), &"s".into(), &rounds.into()));
    let figure = |name: &str| time[name].as_f64().unwrap();
    assert!(figure("a") >= 0.01 && figure("b") >= 0.02 && figure("ratio") > 1.2, "{time}");
    let ci95: Vec<f64> = list(&time["ci95"]).iter().map(|end| end.as_f64().unwrap()).collect();
    assert!(ci95[0] > 1.0 + figure("floor") && ci95[0] <= figure("ratio") && figure("ratio") <= ci95[1], "{time}");
    let samples = list(&found["samples"]);
    assert_eq!(samples.len() as u64, 3 * rounds);
    for turn in ["a", "again", "b"] {
        let own: Vec<&Value> = samples.iter().filter(|sample| sample["turn"] == turn).collect();
        assert_eq!(own.len() as u64, rounds);
        assert!(own.iter().all(|sample| sample["ns"].as_u64().unwrap() >= 10_000_000));
        // A sleeping command uses almost no CPU time. The start of Kasoku's own child process must not count.
        let is_idle = |sample: &&&Value| sample["cpu_ns"].as_u64().unwrap() < 10_000_000;
        assert!(own.iter().filter(is_idle).count() * 10 >= own.len() * 9 - 9);
    }

    let files = ["--json", "ab.json", "--markdown", "ab.md", "--fail-on-regression", "sleep 0.01", "sleep 0.2"];
    let output = output_of(&mut sandbox.command(&short(&files)), 1);
    let table = text_of(&output);
    assert!(table.contains("A  sleep 0.01") && table.contains("8 rounds of A, A again and B"), "{table}");
    let last = table.lines().last().unwrap();
    assert!(last.starts_with("B takes ") && last.contains(" than A (") || last.contains(" as long as A ("), "{table}");
    let written = sandbox.written("ab.json");
    assert_eq!(written["verdict"], "more");
    let markdown = sandbox.read("ab.md");
    assert!(markdown.contains("|  | command |  | median | against A | 95 % | floor |"), "{markdown}");
    assert!(
        markdown.contains("| time | sleep 0.01 | A | 1") && markdown.contains("|  | sleep 0.2 | B | 2"),
        "{markdown}"
    );
    // A faster command is no regression.
    let csv = sandbox.text(&short(&["--format", "csv", "--fail-on-regression", "sleep 0.02", "sleep 0.01"]));
    assert_eq!(csv.lines().count(), 1 + 3 * 8);
}

#[test]
fn ab_compares_every_value_of_a_parameter_with_the_first() {
    let sandbox = Sandbox::new();
    let found =
        document(&sandbox, &["--rounds", "20", "-P", "time=0,0.1", "-P", "unit=s", "true", "sleep {time}{unit}"]);
    assert_eq!((&found["a"], &found["b"], &found["c"]), (&"true".into(), &"sleep 0s".into(), &"sleep 0.1s".into()));
    assert_eq!(found["parameters"]["a"], serde_json::json!({}));
    assert_eq!(found["parameters"]["c"], serde_json::json!({ "time": "0.1", "unit": "s" }));
    let turns: Vec<&Value> = list(&found["samples"]).iter().take(4).map(|sample| &sample["turn"]).collect();
    assert_eq!(turns, ["a", "again", "b", "c"]);
    let of_c = list(&found["quantities"]).iter().find(|one| one["turn"] == "c").unwrap();
    assert_eq!((&of_c["verdict"], &found["verdict"]), (&"more".into(), &"more".into()), "{found}");

    let fail = ["--fail-on-regression", "--markdown", "-", "--", "true", "--", "true", "--", "sleep", "0.2"];
    let output = output_of(&mut sandbox.command(&short(&fail)), 1);
    let markdown = text_of(&output);
    assert!(markdown.contains("|  | sleep 0.2 | C | 2") && !markdown.contains('─'), "{markdown}");
    assert!(markdown.lines().last().unwrap().starts_with("C takes "), "{markdown}");
}

#[test]
fn ab_prepares_each_run_and_cleans_up_after_success_and_failure() {
    let sandbox = Sandbox::new();
    let options = ["--prepare", "echo {x} >> runs; touch {x}", "--cleanup", "echo {x} >> ends; rm {x}"];
    let run = |extra: &[&'static str]| short(&[&["--rounds", "5", "-P", "x=one,two"], extra, &options].concat());
    // Each command finds only the file that its own preparation made.
    assert!(sandbox.kasoku(&run(&["test -e {x}"])).status.success());
    let count = |file: &str, line: &str| sandbox.read(file).lines().filter(|found| *found == line).count();
    assert_eq!([count("runs", "one"), count("runs", "two"), count("ends", "one"), count("ends", "two")], [10, 5, 1, 1]);
    sandbox.message(&run(&["sh -c 'echo {x} reason >&2; exit 3'"]), 1, "ended with exit status 3: ");
    assert_eq!([count("ends", "one"), count("ends", "two")], [2, 2]);

    let failing = short(&["--prepare", "echo no space >&2; exit 4", "true", "true"]);
    let said = sandbox.message(&failing, 1, "the prepare command of ");
    assert!(said.contains("ended with exit status 4: no space"), "{said}");
    let output = output_of(&mut sandbox.command(&short(&["--cleanup", "exit 5", "true", "true"])), 1);
    assert!(error_of(&output).contains("the cleanup command ended with exit status 5"), "{}", error_of(&output));
    assert!(text_of(&output).contains("8 rounds of A"), "the results are printed");
}

#[test]
fn ab_counts_the_cpu_time_of_child_processes() {
    let sandbox = Sandbox::new();
    let busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    let found = document(&sandbox, &["--shell", &format!("sh -c '{busy}'; true"), "true"]);
    let cpu = list(&found["quantities"]).iter().find(|one| one["quantity"] == "cpu-time").unwrap();
    assert_eq!((&cpu["verdict"], &found["shell"]), (&"less".into(), &true.into()), "{found}");
}

#[test]
fn ab_hides_output_of_commands_unless_show_output_is_given() {
    let sandbox = Sandbox::new();
    let commands = ["--", "sh", "-c", "echo out; echo err >&2; read x || echo no input", "--", "true"];
    let output = sandbox.kasoku(&short(&commands));
    assert!(output.status.success());
    let said = text_of(&output) + &error_of(&output);
    assert!(!said.contains("err\n") && !said.contains("out\n"), "{said}");
    let output = sandbox.kasoku(&short(&[&["--show-output"], &commands[..]].concat()));
    let shown = error_of(&output);
    assert_eq!(["out\n", "err\n", "no input\n"].map(|line| shown.matches(line).count()), [16; 3], "{shown}");
}

#[test]
fn ab_stops_at_a_failing_command_and_prints_its_error() {
    let sandbox = Sandbox::new();
    let failing = short(&["--", "true", "--", "sh", "-c", "echo a \u{1b}[31mreason >&2; exit 3"]);
    let said = sandbox.message(&failing, 1, "B ended with exit status 3: a ");
    assert!(said.contains("reason") && !said.contains('\u{1b}'), "{said}");
    sandbox.message(&short(&["true", "sh -c 'kill -9 $$'"]), 1, "B was killed");
}

#[test]
fn ab_warns_of_shell_syntax_without_a_shell() {
    let sandbox = Sandbox::new();
    let output = sandbox.kasoku(&short(&["echo a > b", "echo 'a > b'"]));
    let warning = "warning: A: no shell runs the command, so > has no special meaning; use --shell";
    assert!(output.status.success() && error_of(&output).contains(warning), "{}", error_of(&output));
    assert!(!error_of(&output).contains("warning: B") && !sandbox.path("b").exists(), "{}", error_of(&output));
    for arguments in [&["--shell", "echo a > b", "true | true"][..], &["--", "echo", ">", "--", "echo", "$A"]] {
        let output = sandbox.kasoku(&short(arguments));
        assert!(output.status.success() && !error_of(&output).contains("warning"), "{}", error_of(&output));
    }
    let said = sandbox.refusal(&["ab", "A=1 nosuchprogram", "true"], "so = has no special meaning");
    assert!(said.contains("A: program not found: 'A=1'"), "{said}");
}

#[test]
fn interrupted_ab_evaluates_complete_rounds_and_leaves_no_process() {
    let sandbox = Sandbox::new();
    let stop = |arguments: &[&str], after: Duration| {
        let mut command = sandbox.under(&["env", "--default-signal=INT"], arguments);
        let mut child = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(after);
        send_signal("-INT", child.id());
        wait_until("`kasoku ab` ends", || child.try_wait().unwrap().is_some());
        child.wait_with_output().unwrap()
    };
    let long = "sleep 977.1";
    let cleanup = "sleep 1; touch cleaned";
    let output = stop(&["ab", "--warmup", "0", "--cleanup", cleanup, long, "true"], Duration::from_secs(2));
    check_status(&output, 130);
    assert!(sandbox.path("cleaned").exists(), "the cleanup command did not run");
    assert!(error_of(&output).contains("nothing is kept") && output.stdout.is_empty(), "{}", error_of(&output));
    let listed = Command::new("ps").args(["-e", "-o", "args"]).output().unwrap();
    assert!(
        !String::from_utf8_lossy(&listed.stdout).lines().any(|line| line.ends_with(long)),
        "the command still runs"
    );
    // These commands are so short that the signal usually arrives between two of them.
    for after in 0..5 {
        let output = stop(&["ab", "--rounds", "10000", "true", "true"], Duration::from_millis(2_000 + 7 * after));
        check_status(&output, 130);
        assert!(error_of(&output).contains("complete rounds"), "{}", error_of(&output));
        assert!(text_of(&output).contains("rounds of A"));
    }
}
