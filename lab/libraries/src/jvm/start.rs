//! How a virtual machine is started.

use std::path::PathBuf;
use std::time::Duration;

/// How the virtual machine is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The program `java`; the first that is found if absent.
    pub java: Option<PathBuf>,
    /// Where the compiled worker is; absent, and its source is given to `java` as it is.
    pub classes: Option<PathBuf>,
    /// Flags beside those of the acceleration state.
    pub flags: Vec<String>,
    /// How long a workload is warmed up at most.
    pub warm_up: Option<Duration>,
    /// Whether it is to be an HTTPS server with the library's ciphers, instead of a worker.
    pub is_server: bool,
}
