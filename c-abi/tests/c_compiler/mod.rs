//! C and C++ compilers, and the arguments that link a program with the library.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "each test program uses a part of this module")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler with the strictest settings that a user of the header may have.
pub(crate) struct Compiler {
    program: &'static str,
    standard: &'static str,
}

pub(crate) const C: Compiler = Compiler { program: "gcc", standard: "-std=c99" };
pub(crate) const CPP: Compiler = Compiler { program: "g++", standard: "-std=c++11" };

impl Compiler {
    pub(crate) fn command(&self, source: &Path, program: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command.args([self.standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", "-I"]);
        command.arg(crate_folder().join("include")).arg(source).arg("-o").arg(program).args(more);
        command
    }

    /// Compiles the source; panics with the compiler's output if that fails.
    pub(crate) fn compile(&self, source: &Path, program: &Path, more: &[&str]) {
        output_of(&mut self.command(source, program, more));
    }
}

/// Kind of library that a program is linked with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    Shared,
    Static,
}

impl Link {
    pub(crate) const BOTH: [Self; 2] = [Self::Shared, Self::Static];

    /// Returns the compiler's arguments.
    pub(crate) fn arguments(self) -> Vec<String> {
        let folder = built_libraries();
        match self {
            Self::Shared => {
                // The loader looks for the SONAME.
                let soname = folder.join("for-tests/libkasoku.so.0");
                std::fs::create_dir_all(soname.parent().unwrap()).unwrap();
                // Tests run in parallel: a link that exists already is fine.
                let _ = std::os::unix::fs::symlink("../libkasoku.so", &soname);
                vec![
                    folder.join("libkasoku.so").display().to_string(),
                    format!("-Wl,-rpath,{}", soname.parent().unwrap().display()),
                ]
            }
            Self::Static => {
                let mut arguments = vec![folder.join("libkasoku.a").display().to_string()];
                arguments.extend(native_libraries());
                arguments
            }
        }
    }
}

/// Compiles a C program of this crate and returns its path.
pub(crate) fn build(folder: &Path, source: &str, link: Link) -> PathBuf {
    let program = folder.join(format!("program-{link:?}"));
    let arguments = link.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    C.compile(&crate_folder().join(source), &program, &arguments);
    program
}

/// Runs the command and returns its standard output. Panics with all output if the command fails.
pub(crate) fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}

pub(crate) fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folder of this test program, where Cargo also put its libraries.
pub(crate) fn built_libraries() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    assert!(folder.join("libkasoku.so").exists(), "no libkasoku.so in {}", folder.display());
    folder
}

/// Returns the linker arguments that Rust's standard library needs, in the order that the compiler reports.
fn native_libraries() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    std::fs::write(folder.path().join("empty.rs"), "").unwrap();
    output_of(
        Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
            .args(["--crate-type", "staticlib", "--edition", "2024", "empty.rs", "-o", "libempty.a", "--print"])
            .arg(format!("native-static-libs={}", list.display()))
            .current_dir(folder.path()),
    );
    std::fs::read_to_string(list).unwrap().split_whitespace().map(str::to_owned).collect()
}
