//! Installation commands for what a run may lack: packages of Debian and its relatives on Linux, of Homebrew on macOS,
//! of winget on Windows.

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

const fn here(debian: &'static str, homebrew: &'static str, winget: &'static str) -> &'static str {
    if cfg!(windows) {
        winget
    } else if cfg!(target_os = "macos") {
        homebrew
    } else {
        debian
    }
}
