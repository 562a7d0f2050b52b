//! The rooms of the laboratory use each other in one direction only; the table is that of ARCHITECTURE.md.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each room and what it may use. Tests inside a room may use what they like.
const ROOMS: [(&str, &[&str]); 29] = [
    ("algorithm", &[]),
    ("acceleration", &[]),
    ("printable", &[]),
    ("language", &[]),
    ("run_name", &[]),
    ("output_file", &[]),
    ("own_program", &[]),
    ("interruption", &[]),
    ("workload", &["algorithm"]),
    ("vectors", &["algorithm", "workload", "material"]),
    ("material", &["algorithm", "workload", "vectors"]),
    ("document", &["algorithm", "acceleration", "workload"]),
    ("cpu", &["printable"]),
    ("machine", &["printable", "cpu", "document"]),
    ("stack", &["algorithm", "acceleration", "workload", "material", "vectors", "interruption"]),
    ("store", &["algorithm", "acceleration", "workload", "document"]),
    ("published", &["algorithm", "acceleration", "workload", "document", "language"]),
    ("import", &["algorithm", "acceleration", "workload", "document", "printable"]),
    ("collection", &["algorithm", "acceleration", "workload", "document", "published", "store", "language"]),
    ("comparison", &["algorithm", "acceleration", "workload", "document", "measure"]),
    ("steps", &["algorithm", "acceleration", "workload", "document", "measure", "language"]),
    ("advice", &["algorithm", "acceleration", "workload", "document", "language", "measure", "cpu"]),
    (
        "measure",
        &[
            "algorithm",
            "acceleration",
            "workload",
            "material",
            "vectors",
            "document",
            "stack",
            "own_program",
            "interruption",
        ],
    ),
    ("level", &["algorithm", "acceleration", "workload", "document", "stack", "measure"]),
    (
        "fleet",
        &[
            "algorithm",
            "acceleration",
            "workload",
            "material",
            "document",
            "printable",
            "output_file",
            "run_name",
            "machine",
            "stack",
            "measure",
            "level",
            "import",
        ],
    ),
    (
        "report",
        &[
            "algorithm",
            "acceleration",
            "workload",
            "document",
            "printable",
            "language",
            "measure",
            "stack",
            "published",
            "collection",
            "comparison",
            "steps",
            "advice",
        ],
    ),
    ("cmd", &["*"]),
    ("cli", &["cmd", "output_file", "language"]),
    ("main", &[]),
];

#[test]
fn arrows_run_in_one_direction() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = BTreeSet::new();
    for file in rust_files(&source) {
        let room = room_of(&source, &file);
        let is_test = file.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
        if room == "lib" || is_test {
            continue;
        }
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            panic!("{} is in no room of ARCHITECTURE.md", file.display())
        };
        seen.insert(room.clone());
        for used in used_rooms(&std::fs::read_to_string(&file).unwrap()) {
            let is_allowed = used == room || allowed.contains(&"*") || allowed.contains(&used.as_str());
            assert!(is_allowed, "{} uses {used}, which {room} may not", file.display());
        }
    }
    assert_eq!(seen.len(), ROOMS.len(), "a room in the table is gone: {seen:?}");
}

/// Each crate uses those that ARCHITECTURE.md's first table lets it use.
#[test]
fn crates_use_each_other_as_the_table_says() {
    const CRATES: [(&str, &[&str]); 7] = [
        ("engine", &[]),
        ("engine/constant-time", &["engine"]),
        ("file", &["engine"]),
        ("c-abi", &["engine"]),
        ("openssl-provider", &["engine"]),
        ("rustls-provider", &["engine"]),
        ("lab", &["engine", "file", "rustls"]),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (folder, allowed) in CRATES {
        let manifest = std::fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        // What tests use beside it is nobody's arrow.
        let own = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        let used: Vec<&str> =
            own.lines().filter_map(|line| line.strip_prefix("kasoku-")?.split([' ', '=']).next()).collect();
        for name in &used {
            assert!(allowed.contains(name), "{folder} uses {name}");
        }
        assert_eq!(used.len(), allowed.len(), "{folder} uses {used:?}, and may use {allowed:?}");
    }
    let workspace = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = workspace.lines().find_map(|line| line.strip_prefix("members = ")).unwrap();
    assert_eq!(members.matches('"').count() / 2, CRATES.len(), "a crate is missing in this table: {members}");
}

/// SQL lives in the store and nowhere else.
#[test]
fn only_the_store_speaks_sql() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&source) {
        let text = std::fs::read_to_string(&file).unwrap();
        let speaks = text.contains("rusqlite") || text.contains("SELECT ");
        assert!(!speaks || room_of(&source, &file) == "store", "{} speaks SQL", file.display());
    }
}

/// The laboratory measures the engine from outside: its stack makes the jobs, its level names the backends.
#[test]
fn only_its_stack_and_its_level_know_the_engine() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut knowing = BTreeSet::new();
    for file in rust_files(&source) {
        if std::fs::read_to_string(&file).unwrap().contains("kasoku_engine") {
            knowing.insert(file.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
    assert_eq!(
        knowing.into_iter().collect::<Vec<_>>(),
        [
            "level/engine.rs",
            "level/engine/table.rs",
            "stack/kasoku.rs",
            "stack/kasoku/files.rs",
            "stack/kasoku/packets.rs"
        ]
    );
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn room_of(source: &Path, file: &Path) -> String {
    let first = file.strip_prefix(source).unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// The rooms that `text` names as `crate::ROOM`, comments and tests left out.
fn used_rooms(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut rooms = BTreeSet::new();
    for line in lines {
        for part in line.split("crate::").skip(1) {
            let names = part.strip_prefix('{').map_or(part, |group| group.split('}').next().unwrap_or(group));
            let is_group = part.starts_with('{');
            for name in names.split(if is_group { ',' } else { '\0' }) {
                let room: String = name.trim().chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
                if !room.is_empty() {
                    rooms.insert(room);
                }
            }
        }
    }
    rooms
}

#[test]
fn a_wrong_arrow_would_be_seen() {
    assert_eq!(used_rooms("use crate::report::html;\n// crate::cmd\n").into_iter().collect::<Vec<_>>(), ["report"]);
    assert_eq!(used_rooms("use crate::{machine, stack};").into_iter().collect::<Vec<_>>(), ["machine", "stack"]);
}
