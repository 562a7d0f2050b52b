//! A workload: an operation on an algorithm, with size and setting.

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
    pub enum Operation: any spelling of "operation" {
        Encrypt = "encrypt",
        Decrypt = "decrypt",
        Seal = "seal",
        Open = "open",
        /// Expand a key that no message had before, and seal one message under it.
        SealNewKey = "seal-new-key",
        /// Encrypt one part of a long message, as a stream cipher does.
        SealUpdate = "seal-update",
        Hash = "hash",
        Derive = "derive",
        Sign = "sign",
        Verify = "verify",
        /// Create a shared secret and its ciphertext for a public key.
        Encapsulate = "encapsulate",
        Decapsulate = "decapsulate",
        /// Encrypt a text, decrypt it and compare it with the original, as a benchmark suite does.
        Roundtrip = "roundtrip",
        /// Generate a key pair. It occurs only in quoted figures; Kasoku does not measure it.
        Generate = "generate",
        Protect = "protect",
        /// Remove the header protection of a QUIC packet and open the packet.
        Unprotect = "unprotect",
        Serve = "serve",
        /// Open a TLS connection with a full handshake, without resumption, and fetch an empty file over it.
        Handshake = "handshake",
        Transfer = "transfer",
    }
}

impl Operation {
    /// Whether the operation applies to texts in memory, with algorithms of this kind.
    pub fn applies_to(self, kind: AlgorithmKind) -> bool {
        let is_of_aeads = matches!(self, Operation::SealNewKey | Operation::SealUpdate);
        Operation::of(kind).contains(&self) || is_of_aeads && kind == AlgorithmKind::Aead
    }

    /// Returns the operations on algorithms of this kind, except those that only apply to packets, new keys or
    /// parts of messages.
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

    /// Whether the operation adds or removes the header protection of QUIC packets.
    pub fn has_header_protection(self) -> bool {
        matches!(self, Operation::Protect | Operation::Unprotect)
    }

    /// Returns the AEAD operation that this operation contains; an operation without one is returned unchanged.
    pub fn of_aead(self) -> Operation {
        match self {
            Operation::Protect | Operation::SealNewKey | Operation::SealUpdate => Operation::Seal,
            Operation::Unprotect => Operation::Open,
            other => other,
        }
    }
}

named! {
    /// Source of an AEAD's nonces.
    #[derive(Default)]
    pub enum NonceForm: exactly "nonces are made ahead or counted" {
        /// Nonces are prepared in advance and read from memory.
        #[default]
        Ahead = "ahead",
        /// Each nonce is computed by counting, stored and used at once.
        Counted = "counted",
    }
}

pub const MAX_KEYS: usize = 65_536;

/// Length in bytes of the message that signature workloads sign, which is the length of a digest.
pub const SIGNED_BYTES: usize = 32;

/// Maximum number of bytes of a message: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// Parses a size for the command line.
///
/// Files may be larger than [`MAX_BYTES`], so callers check their own maximum.
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

/// An operation on an algorithm at one size, with its setting.
///
/// The size is the length of the text for ciphers and AEADs, and of the message for hashes and signatures
/// ([`SIGNED_BYTES`] in the default matrix). It is 0 for handshakes, and for key agreements, encapsulation and benchmark
/// suites, which bring their own texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Workload {
    pub operation: Operation,
    pub algorithm: Algorithm,
    pub bytes: usize,
    /// Source of the nonces; [`NonceForm::Ahead`] unless the algorithm is an AEAD.
    pub nonces: NonceForm,
    /// Number of keys that the operations use in turn; 1 unless the algorithm is an AEAD.
    pub keys: usize,
    pub setting: Setting,
}

/// Kind of data that a workload processes, with its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Setting {
    #[default]
    Memory,
    Transfer(Transfer),
    /// Files sent by nginx.
    Served(Served),
    /// Files sent by an HTTPS server in a Java virtual machine.
    Https(Https),
    Files(Files),
    Packets(Packets),
}

impl Workload {
    /// Creates a workload with nonces prepared in advance and a single key. Ignores `bytes` if the algorithm has no
    /// texts.
    pub fn new(operation: Operation, algorithm: Algorithm, bytes: usize) -> Self {
        let bytes = match algorithm.kind() {
            AlgorithmKind::Cipher | AlgorithmKind::Aead | AlgorithmKind::Hash | AlgorithmKind::CipherSuite => bytes,
            AlgorithmKind::Signature => SIGNED_BYTES,
            AlgorithmKind::KeyAgreement | AlgorithmKind::Kem | AlgorithmKind::Suite => 0,
        };
        let nonces = NonceForm::Ahead;
        Workload { operation, algorithm, bytes, nonces, keys: 1, setting: Setting::Memory }
    }

    /// Returns the workload with this source of nonces. Returns it unchanged unless the algorithm is an AEAD.
    pub fn with_nonces(self, nonces: NonceForm) -> Self {
        if self.algorithm.kind() == AlgorithmKind::Aead { Workload { nonces, ..self } } else { self }
    }

    pub fn with_setting(self, setting: Setting) -> Self {
        Workload { setting, ..self }
    }

    pub fn packets(&self) -> Option<Packets> {
        if let Setting::Packets(packets) = self.setting { Some(packets) } else { None }
    }

    pub fn files(&self) -> Option<Files> {
        if let Setting::Files(files) = self.setting { Some(files) } else { None }
    }

    pub fn served(&self) -> Option<Served> {
        if let Setting::Served(served) = self.setting { Some(served) } else { None }
    }

    pub fn https(&self) -> Option<Https> {
        if let Setting::Https(https) = self.setting { Some(https) } else { None }
    }

    pub fn transfer(&self) -> Option<Transfer> {
        if let Setting::Transfer(transfer) = self.setting { Some(transfer) } else { None }
    }

    /// Returns the workload with this number of keys. Returns it unchanged unless the algorithm is an AEAD.
    pub fn with_keys(self, keys: usize) -> Self {
        if self.algorithm.kind() == AlgorithmKind::Aead { Workload { keys, ..self } } else { self }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.operation)?;
        if self.algorithm.kind().is_bulk() && self.operation != Operation::Handshake {
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
