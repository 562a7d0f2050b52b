//! Default file names of outputs.

use std::path::{Path, PathBuf};

/// Extension of encrypted files.
const SUFFIX: &str = "kasoku";

/// Returns the default path of the encrypted file for the plaintext file at `path`.
pub(crate) fn encrypted(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(".");
    name.push(SUFFIX);
    Some(path.with_file_name(name))
}

/// Returns the default path of the plaintext for the encrypted file at `path`; `None` unless `path` ends in `.kasoku`.
pub(crate) fn decrypted(path: &Path) -> Option<PathBuf> {
    path.extension().filter(|suffix| *suffix == SUFFIX).map(|_| path.with_extension(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decrypted_name_is_the_inverse_of_encrypted_name() {
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
