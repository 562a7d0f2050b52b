//! What a workload of the level `packets` has beside operation, algorithm and size.

use std::fmt;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packets {
    /// This many are done together: in one call, if the library has one for it.
    pub batch: usize,
    /// Whether that call is left alone, and a batch is this many calls for single packets.
    pub looped: bool,
    /// Whether what stands around the cipher belongs to it: nonce, AAD and tag. Without, the text goes through a
    /// message that runs on.
    pub setup: bool,
    /// Whether they are TLS records instead of QUIC packets.
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
