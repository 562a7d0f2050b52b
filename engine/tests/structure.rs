//! The crate's promises about its sources: no dependencies, and `unsafe` only in known files.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

/// Files outside `backend/` that may use `unsafe`: to read XGETBV, ask the operating system, and set DIT.
const EXCEPTIONS: [&str; 3] = ["cpu/aarch64.rs", "cpu/dit.rs", "cpu/x86_64.rs"];

#[test]
fn unsafe_is_confined_to_backends_and_cpu_detection() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut with_unsafe) = (0, 0);
    for file in rust_files(&source) {
        let place = file.strip_prefix(&source).unwrap();
        let uses = uses_unsafe(&std::fs::read_to_string(&file).unwrap());
        assert!(
            !uses || place.starts_with("backend") || EXCEPTIONS.iter().any(|exception| place == Path::new(exception)),
            "unsafe in {}",
            place.display()
        );
        files += 1;
        with_unsafe += usize::from(uses);
    }
    assert!(
        files > 10 && with_unsafe > 0,
        "the sources are not where they were: {files} files, {with_unsafe} with unsafe"
    );
}

#[test]
fn crate_has_no_dependencies() {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let sections = sections_of_dependencies(&manifest);
    assert!(sections.iter().all(|section| section.ends_with("dev-dependencies]")), "{sections:?}");
}

/// The build script only sets a `cfg`.
#[test]
fn build_script_starts_no_program_and_writes_no_file() {
    let script = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs")).unwrap();
    for word in ["process", "Command", "std::fs", "OUT_DIR", "unsafe", "include", "rustc-link"] {
        assert!(!script.contains(word), "{word}");
    }
    assert!(script.lines().count() < 20, "{script}");
}

#[test]
fn source_checks_detect_forbidden_code_in_a_sample() {
    assert!(uses_unsafe("fn f() {\n    let x = unsafe { g() };\n}"));
    assert!(uses_unsafe("unsafe impl Plain for u8 {}"));
    assert!(!uses_unsafe("// unsafe\n/// No unsafe here.\n#![deny(unsafe_code)]\nlet s = 1; // unsafe {"));
    let manifest = "[package]\n[dependencies]\n[target.'cfg(unix)'.dependencies]\n[build-dependencies]\n\
                    [dependencies.a]\n[features]";
    assert_eq!(sections_of_dependencies(manifest).len(), 4);
}

/// Whether `unsafe` occurs as a word outside comments.
fn uses_unsafe(text: &str) -> bool {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).any(|word| word == "unsafe")
}

fn sections_of_dependencies(manifest: &str) -> Vec<&str> {
    manifest.lines().map(str::trim).filter(|line| line.starts_with('[') && line.contains("dependencies")).collect()
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
