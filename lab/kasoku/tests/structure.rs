//! What the compiler does not keep: inside a crate, modules form no large circles, and in the laboratory a type's name
//! has one meaning. (Which crate may use which is the business of the manifests.)

#![allow(clippy::unwrap_used)]

#[path = "structure/modules.rs"]
mod modules;
#[path = "structure/threads.rs"]
mod threads;
#[path = "structure/types.rs"]
mod types;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use kasoku_report::width::columns_of;
use modules::Graph;
use threads::panicking_spawns;
use types::{files_in, types_of};

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

/// Names that several types may have, where, and why.
const SHARED_NAMES: [(&str, &str, &str); 2] = [
    ("Args", "lab/kasoku/src/cmd/", "clap's word: what a subcommand reads"),
    ("Descendants", "lab/measure/src/child/", "one contract, of which every system compiles its own"),
];

/// Words that everybody speaks: not even a type that one file keeps to itself takes one for something else.
const WORDS_OF_ALL: [&str; 3] = ["Case", "Finding", "Step"];

#[test]
fn a_name_in_the_laboratory_means_one_type() {
    let root = root();
    let laboratory = members().into_iter().filter(|member| member.starts_with("lab/"));
    let files = laboratory.flat_map(|member| files_in(&root.join(member).join("src"))).map(|file| {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(file).unwrap())
    });
    let twice = names_given_twice(files);
    assert!(twice.is_empty(), "{} names: {twice:#?}", twice.len());
}

/// The names that more than one type in `files` (name and text) has, with the file of each. Of a file's own types only
/// [`WORDS_OF_ALL`] count.
fn names_given_twice(files: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in files {
        for one in types_of(&text) {
            let may_be_shared =
                SHARED_NAMES.iter().any(|(name, folder, _)| one.name == *name && file.starts_with(folder));
            if (one.is_visible || WORDS_OF_ALL.contains(&&*one.name)) && !may_be_shared {
                names.entry(one.name).or_default().push(file.clone());
            }
        }
    }
    names.retain(|_, files| files.len() > 1);
    names
}

#[test]
fn a_name_given_twice_would_be_seen() {
    let files = [
        ("a.rs", "pub struct Row; struct Own; enum Case {} mod inner { pub(super) type Alias = u8; } pub struct Args;"),
        ("b.rs", "pub(super) enum Row {} struct Own; pub trait Alias {} trait Job { type Case; }"),
        ("c.rs", "pub struct Other; #[cfg(test)] mod tests { pub struct Row; } fn f() { struct Case; }"),
        ("d.rs", "mod one { pub(crate) struct Inner; } mod other { pub(crate) union Inner { byte: u8 } }"),
        ("lab/kasoku/src/cmd/one.rs", "pub struct Args;"),
        ("lab/kasoku/src/cmd/two.rs", "pub struct Args;"),
    ];
    let twice = names_given_twice(files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let of = |files: [&str; 2]| Vec::from(files.map(str::to_owned));
    let expected = [
        ("Alias".to_owned(), of(["a.rs", "b.rs"])),
        ("Case".to_owned(), of(["a.rs", "c.rs"])),
        ("Inner".to_owned(), of(["d.rs", "d.rs"])),
        ("Row".to_owned(), of(["a.rs", "b.rs"])),
    ];
    assert_eq!(twice, BTreeMap::from(expected));
}

/// Each crate and which of ours it may use; what its tests use beside that is nobody's arrow.
const CRATES: [(&str, &[&str]); 15] = [
    ("engine", &[]),
    ("engine/constant-time", &["engine"]),
    ("engine/proof", &[]),
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

/// `thread::Builder` returns the system's refusal as an error, which becomes a sentence.
#[test]
fn shipped_code_starts_no_thread_by_a_call_that_panics() {
    let is_for_tests = |file: &Path| file.iter().any(|part| part == "tests" || part == "tests.rs");
    let sources = members().into_iter().flat_map(|member| files_in(&root().join(member).join("src")));
    for file in sources.filter(|file| !is_for_tests(file)) {
        let calls = panicking_spawns(&std::fs::read_to_string(&file).unwrap());
        assert!(calls.is_empty(), "{}: {calls:?}; use thread::Builder", file.display());
    }
}

#[test]
fn panicking_spawns_are_recognised() {
    let text = "fn f() { std::thread::spawn(g); scope(|scope| { scope.spawn(|| g()); }); bar.enable_steady_tick(s); }
                fn h() -> io::Result<()> { thread::Builder::new().spawn(g)?; builder().spawn_scoped(s, g)?; a.spawn() }
                #[cfg(test)] mod tests { fn f() { std::thread::spawn(g); } }";
    assert_eq!(panicking_spawns(text), ["std::thread::spawn", ".spawn", ".enable_steady_tick"]);
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

/// What rustfmt leaves alone, strings, comments and pages, is held to its width too.
#[test]
fn no_line_is_wider_than_120_columns() {
    let listed = Command::new("git").current_dir(root()).args(["ls-files", "-z"]).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let mut wide = Vec::new();
    for name in String::from_utf8(listed.stdout).unwrap().split_terminator('\0') {
        let is_page = name.ends_with(".md");
        let is_code = [".rs", ".c", ".h", ".java", ".py", ".sh"].iter().any(|ending| name.ends_with(ending));
        if !is_page && !is_code {
            continue;
        }
        // A file that was removed is listed until that is committed.
        let Ok(text) = std::fs::read_to_string(root().join(name)) else { continue };
        let lines: Vec<_> = if is_page { prose(&text).collect() } else { numbered(&text).collect() };
        wide.extend(lines.into_iter().filter(|(_, line)| is_too_wide(line)).map(|(at, _)| format!("{name}:{at}")));
    }
    assert!(wide.is_empty(), "{} lines: {wide:#?}", wide.len());
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

/// The lines of a page outside tables and blocks of code, which cannot be broken.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    numbered(page).filter(move |(_, line)| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && !line.starts_with('|')
    })
}

/// An address or a digest cannot be broken; Japanese, which has no spaces, can.
fn is_too_wide(line: &str) -> bool {
    let is_unbreakable = |word: &str| word.is_ascii() && word.len() >= 60;
    columns_of(line) > 120 && !line.split_whitespace().any(is_unbreakable)
}

#[test]
fn a_wide_line_would_be_seen() {
    assert!(is_too_wide(&"word ".repeat(25)) && !is_too_wide(&"word ".repeat(24)));
    assert!(is_too_wide(&"暗号 ".repeat(25)), "a Japanese character takes two columns");
    assert!(is_too_wide(&"暗号".repeat(31)), "and can be broken anywhere");
    assert!(!is_too_wide(&format!("{} https://example.org/{}", "word ".repeat(20), "0".repeat(64))));
    let page = "one\n```text\ntwo\n```\n| three |\nfour";
    assert_eq!(prose(page).collect::<Vec<_>>(), [(1, "one"), (6, "four")]);
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
