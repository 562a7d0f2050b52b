//! The command line.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use kasoku_proof::theorem::{self, Extent, Proven};
use kasoku_proof::{field, native};

const USAGE: &str = "usage: kasoku-proof [--library FILE] [--sample]
  Proves that libkasoku.so (by default the one beside this command) computes AES-GCM. docs/PROOF.md says what that means.
  --sample    a fixed cross-section of all calls";

struct Options {
    library: PathBuf,
    extent: Extent,
}

pub(crate) fn run() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match prove(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("kasoku-proof: {error}");
            ExitCode::from(2)
        }
    }
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let beside = std::env::current_exe().map(|command| command.with_file_name("libkasoku.so"));
    let mut options = Options { library: beside.unwrap_or_default(), extent: Extent::Everything };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--library" => options.library = arguments.next().ok_or(USAGE)?.into(),
            "--sample" => options.extent = Extent::Sample,
            _ => return Err(USAGE.to_owned()),
        }
    }
    field::check_cpu()?;
    Ok(options)
}

fn prove(options: &Options) -> io::Result<bool> {
    let started = Instant::now();
    let proven = theorem::prove(&options.library, options.extent, |line| println!("{line}"))?;
    let times = if options.extent == Extent::Sample { 16 } else { 200 };
    let agrees = compare(&proven, times)?;
    summary(&options.library, &proven, started);
    Ok(agrees && proven.refused.is_empty())
}

/// Whether the semantics agree with this CPU.
fn compare(proven: &Proven, times: usize) -> io::Result<bool> {
    if !native::is_possible() {
        println!("The semantics were not compared with this CPU, which has no VAES or no AVX-512.");
        return Ok(std::env::var_os("CI").is_none());
    }
    let compared = native::compare(&proven.instructions, times)?;
    for what in compared.different.iter().take(20) {
        println!("The CPU does something else: {what}");
    }
    let (instructions, executions) = (compared.instructions, compared.executions);
    println!("Semantics: {instructions} instructions, executed {executions} times, came to what this CPU comes to.");
    Ok(compared.different.is_empty())
}

fn summary(library: &Path, proven: &Proven, started: Instant) {
    for (call, why) in proven.refused.iter().take(20) {
        println!("REFUSED {call}: {why}");
    }
    let pairs = (proven.substitutions as f64).powi(2) / 2.0;
    println!(
        "{}: {} calls proven, {} refused, in {:.0} s; the chance of a mistake is below 2^-{:.0}.",
        library.display(),
        proven.calls,
        proven.refused.len(),
        started.elapsed().as_secs_f64(),
        128.0 - (pairs + 20_000.0).log2().ceil()
    );
}
