//! Reads the lines about the machine that the collect scripts write before the output of openssl.

use std::collections::BTreeMap;

use super::build_information::architecture;
use kasoku_model::printable::printable;

/// First line of a collected file, before the version of its format. Later versions add keys, which are ignored.
const BEGINNING: &str = "# kasoku collect ";
/// Maximum number of characters of a value.
const MAX_VALUE: usize = 200;

/// Known keys. `name` is the user's name for the machine, `date` is in RFC 3339, `machine` is the output of `uname -m`,
/// and `kernel` has the kernel's name and release.
const KEYS: [&str; 6] = ["name", "date", "os", "cpu", "machine", "kernel"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Collected(BTreeMap<&'static str, String>);

impl Collected {
    pub(super) fn begins(line: &str) -> bool {
        line.strip_prefix(BEGINNING).is_some_and(|form| form.trim().parse::<u32>().is_ok())
    }

    /// Adds the property that a line states. Returns whether the line has the form of a property.
    pub(super) fn read(&mut self, line: &str) -> bool {
        let Some((key, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(':')) else { return false };
        let Some(known) = KEYS.into_iter().find(|known| *known == key) else {
            return key.bytes().all(|byte| byte.is_ascii_lowercase());
        };
        let value: String = printable(value).chars().take(MAX_VALUE).collect();
        self.0.remove(known);
        if !value.is_empty() && (known != "date" || is_rfc_3339(&value)) {
            self.0.insert(known, value);
        }
        true
    }

    pub(super) fn get(&self, key: &str) -> Option<&String> {
        self.0.get(key)
    }

    pub(super) fn architecture(&self) -> Option<&'static str> {
        architecture(self.get("machine")?)
    }
}

/// Whether a date is like `2026-11-21T19:33:00Z`.
fn is_rfc_3339(date: &str) -> bool {
    let form = b"dddd-dd-ddTdd:dd:ddZ";
    date.len() == form.len()
        && date.bytes().zip(form).all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == *form })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collected_keeps_known_keys_and_ignores_keys_of_later_versions() {
        assert!(Collected::begins("# kasoku collect 1") && Collected::begins("# kasoku collect 2"));
        assert!(!Collected::begins("# kasoku collects") && !Collected::begins("# kasoku collect"));
        let mut collected = Collected::default();
        for line in
            ["# name: my router", "# date: 2026-11-21T19:33:00Z", "# machine: armv7l", "# later: key", "# cpu: "]
        {
            assert!(collected.read(line), "{line}");
        }
        assert!(!collected.read("# openssl speed -evp aes-128-cbc") && !collected.read("name: x"));
        assert_eq!(collected.get("name").map(String::as_str), Some("my router"));
        assert_eq!(collected.get("date").map(String::as_str), Some("2026-11-21T19:33:00Z"));
        assert_eq!((collected.architecture(), collected.get("cpu")), (Some("arm"), None));
    }

    #[test]
    fn collected_escapes_values_and_ignores_malformed_dates() {
        let mut collected = Collected::default();
        assert!(collected.read("# name: a\u{1b}[31mb"));
        assert_eq!(collected.get("name").map(String::as_str), Some("a\\u{1b}[31mb"));
        assert!(collected.read("# date: yesterday\u{7}"));
        assert_eq!(collected.get("date"), None);
    }
}
