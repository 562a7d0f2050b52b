//! C programs, compiled and run with the shared and the static library.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod c_compiler;

use std::path::{Path, PathBuf};
use std::process::Command;

use c_compiler::{C, CPP, Link, build, crate_folder, output_of};
use kasoku_engine::{Backend, Schedule, cpu};

#[test]
fn seal_example_opens_its_message_and_rejects_a_forgery() {
    let folder = tempfile::tempdir().unwrap();
    for link in Link::BOTH {
        let output = output_of(&mut Command::new(build(folder.path(), "examples/seal.c", link)));
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines.len(), 4, "{output}");
        assert!(lines[0].starts_with(concat!("Kasoku ", env!("CARGO_PKG_VERSION"), ", backend ")), "{output}");
        assert_eq!(lines[1], "sealed 44 bytes");
        assert_eq!(lines[2], "opened: The quick brown fox jumps over the lazy dog.");
        assert_eq!(lines[3], "modified: authentication failed: the tag is wrong");
    }
}

#[test]
fn quic_example_receives_packets_and_rejects_a_forgery() {
    let folder = tempfile::tempdir().unwrap();
    for link in Link::BOTH {
        let output = output_of(&mut Command::new(build(folder.path(), "examples/quic.c", link)));
        let lines: Vec<&str> = output.lines().collect();
        assert!(lines[0].starts_with(concat!("Kasoku ", env!("CARGO_PKG_VERSION"), ", backend ")), "{output}");
        assert_eq!(lines[1], "protected 8 packets of 1200 bytes");
        for (number, line) in (1000..).zip(&lines[2..10]) {
            let phase = u8::from(number >= 1005);
            let became = match number {
                1006 => "authentication failed: the tag is wrong".to_owned(),
                _ => format!("packet {number}"),
            };
            assert_eq!(*line, format!("number {number}, phase {phase}: {became}"));
        }
        assert_eq!(lines[10..], ["failed: 1"], "{output}");
    }
}

#[test]
fn quic_stack_examples_match_rfc_9001() {
    let folder = tempfile::tempdir().unwrap();
    for (example, what) in [("quicly.c", "protected and opened"), ("ngtcp2.c", "and 32 short packets")] {
        for link in Link::BOTH {
            let output = output_of(&mut Command::new(build(folder.path(), &format!("examples/{example}"), link)));
            let lines: Vec<&str> = output.lines().collect();
            assert_eq!(lines.len(), 2, "{output}");
            assert!(lines[0].starts_with("RFC 9001 A.2, client: 1200 bytes") && lines[0].ends_with(what), "{output}");
            assert!(lines[1].starts_with("RFC 9001 A.3, server: 135 bytes") && lines[1].ends_with(what), "{output}");
        }
    }
}

/// C++ has stricter rules for conversions.
#[test]
fn c_examples_compile_and_run_as_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = Link::Shared.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    for (example, last) in [("seal.c", "modified: "), ("quic.c", "failed: 1")] {
        let (source, program) = (folder.path().join(example).with_extension("cpp"), folder.path().join("program"));
        std::fs::copy(crate_folder().join("examples").join(example), &source).unwrap();
        CPP.compile(&source, &program, &arguments);
        assert!(output_of(&mut Command::new(&program)).lines().last().unwrap().starts_with(last));
    }
}

#[test]
fn c_program_that_calls_every_function_passes_its_checks() {
    let folder = tempfile::tempdir().unwrap();
    for link in Link::BOTH {
        let program = build(folder.path(), "tests/programs/every_call.c", link);
        assert_eq!(output_of(&mut Command::new(program)), "right\n", "{link:?}");
    }
}

/// Runs with the allocator of AddressSanitizer: no access out of bounds, no double free, no leak.
#[test]
fn c_program_that_calls_every_function_passes_address_sanitizer() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("sanitized");
    let mut arguments = Link::Static.arguments();
    // At a fixed address, because older versions of AddressSanitizer collide with programs that the kernel places
    // randomly.
    arguments.extend(["-fsanitize=address,undefined", "-no-pie"].map(str::to_owned));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    C.compile(&crate_folder().join("tests/programs/every_call.c"), &program, &arguments);
    assert_eq!(output_of(&mut Command::new(&program)), "right\n");

    // The sanitizer must report a leak.
    C.compile(&write_leaky_program(folder.path()), &program, &arguments);
    let output = Command::new(&program).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("LeakSanitizer: detected memory leaks"), "{output:?}");
}

/// Writes a program that never frees its keys. It makes many, because the last pointer may stay in a register and hide
/// the leak.
fn write_leaky_program(folder: &Path) -> PathBuf {
    let (path, source) = (
        folder.join("write_leaky_program.c"),
        "#include <kasoku.h>\n\
         int main(void) { static const uint8_t key[16] = {0}; int i; \
         for (i = 0; i < 50; i++) if (kasoku_gcm_new(key, 16) == NULL) return 2; return 0; }\n",
    );
    std::fs::write(&path, source).unwrap();
    path
}

/// Detects uninitialized reads, accesses out of bounds and leaks. Valgrind's CPU has no AVX-512, so that the library
/// chooses another backend there.
#[test]
fn c_programs_pass_valgrind() {
    if let Err(error) = Command::new("valgrind").arg("--version").output() {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "valgrind: {error}");
        return eprintln!("left out: valgrind: {error}; apt-get install valgrind");
    }
    let folder = tempfile::tempdir().unwrap();
    let under_valgrind = |program: &Path| {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=all"]);
        valgrind.arg(program);
        valgrind
    };
    for source in
        ["examples/seal.c", "examples/quic.c", "examples/quicly.c", "examples/ngtcp2.c", "tests/programs/every_call.c"]
    {
        let program = build(folder.path(), source, Link::Shared);
        assert_ne!(output_of(&mut under_valgrind(&program)), "", "{source}");
        let program = build(folder.path(), source, Link::Static);
        assert_ne!(output_of(under_valgrind(&program).env("KASOKU_BACKEND", "portable")), "", "{source}");
    }

    // Valgrind must report a leak.
    let arguments = Link::Static.arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let program = folder.path().join("write_leaky_program");
    C.compile(&write_leaky_program(folder.path()), &program, &arguments);
    let output = under_valgrind(&program).output().unwrap();
    assert_eq!(output.status.code(), Some(9), "{output:?}");
}

/// An unavailable or unknown backend is an error, and no other backend is used.
#[test]
fn environment_variable_selects_the_backend() {
    let folder = tempfile::tempdir().unwrap();
    let program = build(folder.path(), "tests/programs/which_backend.c", Link::Shared);
    let features = cpu::Found::here().features();
    let chosen_backend = |name: Option<&str>| {
        let mut command = Command::new(&program);
        command.env_remove("KASOKU_BACKEND").envs(name.map(|name| ("KASOKU_BACKEND", name)));
        output_of(&mut command)
    };
    assert_eq!(chosen_backend(None), format!("{} {}\n", kasoku::KASOKU_OK, cpu::preferred(features)));
    for backend in Backend::ALL {
        let expected = if backend.runs_on(features) {
            format!("{} {backend}\n", kasoku::KASOKU_OK)
        } else {
            format!("{} none\n", kasoku::KASOKU_ERR_BACKEND_UNAVAILABLE)
        };
        assert_eq!(chosen_backend(Some(backend.name())), expected);
    }
    for wrong in ["", "fastest", "AESNI", "aesni ", "portable,aesni"] {
        assert_eq!(chosen_backend(Some(wrong)), format!("{} none\n", kasoku::KASOKU_ERR_BACKEND_UNKNOWN), "{wrong:?}");
    }
}

#[test]
fn environment_variable_selects_the_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let program = build(folder.path(), "tests/programs/which_backend.c", Link::Shared);
    let chosen_backend = |backend: Option<&str>, schedule: &str| {
        let mut command = Command::new(&program);
        command.env_remove("KASOKU_BACKEND").envs(backend.map(|name| ("KASOKU_BACKEND", name)));
        output_of(command.env("KASOKU_SCHEDULE", schedule))
    };
    let features = cpu::Found::here().features();
    for backend in Backend::ALL.into_iter().filter(|backend| backend.runs_on(features)) {
        for schedule in Schedule::ALL {
            let expected = if backend.schedules().contains(&schedule) {
                format!("{} {backend}\n", kasoku::KASOKU_OK)
            } else {
                format!("{} none\n", kasoku::KASOKU_ERR_BACKEND_UNAVAILABLE)
            };
            assert_eq!(chosen_backend(Some(backend.name()), schedule.name()), expected, "{backend} {schedule}");
        }
    }
    assert_eq!(chosen_backend(None, "karatsuba"), format!("{} {}\n", kasoku::KASOKU_OK, cpu::preferred(features)));
    for wrong in ["", "fastest", "Karatsuba", "schoolbook "] {
        assert_eq!(chosen_backend(None, wrong), format!("{} none\n", kasoku::KASOKU_ERR_BACKEND_UNKNOWN), "{wrong:?}");
    }
}

/// Runs a setuid program.
#[test]
fn setuid_program_ignores_the_backend_environment_variable() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    const NOBODY: u32 = 65534;
    let leave_out = |why: &str| {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{why}");
        println!("left out: {why}");
    };
    let give_away = |program: &Path| {
        chown(program, Some(NOBODY), None).unwrap();
        std::fs::set_permissions(program, PermissionsExt::from_mode(0o4755)).unwrap();
    };
    let folder = tempfile::tempdir().unwrap();
    if std::fs::metadata(folder.path()).unwrap().uid() != 0 {
        return leave_out("only root can make a program that belongs to another");
    }
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let (source, has_rights) = (folder.path().join("has_rights.c"), folder.path().join("has_rights"));
    std::fs::write(&source, "#include <unistd.h>\nint main(void) { return geteuid() == getuid(); }\n").unwrap();
    C.compile(&source, &has_rights, &[]);
    give_away(&has_rights);
    if !Command::new(&has_rights).status().unwrap().success() {
        return leave_out("programs get no rights of their owners here (nosuid, no_new_privs)");
    }
    let program = build(folder.path(), "tests/programs/which_backend.c", Link::Static);
    let chosen_backend = || output_of(Command::new(&program).env("KASOKU_BACKEND", "portable"));
    assert_eq!(chosen_backend(), format!("{} portable\n", kasoku::KASOKU_OK));
    give_away(&program);
    let preferred = cpu::preferred(cpu::Found::here().features());
    assert_eq!(chosen_backend(), format!("{} {preferred}\n", kasoku::KASOKU_OK));
}
