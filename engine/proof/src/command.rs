//! Command line of `kasoku-proof`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kasoku_proof::flow::{MAX_TABLE_LEN, Tally};
use kasoku_proof::mutants::{self, Mutant, Outcome, Review};
use kasoku_proof::native::Compared;
use kasoku_proof::theorem::{self, Extent, Proven};
use kasoku_proof::{field, native};
use sha2::{Digest, Sha256};

const USAGE: &str = "usage: kasoku-proof [--library FILE] [--sample | --induction | --mutants | --mutant NUMBER]
  Checks the machine code of libkasoku.so (by default the one beside this command) against the formulas of AES-GCM.
  docs/PROOF.md says what that shows, and with which error.
  --sample          a fixed cross-section of all calls
  --induction       of all calls only the long messages of any length
  --mutants         changes the code in some hundred ways, one after the other: the exit status is 1 if a mutant is
                    accepted that is not on the list of reviewed ones
  --mutant NUMBER   one of these; the exit status is 1 if it is refused, as it has to be";

struct Options {
    library: PathBuf,
    task: Task,
}

enum Task {
    Theorem(Extent),
    Mutants,
    Mutant(usize),
}

pub(crate) fn run() -> ExitCode {
    let parse_options = match parse_options(std::env::args().skip(1)) {
        Ok(parse_options) => parse_options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let library = &parse_options.library;
    match fs::read(library) {
        Ok(bytes) => println!("{}, SHA-256 {}", library.display(), hexadecimal(&Sha256::digest(bytes))),
        Err(error) => {
            eprintln!("kasoku-proof: {}: {error}; `cargo build --release -p kasoku-c` makes it", library.display());
            return ExitCode::from(2);
        }
    }
    let done = match parse_options.task {
        Task::Theorem(extent) => run_proof(library, extent),
        Task::Mutants => run_all_mutants(library),
        Task::Mutant(number) => run_one_mutant(library, number),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("kasoku-proof: {error}");
            ExitCode::from(2)
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse_options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let beside = std::env::current_exe().map(|command| command.with_file_name("libkasoku.so"));
    let mut parse_options = Options { library: beside.unwrap_or_default(), task: Task::Theorem(Extent::Everything) };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--library" => {
                let given = PathBuf::from(arguments.next().ok_or(USAGE)?);
                // The loader searches its own folders for a name without a slash.
                let is_name = given.parent().is_some_and(|parent| parent.as_os_str().is_empty());
                parse_options.library = if is_name { Path::new(".").join(given) } else { given };
            }
            "--sample" => parse_options.task = Task::Theorem(Extent::Sample),
            "--induction" => parse_options.task = Task::Theorem(Extent::Induction),
            "--mutants" => parse_options.task = Task::Mutants,
            "--mutant" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                parse_options.task = Task::Mutant(number.ok_or(USAGE)?);
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    field::check_cpu()?;
    Ok(parse_options)
}

fn run_proof(library: &Path, extent: Extent) -> io::Result<bool> {
    let started = Instant::now();
    let proven = theorem::prove(library, extent, |line| println!("{line}"))?;
    let agrees = match extent {
        Extent::Sample => compare_with_cpu(&native::distinct_forms(&proven.instructions), 16)?,
        Extent::Everything | Extent::Induction => compare_with_cpu(&proven.instructions, 100)?,
    };
    print_summary(library, &proven, started);
    Ok(agrees && proven.refused.is_empty())
}

/// Compares the prover's model of instructions with this CPU, for those instructions that the CPU supports. Returns
/// whether model and CPU agree.
fn compare_with_cpu(instructions: &BTreeSet<Vec<u8>>, times: usize) -> io::Result<bool> {
    let compared = native::compare(instructions, times, <[u8]>::to_vec)?;
    for difference in compared.different.iter().take(20) {
        println!("The CPU does something else: {difference}");
    }
    for (features, count) in &compared.missing_features {
        println!("Not compared, since this CPU lacks {features}: {count} instructions.");
    }
    let Compared { instructions, executions, with_unknown, .. } = compared;
    if instructions == 0 {
        println!("No instruction was compared with this CPU, so nothing shows that the semantics are right.");
    } else {
        println!(
            "Semantics: {instructions} instructions, {with_unknown} of them with unknown bits too, executed \
             {executions} times, came to what this CPU comes to."
        );
    }
    Ok(compared.agrees())
}

fn print_summary(library: &Path, proven: &Proven, started: Instant) {
    for (call, why) in proven.refused.iter().take(20) {
        println!("REFUSED {call}: {why}");
    }
    let Tally { comparisons, lookups, arguments, argument_degree, degree } = proven.compared;
    println!(
        "At most, for one call under one point: {arguments} arguments of S-boxes, of degree {argument_degree}; \
         {comparisons} comparisons and {lookups} look-ups in tables of {MAX_TABLE_LEN} values, of degree {degree}."
    );
    println!(
        "{}: {} calls accepted, {} refused, in {:.0} s; a false statement about a call is accepted with a probability \
         below 2^-{:.0}.",
        library.display(),
        proven.calls,
        proven.refused.len(),
        started.elapsed().as_secs_f64(),
        proven.error_exponent.floor()
    );
}

/// Executes the proof on every mutant (copy of the code with one fault) and prints each outcome. Returns whether every
/// mutant that the prover accepts has a review.
fn run_all_mutants(library: &Path) -> io::Result<bool> {
    let started = Instant::now();
    let [refused, accepted, unreviewed] = [0; 3].map(AtomicUsize::new);
    let all = mutants::all_mutants(library)?;
    mutants::outcomes(library, &all, |number, outcome| {
        let mutant = &all[number];
        match outcome {
            Outcome::Refused(call, why) => {
                refused.fetch_add(1, Ordering::Relaxed);
                println!("{number} REFUSED {mutant}\n    {call}: {why}");
            }
            Outcome::Accepted(calls) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                println!(
                    "{number} ACCEPTED {} {mutant}\n    in {calls} calls; {}",
                    mutant.fingerprint,
                    review_text(mutant)
                );
                if mutant.review().is_none() {
                    unreviewed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    })?;
    let (refused, accepted, unreviewed) = (refused.into_inner(), accepted.into_inner(), unreviewed.into_inner());
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{} mutants: {refused} refused, {accepted} accepted, {unreviewed} of these not on the reviewed list; in \
         {seconds:.0} s",
        all.len()
    );
    Ok(unreviewed == 0)
}

/// Returns the reason, written by a reviewer, why the prover may accept a mutant.
fn review_text(mutant: &Mutant) -> String {
    match mutant.review() {
        Some(Review { is_equivalent: true, reason, .. }) => format!("equivalent: {reason}"),
        Some(Review { reason, .. }) => format!("not equivalent, outside of what is covered: {reason}"),
        None => format!("NOT REVIEWED: find out why, and add {} to reviewed.tsv", mutant.fingerprint),
    }
}

/// Executes the proof on one mutant and prints the outcome. Returns whether the prover accepts the mutant.
fn run_one_mutant(library: &Path, number: usize) -> io::Result<bool> {
    let all = mutants::all_mutants(library)?;
    let mutant = all.get(number).ok_or_else(|| io::Error::other(format!("there are {} mutants", all.len())))?;
    println!("{mutant}");
    match mutant.outcome(library)? {
        Outcome::Refused(call, why) => {
            println!("REFUSED {call}: {why}");
            Ok(false)
        }
        Outcome::Accepted(calls) => {
            println!("ACCEPTED in {calls} calls; {}", review_text(mutant));
            Ok(true)
        }
    }
}
