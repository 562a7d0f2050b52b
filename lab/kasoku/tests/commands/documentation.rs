//! Commands in the documents: `kasoku` and `kasoku-file` must parse each of them, and the commands in `docs/START.md`
//! must run. (`test.sh` checks the links of the documents when it builds the book.)

use std::path::{Path, PathBuf};
use std::process::Command;

use kasoku_command::cli;
// With this crate's feature `command`, Cargo builds the program `kasoku-file` with the tests.
use kasoku_file as _;

use crate::support::{Sandbox, check_status, is_there, output_of, text_of};

/// Returns the documented commands of `program` as words, each with its page.
fn documented(program: &str) -> Vec<(PathBuf, Vec<String>)> {
    let mut all = Vec::new();
    for page in pages() {
        for command in lines_to_type(&read(&page)).iter().flat_map(|line| commands(line)) {
            all.extend(arguments_of(&command, program).map(|words| (page.clone(), words.to_vec())));
        }
    }
    all
}

/// Returns what a page tells its readers to type: the lines after `$` in blocks of `console`, and all lines in blocks
/// of `sh` and `bash`. A line that ends in a backslash is joined with the next line.
fn lines_to_type(page: &str) -> Vec<String> {
    let mut typed: Vec<String> = Vec::new();
    let mut language = "";
    for line in page.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("```") {
            language = if language.is_empty() { rest.trim() } else { "" };
            continue;
        }
        match (typed.last_mut().filter(|last| last.ends_with('\\')), language) {
            (Some(last), _) => {
                last.pop();
                last.push_str(line);
            }
            (None, "console") => typed.extend(line.strip_prefix("$ ").map(str::to_owned)),
            (None, "sh" | "bash") => typed.push(line.to_owned()),
            _ => {}
        }
    }
    typed
}

/// Splits a line into its commands, and each command into its words without redirections. Knows the parts of a shell's
/// syntax that the documents use: quotes, pipes, lists, redirections, comments.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![String::new()];
    let mut quote = None;
    let mut before = ' ';
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if before.is_whitespace() => break,
            (None, '|' | ';' | '&' | '(' | ')') => {
                commands.push(String::new());
                before = c;
                continue;
            }
            _ => {}
        }
        commands.last_mut().unwrap().push(c);
        before = c;
    }
    let words = commands.iter().map(|command| without_redirections(shell_words::split(command).unwrap()));
    words.filter(|words| !words.is_empty()).collect()
}

/// Returns the words from `program` on if the command runs `program`: by its name or path, after variables, or under a
/// program like `sudo` that starts another.
fn arguments_of<'a>(words: &'a [String], program: &str) -> Option<&'a [String]> {
    let is_it = |word: &String| word.rsplit('/').next() == Some(program);
    let first = words.iter().position(|word| !word.contains('='))?;
    let starts_another = ["sudo", "env", "mpirun", "srun", "nohup", "time"].contains(&words[first].as_str());
    let place = if starts_another { words.iter().position(is_it)? } else { first };
    is_it(&words[place]).then_some(&words[place..])
}

fn without_redirections(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.trim_start_matches(|c: char| c.is_ascii_digit()) {
            ">" | ">>" | "<" => drop(words.next()),
            other if other.starts_with(['>', '<']) => {}
            _ => kept.push(word),
        }
    }
    kept
}

#[test]
fn documented_kasoku_commands_parse() {
    let all = documented("kasoku");
    for (page, arguments) in &all {
        let error = cli::matches_of(arguments).err().filter(clap::Error::use_stderr);
        assert!(error.is_none(), "{}: {arguments:?}: {error:?}", page.display());
    }
    assert!(all.len() > 40, "only {} commands were found", all.len());
}

/// `kasoku-file` is another package's program, which lies beside `kasoku` once it is built.
#[test]
fn documented_kasoku_file_commands_parse() {
    let program = Path::new(env!("CARGO_BIN_EXE_kasoku")).with_file_name("kasoku-file");
    if !is_there(program.exists(), "kasoku-file (cargo build -p kasoku-file --features command)") {
        return;
    }
    let all = documented("kasoku-file");
    for (page, arguments) in &all {
        // clap parses the words before `--help`, and prints the help only if they are right.
        let output = Command::new(&program).args(&arguments[1..]).arg("--help").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {arguments:?}: {error}", page.display());
    }
    assert!(all.len() > 10, "only {} commands were found", all.len());
}

#[test]
fn misspelled_documented_command_is_found() {
    let page = "kasoku says\n```console\n$ tar c . 2>/dev/null | A=1 target/kasoku encript \\\n  --key k > 'a b'; cat kasoku # kasoku\n\
                kasoku says\n```\n```text\nkasoku says\n```\n```sh\nmpirun -n 2 kasoku cpu\n```\n";
    let commands: Vec<_> = lines_to_type(page).iter().flat_map(|line| commands(line)).collect();
    let found: Vec<_> = commands.iter().filter_map(|command| arguments_of(command, "kasoku")).collect();
    assert_eq!((commands.len(), found.len()), (4, 2), "{commands:?}");
    assert_eq!(found[0], ["target/kasoku", "encript", "--key", "k"]);
    assert!(cli::matches_of(found[0]).is_err() && cli::matches_of(found[1]).is_ok());
}

#[test]
fn getting_started_commands_run_in_order() {
    let sandbox = Sandbox::new();
    let built = Path::new(env!("CARGO_BIN_EXE_kasoku")).parent().unwrap();
    assert!(
        built.join("kasoku-file").is_file(),
        "a test of the whole workspace builds kasoku-file: cargo test --workspace"
    );
    let path = format!("{}:{}", built.display(), std::env::var("PATH").unwrap());
    let script = lines_to_type(&read(Path::new("docs/START.md"))).join("\n");
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
    assert!(sandbox.read("kasoku-ab.1").contains("noise floor"), "the long description");
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
    let listed = output_of(&mut list, 0);
    let names = text_of(&listed);
    let pages: Vec<PathBuf> = names.split_terminator('\0').map(PathBuf::from).collect();
    // Git lists a removed file until the removal is committed.
    pages.into_iter().filter(|page| root().join(page).exists()).collect()
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
