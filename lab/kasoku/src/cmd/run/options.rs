//! What a run is to do, from what was asked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::Failure;
use super::asked::RunRequest;
use super::sizes::{all_sizes, check_sizes};
use super::{files, jvm, tls};
use kasoku_libraries as libraries;
use kasoku_measure::level;
use kasoku_measure::level::options::{FilesOptions, JvmOptions, LevelOptions, Pace};
use kasoku_measure::worker::Worker;
use kasoku_measure::worker_process::WorkerName;
use kasoku_model::acceleration::Acceleration;

/// What was asked for, as the levels take it.
///
/// # Errors
/// Wrong usage.
pub(super) fn options(asked: &RunRequest) -> Result<LevelOptions, Failure> {
    let args = &asked.general;
    if args.quick && args.as_published {
        return Err(Failure::new("--quick cannot be used with --as-published"));
    }
    if !args.libcrypto.is_empty() && args.libraries.as_ref().is_some_and(|names| !names.iter().any(|n| n == "openssl"))
    {
        return Err(Failure::new("--libcrypto needs the library openssl, which --libraries leaves out"));
    }
    for path in &args.libcrypto {
        if !path.is_file() {
            return Err(Failure::new(format!("--libcrypto {}: no such file", path.display())));
        }
        // In a process of its own, as it will be measured: whatever the file does when it is loaded, it does there.
        let named = WorkerName {
            library_file: Some(from_here(path)),
            ..WorkerName::new(&libraries::openssl::ENTRY, Acceleration::On)
        };
        Worker::start(named).map_err(|error| Failure::new(format!("--libcrypto {}: {error}", path.display())))?;
    }
    check_sizes(asked)?;
    asked.dir().map_or(Ok(()), files::check)?;
    asked.resume()?;
    jvm::check(&args.java, asked.jvm.specjvm.as_deref())?;
    if asked.tls.is_remote() && !asked.names_only(level::tls::NAME) {
        return Err(Failure::new("--server and --clients work only for the level tls: kasoku run tls --server …"));
    }
    tls::check(&asked.tls)?;
    if args.threads.is_some_and(|threads| threads > cores()) {
        return Err(Failure::new(format!("--threads: this machine has {} cores, and each thread needs one", cores())));
    }
    Ok(LevelOptions {
        pace: if args.quick { Pace::Quick } else { Pace::Default },
        libraries: args.libraries.clone(),
        libcrypto: args.libcrypto.iter().map(|path| from_here(path)).collect(),
        java: args.java.clone(),
        acceleration: args.acceleration.clone(),
        algorithms: args.algorithms.clone(),
        operations: args.operations.clone(),
        sizes: args.sizes.as_deref().map(all_sizes),
        nonces: args.nonces.clone(),
        threads: args.threads.map(|threads| if threads == 0 { cores() } else { threads }),
        cores: cores(),
        rounds: args.rounds,
        slice: args.slice.map(Duration::from_millis),
        end_to_end: asked.packets.end_to_end.then_some(true),
        files: FilesOptions {
            dir: asked.dir().map(Path::to_owned),
            cold: asked.files.cold,
            repetitions: asked.files.repetitions,
            ..FilesOptions::default()
        },
        jvm: JvmOptions {
            flags: asked.jvm.jvm_flag.clone(),
            // It is run in its own folder.
            specjvm: asked.jvm.specjvm.as_deref().map(from_here),
            ..JvmOptions::default()
        },
        tls: tls::options(&asked.tls),
        ..LevelOptions::default()
    })
}

/// The whole path of a file: a bare name would be looked for where the loader looks, and not here.
fn from_here(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
