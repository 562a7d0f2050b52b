//! Where the secret comes from: a key file, or a passphrase that is asked for or read from a descriptor.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kasoku_file::passphrase::{ENVELOPE_BYTES, Envelope, EnvelopeError, MAGIC};
use kasoku_file::{Key, key_file, passphrase};
use zeroize::Zeroizing;

use super::super::Failure;
#[cfg(unix)]
use super::super::tell;
#[cfg(unix)]
use super::descriptor::duplicate;
use super::ends::Input;
use kasoku_libraries::interruption;

/// Longer passphrases are taken for a mistake, like a file that was meant to be the input.
const MAX: usize = 4096;
/// The signal of Ctrl-C.
const SIGINT: u8 = 2;

/// The secret, and what the file is bound to.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)] // named after its struct, as the others are
pub struct Args {
    #[command(flatten)]
    secret: OneOf,
    /// Context that binds the file to its purpose; decrypting needs the same one
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
}

/// The ways to give a secret, of which one is given.
#[derive(Clone, Debug, clap::Args)]
#[group(id = "secret", required = true, multiple = false)]
struct OneOf {
    /// Key file made by `kasoku keygen`
    #[arg(long, value_name = "KEYFILE")]
    key: Option<PathBuf>,
    /// Ask for a passphrase on the terminal
    #[arg(long)]
    passphrase: bool,
    /// Read a passphrase from this file descriptor: its first line; the rest stays unread
    #[arg(long, value_name = "N")]
    passphrase_fd: Option<u32>,
}

/// What the library needs.
pub struct Secret {
    /// The key.
    pub key: Key,
    /// The context, with the envelope in it if there is one.
    pub context: Vec<u8>,
    /// What precedes the file, if it is a passphrase's.
    pub envelope: Option<[u8; ENVELOPE_BYTES]>,
}

/// The descriptor that gives the passphrase, if one does.
pub struct PassphraseDescriptor(Option<(u32, File)>);

impl Args {
    /// Takes the descriptor that was named. This comes before any file is opened: that would get the number of a
    /// descriptor which is not there, and be read in its place.
    ///
    /// # Errors
    /// If it is none.
    pub fn descriptor(&self) -> Result<PassphraseDescriptor, Failure> {
        let Some(number) = self.secret.passphrase_fd else { return Ok(PassphraseDescriptor(None)) };
        match duplicate(number) {
            Ok(file) => Ok(PassphraseDescriptor(Some((number, file)))),
            Err(error) => Err(Failure::new(format!(
                "--passphrase-fd {number}: {error}; open the descriptor first, as in {number}< FILE"
            ))),
        }
    }

    /// The secret for a new file.
    ///
    /// # Errors
    /// If the key file is none, the passphrase is not given, or there are no random numbers.
    pub fn for_encrypting(&self, given: PassphraseDescriptor) -> Result<Secret, Failure> {
        if let Some(path) = &self.secret.key {
            return self.with_key(path);
        }
        let passphrase = given.first_line()?.map_or_else(|| asked_for(true), Ok)?;
        self.with_envelope(&Envelope::new().map_err(Failure::in_the_middle)?, &passphrase)
    }

    /// The secret for the file that `input` gives, of which the envelope is read.
    ///
    /// # Errors
    /// As for encrypting; if the file needs the other kind of secret; if its envelope asks for too much.
    pub fn for_decrypting(&self, given: PassphraseDescriptor, input: &mut Input) -> Result<Secret, Failure> {
        // The input may be what follows the line.
        let line = given.first_line()?;
        let beginning = input.peek(ENVELOPE_BYTES)?;
        if let Some(path) = &self.secret.key {
            if passphrase::has_magic(beginning) {
                return Err(Failure::new(format!("{input}: was encrypted with a passphrase; use --passphrase")));
            }
            return self.with_key(path);
        }
        let bytes: [u8; ENVELOPE_BYTES] = match beginning.try_into() {
            Ok(bytes) => bytes,
            Err(_) if MAGIC.starts_with(&beginning[..beginning.len().min(MAGIC.len())]) => {
                let what = "truncated: the file ends before its first chunk";
                return Err(Failure::in_the_middle(format!("{input}: {what}")));
            }
            Err(_) => return Err(Failure::new(format!("{input}: {}", EnvelopeError::None))),
        };
        let envelope = Envelope::from_bytes(&bytes).map_err(|error| match error {
            EnvelopeError::None => Failure::new(format!("{input}: {error}")),
            hostile => Failure::in_the_middle(format!("{input}: {hostile}")),
        })?;
        input.skip(ENVELOPE_BYTES);
        let passphrase = line.map_or_else(|| asked_for(false), Ok)?;
        self.with_envelope(&envelope, &passphrase)
    }

    fn with_key(&self, path: &Path) -> Result<Secret, Failure> {
        let key = read_key(path)?;
        Ok(Secret { key, context: self.context().to_vec(), envelope: None })
    }

    fn with_envelope(&self, envelope: &Envelope, passphrase: &[u8]) -> Result<Secret, Failure> {
        if passphrase.is_empty() {
            return Err(Failure::new("the passphrase is empty"));
        }
        let key = envelope.key(passphrase).map_err(Failure::in_the_middle)?;
        let context = envelope.context(self.context());
        Ok(Secret { key, context, envelope: Some(envelope.to_bytes()) })
    }

    fn context(&self) -> &[u8] {
        self.context.as_deref().unwrap_or_default().as_bytes()
    }
}

impl PassphraseDescriptor {
    /// Its first line. Nothing behind it is read: the plaintext may follow.
    fn first_line(self) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
        let Some((number, file)) = self.0 else { return Ok(None) };
        let line = first_line(file).map_err(|error| Failure::new(format!("--passphrase-fd {number}: {error}")))?;
        if line.len() > MAX {
            return Err(Failure::new(format!("--passphrase-fd {number}: its first line is longer than {MAX} bytes")));
        }
        Ok(Some(line))
    }
}

fn read_key(path: &Path) -> Result<Key, Failure> {
    let system = |error: std::io::Error| Failure::new(format!("cannot read the key file {}: {error}", path.display()));
    let mut text = Zeroizing::new(Vec::with_capacity(key_file::MAX_BYTES + 1));
    let file = File::open(path).map_err(system)?;
    #[cfg(unix)]
    warn_of_others(path, &file);
    file.take(key_file::MAX_BYTES as u64 + 1).read_to_end(&mut text).map_err(system)?;
    key_file::parse(&text).map_err(|error| {
        Failure::new(format!("{} is not a key file: {error}; make one with `kasoku keygen -o KEYFILE`", path.display()))
    })
}

/// Says so if somebody else may read the key.
#[cfg(unix)]
fn warn_of_others(path: &Path, key: &File) {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(metadata) = key.metadata() else { return };
    // A pipe or a device keeps nothing.
    if metadata.is_file() && metadata.mode() & 0o044 != 0 {
        let (path, mode) = (path.display().to_string(), metadata.mode() & 0o777);
        let quoted = path.replace('\'', r"'\''");
        tell(&format!("warning: others can read the key file {path} (mode {mode:o}); run chmod 600 '{quoted}'"));
    }
}

/// The first line without its end, byte by byte; of one that is too long a byte more than is allowed.
fn first_line(mut from: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(MAX + 1));
    let mut byte = Zeroizing::new([0]);
    while line.len() <= MAX {
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

/// Asks for a passphrase on the terminal, twice if it `is_new`.
fn asked_for(is_new: bool) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let ask = |prompt: &str| {
        let answer = interruption::restore_terminal_at_the_end(|| rpassword::prompt_password(prompt)).flatten();
        answer.map(|answer| Zeroizing::new(answer.into_bytes())).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => Failure::stopped(SIGINT, "Stopped. Nothing was written"),
            io::ErrorKind::UnexpectedEof => Failure::new("no passphrase was entered; nothing was written"),
            _ => {
                Failure::new(format!("cannot ask for the passphrase: {error}; without a terminal use --passphrase-fd"))
            }
        })
    };
    let first = ask("Passphrase: ")?;
    if is_new && *ask("Repeat passphrase: ")? != *first {
        return Err(Failure::new("the passphrases do not match"));
    }
    Ok(first)
}
