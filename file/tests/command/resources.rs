//! Large files, little memory, full disks, a kill in the middle, a system without `/proc`.

use super::*;

#[test]
#[cfg(unix)]
fn range_of_a_large_file_is_decrypted_without_reading_the_rest() {
    let folder = Folder::new();
    // 10 GiB could fill the disk of a test machine, so the encrypted file has a hole where nothing is read.
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
    // The last chunk is invalid. The command must report that without reading 10 GiB, which takes more than its second
    // of CPU time.
    let script = "ulimit -t 1; exec \"$0\" decrypt --key key --range 5G..5G sealed";
    let output = Command::new("sh").args(["-c", script, PROGRAM]).current_dir(folder.0.path()).output().unwrap();
    assert_ends(&output, 1, "the last chunk 655360 ");
}

#[test]
#[cfg(target_os = "linux")]
fn killed_encrypt_leaves_no_output_file() {
    let folder = Folder::new();
    folder.write("text", 100_000);
    let names = folder.names();
    let mut child = folder.command(&["encrypt", "--key", "key", "-o", "sealed"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&vec![1; 8 << 20]).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let left = folder.names();
    // On file systems without nameless files, a file whose name begins with a dot may be left, but never the output.
    assert!(!left.contains(&"sealed".to_owned()) && left.len() <= names.len() + 1, "{left:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_and_full_disks_are_reported() {
    let folder = Folder::new();
    let text = vec![7; 64 << 20];
    let script = "ulimit -v 400000; \"$0\" encrypt --key key | \"$0\" decrypt --key key | tail -c 5";
    let mut child = Command::new("sh")
        .args(["-c", script, PROGRAM])
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
        .args(["-c", "trap '' XFSZ; ulimit -f 50; \"$0\" encrypt --key key -o sealed text", PROGRAM])
        .current_dir(folder.0.path())
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(1), "{}", String::from_utf8_lossy(&limited.stderr));
    assert!(!folder.path("sealed").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn encrypt_reads_files_of_unknown_length_to_their_end() {
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

/// Runs `script` in a shell without `/proc`; `$0` is the command. Returns `None` if user namespaces are not allowed.
#[cfg(target_os = "linux")]
fn without_proc(folder: &Folder, script: &str) -> Option<Output> {
    let run = |script: &str| {
        let script = format!("mount -t tmpfs none /proc && test ! -e /proc/self && {script}");
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script, PROGRAM]);
        command.current_dir(folder.0.path()).output()
    };
    if !run("true").is_ok_and(|output| output.status.success()) {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "with CI set, `unshare --user --mount` must work");
        println!("no user namespaces here: not tested without /proc");
        return None;
    }
    Some(run(script).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn encrypt_without_proc_ignores_sighup_under_nohup() {
    let folder = Folder::new();
    let text = folder.write("text", 5_000_000);
    // Ignores SIGHUP, as `nohup` does. The input ends after the signal.
    let script = "mkfifo in; trap '' HUP; \"$0\" encrypt --key key -o sealed in & exec 3> in; cat text >&3; \
                  kill -HUP $!; sleep 0.3; exec 3>&-; wait $! && \"$0\" decrypt --key key -o back sealed";
    let Some(output) = without_proc(&folder, script) else { return };
    assert_ends(&output, 0, "");
    assert!(folder.read("back") == text);
}

#[test]
#[cfg(target_os = "linux")]
fn command_works_and_cleans_up_after_signals_without_proc() {
    let folder = Folder::new();
    let text = folder.write("text", 100_000);
    for script in [
        "\"$0\" keygen -o another",
        "\"$0\" encrypt --key key -o sealed text",
        "\"$0\" encrypt --key key -o sealed --force --sync text",
        "\"$0\" encrypt --passphrase-fd 0 -o with-passphrase text < key",
        "\"$0\" decrypt --key key -o back sealed",
    ] {
        let Some(output) = without_proc(&folder, script) else { return };
        assert_ends(&output, 0, "");
    }
    assert!(folder.read("back") == text);
    let names = ["another", "back", "key", "sealed", "text", "with-passphrase"];
    assert_eq!(folder.names(), names);

    // A signal must remove a file with a temporary name.
    for signal in ["TERM", "HUP"] {
        let stopped = "(sleep 60 & echo $! > sleep; wait) | \"$0\" decrypt --key key -o left & decrypt=$!; \
                       until ls .*.part && [ -s sleep ]; do sleep 0.01; done; \
                       kill -SIGNAL $decrypt; wait $decrypt; status=$?; \
                       kill $(cat sleep); rm sleep; test $status -gt 128";
        assert_ends(&without_proc(&folder, &stopped.replace("SIGNAL", signal)).unwrap(), 0, "");
        assert_eq!(folder.names(), names, "{signal}");
    }
}

/// Returns the peak memory in KiB and the current number of threads from `/proc/PID/status`.
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
fn memory_is_bounded_for_any_number_of_threads() {
    let folder = Folder::new();
    let text = folder.write("text", 64 << 20);
    // Allows 32 MiB of buffers, 256 threads and the program itself. Without a limit, the program took 1,170 MB.
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
#[cfg(target_os = "linux")]
fn commands_fail_with_a_message_if_threads_are_refused() {
    use std::os::unix::fs::{PermissionsExt, chown};
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "with CI set this test must run as root");
        eprintln!("not tested: only root can become another user");
        return;
    }
    // This user has no other processes.
    let user = 1_234_560;
    let folder = Folder::new();
    folder.write("text", 1 << 20);
    assert_ends(&folder.run(&["encrypt", "--key", "key", "-o", "sealed", "text"]), 0, "");
    assert_ends(&shell(&folder, "cp \"$0\" program"), 0, "");
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["", "key", "text", "sealed"] {
        chown(folder.path(name), Some(user), None).unwrap();
    }
    let mut refused = 0;
    for limit in [1, 2, 4, 8, 14] {
        for arguments in ["encrypt --key key --threads 8 --force -o new text", "decrypt --key key --threads 8 sealed"] {
            let script = format!(
                "exec setpriv --clear-groups --reuid={user} prlimit --nproc={limit} ./program {arguments} > /dev/null"
            );
            let output = shell(&folder, &script);
            let error = String::from_utf8_lossy(&output.stderr);
            let is_refused = matches!(output.status.code(), Some(1 | 2)) && error.contains("raise the limit");
            assert!(output.status.success() || is_refused, "{arguments} with {limit} processes: {error}");
            refused += u32::from(is_refused);
        }
    }
    assert!(refused > 0);
}
