//! The lines that the collect scripts write before what openssl prints.

use super::build_information::architecture;
use kasoku_model::printable::printable;

/// What begins a file of a collect script; then comes the version of its form. Later forms add keys, which are passed
/// over.
const BEGINNING: &str = "# kasoku collect ";
const MAX_VALUE: usize = 200;

/// What a collect script found out about the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Collected {
    /// What its user calls it.
    pub(super) name: Option<String>,
    /// When it was measured, RFC 3339.
    pub(super) date: Option<String>,
    /// The operating system.
    pub(super) os: Option<String>,
    /// The CPU's name.
    pub(super) cpu: Option<String>,
    /// What `uname -m` says.
    pub(super) machine: Option<String>,
    /// The kernel's name and release.
    pub(super) kernel: Option<String>,
}

impl Collected {
    /// Whether such lines begin here.
    pub(super) fn begins(line: &str) -> bool {
        line.strip_prefix(BEGINNING).is_some_and(|form| form.trim().parse::<u32>().is_ok())
    }

    /// Takes in one of the lines; whether it is one.
    pub(super) fn read(&mut self, line: &str) -> bool {
        let Some((key, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(':')) else { return false };
        let value: String = printable(value).chars().take(MAX_VALUE).collect();
        let value = Some(value).filter(|value| !value.is_empty());
        match key {
            "name" => self.name = value,
            "date" => self.date = value.filter(|date| is_rfc_3339(date)),
            "os" => self.os = value,
            "cpu" => self.cpu = value,
            "machine" => self.machine = value,
            "kernel" => self.kernel = value,
            _ => return key.bytes().all(|byte| byte.is_ascii_lowercase()),
        }
        true
    }

    /// The architecture as Rust names it.
    pub(super) fn architecture(&self) -> Option<&'static str> {
        architecture(self.machine.as_deref()?)
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
        assert_eq!(collected.name.as_deref(), Some("my router"));
        assert_eq!(collected.date.as_deref(), Some("2026-11-21T19:33:00Z"));
        assert_eq!((collected.architecture(), collected.cpu), (Some("arm"), None));
    }

    #[test]
    fn hostile_values_are_made_harmless() {
        let mut collected = Collected::default();
        assert!(collected.read("# name: a\u{1b}[31mb"));
        assert_eq!(collected.name.as_deref(), Some("a\\u{1b}[31mb"));
        assert!(collected.read("# date: yesterday\u{7}"));
        assert_eq!(collected.date, None);
    }
}
