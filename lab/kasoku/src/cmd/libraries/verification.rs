//! `kasoku libraries --verified`: whether a record of `kasoku-proof` lists the file of a C library. The packages have
//! these records; docs/PROOF.md says what a record shows.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::cmd::{CommandOutcome, Failure};
use kasoku_model::printable::printable;
use kasoku_store::output_file::print;

/// Maximum size of a library in bytes, some ten times that of our largest.
const MAX_LIBRARY_BYTES: u64 = 64 << 20;
/// Maximum size of a record in bytes, some fifty times that of our largest.
const MAX_RECORD_BYTES: u64 = 64 << 10;
/// Maximum number of records that are read in each folder.
const MAX_RECORDS: usize = 100;

/// The fields of a record that the answer needs. `kasoku-proof --json` writes them.
#[derive(Deserialize)]
struct Record {
    library_sha256: String,
    calls: Extent,
    /// The only verified code path, or `None` for all.
    code_path: Option<String>,
    accepted: u64,
    refused: u64,
    error_probability_below_2_to_minus: f64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Extent {
    Sample,
    All,
    Induction,
}

/// Prints whether a record beside the library, or where the packages install it, lists the library's file. The exit
/// status is 0 only if the record says that every call on every code path was accepted.
pub(super) fn run(library: &Path) -> Result<CommandOutcome, Failure> {
    let name = printable(&library.to_string_lossy());
    let failed = |error: io::Error| Failure::new(format!("{name}: {error}"));
    let file = fs::canonicalize(library).map_err(failed)?;
    let sha256: String =
        Sha256::digest(read(&file, MAX_LIBRARY_BYTES).map_err(failed)?).iter().map(|b| format!("{b:02x}")).collect();
    let records = records_for(&file);
    let mut answer = None;
    for path in &records {
        let shown = path.to_string_lossy();
        let content = read(path, MAX_RECORD_BYTES).map_err(|error| error.to_string());
        match content.and_then(|content| serde_json::from_slice::<Record>(&content).map_err(|error| error.to_string()))
        {
            Ok(record) if record.library_sha256 == sha256 => answer = answer.or(Some((record, path))),
            Ok(_) => {}
            Err(why) => super::super::tell(&format!("{} is no record of a verification: {why}", printable(&shown))),
        }
    }
    let (line, outcome) = match &answer {
        Some((record, path)) => (format!("{}; {}", record.verdict(), path.display()), record.outcome()),
        None => ("no record lists this file".to_owned(), CommandOutcome::Partial),
    };
    print(&format!("{name}, SHA-256 {sha256}\n{}\n", printable(&line)))?;
    Ok(outcome)
}

impl Record {
    fn verdict(&self) -> String {
        let Self { accepted, refused, error_probability_below_2_to_minus: bound, .. } = self;
        if *refused > 0 {
            return format!("verified: no ({refused} calls refused, {accepted} accepted)");
        }
        let calls = match self.calls {
            Extent::Sample => format!("sample of {accepted} calls"),
            Extent::All => format!("all {accepted} calls"),
            Extent::Induction => format!("{accepted} calls by induction only"),
        };
        let part = self.code_path.as_ref().map(|path| format!("only on {path}, ")).unwrap_or_default();
        format!("verified: {} ({part}{calls}, bound 2^-{bound})", if part.is_empty() { "yes" } else { "in part" })
    }

    fn outcome(&self) -> CommandOutcome {
        if self.refused == 0 && self.accepted > 0 && self.code_path.is_none() {
            CommandOutcome::Done
        } else {
            CommandOutcome::Partial
        }
    }
}

/// Reads a regular file of up to `max` bytes.
fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(max + 1).read_to_end(&mut content)?;
    if content.len() as u64 > max {
        return Err(io::Error::other(format!("it is larger than {max} bytes")));
    }
    Ok(content)
}

/// Returns the records beside a library, in the documents of the archive that it came in, and in those of its Debian
/// package.
fn records_for(library: &Path) -> Vec<PathBuf> {
    let Some(folder) = library.parent() else { return Vec::new() };
    let documents = |up: Option<&Path>, name: &str| up.map(|up| up.join("share/doc").join(name));
    let folders = [
        Some(folder.to_owned()),
        documents(folder.parent(), "kasoku"),
        documents(folder.parent().and_then(Path::parent), "libkasoku0"),
    ];
    let mut all = Vec::new();
    for entries in folders.iter().flatten().filter_map(|folder| fs::read_dir(folder).ok()) {
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut records: Vec<PathBuf> =
            paths.filter(|path| path.to_string_lossy().ends_with(".verification.json")).take(MAX_RECORDS).collect();
        records.sort_unstable();
        all.append(&mut records);
    }
    all
}
