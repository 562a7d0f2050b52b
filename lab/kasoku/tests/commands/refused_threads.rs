//! Commands of a user who may have few processes and threads: each succeeds, or ends with a message.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Sandbox, check_status, error_of, has, is_there, text_of, wait_until};

/// Commands that start threads or processes, among them a short run of each level.
const COMMANDS: [&str; 12] = [
    "run primitives --libraries kasoku --algorithms aes-128-gcm --sizes 1350 --rounds 3 --slice 1 --report run.html",
    "run primitives --libraries ring --algorithms aes-128-gcm --sizes 64 --rounds 3 --slice 1 --threads all",
    "run packets --libraries ring --sizes 1200 --rounds 3 --slice 1 --report run.html",
    "run packets --end-to-end --libraries ring --rounds 1 --report run.html",
    "run files --libraries kasoku --sizes 1M --repetitions 1 --report run.html",
    "run jvm --quick --libraries sunjce --list",
    "ab --rounds 5 true true",
    "selfcheck --comparisons 10 --algorithms sha-256 --slice 0.1",
    "report last --out report.html",
    "site --out site",
    "import run.json",
    "libraries",
];
/// Limits on the user's number of processes and threads.
const LIMITS: [u32; 5] = [1, 2, 4, 8, 14];
/// User ID for the first limit. Nothing else runs as this user or the following ones.
const FIRST_USER: u32 = 1_234_500;
/// Seconds after which a command is killed.
const HANG_GUARD: &str = "120";

#[test]
fn commands_without_enough_threads_succeed_or_print_a_reason() {
    if !has(&["setpriv", "prlimit", "timeout"]) {
        return;
    }
    // Only root can become another user.
    if !is_there(rustix::process::geteuid().is_root(), "root") {
        return;
    }
    // A copy of the program that other users may execute.
    let programs = Sandbox::new();
    open(&programs.path(""));
    let kasoku = programs.copy_of_kasoku();
    let mut refused = 0;
    for (limit, user) in LIMITS.into_iter().zip(FIRST_USER..) {
        let sandbox = Sandbox::new();
        open(&sandbox.path(""));
        let run = |limit: Option<u32>, arguments: &str| limited(&kasoku, &sandbox.path(""), user, limit, arguments);
        let first =
            "run primitives --libraries ring --algorithms sha-256 --sizes 64 --rounds 3 --slice 1 --json run.json";
        check_status(&run(None, first), 0);
        for arguments in COMMANDS {
            let output = run(Some(limit), arguments);
            let said = text_of(&output) + &error_of(&output);
            let what = format!("{arguments} with {limit} processes: {}: {said}", output.status);
            assert!(output.status.code().is_some_and(|status| status <= 2) && !said.contains("panicked"), "{what}");
            // The screen shortens the system's "Resource temporarily unavailable". A run that could start only some of
            // its workers points to what was left out. A JVM has its own message. The self-check also fails on a busy
            // machine.
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            let reasons = ["Resource temporarily", "--left-out", "no JDK of Java 11 or later was found", "too busy"];
            assert!(output.status.success() || reasons.iter().any(|reason| said.contains(reason)), "{what}");
            refused += u32::from(!output.status.success());
            wait_for_processes_of(user);
        }
    }
    assert!(refused > 10, "only {refused} commands were refused a thread or a process");
}

fn open(folder: &Path) {
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).unwrap();
}

fn limited(kasoku: &Path, folder: &Path, user: u32, limit: Option<u32>, arguments: &str) -> Output {
    let mut command = Command::new("timeout");
    command.args(["--signal", "KILL", HANG_GUARD, "setpriv", "--clear-groups"]);
    command.args([format!("--reuid={user}"), format!("--regid={user}"), "prlimit".to_owned()]);
    command.args(limit.map(|limit| format!("--nproc={limit}")));
    command.arg(kasoku).args(arguments.split(' ')).current_dir(folder);
    command.envs([("KASOKU_STORE", "store.sqlite"), ("KASOKU_LOCK", "lock"), ("LC_ALL", "C")]);
    command.env("TMPDIR", folder).env("HOME", folder).output().unwrap()
}

/// Waits until `user` has no process except zombies.
fn wait_for_processes_of(user: u32) {
    wait_until("no process is left", || {
        let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        let mut status = all.filter_map(|process| std::fs::read_to_string(process.join("status")).ok());
        let is_left =
            |status: &String| status.contains(&format!("\nUid:\t{user}\t")) && !status.contains("\nState:\tZ");
        !status.any(|status| is_left(&status))
    });
}
