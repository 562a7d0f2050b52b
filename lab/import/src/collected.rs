//! The lines that the collect scripts write before what openssl prints.

use std::collections::BTreeMap;

use super::build_information::architecture;
use kasoku_model::printable::printable;

/// What begins a file of a collect script; then comes the version of its form. Later forms add keys, which are passed
/// over.
const BEGINNING: &str = "# kasoku collect ";
const MAX_VALUE: usize = 200;

/// Keys that are kept: the user's name for the machine, when it was measured (RFC 3339), the operating system, the
/// CPU's name, what `uname -m` says, and the kernel's name and release.
const KEYS: [&str; 6] = ["name", "date", "os", "cpu", "machine", "kernel"];

/// Properties of a machine that a collect script printed, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Collected(BTreeMap<&'static str, String>);

impl Collected {
    /// Whether such lines begin here.
    pub(super) fn begins(line: &str) -> bool {
        line.strip_prefix(BEGINNING).is_some_and(|form| form.trim().parse::<u32>().is_ok())
    }

    /// Takes in one of the lines; returns whether it is one.
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

    /// Returns the value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&String> {
        self.0.get(key)
    }

    /// Returns the architecture as Rust names it.
    pub(super) fn architecture(&self) -> Option<&'static str> {
        architecture(self.get("machine")?)
    }
}

/// `2026-11-21T19:33:00Z`.
fn is_rfc_3339(date: &str) -> bool {
    let form = b"dddd-dd-ddTdd:dd:ddZ";
    date.len() == form.len()
        && date.bytes().zip(form).all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == *form })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_script_are_read() {
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
    fn hostile_values_are_made_harmless() {
        let mut collected = Collected::default();
        assert!(collected.read("# name: a\u{1b}[31mb"));
        assert_eq!(collected.get("name").map(String::as_str), Some("a\\u{1b}[31mb"));
        assert!(collected.read("# date: yesterday\u{7}"));
        assert_eq!(collected.get("date"), None);
    }
}
