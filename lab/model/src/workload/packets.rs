//! What a workload of the level `packets` has beside operation, algorithm and size.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Operation;

/// Bytes of a packet's header: a short header with a connection ID of 17 bytes and a packet number of 2 (RFC 9000
/// §17.3.1).
pub const HEADER_BYTES: usize = 20;
/// Bytes of a TLS record's header, which is its AAD (RFC 8446 §5.2).
pub const RECORD_HEADER_BYTES: usize = 5;
/// The shortest payload: beside two bytes of packet number, what lets a receiver sample (RFC 9001 §5.4.2).
pub const MIN_PAYLOAD: usize = 2;
/// The most packets a batch may have: as many as one call sends with UDP's segmentation offload.
pub const MAX_BATCH: usize = 64;

/// How the messages of the level `packets` are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Packets {
    /// This many are done together: in one call, if the library has one for it.
    pub batch: usize,
    /// Whether that call is left alone, and a batch is this many calls for single packets.
    #[serde(default, rename = "loop")]
    pub looped: bool,
    /// Whether what stands around the cipher belongs to it: nonce, AAD and tag. Without, the text goes through a
    /// message that runs on.
    pub setup: bool,
    /// Whether they are TLS records instead of QUIC packets.
    #[serde(default)]
    pub record: bool,
}

impl Packets {
    /// Whole packets, one in a call.
    pub const SINGLE: Packets = Packets { batch: 1, looped: false, setup: true, record: false };
    /// Whole TLS records.
    pub const RECORD: Packets = Packets { record: true, ..Packets::SINGLE };
    /// The cipher alone.
    pub const CIPHER: Packets = Packets { setup: false, ..Packets::SINGLE };

    /// Whole packets, `batch` in a call.
    pub const fn batch(batch: usize) -> Packets {
        Packets { batch, ..Packets::SINGLE }
    }

    /// Packets done together, each in a call of its own.
    pub const fn looped(batch: usize) -> Packets {
        Packets { looped: true, ..Packets::batch(batch) }
    }

    /// Bytes of the header, all of which are AAD.
    pub fn header_bytes(self) -> usize {
        if self.record { RECORD_HEADER_BYTES } else { HEADER_BYTES }
    }
}

/// An operation on packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketOperation {
    /// What is done: [`Operation::Seal`], [`Operation::Open`], [`Operation::Protect`] or [`Operation::Unprotect`].
    pub operation: Operation,
    /// How the packets are made.
    pub packets: Packets,
}

/// The part of a packet's protection that an operation includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PacketWork {
    /// The cipher alone: without set-up, AAD and tag.
    Cipher,
    /// The whole AEAD.
    Aead,
    /// The AEAD and header protection.
    Packet,
    /// The AEAD of a TLS record, for comparison.
    Record,
}

impl PacketOperation {
    /// Encrypts with the cipher alone.
    pub const CIPHER: Self = PacketOperation { operation: Operation::Seal, packets: Packets::CIPHER };
    /// Seals with the AEAD.
    pub const AEAD: Self = PacketOperation { operation: Operation::Seal, packets: Packets::SINGLE };
    /// Protects one packet in a call.
    pub const PACKET: Self = PacketOperation::batch(1);
    /// Seals a TLS record.
    pub const RECORD: Self = PacketOperation { operation: Operation::Seal, packets: Packets::RECORD };

    /// Protects `batch` packets in a call.
    pub const fn batch(batch: usize) -> Self {
        PacketOperation { operation: Operation::Protect, packets: Packets::batch(batch) }
    }

    /// Protects `batch` packets, each in a call of its own.
    pub const fn looped(batch: usize) -> Self {
        PacketOperation { operation: Operation::Protect, packets: Packets::looped(batch) }
    }

    /// Returns the part of the protection that the operation includes.
    pub fn work(self) -> PacketWork {
        match self.packets {
            _ if self.operation.has_header_protection() => PacketWork::Packet,
            Packets { record: true, .. } => PacketWork::Record,
            Packets { setup: false, .. } => PacketWork::Cipher,
            Packets { .. } => PacketWork::Aead,
        }
    }

    /// Whether packets are sent, not received.
    pub fn is_sending(self) -> bool {
        matches!(self.operation, Operation::Seal | Operation::Protect)
    }

    /// Whether several packets are protected in one call.
    pub fn is_batch(self) -> bool {
        self.work() == PacketWork::Packet && self.packets.batch > 1 && !self.packets.looped
    }
}

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Packets { record: true, .. } => f.write_str("TLS record"),
            Packets { setup: false, .. } => f.write_str("cipher alone"),
            Packets { batch: 1, .. } => f.write_str("packet"),
            Packets { batch, looped: true, .. } => write!(f, "packets in a loop over {batch}"),
            Packets { batch, .. } => write!(f, "packets in batches of {batch}"),
        }
    }
}
