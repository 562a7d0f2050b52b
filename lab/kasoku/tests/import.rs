//! `kasoku import`: transcripts and run documents; files that are damaged or hostile; speed.

#![allow(clippy::unwrap_used)]

#[path = "import/aead_rows.rs"]
mod aead_rows;
#[path = "import/figures.rs"]
mod figures;
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kasoku_import::{Imported, import};
use kasoku_model::document::{Document, Series, Unit};
use kasoku_model::openssl_speed::AeadRow;
use serde_json::Value;
use support::{Sandbox, error_of, shared, timed};

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

/// A version that measures AES-GCM in whole messages, each with the set-up of its key.
const NEWER: &str = "openssl-3.0.22-aeads.txt";

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
    let Some(devices) = shared("devices") else { return };
    let text = |name: &str| std::fs::read_to_string(devices.join(name)).unwrap();
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
fn import_ends_with_status_1_if_every_row_is_left_out() {
    let sandbox = Sandbox::new();
    let text = "$ openssl speed $OPTIONS\nOpenSSL 1.1.1w  11 Sep 2023\ntype 16 bytes\nsha256 5000.50k\n";
    std::fs::write(sandbox.path("a.txt"), text).unwrap();
    let output = sandbox.kasoku(&["import", "a.txt", "--format", "json"]);
    assert_eq!((output.status.code(), output.stdout.trim_ascii()), (Some(1), &b"[]"[..]), "{}", error_of(&output));
    for part in ["a.txt:1: skipped: the command is not understood", "a.txt:4: skipped", "no figure can be imported"] {
        assert!(error_of(&output).contains(part), "{part}: {}", error_of(&output));
    }
}

#[test]
fn rank_skips_engines_and_takes_the_fastest_core() {
    let sandbox = Sandbox::new();
    let head = "OpenSSL 1.1.1w  11 Sep 2023\ntype 16384 bytes\n";
    let files = [
        ("engine.txt", format!("engine \"devcrypto\" set.\n{head}aes-256-cbc 5406720.00k\n")),
        ("cores.txt", format!("{head}aes-256-cbc 1000.00k (Cortex-A520)\naes-256-cbc 3000.00k (Cortex-A720)\n")),
    ];
    for (name, text) in &files {
        std::fs::write(sandbox.path(name), text).unwrap();
        assert!(sandbox.kasoku(&["import", name]).status.success(), "{name}");
    }
    let ranking = sandbox.json(&["rank", "aes-256-cbc", "--bytes", "16384", "--format", "json"]);
    let figure = |machine: &str| {
        let rows = ranking["machines"].as_array().unwrap().iter();
        let mut figures = rows.filter(|row| row["machine"] == machine).map(|row| row["figure"].as_f64());
        (figures.next().flatten(), figures.count())
    };
    assert_eq!(figure("engine"), (None, 0), "{ranking}");
    assert_eq!(figure("cores"), (Some(3_000_000.0), 0), "{ranking}");
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
        let told = sandbox.refusal(&["import", name, "whole.txt"], "1 of 2 files were not imported");
        assert!(told.contains(&format!("{name}:")) && told.contains("; "), "{name}: {told}");
    }
    let runs = sandbox.json(&["runs", "--format", "json"]);
    assert_eq!(runs.as_array().unwrap().len(), 1, "the whole file was stored, once");
}

#[test]
fn names_are_given_once_for_each_machine() {
    let sandbox = Sandbox::new();
    let text = "OpenSSL 1.0.1i 6 Aug 2014\ntype 16 bytes\nsha256 5000.50k\nOpenSSL 1.0.1e 11 Feb 2013\ntype 16 \
        bytes\nsha256 6000.50k\n";
    std::fs::write(sandbox.path("a.txt"), text).unwrap();
    for names in [&["--name", "one"][..], &["--name", "one", "--name", "two", "--name", "three"]] {
        let told = sandbox.refusal(&[&["import", "a.txt"], names].concat(), "");
        for part in ["2 machines", "a.txt:1–3: OpenSSL 1.0.1i", "a.txt:4–6: OpenSSL 1.0.1e"] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
    assert!(error_of(&sandbox.kasoku(&["runs"])).contains("no store"), "nothing was stored");
    let rows = sandbox.json(&["import", "a.txt", "--os", "OpenWrt", "--note", "from a page", "--format", "json"]);
    assert_eq!((&rows[0]["name"], &rows[1]["name"]), (&"a 1".into(), &"a 2".into()));
    let exported = sandbox.json(&["export", rows[0]["run"].as_str().unwrap()]);
    assert_eq!(exported["machine"]["os"], "OpenWrt");
    assert_eq!(exported["run"]["origin"]["note"], "from a page");
    assert_eq!(exported["run"]["origin"]["source"], "a.txt");
}

#[test]
fn a_run_document_goes_from_store_to_store() {
    let sandbox = Sandbox::new();
    let file = transcripts().join("openssl-3.0.19-human.txt");
    let rows = sandbox.json(&["import", file.to_str().unwrap(), "--format", "json"]);
    let run = rows[0]["run"].as_str().unwrap().to_owned();
    let exported = sandbox.kasoku(&["export", &run]).stdout;
    let other = Sandbox::new();
    std::fs::write(other.path("run.json"), &exported).unwrap();
    let output = other.kasoku(&["import", "run.json", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert_eq!(other.kasoku(&["export", &run]).stdout, exported);
    assert!(error_of(&output).contains(&format!("kasoku show {run}")), "what comes next: {}", error_of(&output));
    other.text(&["show", &run]);
    // Once more is no harm; other figures under its name are refused.
    assert!(other.text(&["import", "run.json"]).contains("already stored"));
    let mut changed: Value = serde_json::from_slice(&exported).unwrap();
    changed["series"][0]["median"] = 1.0.into();
    std::fs::write(other.path("run.json"), changed.to_string()).unwrap();
    other.refusal(&["import", "run.json"], "other figures");
    assert_eq!(other.kasoku(&["export", &run]).stdout, exported, "what was there is still there");
}

#[test]
fn the_same_twice_is_stored_once_wherever_it_stands() {
    let sandbox = Sandbox::new();
    let collected = "# kasoku collect 1\n# name: box\nversion: 3.0.2\ntype 16 bytes\nsha256 5000.50k\n";
    std::fs::write(sandbox.path("twice.txt"), collected.repeat(2)).unwrap();
    std::fs::write(sandbox.path("copy.txt"), collected).unwrap();
    let rows = sandbox.json(&["import", "twice.txt", "copy.txt", "twice.txt", "--format", "json"]);
    let stored: Vec<bool> = rows.as_array().unwrap().iter().map(|row| row["stored"].as_bool().unwrap()).collect();
    assert_eq!(stored, [true, false, false, false, false]);
    // Under whatever name it comes again, it is told by the one it has.
    let rows = sandbox.json(&["import", "copy.txt", "--name", "other", "--format", "json"]);
    assert_eq!((&rows[0]["name"], &rows[0]["stored"]), (&"box".into(), &false.into()), "{rows}");
    let runs = sandbox.json(&["runs", "--format", "json"]);
    assert_eq!(runs.as_array().unwrap().len(), 1);
}

#[test]
fn standard_input_is_a_file_too() {
    let sandbox = Sandbox::new();
    let file = std::fs::File::open(transcripts().join("openssl-3.0.19-mr.txt")).unwrap();
    let output = sandbox.command(&["import", "-", "--name", "piped"]).stdin(file).output().unwrap();
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
    for (name, why) in [
        ("zeros.txt", "larger than 4 MiB"),
        ("gigabyte.txt", "larger than 4 MiB"),
        ("folder", "it is a folder"),
        ("pipe", "a pipe or a device"),
        ("/dev/zero", "a pipe or a device"),
        ("none.txt", "cannot read it"),
    ] {
        sandbox.refusal(&["import", name], why);
    }
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
fn import_reads_a_thousand_transcripts_in_bounded_time() {
    let Some(devices) = shared("devices") else { return };
    let sandbox = Sandbox::new();
    let mut names = Vec::new();
    for file in files(&devices) {
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
    // CPU time, not wall time: 4 s on a quiet Zen 3, up to 7 s on a busy one. The bound guards against quadratic work.
    let (_, taken) = timed(&sandbox.command(&arguments));
    let runs = sandbox.json(&["runs", "--format", "json"]);
    assert_eq!(runs.as_array().unwrap().len(), 1000);
    eprintln!("1,000 transcripts in {taken:?}");
    assert!(taken < Duration::from_secs(15), "{taken:?}");
}
