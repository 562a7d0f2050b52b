//! What the compiler does not keep: inside a crate, modules form no large circles. (Which crate may use which is the
//! business of the manifests.)

#![allow(clippy::unwrap_used)]

#[path = "structure/modules.rs"]
mod modules;

use std::path::{Path, PathBuf};
use std::process::Command;

use kasoku_report::width::columns_of;
use modules::Graph;

/// The most modules that may form a circle.
const MAX_CIRCLE: usize = 5;

#[test]
fn modules_form_no_large_circles() {
    for member in members() {
        let circles = Graph::of(&root().join(&member).join("src")).circles();
        let largest = circles.first().map_or(0, Vec::len);
        assert!(largest <= MAX_CIRCLE, "{member} has a circle of {largest} modules: {:#?}", circles[0]);
    }
}

#[test]
fn a_circle_would_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("lib.rs", "mod a; mod b; mod c; pub use c::C; #[cfg(test)] mod tests;");
    write("a.rs", "use crate::b::B; pub struct A(B);");
    // Through a re-export, the root is not part of the circle; and what a test uses does not count.
    write("b.rs", "pub struct B(crate::C); #[cfg(test)] mod tests { use crate::a::A; }");
    write("c.rs", "use super::a; pub struct C(Box<a::A>);");
    let circles = Graph::of(folder.path()).circles();
    assert_eq!(circles[0], ["crate::a", "crate::b", "crate::c"]);
    assert!(circles[1..].iter().all(|circle| circle.len() == 1), "{circles:?}");
}

/// Each crate and which of ours it may use; what its tests use beside that is nobody's arrow.
const CRATES: [(&str, &[&str]); 15] = [
    ("engine", &[]),
    ("engine/constant-time", &["engine"]),
    ("file", &["engine"]),
    ("c-abi", &["engine"]),
    ("openssl-provider", &["engine"]),
    ("rustls-provider", &["engine"]),
    ("lab/model", &[]),
    ("lab/libraries", &["model", "engine", "file", "rustls"]),
    ("lab/measure", &["model", "libraries", "engine", "rustls"]),
    ("lab/store", &["model"]),
    ("lab/import", &["model"]),
    ("lab/advice", &["model"]),
    ("lab/report", &["model", "store", "advice"]),
    ("lab/fleet", &["model", "libraries", "measure", "store", "import"]),
    ("lab/kasoku", &["*"]),
];

#[test]
fn crates_use_each_other_as_the_table_says() {
    assert_eq!(members(), CRATES.map(|(folder, _)| folder), "a crate is missing in this table");
    for (folder, allowed) in CRATES {
        let manifest: toml::Table =
            std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap().parse().unwrap();
        let dependencies = manifest.get("dependencies").and_then(|table| table.as_table()).cloned().unwrap_or_default();
        for used in dependencies.keys().filter_map(|name| name.strip_prefix("kasoku-")) {
            assert!(allowed.contains(&used) || allowed == ["*"], "{folder} uses {used}");
        }
    }
}

/// SQL lives in the store and nowhere else.
#[test]
fn only_the_store_speaks_sql() {
    for (folder, _) in CRATES {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let own = manifest.split("[dev-dependencies]").next().unwrap();
        assert_eq!(own.contains("rusqlite"), folder == "lab/store", "{folder}");
    }
}

/// What rustfmt leaves alone, strings and comments, is held to its width too.
#[test]
fn no_line_is_wider_than_120_columns() {
    let listed = Command::new("git").current_dir(root()).args(["ls-files", "-z"]).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let mut wide = Vec::new();
    for name in String::from_utf8(listed.stdout).unwrap().split_terminator('\0') {
        let is_code = [".rs", ".c", ".h", ".java", ".py", ".sh"].iter().any(|ending| name.ends_with(ending));
        // A file that was removed is listed until that is committed.
        let Ok(text) = std::fs::read_to_string(root().join(name)) else { continue };
        if is_code {
            wide.extend(
                text.lines().zip(1..).filter(|(line, _)| is_too_wide(line)).map(|(_, at)| format!("{name}:{at}")),
            );
        }
    }
    assert!(wide.is_empty(), "{} lines: {wide:#?}", wide.len());
}

/// An address or a digest cannot be broken.
fn is_too_wide(line: &str) -> bool {
    columns_of(line) > 120 && line.split_whitespace().all(|word| columns_of(word) < 60)
}

#[test]
fn a_wide_line_would_be_seen() {
    assert!(is_too_wide(&"word ".repeat(25)) && !is_too_wide(&"word ".repeat(24)));
    assert!(is_too_wide(&"暗号 ".repeat(25)), "a Japanese character takes two columns");
    assert!(!is_too_wide(&format!("{} https://example.org/{}", "word ".repeat(20), "0".repeat(64))));
}

/// The folders of the workspace's crates.
fn members() -> Vec<String> {
    let manifest: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    members.iter().map(|member| member.as_str().unwrap().to_owned()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
