//! Series of packets: the operation of a series, and the CPU's bounds.

use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::library::{AES_BOUND, GCM_BOUND, GCM_BOUND_NEON, GCM_BOUND_XMM, GCM_BOUND_YMM, MIXED_BOUND, Role};
use kasoku_model::workload::PacketOperation;

/// Sending or receiving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PacketDirection {
    /// Sealing and protecting.
    Send,
    /// Removing the protection and opening.
    Receive,
}

impl PacketDirection {
    /// Whether `operation` goes in this direction.
    pub(crate) fn has(self, operation: PacketOperation) -> bool {
        operation.is_sending() == (self == PacketDirection::Send)
    }
}

/// Returns the operation on packets that `series` measures; `None` if it measures something else.
pub(crate) fn packet_operation(series: &Series) -> Option<PacketOperation> {
    let packets = series.workload().packets().filter(|_| series.level == Level::Packets)?;
    Some(PacketOperation { operation: series.operation, packets })
}

/// Whether `series` is one of the CPU's bounds at this level: bare instructions, of which nothing can be verified.
pub(crate) fn is_bound(series: &Series) -> bool {
    series.level == Level::Packets && series.role == Role::Bound
}

/// Whether `series` is the bound of AES alone.
pub(crate) fn is_aes_bound(series: &Series) -> bool {
    is_bound(series) && series.library.starts_with(AES_BOUND)
}

/// Whether `series` is the bound of all operations of GCM, in registers of any width. Older documents have the mix of
/// products and rounds instead.
pub(crate) fn is_mixed_bound(series: &Series) -> bool {
    is_bound(series) && [GCM_BOUND, MIXED_BOUND].iter().any(|bound| series.library.starts_with(bound))
}

/// Whether `series` is the bound of all operations of GCM in registers as wide as those of `code_path`.
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
