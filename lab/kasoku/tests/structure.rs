//! Rules that the compiler does not check: modules form no large circles, and no shipped code panics when the system
//! refuses a thread.

#![allow(clippy::unwrap_used)]

#[path = "structure/modules.rs"]
mod modules;
#[path = "structure/threads.rs"]
mod threads;

use std::path::{Path, PathBuf};

use modules::Graph;
use threads::{files_in, panicking_spawns};

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

/// The folders of the workspace's crates.
fn members() -> Vec<String> {
    let manifest: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    members.iter().map(|member| member.as_str().unwrap().to_owned()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
