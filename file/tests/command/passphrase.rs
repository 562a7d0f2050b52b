//! Passphrases, on a terminal and from a descriptor.

use super::*;

#[test]
fn decrypt_reverses_encrypt_with_a_passphrase() {
    let folder = Folder::new();
    let text = folder.write("text", 50_000);
    // The shell opens descriptor 3, as scripts do.
    let with_passphrase = |passphrase: &str, rest: &str| {
        let script = format!("exec 3<<'END'\n{passphrase}\nEND\n\"$0\" {rest}");
        Command::new("sh").args(["-c", &script, PROGRAM]).current_dir(folder.0.path()).output().unwrap()
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

    // Truncates the file after the envelope.
    for bytes in [44, 60, 99] {
        fs::write(folder.path("short"), &folder.read("sealed")[..bytes]).unwrap();
        assert_ends(&with_passphrase("correct horse", "decrypt --passphrase-fd 3 short"), 1, "short: truncated");
    }

    // An envelope that requires 4 TiB of memory must not take any.
    let mut greedy = folder.read("sealed");
    greedy[16..20].copy_from_slice(&[0xff; 4]);
    fs::write(folder.path("greedy"), &greedy).unwrap();
    assert_ends(&with_passphrase("x", "decrypt --passphrase-fd 3 greedy"), 1, "are allowed");
    // Every byte of the envelope is authenticated.
    for place in [19, 28, 43] {
        let mut changed = folder.read("sealed");
        changed[place] ^= 1;
        fs::write(folder.path("changed"), &changed).unwrap();
        assert_ends(&with_passphrase("correct horse", "decrypt --passphrase-fd 3 changed"), 1, "");
    }
}

#[test]
fn file_with_a_passphrase_names_its_cipher() {
    let folder = Folder::new();
    let text = folder.write("text", 50_000);
    fs::write(folder.path("pw"), "correct horse\n").unwrap();
    let run = |rest: &str| shell(&folder, &format!("\"$0\" {rest} 3< pw"));
    assert_ends(&run("encrypt --passphrase-fd 3 --cipher cobblestone-128 -o sealed text"), 0, "");
    for options in ["", "--cipher cobblestone-128"] {
        let back = run(&format!("decrypt --passphrase-fd 3 {options} sealed"));
        assert!(back.status.success() && back.stdout == text, "{options}");
    }
    let part = run("decrypt --passphrase-fd 3 --range 20000..40000 sealed");
    assert!(part.status.success() && part.stdout == text[20_000..40_000]);
    let says = "--cipher cobblestone-256: sealed was encrypted with cobblestone-128; leave out --cipher";
    assert_ends(&run("decrypt --passphrase-fd 3 --cipher cobblestone-256 sealed"), 2, says);
    let mut changed = folder.read("sealed");
    for (byte, says) in [(b'1', "wrong key, passphrase"), (b'3', "unknown cipher; use a newer version")] {
        changed[15] = byte;
        fs::write(folder.path("changed"), &changed).unwrap();
        assert_ends(&run("decrypt --passphrase-fd 3 changed"), 1, says);
    }
}

#[test]
fn passphrase_descriptor_leaves_the_following_input_unread() {
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
fn unusable_passphrase_descriptors_are_rejected() {
    let folder = Folder::new();
    folder.write("text", 100);
    let names = folder.names();
    for (script, says) in [
        // The opened input gets the lowest free number, 3, but its first line must not be read as the passphrase.
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
    // A passphrase may have any bytes, with or without a line ending.
    let passphrase = [&b"\xff\x00 \t"[..], &[b'x'; 4_092]].concat();
    fs::write(folder.path("pw"), &passphrase).unwrap();
    assert_ends(&shell(&folder, "\"$0\" encrypt --passphrase-fd 3 -o sealed text 3< pw"), 0, "");
    fs::write(folder.path("pw"), [&passphrase[..], b"\r\nmore"].concat()).unwrap();
    assert_ends(&shell(&folder, "\"$0\" decrypt --passphrase-fd 3 -o back sealed 3< pw"), 0, "");
    assert!(folder.read("back") == folder.read("text"));
}
