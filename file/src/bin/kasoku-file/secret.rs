//! The secret: a key file, or a passphrase from the terminal or a file descriptor.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use kasoku_file::passphrase::{ENVELOPE_BYTES, Envelope, EnvelopeError, MAGIC};
use kasoku_file::{Cipher, Key, key_file, passphrase};
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::input::Input;

#[cfg(unix)]
use crate::{descriptor::duplicate, interruption::restoring_terminal};

/// Maximum length of a passphrase in bytes. A longer passphrase is probably a file that was meant to be the input.
const MAX_BYTES: usize = 4096;

/// Arguments for the secret and the context.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)] // two structs are named `Args`, and their groups would have the same name
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,
    /// Context that binds the file to its purpose; decrypting needs the same one
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// Cipher; must be that of the key, or of the file encrypted with a passphrase [default: that one, or
    /// cobblestone-256 for a new file with a passphrase]
    #[arg(long, value_parser = cipher_parser())]
    cipher: Option<Cipher>,
}

/// Returns the parser of `--cipher`.
pub(crate) fn cipher_parser() -> impl TypedValueParser<Value = Cipher> {
    PossibleValuesParser::new(Cipher::ALL.map(Cipher::name))
        .try_map(|name| Cipher::ALL.into_iter().find(|cipher| cipher.name() == name).ok_or("unknown cipher"))
}

/// Source of the secret: exactly one is given.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "secret", required = true, multiple = false)]
struct Source {
    /// Key file made by `kasoku-file keygen`
    #[arg(long, value_name = "KEYFILE")]
    key: Option<PathBuf>,
    /// Ask for a passphrase on the terminal
    #[arg(long)]
    passphrase: bool,
    /// Read a passphrase from this file descriptor: its first line; the rest stays unread
    #[arg(long, value_name = "N")]
    passphrase_fd: Option<u32>,
}

/// Key material for one file.
pub(crate) struct Secret {
    pub(crate) key: Key,
    /// Context for the file: the envelope, if there is one, and the user's context.
    pub(crate) context: Vec<u8>,
    /// Envelope that precedes a file encrypted with a passphrase.
    pub(crate) envelope: Option<[u8; ENVELOPE_BYTES]>,
}

/// Duplicate of the descriptor that `--passphrase-fd` names, with its number.
pub(crate) struct PassphraseDescriptor(Option<(u32, File)>);

impl Args {
    /// Duplicates the descriptor that `--passphrase-fd` names. Must be called before any file is opened: an opened file
    /// could get the number of a missing descriptor, and its first line would then be read as the passphrase.
    ///
    /// # Errors
    /// If the number is not an open descriptor.
    pub(crate) fn descriptor(&self) -> Result<PassphraseDescriptor, Failure> {
        let Some(number) = self.source.passphrase_fd else { return Ok(PassphraseDescriptor(None)) };
        match duplicate(number) {
            Ok(file) => Ok(PassphraseDescriptor(Some((number, file)))),
            Err(error) => Err(Failure::usage(format!(
                "--passphrase-fd {number}: {error}; open the descriptor first, as in {number}< FILE"
            ))),
        }
    }

    /// Returns the secret for a new file.
    ///
    /// # Errors
    /// If the key file is invalid, no passphrase is given, or the system provides no random bytes.
    pub(crate) fn for_encrypting(&self, descriptor: PassphraseDescriptor) -> Result<Secret, Failure> {
        if let Some(path) = &self.source.key {
            return self.with_key(path);
        }
        let passphrase = descriptor.first_line()?.map_or_else(|| ask(true), Ok)?;
        let envelope = Envelope::new(self.cipher.unwrap_or_default()).map_err(Failure::work)?;
        self.with_envelope(&envelope, &passphrase)
    }

    /// Returns the secret for the file in `input`, and reads the file's envelope if there is one.
    ///
    /// # Errors
    /// The errors of [`for_encrypting`](Self::for_encrypting). Also if the file needs a passphrase instead
    /// of a key or the reverse, or if its envelope requires too much memory.
    pub(crate) fn for_decrypting(
        &self,
        descriptor: PassphraseDescriptor,
        input: &mut Input,
    ) -> Result<Secret, Failure> {
        // Reads the passphrase first, because the input may follow it on the same descriptor.
        let line = descriptor.first_line()?;
        let beginning = input.peek(ENVELOPE_BYTES)?;
        if let Some(path) = &self.source.key {
            if passphrase::has_magic(beginning) {
                return Err(Failure::usage(format!("{input}: was encrypted with a passphrase; use --passphrase")));
            }
            return self.with_key(path);
        }
        let bytes: [u8; ENVELOPE_BYTES] = match beginning.try_into() {
            Ok(bytes) => bytes,
            Err(_) if MAGIC.starts_with(&beginning[..beginning.len().min(MAGIC.len())]) => {
                return Err(Failure::work(format!("{input}: truncated: the file ends before its first chunk")));
            }
            Err(_) => return Err(Failure::usage(format!("{input}: {}", EnvelopeError::None))),
        };
        let envelope = Envelope::from_bytes(&bytes).map_err(|error| match error {
            EnvelopeError::None => Failure::usage(format!("{input}: {error}")),
            hostile => Failure::work(format!("{input}: {hostile}")),
        })?;
        self.check_cipher(envelope.cipher(), |cipher| {
            format!("{input} was encrypted with {cipher}; leave out --cipher")
        })?;
        input.skip_peeked();
        let passphrase = line.map_or_else(|| ask(false), Ok)?;
        self.with_envelope(&envelope, &passphrase)
    }

    fn with_key(&self, path: &Path) -> Result<Secret, Failure> {
        let key = read_key(path)?;
        self.check_cipher(key.cipher(), |cipher| {
            format!("the key in {} is for {cipher}; leave out --cipher or name another key", path.display())
        })?;
        Ok(Secret { key, context: self.context().to_vec(), envelope: None })
    }

    /// Checks that `--cipher` is absent or names `cipher`. `explain` says why only `cipher` is possible.
    fn check_cipher(&self, cipher: Cipher, explain: impl FnOnce(Cipher) -> String) -> Result<(), Failure> {
        match self.cipher {
            Some(other) if other != cipher => Err(Failure::usage(format!("--cipher {other}: {}", explain(cipher)))),
            _ => Ok(()),
        }
    }

    fn with_envelope(&self, envelope: &Envelope, passphrase: &[u8]) -> Result<Secret, Failure> {
        if passphrase.is_empty() {
            return Err(Failure::usage("the passphrase is empty"));
        }
        let key = envelope.key(passphrase).map_err(Failure::work)?;
        let context = envelope.context(self.context());
        Ok(Secret { key, context, envelope: Some(envelope.to_bytes()) })
    }

    fn context(&self) -> &[u8] {
        self.context.as_deref().unwrap_or_default().as_bytes()
    }
}

impl PassphraseDescriptor {
    /// Reads the first line and nothing after it, because the plaintext may follow.
    fn first_line(self) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        let Some((number, file)) = self.0 else { return Ok(None) };
        let fail = |why: String| Failure::usage(format!("--passphrase-fd {number}: {why}"));
        let line = read_line(file).map_err(|error| fail(error.to_string()))?;
        if line.len() > MAX_BYTES {
            return Err(fail(format!("its first line is longer than {MAX_BYTES} bytes")));
        }
        Ok(Some(line))
    }
}

fn read_key(path: &Path) -> Result<Key, Failure> {
    let fail = |error: io::Error| Failure::usage(format!("cannot read the key file {}: {error}", path.display()));
    let mut text = Zeroizing::new(Vec::with_capacity(key_file::MAX_BYTES + 1));
    let file = File::open(path).map_err(fail)?;
    #[cfg(unix)]
    warn_if_others_can_read(path, &file);
    file.take(key_file::MAX_BYTES as u64 + 1).read_to_end(&mut text).map_err(fail)?;
    key_file::parse(&text).map_err(|error| {
        let path = path.display();
        Failure::usage(format!("{path} is not a key file: {error}; make one with `kasoku-file keygen -o KEYFILE`"))
    })
}

#[cfg(unix)]
fn warn_if_others_can_read(path: &Path, key: &File) {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(metadata) = key.metadata() else { return };
    // Pipes and devices do not store a key.
    if metadata.is_file() && metadata.mode() & 0o044 != 0 {
        let (path, mode) = (crate::failure::escaped(&path.to_string_lossy()), metadata.mode() & 0o777);
        let quoted = path.replace('\'', r"'\''");
        eprintln!("warning: others can read the key file {path} (mode {mode:o}); run chmod 600 '{quoted}'");
    }
}

/// Reads the first line without its line ending, byte by byte. Stops one byte after the maximum length, so that the
/// caller detects a too long line.
fn read_line(mut from: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(MAX_BYTES + 1));
    let mut byte = Zeroizing::new([0]);
    while line.len() <= MAX_BYTES {
        match from.read(&mut *byte) {
            Ok(0) => break,
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    while line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(line)
}

#[cfg(not(unix))]
fn duplicate(_: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn restoring_terminal<T>(ask: impl FnOnce() -> T) -> io::Result<T> {
    Ok(ask())
}

/// Asks for a passphrase on the terminal, twice for a new passphrase.
fn ask(is_new: bool) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let prompt = |prompt: &str| {
        let answer = restoring_terminal(|| rpassword::prompt_password(prompt)).flatten();
        answer.map(|answer| Zeroizing::new(answer.into_bytes())).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => Failure::stopped("Stopped. Nothing was written"),
            io::ErrorKind::UnexpectedEof => Failure::usage("no passphrase was entered; nothing was written"),
            _ => Failure::usage(format!(
                "cannot ask for the passphrase: {error}; without a terminal use --passphrase-fd"
            )),
        })
    };
    let first = prompt("Passphrase: ")?;
    if is_new && *prompt("Repeat passphrase: ")? != *first {
        return Err(Failure::usage("the passphrases do not match"));
    }
    Ok(first)
}
