//! Lists the engine's calls for QUIC packets, one packet at a time and in batches.

use std::fmt;
use std::str::FromStr;

use super::Extent;

/// An operation of the engine on QUIC packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Expands the keys of the current and of the next key phase, and wipes the expanded keys.
    Expand,
    Protect,
    ProtectBatch,
    /// Removes header protection from a packet, and decodes its packet number.
    Unmask,
    /// Removes header protection from a batch of packets, and decodes their packet numbers.
    UnmaskBatch,
    /// Removes header protection from a packet and opens the packet, with one call.
    Unprotect,
    /// Removes header protection from a packet with one call, and opens the packet with a second call.
    UnmaskAndOpen,
    /// Removes header protection from a forged packet and rejects the packet, with one call.
    UnprotectForged,
    /// Removes header protection from a batch of packets and opens the packets, with one call.
    UnprotectBatch,
    /// Removes header protection from a batch of packets with one call, and opens the packets with a second call.
    UnmaskAndOpenBatch,
    /// Removes header protection from a batch of forged packets and rejects the packets, with one call.
    UnprotectForgedBatch,
}

/// Public parameters of an engine call for packets: the operation, and lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub operation: Operation,
    pub key: usize,
    /// Whether the packets have long headers (RFC 9000 §17.2).
    pub is_long: bool,
    /// Number of header bytes before the packet number.
    pub number_offset: usize,
    pub number_bytes: usize,
    /// Payload length of the first packet, in bytes.
    pub text: usize,
    /// Number of packets in the call. If this number is odd and greater than one, the packets have different lengths;
    /// otherwise, the packets have equal lengths.
    pub packets: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Operations that expand keys or protect outgoing packets.
    Protecting,
    /// Operations that remove header protection from incoming packets.
    Unmasking,
    /// Operations that open incoming packets and return whether each tag is valid.
    Unprotecting,
}

/// Maximum number of packets in a call.
pub const MAX_PACKETS: usize = 9;

/// Maximum size of a packet in bytes: header, packet number, payload and tag.
pub const MAX_BYTES: usize = 60 + 4 + MAX_TEXT + STEP * MAX_PACKETS + 16;

const MAX_TEXT: usize = 4101;

/// Difference in bytes between the lengths of consecutive packets of a call. One more than a block, so that packets end
/// at different positions within a block.
const STEP: usize = 17;

impl Operation {
    /// Returns whether the operation protects outgoing packets.
    #[must_use]
    pub fn protects(self) -> bool {
        matches!(self, Self::Protect | Self::ProtectBatch)
    }

    /// Returns whether the operation returns plaintext for genuine packets.
    #[must_use]
    pub fn opens(self) -> bool {
        !self.protects() && !matches!(self, Self::Expand | Self::Unmask | Self::UnmaskBatch)
    }

    /// Returns whether the operation's input packets are forged.
    #[must_use]
    pub fn is_forged(self) -> bool {
        matches!(self, Self::UnprotectForged | Self::UnprotectForgedBatch)
    }
}

impl Call {
    /// Returns the length in bytes of a packet's header, including the packet number.
    #[must_use]
    pub fn header(&self) -> usize {
        self.number_offset + self.number_bytes
    }

    /// Returns the size in bytes of the packet with index `place`.
    #[must_use]
    pub fn bytes(&self, place: usize) -> usize {
        let more = if self.packets.is_multiple_of(2) { 0 } else { STEP * place };
        self.header() + self.text + more + 16
    }
}

impl Group {
    #[must_use]
    pub fn calls(self, extent: Extent) -> Vec<Call> {
        let (alone, others, batches): (&[_], &[_], &[_]) = match self {
            Self::Protecting => (&[Operation::Protect], &[], &[Operation::ProtectBatch]),
            Self::Unmasking => (&[Operation::Unmask], &[], &[Operation::UnmaskBatch]),
            Self::Unprotecting => (
                &[Operation::Unprotect],
                &[Operation::UnmaskAndOpen, Operation::UnprotectForged],
                &[Operation::UnprotectBatch, Operation::UnmaskAndOpenBatch, Operation::UnprotectForgedBatch],
            ),
        };
        let mut calls = Vec::new();
        for key in [16, 32] {
            let short = Call {
                operation: Operation::Expand,
                key,
                is_long: false,
                number_offset: 9,
                number_bytes: 2,
                text: 4,
                packets: 1,
            };
            // Stepping through the wiping loops of this call takes as long as all other calls together.
            if self == Self::Protecting && (extent == Extent::Full || extent.step().is_none() && key == 32) {
                calls.push(short);
            }
            let mut call = |operation, text, packets| calls.push(Call { operation, text, packets, ..short });
            if self != Self::Unmasking {
                let every = if extent == Extent::Full { 1 } else { 3 };
                for text in extent.lengths(key).filter(|&text| text >= 3).step_by(every) {
                    alone.iter().for_each(|&operation| call(operation, text, 1));
                }
                for text in [511, 1100, 1440, 2049, MAX_TEXT] {
                    alone.iter().for_each(|&operation| call(operation, text, 1));
                }
                for text in [20, 129, 300] {
                    others.iter().for_each(|&operation| call(operation, text, 1));
                }
            }
            let counts: &[_] =
                if extent == Extent::Full { &[1, 2, 3, 4, 5, 8, MAX_PACKETS] } else { &[3, 4, MAX_PACKETS] };
            for &packets in counts {
                let texts: &[_] = match (self, extent) {
                    (Self::Unmasking, _) => &[40],
                    (_, Extent::Full) => &[4, 20, 100, 300, 1440],
                    _ => &[4, 100, 700],
                };
                for &text in texts {
                    batches.iter().for_each(|&operation| call(operation, text, packets));
                }
            }
            for (number_offset, number_bytes, is_long) in [(1, 1, false), (18, 4, true), (33, 3, true), (60, 2, true)] {
                for text in [20, 100] {
                    let header = Call { number_offset, number_bytes, is_long, text, ..short };
                    calls.extend(alone.iter().chain(others).map(|&operation| Call { operation, ..header }));
                    calls.extend(batches.iter().map(|&operation| Call { operation, packets: 5, ..header }));
                }
            }
        }
        if let Some(step) = extent.step() {
            let are_short = |call: &Call| call.text <= 100 && call.packets < MAX_PACKETS;
            let step = if self == Self::Unmasking { step.div_ceil(4) } else { step };
            calls = calls.into_iter().filter(are_short).step_by(step).collect();
        }
        calls
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, key, is_long, number_offset, number_bytes, text, packets } = self;
        let form = if *is_long { "long" } else { "short" };
        write!(f, "{operation:?}: {packets} packets, {text} bytes, number at {number_offset} in {number_bytes}, ")?;
        write!(f, "{form} header, keys of {key}")
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Protecting => "protecting",
            Self::Unmasking => "unmasking",
            Self::Unprotecting => "unprotecting",
        })
    }
}

impl FromStr for Group {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Self::Protecting, Self::Unmasking, Self::Unprotecting]
            .into_iter()
            .find(|group| group.to_string() == name)
            .ok_or_else(|| format!("{name} is no group of calls"))
    }
}
