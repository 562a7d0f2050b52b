//! Permissions of keys, plaintexts and encrypted files.

use super::*;

#[test]
fn keygen_creates_a_private_file_and_never_replaces_one() {
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
fn command_warns_about_key_files_that_others_can_read() {
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
    // A pipe stores nothing, so there is no warning.
    let piped = shell(&folder, "cat key | \"$0\" encrypt --key /dev/stdin --force -o sealed text");
    assert!(piped.status.success() && piped.stderr.is_empty(), "{piped:?}");
}

#[test]
fn replaced_files_keep_their_permissions() {
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

/// The unfinished plaintext has mode 600, with a name or without.
#[test]
#[cfg(target_os = "linux")]
fn plaintext_is_private_before_its_first_byte() {
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
