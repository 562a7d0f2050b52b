//! Where packets are protected and unprotected.
//!
//! Secret are both keys, the IV, payloads, the packet number's bytes, and the low bits of the first byte. When headers
//! are unmasked, the header-protection key is; so is then what the header says, the length of the packet number among
//! it. Texts begin where that length says, so when a packet is opened the header has been read, and is public.

use std::hint::black_box;

use kasoku_engine::packet::{Packet, PacketProtection, Unmasked, Unprotected};
use kasoku_engine::{Backend, CodePath, Error};

use super::{Desk, witness};
use crate::call::packets::{Call, MAX_BYTES, MAX_PACKETS, Operation};
use crate::secret;

/// The first packet number of the keys.
const FIRST: u64 = 0x0012_3456_789A;

/// What packet numbers are decoded against.
const EXPECTED: u64 = FIRST + 64;

/// A packet number as it was decoded, and its bytes.
type Decoded = [u8; 9];

/// The buffers of some packets, and the keys.
pub struct PacketDesk {
    path: CodePath,
    key: [u8; 32],
    iv: [u8; 12],
    header_key: [u8; 32],
    number: u64,
    work: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    decoded: [Decoded; MAX_PACKETS],
    expected_decoded: [Decoded; MAX_PACKETS],
    expanded: Option<PacketProtection>,
}

impl Desk for PacketDesk {
    type Call = Call;

    fn new(path: CodePath) -> Self {
        let buffers = || vec![vec![0; MAX_BYTES]; MAX_PACKETS];
        Self {
            path,
            key: [0; 32],
            iv: [0; 12],
            header_key: [0; 32],
            number: 0,
            work: buffers(),
            expected: buffers(),
            decoded: [[0; 9]; MAX_PACKETS],
            expected_decoded: [[0; 9]; MAX_PACKETS],
            expanded: None,
        }
    }

    fn lay_out(&mut self, call: &Call, number: usize) -> Result<(), Error> {
        secret::fill(&mut self.key, number, 3);
        secret::fill(&mut self.iv, number, 5);
        secret::fill(&mut self.header_key, number, 6);
        // All of them are decoded from one byte.
        self.number = FIRST + (number as u64 * 37) % 128;
        self.decoded = [[0; 9]; MAX_PACKETS];
        self.expected_decoded = self.decoded;
        // Keys come and go in the same order every time, and nothing else is allocated: so each finds its place again.
        self.expanded = None;
        let other = self.protection(call, witness(Backend::Portable.into()))?;
        for place in 0..call.packets {
            let bytes = call.bytes(place);
            self.write_plain(call, place, number);
            let (work, expected) = (&mut self.work[place][..bytes], &mut self.expected[place][..bytes]);
            expected.copy_from_slice(work);
            match call.operation {
                Operation::Expand => {}
                Operation::Unmask | Operation::UnmaskBatch => {
                    // Any bytes: the mask is as different as the keys are, and says other lengths of the number.
                    secret::fill(work, 2, 7);
                    expected.copy_from_slice(work);
                    self.expected_decoded[place] = decoded(other.unmask(EXPECTED, expected, call.number_offset)?);
                }
                operation if operation.protects() => {
                    other.protect(self.number, expected, call.number_offset, call.number_bytes)?;
                }
                operation => {
                    other.protect(self.number, work, call.number_offset, call.number_bytes)?;
                    if operation.is_forged() {
                        work[bytes - 1] ^= 0x20;
                        expected[call.header()..].fill(0);
                    }
                    expected[bytes - 16..].copy_from_slice(&work[bytes - 16..]);
                    let number_bytes = call.number_bytes;
                    self.expected_decoded[place] = decoded(Unmasked { number: self.number, number_bytes });
                }
            }
        }
        Ok(())
    }

    fn secrets(&mut self, call: &Call) -> Vec<&mut [u8]> {
        let Self { key, iv, header_key, work, .. } = self;
        let (key, header_key) = (&mut key[..call.key], &mut header_key[..call.key]);
        if call.operation.opens() {
            return vec![key, iv];
        }
        if matches!(call.operation, Operation::Unmask | Operation::UnmaskBatch) {
            return vec![header_key];
        }
        let mut secrets = vec![key, &mut iv[..], header_key];
        if call.operation.protects() {
            for (place, packet) in work.iter_mut().enumerate().take(call.packets) {
                let (first, rest) = packet[..call.bytes(place) - 16].split_at_mut(1);
                secrets.extend([first, &mut rest[call.number_offset - 1..]]);
            }
        }
        secrets
    }

    fn results(&mut self, call: &Call) -> Vec<&mut [u8]> {
        let mut results = Vec::new();
        let packets = self.work.iter_mut().enumerate().take(call.packets);
        match call.operation {
            Operation::Expand => {}
            operation if operation.protects() => {
                for (place, packet) in packets {
                    let (first, rest) = packet[..call.bytes(place)].split_at_mut(1);
                    results.extend([first, &mut rest[call.number_offset - 1..]]);
                }
            }
            Operation::Unmask | Operation::UnmaskBatch => {
                for (_, packet) in packets {
                    let (first, rest) = packet.split_at_mut(1);
                    results.extend([first, &mut rest[call.number_offset - 1..call.number_offset + 3]]);
                }
            }
            operation if operation.is_forged() => {}
            _ => results.extend(packets.map(|(place, packet)| &mut packet[call.header()..call.bytes(place) - 16])),
        }
        results
    }

    fn rest(&mut self, _: &Call) -> Vec<&mut [u8]> {
        let Self { key, iv, header_key, work, decoded, .. } = self;
        let mut rest = vec![&mut key[..], iv, header_key];
        rest.extend(work.iter_mut().map(Vec::as_mut_slice));
        rest.extend(decoded.iter_mut().map(<[u8; 9]>::as_mut_slice));
        rest
    }

    #[inline(never)]
    fn expand(&mut self, call: &Call) -> Result<(), Error> {
        self.expanded = None;
        self.expanded = Some(self.protection(call, self.path)?);
        Ok(())
    }

    #[inline(never)]
    fn run(&mut self, call: &Call) -> Result<(), Error> {
        if call.operation == Operation::Expand {
            self.expand(call)?;
            if let Some(protection) = self.expanded.take() {
                let next = protection.next_phase(&self.key[..call.key], &self.iv)?;
                // In this order each finds its place again.
                drop(protection);
                drop(next);
            }
            return Ok(());
        }
        let Some(protection) = &self.expanded else { return Ok(()) };
        let (number, at) = (self.number, call.number_offset);
        let packet = &mut self.work[0][..call.bytes(0)];
        match call.operation {
            Operation::Expand => {}
            Operation::Protect => protection.protect(number, packet, at, call.number_bytes)?,
            Operation::Unmask => self.decoded[0] = decoded(protection.unmask(EXPECTED, packet, at)?),
            Operation::Unprotect | Operation::UnprotectForged => {
                let Unprotected { number, payload } = protection.unprotect(EXPECTED, packet, at)?;
                self.decoded[0] = decoded(Unmasked { number, number_bytes: payload.start - at });
            }
            Operation::UnmaskAndOpen => {
                let unmasked = protection.unmask(EXPECTED, packet, at)?;
                protection.open(unmasked.number, packet, at, unmasked.number_bytes)?;
                self.decoded[0] = decoded(unmasked);
            }
            operation => return self.run_batch(call, operation),
        }
        Ok(())
    }

    fn is_right(&self, call: &Call, verdict: &Result<(), Error>) -> bool {
        let expected = if call.operation.is_forged() { Err(Error::AuthenticationFailed) } else { Ok(()) };
        let are_right = call.operation == Operation::Expand
            || (0..call.packets).all(|place| {
                let bytes = call.bytes(place);
                self.work[place][..bytes] == self.expected[place][..bytes]
            });
        // A single forgery gives no number away.
        let is_decoded = call.operation == Operation::UnprotectForged || self.decoded == self.expected_decoded;
        *verdict == expected && are_right && is_decoded
    }

    fn verdicts(call: &Call) -> usize {
        if call.operation.opens() { call.packets } else { 0 }
    }
}

impl PacketDesk {
    fn protection(&self, call: &Call, path: CodePath) -> Result<PacketProtection, Error> {
        let (key, header_key) = black_box((&self.key[..call.key], &self.header_key[..call.key]));
        PacketProtection::with_backend(key, &self.iv, header_key, path)?.beginning_at(FIRST)
    }

    /// A packet that is not protected yet.
    fn write_plain(&mut self, call: &Call, place: usize, number: usize) {
        let (header, text) = self.work[place][..call.bytes(place)].split_at_mut(call.header());
        secret::fill(header, 2, 1);
        header[0] = if call.is_long { 0xC0 } else { 0x40 } | (call.number_bytes as u8 - 1);
        header[call.number_offset..].copy_from_slice(&self.number.to_be_bytes()[8 - call.number_bytes..]);
        secret::fill(text, number, 4 + 16 * place as u64);
    }

    #[inline(never)]
    fn run_batch(&mut self, call: &Call, operation: Operation) -> Result<(), Error> {
        let Some(protection) = &self.expanded else { return Ok(()) };
        let packets = self.work.iter_mut().enumerate().take(call.packets);
        let mut batch: Vec<_> = packets
            .map(|(place, packet)| {
                let packet = &mut packet[..call.bytes(place)];
                match operation {
                    Operation::ProtectBatch => {
                        Packet::outgoing(self.number, packet, call.number_offset, call.number_bytes)
                    }
                    _ => Packet::incoming(packet, call.number_offset),
                }
            })
            .collect();
        let succeeded = match operation {
            Operation::ProtectBatch => protection.protect_side_by_side(&mut batch),
            Operation::UnmaskBatch => protection.unmask_batch(EXPECTED, &mut batch),
            Operation::UnmaskAndOpenBatch => {
                protection.unmask_batch(EXPECTED, &mut batch);
                protection.open_batch(&mut batch)
            }
            // Few go one by one.
            _ if call.packets == 3 => protection.unprotect_batch(EXPECTED, &mut batch),
            _ => protection.unprotect_side_by_side(EXPECTED, &mut batch),
        };
        if operation != Operation::ProtectBatch {
            for (kept, packet) in self.decoded.iter_mut().zip(&batch) {
                *kept = decoded(Unmasked { number: packet.number(), number_bytes: packet.number_bytes() });
            }
        }
        // All of them, or none.
        if succeeded == if operation.is_forged() { 0 } else { call.packets } {
            return batch[0].result();
        }
        Err(Error::PacketNumberOffset)
    }
}

fn decoded(Unmasked { number, number_bytes }: Unmasked) -> Decoded {
    let mut decoded = [number_bytes as u8; 9];
    decoded[..8].copy_from_slice(&number.to_le_bytes());
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Extent;
    use crate::call::packets::Group;

    #[test]
    fn every_call_is_right() -> Result<(), Error> {
        for group in [Group::Protecting, Group::Unmasking, Group::Unprotecting] {
            let mut desk = PacketDesk::new(Backend::Portable.into());
            for call in group.calls(Extent::Few) {
                desk.lay_out(&call, 5)?;
                desk.expand(&call)?;
                let verdict = desk.run(&call);
                assert!(desk.is_right(&call, &verdict), "{call}: {verdict:?}");
            }
        }
        Ok(())
    }

    /// Nothing would be shown of them otherwise.
    #[test]
    fn secrets_unmask_numbers_of_every_length() -> Result<(), Error> {
        let mut desk = PacketDesk::new(Backend::Portable.into());
        let mut lengths = [0; 4];
        for call in Group::Unmasking.calls(Extent::Few) {
            for number in 0..secret::COUNT {
                desk.lay_out(&call, number)?;
                lengths[usize::from(desk.expected_decoded[0][8]) - 1] += 1;
            }
        }
        assert!(lengths.iter().all(|&count| count > 0), "{lengths:?}");
        Ok(())
    }
}
