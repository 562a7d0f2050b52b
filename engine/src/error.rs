//! Errors: everything the caller can act on, nothing about secrets.

use core::fmt;

use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;

/// Why a key could not be made, or a message neither sealed nor opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The key has this many bytes; AES keys have 16, 24 or 32.
    KeyLength(usize),
    /// The key has this many bytes; AES-GCM-SIV's have 16 or 32.
    SivKeyLength(usize),
    /// The CPU (or the operating system) lacks a feature that this backend needs.
    BackendUnavailable(Backend),
    /// The backend has no such schedule.
    ScheduleUnavailable(CodePath),
    /// An empty nonce: SP 800-38D §5.2.1.1 requires at least one bit.
    EmptyNonce,
    /// More AAD than SP 800-38D §5.2.1.1 allows: 2^61 − 1 bytes; with AES-GCM-SIV 2^36 (RFC 8452 §6).
    AadTooLong,
    /// More plaintext than SP 800-38D §5.2.1.1 allows under one nonce: 2^36 − 32 bytes; with AES-GCM-SIV 2^36 (RFC 8452
    /// §6).
    MessageTooLong,
    /// The input and the output differ in length.
    LengthsDiffer {
        /// Bytes of input.
        input: usize,
        /// Bytes of output.
        output: usize,
    },
    /// AAD came after the first byte of the message: the mode hashes all AAD first.
    AadTooLate,
    /// A part came before a message was begun, or after its tag was given: hashed without a mask, or under one a second
    /// time, it would reveal the hash key.
    NoMessage,
    /// The tag is not that of this message under this key. No plaintext is released.
    AuthenticationFailed,
    /// A packet too short to be sampled for header protection: refused before anything is touched.
    PacketTooShort {
        /// Bytes of the packet, its tag among them.
        packet_bytes: usize,
        /// Bytes it would have to have.
        least: usize,
    },
    /// A packet number of this many bytes: QUIC's have 1 to 4.
    PacketNumberBytes(usize),
    /// The packet number is at an impossible place: there must be a byte before it, and it must end inside the header.
    PacketNumberOffset,
    /// The packet number has more than 62 bits (RFC 9000 §12.3).
    PacketNumberTooLarge(u64),
    /// The packet number lies below the first one protected under this key.
    PacketNumberFell {
        /// The packet's.
        number: u64,
        /// The first one's.
        first: u64,
    },
    /// The key has protected the most packets allowed (RFC 9001 §6.6): update the key.
    ConfidentialityLimit,
    /// The most packets allowed in a connection failed to open (RFC 9001 §6.6): close it.
    IntegrityLimit,
    /// The sequence's numbers are used up, or the number lies behind one that was used: no nonce is used twice.
    SequenceExhausted,
    /// The key has sealed 2^32 messages under random nonces, the most allowed (SP 800-38D §8.3): change the key.
    RandomNoncesExhausted,
    /// The caller's random function failed.
    NoRandomBytes,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLength(bytes) => write!(f, "invalid key length {bytes}; AES keys have 16, 24 or 32 bytes"),
            Self::SivKeyLength(bytes) => write!(f, "invalid key length {bytes}; AES-GCM-SIV keys have 16 or 32 bytes"),
            Self::BackendUnavailable(backend) => write!(f, "this CPU cannot run the backend {backend}"),
            Self::ScheduleUnavailable(CodePath { backend, schedule }) => {
                write!(f, "the backend {backend} has no schedule {schedule}")
            }
            Self::EmptyNonce => write!(f, "empty nonce; at least one byte is needed, 12 are best"),
            Self::AadTooLong => write!(f, "AAD is longer than allowed: 2^61 - 1 bytes, for AES-GCM-SIV 2^36"),
            Self::MessageTooLong => {
                write!(f, "plaintext is longer than AES-GCM allows under one nonce (2^36 - 32 bytes)")
            }
            Self::LengthsDiffer { input, output } => {
                write!(f, "the input has {input} bytes and the output {output}; they must be equal")
            }
            Self::AadTooLate => write!(f, "AAD came after message data; all AAD must come first"),
            Self::NoMessage => write!(f, "no message is in progress; begin one first"),
            Self::AuthenticationFailed => write!(f, "authentication failed: the tag is wrong"),
            Self::PacketTooShort { packet_bytes, least } => {
                write!(f, "a packet of {packet_bytes} bytes is too short for header protection; pad it to {least}")
            }
            Self::PacketNumberBytes(bytes) => {
                write!(f, "invalid packet number length {bytes}; QUIC packet numbers have 1 to 4 bytes")
            }
            Self::PacketNumberOffset => write!(f, "the packet number must lie within the header, after its first byte"),
            Self::PacketNumberTooLarge(number) => {
                write!(f, "packet number {number} is too large; QUIC packet numbers have 62 bits")
            }
            Self::PacketNumberFell { number, first } => {
                write!(f, "packet number {number} is below {first}, the first one protected under this key")
            }
            Self::ConfidentialityLimit => write!(f, "the key has reached its confidentiality limit; update the key"),
            Self::IntegrityLimit => write!(f, "too many packets failed to open; close the connection"),
            Self::RandomNoncesExhausted => {
                write!(f, "the key has reached its limit of messages under random nonces; change the key")
            }
            Self::NoRandomBytes => write!(f, "cannot get random bytes for the nonce"),
            Self::SequenceExhausted => write!(f, "sequence numbers are exhausted; change the key"),
        }
    }
}

impl core::error::Error for Error {}
