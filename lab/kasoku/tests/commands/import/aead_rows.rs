//! Import of AEAD figures from `openssl speed`. Depending on OpenSSL's version, their operation is a whole message or
//! an update of an endless message.

use super::*;

fn rows(document: &Document) -> BTreeMap<&'static str, AeadRow> {
    document.series.iter().filter_map(|one| Some((one.algorithm.name(), AeadRow::of(one)?))).collect()
}

/// `openssl speed` of 3.0.22 measures AES-GCM in whole messages with key set-up, and ChaCha20-Poly1305 in updates of an
/// endless message. `openssl speed` of 3.0.2 measures both AEADs in such updates.
#[test]
fn import_derives_the_operation_of_aead_figures_from_the_openssl_version() {
    let newer = read(&transcripts().join(NEWER)).machines.remove(0).document;
    assert_eq!(
        rows(&newer),
        BTreeMap::from([("aes-128-gcm", AeadRow::KeyedMessages), ("chacha20-poly1305", AeadRow::Updates)])
    );
    assert!(newer.run.notes[0].contains("AES-128-GCM: whole messages, each with the set-up of its key"), "{newer:?}");
    let figure = |document: &Document, algorithm: &str, bytes| {
        let is_it =
            |one: &&Series| one.algorithm.name() == algorithm && one.bytes == bytes && one.operation.name() == "seal";
        document.series.iter().find(is_it).unwrap().median.unwrap()
    };
    // Key set-up in each operation makes AES-GCM the slower one at 16 bytes, but not at 16 KiB.
    assert!(figure(&newer, "aes-128-gcm", 16) < figure(&newer, "chacha20-poly1305", 16));
    assert!(figure(&newer, "aes-128-gcm", 16_384) > figure(&newer, "chacha20-poly1305", 16_384));
    let Some(devices) = shared("devices") else { return };
    let older = read(&devices.join("ubuntu_2204_intel_i7_4790.txt")).machines.remove(0).document;
    let updates = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"].map(|name| (name, AeadRow::Updates));
    assert_eq!(rows(&older), BTreeMap::from(updates));
    assert!(figure(&older, "aes-128-gcm", 16) > figure(&older, "chacha20-poly1305", 16));
}

#[test]
fn aead_figures_of_different_openssl_speed_operations_are_separated_or_marked() {
    let Some(devices) = shared("devices") else { return };
    let sandbox = Sandbox::new();
    let import = |name: &str, file: &Path| {
        let rows = sandbox.json(&["import", "--name", name, "--format", "json", file.to_str().unwrap()]);
        rows[0]["run"].as_str().unwrap().to_owned()
    };
    let older = import("older", &devices.join("ubuntu_2204_intel_i7_4790.txt"));
    let newer = import("newer", &transcripts().join(NEWER));
    let text = |arguments: &[&str]| sandbox.text(arguments);
    let told = text(&["compare", &older, &newer, "--all"]).replace("\n  ", " ");
    let apart = "Not compared, since one operation is an update of a stream in one and a message with the set-up of \
                 its key in the other, below 8 KiB (4): openssl aes-128-gcm seal (on) ×4";
    assert!(told.contains(apart) && told.contains("†: one operation is not quite the same"), "{told}");
    let table = text(&["rank", "aes-128-gcm", "--bytes", "16384"]);
    assert!(table.contains("key set-up and message") && table.contains("changed what it measures"), "{table}");

    let advice = text(&["advise", &newer, "--for", "tls,quic"]);
    assert!(advice.contains("not quite alike: openssl speed sets up the key"), "{advice}");
    assert!(!text(&["advise", &older, "--for", "tls,quic"]).contains("not quite alike"));
    text(&["report", &newer, "--out", "newer.html"]);
    let page = sandbox.read("newer.html");
    assert!(page.contains("*†") && page.contains("† openssl speed changed what it measures"));
    assert!(page.contains("What openssl speed measured: "));
}

#[test]
fn import_classifies_aead_figures_and_omits_figures_of_failed_calls() {
    let imported_from = |text: &str| import("test", text.as_bytes()).unwrap();
    let sizes = "type          2 bytes     31 bytes    136 bytes   1024 bytes   8192 bytes  16384 bytes";
    let figures = "1000.10k     2000.20k     3000.30k     4000.40k     5000.50k     6000.60k";
    for (text, row) in [
        (format!("version: 3.0.2\n{sizes}\nAES-128-GCM {figures}\n"), AeadRow::Messages),
        (format!("{sizes}\nAES-128-GCM {figures}\n"), AeadRow::Unknown),
        (
            "$ openssl speed --aead -evp aes-128-gcm\nversion: 3.0.2\ntype 1400 bytes\nAES-128-GCM 1000.10k\n"
                .to_owned(),
            AeadRow::Messages,
        ),
    ] {
        let document = imported_from(&text).machines.remove(0).document;
        assert!(document.series.iter().all(|one| AeadRow::of(one) == Some(row)), "{text}");
        assert!(document.series.iter().all(|one| one.aad() == Some(13)), "{text}");
    }
    let text = "$ openssl speed -evp aes-256-xts\nversion: 3.5.0-dev\ntype 1024 bytes\nAES-256-XTS 1000.10k\n";
    let Imported { machines, left_out, .. } = imported_from(text);
    assert!(machines.is_empty() && left_out[0].line == Some(4), "{left_out:?}");
    assert!(left_out[0].text.contains("calls that all failed"), "{left_out:?}");
    // Decryption of a stream fails only at its end, where openssl asks for the tag.
    let text = "$ openssl speed -decrypt -evp chacha20-poly1305\n\
                Doing ChaCha20-Poly1305 ops for 3s on 1024 size blocks: Error finalizing cipher loop\n\
                13005016 ChaCha20-Poly1305 ops in 3.00s\nversion: 3.3.2\ntype 1024 bytes\nChaCha20-Poly1305 1000.10k\n";
    let imported = imported_from(text);
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    assert_eq!(rows(&imported.machines[0].document)["chacha20-poly1305"], AeadRow::Updates);
}
