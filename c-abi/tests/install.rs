//! Runs `install.sh` and pkg-config as a user of the library does.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod c_compiler;

use std::path::Path;
use std::process::Command;

use c_compiler::{crate_folder, output_of};

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn pkg_config_finds_library_installed_below_a_prefix() {
    let prefix = tempfile::tempdir().unwrap();
    let prefix = prefix.path().join("prefix&more");
    install(&prefix, &[]);

    assert_eq!(pkg_config(&prefix, &["--modversion"]), [VERSION]);
    let flags = pkg_config(&prefix, &["--cflags", "--libs"]);
    let program = prefix.join("seal");
    for is_static in [false, true] {
        let mut compile = Command::new("gcc");
        compile.arg(crate_folder().join("examples/seal.c")).arg("-o").arg(&program);
        if is_static {
            // Names the static library explicitly and adds the libraries that pkg-config lists.
            compile.arg("-I").arg(prefix.join("include")).arg(prefix.join("lib/libkasoku.a"));
            let needed = pkg_config(&prefix, &["--static", "--libs-only-l"]);
            compile.args(needed.iter().filter(|flag| *flag != "-lkasoku"));
        } else {
            compile.args(&flags);
        }
        output_of(&mut compile);
        let mut run = Command::new(&program);
        if !is_static {
            run.env("LD_LIBRARY_PATH", prefix.join("lib"));
        }
        assert!(output_of(&mut run).contains("modified: authentication failed"));
    }
}

/// Package builders install into a folder that stands for the root.
#[test]
fn destdir_prefixes_install_paths_but_no_file_contents() {
    let root = tempfile::tempdir().unwrap();
    install(Path::new("/opt/kasoku"), &[("DESTDIR", root.path()), ("LIBDIR", Path::new("/opt/kasoku/lib64"))]);
    let installed = |path: &str| root.path().join("opt/kasoku").join(path);
    assert_eq!(std::fs::read_link(installed("lib64/libkasoku.so")).unwrap(), Path::new("libkasoku.so.0"));
    let real = format!("libkasoku.so.{VERSION}");
    assert_eq!(std::fs::read_link(installed("lib64/libkasoku.so.0")).unwrap(), Path::new(&real));
    assert!(
        installed("lib64").join(real).is_file()
            && installed("lib64/libkasoku.a").is_file()
            && installed("include/kasoku.h").is_file()
    );
    let description = std::fs::read_to_string(installed("lib64/pkgconfig/kasoku.pc")).unwrap();
    assert!(description.starts_with("prefix=/opt/kasoku\n"), "{description}");
    assert!(description.contains("libdir=/opt/kasoku/lib64\n"), "{description}");
    assert!(!description.contains('@'), "a place was not filled in: {description}");
}

#[test]
fn c_install_script_rejects_wrong_usage() {
    for arguments in [&[][..], &["relative"], &["/a", "/b"], &["/with a blank"]] {
        let output = Command::new(crate_folder().join("install.sh")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

fn install(prefix: &Path, environment: &[(&str, &Path)]) {
    let mut script = Command::new(crate_folder().join("install.sh"));
    script.arg(prefix).envs(environment.iter().copied());
    for name in ["DESTDIR", "LIBDIR", "INCLUDEDIR"] {
        if !environment.iter().any(|(given, _)| *given == name) {
            script.env_remove(name);
        }
    }
    output_of(&mut script);
}

/// Returns pkg-config's answer for the library below `prefix`, as separate flags.
fn pkg_config(prefix: &Path, questions: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.args(questions).arg("kasoku").env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    split_like_a_shell(&output_of(&mut command))
}

/// Splits like a shell, where a backslash escapes the next character.
fn split_like_a_shell(line: &str) -> Vec<String> {
    let mut split_like_a_shell = vec![String::new()];
    let mut characters = line.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => split_like_a_shell.last_mut().unwrap().extend(characters.next()),
            ' ' => split_like_a_shell.push(String::new()),
            other => split_like_a_shell.last_mut().unwrap().push(other),
        }
    }
    split_like_a_shell.retain(|word| !word.is_empty());
    split_like_a_shell
}
