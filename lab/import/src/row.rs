//! Parses single lines of the tables that openssl prints for people: headings, rows, and lines to ignore.

use super::figure::{self, Bad};
use super::names;
use super::timing::operation_subject;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::printable::printable;
use kasoku_model::workload::Operation;

/// Maximum message size in a heading: 1 GiB.
const MAX_MESSAGE: usize = 1 << 30;
pub(super) const MAX_SIZES: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    /// Throughputs at the given message sizes in bytes, with the heading `type  16 bytes  64 bytes …`.
    Bulk(Vec<usize>),
    /// Heading `keygen encaps decaps …`.
    Kem,
    /// Heading `keygen signs verify …`.
    Signatures,
    /// Table whose rows, and not its heading, name the operations.
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operations {
    pub(super) name: String,
    pub(super) algorithm: Option<Algorithm>,
    pub(super) figures: Vec<(Operation, f64)>,
    /// Key of the row's measuring time in [`Timings`](super::timing::Timings).
    pub(super) subject: String,
}

/// Returns the operations that a row of a kind (`rsa`, `ecdh`) with so many figures measures. Rows of RSA with more
/// than two figures also have encryption and decryption.
fn operations_of(kind: &str, figures: usize) -> &'static [Operation] {
    match kind {
        "rsa" if figures > 2 => &[Operation::Sign, Operation::Verify, Operation::Encrypt, Operation::Decrypt],
        "ecdh" | "ffdh" => &[Operation::Derive],
        _ => &[Operation::Sign, Operation::Verify],
    }
}

/// Returns the table whose heading `line` is, if it is a heading. Fails if the sizes are impossible.
pub(super) fn table(line: &str) -> Result<Option<TableKind>, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    Ok(Some(match words.as_slice() {
        ["type", first, ..] if first.bytes().all(|byte| byte.is_ascii_digit()) => {
            // A size of seven digits fills its column, without a space to the word before it.
            let sizes = sizes(&line.replace("bytes", " bytes "));
            TableKind::Bulk(
                sizes.ok_or(
                    "the table's heading is not pairs of a number and \"bytes\", each once; it may be truncated",
                )?,
            )
        }
        ["keygen", "encaps", "decaps", ..] => TableKind::Kem,
        ["keygen", "signs", "verify", ..] => TableKind::Signatures,
        ["sign", "verify", ..] | ["op", "op/s"] => TableKind::Other,
        _ => return Ok(None),
    }))
}

fn sizes(heading: &str) -> Option<Vec<usize>> {
    let words: Vec<&str> = heading.split_whitespace().skip(1).collect();
    let mut sizes = Vec::new();
    for pair in words.chunks(2) {
        let [size, "bytes"] = pair else { return None };
        let size = size.parse().ok().filter(|size| is_size(*size) && !sizes.contains(size))?;
        sizes.push(size);
    }
    (sizes.len() <= MAX_SIZES).then_some(sizes)
}

pub(super) fn is_size(size: usize) -> bool {
    (1..=MAX_MESSAGE).contains(&size)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bulk<'l> {
    pub(super) name: String,
    pub(super) figures: Vec<&'l str>,
    /// The CPU core in brackets behind the figures, as sbc-bench prints it: `Cortex-A720`.
    pub(super) core: Option<String>,
}

/// Splits a row of throughputs into a name of up to three words and the figures. A CPU core may follow the figures in
/// brackets (`Cortex-A55`).
pub(super) fn bulk(line: &str) -> Option<Bulk<'_>> {
    let (line, core) = match line.strip_suffix(')').and_then(|line| line.rsplit_once(" (")) {
        Some((line, core)) if is_core(core) => (line, Some(printable(core))),
        _ => (line, None),
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let first = words.iter().skip(1).position(|word| figure::is_attempt(word))? + 1;
    let (name, figures) = words.split_at(first);
    let is_row = name.len() <= 3
        && figures.iter().all(|word| figure::is_attempt(word))
        && figures.iter().any(|word| figure::is_bulk_form(word));
    let name = name.join(" ");
    // Only the name identifies a row that was cut off inside its first figure.
    let is_cut_off = figures.len() == 1 && names::bulk(&name, None).is_some();
    (is_row || is_cut_off).then(|| Bulk { name, figures: figures.to_vec(), core })
}

/// Whether a remark is only the name of a core: `Cortex-A55`, `Apple M1`.
fn is_core(remark: &str) -> bool {
    remark.len() <= 40
        && remark.starts_with(|c: char| c.is_ascii_uppercase())
        && remark.contains(|c: char| c.is_ascii_digit())
        && remark.split(' ').all(|word| word.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()))
}

/// Parses a row with operations per second. Rows of RSA, DSA and curves have their own form; other rows are recognized
/// by their table. Fails if figures are missing, superfluous or impossible.
pub(super) fn operations(line: &str, table: Option<&TableKind>) -> Result<Option<Operations>, String> {
    use Operation::{Decapsulate, Encapsulate, Generate, Sign, Verify};
    let words: Vec<&str> = line.split_whitespace().collect();
    let bits = |word: &str| word.parse::<u32>().ok();
    let (name, algorithm, operations, figures) = match words.as_slice() {
        [kind @ ("rsa" | "dsa"), size, "bits" | "bit", figures @ ..]
        | [size, "bits" | "bit", kind @ "ffdh", figures @ ..]
            if let Some(bits) = bits(size) =>
        {
            let operations = operations_of(kind, figures.len().div_ceil(2));
            (format!("{kind} {size}"), names::algorithm_with_bits(kind, bits), operations, figures)
        }
        [size, "bits" | "bit", kind @ ("ecdh" | "ecdsa" | "EdDSA" | "SM2"), curve, figures @ ..]
            if bits(size).is_some() && curve.starts_with('(') =>
        {
            let curve = curve.trim_matches(['(', ')']);
            let operations = operations_of(kind, figures.len().div_ceil(2));
            (format!("{kind} {curve}"), names::algorithm_on_curve(kind, curve), operations, figures)
        }
        [name, figures @ ..] if table == Some(&TableKind::Kem) && are_attempts(figures) => {
            let operations: &[Operation] = &[Generate, Encapsulate, Decapsulate];
            ((*name).to_owned(), names::kem(name), operations, figures)
        }
        [name, figures @ ..] if table == Some(&TableKind::Signatures) && are_attempts(figures) => {
            let operations: &[Operation] = &[Generate, Sign, Verify];
            ((*name).to_owned(), names::signature(name), operations, figures)
        }
        _ => return Ok(None),
    };
    if !figures.is_empty() && !are_attempts(figures) {
        return Ok(None);
    }
    if figures.len() != 2 * operations.len() {
        let (found, expected) = (figures.len(), 2 * operations.len());
        let what = format!("the row \"{name}\" has {found} figures instead of {expected}; it may be truncated");
        return Err(printable(&what));
    }
    let (times, rates) = figures.split_at(operations.len());
    // The times are rounded too coarsely to be imported, but damaged ones reject the file.
    parse_all(&name, times, figure::seconds)?;
    let rates = parse_all(&name, rates, figure::rate)?;
    let figures = operations.iter().copied().zip(rates).collect();
    Ok(Some(Operations { name, algorithm, figures, subject: operation_subject(line) }))
}

fn parse_all(name: &str, figures: &[&str], parse: fn(&str) -> Result<f64, Bad>) -> Result<Vec<f64>, String> {
    let bad = |figure: &str, why| printable(&format!("the figure {figure} of \"{name}\" {why}"));
    figures.iter().map(|figure| parse(figure).map_err(|why| bad(figure, why))).collect()
}

/// Whether a line of openssl or of the shell has no information: progress, notices, additions of `openssl version -a`.
pub(super) fn is_noise(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "Doing ",
        "You have chosen to measure elapsed time",
        "The 'numbers' are in",
        "To get the most accurate results",
        "program when this computer is idle",
        "First we calculate the approximate speed",
        "available timing options:",
        "timing function used:",
        "Forked child ",
        "platform:",
        "OPENSSLDIR:",
        "ENGINESDIR:",
        "MODULESDIR:",
        "Seeding source:",
        "Error initializing keygen ctx",
        "```",
        // Line prefixes of -mr, which the processes of -multi also print.
        "+H",
        "+R",
        "+DT",
        "+DN",
        "+DP",
    ];
    line.is_empty()
        // The shell's `time` prints these.
        || matches!(line.split_whitespace().next(), Some("real" | "user" | "sys"))
        || BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        // A line of OpenSSL's error queue: thread, "error", code, library, reason.
        || line.split_once(":error:").is_some_and(|(thread, _)| thread.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

pub(super) fn engine(line: &str) -> Option<&str> {
    line.strip_prefix("engine \"").or(line.strip_prefix("Engine \""))?.strip_suffix("\" set.")
}

/// Returns the name of an algorithm that openssl reports as unknown.
pub(super) fn missing(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("speed: ").unwrap_or(line);
    let name = match rest.split_once(" is an unknown ") {
        Some((name, what)) if what.trim_start().starts_with("cipher or digest") => name,
        _ => rest.strip_prefix("Unknown algorithm ")?,
    };
    let is_name = !name.is_empty() && name.len() <= 60 && name.bytes().all(|byte| byte.is_ascii_graphic());
    is_name.then_some(name)
}

fn are_attempts(words: &[&str]) -> bool {
    !words.is_empty() && words.iter().all(|word| figure::is_attempt(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_reads_headings_and_rejects_truncated_ones() {
        for (line, kind) in [
            ("type             16 bytes     64 bytes    256 bytes", Some(TableKind::Bulk(vec![16, 64, 256]))),
            ("type          16384 bytes", Some(TableKind::Bulk(vec![16_384]))),
            ("keygen    encaps    decaps keygens/s  encaps/s  decaps/s", Some(TableKind::Kem)),
            ("op      op/s", Some(TableKind::Other)),
            ("type of cipher", None),
        ] {
            assert_eq!(table(line).unwrap(), kind, "{line}");
        }
        for line in
            ["type 16 bytes 64", "type 16 byte", "type 0 bytes", "type 99999999999 bytes", "type 16 bytes 16 bytes"]
        {
            assert!(table(line).is_err(), "{line}");
        }
    }

    #[test]
    fn bulk_splits_a_row_into_name_figures_and_cpu_core_name() {
        let row = bulk("camellia-256 cbc    82854.92k   104024.62k").unwrap();
        assert_eq!((row.name.as_str(), row.figures.as_slice()), ("camellia-256 cbc", &["82854.92k", "104024.62k"][..]));
        assert_eq!(bulk("blowfish             0.00 ").unwrap().figures, ["0.00"]);
        assert_eq!(bulk("aes-128-cbc 178").unwrap().figures, ["178"]);
        assert_eq!(bulk("aes-128-cbc 178.00k (Cortex-A720)").unwrap().core.as_deref(), Some("Cortex-A720"));
        for line in [
            "takes 3.00 s",
            "Chapter 2",
            "aes-128-cbc",
            "in 2026 it was 3 times",
            "16.00k",
            "aes-128-cbc 178.00k (AES-NI off)",
            "aes-128-cbc 178.00k (masked)",
        ] {
            assert_eq!(bulk(line), None, "{line}");
        }
    }

    #[test]
    fn operations_reads_rows_of_curves_rsa_and_kem_tables() {
        let row = operations(" 253 bits ecdh (X25519)   0.0016s    644.4", None).unwrap().unwrap();
        assert_eq!((row.algorithm, row.figures), (Some(Algorithm::X25519), vec![(Operation::Derive, 644.4)]));
        let row = operations("160 bit ecdsa (secp160r1)   0.0002s   0.0008s   4101.5   1245.5", None).unwrap().unwrap();
        assert_eq!(row.figures.len(), 2);
        let rsa = "rsa  2048 bits 0.001523s 0.000043s 0.000045s 0.001618s    656.7  23043.5  22322.5    618.0";
        let row = operations(rsa, None).unwrap().unwrap();
        let rates: Vec<f64> = row.figures.iter().map(|(_, rate)| *rate).collect();
        assert_eq!(rates, [656.7, 23_043.5, 22_322.5, 618.0]);
        let kem = "mlkem768 0.000075s 0.000084s 0.000102s   13355.1   11852.0    9770.9";
        assert_eq!(operations(kem, None).unwrap(), None, "a KEM row without the heading of the KEM table");
        let row = operations(kem, Some(&TableKind::Kem)).unwrap().unwrap();
        assert_eq!((row.algorithm, row.figures[1]), (Some(Algorithm::MlKem768), (Operation::Encapsulate, 11_852.0)));
    }

    #[test]
    fn operations_rejects_truncated_and_impossible_rows() {
        for line in [
            "253 bits ecdh (X25519)   0.0016s",
            "253 bits ecdh (X25519)",
            "253 bits ecdh (X25519)   0.0016s    644.",
            "253 bits ecdh (X25519)   0.0016s    644.4 1.0",
            "253 bits ecdh (X25519)   0.0016s    nan",
            "253 bits ecdh (X25519)   0.0016s    -644.4",
            "rsa 2048 bits 0.001523s 0.000043s    656.7",
            "rsa 2048 bits 0.001523s 0.000043s 0.000045s 0.001618s 656.7 23043.5",
        ] {
            assert!(operations(line, None).is_err(), "{line}");
        }
    }

    #[test]
    fn missing_extracts_the_unknown_algorithm_from_an_openssl_error() {
        assert_eq!(missing("speed: BLAKE2s256 is an unknown cipher or digest"), Some("BLAKE2s256"));
        assert_eq!(missing("speed: Unknown algorithm nosuch"), Some("nosuch"));
        assert_eq!(missing("this is an unknown thing"), None);
    }
}
