//! Lists the engine's calls for messages, with lengths that reach every code path of a backend.

pub mod packets;

use std::fmt;
use std::str::FromStr;

use kasoku_engine::CodePath;

use crate::planted::Leak;

/// An operation of the engine on messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Expands a key and wipes the expanded key.
    Expand,
    Seal,
    /// Seals from one buffer to another buffer.
    SealTo,
    /// Seals a streamed message in parts of 1 to 300 bytes.
    SealInPieces,
    /// Seals a message that is a list of slices of 1 to 1,000 bytes, and writes the result to another buffer.
    SealVectored,
    Open,
    /// Opens from one buffer to another buffer.
    OpenTo,
    /// Opens a streamed message in parts of 1 to 300 bytes.
    OpenInPieces,
    /// Opens a message that is a list of slices of 1 to 1,000 bytes, and writes the result to another buffer.
    OpenVectored,
    /// Opens in place with a wrong tag.
    OpenForged,
    /// Seals in place with AES-GCM-SIV (RFC 8452).
    SealSiv,
    /// Opens in place with AES-GCM-SIV (RFC 8452).
    OpenSiv,
    /// Seals in place with XAES-256-GCM, which derives an AES key for each message.
    SealXaes,
    /// Opens in place with XAES-256-GCM, which derives an AES key for each message.
    OpenXaes,
    /// Seals in place with a key that is expanded for one message only.
    SealOnce,
    /// Opens in place with a key that is expanded for one message only.
    OpenOnce,
    /// Seals in place, and deliberately leaks a secret by a table look-up or a branch, as [`Leak`] says.
    SealAnd(Leak),
}

impl Operation {
    /// Returns whether the operation opens messages, so that its input is ciphertext.
    #[must_use]
    pub fn opens(self) -> bool {
        matches!(
            self,
            Self::Open
                | Self::OpenTo
                | Self::OpenInPieces
                | Self::OpenVectored
                | Self::OpenForged
                | Self::OpenSiv
                | Self::OpenXaes
                | Self::OpenOnce
        )
    }

    /// Returns whether the operation writes its output to a buffer other than the input buffer.
    #[must_use]
    pub fn moves(self) -> bool {
        matches!(self, Self::SealTo | Self::OpenTo | Self::SealVectored | Self::OpenVectored)
    }
}

/// Public parameters of an engine call: the operation, and the lengths of the inputs in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub operation: Operation,
    pub key: usize,
    pub nonce: usize,
    pub aad: usize,
    pub text: usize,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, key, nonce, aad, text } = self;
        write!(f, "{operation:?}: {text} bytes, {aad} of AAD, key of {key}, nonce of {nonce}")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Key set-up and sealing operations.
    Sealing,
    /// Opening operations, which return whether the tag is valid.
    Opening,
    /// Sealing operations that deliberately leak a secret by a table look-up or a branch, as [`Leak`] says.
    Leaking(Leak),
}

/// Maximum length in bytes of a call's plaintext or ciphertext. Longer than the longest main loop period of any backend
/// (one pass over the table of powers of H: 8,192 bytes).
pub const MAX_TEXT: usize = 12_901;

/// Maximum length in bytes of a call's AAD: several vectors of AAD on every backend.
pub const MAX_AAD: usize = 300;

/// Maximum length in bytes of a call's nonce: more than three blocks, which GHASH then reduces to J0.
pub const MAX_NONCE: usize = 60;

/// Selection of the combinations of operation, key size and lengths that a test executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All text lengths up to 300 bytes, and some greater lengths. Each text length is combined with every key size.
    Full,
    /// For 16-byte keys, all text lengths up to 300 bytes; for longer keys, only lengths within a byte of a multiple of
    /// 16. Some longer texts are added. Each length of AAD or nonce is combined with one key size only.
    Most,
    /// For all key sizes, only text lengths within a byte of a multiple of 16, up to 300 bytes. Some longer texts are
    /// added. Each length of AAD or nonce is combined with one key size only.
    Few,
    /// Every eleventh call of [`Self::Few`] with at most 300 bytes of text.
    Sample,
    /// Every forty-fourth call of [`Self::Few`] with at most 300 bytes of text, for emulators without AES instructions.
    Pinch,
}

impl Extent {
    fn lengths(self, key: usize) -> impl Iterator<Item = usize> {
        let every = self == Self::Full || self == Self::Most && key == 16;
        (0..=300).filter(move |length| every || matches!(length % 16, 15 | 0 | 1))
    }

    /// Returns *n* if a test executes only every *n*th call of a list, or `None` if it executes all calls.
    fn step(self) -> Option<usize> {
        match self {
            Self::Full | Self::Most | Self::Few => None,
            Self::Sample => Some(11),
            Self::Pinch => Some(44),
        }
    }
}

impl Group {
    #[must_use]
    pub fn calls(self, extent: Extent) -> Vec<Call> {
        let (in_place, others): (_, &[_]) = match self {
            Self::Sealing => (Operation::Seal, &[Operation::SealTo, Operation::SealInPieces]),
            Self::Opening => (Operation::Open, &[Operation::OpenTo, Operation::OpenInPieces, Operation::OpenForged]),
            Self::Leaking(leak) => {
                return vec![Call { operation: Operation::SealAnd(leak), key: 16, nonce: 12, aad: 13, text: 64 }];
            }
        };
        let mut calls = Vec::new();
        for key in [16, 24, 32] {
            let mut call = |operation, nonce, aad, text| calls.push(Call { operation, key, nonce, aad, text });
            if self == Self::Sealing {
                call(Operation::Expand, 12, 0, 0);
            }
            for text in extent.lengths(key) {
                call(in_place, 12, 13, text);
            }
            let (siv, xaes, once) = match self {
                Self::Sealing => (Operation::SealSiv, Operation::SealXaes, Operation::SealOnce),
                _ => (Operation::OpenSiv, Operation::OpenXaes, Operation::OpenOnce),
            };
            for (text, aad) in [(0, 0), (16, 13), (33, 100), (100, 13), (300, 32), (1440, 13), (4101, 100)] {
                call(once, 12, aad, text);
            }
            if key != 24 {
                for text in [0, 1, 16, 33, 48, 200, 300, 1100, 2049] {
                    for aad in [0, 13, 100] {
                        call(siv, 12, aad, text);
                    }
                }
            }
            if key == 32 {
                // After key derivation, XAES-256-GCM is AES-256-GCM.
                for text in [0, 1, 33, 300, 2049] {
                    call(xaes, 24, 13, text);
                }
            }
            let is_for = |bytes| extent == Extent::Full || key == bytes;
            if is_for(16) {
                for aad in [0, 1, 16, 17, 100, MAX_AAD] {
                    for text in [0, 16, 100] {
                        call(in_place, 12, aad, text);
                    }
                }
            }
            if is_for(24) {
                for nonce in [1, 8, 16, MAX_NONCE] {
                    for text in [0, 1, 33, 300] {
                        call(in_place, nonce, 13, text);
                    }
                }
            }
            if is_for(32) {
                for text in [511, 576, 1100, 1440, 2049, 4101, MAX_TEXT] {
                    call(in_place, 12, 13, text);
                }
                for &operation in others {
                    for text in [0, 17, 129, 300] {
                        call(operation, 12, 40, text);
                    }
                }
                let vectored = if self == Self::Sealing { Operation::SealVectored } else { Operation::OpenVectored };
                for text in [0, 17, 300, 481, 1440, 4101] {
                    for aad in [40, 100] {
                        call(vectored, 12, aad, text);
                    }
                }
            }
        }
        if let Some(step) = extent.step() {
            calls = calls.into_iter().filter(|call| call.text <= 300).step_by(step).collect();
        }
        calls
    }
}

// The following names are used on the command lines of both programs.

/// Parses the name of a code path: a backend, followed by the instruction schedule (order in which AES and GHASH are
/// interleaved) if the backend has several, as in `vaes512/schoolbook`.
///
/// # Errors
/// If no code path has this name.
pub fn code_path(name: &str) -> Result<CodePath, String> {
    CodePath::all().find(|path| path.to_string() == name).ok_or_else(|| format!("{name} is no code path"))
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Most => "most",
            Self::Few => "few",
            Self::Sample => "sample",
            Self::Pinch => "pinch",
        })
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Self::Full, Self::Most, Self::Few, Self::Sample, Self::Pinch]
            .into_iter()
            .find(|extent| extent.to_string() == name)
            .ok_or_else(|| format!("{name} says nothing about lengths"))
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sealing => "sealing",
            Self::Opening => "opening",
            Self::Leaking(Leak::Lookup) => "leaking-by-lookup",
            Self::Leaking(Leak::Branch) => "leaking-by-branch",
        })
    }
}

impl FromStr for Group {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Self::Sealing, Self::Opening, Self::Leaking(Leak::Lookup), Self::Leaking(Leak::Branch)]
            .into_iter()
            .find(|group| group.to_string() == name)
            .ok_or_else(|| format!("{name} is no group of calls"))
    }
}
