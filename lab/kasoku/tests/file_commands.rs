//! `kasoku keygen`, `encrypt` and `decrypt` as processes: files, pipes, secrets, faults, a kill in the middle; and with
//! PyPI's `cryptography`, which speaks the same format.

#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const KASOKU: &str = env!("CARGO_BIN_EXE_kasoku");

/// A folder with a key in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        assert!(folder.run(&["keygen", "-o", "key"]).status.success());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: usize) -> Vec<u8> {
        let text: Vec<u8> = (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        fs::write(self.path(name), &text).unwrap();
        text
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(KASOKU);
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// With these bytes on standard input.
    fn feed(&self, arguments: &[&str], bytes: &[u8]) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let bytes = bytes.to_vec();
        let feeder = std::thread::spawn(move || drop(input.write_all(&bytes)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        output
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn assert_ends(output: &Output, status: i32, says: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{error}");
    assert!(error.contains(says), "{error:?} does not say {says:?}");
}

#[test]
fn a_file_goes_and_comes_back_through_files_and_pipes() {
    let folder = Folder::new();
    for bytes in [0, 1, 16_383, 16_384, 16_385, 3_000_000] {
        let text = folder.write("text", bytes);
        assert_ends(&folder.run(&["encrypt", "--key", "key", "--context", "c", "-o", "sealed", "text"]), 0, "");
        assert_ends(&folder.run(&["decrypt", "--key", "key", "--context", "c", "-o", "back", "sealed"]), 0, "");
        assert!(folder.read("back") == text);

        let sealed = folder.feed(&["encrypt", "--key", "key"], &text).stdout;
        let back = folder.feed(&["decrypt", "--key", "key", "-"], &sealed);
        assert!(back.status.success() && back.stdout == text);
        fs::remove_file(folder.path("sealed")).unwrap();
        fs::remove_file(folder.path("back")).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn a_key_file_is_for_its_owner_and_is_never_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    assert_eq!(fs::metadata(folder.path("key")).unwrap().permissions().mode() & 0o777, 0o600);
    let before = folder.read("key");
    let text = String::from_utf8(before.clone()).unwrap();
    assert!(text.starts_with("# ") && text.lines().count() == 2 && text.lines().nth(1).unwrap().len() == 44);
    assert_ends(&folder.run(&["keygen", "-o", "key"]), 2, "a key is never replaced");
    assert!(folder.read("key") == before);
}

#[test]
fn nothing_plausible_is_left_of_a_file_that_is_not_what_was_encrypted() {
    let folder = Folder::new();
    let text = folder.write("text", 200_000);
    folder.run(&["encrypt", "--key", "key", "-o", "sealed", "text"]);
    let sealed = folder.read("sealed");
    let mut cases = vec![("one byte more".to_owned(), [&sealed[..], &[0]].concat())];
    for cut in [1, 16, 17, 56, 16_400] {
        cases.push((format!("{cut} bytes cut off"), sealed[..sealed.len() - cut].to_vec()));
    }
    for place in [0, 55, 56, 100_000, sealed.len() - 1] {
        let mut changed = sealed.clone();
        changed[place] ^= 0x80;
        cases.push((format!("byte {place} changed"), changed));
    }
    for (what, bytes) in cases {
        fs::write(folder.path("bad"), &bytes).unwrap();
        let names = folder.names();
        assert_ends(&folder.run(&["decrypt", "--key", "key", "-o", "back", "bad"]), 1, "bad: ");
        assert_eq!(folder.names(), names, "{what}");
        let piped = folder.feed(&["decrypt", "--key", "key"], &bytes);
        assert_eq!(piped.status.code(), Some(1), "{what}");
        assert!(text.starts_with(&piped.stdout) && piped.stdout.len() < text.len(), "{what}");
    }
    // A file that was there stays as it was.
    fs::write(folder.path("back"), b"older").unwrap();
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--force", "-o", "back", "bad"]), 1, "");
    assert_eq!(folder.read("back"), b"older");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "-o", "back", "sealed"]), 2, "--force");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--force", "-o", "back", "sealed"]), 0, "");
    assert!(folder.read("back") == text);
}

#[test]
fn secrets_that_are_wrong_or_missing_are_said_at_once() {
    let folder = Folder::new();
    folder.write("text", 100);
    folder.run(&["keygen", "-o", "other"]);
    folder.run(&["encrypt", "--key", "key", "-o", "sealed", "text"]);
    assert_ends(&folder.run(&["decrypt", "--key", "other", "sealed"]), 1, "wrong key");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--context", "x", "sealed"]), 1, "context");
    assert_ends(&folder.run(&["decrypt", "--key", "text", "sealed"]), 2, "is not a key file");
    assert_ends(&folder.run(&["decrypt", "--key", "nowhere", "sealed"]), 2, "nowhere");
    assert_ends(&folder.run(&["decrypt", "sealed"]), 2, "<--key <KEYFILE>|--passphrase|--passphrase-fd <N>>");
    let both = folder.run(&["encrypt", "--key", "key", "--passphrase", "text"]);
    assert_ends(&both, 2, "cannot be used with '--passphrase'");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "nowhere"]), 2, "nowhere");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--range", "5..3", "sealed"]), 2, "ends before it begins");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--range", "5..101", "sealed"]), 2, "100 bytes");
    assert_ends(&folder.feed(&["decrypt", "--key", "key", "--range", "5..9"], b""), 2, "pipe");
}

#[test]
fn a_file_that_was_cut_off_is_said_to_be() {
    let folder = Folder::new();
    folder.write("text", 100_000);
    folder.run(&["encrypt", "--key", "key", "-o", "sealed", "text"]);
    let sealed = folder.read("sealed");
    let mut changed = sealed.clone();
    changed[20_000] ^= 1;
    for (bytes, says) in [
        (&sealed[..56 + 2 * 16_400], "bad: truncated: the file ends before its last chunk"),
        (&sealed[..60_000], "bad: authentication failed: the last chunk 3 (plaintext byte 49152) was truncated"),
        (&changed[..56 + 2 * 16_400], "bad: authentication failed: chunk 1 "),
        (&changed[..60_000], "bad: authentication failed: chunk 1 "),
        (&changed[..], "bad: authentication failed: chunk 1 "),
    ] {
        fs::write(folder.path("bad"), bytes).unwrap();
        assert_ends(&folder.run(&["decrypt", "--key", "key", "-o", "back", "bad"]), 1, says);
        assert_ends(&folder.run(&["decrypt", "--key", "key", "--check", "bad"]), 1, says);
        assert_ends(&folder.run(&["decrypt", "--key", "key", "bad"]), 1, says);
    }
}

#[test]
fn checking_verifies_everything_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("text", 3_000_000);
    folder.run(&["encrypt", "--key", "key", "-o", "text.kasoku", "text"]);
    let names = folder.names();
    let checked = folder.run(&["decrypt", "--key", "key", "--check", "text.kasoku"]);
    assert_ends(&checked, 0, "");
    assert_eq!(String::from_utf8_lossy(&checked.stdout), "text.kasoku: verified: complete and unmodified\n");
    let mut sealed = folder.read("text.kasoku");
    let piped = folder.feed(&["decrypt", "--key", "key", "--check"], &sealed);
    assert!(piped.status.success() && piped.stdout.starts_with(b"standard input: verified"), "{piped:?}");
    sealed[2_000_000] ^= 4;
    let piped = folder.feed(&["decrypt", "--key", "key", "--check"], &sealed);
    assert_ends(&piped, 1, "standard input: authentication failed: chunk 121");
    assert!(piped.stdout.is_empty());
    for other in [&["-o", "back"][..], &["--force"], &["--sync"], &["--range", "0..5"]] {
        let arguments = [&["decrypt", "--key", "key", "--check", "text.kasoku"], other].concat();
        assert_ends(&folder.run(&arguments), 2, "cannot be used with");
    }
    assert_eq!(folder.names(), names);
}

#[test]
#[cfg(unix)]
fn a_key_that_others_can_read_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("text", 100);
    fs::copy(folder.path("key"), folder.path("it's")).unwrap();
    for (key, mode, says) in [
        ("key", 0o600, ""),
        ("key", 0o400, ""),
        ("key", 0o644, "warning: others can read the key file key (mode 644); run chmod 600 'key'\n"),
        ("it's", 0o640, "warning: others can read the key file it's (mode 640); run chmod 600 'it'\\''s'\n"),
    ] {
        fs::set_permissions(folder.path(key), fs::Permissions::from_mode(mode)).unwrap();
        let output = folder.run(&["encrypt", "--key", key, "--force", "-o", "sealed", "text"]);
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stderr), says, "{mode:o}");
    }
    // Of a pipe nothing stays.
    let piped = shell(&folder, "cat key | \"$0\" encrypt --key /dev/stdin --force -o sealed text");
    assert!(piped.status.success() && piped.stderr.is_empty(), "{piped:?}");
}

#[test]
fn the_help_says_who_else_reads_the_format_and_nothing_of_reports() {
    let folder = Folder::new();
    let help = |command: &str| String::from_utf8(folder.run(&[command, "--help"]).stdout).unwrap();
    let encrypt = help("encrypt");
    assert!(encrypt.contains("c2sp.org/chunked-encryption") && encrypt.contains("PyPI's cryptography"), "{encrypt}");
    for command in ["encrypt", "decrypt", "keygen"] {
        let help = help(command);
        assert!(!help.contains("--store") && !help.contains("--lang") && !help.contains("[default: \"\"]"), "{help}");
        assert!(help.contains("[IN]") == (command != "keygen"), "{help}");
    }
}

/// What the command shows on a terminal.
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
fn on_a_terminal_progress_is_shown() {
    let folder = Folder::new();
    folder.write("text", 5 << 20);
    let script = "sh -c '(cat text; sleep 1; cat text) | $0 encrypt --key key -o sealed'";
    let Some((code, shown)) = on_a_terminal(&folder, script) else { return };
    assert!(code == Some(0) && shown.contains(" MiB") && shown.contains("/s"), "{code:?} {shown:?}");
    let quiet = shell(&folder, "cat text | \"$0\" encrypt --key key --force -o sealed");
    assert!(quiet.status.success() && quiet.stderr.is_empty(), "{quiet:?}");
}

#[test]
#[cfg(unix)]
fn a_reader_that_ends_early_is_said() {
    let folder = Folder::new();
    folder.write("text", 3_000_000);
    for way in ["encrypt --key key text", "encrypt --key key < text"] {
        let script = format!("{{ \"$0\" {way}; echo \"status $?\" >&2; }} | head -c 1");
        let output = shell(&folder, &script);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("standard output: the reading program exited") && said.contains("status 1"), "{said}");
        assert!(!said.contains("no file was left"), "{said}");
    }
}

#[test]
#[cfg(unix)]
fn a_passphrase_opens_what_it_closed() {
    let folder = Folder::new();
    let text = folder.write("text", 50_000);
    // The shell gives descriptor 3, as scripts do.
    let with_passphrase = |passphrase: &str, rest: &str| {
        let script = format!("exec 3<<'END'\n{passphrase}\nEND\n\"$0\" {rest}");
        Command::new("sh").args(["-c", &script, KASOKU]).current_dir(folder.0.path()).output().unwrap()
    };
    assert_ends(&with_passphrase("correct horse", "encrypt --passphrase-fd 3 -o sealed text"), 0, "");
    let back = with_passphrase("correct horse", "decrypt --passphrase-fd 3 sealed");
    assert!(back.status.success() && back.stdout == text);
    let part = with_passphrase("correct horse", "decrypt --passphrase-fd 3 --range 20000..40000 sealed");
    assert!(part.status.success() && part.stdout == text[20_000..40_000]);
    assert_ends(&with_passphrase("wrong horse", "decrypt --passphrase-fd 3 sealed"), 1, "wrong key, passphrase");
    assert_ends(&with_passphrase("", "encrypt --passphrase-fd 3 text"), 2, "empty");
    assert_ends(&with_passphrase("x", "decrypt --passphrase-fd 3 text"), 2, "not encrypted with a passphrase");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "sealed"]), 2, "with a passphrase");

    // An envelope that asks for 4 TiB of memory takes none.
    let mut greedy = folder.read("sealed");
    greedy[16..20].copy_from_slice(&[0xff; 4]);
    fs::write(folder.path("greedy"), &greedy).unwrap();
    assert_ends(&with_passphrase("x", "decrypt --passphrase-fd 3 greedy"), 1, "are allowed");
    // Each byte of the envelope is bound into the file.
    for place in [19, 28, 43] {
        let mut changed = folder.read("sealed");
        changed[place] ^= 1;
        fs::write(folder.path("changed"), &changed).unwrap();
        assert_ends(&with_passphrase("correct horse", "decrypt --passphrase-fd 3 changed"), 1, "");
    }
}

#[test]
#[cfg(unix)]
fn a_part_of_a_large_file_is_there_at_once() {
    let folder = Folder::new();
    // 10 GiB would fill the disk of a test machine: the encrypted file has a hole where nothing is read.
    let bytes: u64 = 10 << 30;
    folder.write("text", 40_000);
    folder.run(&["encrypt", "--key", "key", "-o", "sealed", "text"]);
    let chunks = bytes / 16_384;
    let mut sparse = File::options().read(true).write(true).open(folder.path("sealed")).unwrap();
    let mut beginning = vec![0; 56 + 2 * 16_400];
    sparse.read_exact(&mut beginning).unwrap();
    sparse.set_len(56 + chunks * 16_400 + 16).unwrap();
    sparse.seek(SeekFrom::End(-16)).unwrap();
    sparse.write_all(&[0; 16]).unwrap();
    drop(sparse);
    // Its last chunk is no chunk, which is found out without reading the 10 GiB before it: those take more than a
    // second of CPU time, after which the process would be ended.
    let script = "ulimit -t 1; exec \"$0\" decrypt --key key --range 5G..5G sealed";
    let output = Command::new("sh").args(["-c", script, KASOKU]).current_dir(folder.0.path()).output().unwrap();
    assert_ends(&output, 1, "the last chunk 655360 ");
}

#[test]
#[cfg(target_os = "linux")]
fn a_kill_in_the_middle_leaves_nothing() {
    let folder = Folder::new();
    folder.write("text", 100_000);
    let names = folder.names();
    let mut child = folder.command(&["encrypt", "--key", "key", "-o", "sealed"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&vec![1; 8 << 20]).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let left = folder.names();
    // Where the file system has no nameless files, one that begins with a dot may be left; never the name that was
    // asked.
    assert!(!left.contains(&"sealed".to_owned()) && left.len() <= names.len() + 1, "{left:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_and_a_full_disk_is_said() {
    let folder = Folder::new();
    let text = vec![7; 64 << 20];
    let script = "ulimit -v 400000; \"$0\" encrypt --key key | \"$0\" decrypt --key key | tail -c 5";
    let mut child = Command::new("sh")
        .args(["-c", script, KASOKU])
        .current_dir(folder.0.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || drop(input.write_all(&text)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert_eq!(output.stdout, [7; 5]);

    folder.write("text", 100_000);
    assert_ends(&folder.run(&["encrypt", "--key", "key", "-o", "/dev/full", "text"]), 1, "No space left");
    let limited = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 50; \"$0\" encrypt --key key -o sealed text", KASOKU])
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(1), "{}", String::from_utf8_lossy(&limited.stderr));
    assert!(!folder.path("sealed").exists());
}

/// A Python with PyPI's `cryptography` 50 or newer: `$KASOKU_PYTHON`, or the one that `test.sh` makes.
fn python() -> Option<PathBuf> {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
    let python = std::env::var_os("KASOKU_PYTHON").map_or(made, PathBuf::from);
    let has_it = Command::new(&python).args(["-c", "import cryptography.cobblestone"]).output();
    if has_it.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(std::env::var_os("CI").is_none(), "no Python with cryptography 50: test.sh makes one");
    eprintln!("left out: no Python with cryptography 50");
    None
}

const PEER: &str = "
import base64, sys
from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor
way, source, destination = sys.argv[1:]
key = base64.b64decode(open('key').read().splitlines()[1])
worker = (Cobblestone256Encryptor if way == 'encrypt' else Cobblestone256Decryptor)(key, b'context')
with open(source, 'rb') as input, open(destination, 'wb') as output:
    while piece := input.read(1 << 24):
        output.write(worker.update(piece))
    output.write(worker.finalize())
";

#[test]
fn the_cryptography_of_python_reads_ours_and_we_read_its() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let peer = |arguments: [&str; 3]| {
        let output =
            Command::new(&python).args(["-c", PEER]).args(arguments).current_dir(folder.0.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    for bytes in [0, 1, 16_383, 16_384, 16_385, 1 << 30] {
        let text = folder.write("text", bytes);
        folder.run(&["encrypt", "--key", "key", "--context", "context", "--force", "-o", "ours", "text"]);
        peer(["decrypt", "ours", "theirs-of-ours"]);
        assert!(folder.read("theirs-of-ours") == text, "{bytes} bytes, ours");
        peer(["encrypt", "text", "theirs"]);
        let back = folder.run(&[
            "decrypt",
            "--key",
            "key",
            "--context",
            "context",
            "--force",
            "-o",
            "ours-of-theirs",
            "theirs",
        ]);
        assert_ends(&back, 0, "");
        assert!(folder.read("ours-of-theirs") == text, "{bytes} bytes, theirs");
    }
}

/// What a shell makes of `script`, in which `$0` is the command.
#[cfg(unix)]
fn shell(folder: &Folder, script: &str) -> Output {
    let script = format!("umask 022; {script}");
    Command::new("sh").args(["-c", &script, KASOKU]).current_dir(folder.0.path()).output().unwrap()
}

#[test]
#[cfg(unix)]
fn what_follows_the_passphrase_is_whole() {
    let folder = Folder::new();
    let text = folder.write("text", 23_000);
    fs::write(folder.path("pw"), "secret pass\n").unwrap();
    for (end, text) in [("\n", &text[..]), ("\r\n", b"my only copy\n"), ("\n", b"")] {
        let line = format!("secret pass{end}");
        fs::write(folder.path("both"), [line.as_bytes(), text].concat()).unwrap();
        for way in [
            "cat both | \"$0\" encrypt --passphrase-fd 0 > sealed",
            "\"$0\" encrypt --passphrase-fd 0 < both > sealed",
            "\"$0\" encrypt --passphrase-fd 0 --force -o sealed - < both",
            "\"$0\" encrypt --passphrase-fd 3 3< both <&3 > sealed",
            "cat both | \"$0\" encrypt --passphrase-fd 5 5<&0 > sealed",
        ] {
            assert_ends(&shell(&folder, way), 0, "");
            let back = shell(&folder, "\"$0\" decrypt --passphrase-fd 3 3< pw < sealed");
            assert!(back.status.success() && back.stdout == text, "{way}: {} of {}", back.stdout.len(), text.len());
        }
        for way in [
            "cat pw sealed | \"$0\" decrypt --passphrase-fd 0",
            "cat pw sealed > all; \"$0\" decrypt --passphrase-fd 0 < all",
            "cat pw sealed > all; \"$0\" decrypt --passphrase-fd 3 3< all <&3",
        ] {
            let back = shell(&folder, way);
            assert!(back.status.success() && back.stdout == text, "{way}: {back:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_descriptor_that_gives_no_passphrase_is_said() {
    let folder = Folder::new();
    folder.write("text", 100);
    let names = folder.names();
    for (script, says) in [
        // The input would get the first number that is free, and its first line be taken for the passphrase.
        ("exec 3<&- 4<&-; \"$0\" encrypt --passphrase-fd 3 -o sealed text", "--passphrase-fd 3: Bad file descriptor"),
        ("\"$0\" encrypt --passphrase-fd 77 -o sealed text", "--passphrase-fd 77: Bad file descriptor"),
        ("\"$0\" encrypt --passphrase-fd 4294967295 -o sealed text", "--passphrase-fd 4294967295: Bad file descriptor"),
        ("\"$0\" encrypt --passphrase-fd 3 -o sealed text 3> /dev/null", "--passphrase-fd 3: Bad file descriptor"),
        ("\"$0\" encrypt --passphrase-fd 3 -o sealed text 3< .", "--passphrase-fd 3: "),
        ("\"$0\" encrypt --passphrase-fd 3 -o sealed text 3< /dev/null", "the passphrase is empty"),
        ("\"$0\" encrypt --passphrase-fd 3 -o sealed text 3< /dev/zero", "longer than 4096 bytes"),
    ] {
        assert_ends(&shell(&folder, script), 2, says);
        assert_eq!(folder.names(), names, "{script}");
    }
    // Any bytes are a passphrase, with or without the end of a line.
    let passphrase = [&b"\xff\x00 \t"[..], &[b'x'; 4_092]].concat();
    fs::write(folder.path("pw"), &passphrase).unwrap();
    assert_ends(&shell(&folder, "\"$0\" encrypt --passphrase-fd 3 -o sealed text 3< pw"), 0, "");
    fs::write(folder.path("pw"), [&passphrase[..], b"\r\nmore"].concat()).unwrap();
    assert_ends(&shell(&folder, "\"$0\" decrypt --passphrase-fd 3 -o back sealed 3< pw"), 0, "");
    assert!(folder.read("back") == folder.read("text"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_whose_length_the_system_does_not_know_is_encrypted_whole() {
    let folder = Folder::new();
    for path in ["/proc/version", "/sys/devices/system/cpu/online"] {
        let Ok(text) = fs::read(path) else { continue };
        let stated = fs::metadata(path).unwrap().len();
        println!("{path}: {} bytes, {stated} by its metadata", text.len());
        for passphrase in ["--key key", "--passphrase-fd 3 3< key"] {
            let script =
                format!("\"$0\" encrypt {passphrase} --force -o sealed {path} && \"$0\" decrypt {passphrase} sealed");
            let back = shell(&folder, &script);
            assert!(back.status.success() && back.stdout == text, "{script}: {back:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn nobody_may_read_more_than_before() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let text = folder.write("text", 1000);
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o7777;
    assert_ends(&shell(&folder, "\"$0\" encrypt --key key -o sealed text"), 0, "");
    assert_eq!(mode("sealed"), 0o644, "a new encrypted file is as the umask says");
    assert_ends(&shell(&folder, "\"$0\" decrypt --key key -o back sealed"), 0, "");
    assert_eq!(mode("back"), 0o600, "new text is for its owner alone");
    for permissions in [0o600, 0o640, 0o644] {
        for script in ["decrypt --key key --force -o back sealed", "encrypt --key key --force -o back text"] {
            fs::set_permissions(folder.path("back"), fs::Permissions::from_mode(permissions)).unwrap();
            assert_ends(&shell(&folder, &format!("\"$0\" {script}")), 0, "");
            assert_eq!(mode("back"), permissions, "{script}");
        }
    }
    assert_ends(&shell(&folder, "\"$0\" decrypt --key key --force -o back sealed"), 0, "");
    assert!(folder.read("back") == text);
}

/// While the text comes it is nobody else's, with a name or without.
#[test]
#[cfg(target_os = "linux")]
fn text_is_private_before_its_first_byte() {
    use std::os::unix::fs::MetadataExt;
    let folder = Folder::new();
    folder.write("text", 8 << 20);
    assert_ends(&shell(&folder, "\"$0\" encrypt --key key -o sealed text"), 0, "");
    let sealed = folder.read("sealed");
    let mut command = folder.command(&["decrypt", "--key", "key", "-o", "back"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&sealed[..sealed.len() / 2]).unwrap();
    let files = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
    let outputs = files
        .filter_map(|entry| fs::metadata(entry.unwrap().path()).ok())
        .filter(|metadata| metadata.is_file() && metadata.dev() == fs::metadata(folder.path("key")).unwrap().dev());
    let modes: Vec<u32> = outputs.map(|metadata| metadata.mode() & 0o777).collect();
    assert_eq!(modes, [0o600]);
    input.write_all(&sealed[sealed.len() / 2..]).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    assert!(folder.read("back") == folder.read("text"));
}

#[test]
#[cfg(target_os = "linux")]
fn it_works_without_proc() {
    let folder = Folder::new();
    let text = folder.write("text", 100_000);
    let namespaces = ["--user", "--map-root-user", "--mount", "sh", "-c"];
    let without_proc = |script: &str| {
        let script = format!("mount -t tmpfs none /proc && test ! -e /proc/self && {script}");
        let mut command = Command::new("unshare");
        command.args(namespaces).args([&script, KASOKU]).current_dir(folder.0.path()).output()
    };
    if !without_proc("true").is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "with CI set, `unshare --user --mount` must work");
        println!("no user namespaces here: not tested without /proc");
        return;
    }
    for script in [
        "\"$0\" keygen -o another",
        "\"$0\" encrypt --key key -o sealed text",
        "\"$0\" encrypt --key key -o sealed --force --sync text",
        "\"$0\" encrypt --passphrase-fd 0 -o with-passphrase text < key",
        "\"$0\" decrypt --key key -o back sealed",
    ] {
        assert_ends(&without_proc(script).unwrap(), 0, "");
    }
    assert!(folder.read("back") == text);
    assert_eq!(folder.names(), ["another", "back", "key", "sealed", "text", "with-passphrase"]);
}

/// What `/proc/PID/status` says of the memory a process ever took, in KiB, and of its threads now.
#[cfg(target_os = "linux")]
fn memory_and_threads(child: &std::process::Child) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let number = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    Some((number("VmHWM:")?, number("Threads:")?))
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_whatever_number_of_threads_is_asked_for() {
    let folder = Folder::new();
    let text = folder.write("text", 64 << 20);
    // Buffers of 32 MiB, 256 threads, the program itself; it took 1,170 MB before there was a bound.
    let is_bounded = |(memory, threads): (u64, u64)| {
        assert!(memory < 200 << 10 && threads < 300, "{memory} KiB, {threads} threads");
    };
    let command =
        |arguments: &[&str]| folder.command(&[&["encrypt", "--key", "key", "--threads", "16000"], arguments].concat());

    let mut child = command(&[]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&text).unwrap();
    is_bounded(memory_and_threads(&child).unwrap());
    drop(input);
    assert!(child.wait().unwrap().success());

    let mut child = command(&["-o", "sealed", "text"]).spawn().unwrap();
    while child.try_wait().unwrap().is_none() {
        memory_and_threads(&child).into_iter().for_each(is_bounded);
    }
    assert!(child.wait().unwrap().success());
    let back = folder.run(&["decrypt", "--key", "key", "--threads", "16000", "-o", "back", "sealed"]);
    assert_ends(&back, 0, "");
    assert!(folder.read("back") == text);
}

#[test]
fn the_backend_that_the_environment_names_is_taken_or_refused() {
    use kasoku_engine::{AesGcm, Backend};
    let folder = Folder::new();
    let text = folder.write("text", 50_000);
    let run =
        |backend: &str, arguments: &[&str]| folder.command(arguments).env("KASOKU_BACKEND", backend).output().unwrap();
    let encrypt = ["encrypt", "--key", "key", "--force", "-o", "sealed", "text"];
    assert_ends(&folder.run(&encrypt), 0, "");
    let names = folder.names();
    for (backend, says) in
        [("fastest", "KASOKU_BACKEND=fastest: unknown backend"), ("", "KASOKU_BACKEND=: unknown backend")]
    {
        assert_ends(&run(backend, &["encrypt", "--key", "key", "-o", "other", "text"]), 2, says);
        assert_ends(&run(backend, &["decrypt", "--key", "key", "-o", "other", "sealed"]), 2, says);
        assert_ends(&run(backend, &["decrypt", "--key", "key", "--range", "1..2", "-o", "other", "sealed"]), 2, says);
    }
    assert_eq!(folder.names(), names);
    for backend in Backend::ALL {
        let encrypted = run(backend.name(), &encrypt);
        if AesGcm::with_backend(&[0; 32], backend).is_err() {
            assert_ends(&encrypted, 2, &format!("KASOKU_BACKEND={backend}: this CPU cannot run"));
            continue;
        }
        assert_ends(&encrypted, 0, "");
        let back = run(backend.name(), &["decrypt", "--key", "key", "sealed"]);
        assert!(back.status.success() && back.stdout == text, "{backend}");
    }
}

#[test]
#[cfg(unix)]
fn a_file_is_not_written_to_while_it_is_read() {
    let folder = Folder::new();
    let text = folder.write("text", 1000);
    for script in [
        "\"$0\" encrypt --key key text >> text",
        "\"$0\" encrypt --key key < text >> text",
        "\"$0\" encrypt --key key < text 1<> text",
    ] {
        assert_ends(&shell(&folder, script), 2, "is both the input and standard output");
        assert!(folder.read("text") == text);
    }
    // By its name it can: the old file stays until the new one is whole.
    assert_ends(&shell(&folder, "\"$0\" encrypt --key key --force -o text text"), 0, "");
    assert_ends(&shell(&folder, "\"$0\" decrypt --key key --force -o text text"), 0, "");
    assert!(folder.read("text") == text);
}
