//! The header is what the sources say, and what C and C++ compilers take.

mod c_compiler;

use std::path::PathBuf;

use c_compiler::{C, CPP};

/// Made anew, the header is the one in `include/`; `KASOKU_WRITE_HEADER=1` writes it there.
#[test]
fn the_header_is_made_from_the_sources() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new().with_config(config).with_crate(&root).generate().unwrap().write(&mut made);
    let made = for_c_programmers(&String::from_utf8(made).unwrap());

    let path = root.join("include/kasoku.h");
    if std::env::var_os("KASOKU_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        made == committed,
        "include/kasoku.h is not what the sources say: make it with\n    \
         KASOKU_WRITE_HEADER=1 cargo test -p kasoku-c --test header"
    );
}

/// Rust's sections about safety say to those who read Rust what a C programmer takes for granted.
fn for_c_programmers(header: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut is_about_safety = false;
    for line in header.lines() {
        is_about_safety = (is_about_safety || line == " * # Safety") && line != " */";
        if is_about_safety {
            continue;
        }
        if line == " */" {
            while lines.last() == Some(&" *") {
                lines.pop();
            }
        }
        lines.push(line);
    }
    lines.join("\n") + "\n"
}

#[test]
fn c_and_cpp_take_the_header_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    for (compiler, name) in [(C, "only.c"), (CPP, "only.cpp")] {
        let source = folder.path().join(name);
        // Twice: the guard. Nothing before it: it includes what it needs.
        std::fs::write(&source, "#include <kasoku.h>\n#include <kasoku.h>\nint main(void) { return 0; }\n").unwrap();
        compiler.compile(&source, &folder.path().join("only"), &[]);
    }
}

#[test]
fn a_warning_would_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("wrong.c");
    std::fs::write(&source, "#include <kasoku.h>\nint main(void) { kasoku_gcm_free(3); }\n").unwrap();
    assert!(!C.command(&source, &folder.path().join("wrong"), &[]).output().unwrap().status.success());
}
