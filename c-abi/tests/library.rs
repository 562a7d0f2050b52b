//! Inspects the symbols of the shared library.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod c_compiler;

use std::collections::BTreeSet;
use std::process::Command;

use c_compiler::{built_libraries, crate_folder, output_of};

#[test]
fn library_exports_exactly_the_declared_functions() {
    let library = built_libraries().join("libkasoku.so");
    let listed = output_of(Command::new("nm").args(["--dynamic", "--defined-only", "--format=posix"]).arg(library));
    let exported: BTreeSet<&str> = listed.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let header = std::fs::read_to_string(crate_folder().join("include/kasoku.h")).unwrap();
    let declared = declared_names(&header);
    assert!(declared.len() >= 18, "{declared:?}");
    assert_eq!(exported, declared);
}

#[test]
fn library_has_soname_0() {
    let library = built_libraries().join("libkasoku.so");
    let dynamic = output_of(Command::new("readelf").args(["--dynamic", "--wide"]).arg(library));
    let soname = dynamic.lines().find(|line| line.contains("(SONAME)")).unwrap();
    assert!(soname.ends_with("[libkasoku.so.0]"), "{soname}");
}

/// An intrinsic that is not inlined is a call with vectors passed in memory, instead of one instruction. It happens in
/// functions without its CPU features, such as the closure of `map` over an array of vectors.
#[test]
fn library_inlines_all_intrinsics() {
    let library = built_libraries().join("libkasoku.so");
    let listed = output_of(Command::new("nm").args(["--demangle", "--defined-only"]).arg(library));
    assert!(listed.contains("kasoku_engine::"), "the library has no names to look at");
    let functions: Vec<&str> = listed.lines().filter(|line| line.contains("core_arch::")).collect();
    assert!(functions.is_empty(), "{functions:#?}");
}

/// Returns the names before a parenthesis in declarations.
fn declared_names(header: &str) -> BTreeSet<&str> {
    let code = header.lines().filter(|line| !line.starts_with([' ', '/', '#']));
    code.filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next()).collect()
}

#[test]
fn declared_names_skips_comments_and_types() {
    let header =
        "/**\n * f(x)\n */\nconst char *name(int code);\n\nint sum(int a,\n        int b);\ntypedef struct s s;\n";
    assert_eq!(declared_names(header), BTreeSet::from(["name", "sum"]));
}
