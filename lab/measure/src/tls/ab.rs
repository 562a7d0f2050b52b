//! Apache's `ab`, which the published measurement used: started, and what it prints read with distrust, since it ends
//! well whatever happens.

use std::path::PathBuf;
use std::time::Duration;

use kasoku_libraries::command;
use kasoku_model::algorithm::CipherSuite;

/// What it printed about a run that went well.
#[derive(Clone, Debug, PartialEq)]
pub struct ApacheBenchReport {
    /// Requests that were answered.
    pub requests: u64,
    /// How long all took, in seconds.
    pub seconds: f64,
    /// The longest request, connect and handshake included, in seconds.
    pub longest_s: f64,
}

/// The program in the variable PATH.
pub fn find() -> Option<PathBuf> {
    command::find("ab", &std::env::var_os("PATH").unwrap_or_default())
}

/// Its arguments for this many requests over this many connections at once.
pub fn arguments(suite: CipherSuite, requests: u64, connections: usize, limit: Duration, url: &str) -> Vec<String> {
    let protocol = suite.protocol().name().replace("TLSv", "TLS");
    let mut arguments: Vec<String> = vec!["-q".into(), "-s".into(), limit.as_secs().max(1).to_string()];
    arguments.extend(["-n".into(), requests.to_string(), "-c".into(), connections.to_string()]);
    // It knows only the suites up to TLS 1.2; of TLS 1.3 the server offers one.
    if suite.protocol() == kasoku_model::cipher_suite::Protocol::Tls12 {
        arguments.extend(["-Z".into(), suite.openssl_name().into()]);
    }
    arguments.extend(["-f".into(), protocol, url.into()]);
    arguments
}

/// Reads what it printed, `expected` requests for a document of `bytes` bytes.
///
/// # Errors
/// If anything shows that it was not what was asked for.
pub fn read(out: &str, err: &str, suite: CipherSuite, expected: u64, bytes: u64) -> Result<ApacheBenchReport, String> {
    if let Some(line) = err.lines().find(|line| !line.trim().is_empty()) {
        return Err(format!("ab complained: {}", excerpt(line)));
    }
    let value = |name: &str| out.lines().find_map(|line| Some(line.strip_prefix(name)?.trim()));
    let number = |name: &str| -> Result<u64, String> {
        let text = value(name).ok_or_else(|| format!("ab did not print \"{name}\""))?;
        let digits = text.split_whitespace().next().unwrap_or_default();
        digits.parse().map_err(|_| format!("ab printed \"{name} {}\"", excerpt(text)))
    };
    let agreed = value("SSL/TLS Protocol:").unwrap_or_default();
    let mut parts = agreed.split(',');
    let (version, cipher) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if (version, cipher) != (suite.protocol().name(), suite.openssl_name()) {
        return Err(format!("ab agreed on \"{}\" instead of {}", excerpt(agreed), suite.openssl_name()));
    }
    let (requests, failed) = (number("Complete requests:")?, number("Failed requests:")?);
    if requests != expected || failed != 0 || value("Non-2xx responses:").is_some() {
        return Err(format!("ab had {requests} requests of {expected} answered, {failed} of them wrongly"));
    }
    let (document, all) = (number("Document Length:")?, number("HTML transferred:")?);
    if document != bytes || all != expected.saturating_mul(bytes) {
        return Err(format!(
            "ab received {all} bytes, of documents of {document}, instead of {expected} times {bytes}"
        ));
    }
    let seconds = value("Time taken for tests:").and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| *seconds > 0.0).ok_or("ab printed no time")?;
    // "100%   1234 (longest request)", in milliseconds; with one request it prints no table.
    let line = out.lines().find_map(|line| line.trim().strip_suffix("(longest request)"));
    let longest = line.and_then(|line| line.trim().strip_prefix("100%")?.trim().parse::<f64>().ok());
    let longest_s = match longest {
        Some(milliseconds) => milliseconds / 1e3,
        None if expected == 1 => seconds,
        None => return Err("ab printed no longest request".to_owned()),
    };
    Ok(ApacheBenchReport { requests, seconds, longest_s })
}

fn excerpt(text: &str) -> String {
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ab 2.3 of Debian 12 printed, lines that are not read left out.
    const PRINTED: &str = "\
This is ApacheBench, Version 2.3 <$Revision: 1923142 $>
Server Software:        nginx/1.22.1
SSL/TLS Protocol:       TLSv1.2,AES128-GCM-SHA256,2048,128
Document Path:          /1048576
Document Length:        1048576 bytes

Concurrency Level:      4
Time taken for tests:   0.204 seconds
Complete requests:      100
Failed requests:        0
Total transferred:      104884200 bytes
HTML transferred:       104857600 bytes

Percentage of the requests served within a certain time (ms)
  50%      8
 100%     12 (longest request)
";

    fn of(out: &str, err: &str) -> Result<ApacheBenchReport, String> {
        read(out, err, CipherSuite::Aes128GcmSha256, 100, 1 << 20)
    }

    #[test]
    fn what_went_well_is_read() {
        assert_eq!(of(PRINTED, "").unwrap(), ApacheBenchReport { requests: 100, seconds: 0.204, longest_s: 0.012 });
    }

    #[test]
    fn whatever_shows_that_it_did_not_is_told() {
        for (from, to, says) in [
            ("requests:      100", "requests:      99", "99 requests of 100"),
            ("Failed requests:        0", "Failed requests:        3", "3 of them wrongly"),
            ("Total transferred", "Non-2xx responses: 100\nTotal transferred", "wrongly"),
            ("104857600 bytes\n\nP", "104857599 bytes\n\nP", "104857599 bytes"),
            ("1048576 bytes\n\nC", "153 bytes\n\nC", "documents of 153"),
            ("AES128-GCM-SHA256,2048", "AES256-GCM-SHA384,2048", "instead of AES128-GCM-SHA256"),
            ("TLSv1.2,", "TLSv1.3,", "instead of"),
            ("0.204", "no", "no time"),
            ("(longest request)", "", "no longest request"),
            ("Complete requests:      100\n", "", "did not print \"Complete requests:\""),
        ] {
            assert!(PRINTED.contains(from), "{from}");
            let why = of(&PRINTED.replace(from, to), "").unwrap_err();
            assert!(why.contains(says), "{from}: {why}");
        }
        assert!(of(PRINTED, "SSL read failed (5) - closing connection\n").unwrap_err().contains("SSL read failed"));
        assert!(of("", "").is_err());
    }

    #[test]
    fn suites_of_tls_1_3_are_left_to_the_server() {
        let of = |suite| arguments(suite, 10, 2, Duration::from_secs(300), "https://127.0.0.1:1/f").join(" ");
        assert_eq!(of(CipherSuite::Aes128Sha), "-q -s 300 -n 10 -c 2 -Z AES128-SHA -f TLS1.2 https://127.0.0.1:1/f");
        assert_eq!(of(CipherSuite::Tls13Aes128Gcm), "-q -s 300 -n 10 -c 2 -f TLS1.3 https://127.0.0.1:1/f");
    }
}
