//! Installation commands for what a run may lack: packages of Debian and its relatives on Linux, of Homebrew on macOS,
//! of winget on Windows. Also the folders of files that are installed with this command.

use std::path::{Path, PathBuf};

pub const OPENSSL: &str =
    here("apt install openssl", "brew install openssl@3", "winget install ShiningLight.OpenSSL.Light");

/// Command that installs OpenSSL's legacy provider, a separate package on Debian only.
pub(crate) const OPENSSL_LEGACY: &str = here("apt install openssl-provider-legacy", OPENSSL, OPENSSL);

/// Command that installs Intel's multi-buffer library. The package's name contains the library's version.
pub const IPSEC_MB: &str = here("apt install libipsec-mb1 (or libipsec-mb2)", IPSEC_MB_SOURCE, IPSEC_MB_SOURCE);
const IPSEC_MB_SOURCE: &str = "build it from https://github.com/intel/intel-ipsec-mb";

pub const JDK: &str =
    here("apt install default-jdk-headless", "brew install openjdk", "winget install EclipseAdoptium.Temurin.21.JDK");

/// Command that installs nginx, which only Linux hosts measure.
pub(crate) const NGINX: &str = "apt install nginx-light";

/// Returns the folder of this program, and a second folder. The second folder is `../lib` or, for a test program in
/// Cargo's folder `deps`, the folder above `deps`, where Cargo puts the other programs of the build.
pub(crate) fn folders_of_this_command() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let Some(folder) = program.as_deref().and_then(Path::parent) else { return Vec::new() };
    let above = folder.parent();
    let other = if folder.ends_with("deps") { above.map(Path::to_owned) } else { above.map(|above| above.join("lib")) };
    [Some(folder.to_owned()), other].into_iter().flatten().collect()
}

const fn here(debian: &'static str, homebrew: &'static str, winget: &'static str) -> &'static str {
    if cfg!(windows) {
        winget
    } else if cfg!(target_os = "macos") {
        homebrew
    } else {
        debian
    }
}
