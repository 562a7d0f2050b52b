//! What can go wrong: everything the caller can do something about, nothing about secrets.

use core::fmt;

use crate::Backend;

/// Why a key was not made, or a message neither sealed nor opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The key has this many bytes; AES keys have 16, 24 or 32.
    KeyLength(usize),
    /// The CPU (or the operating system) lacks a feature that this backend needs.
    BackendUnavailable(Backend),
    /// A nonce of no bytes: SP 800-38D §5.2.1.1 asks for one bit at least.
    EmptyNonce,
    /// More AAD than SP 800-38D §5.2.1.1 allows: 2^61 − 1 bytes.
    AadTooLong,
    /// More text than SP 800-38D §5.2.1.1 allows under one nonce: 2^36 − 32 bytes.
    TextTooLong,
    /// The input has another length than the output.
    LengthsDiffer {
        /// Bytes of input.
        input: usize,
        /// Bytes of output.
        output: usize,
    },
    /// AAD came after text had been sealed or opened: the mode hashes all AAD first.
    AadAfterText,
    /// The tag is not that of this message under this key. Nothing of the text is given away.
    Forged,
    /// The sequence's numbers are used up, or the number lies behind one that was used: no nonce is used twice.
    SequenceExhausted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLength(bytes) => write!(f, "a key of {bytes} bytes; AES keys have 16, 24 or 32"),
            Self::BackendUnavailable(backend) => write!(f, "this CPU cannot run the backend {backend}"),
            Self::EmptyNonce => write!(f, "an empty nonce; at least one byte is needed, 12 are best"),
            Self::AadTooLong => write!(f, "more AAD than AES-GCM allows (2^61 - 1 bytes)"),
            Self::TextTooLong => write!(f, "more text than AES-GCM allows under one nonce (2^36 - 32 bytes)"),
            Self::LengthsDiffer { input, output } => {
                write!(f, "the input has {input} bytes, the output {output}; they must be equal")
            }
            Self::AadAfterText => write!(f, "AAD after text; all AAD comes first"),
            Self::Forged => write!(f, "the message is forged: its tag is wrong"),
            Self::SequenceExhausted => write!(f, "no sequence number is left; change the key"),
        }
    }
}

impl core::error::Error for Error {}
