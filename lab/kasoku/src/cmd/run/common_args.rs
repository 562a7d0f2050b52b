//! The options of `kasoku run` that concern every level.

use std::path::PathBuf;

use super::super::named::{instead, library, number_of};
use super::sizes::{Sizes, sizes};
use kasoku_measure::hosts::launcher::{Launcher, check_host_name};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::run_name::label;
use kasoku_model::workload::{NonceForm, Operation};

/// The options that all levels share.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "General options")]
pub(super) struct CommonArgs {
    /// Measure for half a minute per level, two minutes in all: fewer rounds, wider intervals
    #[arg(long)]
    pub(super) quick: bool,
    /// Use the algorithms, sizes and durations of the published measurements; jvm, files and tls take hours and must be
    /// named
    #[arg(long, conflicts_with = "quick")]
    pub(super) as_published: bool,
    /// Libraries to measure (see kasoku libraries)
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = library)]
    pub(super) libraries: Option<Vec<String>>,
    /// Measure this build of OpenSSL's libcrypto beside the system's; repeatable
    #[arg(long, value_name = "PATH")]
    pub(super) libcrypto: Vec<PathBuf>,
    /// Measure with this Java too, beside those that are found: a java program or a JDK folder; repeatable
    #[arg(long, value_name = "PATH")]
    pub(super) java: Vec<PathBuf>,
    /// Acceleration states: on, off, no-aes, no-clmul, no-vaes, no-avx512, no-sha [default: on,off]
    #[arg(long, value_delimiter = ',', value_name = "STATES")]
    pub(super) acceleration: Option<Vec<Acceleration>>,
    /// Algorithms to measure
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = measured)]
    pub(super) algorithms: Option<Vec<Algorithm>>,
    /// Operations: encrypt, decrypt, seal, open, hash, derive, sign, verify, encapsulate, decapsulate,
    /// protect, unprotect, serve, transfer
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(super) operations: Option<Vec<Operation>>,
    /// How AEAD nonces are made: ahead (before timing), counted (one by one, while timed) [default: ahead]
    #[arg(long, value_delimiter = ',', value_name = "FORMS")]
    pub(super) nonces: Option<Vec<NonceForm>>,
    /// Sizes in bytes, or with K, M or G (beside other levels, files use those from 1M on), or `sweep`: 75 sizes from
    /// 16 bytes to 64 KiB, for kasoku steps [default: see --list]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", value_parser = sizes)]
    pub(super) sizes: Option<Vec<Sizes>>,
    /// Run every workload in this many threads at once, or "all" for one per core
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(super) threads: Option<usize>,
    /// Number of rounds, rounded up to a multiple of 3, from 30 on of 10 [default: 30; primitives 24; --quick 10]
    #[arg(long, value_name = "N", value_parser = number_of("rounds", 1..=10_000_u32))]
    pub(super) rounds: Option<u32>,
    /// Length of a timed slice in milliseconds [default: as long as the time allows]
    #[arg(long, value_name = "MS", value_parser = number_of("milliseconds", 1..=2_000_u64))]
    pub(super) slice: Option<u64>,
    /// Print what would be measured and how long it would take, without measuring
    #[arg(long)]
    pub(super) list: bool,
    /// Write the run document to this file
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the report to this file [default: kasoku-RUN.html, RUN being the run's name]
    #[arg(long, value_name = "FILE.html")]
    pub(super) report: Option<PathBuf>,
    /// Label for the run, usable like its name: kasoku show before, kasoku compare before last
    #[arg(long, value_name = "TEXT", value_parser = label)]
    pub(super) label: Option<String>,
    /// Wait for another run on this machine to finish, instead of refusing to start
    #[arg(long)]
    pub(super) wait: bool,
    /// Measure these hosts instead of this one, and collect their runs here
    #[arg(long, value_delimiter = ',', value_name = "A,B", value_parser = check_host_name)]
    pub(super) hosts: Vec<String>,
    /// How other hosts are reached: ssh, srun, mpirun, or a command with {host} in it [default: ssh]
    #[arg(long, value_name = "LAUNCHER")]
    pub(super) launcher: Option<Launcher>,
    /// Path of kasoku on other hosts [default: kasoku for ssh, otherwise this program's own path]
    #[arg(long, value_name = "PATH")]
    pub(super) remote_kasoku: Option<PathBuf>,
}

/// A number of threads; 0 stands for "all".
fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        _ if text == "all" => Ok(0),
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("the number of threads must be from 1 to 1024, or all".to_owned()),
    }
}

/// An algorithm that can be measured.
fn measured(typed: &str) -> Result<Algorithm, String> {
    match typed.parse::<Algorithm>() {
        Ok(algorithm) if algorithm.is_quoted() => {
            Err(format!("{algorithm} cannot be measured; it is known only from published tables{}", instead(algorithm)))
        }
        Ok(algorithm) => Ok(algorithm),
        Err(unknown) => Err(unknown.to_string()),
    }
}
