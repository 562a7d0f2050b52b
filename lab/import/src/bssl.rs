//! Reads the output of `bssl speed` of BoringSSL and AWS-LC: text lines, or the JSON list of `-json`.
//!
//! Figures are computed from the number of calls and the microseconds, since the output rounds the rates.

use serde::Deserialize;

use super::build_information::{BuildInformation, LibraryVersion};
use super::machine::{Added, Measured, Reading};
use super::{ImportError, ImportRemark, Imported, MAX_LINES, MAX_TRANSCRIPT_BYTES, figure, names};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::openssl_speed::AeadRow;
use kasoku_model::printable::printable;
use kasoku_model::workload::Operation;

/// Maximum number of descriptions in the remark about unknown operations.
const MAX_LISTED: usize = 60;

/// A measurement, named as in the JSON.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    description: String,
    num_calls: u64,
    microseconds: u64,
    bytes_per_call: Option<usize>,
    /// Line in the file, from 1; 0 in JSON.
    #[serde(skip)]
    line: usize,
}

/// Whether `text` has a line of `bssl speed` such as `Did 1000 SHA-256 (16 bytes) operations in 1000us (…`.
pub(super) fn is_output(text: &str) -> bool {
    text.lines().any(|line| calls(line).is_some())
}

pub(super) fn read_lines(source: &str, text: &str) -> Result<Imported, ImportError> {
    let (mut rows, mut others) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        if index >= MAX_LINES {
            return Err(ImportError::TooLarge { what: "a transcript", limit: format!("{MAX_LINES} lines") });
        }
        if let Some((calls, rest)) = calls(line) {
            let wrong = || ImportError::transcript(index + 1, "the line is damaged or truncated");
            rows.push(Row { line: index + 1, ..row(calls, rest).ok_or_else(wrong)? });
        } else if line.split_whitespace().any(figure::is_unmistakable) {
            let what = "a figure of another program than bssl speed; import it in a file of its own";
            others.push(ImportRemark::at(index + 1, what));
        }
    }
    // A mask or several threads change every figure, and the rows do not state them.
    let option = ["OPENSSL_ia32cap", "OPENSSL_armcap", "-threads"].into_iter().find(|option| text.contains(option));
    let mut imported = imported(source, rows, option, text.lines().count())?;
    imported.left_out.splice(0..0, others);
    Ok(imported)
}

pub(super) fn read_json(source: &str, text: &str) -> Result<Imported, ImportError> {
    if text.len() > MAX_TRANSCRIPT_BYTES {
        let limit = format!("{} MiB", MAX_TRANSCRIPT_BYTES >> 20);
        return Err(ImportError::TooLarge { what: "the output of bssl speed", limit });
    }
    let rows: Vec<Row> = serde_json::from_str(text).map_err(|error| {
        let what = format!("it is a JSON list, but not that of `bssl speed -json`: {error}");
        ImportError::transcript(error.line(), printable(&what))
    })?;
    imported(source, rows, None, text.lines().count())
}

fn imported(source: &str, rows: Vec<Row>, option: Option<&str>, lines: usize) -> Result<Imported, ImportError> {
    // AWS-LC has a `bssl speed` of its own, which tells two interfaces apart.
    let is_aws_lc = rows.iter().any(|row| ["AEAD-", "EVP-"].iter().any(|form| row.description.starts_with(form)));
    let library = if is_aws_lc { "AWS-LC" } else { "BoringSSL" };
    let version = LibraryVersion { library, number: String::new() };
    let build = BuildInformation { version: Some(version), ..BuildInformation::default() };
    let mut machine = Reading { build, lines: (1, lines.max(1)), ..Reading::default() };
    let (mut left_out, mut unknown) = (Vec::new(), Vec::new());
    let all = rows.len();
    for row in rows {
        let Some(mut measured) = measured(&row) else {
            unknown.push(printable(&row.description));
            continue;
        };
        measured.apart = measured.apart.or(option.map(str::to_owned));
        let figure = row.num_calls as f64 * measured.bytes.unwrap_or(1) as f64 * 1e6 / row.microseconds as f64;
        if row.num_calls == 0 || figure > figure::MAX_BYTES_PER_SECOND || !figure.is_finite() {
            let what = format!("the figure of \"{}\" is impossible", printable(&row.description));
            return Err(ImportError::transcript(row.line.max(1), what));
        }
        if let Added::Second(_) = machine.add(measured, figure, row.line) {
            let text = format!("\"{}\" was measured a second time; the first figure is kept", row.description);
            left_out.push(ImportRemark { line: Some(row.line).filter(|line| *line > 0), text: printable(&text) });
        }
    }
    if !unknown.is_empty() {
        let (count, listed) = (unknown.len(), unknown.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>());
        let more = if count > MAX_LISTED { ", …" } else { "" };
        let text = format!(
            "{count} of {all} figures are of operations that Kasoku does not know: {}{more}",
            listed.join(", ")
        );
        left_out.push(ImportRemark { line: None, text });
    }
    let machines = if machine.figures.is_empty() { Vec::new() } else { vec![machine.finish(source)] };
    Ok(Imported { machines, left_out, notes: Vec::new() })
}

/// Returns the number of calls in a line of `bssl speed`, and the rest of the line.
fn calls(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start_matches(|sign: char| sign == '>' || sign.is_whitespace()).trim_end();
    let (calls, rest) = line.strip_prefix("Did ")?.split_once(' ')?;
    let is_row = calls.bytes().all(|byte| byte.is_ascii_digit()) && rest.contains(" operations in ");
    // A number that is too large becomes 0, which the check against the rate rejects.
    is_row.then(|| (calls.parse().unwrap_or_default(), rest))
}

/// Parses the rest of a line: `SHA-256 (16 bytes) operations in 1000067us (4612091.0 ops/sec): 73.8 MB/s`.
fn row(num_calls: u64, rest: &str) -> Option<Row> {
    let (description, times) = rest.rsplit_once(" operations in ")?;
    let (microseconds, times) = times.split_once("us (")?;
    let (rate, throughput) = times.split_once(" ops/sec)")?;
    let microseconds: u64 = microseconds.parse().ok()?;
    let rate: f64 = rate.parse().ok()?;
    let is_rate = (rate - num_calls as f64 * 1e6 / microseconds as f64).abs() <= 0.1 + rate * 1e-9;
    let throughput = throughput.strip_prefix(": ").map(|text| text.strip_suffix(" MB/s")?.parse::<f64>().ok());
    let (description, bytes_per_call) = match throughput {
        None => (description.to_owned(), None),
        Some(throughput) => {
            throughput?;
            let (_, size) = without_size(description)?;
            (description.to_owned(), Some(size))
        }
    };
    is_rate.then_some(Row { description, num_calls, microseconds, bytes_per_call, line: 0 })
}

/// Splits `AES-128-GCM (16 bytes) seal` into `AES-128-GCM seal` and 16.
fn without_size(description: &str) -> Option<(String, usize)> {
    let (before, rest) = description.split_once(" (")?;
    let (size, after) = rest.split_once(" byte")?;
    let (_, after) = after.split_once(')')?;
    Some((format!("{before}{after}"), size.parse().ok()?))
}

/// Returns the algorithm, operation and size of a row; `None` if Kasoku does not know the operation.
fn measured(row: &Row) -> Option<Measured> {
    let (name, bytes) = match row.bytes_per_call {
        Some(bytes) => {
            (without_size(&row.description).map_or_else(|| row.description.clone(), |(name, _)| name), Some(bytes))
        }
        None => (row.description.clone(), None),
    };
    let (algorithm, operation) = match bytes {
        Some(1..) => bulk(&name)?,
        Some(0) => return None,
        None => asymmetric(&name)?,
    };
    let is_aead = algorithm.kind() == AlgorithmKind::Aead;
    Some(Measured {
        operation,
        algorithm,
        bytes,
        acceleration: Acceleration::On,
        is_low_level: false,
        aead_row: is_aead.then_some(AeadRow::Messages),
        processes: 1,
        core: None,
        // Each call generates a key, too.
        apart: name.starts_with("ECDH ").then(|| "with a new key".to_owned()),
    })
}

fn bulk(name: &str) -> Option<(Algorithm, Operation)> {
    let (name, operation) = match name.rsplit_once(' ') {
        Some((name, "seal")) => (name, Operation::Seal),
        Some((name, "open")) => (name, Operation::Open),
        _ => (name, Operation::Hash),
    };
    let algorithm = names::bulk(name.strip_prefix("AEAD-").unwrap_or(name), None)?.algorithm;
    Operation::of(algorithm.kind()).contains(&operation).then_some((algorithm, operation))
}

fn asymmetric(name: &str) -> Option<(Algorithm, Operation)> {
    const OPERATIONS: [(&str, Operation); 6] = [
        (" signing", Operation::Sign),
        (" sign (randomized)", Operation::Sign),
        (" verify", Operation::Verify),
        (" verify (same key)", Operation::Verify),
        (" verify (valid signature)", Operation::Verify),
        (" key generation", Operation::Generate),
    ];
    if name == "Curve25519 arbitrary point multiplication" {
        return Some((Algorithm::X25519, Operation::Derive));
    }
    if let Some(curve) = name.strip_prefix("ECDH P-") {
        return Some((names::algorithm_on_curve("ecdh", &format!("p{curve}"))?, Operation::Derive));
    }
    let (name, operation) =
        OPERATIONS.into_iter().find_map(|(suffix, operation)| Some((name.strip_suffix(suffix)?, operation)))?;
    // Until 2025, BoringSSL had a single parameter set.
    let name = if name == "MLDSA" { "ML-DSA-65" } else { name };
    Some((names::signature(&name.replace(' ', "-"))?, operation))
}
