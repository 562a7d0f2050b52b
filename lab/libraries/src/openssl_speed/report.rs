//! What `openssl speed -mr` and `openssl version` print, read.

use crate::OwnTiming;

/// The version and its release (major, minor, fix) out of `OpenSSL 3.0.19 27 Jan 2026 (Library: …)`.
///
/// `None` for what is not OpenSSL, or states no version.
pub(super) fn version(text: &str) -> Option<(&str, (u32, u32, u32))> {
    let version = text.strip_prefix("OpenSSL ")?.split_whitespace().next()?;
    let mut numbers = version.splitn(3, '.');
    let mut number = || {
        let part = numbers.next()?;
        let end = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().ok()
    };
    Some((version, (number()?, number()?, number()?)))
}

/// The capability vector out of `CPUINFO: OPENSSL_ia32cap=0x…`.
pub(super) fn cpu_info(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("CPUINFO:"))?.trim();
    (!line.is_empty() && line != "N/A").then_some(line)
}

/// The count and the time of the measurement that is marked `mark`: the last line `+R…:count:name:seconds`.
///
/// `mark` is `+R` for ciphers and hashes, `+R7` for an agreement and so on. The time has microseconds for the former
/// and only hundredths of a second for the latter.
pub(super) fn timing(text: &str, mark: &str) -> Option<OwnTiming> {
    text.lines().rev().find_map(|line| one_timing(line, mark))
}

fn one_timing(line: &str, mark: &str) -> Option<OwnTiming> {
    const MAX_SECONDS: f64 = 1e6;
    let rest = line.trim_end().strip_prefix(mark)?.strip_prefix(':')?;
    let (count, rest) = rest.split_once(':')?;
    let (_, seconds) = rest.rsplit_once(':')?;
    let iterations: u64 = count.parse().ok().filter(|count| *count > 0)?;
    let seconds: f64 = seconds.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds < MAX_SECONDS)?;
    Some(OwnTiming { iterations, nanoseconds: (seconds * 1e9).round() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_they_are_printed() {
        assert_eq!(
            version("OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19 27 Jan 2026)\n"),
            Some(("3.0.19", (3, 0, 19)))
        );
        assert_eq!(version("OpenSSL 1.0.2u  20 Dec 2019"), Some(("1.0.2u", (1, 0, 2))));
        assert_eq!(version("OpenSSL 4.0.0-beta1 1 Apr 2026"), Some(("4.0.0-beta1", (4, 0, 0))));
        for other in
            ["LibreSSL 3.8.2", "OpenSSL", "OpenSSL \n", "OpenSSL x.y.z", "OpenSSL 3", "OpenSSL 99999999999.0.0"]
        {
            assert_eq!(version(other), None, "{other}");
        }
    }

    #[test]
    fn the_cpu_s_settings_are_read_where_they_are_printed() {
        let printed = "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab\n";
        assert_eq!(cpu_info(printed), Some("OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab"));
        assert_eq!(cpu_info("CPUINFO: N/A\n"), None);
        assert_eq!(cpu_info("version: Unrecognized flag c\n"), None);
    }

    #[test]
    fn timings_are_read_as_openssl_3_0_prints_them() {
        // Standard error of `openssl speed -elapsed -mr -seconds 1 -bytes 256 -evp aes-128-gcm`
        let bulk = "+DT:AES-128-GCM:1:256\n+R:2400243:AES-128-GCM:1.000000\n";
        let timed = Some(OwnTiming { iterations: 2_400_243, nanoseconds: 1_000_000_000 });
        assert_eq!(timing(bulk, "+R"), timed);
        assert_eq!(timing(bulk, "+R7"), None);
        // … `ecdhx25519`
        let agreement = "+DTP:253::ecdh:1\n+R7:31753:253:1.00\n";
        assert_eq!(timing(agreement, "+R7").map(|timing| timing.iterations), Some(31_753));
        assert_eq!(timing(agreement, "+R"), None);
        // … `ed25519`
        let signature = "+DTP:253:sign:Ed25519:1\n+R8:25364:253:Ed25519:1.00\n\
                         +DTP:253:verify:Ed25519:1\n+R9:9528:253:Ed25519:1.00\n";
        assert_eq!(timing(signature, "+R8").map(|timing| timing.iterations), Some(25_364));
        assert_eq!(timing(signature, "+R9").map(|timing| timing.iterations), Some(9_528));
    }

    #[test]
    fn lines_that_are_no_measurement_are_none() {
        for line in [
            "",
            "+R",
            "+R:",
            "+R:1",
            "+R:1:AES",
            "+R:1:AES:",
            "+R:0:AES:1.0",
            "+R:-1:AES:1.0",
            "+R:99999999999999999999999:AES:1.0",
            "+R:5:AES:NaN",
            "+R:5:AES:inf",
            "+R:5:AES:-1.0",
            "+R:5:AES:0",
            "+R:5:AES:1e300",
            "+R:5:AES:1.0x",
            "+RSA:5:AES:1.0",
            " +R:5:AES:1.0",
            "+F:25:AES-128-GCM:614462208.00",
        ] {
            assert_eq!(timing(line, "+R"), None, "{line}");
        }
        let truncated = "+R:24:AES:1.0\n+R:2400";
        assert_eq!(timing(truncated, "+R").map(|timing| timing.iterations), Some(24));
        let largest = timing("+R:18446744073709551615:AES:999999.9", "+R").unwrap();
        assert_eq!(largest.iterations, u64::MAX);
    }

    proptest::proptest! {
        #[test]
        fn no_text_whatever_ends_the_reader(text in "(\\+R[0-9]?:?|[0-9.eE:-]|NaN|\\PC|\n){0,40}") {
            if let Some(timing) = timing(&text, "+R") {
                proptest::prop_assert!(timing.iterations > 0);
            }
            let _ = version(&text);
            let _ = cpu_info(&text);
        }
    }
}
