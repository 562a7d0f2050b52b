//! `kasoku site` as a whole process: every link leads somewhere, whatever runs and machines are called.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use kasoku_model::document::{Document, Machine, Origin, OriginKind, Run, SCHEMA, Series};
use kasoku_store::Store;
use serde_json::json;
use support::Room;

const HOSTILE: &str = "</script><img src=https://evil.example/>\u{202e}../../x";

fn document(id: &str, started: &str, name: &str, figure: f64) -> Document {
    let series = |library: &str, acceleration: &str, figure: f64| -> Series {
        serde_json::from_value(json!({
            "level": "primitives", "operation": "seal", "algorithm": "aes-128-gcm", "bytes": 16384, "library": library,
            "library_version": "3", "acceleration": acceleration, "code_path": "aesni", "unit": "bytes/s",
            "samples": [{ "process": 0, "round": 0, "iterations": 10, "ns": 1000, "cpu_ns": 1000 }],
            "median": figure, "ci95": [figure * 0.99, figure * 1.01], "cycles_per_byte": null, "verified": true,
            "parameters": {},
        }))
        .unwrap()
    };
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
    ];
    Document { schema: SCHEMA, run, machine, series }
}

/// A store with two runs of one machine, one of a machine of a hostile name, and a device from elsewhere.
fn room() -> Room {
    let room = Room::new();
    let mut store = Store::open(&room.path("store.sqlite")).unwrap();
    store.add_document(&document("20261121-093012-7f3a", "2026-11-21T09:30:12Z", "here", 1e9)).unwrap();
    store.add_document(&document("20261122-093012-7f3b", "2026-11-22T09:30:12Z", "here", 2e9)).unwrap();
    store.add_document(&document("../../../etc/x", "2026-11-20T09:30:12Z", HOSTILE, 3e9)).unwrap();
    let mut device = document("device", "", "a device", 4e9);
    device.run.origin = Some(Origin {
        kind: OriginKind::Transcript,
        source: HOSTILE.into(),
        address: None,
        note: Some(HOSTILE.into()),
    });
    store.add_document(&device).unwrap();
    room
}

fn site(room: &Room, out: &str) -> PathBuf {
    let output = room.kasoku(&["site", "--out", out]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    room.path(out)
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

#[test]
fn every_link_leads_somewhere_and_every_page_can_be_reached_in_both_languages() {
    let room = room();
    let root = site(&room, "site");
    let files = files(&root);
    assert!(!room.path("x").exists() && files.contains(Path::new("index.html")));
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
fn pages_show_rankings_what_acceleration_is_worth_and_history() {
    let room = room();
    let root = site(&room, "site");
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
    let room = room();
    let root = site(&room, "site");
    for entry in fs::read_dir(root.join("run")).unwrap() {
        let path = entry.unwrap().path();
        let output = room.kasoku(&["import", "--store", "again.sqlite", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    }
    let one = |store: &str| Store::open(&room.path(store)).unwrap().load("20261122-093012-7f3b").unwrap();
    assert_eq!(one("again.sqlite").series, one("store.sqlite").series);
}

#[test]
fn a_site_written_again_follows_the_store_and_another_folder_is_refused() {
    let room = room();
    let root = site(&room, "site");
    let before = files(&root);
    site(&room, "site");
    assert_eq!(files(&root), before, "addresses stay");
    Store::open(&room.path("store.sqlite")).unwrap().delete_runs(&["20261121-093012-7f3a".into()]).unwrap();
    site(&room, "site");
    let gone: Vec<&PathBuf> = before.iter().filter(|path| !root.join(path).exists()).collect();
    assert_eq!(gone, [Path::new("run/20261121-093012-7f3a.json")]);

    fs::create_dir(room.path("mine")).unwrap();
    fs::write(room.path("mine/thesis.tex"), "…").unwrap();
    let output = room.kasoku(&["site", "--out", "mine"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("name another folder"));
    assert_eq!(fs::read_dir(room.path("mine")).unwrap().count(), 1);
}

#[test]
fn without_a_store_there_are_the_published_devices() {
    let room = Room::new();
    let output =
        room.command(&["site", "--out", "site"]).env_remove("KASOKU_STORE").env("HOME", room.path("")).output();
    assert_eq!(output.unwrap().status.code(), Some(0));
    let index = fs::read_to_string(room.path("site/index.html")).unwrap();
    assert!(index.contains("Raspberry Pi4") && index.contains("Opteron"));
    let missing = room.kasoku(&["site", "--out", "other", "--store", "none.sqlite"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(!room.path("other").exists());
}
