//! Checks that `kasoku.h` is generated from the sources and compiles without warnings as C and C++.

mod c_compiler;

use std::path::PathBuf;

use c_compiler::{C, CPP};

/// Generates the header and compares it with `include/kasoku.h`; `KASOKU_WRITE_HEADER=1` writes that file.
#[test]
fn committed_header_matches_the_sources() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new().with_config(config).with_crate(&root).generate().unwrap().write(&mut made);
    let made = without_safety_sections(&String::from_utf8(made).unwrap());

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

/// Removes Rust's `# Safety` sections, which state what C programmers take for granted.
fn without_safety_sections(header: &str) -> String {
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
fn header_compiles_as_c_and_cpp_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    for (compiler, name) in [(C, "only.c"), (CPP, "only.cpp")] {
        let source = folder.path().join(name);
        // Included twice, to test the include guard, and first, to test that it includes all it needs.
        std::fs::write(&source, "#include <kasoku.h>\n#include <kasoku.h>\nint main(void) { return 0; }\n").unwrap();
        compiler.compile(&source, &folder.path().join("only"), &[]);
    }
}

#[test]
fn compiler_flags_reject_an_argument_of_the_wrong_type() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("wrong.c");
    std::fs::write(&source, "#include <kasoku.h>\nint main(void) { kasoku_gcm_free(3); }\n").unwrap();
    assert!(!C.command(&source, &folder.path().join("wrong"), &[]).output().unwrap().status.success());
}
