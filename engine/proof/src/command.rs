//! Command line of `kasoku-proof`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kasoku_proof::case::CodePath;
use kasoku_proof::flow::{MAX_TABLE_LEN, Tally};
use kasoku_proof::library::Library;
use kasoku_proof::mutants::{self, Mutant, Outcome, Review};
use kasoku_proof::native::Compared;
use kasoku_proof::theorem::{self, Extent, Proven, Selection};
use kasoku_proof::{field, native};
use serde_json::json;
use sha2::{Digest, Sha256};

const USAGE: &str = "usage: kasoku-proof [--library FILE] [--sample | --induction] [--path PATH] [--json FILE]
       kasoku-proof [--library FILE] --mutants | --mutant NUMBER
  Checks the machine code of libkasoku.so (by default the one beside this command) against the formulas of AES-GCM.
  docs/PROOF.md says what that shows, and with which error.
  --sample          a fixed cross-section of all calls
  --induction       of all calls only the long messages of any length
  --path PATH       of all calls only those on one code path: vaes512/karatsuba, vaes512/schoolbook, vaes256 or aesni
  --json FILE       also writes what was checked, with the hashes of library and command
  --mutants         changes the code in some hundred ways, one after the other: the exit status is 1 if a mutant is
                    accepted that is not on the list of reviewed ones
  --mutant NUMBER   one of these; the exit status is 1 if it is refused, as it has to be";

struct Options {
    library: PathBuf,
    task: Task,
    path: Option<CodePath>,
    /// File for the record of the verification.
    json: Option<PathBuf>,
}

enum Task {
    Theorem(Extent),
    Mutants,
    Mutant(usize),
}

pub(crate) fn run() -> ExitCode {
    let options = match parse_options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let library = &options.library;
    let hash = match hash_of_file(library) {
        Ok(hash) => hash,
        Err(error) => {
            eprintln!("kasoku-proof: {}: {error}; `cargo build --release -p kasoku-c` makes it", library.display());
            return ExitCode::from(2);
        }
    };
    println!("{}, SHA-256 {hash}", library.display());
    let done = match options.task {
        Task::Theorem(extent) => run_proof(&options, extent, &hash),
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

/// Returns the SHA-256 hash of a file, in hexadecimal digits.
fn hash_of_file(path: &Path) -> io::Result<String> {
    Ok(hexadecimal(&Sha256::digest(fs::read(path)?)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse_options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let beside = std::env::current_exe().map(|command| command.with_file_name("libkasoku.so"));
    let library = beside.unwrap_or_default();
    let mut options = Options { library, task: Task::Theorem(Extent::Everything), path: None, json: None };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--library" => {
                let given = PathBuf::from(arguments.next().ok_or(USAGE)?);
                // The loader searches its own folders for a name without a slash.
                let is_name = given.parent().is_some_and(|parent| parent.as_os_str().is_empty());
                options.library = if is_name { Path::new(".").join(given) } else { given };
            }
            "--sample" => options.task = Task::Theorem(Extent::Sample),
            "--induction" => options.task = Task::Theorem(Extent::Induction),
            "--path" => options.path = Some(arguments.next().ok_or(USAGE)?.parse()?),
            "--json" => options.json = Some(PathBuf::from(arguments.next().ok_or(USAGE)?)),
            "--mutants" => options.task = Task::Mutants,
            "--mutant" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                options.task = Task::Mutant(number.ok_or(USAGE)?);
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    if (options.path.is_some() || options.json.is_some()) && !matches!(options.task, Task::Theorem(_)) {
        return Err(USAGE.to_owned());
    }
    field::check_cpu()?;
    Ok(options)
}

/// Executes the proof and prints the result. Returns whether every call is accepted, and the semantics agree with the
/// CPU. `hash` is the library's SHA-256 hash.
fn run_proof(options: &Options, extent: Extent, hash: &str) -> io::Result<bool> {
    let (library, started) = (&options.library, Instant::now());
    let selection = Selection { extent, path: options.path };
    let proven = theorem::prove(library, selection, |line| println!("{line}"))?;
    let compared = match extent {
        Extent::Sample => native::compare(&native::distinct_forms(&proven.instructions), 16, <[u8]>::to_vec)?,
        Extent::Everything | Extent::Induction => native::compare(&proven.instructions, 100, <[u8]>::to_vec)?,
    };
    print_comparison(&compared);
    print_summary(library, &proven, started);
    if let Some(json) = &options.json {
        // Hashed again, so that the record names the file that was loaded.
        if hash_of_file(library)? != hash {
            return Err(io::Error::other(format!("{} has changed meanwhile", library.display())));
        }
        let record = verification_record(library, hash, selection, &proven, &compared)?;
        fs::write(json, format!("{record:#}\n"))?;
    }
    Ok(compared.agrees() && proven.refused.is_empty())
}

/// Returns what was verified, as a JSON object. The object is the same for each run on any machine whose CPU has all
/// instructions of the library.
fn verification_record(
    library: &Path,
    hash: &str,
    selection: Selection,
    proven: &Proven,
    compared: &Compared,
) -> io::Result<serde_json::Value> {
    let calls = match selection.extent {
        Extent::Sample => "sample",
        Extent::Everything => "all",
        Extent::Induction => "induction",
    };
    let Tally { comparisons, lookups, arguments, argument_degree, degree } = proven.compared;
    Ok(json!({
        "library": library.file_name().unwrap_or_default().to_string_lossy(),
        "library_sha256": hash,
        "code_sha256": hexadecimal(&Sha256::digest(Library::load(library)?.code().1)),
        "compiler": compiler_of(&fs::read(library)?),
        "prover_version": env!("CARGO_PKG_VERSION"),
        "prover_sha256": hash_of_file(&std::env::current_exe()?)?,
        "random_points": "from library_sha256",
        "calls": calls,
        "code_path": selection.path.map(|path| path.to_string()),
        "jobs": proven.jobs,
        "accepted": proven.calls,
        "accepted_by_kind": proven.calls_by_kind,
        "refused": proven.refused.len(),
        "most_for_one_call": {
            "s_box_arguments": arguments,
            "s_box_argument_degree": argument_degree,
            "comparisons": comparisons,
            "table_lookups": lookups,
            "identity_tests": proven.compared.identity_tests(),
            "degree": degree,
        },
        "error_probability_below_2_to_minus": proven.error_exponent.floor(),
        "instructions": compared.all(),
        "all_instructions_as_on_the_cpu": compared.agrees() && compared.instructions == compared.all(),
    }))
}

/// Returns the compiler's name and version in a library's bytes, which rustc writes into the section `.comment`.
fn compiler_of(library: &[u8]) -> Option<String> {
    const START: &[u8] = b"rustc version ";
    let at = library.windows(START.len()).position(|bytes| bytes == START)?;
    let name = library[at..].split(|&byte| byte == 0).next()?;
    Some(String::from_utf8_lossy(&name[..name.len().min(100)]).into_owned())
}

/// Prints how the prover's model of instructions compares with this CPU, for those instructions that the CPU supports.
fn print_comparison(compared: &Compared) {
    for difference in compared.different.iter().take(20) {
        println!("The CPU does something else: {difference}");
    }
    for (features, count) in &compared.missing_features {
        println!("Not compared, since this CPU lacks {features}: {count} instructions.");
    }
    let Compared { instructions, executions, with_unknown, .. } = compared;
    if *instructions == 0 {
        println!("No instruction was compared with this CPU, so nothing shows that the semantics are right.");
    } else {
        println!(
            "Semantics: {instructions} instructions, {with_unknown} of them with unknown bits too, executed \
             {executions} times, came to what this CPU comes to."
        );
    }
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
