//! Prompts, progress and default outputs on a terminal.

use super::*;

/// Runs `script` on a terminal. Returns its exit status and output.
fn on_a_terminal(folder: &Folder, script: &str) -> Option<(Option<i32>, String)> {
    type_keys(folder, script, "", &[])
}

/// Runs `script` on a terminal and, each time that it shows `prompt` and reads, types the next of `keys`. Returns the
/// exit status and what was shown.
fn type_keys(folder: &Folder, script: &str, prompt: &str, keys: &[&str]) -> Option<(Option<i32>, String)> {
    let script = script.replace("$0", PROGRAM);
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &script, "/dev/null"]).current_dir(folder.0.path());
    let Ok(mut terminal) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "no script: apt install bsdutils");
        eprintln!("left out: no script, which makes terminals");
        return None;
    };
    let mut keyboard = terminal.stdin.take().filter(|_| !keys.is_empty());
    let (mut shown, mut piece, mut typed) = (String::new(), [0; 4096], 0);
    while let Ok(count @ 1..) = terminal.stdout.as_mut().unwrap().read(&mut piece) {
        shown.push_str(&String::from_utf8_lossy(&piece[..count]));
        if typed < keys.len() && shown.matches(prompt).count() > typed {
            wait_until_echo_is_off(terminal.id());
            keyboard.as_mut().unwrap().write_all(keys[typed].as_bytes()).unwrap();
            typed += 1;
        }
    }
    Some((terminal.wait().unwrap().code(), shown))
}

/// Waits until the terminal of process `script` has its echo off: the command then reads the passphrase. If a signal
/// has ended the command before, the terminal disappears soon, and the wait ends.
fn wait_until_echo_is_off(script: u32) {
    let children = fs::read_to_string(format!("/proc/{script}/task/{script}/children")).unwrap();
    let Ok(terminal) = fs::read_link(format!("/proc/{}/fd/0", children.trim())) else { return };
    let is_echoing = || {
        let settings = Command::new("stty").arg("-a").arg("-F").arg(&terminal).output().unwrap();
        settings.status.success() && !String::from_utf8(settings.stdout).unwrap().contains(" -echo ")
    };
    while is_echoing() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Commands that ask for a passphrase: a new file, a device, decryption.
const ASKING: [&str; 3] = [
    "$0 encrypt --passphrase -o new text",
    "$0 encrypt --passphrase -o /dev/null text",
    "$0 decrypt --passphrase sealed -o new",
];

/// Returns a script that runs `command` and shows its exit status and the terminal's settings, also after Ctrl-C.
fn script_with_settings(command: &str) -> String {
    format!("trap : INT; {command}; echo status $?; stty -a")
}

#[test]
fn ctrl_c_at_a_passphrase_prompt_stops_with_130_and_restores_the_terminal() {
    let folder = Folder::new();
    folder.write("text", 1_000);
    assert_ends(&shell(&folder, "\"$0\" encrypt --passphrase-fd 3 -o sealed text 3< key"), 0, "");
    let names = folder.names();
    for (command, keys) in ASKING.into_iter().zip([&["\x03"][..]; 3]).chain([(ASKING[0], &["word\r", "\x03"][..])]) {
        let Some((_, shown)) = type_keys(&folder, &script_with_settings(command), "assphrase: ", keys) else { return };
        assert!(shown.contains("status 130"), "{command}: {shown:?}");
        let settings = ["isig", "icanon", "echo"].map(|name| shown.split_whitespace().any(|word| word == name));
        assert_eq!(settings, [true; 3], "{command}: {shown:?}");
        assert!(!shown.contains("--passphrase-fd") && !shown.contains("word"), "{command}: {shown:?}");
        assert_eq!(folder.names(), names, "{command}");
    }
}

#[test]
fn signal_at_a_passphrase_prompt_restores_the_terminal() {
    let folder = Folder::new();
    folder.write("text", 1_000);
    for (signal, status) in [("TERM", 143), ("HUP", 129)] {
        // The terminal echoes until the command waits at the prompt.
        let kill = "(until stty -a < /dev/tty | grep -q -e '-echo '; do sleep 0.01; done; kill -$1 $(cat pid)) &";
        let script = format!("{kill} sh -c 'echo $$ > pid; exec {}'", ASKING[0]).replace("$1", signal);
        // Typing nothing keeps the keyboard open: closing it would end the input.
        let Some((_, shown)) = type_keys(&folder, &script_with_settings(&script), "assphrase: ", &[""]) else { return };
        assert!(shown.contains(&format!("status {status}")), "{shown:?}");
        assert!(shown.split_whitespace().any(|word| word == "echo"), "{shown:?}");
        assert_eq!(folder.names(), ["key", "pid", "text"], "{signal}");
    }
}

#[test]
fn end_of_input_at_a_passphrase_prompt_is_an_error() {
    let folder = Folder::new();
    folder.write("text", 1_000);
    assert_ends(&shell(&folder, "\"$0\" encrypt --passphrase-fd 3 -o sealed text 3< key"), 0, "");
    for command in ASKING {
        let Some((status, shown)) = type_keys(&folder, command, "assphrase: ", &["\x04"]) else { return };
        assert!(status == Some(2) && shown.contains("no passphrase was entered"), "{command}: {status:?} {shown:?}");
        assert!(!shown.contains("--passphrase-fd"), "{command}: {shown:?}");
    }
}

#[test]
fn default_output_on_a_terminal_is_a_file_beside_the_input() {
    let folder = Folder::new();
    let text = folder.write("text", 40_000);
    let run = |script: &str, status: i32, says: &str| {
        let Some((code, shown)) = on_a_terminal(&folder, script) else { return false };
        assert!(code == Some(status) && shown.contains(says), "{script}: {code:?} {shown:?}");
        true
    };
    if !run("$0 encrypt --key key text", 0, "") {
        return;
    }
    assert_eq!(folder.names(), ["key", "text", "text.kasoku"]);
    run("$0 encrypt --key key text", 2, "use --force to replace it");
    run("$0 encrypt --key key --force text", 0, "");
    run("$0 decrypt --key key text.kasoku", 2, "text: file exists; use --force to replace it");
    fs::remove_file(folder.path("text")).unwrap();
    run("$0 decrypt --key key text.kasoku", 0, "");
    assert!(folder.read("text") == text);

    fs::write(folder.path("note"), "read me").unwrap();
    run("$0 encrypt --key key note", 0, "");
    fs::remove_file(folder.path("note")).unwrap();
    let names = folder.names();
    // These commands write to standard output: `-o -`, a part of the plaintext, and an input without a file name.
    run("$0 decrypt --key key -o - note.kasoku", 0, "read me");
    run("$0 decrypt --key key --range 5..7 note.kasoku", 0, "me");
    run("$0 decrypt --key key < note.kasoku", 0, "read me");
    run("$0 encrypt --key key -o - text", 2, "refusing to write encrypted data to a terminal");
    run("$0 encrypt --key key < text", 2, "refusing to write encrypted data to a terminal");
    run("$0 encrypt --key key - < text", 2, "refusing to write encrypted data to a terminal");
    run("$0 encrypt --key key text > /dev/null", 0, "");
    assert_eq!(folder.names(), names);
    fs::rename(folder.path("note.kasoku"), folder.path("note.other")).unwrap();
    run("$0 decrypt --key key note.other", 0, "read me");
}

#[test]
fn progress_bar_is_shown_on_a_terminal() {
    let folder = Folder::new();
    folder.write("text", 5 << 20);
    let script = "sh -c '(cat text; sleep 1; cat text) | $0 encrypt --key key -o sealed'";
    let Some((code, shown)) = on_a_terminal(&folder, script) else { return };
    assert!(code == Some(0) && shown.contains(" MiB") && shown.contains("/s"), "{code:?} {shown:?}");
    let quiet = shell(&folder, "cat text | \"$0\" encrypt --key key --force -o sealed");
    assert!(quiet.status.success() && quiet.stderr.is_empty(), "{quiet:?}");
}
