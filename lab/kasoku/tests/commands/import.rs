//! `kasoku import`: transcripts and run documents, damaged and hostile files, and speed.

#[path = "import/aead_rows.rs"]
mod aead_rows;
#[path = "import/figures.rs"]
mod figures;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kasoku_import::{Imported, import};
use kasoku_model::document::{Document, Series, Unit};
use kasoku_model::openssl_speed::AeadRow;
use serde_json::Value;

use crate::page::is_steering;
use crate::support::{Sandbox, error_of, list, shared, text_of};
#[cfg(target_os = "linux")]
use crate::support::{cost_of, output_of};

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

/// Transcript of a version that measures AES-GCM in whole messages, each with a key set-up.
const NEWER: &str = "openssl-3.0.22-aeads.txt";

fn count_runs(sandbox: &Sandbox) -> usize {
    list(&sandbox.json(&["runs", "--format", "json"])).len()
}

#[test]
fn import_ignores_line_ends_indentation_and_quotation_marks() {
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
fn import_separates_machines_by_what_openssl_prints_about_itself() {
    let Some(devices) = shared("devices") else { return };
    let text = |name: &str| std::fs::read_to_string(devices.join(name)).unwrap();
    let [one, other] = ["ubuntu_2204_intel_i7_4790.txt", "ubuntu_2204_intel_i7_950.txt"].map(text);
    // Two CPUs with the same version and build of OpenSSL.
    let both = import("test", format!("{one}\n{other}\n{one}").as_bytes()).unwrap();
    assert_eq!(both.machines.len(), 2);
    assert!(both.left_out.is_empty() && both.notes.iter().any(|note| note.text.contains("kept once")));
    let alone = import("test", other.as_bytes()).unwrap();
    assert_eq!(
        both.machines[1].document, alone.machines[0].document,
        "another machine in the file changed this one's document"
    );
    // A second measurement of the same machine is left out.
    let again = one.replace("63.", "64.");
    let twice = import("test", format!("{one}\n{again}").as_bytes()).unwrap();
    assert_eq!(twice.machines.len(), 1);
    assert_eq!(twice.machines[0].document.series, import("test", one.as_bytes()).unwrap().machines[0].document.series);
    assert!(!twice.left_out.is_empty() && twice.left_out.iter().all(|left| left.text.contains("second time")));
}

#[test]
fn import_skips_unknown_rows_names_their_lines_and_ends_with_status_1() {
    let some = "OpenSSL 1.1.1w  11 Sep 2023\ntype             16 bytes     64 bytes\naes-128-cbc      1000.10k     \
        2000.20k\nsosemanuk        3000.30k     4000.40k\nsha256           5000.50k     6000.60k\n\nIn prose: about 3 \
        times.\n| aes-128-gcm | 12345.67k |\nsha512           5000.50k     6000.60k\n";
    let none = "$ openssl speed $OPTIONS\nOpenSSL 1.1.1w  11 Sep 2023\ntype 16 bytes\nsha256 5000.50k\n";
    for (text, series, parts) in [
        (
            some,
            Some(4),
            ["a.txt:4: skipped: \"sosemanuk\"", "a.txt:8: skipped: figures", "a.txt:9: skipped: the row \"sha512\""],
        ),
        (
            none,
            None,
            ["a.txt:1: skipped: the command is not understood", "a.txt:4: skipped", "no figure can be imported"],
        ),
    ] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.path("a.txt"), text).unwrap();
        let output = output_of(&mut sandbox.command(&["import", "a.txt", "--format", "json"]), 1);
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((list(&rows).len(), rows[0]["series"].as_u64()), (usize::from(series.is_some()), series));
        assert!(list(&rows).iter().all(|row| row["stored"] == true), "{rows}");
        let told = error_of(&output);
        for part in parts {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains("a.txt:7"), "a message about prose: {told}");
    }
}

#[test]
fn rank_omits_figures_of_openssl_engines_and_uses_the_fastest_core() {
    let sandbox = Sandbox::new();
    let head = "OpenSSL 1.1.1w  11 Sep 2023\ntype 16384 bytes\n";
    let files = [
        ("engine.txt", format!("engine \"devcrypto\" set.\n{head}aes-256-cbc 5406720.00k\n")),
        ("cores.txt", format!("{head}aes-256-cbc 1000.00k (Cortex-A520)\naes-256-cbc 3000.00k (Cortex-A720)\n")),
    ];
    for (name, text) in &files {
        std::fs::write(sandbox.path(name), text).unwrap();
        sandbox.text(&["import", name]);
    }
    let ranking = sandbox.json(&["rank", "aes-256-cbc", "--bytes", "16384", "--format", "json"]);
    let figure = |machine: &str| {
        let rows = list(&ranking["machines"]).iter();
        let mut figures = rows.filter(|row| row["machine"] == machine).map(|row| row["figure"].as_f64());
        (figures.next().flatten(), figures.count())
    };
    assert_eq!(figure("engine"), (None, 0), "{ranking}");
    assert_eq!(figure("cores"), (Some(3_000_000.0), 0), "{ranking}");
}

#[test]
fn import_rejects_a_damaged_file_and_stores_the_others() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read_to_string(transcripts().join("openssl-1.1.1-some.txt")).unwrap();
    std::fs::write(sandbox.path("whole.txt"), &whole).unwrap();
    let damages: [(&str, String); 4] = [
        ("cut.txt", whole[..whole.find("aes-256-xts").unwrap() + 40].to_owned()),
        ("huge.txt", whole.replacen("aes-128 cbc     ", "aes-128 cbc     99999999999", 1)),
        ("nul.txt", whole.replacen("sha1", "sh\0a1", 1)),
        ("empty.txt", String::new()),
    ];
    for (name, text) in &damages {
        assert_ne!(*text, whole, "{name}");
        std::fs::write(sandbox.path(name), text).unwrap();
        let told = sandbox.refusal(&["import", name, "whole.txt"], "1 of 2 files were not imported");
        assert!(told.contains(&format!("{name}:")) && told.contains("; "), "{name}: {told}");
    }
    assert_eq!(count_runs(&sandbox), 1, "only the undamaged file is stored, and once");
}

#[test]
fn import_needs_one_name_for_each_machine() {
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
    sandbox.refusal(&["runs"], "no store");
    let rows = sandbox.json(&["import", "a.txt", "--os", "OpenWrt", "--note", "from a page", "--format", "json"]);
    assert_eq!((&rows[0]["name"], &rows[1]["name"]), (&"a 1".into(), &"a 2".into()));
    let exported = sandbox.json(&["export", rows[0]["run"].as_str().unwrap()]);
    assert_eq!(exported["machine"]["os"], "OpenWrt");
    assert_eq!(exported["run"]["origin"]["note"], "from a page");
    assert_eq!(exported["run"]["origin"]["source"], "a.txt");
}

#[test]
fn exported_run_document_can_be_imported_into_another_store() {
    let sandbox = Sandbox::new();
    let file = transcripts().join("openssl-3.0.19-human.txt");
    let rows = sandbox.json(&["import", file.to_str().unwrap(), "--format", "json"]);
    let run = rows[0]["run"].as_str().unwrap();
    assert_eq!(sandbox.text(&["export", run, "-o", "exported.json"]), "");
    let exported = sandbox.read("exported.json");
    assert_eq!(sandbox.text(&["export"]), exported, "export without a name gives the newest run");
    let other = Sandbox::new();
    std::fs::write(other.path("run.json"), &exported).unwrap();
    other.message(&["import", "run.json", "--format", "json"], 0, &format!("kasoku show {run}"));
    assert_eq!(other.text(&["export", run]), exported);
    other.text(&["show", run]);
    assert!(other.text(&["import", "run.json"]).contains("already stored"));
    let mut changed: Value = serde_json::from_str(&exported).unwrap();
    changed["series"][0]["median"] = 1.0.into();
    std::fs::write(other.path("run.json"), changed.to_string()).unwrap();
    other.refusal(&["import", "run.json"], "other figures");
    assert_eq!(other.text(&["export", run]), exported, "the stored run was changed");
}

#[test]
fn import_stores_equal_runs_once() {
    let sandbox = Sandbox::new();
    let collected = "# kasoku collect 1\n# name: box\nversion: 3.0.2\ntype 16 bytes\nsha256 5000.50k\n";
    std::fs::write(sandbox.path("twice.txt"), collected.repeat(2)).unwrap();
    std::fs::write(sandbox.path("copy.txt"), collected).unwrap();
    let rows = sandbox.json(&["import", "twice.txt", "copy.txt", "twice.txt", "--format", "json"]);
    let stored: Vec<bool> = list(&rows).iter().map(|row| row["stored"].as_bool().unwrap()).collect();
    assert_eq!(stored, [true, false, false, false, false]);
    // A run that is imported again keeps its name.
    let rows = sandbox.json(&["import", "copy.txt", "--name", "other", "--format", "json"]);
    assert_eq!((&rows[0]["name"], &rows[0]["stored"]), (&"box".into(), &false.into()), "{rows}");
    assert_eq!(count_runs(&sandbox), 1);
}

#[test]
fn import_reads_standard_input() {
    let sandbox = Sandbox::new();
    let file = std::fs::File::open(transcripts().join("openssl-3.0.19-human.txt")).unwrap();
    let output = sandbox.command(&["import", "-", "--name", "piped"]).stdin(file).output().unwrap();
    assert!(output.status.success() && text_of(&output).contains("piped"));
}

#[cfg(unix)]
#[test]
fn import_rejects_folders_devices_and_large_files_without_reading_them() {
    let sandbox = Sandbox::new();
    std::fs::File::create(sandbox.path("gigabyte.txt")).unwrap().set_len(1 << 30).unwrap();
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    for (name, why) in [
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
fn import_escapes_every_text_of_a_transcript() {
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
        let output = output_of(&mut sandbox.command(&[&["import", "a.txt"], arguments].concat()), 1);
        let text = text_of(&output);
        for shown in [&text, &error_of(&output)] {
            assert!(!shown.contains(is_steering), "{arguments:?}: {shown:?}");
        }
        assert!(!arguments.contains(&"csv") || !text.contains(",=cmd"), "{text}");
        assert!(!arguments.contains(&"markdown") || !text.contains("<script>"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn import_reads_a_thousand_transcripts_in_bounded_time() {
    let sandbox = Sandbox::new();
    let text = std::fs::read_to_string(transcripts().join("openssl-1.1.0-some.txt")).unwrap();
    let names: Vec<String> = (0..1000).map(|number| format!("{number}.txt")).collect();
    for (number, name) in names.iter().enumerate() {
        std::fs::write(sandbox.path(name), text.replace("8858.8", &format!("{}.8", 8000 + number))).unwrap();
    }
    let arguments: Vec<&str> = ["import"].into_iter().chain(names.iter().map(String::as_str)).collect();
    // 1.1 s on a busy Zen 3. The bound guards against quadratic work.
    let cost = cost_of(&sandbox, &arguments);
    assert_eq!(count_runs(&sandbox), 1000);
    assert!(cost.status == 0 && cost.seconds < 5.0, "{cost:?}");
}
