//! Installs with `install.sh` and uses the result with the `openssl` command.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;
use std::process::{Command, Output};

fn install(arguments: &[&str], destdir: Option<&Path>) -> Output {
    let mut script = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("install.sh"));
    script.args(arguments).env_remove("DESTDIR");
    if let Some(destdir) = destdir {
        script.env("DESTDIR", destdir);
    }
    script.output().unwrap()
}

#[test]
fn openssl_command_finds_the_installed_provider() {
    let root = tempfile::tempdir().unwrap();
    let output = install(&["/modules"], Some(root.path()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let modules = root.path().join("modules");
    let files: Vec<_> = std::fs::read_dir(&modules).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["kasoku.so"]);

    let mut list = Command::new("openssl");
    list.args(["list", "-cipher-algorithms", "-provider-path"]).arg(&modules).args(["-provider", "kasoku"]);
    let output = list.env("OPENSSL_CONF", "/dev/null").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    for name in ["id-aes128-GCM", "id-aes192-GCM", "id-aes256-GCM"] {
        assert!(listed.lines().any(|line| line.contains(name) && line.ends_with("@ kasoku")), "{listed}");
    }
}

#[test]
fn openssl_install_script_rejects_wrong_usage() {
    for arguments in [&["relative"][..], &["/a", "/b"]] {
        assert_eq!(install(arguments, None).status.code(), Some(2), "{arguments:?}");
    }
}
