//! The options of the levels, from the request of a run.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::Failure;
use super::request::{RunRequest, TlsArgs, all_sizes, check_sizes};
use kasoku_libraries::jvm::Runtime;
use kasoku_libraries::nginx::Nginx;
use kasoku_libraries::{LibraryEntry, openssl, openssl_provider};
use kasoku_measure::conformance::{self, RuleOutcome};
use kasoku_measure::files::ScratchFiles;
use kasoku_measure::level::options::{FilesOptions, JvmOptions, LevelOptions, Pace};
use kasoku_measure::level::tls::TlsOptions;
use kasoku_measure::worker::{Worker, WorkerName};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::level::Level;
use kasoku_model::library::OPENSSL;

/// Checks the request and returns the options of its levels.
pub(super) fn level_options(request: &RunRequest) -> Result<LevelOptions, Failure> {
    let args = &request.common;
    if !args.libcrypto.is_empty() && args.libraries.as_ref().is_some_and(|names| !names.iter().any(|n| n == OPENSSL)) {
        return Err(Failure::new("--libcrypto needs the library openssl, which --libraries leaves out"));
    }
    for path in &args.libcrypto {
        check_is_file("--libcrypto", path)?;
        // Loads the file in a process of its own, as for measuring, because a loaded file may do anything.
        let named =
            WorkerName { library_file: Some(from_here(path)), ..WorkerName::new(&openssl::ENTRY, Acceleration::On) };
        Worker::start(named).map_err(|error| invalid("--libcrypto", path, error))?;
    }
    check_workers(&args.worker)?;
    check_sizes(request)?;
    request.whole_files.dir.as_deref().map_or(Ok(()), check_dir)?;
    request.resume()?;
    check_java(&args.java, request.jvm.specjvm.as_deref())?;
    if request.tls.is_remote() && !request.names_only(Level::Tls) {
        return Err(Failure::new("--server and --clients work only for the level tls: kasoku run tls --server …"));
    }
    check_tls(&request.tls)?;
    if request.names_only(Level::Tls) {
        check_builds(&args.libcrypto, &request.tls)?;
    }
    if args.threads.is_some_and(|threads| threads > cores()) {
        return Err(Failure::new(format!("--threads: this machine has {} cores, and each thread needs one", cores())));
    }
    Ok(LevelOptions {
        pace: if args.quick { Pace::Quick } else { Pace::Default },
        libraries: args.libraries.clone(),
        foreign: args.worker.clone(),
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
        end_to_end: request.packets.end_to_end.then_some(true),
        files: FilesOptions {
            dir: request.whole_files.dir.clone(),
            cold: request.files.cold,
            repetitions: request.files.repetitions,
            ..FilesOptions::default()
        },
        jvm: JvmOptions {
            flags: request.jvm.jvm_flag.clone(),
            // SPECjvm2008 runs in the folder of its JAR.
            specjvm: request.jvm.specjvm.as_deref().map(from_here),
            ..JvmOptions::default()
        },
        tls: TlsOptions {
            workers: request.tls.workers.clone(),
            max_latency: request.tls.max_latency,
            latency_of: request.tls.latency_of.unwrap_or_default(),
            duration: request.tls.duration,
            concurrency: request.tls.concurrency,
            module: request.tls.module.clone(),
            ..TlsOptions::default()
        },
        ..LevelOptions::default()
    })
}

/// Checks that the names of all `--worker` differ and that each worker conforms to the protocol.
fn check_workers(workers: &[&'static LibraryEntry]) -> Result<(), Failure> {
    for (index, entry) in workers.iter().enumerate() {
        let failure = |why: String| Failure::new(format!("--worker {}: {why}", entry.name));
        if workers[..index].iter().any(|other| other.name == entry.name) {
            return Err(failure("two workers have this name".to_owned()));
        }
        let rules = conformance::check(entry).map_err(|error| failure(error.to_string()))?;
        if let Some(broken) = rules.iter().find(|rule| rule.outcome == RuleOutcome::Broken) {
            let command = shell_words::join(entry.command);
            return Err(failure(format!(
                "it breaks the rule \"{}\" ({}); see kasoku libraries --check-worker {}",
                broken.rule,
                broken.detail,
                shell_words::quote(&command)
            )));
        }
    }
    Ok(())
}

/// Checks that files can be created in the folder of `--dir`.
fn check_dir(dir: &Path) -> Result<(), Failure> {
    if !dir.is_dir() {
        return Err(invalid("--dir", dir, "no such folder"));
    }
    let created = ScratchFiles::create_in(dir).map(drop);
    created.map_err(|error| invalid("--dir", dir, format!("cannot create files there: {error}")))
}

/// Checks that the file of `--specjvm` exists and that every `--java` is a Java of a supported version.
fn check_java(javas: &[PathBuf], specjvm: Option<&Path>) -> Result<(), Failure> {
    specjvm.map_or(Ok(()), |path| check_is_file("--specjvm", path))?;
    for path in javas {
        if !path.exists() {
            return Err(invalid("--java", path, "no such program or folder"));
        }
        Runtime::at(path).map_err(|error| invalid("--java", path, error))?;
    }
    Ok(())
}

/// Checks the hosts, addresses and provider module of the level `tls`.
fn check_tls(args: &TlsArgs) -> Result<(), Failure> {
    if !args.addresses.is_empty() && !args.is_remote() {
        return Err(Failure::new("--addresses needs --server or --clients"));
    }
    if args.server.is_none() && !args.clients.is_empty() && args.addresses.is_empty() {
        return Err(Failure::new(
            "--clients without --server needs --addresses ADDR: the address of this host that the clients reach",
        ));
    }
    // The module of a remote server is on its host, so it cannot be checked here.
    let module = args.module.as_deref().filter(|_| args.server.is_none());
    module.map_or(Ok(()), check_module)
}

/// Checks that nginx runs with each `--libcrypto`. Without nginx, the plan says why nothing can be measured.
fn check_builds(libcryptos: &[PathBuf], args: &TlsArgs) -> Result<(), Failure> {
    if !libcryptos.is_empty() && args.is_remote() {
        return Err(Failure::new("--libcrypto is of this host: it does not work with --server or --clients"));
    }
    let Ok(nginx) = Nginx::find() else { return Ok(()) };
    let check = |path: &PathBuf| {
        let build = nginx.openssl_build(&from_here(path));
        build.map(drop).map_err(|why| invalid("--libcrypto", path, why))
    };
    libcryptos.iter().try_for_each(check)
}

/// Checks that OpenSSL can load the provider of `--module`. OpenSSL itself skips a provider that it cannot load,
/// without an error.
pub(in crate::cmd) fn check_module(module: &Path) -> Result<(), Failure> {
    check_is_file("--module", module)?;
    openssl_provider::can_be_loaded(&from_here(module))
        .map_err(|why| invalid("--module", module, format!("cannot be loaded: {why}")))
}

fn check_is_file(option: &str, path: &Path) -> Result<(), Failure> {
    if path.is_file() { Ok(()) } else { Err(invalid(option, path, "no such file")) }
}

/// Returns the error for an unusable path given with `option`.
fn invalid(option: &str, path: &Path, why: impl Display) -> Failure {
    Failure::new(format!("{option} {}: {why}", path.display()))
}

/// Returns the absolute path of a file. The loader looks for a bare name in its own folders, not in the current one.
fn from_here(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
