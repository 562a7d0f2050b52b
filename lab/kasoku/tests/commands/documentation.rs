//! Commands in the documents: `kasoku` and `kasoku-file` accept each, and those of the first page run. (The check of
//! the book follows the links.)

#[path = "documentation/markdown.rs"]
mod markdown;
#[path = "documentation/shell.rs"]
mod shell;

use std::path::{Path, PathBuf};
use std::process::Command;

use kasoku_command::cli;
// With this crate's feature `command`, Cargo builds the program `kasoku-file` with the tests.
use kasoku_file as _;
use markdown::Page;

use crate::support::{Sandbox, check_status, is_there, text_of};

/// Calls `check` with each documented command of `program`, and returns the number of commands.
fn for_each_command(program: &str, check: &mut dyn FnMut(&Path, &[String])) -> usize {
    let mut count = 0;
    for page in pages() {
        for command in Page::read(&root().join(&page)).commands().iter().flat_map(|line| shell::commands(line)) {
            if let Some(arguments) = shell::arguments_of(&command, program) {
                count += 1;
                check(&page, arguments);
            }
        }
    }
    count
}

#[test]
fn documented_kasoku_commands_parse() {
    let mut wrong = Vec::new();
    let count = for_each_command("kasoku", &mut |page, arguments| {
        if let Err(error) = cli::matches_of(arguments)
            && error.use_stderr()
        {
            wrong.push(format!("{}: {arguments:?}: {error}", page.display()));
        }
    });
    assert!(wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong.join("\n"));
    assert!(count > 40, "only {count} commands were found");
}

/// `kasoku-file` is another package's program, which lies beside `kasoku` once it is built.
#[test]
fn documented_kasoku_file_commands_parse() {
    let program = Path::new(env!("CARGO_BIN_EXE_kasoku")).with_file_name("kasoku-file");
    if !is_there(program.exists(), "kasoku-file (cargo build -p kasoku-file --features command)") {
        return;
    }
    let count = for_each_command("kasoku-file", &mut |page, arguments| {
        // clap parses the words before `--help`, and prints the help only if they are right.
        let output = Command::new(&program).args(&arguments[1..]).arg("--help").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {arguments:?}: {error}", page.display());
    });
    assert!(count > 10, "only {count} commands were found");
}

#[test]
fn misspelled_documented_command_is_found() {
    let page = Page::of("```console\n$ tar c . | kasoku encript --key k -o 'a b'   # kasoku\nkasoku says\n```\n");
    let commands: Vec<_> = page.commands().iter().flat_map(|line| shell::commands(line)).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    let arguments = shell::arguments_of(&commands[1], "kasoku").unwrap();
    assert_eq!(arguments, ["kasoku", "encript", "--key", "k", "-o", "a b"]);
    assert!(cli::matches_of(arguments).is_err());
}

#[test]
fn getting_started_commands_run_in_order() {
    let sandbox = Sandbox::new();
    let page = Page::read(&root().join("docs/START.md"));
    let built = Path::new(env!("CARGO_BIN_EXE_kasoku")).parent().unwrap();
    assert!(
        built.join("kasoku-file").is_file(),
        "a test of the whole workspace builds kasoku-file: cargo test --workspace"
    );
    let path = format!("{}:{}", built.display(), std::env::var("PATH").unwrap());
    let script = page.commands().join("\n");
    assert!(script.matches("kasoku ").count() > 8, "{script}");
    let mut shell = Command::new("bash");
    shell.args(["-euxo", "pipefail", "-c", &script]).current_dir(sandbox.path(""));
    shell.env("PATH", path).env("LC_ALL", "C.UTF-8");
    shell.env("KASOKU_STORE", sandbox.path("store.sqlite")).env("KASOKU_LOCK", sandbox.path("lock"));
    check_status(&shell.output().unwrap(), 0);
    assert!(sandbox.path("report.html").is_file());
}

#[test]
fn each_subcommand_has_a_manual_page() {
    let sandbox = Sandbox::new();
    sandbox.text(&["manual", "."]);
    let mut command = cli::command();
    command.build();
    let shown =
        command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set() && subcommand.get_name() != "help");
    for name in shown.map(|subcommand| format!("kasoku-{}.1", subcommand.get_name())) {
        let page = sandbox.read(&name);
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"), "{name}: {page}");
    }
    // The long descriptions.
    for (page, says) in
        [("rank", "imported results"), ("history", "oldest first"), ("ab", "noise floor"), ("site", "need no server")]
    {
        assert!(sandbox.read(&format!("kasoku-{page}.1")).contains(says), "{page}");
    }
    let first = sandbox.read("kasoku.1");
    assert!(first.contains("kasoku\\-advise") && !first.contains("worker"), "{first}");
    assert!(!sandbox.path("kasoku-worker.1").exists());
}

#[test]
fn completions_hide_internal_subcommands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Sandbox::new().text(&["completions", shell]);
        for (word, is_offered) in [("advise", true), ("--store", true), ("tls-client", false), ("endpoint", false)] {
            let word = if shell == "fish" { word.trim_start_matches('-') } else { word };
            assert_eq!(script.contains(word), is_offered, "{shell}: {word}");
        }
    }
}

/// Paths of all pages that are in the repository or not ignored, relative to its root.
fn pages() -> Vec<PathBuf> {
    let mut list = Command::new("git");
    list.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]);
    let listed = list.output().unwrap();
    check_status(&listed, 0);
    let names = text_of(&listed);
    let pages: Vec<PathBuf> = names.split_terminator('\0').map(PathBuf::from).collect();
    // Git lists a removed file until the removal is committed.
    pages.into_iter().filter(|page| root().join(page).exists()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
