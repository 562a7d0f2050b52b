//! What `kasoku run` does for servers elsewhere, and under mpirun.

use std::path::Path;

use super::super::{CommandOutcome, Failure};
use super::asked::RunRequest;
use kasoku_model::language::Language;

/// The environment variables by which a process knows that MPI or Slurm started it together with others.
const STARTED_TOGETHER: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"];

/// Runs on servers elsewhere or together with other hosts, if that is asked for; `None` if it is not.
///
/// # Errors
/// Wrong usage, or what keeps the hosts from it.
pub(super) fn run(
    asked: &RunRequest,
    store: Option<&Path>,
    language: Language,
) -> Result<Option<CommandOutcome>, Failure> {
    let is_together = STARTED_TOGETHER.iter().any(|name| std::env::var_os(name).is_some());
    if is_together && cfg!(not(feature = "mpi")) {
        return Err(Failure::new(
            "started by mpirun or srun, but this kasoku is built without MPI; build it with cargo build --release \
             -p kasoku --features mpi and Debian's libopenmpi-dev, openmpi-bin and libclang-dev (docs/FLEET.md)",
        ));
    }
    if !is_together && asked.tls.server.is_empty() {
        return Ok(None);
    }
    with_hosts(asked, store, language, is_together).map(Some)
}

#[cfg(not(target_os = "linux"))]
fn with_hosts(_: &RunRequest, _: Option<&Path>, _: Language, _: bool) -> Result<CommandOutcome, Failure> {
    Err(Failure::new("measuring remote servers or several hosts needs Linux"))
}

#[cfg(target_os = "linux")]
use of_hosts::with_hosts;

#[cfg(target_os = "linux")]
mod of_hosts;
