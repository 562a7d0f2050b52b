//! Starts this program again in another role: as worker, client, endpoint or guard.

use std::io;
use std::path::PathBuf;
use std::process::Command;

/// Returns a command that starts this very build, even if its file has been replaced since the start. Otherwise the
/// results of two builds would count as those of one.
pub fn command() -> io::Result<Command> {
    let named = std::env::current_exe()?;
    Ok(Command::new(replaced_program(&named).unwrap_or(named)))
}

/// Returns the kernel's link to the running program (`/proc/self/exe`) if the file at the path `named` was replaced or
/// removed. Otherwise returns `None`: the path starts the same program, and `top` shows the path.
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
