//! `kasoku site` as a whole process: every link leads somewhere, whatever runs and machines are called.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use kasoku_model::document::{Document, Machine, Origin, OriginKind, Run, SCHEMA, Series};
use kasoku_store::Store;
use serde_json::json;
use support::{Sandbox, error_of};

const HOSTILE: &str = "</script><img src=https://evil.example/>\u{202e}../../x";

fn series(library: &str, acceleration: &str, figure: f64) -> Series {
    serde_json::from_value(json!({
        "level": "primitives", "operation": "seal", "algorithm": "aes-128-gcm", "bytes": 16384, "library": library,
        "library_version": "3", "acceleration": acceleration, "code_path": "aesni", "unit": "bytes/s",
        "samples": [{ "process": 0, "round": 0, "iterations": 10, "ns": 1000, "cpu_ns": 1000 }],
        "median": figure, "ci95": [figure * 0.99, figure * 1.01], "cycles_per_byte": null, "outcome": "measured",
    }))
    .unwrap()
}

fn document(id: &str, started: &str, name: &str, figure: f64) -> Document {
    let run = Run { id: id.into(), started: started.into(), kasoku: "0.1.0".into(), complete: true, ..Run::default() };
    let machine = Machine {
        name: Some(name.to_owned()),
        cpu: "A CPU".into(),
        arch: "x86_64".into(),
        cores: 2,
        microarchitecture: Some("family 25, model 17, stepping 1 (Zen 4)".into()),
        ..Machine::default()
    };
    let series = vec![
        series("openssl", "on", figure),
        series("openssl", "off", figure / 10.0),
        series(HOSTILE, "on", figure * 2.0),
        series("../../x", "on", figure / 2.0),
    ];
    Document { schema: SCHEMA, run, machine, series }
}

/// The origin of figures that were found in that file.
fn transcript(file: &str, note: Option<&str>) -> Option<Origin> {
    let note = note.map(str::to_owned);
    Some(Origin { kind: OriginKind::Transcript, source: file.into(), address: None, note })
}

/// A store with two runs of one machine, one of a machine of a hostile name, and a device from elsewhere.
fn sandbox() -> Sandbox {
    let mut device = document("device", "", "a device", 4e9);
    device.run.origin = transcript(HOSTILE, Some(HOSTILE));
    Sandbox::with(&[
        document("20261121-093012-7f3a", "2026-11-21T09:30:12Z", "here", 1e9),
        document("20261122-093012-7f3b", "2026-11-22T09:30:12Z", "here", 2e9),
        document("../../x", "2026-11-20T09:30:12Z", HOSTILE, 3e9),
        device,
    ])
}

/// The store of a sandbox.
fn store(sandbox: &Sandbox) -> Store {
    Store::open(&sandbox.path("store.sqlite")).unwrap()
}

fn site(sandbox: &Sandbox, out: &str) -> PathBuf {
    sandbox.text(&["site", "--out", out]);
    sandbox.path(out)
}

/// Every file of the site, relative to it.
fn files(root: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(root).unwrap().to_owned());
            }
        }
    }
    files
}

/// Where a link on a page leads, relative to the site.
fn target(page: &Path, link: &str) -> PathBuf {
    let mut target = page.parent().unwrap().to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => assert!(target.pop(), "{link} on {} leads out of the site", page.display()),
            Component::Normal(part) => target.push(part),
            other => panic!("{other:?} in {link}"),
        }
    }
    target
}

/// Sees to it that every link leads to a file of the site, and to every file a link.
fn check_links(root: &Path) {
    let files = files(root);
    let mut reached = BTreeSet::from([PathBuf::from(".kasoku-site"), PathBuf::from("index.html")]);
    for page in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "html")) {
        let text = fs::read_to_string(root.join(page)).unwrap();
        assert!(!text.contains("<img") && !text.contains('\u{202e}'), "{}", page.display());
        assert_eq!(text.matches("<script").count(), 1, "{}", page.display());
        let links: Vec<&str> = text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(links.len() > 2);
        for link in links.iter().filter(|link| !link.starts_with('#') && !link.starts_with("https://")) {
            let target = target(page, link);
            assert!(files.contains(&target), "{link} on {} leads to no file", page.display());
            reached.insert(target);
        }
        let twin = page.strip_prefix("ja").map_or_else(|_| Path::new("ja").join(page), Path::to_path_buf);
        assert!(files.contains(&twin), "{} has no twin", page.display());
    }
    assert_eq!(reached, files);
}

#[test]
fn every_link_leads_somewhere_and_every_page_can_be_reached_in_both_languages() {
    let sandbox = sandbox();
    let root = site(&sandbox, "site");
    check_links(&root);
    let outside: Vec<PathBuf> = fs::read_dir(sandbox.path("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let is_ours = |path: &&PathBuf| **path == root || path.to_string_lossy().contains("store.sqlite");
    assert!(outside.iter().all(|path| is_ours(&path)), "{outside:?}");
    assert!(fs::read_dir(root.join("run")).unwrap().any(|entry| entry.unwrap().file_name() != "x.json"));
}

#[test]
fn pages_show_rankings_what_acceleration_is_worth_and_history() {
    let sandbox = sandbox();
    let root = site(&sandbox, "site");
    let page = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let algorithm = page("algorithm/aes-128-gcm.html");
    // The hostile library is the fastest of all, twice as fast as openssl's three.
    assert!(algorithm.contains("AES-128-GCM seal, 16 KiB, MB/s, the fastest library of each machine"));
    assert!(algorithm.find("6000").unwrap() < algorithm.find("4000").unwrap());
    assert!(algorithm.contains("Zen 4") && algorithm.contains("Raspberry Pi4"));
    let pairs: Vec<&str> = algorithm.split("<tr><th scope=\"row\">Zen 4</th>").skip(1).collect();
    assert!(pairs.iter().all(|row| row.split("</tr>").next().unwrap().ends_with(">10</td>")), "{pairs:#?}");
    assert_eq!(pairs.len(), 3, "each machine with on and off of one run");
    assert!(algorithm.contains("openssl on each CPU generation"));
    let library = page("library/openssl.html");
    assert!(library.contains("What acceleration is worth") && library.contains("AES-128-GCM"));
    let machine = fs::read_dir(root.join("machine")).unwrap().map(|entry| entry.unwrap().path());
    let machine: Vec<PathBuf> = machine.filter(|path| path.to_string_lossy().contains("/here-")).collect();
    let [machine] = machine.as_slice() else { panic!("{machine:?}") };
    let machine = fs::read_to_string(machine).unwrap();
    assert!(machine.contains("id=\"r1-history\"") && machine.contains("20261121-093012-7f3a.json"));
    assert!(machine.contains(" of 15<"), "its place among two measured, one imported and twelve published devices");
    assert!(page("ja/algorithm/aes-128-gcm.html").contains("加速の効果"));
}

#[test]
fn documents_can_be_imported_again() {
    let sandbox = sandbox();
    let root = site(&sandbox, "site");
    let folders = ["run", "published"].map(|folder| fs::read_dir(root.join(folder)).unwrap());
    for path in folders.into_iter().flatten().map(|entry| entry.unwrap().path()) {
        sandbox.text(&["import", "--store", "again.sqlite", path.to_str().unwrap()]);
    }
    let one = |store: &str| Store::open(&sandbox.path(store)).unwrap().load("20261122-093012-7f3b").unwrap();
    assert_eq!(one("again.sqlite").series, one("store.sqlite").series);
}

#[test]
fn a_site_written_again_follows_the_store_and_another_folder_is_refused() {
    let sandbox = sandbox();
    let root = site(&sandbox, "site");
    let before = files(&root);
    site(&sandbox, "site");
    assert_eq!(files(&root), before, "addresses stay");
    store(&sandbox).delete_runs(&["20261121-093012-7f3a".into()]).unwrap();
    site(&sandbox, "site");
    let gone: Vec<&PathBuf> = before.iter().filter(|path| !root.join(path).exists()).collect();
    assert_eq!(gone, [Path::new("run/20261121-093012-7f3a.json")]);

    fs::create_dir(sandbox.path("mine")).unwrap();
    fs::write(sandbox.path("mine/thesis.tex"), "…").unwrap();
    sandbox.refusal(&["site", "--out", "mine"], "name another folder");
    assert_eq!(fs::read_dir(sandbox.path("mine")).unwrap().count(), 1);
}

#[test]
fn addresses_stay_whatever_comes_to_the_store() {
    let sandbox = sandbox();
    let root = site(&sandbox, "site");
    let before = files(&root);
    assert!(before.contains(Path::new("machine/here-f1688327.html")), "{before:#?}");
    let mut other = document("Device", "2026-11-30T00:00:00Z", "Here", 5e9);
    other.series.push(series("OpenSSL", "on", 1e9));
    let mut again = document("another-device", "", "A Device", 6e9);
    again.machine.cpu = "known now".into();
    again.run.origin = transcript("b.txt", None);
    store(&sandbox).add_documents([&other, &again]).unwrap();
    site(&sandbox, "site");
    let gone: Vec<&PathBuf> = before.iter().filter(|path| !root.join(path).exists()).collect();
    assert!(gone.is_empty() && files(&root).len() > before.len(), "{gone:?}");
    check_links(&root);
}

#[test]
fn a_stored_run_takes_no_published_documents_place() {
    let sandbox = sandbox();
    let published = "published-openssl-perf-mt7621";
    let at_first = site(&sandbox, "site");
    let file = at_first.join(format!("published/{published}.json"));
    sandbox.text(&["import", file.to_str().unwrap()]);
    // And one that is called like another, and is of this machine.
    let other = "published-openssl-perf-i7-13700";
    let stored = document(other, "2026-11-23T09:30:12Z", "here", 2.5e9);
    store(&sandbox).add_document(&stored).unwrap();
    let root = site(&sandbox, "again");
    check_links(&root);
    for (folder, id, cpu) in [("run", other, "A CPU"), ("published", other, "Intel i7-13700")] {
        let text = fs::read_to_string(root.join(format!("{folder}/{id}.json"))).unwrap();
        assert!(text.contains(&format!("\"cpu\":\"{cpu}\"")), "{folder}: {text:.400}");
    }
    let page = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let row = |page: &str, machine: &str| -> String {
        let row = page.split("<tr>").find(|row| row.contains(&format!("machine/{machine}"))).unwrap_or_default();
        row.to_owned()
    };
    let algorithm = page("algorithm/aes-128-gcm.html");
    assert!(row(&algorithm, other).contains(">i7-13700<"), "{}", row(&algorithm, other));
    assert!(row(&algorithm, "here-").contains(">here<"), "{}", row(&algorithm, "here-"));
    let device = page(&format!("machine/{published}.html"));
    assert!(device.contains(&format!("../run/{published}.json")), "the import");
    assert!(device.contains(&format!("../published/{published}.json")), "the publication");
    assert!(!page(&format!("machine/{other}.html")).contains("../run/"));
}

#[test]
fn a_run_that_cannot_be_read_is_left_out_and_an_older_one_told() {
    let sandbox = sandbox();
    let store = rusqlite::Connection::open(sandbox.path("store.sqlite")).unwrap();
    // As a newer Kasoku may have written it.
    let unit = "UPDATE series SET unit = 'parsecs' WHERE run = (SELECT number FROM run WHERE id = ?)";
    store.execute(unit, ["20261122-093012-7f3b"]).unwrap();
    drop(store);
    let output = sandbox.kasoku(&["site", "--out", "site"]);
    let said = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Left out: ") && said.contains("20261122-093012-7f3b"), "{said}");
    let root = sandbox.path("site");
    check_links(&root);
    let machine = fs::read_to_string(root.join("machine/here-f1688327.html")).unwrap();
    assert!(machine.contains("20261121-093012-7f3a.json") && machine.contains("id=\"r1-verdict\""), "the older run");
    assert!(!root.join("run/20261122-093012-7f3b.json").exists());
}

#[test]
fn what_is_left_out_is_counted_where_readers_look() {
    let sandbox = sandbox();
    let mut emulated = document("emulated", "2026-11-24T09:30:12Z", "emulated", 9e9);
    emulated.machine.emulated_on = Some("x86_64".into());
    let mut under_wine = document("under-wine", "2026-11-25T09:30:12Z", "here", 9e9);
    under_wine.machine.wine = Some("8.0".into());
    let mut incomplete = document("incomplete", "", "a device", 9e9);
    incomplete.run.complete = false;
    incomplete.run.origin = transcript("c.txt", None);
    let of_an_emulator = Document {
        run: Run { id: "incomplete-too".into(), ..incomplete.run.clone() },
        machine: emulated.machine.clone(),
        ..incomplete.clone()
    };
    store(&sandbox).add_documents([&emulated, &under_wine, &incomplete, &of_an_emulator]).unwrap();
    let output = sandbox.kasoku(&["site", "--out", "site"]);
    let said = error_of(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let left_out = "Left out: runs made by an emulator or under Wine (3), incomplete imports (1)";
    assert!(said.contains(left_out), "{said}");
    let root = sandbox.path("site");
    check_links(&root);
    for file in files(&root) {
        let text = fs::read_to_string(root.join(&file)).unwrap();
        let names = ["under-wine", "emulated.json", "incomplete.json", "incomplete-too"];
        assert!(!names.iter().any(|name| text.contains(name)), "{}", file.display());
    }
    let index = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    assert!(index("index.html").contains(left_out));
    assert!(index("ja/index.html").contains("エミュレーターまたはWineでの測定（3件）、未完了の取り込み（1件）"));
}

#[test]
fn a_library_page_has_every_algorithm_at_its_usual_size_and_every_library_that_only_opens() {
    let sandbox = Sandbox::new();
    let mut one = document("a", "2026-11-24T09:30:12Z", "here", 1e9);
    let ciphers = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "aes-128-ccm", "aes-256-ccm", "aes-128-cbc"];
    let others = ["aes-256-cbc", "des-ede3-cbc", "camellia-256-cbc", "blowfish-cbc", "sha-1", "sha-256", "sha-512"];
    for algorithm in ciphers.into_iter().chain(others) {
        let algorithm = algorithm.parse().unwrap();
        let question = kasoku_store::collection::RankingQuestion::new(algorithm);
        for acceleration in ["on", "off"] {
            let mut of_it = series("small", acceleration, 1e9);
            (of_it.algorithm, of_it.operation, of_it.bytes) = (algorithm, question.operation, 1350);
            one.series.push(of_it);
        }
    }
    let mut opens = series("opener", "on", 1e9);
    opens.operation = kasoku_model::workload::Operation::Open;
    one.series.push(opens);
    for number in 0..40 {
        one.series.push(series(&format!("many-{number}"), "on", 1e9));
    }
    store(&sandbox).add_document(&one).unwrap();
    let root = site(&sandbox, "site");
    check_links(&root);
    let page = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let small = page("library/small.html");
    for title in ["AES-256-CCM", "DES-EDE3-CBC", "SHA-512", "1350 B"] {
        assert!(small.matches(title).count() >= 2, "{title}");
    }
    let opener = page("library/opener.html");
    assert!(opener.contains("open · 16 KiB") && opener.contains(">1000<"));
    // The servers that were published at 8 KiB, though most devices have 16.
    let servers = page("algorithm/aes-256-cbc.html");
    let worth = servers.split("What acceleration is worth, 8 KiB, MB/s").last().unwrap_or_default();
    assert!(worth.contains("Opteron") && worth.contains("Xeon"), "{worth:.4000}");
    let algorithm = page("algorithm/aes-128-gcm.html");
    assert!(algorithm.contains("The 24 libraries with the most machines, of 43."));
}

#[test]
fn without_a_store_there_are_the_published_devices_and_no_run_is_lost() {
    let sandbox = sandbox();
    let without = |out: &str| {
        let output = sandbox.kasoku_without_a_store(&["site", "--out", out]);
        (output.status.code(), error_of(&output))
    };
    let (status, said) = without("site");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("No store at ") && said.contains("published figures only"), "{said}");
    let index = fs::read_to_string(sandbox.path("site/index.html")).unwrap();
    assert!(index.contains("Raspberry Pi4") && index.contains("Opteron"));
    check_links(&sandbox.path("site"));
    let root = site(&sandbox, "site");
    let before = files(&root);
    let (status, said) = without("site");
    assert_eq!((status, files(&root)), (Some(2), before), "{said}");
    assert!(said.contains("name it with --store"), "{said}");
}

#[test]
fn a_store_that_was_named_must_be_there() {
    let sandbox = Sandbox::new();
    // By an option, or by KASOKU_STORE.
    for arguments in [&["site", "--out", "site", "--store", "none.sqlite"][..], &["site", "--out", "site"]] {
        sandbox.refusal(arguments, "there is no store at");
        assert!(!sandbox.path("site").exists());
    }
}
