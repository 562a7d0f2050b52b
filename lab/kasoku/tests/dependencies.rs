//! What the workspace depends on: licences that ask nothing of whoever links us, one registry, few crates twice, none
//! without use.
//!
//! These are cargo-deny's checks `licenses`, `sources` and `bans`, by the crate that reads licences for it: the program
//! itself takes longer to build than the command.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, ParseMode};

/// Licences that any program can be linked under.
const LICENSES: [&str; 6] = ["Apache-2.0", "MIT", "BSD-3-Clause", "ISC", "Unicode-3.0", "Zlib"];

/// Crates that only tests use, under a licence that asks that changes of its own files be published.
const OF_TESTS: [(&str, &str); 1] = [("cbindgen", "MPL-2.0")];

/// Crates of which there are two versions, and who has not left the older one yet.
const TWICE: [(&str, &str); 8] = [
    ("bit-vec", "proptest"),
    ("getrandom", "ring"),
    ("syn", "derive macros"),
    ("toml", "cbindgen"),
    ("toml_datetime", "cbindgen"),
    ("untrusted", "ring"),
    ("windows-sys", "ring"),
    ("winnow", "cbindgen"),
];

#[test]
fn licenses_ask_nothing_of_whoever_links_us() {
    let mut of_tests = BTreeSet::new();
    for package in packages() {
        let name = text(&package, "name");
        let license = package["license"].as_str().unwrap_or_else(|| panic!("{name} names no licence"));
        if is_allowed(license, &LICENSES) {
            continue;
        }
        let exception = OF_TESTS.iter().find(|(exception, _)| *exception == name);
        let (_, allowed) = exception.unwrap_or_else(|| panic!("{name} is under {license}"));
        assert!(is_allowed(license, &[allowed]), "{name} is under {license}");
        of_tests.insert(name);
    }
    assert_eq!(of_tests.len(), OF_TESTS.len(), "an exception is for nothing");
    for published in ["kasoku-engine", "kasoku-file", "kasoku-rustls", "kasoku-c", "kasoku-openssl"] {
        let used = used_by(published);
        let forbidden: Vec<_> = of_tests.iter().filter(|name| used.contains(*name)).collect();
        assert!(!used.is_empty() && forbidden.is_empty(), "{published} uses {forbidden:?}");
    }
}

#[test]
fn crates_come_from_one_registry() {
    for package in packages() {
        // What has no source is in this repository.
        let source = package["source"].as_str().unwrap_or("registry+https://github.com/rust-lang/crates.io-index");
        assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{}", text(&package, "name"));
    }
}

#[test]
fn what_is_there_twice_is_known() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        versions.entry(text(&package, "name")).or_default().insert(text(&package, "version"));
    }
    let twice: Vec<_> = versions.iter().filter(|(_, versions)| versions.len() > 1).map(|(name, _)| &**name).collect();
    assert_eq!(twice, TWICE.map(|(name, _)| name), "`cargo tree --duplicates` says where they come from");
}

#[test]
fn every_dependency_is_used() {
    for package in packages().iter().filter(|package| package["source"].is_null()) {
        let manifest = PathBuf::from(text(package, "manifest_path"));
        let mut sources = String::new();
        read_sources(manifest.parent().unwrap(), &mut sources);
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["rename"].as_str().unwrap_or_else(|| dependency["name"].as_str().unwrap());
            assert!(is_used(&name.replace('-', "_"), &sources), "{} does not use {name}", text(package, "name"));
        }
    }
}

#[test]
fn a_dependency_without_use_would_be_seen() {
    assert!(is_used("time", "use time::Date;") && is_used("maud", "let a = maud!(b);"));
    assert!(is_used("quote", "extern crate quote;") && is_used("rsa", "use rsa as other;"));
    assert!(!is_used("time", "use std::time::Duration; let uptime::x = time;"));
}

#[test]
fn a_licence_that_asks_for_more_would_be_seen() {
    for license in ["MIT OR GPL-3.0-only", "MIT/Apache-2.0", "Apache-2.0 WITH LLVM-exception OR MIT"] {
        assert!(is_allowed(license, &LICENSES), "{license}");
    }
    for license in ["GPL-3.0-only", "MIT AND MPL-2.0", "LGPL-2.1-or-later", "Apache-2.0 AND (GPL-2.0-only OR MPL-2.0)"]
    {
        assert!(!is_allowed(license, &LICENSES), "{license}");
    }
}

fn is_allowed(license: &str, allowed: &[&str]) -> bool {
    let expression = Expression::parse_mode(license, ParseMode::LAX).unwrap();
    expression.evaluate(|required| {
        required.addition.is_none() && required.license.id().is_some_and(|id| allowed.contains(&id.name))
    })
}

/// All of Rust in `folder`, crates inside it included: tests take bodies from fuzz targets.
fn read_sources(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() && !entry.ends_with("target") {
            read_sources(&entry, into);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&std::fs::read_to_string(&entry).unwrap());
        }
    }
}

/// Whether a path, a macro or an import begins with `name`; `std::time` is not the crate `time`.
fn is_used(name: &str, sources: &str) -> bool {
    sources.match_indices(name).any(|(at, _)| {
        let is_whole = !sources[..at].ends_with(|before: char| before.is_alphanumeric() || "_:".contains(before));
        let after = &sources[at + name.len()..];
        let is_import = sources[..at].ends_with("use ") || sources[..at].ends_with("extern crate ");
        is_whole && (["::", "!"].iter().any(|end| after.starts_with(end)) || is_import)
    })
}

/// All packages that some target or feature of the workspace has, as the lock file says.
fn packages() -> Vec<Value> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().clone();
    assert!(packages.len() > 100, "{} packages", packages.len());
    packages
}

/// The names of all that a crate is built from.
fn used_by(package: &str) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{lib}", "-p", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    String::from_utf8(tree.stdout).unwrap().lines().map(|line| line.replace('_', "-")).collect()
}

fn text(package: &Value, field: &str) -> String {
    package[field].as_str().unwrap().to_owned()
}
