//! What the commands do and show on a terminal.

use super::*;

/// What the command shows on a terminal.
fn on_a_terminal(folder: &Folder, script: &str) -> Option<(Option<i32>, String)> {
    let script = script.replace("$0", KASOKU);
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &script, "/dev/null"]).stdin(Stdio::null());
    let Ok(output) = command.current_dir(folder.0.path()).output() else {
        assert!(std::env::var_os("CI").is_none(), "no script: apt install bsdutils");
        eprintln!("left out: no script, which makes terminals");
        return None;
    };
    Some((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
fn on_a_terminal_the_output_goes_beside_the_input() {
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
    // Where the terminal is meant, and where there is no name to take.
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
fn on_a_terminal_progress_is_shown() {
    let folder = Folder::new();
    folder.write("text", 5 << 20);
    let script = "sh -c '(cat text; sleep 1; cat text) | $0 encrypt --key key -o sealed'";
    let Some((code, shown)) = on_a_terminal(&folder, script) else { return };
    assert!(code == Some(0) && shown.contains(" MiB") && shown.contains("/s"), "{code:?} {shown:?}");
    let quiet = shell(&folder, "cat text | \"$0\" encrypt --key key --force -o sealed");
    assert!(quiet.status.success() && quiet.stderr.is_empty(), "{quiet:?}");
}
