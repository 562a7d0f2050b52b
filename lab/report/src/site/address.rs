//! File names of the site. Names are readable, safe for any text in a document, and independent of other files.

use std::collections::{HashMap, HashSet};

use kasoku_store::collection::Collection;
use kasoku_store::published;

/// Paths of the documents of runs and published devices, relative to the site's root.
#[derive(Debug)]
pub struct DocumentPaths {
    /// Paths by run id.
    pub runs: HashMap<String, String>,
    /// Paths by id of published document. Separate from the paths of runs, since a run and a published document may
    /// have equal ids.
    pub published: HashMap<String, String>,
}

impl DocumentPaths {
    /// Assigns a path to every run, even to runs without a page, so that no path depends on another run.
    pub fn new(collection: &Collection<'_>) -> DocumentPaths {
        let runs = collection.runs().iter().map(|run| &run.id);
        let published = published::documents().iter().map(|document| &document.run.id);
        DocumentPaths { runs: paths("run", runs), published: paths("published", published) }
    }
}

fn paths<'i>(folder: &str, ids: impl Iterator<Item = &'i String>) -> HashMap<String, String> {
    let mut names = Addresses::default();
    ids.map(|id| (id.clone(), format!("{folder}/{}.json", names.of(id, id)))).collect()
}

/// Names in use, in lower case because some file systems ignore upper and lower case.
#[derive(Debug, Default)]
pub(super) struct Addresses(HashSet<String>);

/// Maximum length of a name without its suffix.
const MAX: usize = 60;

/// Device names that Windows reserves, with any file extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

impl Addresses {
    /// Returns `name` if it is a valid and unused file name; otherwise adds a suffix made from `identity`. Names with
    /// capitals always get a suffix, so that the names for `Pi` and `pi` do not depend on their order.
    pub(super) fn of(&mut self, name: &str, identity: &str) -> String {
        let is_itself = !name.is_empty() && plain(name) == name && !name.contains(char::is_uppercase);
        if is_itself && !is_device(name) && self.0.insert(name.to_owned()) {
            name.to_owned()
        } else {
            self.with_mark(name, identity)
        }
    }

    pub(super) fn with_mark(&mut self, name: &str, identity: &str) -> String {
        let plain = match plain(name).to_lowercase() {
            plain if plain.is_empty() => "unnamed".to_owned(),
            plain if is_device(&plain) => plain.replace('.', "-"),
            plain => plain,
        };
        let marked = format!("{plain}-{:08x}", hash(identity));
        let numbered = (2..).map(|number| format!("{marked}-{number}"));
        let mut free = std::iter::once(marked.clone()).chain(numbered).filter(|name| self.0.insert(name.clone()));
        free.next().unwrap_or(marked)
    }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    DEVICES.contains(&stem) || port.is_some_and(|port| port.len() == 1 && port.chars().all(|c| c.is_ascii_digit()))
}

/// Replaces characters that are invalid in file names.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for character in name.chars().take(MAX) {
        match character {
            c if c.is_ascii_alphanumeric() || "-_.".contains(c) => plain.push(c),
            _ if !plain.ends_with('-') => plain.push('-'),
            _ => {}
        }
    }
    plain.trim_matches(['-', '.']).to_owned()
}

/// Returns the 32-bit FNV-1a hash, which never changes, unlike the standard library's hash.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_file_names_are_readable_and_stay_in_their_folder() {
        let mut names = Addresses::default();
        assert_eq!(names.of("aws-lc", "aws-lc"), "aws-lc");
        assert_eq!(names.of("20261121-093012-7f3a", ""), "20261121-093012-7f3a");
        for hostile in ["../../etc/passwd", "..", "", "a/b", "C:\\x", "加速", "a\0b", "<script>", &"x".repeat(9999)] {
            let name = names.of(hostile, hostile);
            assert!(name.len() < 80 && !name.contains(['/', '\\', '\0', '<', ':']), "{name}");
            assert!(name.starts_with(|c: char| c.is_ascii_alphanumeric()), "{name:?}");
        }
    }

    #[test]
    fn site_file_names_reserved_by_windows_get_a_suffix() {
        let mut names = Addresses::default();
        for device in ["nul", "con", "NUL", "aux.tar.gz", "com1", "lpt9.txt"] {
            let name = names.of(device, device);
            assert!(name.contains('-') && !is_device(&name), "{device}: {name}");
        }
        assert_eq!(
            ["console", "com", "com10", "null"].map(|name| names.of(name, name)),
            ["console", "com", "com10", "null"]
        );
    }

    #[test]
    fn site_file_names_differ_by_more_than_case() {
        let mut names = Addresses::default();
        let all = ["Pi", "pi", "PI", "p i", "p/i"].map(|name| names.of(name, name).to_lowercase());
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{all:?}");
        let other_order = ["p/i", "PI", "pi"].map(|name| Addresses::default().of(name, name));
        assert_eq!(
            other_order,
            [&all[4], &all[2], &all[1]].map(String::clone),
            "a file name depends on the order of the names"
        );
        let twice = [names.with_mark("x", "1"), names.with_mark("x", "1")];
        assert_ne!(twice[0], twice[1]);
    }

    #[test]
    fn fnv_1a_hash_agrees_with_test_vectors() {
        // Test vectors of the hash's authors.
        assert_eq!((hash(""), hash("a"), hash("foobar")), (0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968));
    }
}
