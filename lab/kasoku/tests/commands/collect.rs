//! The scripts in `collect/`: the commands that they run, in every shell that devices have, and the import of their
//! files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{Sandbox, check_status, error_of, has, is_there, list, text_of};

/// Arguments of `openssl speed` for each measurement.
fn measurements() -> Vec<String> {
    let evp =
        "aes-128-cbc aes-256-cbc aes-128-gcm aes-256-gcm chacha20-poly1305 sha1 sha256 sha512 blake2s256 blake2b512";
    let evp = evp.split(' ').map(|name| format!("-evp {name}"));
    evp.chain("ecdhx25519 ecdhx448 ed25519 ed448".split(' ').map(str::to_owned)).collect()
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../collect").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(script(name)).unwrap()
}

/// Commands of the installed shells. Panics in CI if one is missing.
fn shells() -> Vec<Vec<&'static str>> {
    let all = [vec!["dash"], vec!["busybox", "sh"], vec!["bash", "--posix"]];
    let runs = |shell: &[&str]| Command::new(shell[0]).args(&shell[1..]).args(["-c", "true"]).status().is_ok();
    all.into_iter().filter(|shell| is_there(runs(shell), shell[0])).collect()
}

fn run(sandbox: &Sandbox, shell: &[&str], arguments: &[&str]) -> Output {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).arg(script("openssl_speed.sh")).args(arguments).current_dir(sandbox.path("."));
    command.stdin(Stdio::null()).output().unwrap()
}

/// An `openssl` that prints like 1.1.1 on OpenWrt, lacks BLAKE2, and logs its arguments to the file `calls`.
const FAKE_OPENSSL: &str = r#"#!/bin/sh
echo "$*" >>calls
case "$1 $2" in
"version -a")
    printf 'OpenSSL 1.1.1u  30 May 2023\nbuilt on: Fri Jun 23 15:47:53 2023 UTC\nplatform: linux-mips\n'
    printf 'options:  bn(64,32) rc4(char) des(long)\ncompiler: mipsel-openwrt-linux-musl-gcc -fPIC\n'
    exit 0 ;;
"speed -help")
    [ -z "$OLD" ] && echo ' -seconds +int  Run benchmarks for num seconds' >&2
    exit 0 ;;
esac
for last; do :; done
echo 'You have chosen to measure elapsed time instead of user CPU time.' >&2
case $last in
blake*) echo "speed: $last is an unknown cipher or digest" >&2; exit 1 ;;
esac
echo "Doing $last for 3s on 16 size blocks: 1 $last's in 3.00s" >&2
printf 'OpenSSL 1.1.1u  30 May 2023\nbuilt on: Fri Jun 23 15:47:53 2023 UTC\n'
printf 'options:bn(64,32) rc4(char) des(long) \ncompiler: mipsel-openwrt-linux-musl-gcc -fPIC\n'
case $last in
ecdhx25519) printf '                              op      op/s\n 253 bits ecdh (X25519)   0.0017s    602.1\n' ;;
ecdhx448) printf '                              op      op/s\n 448 bits ecdh (X448)   0.0159s     62.9\n' ;;
ed25519) printf '                              sign    verify    sign/s verify/s\n'
    printf ' 253 bits EdDSA (Ed25519)   0.0008s   0.0018s   1207.5    559.9\n' ;;
ed448) printf '                              sign    verify    sign/s verify/s\n'
    printf ' 456 bits EdDSA (Ed448)   0.0073s   0.0176s    136.1     56.7\n' ;;
*) printf "The 'numbers' are in 1000s of bytes per second processed.\ntype             16 bytes  16384 bytes\n"
    printf "$last      8950.43k    12225.40k\n" ;;
esac
"#;

#[test]
fn shell_and_batch_script_run_the_same_commands() {
    let calls = |text: &str, beginning: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.trim_end().strip_prefix(beginning)).map(str::to_owned).collect()
    };
    let (shell, batch) = (text("openssl_speed.sh"), text("openssl_speed.bat"));
    assert_eq!(calls(&shell, "measure "), measurements());
    assert_eq!(calls(&batch, "call :measure "), measurements());
    assert!(shell.contains("\"$openssl\" speed -elapsed $limit \"$@\" >>\"$part\" 2>&1"));
    assert!(batch.contains("\"%OPENSSL%\" speed -elapsed %SECONDS_OPTION% %* >>\"%PART%\" 2>&1"));
    for key in ["kasoku collect", "name:", "date:", "os:", "cpu:", "machine:", "kernel:", "run: openssl speed -elapsed"]
    {
        assert!(shell.contains(&format!("# {key}")) && batch.contains(&format!("# {key}")), "{key}");
    }
    assert!(shell.contains("total=14\n") && batch.contains("TOTAL=14\""));
}

/// Checks what can be checked without Windows: line ends, labels, brackets, percent signs.
#[test]
fn batch_script_is_well_formed() {
    let batch = std::fs::read(script("openssl_speed.bat")).unwrap();
    let batch = String::from_utf8(batch).unwrap();
    assert!(batch.is_ascii() && batch.ends_with("\r\n"));
    assert_eq!(batch.matches('\n').count(), batch.matches("\r\n").count(), "cmd.exe needs CR LF line ends");
    let labels: Vec<&str> = batch.lines().filter_map(|line| line.strip_prefix(':')).collect();
    for line in batch.lines() {
        for jump in ["goto ", "call :"] {
            if let Some((_, rest)) =
                line.split_once(jump).filter(|_| !line.starts_with("rem") && !line.contains("echo"))
            {
                let label = rest.split_whitespace().next().unwrap();
                assert!(labels.contains(&label), "{line}");
            }
        }
        assert_eq!(line.matches('(').count(), line.matches(')').count(), "{line}");
        assert_eq!(line.matches('"').count() % 2, 0, "{line}");
        // Percent signs stand only in %NAME%, %1, %2, %*, and doubled in loops.
        let mut rest = line.to_owned();
        for plain in ["%%", "%*", "%~1", "%~2", "%1", "%2"] {
            rest = rest.replace(plain, "");
        }
        let parts: Vec<&str> = rest.split('%').collect();
        assert_eq!(parts.len() % 2, 1, "unpaired percent sign: {line}");
        for name in parts.into_iter().skip(1).step_by(2).map(|name| name.split(':').next().unwrap()) {
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
            assert!(is_name, "{line}");
        }
    }
    assert!(labels.len() >= 9);
}

#[test]
fn collect_script_runs_in_every_shell_and_its_file_is_imported() {
    for shell in shells() {
        let sandbox = Sandbox::new();
        sandbox.program("fake", FAKE_OPENSSL);
        let output = run(&sandbox, &shell, &["--openssl", "./fake", "--name", "my router", "--seconds", "2"]);
        check_status(&output, 0);
        let calls = sandbox.read("calls");
        let called: Vec<&str> =
            calls.lines().filter_map(|call| call.strip_prefix("speed -elapsed -seconds 2 ")).collect();
        assert_eq!(called, measurements(), "{shell:?}");
        let file = text_of(&output);
        let file = file.trim();
        assert!(file.starts_with("kasoku-my-router-") && file.ends_with(".txt"), "{file}");
        assert!(!sandbox.path(&format!("{file}.part")).exists());
        let told = error_of(&output);
        assert!(told.contains("14/14") && told.contains("2 of 14 are not in this openssl"), "{told}");

        let rows = sandbox.json(&["import", file, "--format", "json"]);
        assert_eq!((list(&rows).len(), rows[0]["series"].as_u64()), (1, Some(22)));
        assert_eq!(rows[0]["name"], "my router");
        let run = sandbox.json(&["export", rows[0]["run"].as_str().unwrap()]);
        assert_eq!(list(&run["run"]["omissions"]).len(), 2);
        assert_eq!(run["machine"]["arch"], "mips", "the architecture is the library's, not the test machine's");
        assert!(run["run"]["started"].as_str().unwrap().ends_with('Z'), "{run}");
        assert!(!run["machine"]["os"].as_str().unwrap().is_empty());
    }
}

#[test]
fn collect_script_omits_seconds_for_an_old_openssl() {
    let sandbox = Sandbox::new();
    sandbox.program("fake", &FAKE_OPENSSL.replace("[ -z \"$OLD\" ]", "false"));
    let output = run(&sandbox, &["sh"], &["--openssl", "./fake", "--seconds", "2", "-o", "out.txt"]);
    check_status(&output, 0);
    assert!(error_of(&output).contains("does not know -seconds"));
    assert!(!sandbox.read("calls").contains("-seconds"));
}

#[test]
fn collect_script_rejects_wrong_usage_and_overwrites_no_file() {
    let sandbox = Sandbox::new();
    sandbox.program("fake", FAKE_OPENSSL);
    std::fs::write(sandbox.path("there.txt"), "mine").unwrap();
    for (arguments, why) in [
        (&["--seconds", "0"][..], "whole number"),
        (&["--seconds", "1;id"], "whole number"),
        (&["--seconds"], "takes a value"),
        (&["what"], "is no option"),
        (&["--openssl", "./none"], "there is no ./none"),
        (&["--openssl", "./fake", "-o", "there.txt"], "is there already"),
        (&["--openssl", "./fake", "-o", "none/out.txt"], "cannot be written"),
    ] {
        let output = run(&sandbox, &["sh"], arguments);
        check_status(&output, 2);
        assert!(error_of(&output).contains(why), "{arguments:?}: {}", error_of(&output));
    }
    assert_eq!(sandbox.read("there.txt"), "mine");
    let help = run(&sandbox, &["sh"], &["--help"]);
    assert!(help.status.success() && text_of(&help).contains("--seconds"));
}

#[test]
fn interrupted_collect_script_leaves_no_file() {
    let sandbox = Sandbox::new();
    // The fake sends TERM during a measurement. INT has the same trap, but a shell cannot trap INT where the tests were
    // started with INT ignored, as in the background of a script.
    sandbox.program(
        "fake",
        &FAKE_OPENSSL.replace(
            "for last; do :; done",
            "for last; do :; done\n[ \"$last\" = sha1 ] && kill -TERM $PPID && exit 130",
        ),
    );
    let output = run(&sandbox, &["dash"], &["--openssl", "./fake", "-o", "out.txt"]);
    check_status(&output, 130);
    assert!(!sandbox.path("out.txt").exists() && !sandbox.path("out.txt.part").exists());
    assert!(error_of(&output).contains("interrupted"));
}

/// Measures one size for one second with each algorithm.
#[test]
fn collect_script_runs_the_installed_openssl_and_its_file_is_imported() {
    let sandbox = Sandbox::new();
    if !has(&["openssl"]) {
        return;
    }
    sandbox.program(
        "short",
        "#!/bin/sh\nif [ \"$1 $2\" = 'speed -elapsed' ]; then shift; exec openssl speed -bytes 1024 \"$@\"; fi\nexec \
         openssl \"$@\"\n",
    );
    let output = run(&sandbox, &["sh"], &["--openssl", "./short", "--seconds", "1", "-o", "out.txt"]);
    check_status(&output, 0);
    let rows = sandbox.json(&["import", "out.txt", "--format", "json"]);
    // Ten algorithms at one size, two key agreements, two signature algorithms with two operations each.
    assert_eq!(rows[0]["series"].as_u64(), Some(16));
}
