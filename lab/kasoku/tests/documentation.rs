//! Commands in the documents: each is one that `kasoku` takes, and those of the first page are run. (The book's check
//! follows the links.)

#![allow(clippy::unwrap_used)]

#[path = "documentation/markdown.rs"]
mod markdown;
#[path = "documentation/shell.rs"]
mod shell;

use std::path::{Path, PathBuf};
use std::process::Command;

use kasoku_command::cli;
// Its feature `command` has Cargo build the program with the tests.
use kasoku_file as _;
use markdown::Page;

/// Calls `check` with each documented command of `program`, from its own word on. Returns their number.
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
    if !program.exists() {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "build -p kasoku-file --features command");
        eprintln!("not tested: {} was not built", program.display());
        return;
    }
    let count = for_each_command("kasoku-file", &mut |page, arguments| {
        // clap reads the words up to `--help`, and prints the help unless one of them is wrong.
        let output = Command::new(&program).args(&arguments[1..]).arg("--help").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {arguments:?}: {error}", page.display());
    });
    assert!(count > 10, "only {count} commands were found");
}

#[test]
fn wrong_documented_commands_are_found() {
    let page = Page::of("```console\n$ tar c . | kasoku encript --key k -o 'a b'   # kasoku\nkasoku says\n```\n");
    let commands: Vec<_> = page.commands().iter().flat_map(|line| shell::commands(line)).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    let arguments = shell::arguments_of(&commands[1], "kasoku").unwrap();
    assert_eq!(arguments, ["kasoku", "encript", "--key", "k", "-o", "a b"]);
    assert!(cli::matches_of(arguments).is_err());
}

/// The first page is for people who know nothing yet: what it says they do is done, in its order.
#[test]
fn the_commands_of_the_first_page_are_run() {
    let folder = tempfile::tempdir().unwrap();
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
    shell.args(["-euxo", "pipefail", "-c", &script]).current_dir(folder.path());
    shell.env("PATH", path).env("LC_ALL", "C.UTF-8");
    shell.env("KASOKU_STORE", folder.path().join("store.sqlite")).env("KASOKU_LOCK", folder.path().join("lock"));
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    assert!(folder.path().join("report.html").is_file(), "{said}");
}

#[test]
fn each_subcommand_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kasoku")).arg("manual").arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut command = cli::command();
    command.build();
    let shown =
        command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set() && subcommand.get_name() != "help");
    for name in shown.map(|subcommand| format!("kasoku-{}.1", subcommand.get_name())) {
        let page = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"), "{name}: {page}");
    }
    // What is told at length is told.
    for (page, says) in
        [("rank", "imported results"), ("history", "oldest first"), ("ab", "noise floor"), ("site", "need no server")]
    {
        let text = std::fs::read_to_string(folder.path().join(format!("kasoku-{page}.1"))).unwrap();
        assert!(text.contains(says), "{page}: {text}");
    }
    let first = std::fs::read_to_string(folder.path().join("kasoku.1")).unwrap();
    assert!(first.contains("kasoku\\-advise") && !first.contains("worker"), "{first}");
    assert!(!folder.path().join("kasoku-worker.1").exists());

    let output = Command::new(env!("CARGO_BIN_EXE_kasoku")).args(["manual", "/nowhere"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn completions_offer_what_people_type() {
    for shell in ["bash", "zsh", "fish"] {
        let output = Command::new(env!("CARGO_BIN_EXE_kasoku")).args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        for (word, is_offered) in [("advise", true), ("--store", true), ("tls-client", false), ("endpoint", false)] {
            let word = if shell == "fish" { word.trim_start_matches('-') } else { word };
            assert_eq!(script.contains(word), is_offered, "{shell}: {word}");
        }
    }
}

/// Every page that is committed or about to be, from the root.
fn pages() -> Vec<PathBuf> {
    let mut list = Command::new("git");
    list.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]);
    let listed = list.output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).unwrap();
    let pages: Vec<PathBuf> = names.split_terminator('\0').map(PathBuf::from).collect();
    // A file that was removed is listed until that is committed.
    pages.into_iter().filter(|page| root().join(page).exists()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
