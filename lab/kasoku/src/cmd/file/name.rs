//! What an output is called that nobody named.

use std::path::{Path, PathBuf};

/// What the names of encrypted files end with.
const SUFFIX: &str = "kasoku";

/// Of the encrypted form of the file at `path`.
pub fn encrypted(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(".");
    name.push(SUFFIX);
    Some(path.with_file_name(name))
}

/// Of the plaintext of the file at `path`, if its name says that it is encrypted.
pub fn decrypted(path: &Path) -> Option<PathBuf> {
    path.extension().filter(|suffix| *suffix == SUFFIX).map(|_| path.with_extension(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_and_come_back() {
        for (text, sealed) in [("big", "big.kasoku"), ("a/b.tar", "a/b.tar.kasoku"), ("/x/.rc", "/x/.rc.kasoku")] {
            assert_eq!(encrypted(Path::new(text)).as_deref(), Some(Path::new(sealed)));
            assert_eq!(decrypted(Path::new(sealed)).as_deref(), Some(Path::new(text)));
        }
        assert_eq!(encrypted(Path::new("..")), None);
        for other in ["big", "big.age", "big.kasoku.1", ".kasoku", "kasoku", "dir/.kasoku"] {
            assert_eq!(decrypted(Path::new(other)), None, "{other}");
        }
    }
}
