//! Key files: a comment line, then one line of base64.

use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

use crate::Key;
use crate::key::MAX_KEY_BYTES;

/// Maximum length of a key file in bytes.
pub const MAX_BYTES: usize = 4096;

/// Error in a key file. Messages never quote the file's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The file is longer than [`MAX_BYTES`].
    #[error("it is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The file has only comments.
    #[error("it contains no key")]
    NoKey,
    /// The file has a second line that is not a comment.
    #[error("line {line} is a second key; a key file has only one")]
    SecondKey {
        /// Number of the line, from 1.
        line: usize,
    },
    /// A line is neither a comment nor a key.
    #[error("line {line} is not 16 or 32 bytes in base64 (24 or 44 characters)")]
    NotAKey {
        /// Number of the line, from 1.
        line: usize,
    },
}

/// Returns the contents of a key file.
///
/// ```
/// use kasoku_file::{Cipher, Key, key_file};
/// let key = Key::generate(Cipher::Cobblestone256)?;
/// let text = key_file::format(&key);
/// assert_eq!(key_file::parse(text.as_bytes()).unwrap().as_bytes(), key.as_bytes());
/// # Ok::<(), kasoku_file::Error>(())
/// ```
pub fn format(key: &Key) -> Zeroizing<String> {
    let line = Zeroizing::new(Base64::encode_string(key.as_bytes()));
    let (cipher, bytes) = (key.cipher(), key.as_bytes().len());
    let comment =
        format!("# kasoku key for encrypted files ({cipher}): {bytes} random bytes in base64. Keep it secret.");
    Zeroizing::new([&comment, "\n", line.as_str(), "\n"].concat())
}

/// Reads the key in the contents of a key file.
///
/// # Errors
/// The first problem, with the number of its line.
pub fn parse(text: &[u8]) -> Result<Key, KeyFileError> {
    if text.len() > MAX_BYTES {
        return Err(KeyFileError::TooLong);
    }
    let mut found = None;
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if found.is_some() {
            return Err(KeyFileError::SecondKey { line: index + 1 });
        }
        let mut bytes = Zeroizing::new([0; MAX_KEY_BYTES]);
        let key = Base64::decode(line, bytes.as_mut()).ok().and_then(|bytes| Key::from_bytes(bytes).ok());
        found = Some(key.ok_or(KeyFileError::NotAKey { line: index + 1 })?);
    }
    found.ok_or(KeyFileError::NoKey)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_reports_the_line_of_an_invalid_key() {
        let key = format(&Key::from_bytes(&[9; 32]).unwrap());
        assert!(parse(key.as_bytes()).is_ok());
        assert!(parse(key.replace('\n', "\r\n").as_bytes()).is_ok());
        assert!(parse(["#".repeat(MAX_BYTES - key.len() - 1), key.to_string()].join("\n").as_bytes()).is_ok());
        let line = key.lines().nth(1).unwrap();
        for (text, error) in [
            (String::new(), KeyFileError::NoKey),
            ("# only\n\n".to_owned(), KeyFileError::NoKey),
            (format!("{line}\n{line}"), KeyFileError::SecondKey { line: 2 }),
            (format!("#\n{}", &line[1..]), KeyFileError::NotAKey { line: 2 }),
            (format!("{line}="), KeyFileError::NotAKey { line: 1 }),
            ("AAAA".to_owned(), KeyFileError::NotAKey { line: 1 }),
            // 15, 17 and 24 bytes.
            ("A".repeat(20), KeyFileError::NotAKey { line: 1 }),
            ("A".repeat(23) + "=", KeyFileError::NotAKey { line: 1 }),
            ("A".repeat(32), KeyFileError::NotAKey { line: 1 }),
            ("#".repeat(MAX_BYTES + 1), KeyFileError::TooLong),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err(), error, "{text:?}");
        }
    }
}
