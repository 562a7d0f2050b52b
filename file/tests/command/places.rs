//! Outputs that are not regular files or cannot be written.

use std::os::unix::fs::{PermissionsExt, chown};

use super::*;

/// User id of a user who is not root.
const SOMEBODY: u32 = 4321;

fn is_root(what: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        println!("not root: {what} was not tested");
    }
    is_root
}

#[test]
fn closed_standard_output_is_an_error() {
    let folder = Folder::new();
    folder.write("text", 1000);
    assert_ends(&shell(&folder, "\"$0\" encrypt --key key -o sealed text"), 0, "");
    for command in ["encrypt --key key text", "decrypt --key key sealed"] {
        let output = shell(&folder, &format!("\"$0\" {command} 1< /dev/null"));
        assert_ends(&output, 1, "cannot write standard output: Bad file descriptor");
    }
}

#[test]
fn named_pipes_are_written_unless_another_user_owns_them() {
    let folder = Folder::new();
    let text = folder.write("text", 100_000);
    let through = "(\"$0\" decrypt --key key pipe > back) & \"$0\" encrypt --key key -o pipe text && wait";
    assert_ends(&shell(&folder, &format!("mkfifo pipe || exit; {through}")), 0, "");
    assert!(folder.read("back") == text);
    if is_root("a pipe of somebody else's") {
        chown(folder.path("pipe"), Some(SOMEBODY), None).unwrap();
        // Nothing reads from the pipe: the command must fail before opening it.
        let output = folder.run(&["decrypt", "--key", "key", "-o", "pipe", "text"]);
        assert_ends(&output, 2, "pipe: is somebody else's pipe");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn output_to_a_block_device_requires_force() {
    if !is_root("a block device") {
        return;
    }
    let folder = Folder::new();
    folder.write("text", 1000);
    // A device number without a driver, so that nothing is overwritten.
    if !shell(&folder, "mknod device b 0 0").status.success() {
        println!("no device can be made: not tested");
        return;
    }
    assert_ends(&folder.run(&["encrypt", "--key", "key", "-o", "device", "text"]), 2, "device: is a block device; use");
    let forced = folder.run(&["encrypt", "--key", "key", "--force", "-o", "device", "text"]);
    assert_ends(&forced, 2, "device: No such device");
}

/// The folder is writable but not readable, like a drop box.
#[test]
fn sync_fails_in_an_unreadable_folder_and_leaves_no_file() {
    let folder = Folder::new();
    folder.write("text", 1000);
    fs::create_dir(folder.path("box")).unwrap();
    fs::set_permissions(folder.path("box"), fs::Permissions::from_mode(0o300)).unwrap();
    let mut who = vec![];
    if is_root("with root's rights everything may be looked into; this as somebody else") {
        fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["", "box", "key", "text"] {
            chown(folder.path(name), Some(SOMEBODY), None).unwrap();
        }
        who.extend(["setpriv", "--reuid=4321", "--clear-groups"]);
    }
    // Copies the program, since other users cannot enter root's folders. A child process makes the copy: the system
    // does not run a file that is open for writing, and a child that another test starts could inherit our open file.
    assert_ends(&shell(&folder, "cp \"$0\" program"), 0, "");
    let run = |arguments: &str| shell(&folder, &format!("{} ./program {arguments}", who.join(" ")));
    for (arguments, status) in [("keygen -o box/key", 1), ("encrypt --key key --sync -o box/sealed text", 1)] {
        assert_ends(&run(arguments), status, "Permission denied");
    }
    assert_ends(&run("encrypt --key key -o box/other text"), 0, "");
    fs::set_permissions(folder.path("box"), fs::Permissions::from_mode(0o700)).unwrap();
    let names: Vec<_> = fs::read_dir(folder.path("box")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["other"]);
}

/// A power cut leaves either the old or the new file.
#[test]
#[cfg(target_os = "linux")]
fn replacing_a_file_syncs_before_it_renames() {
    let folder = Folder::new();
    folder.write("text", 100_000);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/calls.c");
    let mut compile = Command::new("gcc");
    compile.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]);
    assert!(compile.arg(folder.path("calls.so")).arg(source).status().expect("gcc").success());
    let calls = |arguments: &[&str]| {
        let _ = fs::remove_file(folder.path("calls"));
        let mut command = folder.command(arguments);
        command.env("LD_PRELOAD", folder.path("calls.so")).env("CALLS", folder.path("calls"));
        assert_ends(&command.output().unwrap(), 0, "");
        fs::read_to_string(folder.path("calls")).unwrap_or_default()
    };
    let encrypt = ["encrypt", "--key", "key", "-o", "sealed", "text"];
    assert_eq!(calls(&encrypt), "");
    assert_eq!(calls(&[&encrypt[..], &["--force"]].concat()), "fdatasync\nrename\n");
    assert_eq!(calls(&[&encrypt[..], &["--force", "--sync"]].concat()), "fsync\nrename\nfsync\n");
}
