//! This program again: workers, clients, endpoints and guards are processes of it.

use std::io;
use std::path::PathBuf;
use std::process::Command;

/// A command that starts this very build, also when another has since been put in its place: two builds in one run
/// would be compared as if they were one.
///
/// # Errors
/// If it cannot be told which program runs.
pub fn command() -> io::Result<Command> {
    let named = std::env::current_exe()?;
    Ok(match replaced_program(&named) {
        Some(held) => Command::new(held),
        None => Command::new(named),
    })
}

/// What the kernel holds of the program that runs, if the file with its name is another by now, or gone. (Otherwise the
/// name is better: it is what `top` shows.)
#[cfg(target_os = "linux")]
fn replaced_program(named: &std::path::Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    let held = PathBuf::from("/proc/self/exe");
    let of_held = held.metadata().ok()?;
    let is_same = named.metadata().is_ok_and(|file| (file.dev(), file.ino()) == (of_held.dev(), of_held.ino()));
    (!is_same).then_some(held)
}

#[cfg(not(target_os = "linux"))]
fn replaced_program(_: &std::path::Path) -> Option<PathBuf> {
    None
}
