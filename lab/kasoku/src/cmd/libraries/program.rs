//! `kasoku libraries --program`: whether a program uses Kasoku's provider. OpenSSL silently ignores a module that it
//! cannot load, so only a process's memory map and the provider's counter are proof.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cmd::openssl_conf::no_provider;
use crate::cmd::{CommandOutcome, Failure};
use kasoku_libraries::folder::{self, Folder};
use kasoku_libraries::openssl_provider::{self, Count, configuration, find};
use kasoku_model::printable::printable;
use kasoku_store::output_file::print;

/// Prints whether a process and its descendants have loaded the provider. `words` is the process ID, or a command,
/// which runs with the provider and a counter configured.
pub(super) fn run(words: &[OsString]) -> Result<CommandOutcome, Failure> {
    let [first, arguments @ ..] = words else { return Err(Failure::new("--program takes a process ID or a command")) };
    match first.to_str().and_then(|word| word.parse::<u32>().ok()) {
        Some(id) if arguments.is_empty() => inspect_process(id),
        _ => run_command(first, arguments),
    }
}

fn inspect_process(id: u32) -> Result<CommandOutcome, Failure> {
    if !Path::new(&format!("/proc/{id}")).exists() {
        return Err(Failure::new(format!("no such process: {id}")));
    }
    let all = with_descendants(id);
    let mut is_used = false;
    for id in all {
        let Some(maps) = maps_of(id)? else { continue };
        // The other process controls its name and paths, so they are escaped.
        let name = fs::read(format!("/proc/{id}/comm")).unwrap_or_default();
        let name = printable(&String::from_utf8_lossy(&name));
        let line = match (openssl_provider::mapped_provider(&maps), openssl_provider::counter(id)) {
            (Some(module), count) => {
                is_used = true;
                let counted = match (count, openssl_provider::trouble(&maps).map(printable)) {
                    (Some(count), None) => words_of(count),
                    (Some(count), Some(trouble)) => format!("{}; its counter failed: {trouble}", words_of(count)),
                    (None, Some(trouble)) => format!("its counter failed: {trouble}"),
                    (None, None) => "no counter is configured".to_owned(),
                };
                format!("has {} loaded; {counted}", printable(&module.to_string_lossy()))
            }
            (None, _) if maps.contains("/libcrypto.so") => {
                "does not use Kasoku: libcrypto is loaded without our provider".to_owned()
            }
            (None, _) => "does not use Kasoku: libcrypto is not loaded".to_owned(),
        };
        print(&format!("{id} {name}: {line}\n"))?;
    }
    Ok(if is_used { CommandOutcome::Done } else { CommandOutcome::Partial })
}

/// Reads the memory map of a process. Returns `None` if the process has ended.
fn maps_of(id: u32) -> Result<Option<String>, Failure> {
    match fs::read(format!("/proc/{id}/maps")) {
        Ok(maps) => Ok(Some(String::from_utf8_lossy(&maps).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(Failure::new(format!("cannot inspect process {id}: {error}; run as root or as its owner")))
        }
        Err(_) => Ok(None),
    }
}

/// Returns a process and its living descendants. A server's workers are children of the process that the user knows.
fn with_descendants(id: u32) -> Vec<u32> {
    let mut all = vec![id];
    let mut next = 0;
    while let Some(&one) = all.get(next) {
        for child in kasoku_measure::tls::children_of(one) {
            if !all.contains(&child) {
                all.push(child);
            }
        }
        next += 1;
    }
    all
}

fn run_command(program: &OsString, arguments: &[OsString]) -> Result<CommandOutcome, Failure> {
    let module = find(None).map_err(no_provider)?;
    let failed = |error: std::io::Error| Failure::in_the_middle(format!("cannot write its configuration: {error}"));
    let folder = Folder::new(&std::env::temp_dir(), folder::TLS).map_err(failed)?;
    let (counter, path) = (folder.path().join("counter"), folder.path().join("openssl.cnf"));
    fs::write(&path, configuration(&module, Some(&counter)).map_err(Failure::new)?).map_err(failed)?;
    let name = program.to_string_lossy();
    let name = name.escape_debug();
    let status = Command::new(program).args(arguments).env("OPENSSL_CONF", &path).status();
    let status = status.map_err(|error| Failure::new(format!("{name}: {error}")))?;
    let (line, outcome) = match Count::read(&counter) {
        Some(count) if count.operations > 0 => (format!("used Kasoku: {}", words_of(count)), CommandOutcome::Done),
        Some(_) => ("loaded Kasoku's provider but did not use it".to_owned(), CommandOutcome::Partial),
        None => ("did not load Kasoku's provider".to_owned(), CommandOutcome::Partial),
    };
    let ended = if status.success() { String::new() } else { format!(" ({status})") };
    // Standard output belongs to the command.
    super::super::tell(&format!("{name}{ended} {line}"));
    Ok(outcome)
}

fn words_of(count: Count) -> String {
    let Count { contexts, operations, bytes, .. } = count;
    format!("{operations} operations on {bytes} bytes in {contexts} contexts")
}
