//! The command `kasoku-file` as a process: files, pipes, secrets, faults.

#![allow(clippy::unwrap_used)]

#[cfg(unix)]
#[path = "command/passphrase.rs"]
mod passphrase;
#[path = "command/peer.rs"]
mod peer;
#[cfg(unix)]
#[path = "command/places.rs"]
mod places;
#[path = "command/resources.rs"]
mod resources;
#[cfg(unix)]
#[path = "command/rights.rs"]
mod rights;
#[cfg(target_os = "linux")]
#[path = "command/terminal.rs"]
mod terminal;

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_kasoku-file");

/// Temporary folder that holds a key file called `key`.
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
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the command with `bytes` on standard input.
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
fn decrypt_reverses_encrypt_through_files_and_pipes() {
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
fn encrypt_rejects_unusable_outputs_before_it_starts() {
    let folder = Folder::new();
    folder.write("text", 1_000);
    std::os::unix::fs::symlink("text", folder.path("link")).unwrap();
    let long = "x".repeat(300);
    let names = folder.names();
    for (output, says) in [
        ("no/where", "no/where: its folder does not exist; create it"),
        (&long, "File name too long"),
        ("link", "link: is a symbolic link; name the file it leads to"),
        ("new/", "new/: is not a file name"),
        ("\u{1b}[31m/x", "\\u{1b}[31m/x: "),
    ] {
        let output = folder.run(&["encrypt", "--key", "key", "--force", "-o", output, "text"]);
        assert_ends(&output, 2, says);
        assert!(!output.stderr.contains(&0x1b));
    }
    // `--sync` requires an output file.
    assert_ends(&folder.run(&["encrypt", "--key", "key", "--sync", "text"]), 2, "--sync: standard output cannot be");
    assert_eq!(folder.names(), names);
    let sealed = File::create(folder.path("sealed")).unwrap();
    let output = folder.command(&["encrypt", "--key", "key", "--sync", "text"]).stdout(sealed).output().unwrap();
    assert_ends(&output, 0, "");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--check", "sealed"]), 0, "");
}

#[test]
fn decrypt_leaves_no_file_if_the_input_was_modified() {
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
    // An existing output file stays unchanged.
    fs::write(folder.path("back"), b"older").unwrap();
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--force", "-o", "back", "bad"]), 1, "");
    assert_eq!(folder.read("back"), b"older");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "-o", "back", "sealed"]), 2, "--force");
    assert_ends(&folder.run(&["decrypt", "--key", "key", "--force", "-o", "back", "sealed"]), 0, "");
    assert!(folder.read("back") == text);
}

#[test]
fn wrong_or_missing_secrets_are_reported() {
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
fn key_selects_the_cipher_and_another_cipher_is_rejected() {
    let folder = Folder::new();
    let text = folder.write("text", 50_000);
    assert_ends(&folder.run(&["keygen", "--cipher", "cobblestone-128", "-o", "short"]), 0, "");
    assert!(String::from_utf8(folder.read("short")).unwrap().contains("(cobblestone-128): 16 random bytes"));
    let ciphers = ["cobblestone-128", "cobblestone-256"];
    for (key, other_key, [cipher, other]) in [("short", "key", ciphers), ("key", "short", [ciphers[1], ciphers[0]])] {
        assert_ends(&folder.run(&["encrypt", "--key", key, "--force", "-o", "sealed", "text"]), 0, "");
        let back = folder.run(&["decrypt", "--key", key, "sealed"]);
        assert!(back.status.success() && back.stdout == text, "{key}");
        let part = folder.run(&["decrypt", "--key", key, "--cipher", cipher, "--range", "20000..40000", "sealed"]);
        assert!(part.status.success() && part.stdout == text[20_000..40_000], "{key}");
        assert_ends(&folder.run(&["decrypt", "--key", other_key, "sealed"]), 1, "sealed: wrong key");
        assert_ends(&folder.run(&["decrypt", "--key", other_key, "--range", "0..9", "sealed"]), 1, "sealed: wrong key");
        let says = format!("--cipher {other}: the key in {key} is for {cipher}; leave out --cipher");
        for subcommand in ["encrypt", "decrypt"] {
            assert_ends(&folder.run(&[subcommand, "--key", key, "--cipher", other, "sealed"]), 2, &says);
        }
    }
    // A key of 24 bytes.
    fs::write(folder.path("middle"), "A".repeat(32)).unwrap();
    assert_ends(&folder.run(&["encrypt", "--key", "middle", "text"]), 2, "line 1 is not 16 or 32 bytes in base64");
}

#[test]
fn decrypt_reports_truncated_files() {
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
fn check_verifies_the_whole_file_and_writes_nothing() {
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
fn help_names_other_programs_that_read_the_format() {
    let folder = Folder::new();
    let help = |command: &str| String::from_utf8(folder.run(&[command, "--help"]).stdout).unwrap();
    let encrypt = help("encrypt");
    assert!(encrypt.contains("c2sp.org/chunked-encryption") && encrypt.contains("PyPI's cryptography"), "{encrypt}");
    for command in ["encrypt", "decrypt", "keygen"] {
        let help = help(command);
        assert!(help.contains("Example") && help.contains(&format!("kasoku-file {command} -")), "{help}");
        assert!(help.contains("[IN]") == (command != "keygen"), "{help}");
    }
}

#[test]
fn wrong_arguments_exit_with_status_2() {
    let folder = Folder::new();
    let names = folder.names();
    for (arguments, says) in [
        ("encrypt --key key --threads 0", "invalid value '0' for '--threads <N>'"),
        ("decrypt --key key --threads two", "invalid value 'two' for '--threads <N>'"),
        ("encrypt --key key --passphrase-fd -x", "unexpected argument '-x'"),
        ("encrypt --key key --cipher aes-128", "[possible values: cobblestone-128, cobblestone-256]"),
        ("keygen --cipher aes-128 -o new", "[possible values: cobblestone-128, cobblestone-256]"),
        ("keygen -o -", "not to standard output"),
        ("keygen -o /nonexistent/key", "its folder does not exist; create it"),
        ("keygn", "a similar subcommand exists: 'keygen'"),
        ("manual /nowhere", "/nowhere: "),
    ] {
        assert_ends(&folder.run(&arguments.split(' ').collect::<Vec<_>>()), 2, says);
    }
    assert_eq!(folder.names(), names);
}

#[test]
fn manual_and_completions_cover_every_subcommand() {
    let folder = Folder::new();
    assert_ends(&folder.run(&["manual", "."]), 0, "");
    for page in ["", "-keygen", "-encrypt", "-decrypt"].map(|subcommand| format!("kasoku-file{subcommand}.1")) {
        assert!(String::from_utf8(folder.read(&page)).unwrap().contains(".SH SYNOPSIS"), "{page}");
    }
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = String::from_utf8(folder.run(&["completions", shell]).stdout).unwrap();
        assert!(["keygen", "encrypt", "passphrase-fd"].iter().all(|word| script.contains(word)), "{shell}: {script}");
    }
}

#[test]
#[cfg(unix)]
fn encrypt_reports_a_reader_that_exits_early() {
    let folder = Folder::new();
    folder.write("text", 3_000_000);
    for way in ["encrypt --key key text", "encrypt --key key < text"] {
        let script = format!("{{ \"$0\" {way}; echo \"status $?\" >&2; }} | head -c 1");
        let output = shell(&folder, &script);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            stderr.contains("standard output: the reading program exited") && stderr.contains("status 1"),
            "{stderr}"
        );
        assert!(!stderr.contains("no file was left"), "{stderr}");
    }
}

/// Runs `script` in a shell; `$0` is the command.
#[cfg(unix)]
fn shell(folder: &Folder, script: &str) -> Output {
    let script = format!("umask 022; {script}");
    Command::new("sh").args(["-c", &script, PROGRAM]).current_dir(folder.0.path()).output().unwrap()
}

#[test]
fn kasoku_backend_selects_the_backend_or_is_rejected() {
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
fn encrypt_rejects_an_output_that_is_the_input() {
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
    // Naming the file as output is allowed: the old file stays until the new file is complete.
    assert_ends(&shell(&folder, "\"$0\" encrypt --key key --force -o text text"), 0, "");
    assert_ends(&shell(&folder, "\"$0\" decrypt --key key --force -o text text"), 0, "");
    assert!(folder.read("text") == text);
}
