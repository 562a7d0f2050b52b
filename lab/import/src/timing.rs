//! Reads the measuring times that openssl prints, to find figures that are wrong by their clock.
//!
//! If the measured time is far from the requested one, the clock did not count the work: an engine did it outside of
//! the CPU time, or the clock is damaged.

use std::collections::HashMap;

/// Ratio of measured to requested time, or its inverse, from which a figure is rejected.
const FAR: f64 = 3.0;

#[derive(Debug, Default)]
pub(super) struct Timings {
    /// Messages about measured times that are far from the requested times, by subject.
    far: HashMap<String, String>,
}

/// Returns the key under which the time of an algorithm at a size is kept.
pub(super) fn bulk_subject(name: &str, bytes: &str) -> String {
    format!("{} {bytes}", name.to_ascii_lowercase())
}

/// Returns the key for a row with figures per operation, or for the text behind "Doing": `2048 bits`, `mlkem768`.
pub(super) fn operation_subject(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let bits = words.windows(2).find(|pair| matches!(pair[1], "bits" | "bit")).map(|pair| pair[0]);
    bits.map_or_else(|| words.first().unwrap_or(&"").to_ascii_lowercase(), |bits| format!("{bits} bits"))
}

impl Timings {
    /// Reads a line of progress: `Doing … for 3s on 16 size blocks: 600000 … in 2.99s`.
    pub(super) fn read(&mut self, line: &str) {
        let Some((subject, asked, count, took)) = progress(line) else { return };
        // The last operation may exceed the time, and a slow operation runs only once.
        let is_far = took * FAR < asked || took > FAR * (asked + took / count);
        if count > 0.0 && is_far {
            self.far.insert(subject, format!("{took} s instead of {asked} s"));
        }
    }

    /// Describes a time that is far from the requested one: `0.01 s instead of 3 s`.
    pub(super) fn far(&self, subject: &str) -> Option<&str> {
        self.far.get(subject).map(String::as_str)
    }
}

fn progress(line: &str) -> Option<(String, f64, f64, f64)> {
    let (what, rest) = line.strip_prefix("Doing ")?.split_once(" for ")?;
    let (asked, rest) = rest.split_once('s')?;
    let (size, result) = rest.split_once(": ")?;
    let count = result.split_whitespace().next()?.parse().ok()?;
    let took = result.rsplit_once(" in ")?.1.strip_suffix('s')?.parse().ok()?;
    let bytes = size.strip_prefix(" on ").and_then(|size| size.split_whitespace().next());
    // OpenSSL 3.2 and later print "Doing AES-128-CBC ops for 3s on 16 size blocks".
    let name = what.strip_suffix(" ops").unwrap_or(what);
    let subject = bytes.map_or_else(|| operation_subject(what), |bytes| bulk_subject(name, bytes));
    Some((subject, asked.parse().ok()?, count, took))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timings_find_measuring_times_far_from_the_requested_ones() {
        for (line, subject, far) in [
            ("Doing aes-256-cbc for 3s on 16 size blocks: 600000 aes-256-cbc's in 0.10s", "aes-256-cbc 16", true),
            ("Doing AES-128 cbc for 3s on 64 size blocks: 600000 AES-128 cbc's in 2.71s", "aes-128 cbc 64", false),
            ("Doing 224 bits  ecdh's for 10s: 160000 224-bits ECDH ops in 99999.21s", "224 bits", true),
            ("Doing 15360 bits private rsa's for 10s: 1 15360 bits private RSA's in 42.00s", "15360 bits", false),
            ("Doing ML-KEM-768 keygen ops for 10s: 123456 ML-KEM-768 KEM keygen ops in 0.50s", "ml-kem-768", true),
            ("Doing AES-128-CBC ops for 3s on 16 size blocks: 37000 AES-128-CBC ops in 0.01s", "aes-128-cbc 16", true),
            ("Doing bf-cbc for 3s on 16 size blocks: 0 bf-cbc's in 0.00s", "bf-cbc 16", false),
        ] {
            let mut timings = Timings::default();
            timings.read(line);
            assert_eq!(timings.far(subject).is_some(), far, "{line}");
        }
    }
}
