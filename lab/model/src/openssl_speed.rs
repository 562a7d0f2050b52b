//! Determines which operation a figure of `openssl speed` measures, from OpenSSL's version.
//!
//! For AEADs the operation changed in patch releases of five release series at once, and the output does not show it.
//! On one machine AES-128-GCM changed from 864 to 106 MB/s at 16 bytes, from 13.4 to 11.0 GB/s at 8 KiB, and from 14.0
//! to 12.6 GB/s at 16 KiB. These figures are of 3.3.1 and 3.4.1; issues 27513 and 28063 of openssl/openssl report the
//! change as a regression.

use crate::algorithm::{Algorithm, AlgorithmKind};
use crate::document::Series;
use crate::level::Level;
use crate::library::{OPENSSL, VersionNumber, release};
use crate::name::named;

named! {
    /// Operation that the figure of an AEAD measures.
    pub enum AeadRow {
        /// One update of an endless message, without nonce, tag or key set-up.
        Updates = "updates",
        /// A whole message with nonce and tag, always under the same key, as Kasoku measures.
        Messages = "messages",
        /// A whole message including key set-up.
        KeyedMessages = "keyed-messages",
        /// Unknown, because the version is not stated or is a development version between two releases.
        Unknown = "unknown",
    }
}

/// Size in bytes from which the fixed cost of a message is less than half of its time.
pub const COMPARABLE: usize = 8192;

impl AeadRow {
    /// Returns the operation that `series` measures; `None` unless it is an AEAD at the level `primitives`.
    pub fn of(series: &Series) -> Option<AeadRow> {
        if series.level != Level::Primitives || series.algorithm.kind() != AlgorithmKind::Aead {
            return None;
        }
        if let Some(stated) = series.quoted().and_then(|quoted| quoted.aead_row) {
            return Some(stated);
        }
        Some(match series.library.as_str() {
            _ if series.is_verified() || !series.samples.is_empty() => AeadRow::Messages,
            OPENSSL => AeadRow::printed_by(&series.library_version, series.algorithm),
            _ => AeadRow::Unknown,
        })
    }

    /// Returns the operation that `openssl speed -evp` without `-aead` measures in a version such as `OpenSSL 1.1.1u`.
    pub fn printed_by(version: &str, algorithm: Algorithm) -> AeadRow {
        // `apps/speed.c` decides by the mode. ChaCha20-Poly1305 has no mode: every version updates an endless message.
        let is_one_of = |modes: &[&str]| modes.iter().any(|mode| algorithm.name().ends_with(mode));
        match Change::of(version) {
            _ if algorithm == Algorithm::ChaCha20Poly1305 => AeadRow::Updates,
            Some(Change::Before) if is_one_of(&["-gcm", "-ocb"]) => AeadRow::Updates,
            Some(Change::After) if is_one_of(&["-gcm", "-ocb", "-ccm", "-siv"]) => AeadRow::KeyedMessages,
            _ => AeadRow::Unknown,
        }
    }

    /// Returns the operation that `openssl speed -evp` with `-aead` measures. The option adds 13 bytes of AAD to each
    /// message. In releases before PR 25823 of OpenSSL, which changed the measured operation, the option also selects
    /// whole messages under one key. In later releases it has no other effect.
    pub fn printed_with_aead(version: &str, algorithm: Algorithm) -> AeadRow {
        match (AeadRow::printed_by(version, algorithm), Change::of(version)) {
            (AeadRow::Updates, Some(Change::Before)) => AeadRow::Messages,
            (AeadRow::Updates, Some(Change::Between) | None) => AeadRow::Unknown,
            (row, _) => row,
        }
    }

    /// Whether the costs of the two operations have nothing in common for small messages.
    pub fn is_far_from(self, other: AeadRow) -> bool {
        let both = [self, other];
        both.contains(&AeadRow::Updates) && both.contains(&AeadRow::KeyedMessages)
    }

    /// Whether figures of the two operations may be compared for messages of `bytes` bytes.
    pub fn is_comparable(self, other: AeadRow, bytes: usize) -> bool {
        bytes >= COMPARABLE || !self.is_far_from(other)
    }
}

/// Describes which operations the AEAD figures in quoted `series` measure; `None` if there are no such figures.
pub fn explained(series: &[Series]) -> Option<String> {
    let kinds = [
        (AeadRow::Updates, "updates of one message that runs on, without nonce and tag"),
        (AeadRow::Messages, "whole messages under one key"),
        (AeadRow::KeyedMessages, "whole messages, each with the set-up of its key"),
        (AeadRow::Unknown, "not known: no version is stated that says it"),
    ];
    let told = kinds.into_iter().filter_map(|(row, what)| {
        let mut titles: Vec<&str> = Vec::new();
        for one in series.iter().filter(|one| AeadRow::of(one) == Some(row)) {
            if !titles.contains(&one.algorithm.title()) {
                titles.push(one.algorithm.title());
            }
        }
        (!titles.is_empty()).then(|| format!("{}: {what}", titles.join(", ")))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("What openssl speed measured: {}", told.join("; ")))
}

/// Returns why a figure printed with `-decrypt` (`decrypts`) or `-aead` (`with_aead`) is no measurement; `None` if it
/// is one.
pub fn unusable(version: &str, algorithm: Algorithm, decrypts: bool, with_aead: bool) -> Option<&'static str> {
    let is_of = |mode: &str| algorithm.name().ends_with(mode);
    match Change::of(version)? {
        // EVP_Update_loop_ccm and EVP_Update_loop_aead set a made-up tag (issues 23657 and 24404). Without -aead, other
        // AEADs decrypt an endless message, whose tag is checked only at the end.
        Change::Before if decrypts && (is_of("-ccm") || with_aead && algorithm.kind() == AlgorithmKind::Aead) => {
            Some("this version decrypts with a tag that it made up: every call failed")
        }
        // PR 25823 removed the IV of the other ciphers, and PR 26346 restored it. XTS does nothing without an IV.
        // Releases have both changes: 3.0.16 by its log, 3.4.1 by its source.
        Change::Between if is_of("-xts") => {
            Some("a version between two releases may have printed figures of AES-XTS calls that all failed")
        }
        _ => None,
    }
}

/// Position of a version relative to PR 25823 (in 3.3, PR 25887) of OpenSSL, which changed the measured operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Before,
    After,
    /// A development version from the months in which OpenSSL changed what `speed` measures. Whether it has that change
    /// is unknown.
    Between,
}

impl Change {
    /// First release of each release series in which `openssl speed` measures whole AEAD messages with key set-up, due
    /// to PR 25823 (in 3.3, PR 25887) of OpenSSL. All except 3.5.0 appeared on 11 February 2025. The source file
    /// `apps/speed.c` is without that change in 3.1.7, 3.2.1, 3.3.2 and 3.4.0, and has it in 3.4.1. The commit log of
    /// the file shows that 3.0.15 is without it and 3.0.16 has it (issue 28063). The calls that 3.0.22 makes were
    /// counted. The other releases follow from the labels of the two pull requests.
    const FIRST: [VersionNumber; 6] = [(3, 0, 16), (3, 1, 8), (3, 2, 4), (3, 3, 3), (3, 4, 1), (3, 5, 0)];

    fn of(version: &str) -> Option<Change> {
        let number = version.strip_prefix("OpenSSL ").unwrap_or(version).split_whitespace().next()?;
        let release = release(number)?;
        let first = Change::FIRST.into_iter().rfind(|first| (first.0, first.1) <= (release.0, release.1));
        Some(match first {
            Some(first) if release == first && number.ends_with("-dev") => Change::Between,
            Some(first) if release >= first => Change::After,
            _ => Change::Before,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GCM: Algorithm = Algorithm::Aes128Gcm;

    #[test]
    fn openssl_version_decides_the_operation_of_gcm_figures() {
        let before = "OpenSSL 1.0.1e-fips,OpenSSL 1.0.2u,OpenSSL 1.1.1w,3.0.2,OpenSSL 3.0.2,3.0.15,3.1.7,3.2.3,3.3.2,3.4.0,\
            3.4.0-beta1,3.4.0-dev";
        for version in before.split(',') {
            assert_eq!(AeadRow::printed_by(version, GCM), AeadRow::Updates, "{version}");
            assert_eq!(AeadRow::printed_with_aead(version, GCM), AeadRow::Messages, "{version}");
        }
        let after = "3.0.16,OpenSSL 3.0.22,3.1.8,3.2.4,3.3.3,3.4.1,3.5.0,3.5.0-alpha1,3.6.0-dev,4.0.3";
        for version in after.split(',') {
            assert_eq!(AeadRow::printed_by(version, GCM), AeadRow::KeyedMessages, "{version}");
            assert_eq!(AeadRow::printed_with_aead(version, GCM), AeadRow::KeyedMessages, "{version}");
        }
        for version in ["", "version not stated", "3.5.0-dev", "3.0.16-dev", "LibreSSL 3.3.6", "three", "3", "3.0"] {
            assert_eq!(AeadRow::printed_by(version, GCM), AeadRow::Unknown, "{version}");
        }
    }

    #[test]
    fn openssl_version_does_not_change_chacha20_figures() {
        for version in ["1.1.1w", "3.0.15", "3.0.16", "3.5.4"] {
            assert_eq!(AeadRow::printed_by(version, Algorithm::ChaCha20Poly1305), AeadRow::Updates, "{version}");
        }
        assert_eq!(AeadRow::printed_with_aead("3.0.2", Algorithm::ChaCha20Poly1305), AeadRow::Messages);
        assert_eq!(AeadRow::printed_with_aead("3.0.22", Algorithm::ChaCha20Poly1305), AeadRow::Updates);
        assert_eq!(AeadRow::printed_by("3.0.2", Algorithm::Aes128Ccm), AeadRow::Unknown);
        assert_eq!(AeadRow::printed_by("3.0.22", Algorithm::Aes128Ccm), AeadRow::KeyedMessages);
    }

    #[test]
    fn openssl_speed_figures_with_and_without_key_setup_are_comparable_from_8_kib() {
        use AeadRow::{KeyedMessages, Messages, Unknown, Updates};
        for (one, other) in [(Updates, KeyedMessages), (KeyedMessages, Updates)] {
            assert!(!one.is_comparable(other, 8191) && one.is_comparable(other, 8192));
        }
        for (one, other) in [(Updates, Updates), (Messages, Updates), (KeyedMessages, Messages), (Unknown, Updates)] {
            assert!(one.is_comparable(other, 16) && other.is_comparable(one, 16));
        }
    }

    #[test]
    fn unusable_reports_figures_of_failed_calls() {
        let is_unusable =
            |version, algorithm, decrypts, with_aead| unusable(version, algorithm, decrypts, with_aead).is_some();
        assert!(is_unusable("3.0.2", Algorithm::Aes128Ccm, true, false));
        assert!(is_unusable("3.0.2", GCM, true, true));
        assert!(is_unusable("3.5.0-dev", Algorithm::Aes256Xts, false, false));
        assert!(!is_unusable("3.0.2", GCM, true, false), "streamed decryption checks the tag only at the end");
        assert!(!is_unusable("3.0.2", GCM, false, true));
        assert!(!is_unusable("3.0.22", GCM, true, true));
        assert!(!is_unusable("3.5.0", Algorithm::Aes256Xts, false, false));
        assert!(!is_unusable("", Algorithm::Aes256Xts, true, true));
    }

    proptest::proptest! {
        #[test]
        fn openssl_version_parser_accepts_any_text(version in "\\PC{0,20}|[0-9.a-z -]{0,20}") {
            let _ = AeadRow::printed_by(&version, GCM);
            let _ = AeadRow::printed_with_aead(&version, GCM);
            let _ = unusable(&version, GCM, true, true);
        }
    }
}
