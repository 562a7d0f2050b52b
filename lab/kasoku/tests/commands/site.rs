//! `kasoku site`: links, figures, addresses and left-out runs, with hostile names of runs, machines and libraries.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Machine, Origin, OriginKind, Run, SCHEMA, Series};
use kasoku_model::workload::{Operation, Workload};
use kasoku_store::Store;
use kasoku_store::collection::RankingQuestion;

use crate::support::{Sandbox, check_status, error_of, names};
use crate::synthetic;

const HOSTILE: &str = "</script><img src=https://evil.example/>\u{202e}../../x";

fn series(library: &str, acceleration: Acceleration, figure: f64) -> Series {
    synthetic::one(library, acceleration, Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16_384), figure)
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
        series("openssl", Acceleration::On, figure),
        series("openssl", Acceleration::Off, figure / 10.0),
        series(HOSTILE, Acceleration::On, figure * 2.0),
        series("../../x", Acceleration::On, figure / 2.0),
    ];
    Document { schema: SCHEMA, run, machine, series }
}

/// Origin of figures imported from a file.
fn transcript(file: &str, note: Option<&str>) -> Option<Origin> {
    let note = note.map(str::to_owned);
    Some(Origin { kind: OriginKind::Transcript, source: file.into(), address: None, note })
}

/// A store with two runs of one machine, a run of a machine with a hostile name, and an imported device.
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

/// Writes a site to the folder `out`, and returns its path.
fn write_site(sandbox: &Sandbox, out: &str) -> PathBuf {
    sandbox.text(&["site", "--out", out]);
    sandbox.path(out)
}

/// Paths of all files of a site, relative to its folder.
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

/// Checks that every link leads to a file of the site, and that every file has a link to it.
fn check_links(root: &Path) {
    let (root, files) = (&root.canonicalize().unwrap(), files(root));
    let mut reached = BTreeSet::from([PathBuf::from(".kasoku-site"), PathBuf::from("index.html")]);
    for page in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "html")) {
        let text = fs::read_to_string(root.join(page)).unwrap();
        assert!(!text.contains("<img") && !text.contains('\u{202e}'), "{}", page.display());
        assert_eq!(text.matches("<script").count(), 1, "{}", page.display());
        let links: Vec<&str> = text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(links.len() > 2);
        for link in links.iter().filter(|link| !link.starts_with('#') && !link.starts_with("https://")) {
            let target = root.join(page).with_file_name(link).canonicalize();
            let target = target.unwrap_or_else(|_| panic!("{link} on {} leads to no file", page.display()));
            reached.insert(target.strip_prefix(root).expect("the link leads out of the site").to_owned());
        }
        let twin = page.strip_prefix("ja").map_or_else(|_| Path::new("ja").join(page), Path::to_path_buf);
        assert!(files.contains(&twin), "{} has no twin", page.display());
    }
    assert_eq!(reached, files);
}

#[test]
fn site_links_every_file_in_both_languages_and_writes_nothing_else() {
    let sandbox = sandbox();
    let root = write_site(&sandbox, "site");
    check_links(&root);
    let mut outside = names(&sandbox.path(""));
    outside.retain(|name| name != "site" && !name.contains("store.sqlite"));
    assert_eq!(outside, [""; 0]);
}

#[test]
fn site_shows_rankings_gains_by_acceleration_and_history() {
    let sandbox = sandbox();
    let root = write_site(&sandbox, "site");
    let page = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let algorithm = page("algorithm/aes-128-gcm.html");
    // The hostile library is twice as fast as openssl.
    assert!(algorithm.contains("AES-128-GCM seal, 16 KiB, MB/s, the fastest library of each machine"));
    assert!(algorithm.find("6000").unwrap() < algorithm.find("4000").unwrap());
    assert!(algorithm.contains("Zen 4") && algorithm.contains("Raspberry Pi4"));
    let pairs: Vec<&str> = algorithm.split("<tr><th scope=\"row\">Zen 4</th>").skip(1).collect();
    assert!(pairs.iter().all(|row| row.split("</tr>").next().unwrap().ends_with(">10</td>")), "{pairs:#?}");
    assert_eq!(pairs.len(), 3, "three machines were measured with acceleration on and off");
    assert!(algorithm.contains("openssl on each CPU generation"));
    let library = page("library/openssl.html");
    assert!(library.contains("What acceleration is worth") && library.contains("AES-128-GCM"));
    let machines = names(&root.join("machine"));
    let mut here = machines.iter().filter(|name| name.starts_with("here-"));
    let (Some(name), None) = (here.next(), here.next()) else { panic!("{machines:?}") };
    let machine = page(&format!("machine/{name}"));
    assert!(machine.contains("id=\"r1-history\"") && machine.contains("20261121-093012-7f3a.json"));
    assert!(machine.contains(" of 15<"), "a place among two measured, one imported and twelve published devices");
    assert!(page("ja/algorithm/aes-128-gcm.html").contains("加速の効果"));
}

#[test]
fn site_documents_can_be_imported() {
    let sandbox = sandbox();
    let root = write_site(&sandbox, "site");
    for folder in ["run", "published"] {
        for name in names(&root.join(folder)) {
            sandbox.text(&["import", "--store", "again.sqlite", &format!("site/{folder}/{name}")]);
        }
    }
    let load_run = |store: &str| Store::open(&sandbox.path(store)).unwrap().load("20261122-093012-7f3b").unwrap();
    assert_eq!(load_run("again.sqlite").series, load_run("store.sqlite").series);
}

#[test]
fn site_written_again_keeps_addresses_and_drops_deleted_runs_only() {
    let sandbox = sandbox();
    let root = write_site(&sandbox, "site");
    let before = files(&root);
    assert!(before.contains(Path::new("machine/here-f1688327.html")), "{before:#?}");
    write_site(&sandbox, "site");
    assert_eq!(files(&root), before, "addresses changed");
    let mut other = document("Device", "2026-11-30T00:00:00Z", "Here", 5e9);
    other.series.push(series("OpenSSL", Acceleration::On, 1e9));
    let mut again = document("another-device", "", "A Device", 6e9);
    again.machine.cpu = "known now".into();
    again.run.origin = transcript("b.txt", None);
    sandbox.store().add_documents([&other, &again]).unwrap();
    write_site(&sandbox, "site");
    let gone = || before.iter().filter(|path| !root.join(path).exists()).collect::<Vec<_>>();
    assert!(gone().is_empty() && files(&root).len() > before.len(), "{:?}", gone());
    check_links(&root);
    sandbox.store().delete_runs(&["20261121-093012-7f3a".into()]).unwrap();
    write_site(&sandbox, "site");
    assert_eq!(gone(), [Path::new("run/20261121-093012-7f3a.json")]);
}

#[test]
fn stored_run_with_a_published_name_replaces_no_published_document() {
    let sandbox = sandbox();
    let published = "published-openssl-perf-mt7621";
    let at_first = write_site(&sandbox, "site");
    let file = at_first.join(format!("published/{published}.json"));
    sandbox.text(&["import", file.to_str().unwrap()]);
    // Store a run of this machine under the name of another publication.
    let other = "published-openssl-perf-i7-13700";
    let stored = document(other, "2026-11-23T09:30:12Z", "here", 2.5e9);
    sandbox.store().add_documents([&stored]).unwrap();
    let root = write_site(&sandbox, "again");
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
    assert!(device.contains(&format!("../run/{published}.json")), "no link to the imported run");
    assert!(device.contains(&format!("../published/{published}.json")), "no link to the publication");
    assert!(!page(&format!("machine/{other}.html")).contains("../run/"));
}

#[test]
fn site_omits_an_unreadable_run_and_shows_an_older_one() {
    let sandbox = sandbox();
    // An unknown unit, as from a newer Kasoku.
    sandbox.execute_sql(
        "UPDATE series SET unit = 'parsecs' WHERE run = (SELECT number FROM run WHERE id = '20261122-093012-7f3b')",
    );
    let said = sandbox.message(&["site", "--out", "site"], 1, "Left out: ");
    assert!(said.contains("20261122-093012-7f3b"), "{said}");
    let root = sandbox.path("site");
    check_links(&root);
    let machine = fs::read_to_string(root.join("machine/here-f1688327.html")).unwrap();
    assert!(
        machine.contains("20261121-093012-7f3a.json") && machine.contains("id=\"r1-verdict\""),
        "the page shows the older, readable run"
    );
    assert!(!root.join("run/20261122-093012-7f3b.json").exists());
}

#[test]
fn site_counts_left_out_runs_on_its_first_page() {
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
    sandbox.store().add_documents([&emulated, &under_wine, &incomplete, &of_an_emulator]).unwrap();
    let left_out = "Left out: runs made by an emulator or under Wine (3), incomplete imports (1)";
    sandbox.message(&["site", "--out", "site"], 0, left_out);
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
fn library_pages_show_the_most_common_size_and_decryption_only_libraries() {
    let sandbox = Sandbox::new();
    let mut one = document("a", "2026-11-24T09:30:12Z", "here", 1e9);
    let ciphers = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "aes-128-ccm", "aes-256-ccm", "aes-128-cbc"];
    let others = ["aes-256-cbc", "des-ede3-cbc", "camellia-256-cbc", "blowfish-cbc", "sha-1", "sha-256", "sha-512"];
    for algorithm in ciphers.into_iter().chain(others) {
        let algorithm = algorithm.parse().unwrap();
        let question = RankingQuestion::new(algorithm);
        for acceleration in [Acceleration::On, Acceleration::Off] {
            let mut of_it = series("small", acceleration, 1e9);
            (of_it.algorithm, of_it.operation, of_it.bytes) = (algorithm, question.operation, 1350);
            one.series.push(of_it);
        }
    }
    let mut opens = series("opener", Acceleration::On, 1e9);
    opens.operation = Operation::Open;
    one.series.push(opens);
    for number in 0..40 {
        one.series.push(series(&format!("many-{number}"), Acceleration::On, 1e9));
    }
    sandbox.store().add_documents([&one]).unwrap();
    let root = write_site(&sandbox, "site");
    check_links(&root);
    let page = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let small = page("library/small.html");
    for title in ["AES-256-CCM", "DES-EDE3-CBC", "SHA-512", "1350 B"] {
        assert!(small.matches(title).count() >= 2, "{title}");
    }
    let opener = page("library/opener.html");
    assert!(opener.contains("open · 16 KiB") && opener.contains(">1000<"));
    // The servers have published figures at 8 KiB, while most devices have 16 KiB.
    let servers = page("algorithm/aes-256-cbc.html");
    let worth = servers.split("What acceleration is worth, 8 KiB, MB/s").last().unwrap_or_default();
    assert!(worth.contains("Opteron") && worth.contains("Xeon"), "{worth:.4000}");
    let algorithm = page("algorithm/aes-128-gcm.html");
    assert!(algorithm.contains("The 24 libraries with the most machines, of 43."));
}

#[test]
fn site_without_a_store_shows_published_devices_and_keeps_written_runs() {
    let sandbox = sandbox();
    let output = sandbox.kasoku_without_a_store(&["site", "--out", "site"]);
    check_status(&output, 0);
    let said = error_of(&output);
    assert!(said.contains("No store at ") && said.contains("published figures only"), "{said}");
    let index = sandbox.read("site/index.html");
    assert!(index.contains("Raspberry Pi4") && index.contains("Opteron"));
    check_links(&sandbox.path("site"));
    let root = write_site(&sandbox, "site");
    let before = files(&root);
    let refused = sandbox.kasoku_without_a_store(&["site", "--out", "site"]);
    check_status(&refused, 2);
    assert!(error_of(&refused).contains("name it with --store"), "{}", error_of(&refused));
    assert_eq!(files(&root), before);
}
