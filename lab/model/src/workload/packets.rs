//! Setting of the level `packets`: QUIC packets or TLS records.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Operation;

/// Length in bytes of a QUIC short header with a connection ID of 17 bytes and a packet number of 2 (RFC 9000 §17.3.1).
pub const HEADER_BYTES: usize = 20;
/// Length in bytes of a TLS record's header, which is the record's AAD (RFC 8446 §5.2).
pub const RECORD_HEADER_BYTES: usize = 5;
/// Minimum length in bytes of the payload after a packet number of two bytes. With less, a receiver cannot sample the
/// ciphertext for header protection (RFC 9001 §5.4.2).
pub const MIN_PAYLOAD: usize = 2;
/// Maximum number of packets in a batch, which is the number that one call sends with UDP segmentation offload.
pub const MAX_BATCH: usize = 64;

/// Form of the messages that the level `packets` processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Packets {
    /// Number of packets that are processed together, in one call if the library has such a call.
    pub batch: usize,
    /// Whether a batch is a loop of calls for single packets even if the library has a batch call.
    #[serde(default, rename = "loop")]
    pub looped: bool,
    /// Whether the operation includes nonce, AAD and tag. If not, the texts of all packets form one endless message.
    pub setup: bool,
    /// Whether the messages are TLS records instead of QUIC packets.
    #[serde(default)]
    pub record: bool,
}

impl Packets {
    pub const SINGLE: Packets = Packets { batch: 1, looped: false, setup: true, record: false };
    pub const RECORD: Packets = Packets { record: true, ..Packets::SINGLE };
    pub const CIPHER: Packets = Packets { setup: false, ..Packets::SINGLE };

    /// Describes batches of `batch` whole packets, one batch per call.
    pub const fn batch(batch: usize) -> Packets {
        Packets { batch, ..Packets::SINGLE }
    }

    /// Describes batches of `batch` whole packets, processed in a loop with one packet per call.
    pub const fn looped(batch: usize) -> Packets {
        Packets { looped: true, ..Packets::batch(batch) }
    }

    /// Returns the length of the header in bytes. The header is the AAD.
    pub fn header_bytes(self) -> usize {
        if self.record { RECORD_HEADER_BYTES } else { HEADER_BYTES }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketOperation {
    /// [`Operation::Seal`], [`Operation::Open`], [`Operation::Protect`] or [`Operation::Unprotect`].
    pub operation: Operation,
    pub packets: Packets,
}

/// Part of a packet's protection that an operation includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PacketWork {
    /// Only the cipher, without set-up, AAD and tag.
    Cipher,
    Aead,
    /// The AEAD and the header protection of a QUIC packet.
    Packet,
    /// The AEAD of a TLS record, for comparison with packets.
    Record,
}

impl PacketOperation {
    pub const CIPHER: Self = PacketOperation { operation: Operation::Seal, packets: Packets::CIPHER };
    pub const AEAD: Self = PacketOperation { operation: Operation::Seal, packets: Packets::SINGLE };
    pub const PACKET: Self = PacketOperation::batch(1);
    pub const RECORD: Self = PacketOperation { operation: Operation::Seal, packets: Packets::RECORD };

    pub const fn batch(batch: usize) -> Self {
        PacketOperation { operation: Operation::Protect, packets: Packets::batch(batch) }
    }

    /// Creates the operation that protects `batch` packets in a loop, one per call.
    pub const fn looped(batch: usize) -> Self {
        PacketOperation { operation: Operation::Protect, packets: Packets::looped(batch) }
    }

    pub fn work(self) -> PacketWork {
        match self.packets {
            _ if self.operation.has_header_protection() => PacketWork::Packet,
            Packets { record: true, .. } => PacketWork::Record,
            Packets { setup: false, .. } => PacketWork::Cipher,
            Packets { .. } => PacketWork::Aead,
        }
    }

    pub fn is_sending(self) -> bool {
        matches!(self.operation, Operation::Seal | Operation::Protect)
    }

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
