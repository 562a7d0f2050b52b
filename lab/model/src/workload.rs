//! A workload: an operation, an algorithm and a size in bytes.

pub mod files;
pub mod packets;
pub mod served;
pub mod transfer;

use std::fmt;

use crate::algorithm::{Algorithm, AlgorithmKind};
use crate::name::named;
pub use files::Files;
pub use packets::{PacketOperation, Packets};
pub use served::{Https, Served};
pub use transfer::Transfer;

named! {
    /// What is done with an algorithm.
    pub enum Operation: any spelling of "operation" {
        /// Encrypt with a cipher that does not authenticate.
        Encrypt = "encrypt",
        /// Decrypt with a cipher that does not authenticate.
        Decrypt = "decrypt",
        /// Encrypt and authenticate a whole message.
        Seal = "seal",
        /// Verify and decrypt a whole message.
        Open = "open",
        /// Hash a whole message.
        Hash = "hash",
        /// Derive the shared secret of a key agreement.
        Derive = "derive",
        /// Sign a message.
        Sign = "sign",
        /// Verify a signature.
        Verify = "verify",
        /// Make a shared secret and its ciphertext for a public key.
        Encapsulate = "encapsulate",
        /// Recover the shared secret from a ciphertext.
        Decapsulate = "decapsulate",
        /// Encrypt, decrypt again and compare, as a benchmark suite's mix of work does.
        Roundtrip = "roundtrip",
        /// Make a key pair. In other people's tables; not measured here.
        Generate = "generate",
        /// Seal a QUIC packet and protect its header.
        Protect = "protect",
        /// Remove the protection of a QUIC packet's header and open it.
        Unprotect = "unprotect",
        /// Send whole files over TLS connections, as a web server does.
        Serve = "serve",
        /// Move data from one process to another over QUIC or TLS.
        Transfer = "transfer",
    }
}

impl Operation {
    /// The operations an algorithm of this kind has by itself; what packets add is in no algorithm.
    pub fn of(kind: AlgorithmKind) -> &'static [Operation] {
        match kind {
            AlgorithmKind::Cipher => &[Operation::Encrypt, Operation::Decrypt],
            AlgorithmKind::Aead => &[Operation::Seal, Operation::Open],
            AlgorithmKind::Hash => &[Operation::Hash],
            AlgorithmKind::KeyAgreement => &[Operation::Derive],
            AlgorithmKind::Signature => &[Operation::Sign, Operation::Verify],
            AlgorithmKind::Kem => &[Operation::Encapsulate, Operation::Decapsulate],
            AlgorithmKind::Suite => &[Operation::Roundtrip],
            AlgorithmKind::CipherSuite => &[Operation::Serve],
        }
    }

    /// Whether a packet's header is protected, or that removed.
    pub fn has_header_protection(self) -> bool {
        matches!(self, Operation::Protect | Operation::Unprotect)
    }

    /// What an AEAD does in it.
    pub fn of_aead(self) -> Operation {
        match self {
            Operation::Protect => Operation::Seal,
            Operation::Unprotect => Operation::Open,
            other => other,
        }
    }
}

named! {
    /// How the nonces of an AEAD's messages come about.
    #[derive(Default)]
    pub enum NonceForm: exactly "nonces are made ahead or counted" {
        /// They stand in memory, made ahead.
        #[default]
        Ahead = "ahead",
        /// Each is counted, stored and used at once.
        Counted = "counted",
    }
}

/// The most keys a workload may have.
pub const MAX_KEYS: usize = 65_536;

/// Bytes of the message that signature workloads sign: what a digest has.
pub const SIGNED_BYTES: usize = 32;

/// The largest message a workload may have: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// The size that `text` states, for the command line.
///
/// Whole files may be larger than [`MAX_BYTES`]: who takes a size says how large it may be.
///
/// # Errors
/// What a size is.
pub fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((digits, "K")) => (digits, 10),
        Some((digits, "M")) => (digits, 20),
        Some((digits, "G")) => (digits, 30),
        _ => (text, 0),
    };
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse::<usize>().ok().filter(|_| is_plain);
    match number.and_then(|number| number.checked_mul(1 << shift)) {
        Some(bytes @ 1..=files::MAX_FILE_BYTES) => Ok(bytes),
        _ => Err(format!(
            "a size is a whole number of bytes from 1 to {MAX_BYTES}; also in K, M and G (of 1,024 each), and of files \
             up to 1024G"
        )),
    }
}

/// An operation, an algorithm and a size in bytes; of an AEAD also where its nonces and keys come from, or that it
/// protects packets.
///
/// The size is the text's for ciphers and AEADs, the message's for hashes and signatures ([`SIGNED_BYTES`] in the
/// default matrix), and 0 for key agreements, encapsulation and suites, which bring their own texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Workload {
    /// What is done.
    pub operation: Operation,
    /// With which algorithm.
    pub algorithm: Algorithm,
    /// On how many bytes.
    pub bytes: usize,
    /// How its nonces come about; of what is no AEAD, always ahead.
    pub nonces: NonceForm,
    /// Under how many keys in turn; of what is no AEAD, always one.
    pub keys: usize,
    /// What it is done to.
    pub setting: Setting,
}

/// What a workload is done to, with what only that has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Setting {
    /// A text in memory.
    #[default]
    Memory,
    /// Data that goes from end to end.
    Transfer(Transfer),
    /// Files that a web server sends.
    Served(Served),
    /// Files that a server in a virtual machine sends.
    Https(Https),
    /// Whole files.
    Files(Files),
    /// Packets.
    Packets(Packets),
}

impl Workload {
    /// The workload of `operation` on `bytes` bytes, with nonces made ahead and one key; the size is fixed for the
    /// kinds that have no text.
    pub fn new(operation: Operation, algorithm: Algorithm, bytes: usize) -> Self {
        let bytes = match algorithm.kind() {
            AlgorithmKind::Cipher | AlgorithmKind::Aead | AlgorithmKind::Hash | AlgorithmKind::CipherSuite => bytes,
            AlgorithmKind::Signature => SIGNED_BYTES,
            AlgorithmKind::KeyAgreement | AlgorithmKind::Kem | AlgorithmKind::Suite => 0,
        };
        let nonces = NonceForm::Ahead;
        Workload { operation, algorithm, bytes, nonces, keys: 1, setting: Setting::Memory }
    }

    /// The same with nonces that come about so, if it has nonces.
    pub fn with_nonces(self, nonces: NonceForm) -> Self {
        if self.algorithm.kind() == AlgorithmKind::Aead { Workload { nonces, ..self } } else { self }
    }

    /// The same done to something else than a text in memory.
    pub fn with_setting(self, setting: Setting) -> Self {
        Workload { setting, ..self }
    }

    /// How its packets are made, if it is of packets.
    pub fn packets(&self) -> Option<Packets> {
        if let Setting::Packets(packets) = self.setting { Some(packets) } else { None }
    }

    /// Where its files are, if it is of files.
    pub fn files(&self) -> Option<Files> {
        if let Setting::Files(files) = self.setting { Some(files) } else { None }
    }

    /// How a web server sends it, if one does.
    pub fn served(&self) -> Option<Served> {
        if let Setting::Served(served) = self.setting { Some(served) } else { None }
    }

    /// How a server in a virtual machine sends it, if one does.
    pub fn https(&self) -> Option<Https> {
        if let Setting::Https(https) = self.setting { Some(https) } else { None }
    }

    /// How it goes from end to end, if it does.
    pub fn transfer(&self) -> Option<Transfer> {
        if let Setting::Transfer(transfer) = self.setting { Some(transfer) } else { None }
    }

    /// The same under this many keys, if it is an AEAD.
    pub fn with_keys(self, keys: usize) -> Self {
        if self.algorithm.kind() == AlgorithmKind::Aead { Workload { keys, ..self } } else { self }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.operation)?;
        if self.algorithm.kind().is_bulk() {
            write!(f, " {} bytes", self.bytes)?;
        }
        match self.setting {
            Setting::Memory => {}
            Setting::Packets(packets) => write!(f, ", {packets}")?,
            Setting::Files(files) => write!(f, ", {files}")?,
            Setting::Served(served) => write!(f, ", {served}")?,
            Setting::Https(https) => write!(f, ", {https}")?,
            Setting::Transfer(transfer) => write!(f, ", {transfer}")?,
        }
        if self.nonces != NonceForm::Ahead {
            write!(f, ", nonces {}", self.nonces)?;
        }
        if self.keys > 1 { write!(f, ", {} keys", self.keys) } else { Ok(()) }
    }
}
