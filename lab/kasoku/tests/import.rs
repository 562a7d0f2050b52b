//! `kasoku import`: transcripts of real devices and of every version, by an independent reading of them; files that are
//! damaged or hostile; speed.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kasoku_import::{Imported, import};
use kasoku_model::document::{Document, Series, Unit};
use kasoku_model::openssl_speed::AeadRow;
use serde_json::Value;
use support::{Sandbox, error_of, timed};

/// The folder with data that is shared between projects: beside the checkout, or where the environment says.
/// In continuous integration it must be there.
fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("KASOKU_SHARED").map_or(beside, PathBuf::from);
    if folder.join("devices").is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is not there", folder.display());
    eprintln!("left out: {} is not there", folder.display());
    None
}

fn transcripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/transcripts")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files
}

fn read(file: &Path) -> Imported {
    import("test", &std::fs::read(file).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Figures of a transcript by what stands on their line: the row's words, the column, the figure as it is printed.
type Figures = BTreeMap<(String, usize, String), usize>;

/// Every figure of a transcript for people, read in the plainest way: lines, then words; whatever ends in `k` in a bulk
/// row, and the second half of the numbers after a closing bracket.
fn obvious_figures(text: &str) -> Figures {
    let mut figures = Figures::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || line.contains("Doing") {
            continue;
        }
        let bulk: Vec<&&str> = words.iter().filter(|word| word.ends_with('k') && word.contains('.')).collect();
        if bulk.len() == 5 || bulk.len() == 6 {
            let name = words[..words.len() - bulk.len()].join(" ").to_lowercase();
            for (column, figure) in bulk.iter().enumerate() {
                *figures.entry((name.clone(), column, figure.trim_end_matches('k').to_owned())).or_default() += 1;
            }
        } else if let Some(bracket) = words.iter().position(|word| word.ends_with(')') && word.starts_with('(')) {
            let numbers = &words[bracket + 1..];
            if numbers.first().is_some_and(|time| time.ends_with('s') && time.contains('.')) {
                let name = format!("{} {}", words[bracket - 1], words[bracket].trim_matches(['(', ')'])).to_lowercase();
                for (column, figure) in numbers[numbers.len() / 2..].iter().enumerate() {
                    *figures.entry((name.clone(), column, (*figure).to_owned())).or_default() += 1;
                }
            }
        }
    }
    figures
}

/// A version that measures AES-GCM in whole messages, each with the set-up of its key.
const NEWER: &str = "openssl-3.0.22-aeads.txt";

/// The same out of a document, in the words of the transcript.
fn stored_figures(document: &Document, names: &BTreeMap<&str, Vec<&str>>) -> Figures {
    let mut figures = Figures::new();
    let mut sizes: Vec<usize> =
        document.series.iter().filter(|series| series.unit == Unit::BytesPerSecond).map(|s| s.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for series in &document.series {
        let is_low = series.parameters.contains_key("interface");
        let all = names.get(series.algorithm.name()).unwrap_or_else(|| panic!("{} has no name", series.algorithm));
        let name = all
            .iter()
            .find(|name| is_low == (name.contains(' ') && !name.starts_with("ec") && !name.starts_with("ed")));
        let name = (*name.unwrap()).to_owned();
        let figure = series.median.unwrap();
        let (column, text) = match series.unit {
            Unit::BytesPerSecond => {
                // Two places of thousands: ten bytes are the unit, and every figure is a multiple of it.
                let tens = figure / 10.0;
                assert_eq!(tens, tens.round(), "{name}: {figure}");
                let tens = tens as u64;
                let column = sizes.iter().position(|size| *size == series.bytes).unwrap();
                (column, format!("{}.{:02}", tens / 100, tens % 100))
            }
            Unit::OperationsPerSecond => (usize::from(series.operation.name() == "verify"), format!("{figure:.1}")),
            other => panic!("{other:?}"),
        };
        *figures.entry((name, column, text)).or_default() += 1;
    }
    figures
}

/// Our names and openssl's, in small letters.
fn openssl_names() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::from([
        ("aes-128-cbc", vec!["aes-128-cbc", "aes-128 cbc"]),
        ("aes-256-cbc", vec!["aes-256-cbc", "aes-256 cbc"]),
        ("aes-128-gcm", vec!["aes-128-gcm"]),
        ("aes-256-gcm", vec!["aes-256-gcm"]),
        ("chacha20-poly1305", vec!["chacha20-poly1305"]),
        ("des-ede3-cbc", vec!["des ede3"]),
        ("blowfish-cbc", vec!["blowfish cbc"]),
        ("camellia-256-cbc", vec!["camellia-256 cbc"]),
        ("sha-1", vec!["sha1"]),
        ("sha-256", vec!["sha256"]),
        ("sha-512", vec!["sha512"]),
        ("blake2s-256", vec!["blake2s256"]),
        ("blake2b-512", vec!["blake2b512"]),
        ("x25519", vec!["ecdh x25519"]),
        ("x448", vec!["ecdh x448"]),
        ("ed25519", vec!["eddsa ed25519"]),
        ("ed448", vec!["eddsa ed448"]),
        ("ecdh-secp160r1", vec!["ecdh secp160r1"]),
    ]);
    for (ours, theirs) in [
        ("ecdh-p192", "ecdh nistp192"),
        ("ecdh-p224", "ecdh nistp224"),
        ("ecdh-p256", "ecdh nistp256"),
        ("ecdh-p384", "ecdh nistp384"),
        ("ecdh-p521", "ecdh nistp521"),
        ("ecdh-k163", "ecdh nistk163"),
        ("ecdh-k233", "ecdh nistk233"),
        ("ecdh-k283", "ecdh nistk283"),
        ("ecdh-k409", "ecdh nistk409"),
        ("ecdh-k571", "ecdh nistk571"),
        ("ecdh-b163", "ecdh nistb163"),
        ("ecdh-b233", "ecdh nistb233"),
        ("ecdh-b283", "ecdh nistb283"),
        ("ecdh-b409", "ecdh nistb409"),
        ("ecdh-b571", "ecdh nistb571"),
        ("ecdh-brainpool-p256r1", "ecdh brainpoolp256r1"),
        ("ecdh-brainpool-p256t1", "ecdh brainpoolp256t1"),
        ("ecdh-brainpool-p384r1", "ecdh brainpoolp384r1"),
        ("ecdh-brainpool-p384t1", "ecdh brainpoolp384t1"),
        ("ecdh-brainpool-p512r1", "ecdh brainpoolp512r1"),
        ("ecdh-brainpool-p512t1", "ecdh brainpoolp512t1"),
    ] {
        names.insert(ours, vec![theirs]);
    }
    names
}

#[test]
fn every_figure_of_the_ten_devices_is_kept_as_it_is() {
    let Some(shared) = shared() else { return };
    let devices = files(&shared.join("devices"));
    assert_eq!(devices.len(), 10);
    let sandbox = Sandbox::new();
    let arguments: Vec<&str> =
        ["import"].into_iter().chain(devices.iter().map(|file| file.to_str().unwrap())).collect();
    let output = sandbox.kasoku(&[&arguments[..], &["--format", "json"]].concat());
    assert!(output.status.success(), "{}", error_of(&output));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (file, row) in devices.iter().zip(rows.as_array().unwrap()) {
        let text = std::fs::read_to_string(file).unwrap();
        let expected = obvious_figures(&text);
        assert!(expected.len() >= 66, "{}: {}", file.display(), expected.len());
        assert!(expected.values().all(|times| *times == 1), "{}", file.display());
        let imported = read(file);
        assert_eq!(imported.machines.len(), 1, "{}", file.display());
        assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
        assert_eq!(stored_figures(&imported.machines[0].document, &openssl_names()), expected, "{}", file.display());
        // The same through the store and the export.
        let exported = sandbox.kasoku(&["export", row["run"].as_str().unwrap()]);
        let exported: Document = serde_json::from_slice(&exported.stdout).unwrap();
        assert_eq!(stored_figures(&exported, &openssl_names()), expected, "{}", file.display());
        assert_eq!(exported.series, imported.machines[0].document.series);
    }
}

#[test]
fn both_machines_of_the_seed_are_imported_from_its_text() {
    let Some(shared) = shared() else { return };
    let file = shared.join("seeds/000_0e969f8976f4fd1d.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let sandbox = Sandbox::new();
    let name = file.to_str().unwrap();
    let output =
        sandbox.kasoku(&["import", name, "--name", "Opteron 6276", "--name", "Xeon E5-2620 v2", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut all = Figures::new();
    for (row, (name, version)) in
        rows.as_array().unwrap().iter().zip([("Opteron 6276", "OpenSSL 1.0.1i"), ("Xeon E5-2620 v2", "OpenSSL 1.0.1e")])
    {
        let exported = sandbox.kasoku(&["export", row["run"].as_str().unwrap()]);
        let document: Document = serde_json::from_slice(&exported.stdout).unwrap();
        assert_eq!(document.machine.name.as_deref(), Some(name));
        assert_eq!(document.machine.arch, "x86_64");
        assert_eq!(document.series.len(), 25);
        assert!(document.series.iter().all(|series| series.library_version == version && series.is_quoted()));
        let of = |state: &str| {
            let series = document
                .series
                .iter()
                .filter(|s| s.algorithm.name() == "aes-256-cbc" && s.acceleration.name() == state);
            series.map(|series| (series.bytes, series.median.unwrap())).collect::<Vec<_>>()
        };
        let (on, off) =
            if version.ends_with('i') { (252_170_020.0, 55_840_730.0) } else { (345_117_580.0, 70_233_340.0) };
        assert_eq!((of("on")[0], of("off")[0]), ((16, on), (16, off)));
        assert_eq!((of("on").len(), of("off").len()), (5, 5));
        for (figure, times) in stored_figures(&document, &openssl_names()) {
            *all.entry(figure).or_default() += times;
        }
    }
    // One table stands in the text twice.
    let mut expected = obvious_figures(&text);
    assert_eq!(expected.values().filter(|times| **times == 2).count(), 20);
    expected.values_mut().for_each(|times| *times = 1);
    assert_eq!(all, expected);
    let again = sandbox.kasoku(&["import", name]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&again.stdout).matches("already stored").count(), 2);
}

/// What a version's own form must give: how many figures, and some of them.
#[test]
fn every_version_is_read() {
    for (file, figures, left_out) in [
        ("openssl-1.0.1-all.txt", 181, 0),
        ("openssl-1.0.2-evp.txt", 20, 0),
        ("openssl-1.0.2-mr.txt", 11, 1),
        ("openssl-1.1.0-some.txt", 30, 0),
        ("openssl-1.1.1-some.txt", 38, 1),
        ("openssl-3.0.19-human.txt", 14, 0),
        ("openssl-3.0.19-mr.txt", 15, 0),
        ("openssl-3.0.19-multi.txt", 2, 0),
        ("openssl-3.0.19-masked.txt", 1, 0),
        ("openssl-3.0.19-failed.txt", 1, 1),
        (NEWER, 13, 0),
        ("openssl-3.2-some.txt", 56, 4),
        ("openssl-3.5-post-quantum.txt", 18, 1),
        ("libressl-3.3-some.txt", 15, 0),
    ] {
        let imported = read(&transcripts().join(file));
        assert_eq!(imported.machines.len(), 1, "{file}");
        assert_eq!(imported.machines[0].document.series.len(), figures, "{file}: {:?}", imported.left_out);
        assert_eq!(imported.left_out.len(), left_out, "{file}: {:?}", imported.left_out);
    }
    assert_eq!(files(&transcripts()).len(), 14, "a transcript that no test reads");
}

fn one(file: &str, algorithm: &str, operation: &str) -> Vec<(String, usize, f64, Option<u64>)> {
    let document = read(&transcripts().join(file)).machines.remove(0).document;
    let series = document.series.iter().filter(|s| s.algorithm.name() == algorithm && s.operation.name() == operation);
    series
        .map(|s| {
            (
                s.acceleration.to_string(),
                s.bytes,
                s.median.unwrap(),
                s.parameters.get("threads").and_then(Value::as_u64),
            )
        })
        .collect()
}

#[test]
fn what_a_version_prints_in_its_own_way_is_what_it_means() {
    let states: Vec<String> =
        one("openssl-1.0.2-evp.txt", "aes-256-cbc", "encrypt").into_iter().map(|one| one.0).collect();
    assert_eq!(states.iter().filter(|state| *state == "on").count(), 5, "EVP");
    assert_eq!(states.iter().filter(|state| *state == "off").count(), 10, "low-level, and masked by the command line");
    assert_eq!(one("openssl-1.0.2-evp.txt", "aes-128-gcm", "open").len(), 5, "-decrypt in the command line");
    assert_eq!(one("openssl-1.0.2-evp.txt", "aes-128-gcm", "seal").len(), 0);
    assert_eq!(one("openssl-1.0.2-mr.txt", "aes-256-cbc", "encrypt")[0], ("off".into(), 16, 55_840_730.5, None));
    assert_eq!(one("openssl-1.0.2-mr.txt", "ecdh-p256", "derive")[0].2, 6250.123456);
    assert_eq!(one("openssl-3.0.19-multi.txt", "aes-128-gcm", "seal"), [("on".into(), 1024, 1_121_536_710.0, Some(2))]);
    assert_eq!(one("openssl-3.0.19-multi.txt", "x25519", "derive")[0].3, Some(2));
    assert_eq!(one("openssl-3.0.19-masked.txt", "aes-128-gcm", "seal"), [("off".into(), 1024, 153_416_700.0, None)]);
    assert_eq!(one("openssl-3.0.19-mr.txt", "x448", "derive"), [("on".into(), 0, 1713.0, None)]);
    assert_eq!(one("openssl-3.0.19-mr.txt", "ed25519", "sign"), [("on".into(), 32, 10_900.980392, None)]);
    assert_eq!(one("openssl-3.2-some.txt", "rsa-2048", "encrypt").len(), 1);
    assert_eq!(one("openssl-3.5-post-quantum.txt", "ml-kem-768", "encapsulate").len(), 1);
    assert_eq!(one("openssl-3.5-post-quantum.txt", "ml-dsa-65", "generate").len(), 1);
    let failed = read(&transcripts().join("openssl-3.0.19-failed.txt"));
    assert!(failed.left_out[0].line == Some(12) && failed.left_out[0].text.contains("nothing was measured"));
}

fn rows(document: &Document) -> BTreeMap<&'static str, AeadRow> {
    document.series.iter().filter_map(|one| Some((one.algorithm.name(), AeadRow::of(one)?))).collect()
}

/// What 3.0.22 printed, in which AES-GCM is whole messages with key set-ups and ChaCha20-Poly1305 a stream; what 3.0.2
/// printed, in which both are streams.
#[test]
fn what_a_row_of_an_aead_is_follows_from_the_version() {
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
    // Slower at 16 bytes and faster at 16 KiB: what the set-ups do.
    assert!(figure(&newer, "aes-128-gcm", 16) < figure(&newer, "chacha20-poly1305", 16));
    assert!(figure(&newer, "aes-128-gcm", 16_384) > figure(&newer, "chacha20-poly1305", 16_384));
    let Some(shared) = shared() else { return };
    let older = read(&shared.join("devices/ubuntu_2204_intel_i7_4790.txt")).machines.remove(0).document;
    let updates = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"].map(|name| (name, AeadRow::Updates));
    assert_eq!(rows(&older), BTreeMap::from(updates));
    assert!(figure(&older, "aes-128-gcm", 16) > figure(&older, "chacha20-poly1305", 16));
}

#[test]
fn figures_of_two_meanings_are_never_set_against_each_other_unmarked() {
    let Some(shared) = shared() else { return };
    let sandbox = Sandbox::new();
    let import = |name: &str, file: &Path| {
        let output = sandbox.kasoku(&["import", "--name", name, "--format", "json", file.to_str().unwrap()]);
        assert!(output.status.success(), "{}", error_of(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()[0]["run"].as_str().unwrap().to_owned()
    };
    let older = import("older", &shared.join("devices/ubuntu_2204_intel_i7_4790.txt"));
    let newer = import("newer", &transcripts().join(NEWER));
    let text = |arguments: &[&str]| {
        let output = sandbox.kasoku(arguments);
        assert!(output.status.success(), "{}", error_of(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let told = text(&["compare", &older, &newer, "--all"]);
    let apart = "Not compared, since one operation is an update of a stream in one and a message with the set-up of \
                 its key in the other, below 8 KiB (4): openssl aes-128-gcm seal (on) ×4";
    assert!(told.contains(apart) && told.contains("†: one operation is not quite the same"), "{told}");
    let pairs: Value = serde_json::from_str(&text(&["compare", &older, &newer, "--format", "json"])).unwrap();
    let sizes = |algorithm: &str| {
        let all = pairs["pairs"].as_array().unwrap().iter();
        all.filter(|pair| pair["algorithm"] == algorithm)
            .map(|pair| pair["bytes"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes("aes-128-gcm"), [8192, 16_384]);
    assert_eq!(sizes("chacha20-poly1305"), [16, 64, 256, 1024, 8192, 16_384], "a stream in both");

    let ranked = |bytes: &str| -> Value {
        serde_json::from_str(&text(&["rank", "aes-128-gcm", "--bytes", bytes, "--format", "json"])).unwrap()
    };
    let small = ranked("1024");
    assert_eq!(small["machines"].as_array().unwrap().len(), 1, "{small}");
    assert_eq!(small["apart"]["rows"], 1);
    let table = text(&["rank", "aes-128-gcm", "--bytes", "16384"]);
    assert!(table.contains("key set-up and message") && table.contains("changed what it measures"), "{table}");
    assert_eq!(ranked("16384")["apart"], Value::Null);

    let advice = text(&["advise", &newer, "--for", "tls,quic"]);
    assert!(advice.contains("not quite alike: openssl speed sets up the key"), "{advice}");
    assert!(!text(&["advise", &older, "--for", "tls,quic"]).contains("not quite alike"));
    text(&["report", &newer, "--out", "newer.html"]);
    let page = std::fs::read_to_string(sandbox.path("newer.html")).unwrap();
    assert!(page.contains("*†") && page.contains("† openssl speed changed what it measures"));
    assert!(page.contains("What openssl speed measured: "));
}

#[test]
fn rows_of_aead_and_of_calls_that_failed_are_known() {
    let of = |text: &str| import("test", text.as_bytes()).unwrap();
    let sizes = "type          2 bytes     31 bytes    136 bytes   1024 bytes   8192 bytes  16384 bytes";
    let figures = "1000.10k     2000.20k     3000.30k     4000.40k     5000.50k     6000.60k";
    for (text, row) in [
        (format!("version: 3.0.2\n{sizes}\nAES-128-GCM {figures}\n"), AeadRow::Messages),
        (format!("version: 3.0.22\n{sizes}\nAES-128-GCM {figures}\n"), AeadRow::KeyedMessages),
        (format!("{sizes}\nAES-128-GCM {figures}\n"), AeadRow::Unknown),
        (
            "$ openssl speed --aead -evp aes-128-gcm\nversion: 3.0.2\ntype 1400 bytes\nAES-128-GCM 1000.10k\n"
                .to_owned(),
            AeadRow::Messages,
        ),
    ] {
        let document = of(&text).machines.remove(0).document;
        assert!(document.series.iter().all(|one| AeadRow::of(one) == Some(row)), "{text}");
        assert!(document.series.iter().all(|one| one.parameters["aad"] == 13), "{text}");
    }
    for (command, version, name, why) in [
        ("-decrypt -evp aes-128-ccm", "3.0.2", "AES-128-CCM", "every call failed"),
        ("-decrypt -aead -evp aes-128-gcm", "1.1.1w", "AES-128-GCM", "every call failed"),
        ("-evp aes-256-xts", "3.5.0-dev", "AES-256-XTS", "calls that all failed"),
    ] {
        let text = format!("$ openssl speed {command}\nversion: {version}\ntype 1024 bytes\n{name} 1000.10k\n");
        let imported = of(&text);
        assert!(imported.machines.is_empty(), "{text}");
        assert!(imported.left_out[0].line == Some(4) && imported.left_out[0].text.contains(why), "{imported:?}");
    }
    // A stream decrypts without a tag, which is asked for once, at its end.
    let text = "$ openssl speed -decrypt -evp chacha20-poly1305\n\
                Doing ChaCha20-Poly1305 ops for 3s on 1024 size blocks: Error finalizing cipher loop\n\
                13005016 ChaCha20-Poly1305 ops in 3.00s\nversion: 3.3.2\ntype 1024 bytes\nChaCha20-Poly1305 1000.10k\n";
    let imported = of(text);
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    assert_eq!(rows(&imported.machines[0].document)["chacha20-poly1305"], AeadRow::Updates);
}

#[test]
fn line_ends_marks_and_quotations_change_nothing() {
    let text = std::fs::read_to_string(transcripts().join("openssl-1.0.2-evp.txt")).unwrap();
    let plain = read(&transcripts().join("openssl-1.0.2-evp.txt")).machines.remove(0).document.series;
    let utf16: Vec<u8> = std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let variants = [
        text.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{text}").into_bytes(),
        text.replace("  ", "\t").into_bytes(),
        text.lines().map(|line| format!("> {line}\n")).collect::<String>().into_bytes(),
        text.lines().map(|line| format!("    {line}  \n")).collect::<String>().into_bytes(),
        format!("# A title\n\n```\n{text}```\n\nThe end, 3 times.\n").into_bytes(),
        utf16,
    ];
    for (index, variant) in variants.iter().enumerate() {
        let imported = import("test", variant).unwrap_or_else(|error| panic!("{index}: {error}"));
        assert_eq!(imported.machines[0].document.series, plain, "variant {index}");
        assert!(imported.left_out.is_empty(), "variant {index}: {:?}", imported.left_out);
    }
}

#[test]
fn machines_are_told_apart_by_what_openssl_says_of_itself() {
    let Some(shared) = shared() else { return };
    let text = |name: &str| std::fs::read_to_string(shared.join("devices").join(name)).unwrap();
    let [one, other] = ["ubuntu_2204_intel_i7_4790.txt", "ubuntu_2204_intel_i7_950.txt"].map(text);
    // The same version and build of one distribution, on two CPUs.
    let both = import("test", format!("{one}\n{other}\n{one}").as_bytes()).unwrap();
    assert_eq!(both.machines.len(), 2);
    assert!(both.left_out.is_empty() && both.notes.iter().any(|note| note.text.contains("kept once")));
    let alone = import("test", other.as_bytes()).unwrap();
    assert_eq!(both.machines[1].document, alone.machines[0].document, "a machine is the same beside another");
    // A second measurement of the same machine is not mixed into the first.
    let again = one.replace("63.", "64.");
    let twice = import("test", format!("{one}\n{again}").as_bytes()).unwrap();
    assert_eq!(twice.machines.len(), 1);
    assert_eq!(twice.machines[0].document.series, import("test", one.as_bytes()).unwrap().machines[0].document.series);
    assert!(!twice.left_out.is_empty() && twice.left_out.iter().all(|left| left.text.contains("second time")));
}

#[test]
fn what_is_not_understood_is_told_by_line_and_left_out() {
    let sandbox = Sandbox::new();
    let text = "OpenSSL 1.1.1w  11 Sep 2023\ntype             16 bytes     64 bytes\naes-128-cbc      1000.10k     \
        2000.20k\nsosemanuk        3000.30k     4000.40k\nsha256           5000.50k     6000.60k\n\nIn prose: about 3 \
        times.\n| aes-128-gcm | 12345.67k |\nsha512           5000.50k     6000.60k\n";
    std::fs::write(sandbox.path("a.txt"), text).unwrap();
    let output = sandbox.kasoku(&["import", "a.txt", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", error_of(&output));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((rows[0]["series"].as_u64(), rows[0]["stored"].as_bool()), (Some(4), Some(true)));
    let told = error_of(&output);
    for place in
        ["a.txt:4: skipped: \"sosemanuk\"", "a.txt:8: skipped: figures", "a.txt:9: skipped: the row \"sha512\""]
    {
        assert!(told.contains(place), "{place}: {told}");
    }
    assert!(!told.contains("a.txt:7"), "prose is not told line by line: {told}");
}

#[test]
fn a_file_is_stored_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read_to_string(transcripts().join("openssl-1.1.1-some.txt")).unwrap();
    std::fs::write(sandbox.path("whole.txt"), &whole).unwrap();
    let damages: [(&str, String); 8] = [
        ("cut.txt", whole[..whole.find("aes-256-xts").unwrap() + 40].to_owned()),
        ("nan.txt", whole.replacen("aes-128 cbc  ", "aes-128 cbc  nank", 1)),
        ("negative.txt", whole.replacen(".", "-.", 40).replace("aes-128 cbc      ", "aes-128 cbc     -")),
        ("huge.txt", whole.replacen("aes-128 cbc     ", "aes-128 cbc     99999999999", 1)),
        ("more.txt", whole.replacen("16384 bytes", "", 1)),
        ("nul.txt", whole.replacen("sha1", "sh\0a1", 1)),
        ("rate.txt", whole.replacen("(X448)   0.", "(X448)   0.0001s inf ", 1)),
        ("empty.txt", String::new()),
    ];
    for (name, text) in &damages {
        assert_ne!(*text, whole, "{name}");
        std::fs::write(sandbox.path(name), text).unwrap();
        let output = sandbox.kasoku(&["import", name, "whole.txt"]);
        let told = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {told}");
        assert!(told.contains(&format!("{name}:")) && told.contains("; "), "{name}: {told}");
        assert!(told.contains("1 of 2 files were not imported"), "{name}: {told}");
    }
    let runs: Value = serde_json::from_slice(&sandbox.kasoku(&["runs", "--format", "json"]).stdout).unwrap();
    assert_eq!(runs.as_array().unwrap().len(), 1, "the whole file was stored, once");
}

#[test]
fn names_are_given_once_for_each_machine() {
    let sandbox = Sandbox::new();
    let text = "OpenSSL 1.0.1i 6 Aug 2014\ntype 16 bytes\nsha256 5000.50k\nOpenSSL 1.0.1e 11 Feb 2013\ntype 16 \
        bytes\nsha256 6000.50k\n";
    std::fs::write(sandbox.path("a.txt"), text).unwrap();
    for names in [&["--name", "one"][..], &["--name", "one", "--name", "two", "--name", "three"]] {
        let output = sandbox.kasoku(&[&["import", "a.txt"], names].concat());
        let told = error_of(&output);
        assert_eq!(output.status.code(), Some(2));
        for part in ["2 machines", "a.txt:1–3: OpenSSL 1.0.1i", "a.txt:4–6: OpenSSL 1.0.1e"] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
    assert!(error_of(&sandbox.kasoku(&["runs"])).contains("no store"), "nothing was stored");
    let output = sandbox.kasoku(&["import", "a.txt", "--os", "OpenWrt", "--note", "from a page", "--format", "json"]);
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&rows[0]["name"], &rows[1]["name"]), (&"a 1".into(), &"a 2".into()));
    let exported: Value =
        serde_json::from_slice(&sandbox.kasoku(&["export", rows[0]["run"].as_str().unwrap()]).stdout).unwrap();
    assert_eq!(exported["machine"]["os"], "OpenWrt");
    assert_eq!(exported["run"]["origin"]["note"], "from a page");
    assert_eq!(exported["run"]["origin"]["source"], "a.txt");
}

#[test]
fn a_run_document_goes_from_store_to_store() {
    let sandbox = Sandbox::new();
    let file = transcripts().join("openssl-3.0.19-human.txt");
    let imported = sandbox.kasoku(&["import", file.to_str().unwrap(), "--format", "json"]);
    let run = serde_json::from_slice::<Value>(&imported.stdout).unwrap()[0]["run"].as_str().unwrap().to_owned();
    let exported = sandbox.kasoku(&["export", &run]).stdout;
    let other = Sandbox::new();
    std::fs::write(other.path("run.json"), &exported).unwrap();
    let output = other.kasoku(&["import", "run.json", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert_eq!(other.kasoku(&["export", &run]).stdout, exported);
    assert!(
        error_of(&output).contains(&format!("kasoku show {run}")),
        "it says what comes next: {}",
        error_of(&output)
    );
    assert_eq!(other.kasoku(&["show", &run]).status.code(), Some(0));
    // Once more is no harm; other figures under its name are refused.
    let again = other.kasoku(&["import", "run.json"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("already stored"));
    let mut changed: Value = serde_json::from_slice(&exported).unwrap();
    changed["series"][0]["median"] = 1.0.into();
    std::fs::write(other.path("run.json"), changed.to_string()).unwrap();
    let refused = other.kasoku(&["import", "run.json"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(error_of(&refused).contains("other figures"), "{}", error_of(&refused));
    assert_eq!(other.kasoku(&["export", &run]).stdout, exported, "what was there is still there");
}

#[test]
fn the_same_twice_is_stored_once_wherever_it_stands() {
    let sandbox = Sandbox::new();
    let collected = "# kasoku collect 1\n# name: box\nversion: 3.0.2\ntype 16 bytes\nsha256 5000.50k\n";
    std::fs::write(sandbox.path("twice.txt"), collected.repeat(2)).unwrap();
    std::fs::write(sandbox.path("copy.txt"), collected).unwrap();
    let output = sandbox.kasoku(&["import", "twice.txt", "copy.txt", "twice.txt", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let stored: Vec<bool> = rows.as_array().unwrap().iter().map(|row| row["stored"].as_bool().unwrap()).collect();
    assert_eq!(stored, [true, false, false, false, false]);
    let runs: Value = serde_json::from_slice(&sandbox.kasoku(&["runs", "--format", "json"]).stdout).unwrap();
    assert_eq!(runs.as_array().unwrap().len(), 1);
}

#[test]
fn standard_input_is_a_file_too() {
    use std::io::Write as _;
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["import", "-", "--name", "piped"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read(transcripts().join("openssl-3.0.19-mr.txt")).unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("piped"));
}

#[cfg(unix)]
#[test]
fn files_that_are_none_or_too_large_are_refused_at_once() {
    let sandbox = Sandbox::new();
    let sparse = |name: &str, bytes: u64| {
        std::fs::File::create(sandbox.path(name)).unwrap().set_len(bytes).unwrap();
    };
    sparse("zeros.txt", 100_000_000);
    sparse("gigabyte.txt", 1 << 30);
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    let begin = Instant::now();
    for (name, why) in [
        ("zeros.txt", "larger than 4 MiB"),
        ("gigabyte.txt", "larger than 4 MiB"),
        ("folder", "it is a folder"),
        ("pipe", "a pipe or a device"),
        ("/dev/zero", "a pipe or a device"),
        ("none.txt", "cannot read it"),
    ] {
        let output = sandbox.kasoku(&["import", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(error_of(&output).contains(why), "{name}: {}", error_of(&output));
    }
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    let zero = std::fs::File::open("/dev/zero").unwrap();
    let output = sandbox.command(&["import", "-"]).stdin(zero).output().unwrap();
    assert!(error_of(&output).contains("larger than 4 MiB"), "{}", error_of(&output));
}

#[test]
fn no_text_of_a_file_steers_a_terminal_or_runs_in_a_spreadsheet() {
    const HOSTILE: &str = "=cmd()|<script>\u{1b}[31m\u{9b}2J\u{202e}";
    let sandbox = Sandbox::new();
    let text = format!(
        "# kasoku collect 1\n# name: {HOSTILE}\n# os: {HOSTILE}\n# cpu: {HOSTILE}\nversion: 1.0.1{HOSTILE}\nOpenSSL \
         1.0.1{HOSTILE} 6 Aug 2014\nCPUINFO: {HOSTILE}\ncompiler: {HOSTILE}\ntype 16 bytes\nsha256 5000.50k\n{HOSTILE} \
         5000.50k\n{HOSTILE} is an unknown cipher or digest\n"
    );
    std::fs::write(sandbox.path("a.txt"), text).unwrap();
    for arguments in [
        &["--format", "csv"][..],
        &["--format", "markdown"],
        &["--name", HOSTILE],
        &["--note", HOSTILE],
        &["--format", "json"],
    ] {
        let output = sandbox.kasoku(&[&["import", "a.txt"], arguments].concat());
        assert_eq!(output.status.code(), Some(1), "{}", error_of(&output));
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            let is_steering = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(!text.contains(is_steering), "{arguments:?}: {text:?}");
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!arguments.contains(&"csv") || !text.contains(",=cmd"), "{text}");
        assert!(!arguments.contains(&"markdown") || !text.contains("<script>"), "{text}");
    }
}

#[test]
fn a_thousand_transcripts_are_imported_in_five_seconds() {
    let Some(shared) = shared() else { return };
    let sandbox = Sandbox::new();
    let mut names = Vec::new();
    for file in files(&shared.join("devices")) {
        let text = std::fs::read_to_string(&file).unwrap();
        for copy in 0..100 {
            let name = format!("{}-{copy}.txt", file.file_stem().unwrap().to_str().unwrap());
            // The version line stays; every copy has figures of its own.
            let figure = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap();
            let (kept, last) = figure.trim_end().rsplit_once(' ').unwrap();
            let changed = text.replace(figure.trim_end(), &format!("{kept} {}{last}", copy + 1));
            std::fs::write(sandbox.path(&name), changed).unwrap();
            names.push(name);
        }
    }
    let arguments: Vec<&str> = ["import"].into_iter().chain(names.iter().map(String::as_str)).collect();
    // Of CPU time: how fast the disk is, and what else the machine does, is not asked here.
    let (_, taken) = timed(&sandbox.command(&arguments));
    let runs: Value = serde_json::from_slice(&sandbox.kasoku(&["runs", "--format", "json"]).stdout).unwrap();
    assert_eq!(runs.as_array().unwrap().len(), 1000);
    eprintln!("1,000 transcripts in {taken:?}");
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}
