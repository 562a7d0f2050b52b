//! What is done with a packet: the columns of the published measurement, and ours beside them.

use serde_json::Value;

use kasoku_model::document::Series;
use kasoku_model::library::{AES_BOUND, GCM_BOUND, GCM_BOUND_NEON, GCM_BOUND_XMM, GCM_BOUND_YMM, MIXED_BOUND, Role};
use kasoku_model::workload::Operation;

use crate::level::PACKETS;

/// Sending or receiving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PacketDirection {
    /// Sealing and protecting.
    Send,
    /// Removing the protection and opening.
    Receive,
}

/// How much of the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PacketWork {
    /// The cipher alone: without set-up, AAD and tag.
    Cipher,
    /// The whole AEAD.
    Aead,
    /// The AEAD and header protection.
    Packet,
    /// The AEAD of a TLS record, for comparison.
    Record,
}

/// What is done with a packet, and how many at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Way {
    /// Sending or receiving.
    pub(crate) direction: PacketDirection,
    /// How much of the work.
    pub(crate) form: PacketWork,
    /// How many packets are handed over at once.
    pub(crate) batch: u64,
    /// Whether they are this many, but handed over one by one: what a batch is held against.
    pub(crate) is_looped: bool,
}

impl Way {
    /// The cipher alone.
    pub(crate) const CIPHER: Way =
        Way { direction: PacketDirection::Send, form: PacketWork::Cipher, batch: 1, is_looped: false };
    /// The whole AEAD.
    pub(crate) const AEAD: Way = Way { form: PacketWork::Aead, ..Way::CIPHER };
    /// One whole packet at a time.
    pub(crate) const PACKET: Way = Way { form: PacketWork::Packet, ..Way::CIPHER };
    /// A TLS record.
    pub(crate) const RECORD: Way = Way { form: PacketWork::Record, ..Way::CIPHER };

    /// What `series` does, if it is of the level packets.
    pub(crate) fn of(series: &Series) -> Option<Way> {
        if series.level != PACKETS {
            return None;
        }
        let direction = match series.operation {
            Operation::Seal | Operation::Protect => PacketDirection::Send,
            Operation::Open | Operation::Unprotect => PacketDirection::Receive,
            _ => return None,
        };
        let form = if matches!(series.operation, Operation::Protect | Operation::Unprotect) {
            PacketWork::Packet
        } else if series.flag("record") == Some(true) {
            PacketWork::Record
        } else if series.flag("setup") == Some(false) {
            PacketWork::Cipher
        } else {
            PacketWork::Aead
        };
        let batch = series.parameters.get("batch").and_then(Value::as_u64).unwrap_or(1).max(1);
        Some(Way { direction, form, batch, is_looped: series.flag("loop") == Some(true) })
    }

    /// What a library is asked to do for it.
    pub(crate) fn operation(self) -> Operation {
        match (self.direction, self.form) {
            (PacketDirection::Send, PacketWork::Packet) => Operation::Protect,
            (PacketDirection::Send, _) => Operation::Seal,
            (PacketDirection::Receive, PacketWork::Packet) => Operation::Unprotect,
            (PacketDirection::Receive, _) => Operation::Open,
        }
    }

    /// This many whole packets at once.
    pub(crate) fn batch_of(batch: u64) -> Way {
        Way { batch, ..Way::PACKET }
    }

    /// This many whole packets, one by one.
    pub(crate) fn loop_over(batch: u64) -> Way {
        Way { is_looped: true, ..Way::batch_of(batch) }
    }

    /// Whether this many whole packets are handed over in one call.
    pub(crate) fn is_batch(self) -> bool {
        self.form == PacketWork::Packet && self.batch > 1 && !self.is_looped
    }
}

/// Whether `series` is one of the CPU's bounds at this level: bare instructions, of which nothing can be verified.
pub(crate) fn is_bound(series: &Series) -> bool {
    series.level == PACKETS && series.role == Role::Bound
}

/// Whether it is AES alone.
pub(crate) fn is_aes_bound(series: &Series) -> bool {
    is_bound(series) && series.library.starts_with(AES_BOUND)
}

/// Whether it is all operations that GCM needs, in registers of any width; the mix of products and rounds in documents
/// that have no more.
pub(crate) fn is_mixed_bound(series: &Series) -> bool {
    is_bound(series) && [GCM_BOUND, MIXED_BOUND].iter().any(|bound| series.library.starts_with(bound))
}

/// Whether it is all operations that GCM needs in registers as wide as those of that code path.
pub(crate) fn is_bound_of(series: &Series, code_path: &str) -> bool {
    // A path is named by all that ran: `aesni+clmul`.
    let bound = match code_path.split('+').next().unwrap_or_default() {
        "vaes512" => GCM_BOUND,
        "vaes256" => GCM_BOUND_YMM,
        "aesni" => GCM_BOUND_XMM,
        "armv8-aes" => GCM_BOUND_NEON,
        _ => return false,
    };
    is_bound(series) && series.library == bound
}
