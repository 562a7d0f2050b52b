//! A workload: an operation, an algorithm and a size in bytes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::algorithm::{Algorithm, Kind};

/// What is done with an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Encrypt with a cipher that does not authenticate.
    Encrypt,
    /// Decrypt with a cipher that does not authenticate.
    Decrypt,
    /// Encrypt and authenticate a whole message.
    Seal,
    /// Verify and decrypt a whole message.
    Open,
    /// Hash a whole message.
    Hash,
    /// Derive the shared secret of a key agreement.
    Derive,
    /// Sign a message.
    Sign,
    /// Verify a signature.
    Verify,
    /// Make a shared secret and its ciphertext for a public key.
    Encapsulate,
    /// Recover the shared secret from a ciphertext.
    Decapsulate,
}

impl Operation {
    /// Every operation.
    pub const ALL: &[Operation] = &[
        Operation::Encrypt,
        Operation::Decrypt,
        Operation::Seal,
        Operation::Open,
        Operation::Hash,
        Operation::Derive,
        Operation::Sign,
        Operation::Verify,
        Operation::Encapsulate,
        Operation::Decapsulate,
    ];

    /// The name in code, output and documents.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Encrypt => "encrypt",
            Operation::Decrypt => "decrypt",
            Operation::Seal => "seal",
            Operation::Open => "open",
            Operation::Hash => "hash",
            Operation::Derive => "derive",
            Operation::Sign => "sign",
            Operation::Verify => "verify",
            Operation::Encapsulate => "encapsulate",
            Operation::Decapsulate => "decapsulate",
        }
    }

    /// The operations an algorithm of this kind has.
    pub fn of(kind: Kind) -> &'static [Operation] {
        match kind {
            Kind::Cipher => &[Operation::Encrypt, Operation::Decrypt],
            Kind::Aead => &[Operation::Seal, Operation::Open],
            Kind::Hash => &[Operation::Hash],
            Kind::KeyAgreement => &[Operation::Derive],
            Kind::Signature => &[Operation::Sign, Operation::Verify],
            Kind::Kem => &[Operation::Encapsulate, Operation::Decapsulate],
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no operation's.
#[derive(Debug, thiserror::Error)]
#[error("unknown operation \"{name}\"; known are {}", Operation::ALL.iter().map(|o| o.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownOperation {
    name: String,
}

impl FromStr for Operation {
    type Err = UnknownOperation;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Operation::ALL
            .iter()
            .copied()
            .find(|operation| operation.name() == name)
            .ok_or_else(|| UnknownOperation { name: name.chars().take(40).collect() })
    }
}

/// Bytes of the message that signature workloads sign: what a digest has.
pub const SIGNED_BYTES: usize = 32;

/// The largest message a workload may have: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// An operation, an algorithm and a size in bytes.
///
/// The size is the text's for ciphers and AEADs, the message's for hashes and signatures ([`SIGNED_BYTES`] in the
/// default matrix), and 0 for key agreements and encapsulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Workload {
    /// What is done.
    pub operation: Operation,
    /// With which algorithm.
    pub algorithm: Algorithm,
    /// On how many bytes.
    pub bytes: usize,
}

impl Workload {
    /// The workload of `operation` on `bytes` bytes; the size is fixed for the kinds that have no text.
    pub fn new(operation: Operation, algorithm: Algorithm, bytes: usize) -> Self {
        let bytes = match algorithm.kind() {
            Kind::Cipher | Kind::Aead | Kind::Hash => bytes,
            Kind::Signature => SIGNED_BYTES,
            Kind::KeyAgreement | Kind::Kem => 0,
        };
        Workload { operation, algorithm, bytes }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.operation)?;
        if self.algorithm.kind().is_bulk() { write!(f, " {} bytes", self.bytes) } else { Ok(()) }
    }
}
