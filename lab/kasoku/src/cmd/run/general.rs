//! What can be asked of every level, before its name or behind it.

use std::path::PathBuf;

use super::super::named::{instead, library};
use super::sizes::{Sizes, sizes};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::label::label;
use kasoku_model::workload::{NonceForm, Operation};

/// The options that all levels share.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "General options")]
pub(super) struct General {
    /// Take half a minute a level, two minutes in all: fewer rounds, wider intervals
    #[arg(long)]
    pub(super) quick: bool,
    /// Take the algorithms, sizes and durations of the published measurements; those of jvm, files and tls take hours
    /// and must be named
    #[arg(long)]
    pub(super) as_published: bool,
    /// These libraries only (see kasoku libraries)
    #[arg(long, alias = "stacks", value_delimiter = ',', value_name = "A,B", value_parser = library)]
    pub(super) libraries: Option<Vec<String>>,
    /// Another build of OpenSSL's libcrypto to measure beside the system's; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(super) libcrypto: Vec<PathBuf>,
    /// Another Java to measure in beside those that are found: a program java, or the folder of a JDK; may be given
    /// several times
    #[arg(long, value_name = "PATH")]
    pub(super) java: Vec<PathBuf>,
    /// These acceleration states: on, off, no-aes, no-clmul, no-vaes, no-avx512, no-sha [default: on,off]
    #[arg(long, value_delimiter = ',', value_name = "STATES")]
    pub(super) acceleration: Option<Vec<Acceleration>>,
    /// These algorithms only
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = measured)]
    pub(super) algorithms: Option<Vec<Algorithm>>,
    /// These operations: encrypt, decrypt, seal, open, hash, derive, sign, verify, encapsulate, decapsulate,
    /// protect, unprotect, serve, transfer
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(super) operations: Option<Vec<Operation>>,
    /// How the nonces of AEADs come about: ahead (made before), counted (and used at once) [default: ahead]
    #[arg(long, value_delimiter = ',', value_name = "FORMS")]
    pub(super) nonces: Option<Vec<NonceForm>>,
    /// These sizes in bytes, also in K, M and G (beside other levels, files take those of 1M and more), or `sweep`: 75
    /// from 16 bytes to 64 KiB, for kasoku steps [default: see --list]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", value_parser = sizes)]
    pub(super) sizes: Option<Vec<Sizes>>,
    /// Run every workload in this many threads at once, or in as many as there are cores ("all")
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(super) threads: Option<usize>,
    /// Rounds, instead of 30 (24 of primitives, 10 with --quick); rounded up to a multiple of 3, from 30 on of 10
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) rounds: Option<u32>,
    /// Milliseconds of a timed slice, instead of as many as the time allows
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=2_000))]
    pub(super) slice: Option<u64>,
    /// Print what would be measured, and how long it takes, and measure nothing
    #[arg(long)]
    pub(super) list: bool,
    /// Write the run document here
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the report here [default: kasoku-RUN.html, after the run's name]
    #[arg(long, value_name = "FILE.html")]
    pub(super) report: Option<PathBuf>,
    /// Call the run so, besides the name it gets: kasoku show before, kasoku compare before last
    #[arg(long, value_name = "TEXT", value_parser = label)]
    pub(super) label: Option<String>,
    /// Wait if another run is measuring on this machine, instead of refusing
    #[arg(long)]
    pub(super) wait: bool,
    /// Under mpirun: the folder in which each host keeps what it measured, before it is gathered on the first
    /// [default: this folder]
    #[arg(long, value_name = "PATH")]
    pub(super) host_results: Option<PathBuf>,
}

impl General {
    /// These, given behind a level's name, and `before`, given in front of it.
    pub(super) fn joined_with(self, before: &General) -> General {
        let before = before.clone();
        General {
            quick: self.quick || before.quick,
            as_published: self.as_published || before.as_published,
            libraries: self.libraries.or(before.libraries),
            libcrypto: [before.libcrypto, self.libcrypto].concat(),
            java: [before.java, self.java].concat(),
            acceleration: self.acceleration.or(before.acceleration),
            algorithms: self.algorithms.or(before.algorithms),
            operations: self.operations.or(before.operations),
            nonces: self.nonces.or(before.nonces),
            sizes: self.sizes.or(before.sizes),
            threads: self.threads.or(before.threads),
            rounds: self.rounds.or(before.rounds),
            slice: self.slice.or(before.slice),
            list: self.list || before.list,
            json: self.json.or(before.json),
            report: self.report.or(before.report),
            label: self.label.or(before.label),
            wait: self.wait || before.wait,
            host_results: self.host_results.or(before.host_results),
        }
    }
}

/// A number of threads; 0 stands for "all".
fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        _ if text == "all" => Ok(0),
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number of threads is from 1 to 1024, or all".to_owned()),
    }
}

/// An algorithm that can be measured.
fn measured(typed: &str) -> Result<Algorithm, String> {
    match typed.parse::<Algorithm>() {
        Ok(algorithm) if algorithm.is_quoted() => Err(format!(
            "{algorithm} is known from other people's tables only; nothing here measures it{}",
            instead(algorithm)
        )),
        Ok(algorithm) => Ok(algorithm),
        Err(unknown) => Err(unknown.to_string()),
    }
}
