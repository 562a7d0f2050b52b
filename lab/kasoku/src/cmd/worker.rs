//! `kasoku worker LIBRARY`, for internal use: the child process that opens one library and answers requests to measure
//! it.

use std::ffi::OsString;
use std::io::{BufReader, stdin, stdout};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::become_program::{Signal, bind, replace_process};
use super::{CommandOutcome, Failure};
use kasoku_libraries::jvm::Start;
use kasoku_libraries::{self as libraries, Opening, Unavailable};
use kasoku_measure::serve::serve;
use kasoku_model::acceleration::Acceleration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Library to open and measure in this process
    library: String,
    /// Acceleration state of this process
    #[arg(long, default_value = "on")]
    acceleration: Acceleration,
    /// Library file to load instead of the system's
    #[arg(long)]
    library_file: Option<PathBuf>,
    /// Java program to run, for libraries that run in a virtual machine
    #[arg(long)]
    java: Option<PathBuf>,
    /// Folder of the worker's compiled Java classes
    #[arg(long)]
    classes: Option<PathBuf>,
    /// Flag for java, in addition to those of the state; repeatable
    #[arg(long = "jvm-flag", allow_hyphen_values = true)]
    jvm_flags: Vec<String>,
    /// Run an HTTPS server with the library's ciphers instead of answering requests, for libraries that run in a
    /// virtual machine
    #[arg(long)]
    https_server: bool,
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
    /// Longest warm-up of a workload, in milliseconds
    #[arg(long, value_name = "MS")]
    warm_up: Option<u64>,
    /// User-written worker to run in place of this program, and its arguments
    #[arg(last = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    // During a slice, the worker does not notice the end of its input, so a signal must end it.
    bind(Signal::Kill, &args.cores)?;
    if let Some((program, arguments)) = args.command.split_first() {
        return Err(Failure::new(replace_process(Command::new(program).args(arguments))));
    }
    let entry = libraries::find(&args.library)
        .ok_or_else(|| Failure::new(format!("unknown library \"{}\"; see kasoku libraries", args.library)))?;
    let jvm = Start {
        java: args.java.clone(),
        classes: args.classes.clone(),
        flags: args.jvm_flags.clone(),
        warm_up: args.warm_up.map(Duration::from_millis),
        is_server: args.https_server,
    };
    let opening = Opening { library_file: args.library_file.clone(), acceleration: Some(args.acceleration), jvm };
    let opened = match entry.program {
        Some(program) => program(entry.name, &opening)
            .and_then(|mut command| Err(Unavailable { why: replace_process(&mut command), install: None })),
        None => (entry.open)(&opening),
    };
    serve(opened.as_deref().map_err(Clone::clone), BufReader::new(stdin().lock()), stdout().lock())
        .map_err(|error| Failure::new(format!("the worker's lines: {error}")))?;
    Ok(CommandOutcome::Done)
}
