//! The error type. Errors say what the caller can act on, and contain no secrets.

use core::fmt;

use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;

/// Reasons why a key could not be created, or why a message could not be sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Invalid length of an AES key, in bytes. Valid lengths are 16, 24 and 32.
    KeyLength(usize),
    /// Invalid length of an AES-GCM-SIV key, in bytes. Valid lengths are 16 and 32.
    SivKeyLength(usize),
    /// The CPU or the operating system lacks a feature that this backend needs.
    BackendUnavailable(Backend),
    /// The backend does not have this instruction schedule (order in which AES and GHASH are interleaved).
    ScheduleUnavailable(CodePath),
    /// The nonce is empty: SP 800-38D §5.2.1.1 requires at least one bit.
    EmptyNonce,
    /// The AAD is longer than SP 800-38D §5.2.1.1 allows, 2^61 − 1 bytes. For AES-GCM-SIV the limit is 2^36 bytes (RFC
    /// 8452 §6).
    AadTooLong,
    /// The plaintext is longer than SP 800-38D §5.2.1.1 allows under one nonce, 2^36 − 32 bytes. For AES-GCM-SIV the
    /// limit is 2^36 bytes (RFC 8452 §6).
    MessageTooLong,
    /// The input and the output differ in length.
    LengthsDiffer {
        /// Length of the input in bytes.
        input: usize,
        /// Length of the output in bytes.
        output: usize,
    },
    /// AAD was passed after the first byte of the message. GCM hashes all AAD before the message.
    AadTooLate,
    /// A part was passed before a message was begun, or after the message's tag was returned. Hashing this part without
    /// E(K, J0), or with the E(K, J0) of another message, would reveal the hash key.
    NoMessage,
    /// The tag is not valid for this message under this key. No plaintext is released.
    AuthenticationFailed,
    /// The packet is too short to contain a header-protection sample. The packet is left unchanged.
    PacketTooShort {
        /// Length of the packet in bytes, including the tag.
        packet_bytes: usize,
        /// Minimum length of a packet in bytes.
        least: usize,
    },
    /// Invalid length of a packet number, in bytes. QUIC packet numbers have 1 to 4 bytes.
    PacketNumberBytes(usize),
    /// Invalid position of the packet number. At least one byte must precede the packet number, which must end inside
    /// the header.
    PacketNumberOffset,
    /// The packet number has more than 62 bits (RFC 9000 §12.3).
    PacketNumberTooLarge(u64),
    /// The packet number is below the first packet number protected under this key.
    PacketNumberFell {
        /// Number of the rejected packet.
        number: u64,
        /// First packet number protected under the key.
        first: u64,
    },
    /// The key has protected the maximum number of packets (RFC 9001 §6.6). Update the key.
    ConfidentialityLimit,
    /// The maximum number of packets of this connection have failed to open (RFC 9001 §6.6). Close the connection.
    IntegrityLimit,
    /// All sequence numbers are used, or the requested number is below the next unused one. No nonce is used twice.
    SequenceExhausted,
    /// The key has sealed 2^32 messages under random nonces, the maximum (SP 800-38D §8.3). Change the key.
    RandomNoncesExhausted,
    /// The caller's random function returned an error.
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
