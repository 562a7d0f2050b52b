//! The shared library as the linker sees it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod c_compiler;

use std::collections::BTreeSet;
use std::process::Command;

use c_compiler::{built_libraries, crate_folder, output_of};

/// The calls of the header are exported, and nothing else: not what Rust brings along.
#[test]
fn what_is_exported_is_what_the_header_says() {
    let library = built_libraries().join("libkasoku.so");
    let listed = output_of(Command::new("nm").args(["--dynamic", "--defined-only", "--format=posix"]).arg(library));
    let exported: BTreeSet<&str> = listed.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let header = std::fs::read_to_string(crate_folder().join("include/kasoku.h")).unwrap();
    let declared = declared(&header);
    assert!(declared.len() >= 18, "{declared:?}");
    assert_eq!(exported, declared);
}

#[test]
fn the_soname_counts_breaks_of_the_abi() {
    let library = built_libraries().join("libkasoku.so");
    let dynamic = output_of(Command::new("readelf").args(["--dynamic", "--wide"]).arg(library));
    let soname = dynamic.lines().find(|line| line.contains("(SONAME)")).unwrap();
    assert!(soname.ends_with("[libkasoku.so.0]"), "{soname}");
}

/// Every one of them would be a call, with its vectors passed in memory, where one instruction was meant. (The compiler
/// does not inline an intrinsic into what lacks its CPU features, such as `map` over an array of vectors.)
#[test]
fn no_intrinsic_is_a_function() {
    let library = built_libraries().join("libkasoku.so");
    let listed = output_of(Command::new("nm").args(["--demangle", "--defined-only"]).arg(library));
    assert!(listed.contains("kasoku_engine::"), "the library has no names to look at");
    let functions: Vec<&str> = listed.lines().filter(|line| line.contains("core_arch::")).collect();
    assert!(functions.is_empty(), "{functions:#?}");
}

/// The names that stand before a parenthesis at the start of a declaration.
fn declared(header: &str) -> BTreeSet<&str> {
    let code = header.lines().filter(|line| !line.starts_with([' ', '/', '#']));
    code.filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next()).collect()
}

#[test]
fn declarations_are_read_as_c_reads_them() {
    let header =
        "/**\n * f(x)\n */\nconst char *name(int code);\n\nint sum(int a,\n        int b);\ntypedef struct s s;\n";
    assert_eq!(declared(header), BTreeSet::from(["name", "sum"]));
}
