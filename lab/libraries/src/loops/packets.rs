//! Timed loops for QUIC packets and TLS records. They are sealed, protected or unprotected in place, consecutively in
//! one buffer, as one system call sends or receives them.
//!
//! The loop reuses the buffer cyclically. An outgoing packet encrypts whatever the previous pass left in its place,
//! since the cost is the same for any bytes. An incoming packet must be valid in each pass, without copying: see
//! [`ring`].

mod header;
mod ring;
pub(crate) mod running;

use std::hint::black_box;

use super::super::nonces::{Nonce, Slot};
use super::super::{Job, PreparedJob, Result, Unsupported};
use super::failed;
use crate::fixtures::Fixtures;
use crate::keyring::Tag;
pub(crate) use header::{NUMBER_BYTES, NUMBER_OFFSET};
use kasoku_engine::numbered_nonce;
use kasoku_model::workload::packets::HEADER_BYTES;
use kasoku_model::workload::{Operation, Packets, Workload};
use ring::Ring;

/// Ciphertext sample from which header protection derives its mask (RFC 9001 §5.4.2).
pub(crate) type HeaderProtectionSample = [u8; 16];
/// Header mask: one byte for the first byte, up to four for the packet number.
pub(crate) type Mask = [u8; 5];

/// A keyed AEAD that works on packets in place.
pub(crate) trait PacketAead {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()>;

    /// Verifies the tag in the last 16 bytes of `sealed` and decrypts the bytes before it in place.
    fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()>;
}

#[inline]
pub(crate) fn split_tag(sealed: &mut [u8]) -> Result<(&mut [u8], &mut Tag)> {
    sealed.split_last_chunk_mut().ok_or_else(|| failed("find the tag"))
}

/// Header protection (RFC 9001 §5.4.3).
pub(crate) trait HeaderKey {
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask>;
}

pub(crate) trait PacketOperation {
    fn process(&mut self, number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()>;

    /// Processes consecutive packets of `packet_bytes` each, numbered from `number`.
    fn process_batch(&mut self, number: u64, nonces: &[Slot], packets: &mut [u8], packet_bytes: usize) -> Result<()> {
        for ((packet, nonce), number) in packets.chunks_exact_mut(packet_bytes).zip(nonces).zip(number..) {
            self.process(number, &nonce.0, packet)?;
        }
        Ok(())
    }
}

/// Creates a `seal`, `protect` or `unprotect` job for a library with an AEAD and header protection. `expand` and
/// `expand_header` expand the keys.
pub(crate) fn packets<A: PacketAead + 'static, H: HeaderKey + 'static>(
    workload: &Workload,
    packets: Packets,
    fixtures: &Fixtures,
    expand: impl FnOnce(&[u8]) -> Result<A, Unsupported>,
    expand_header: impl FnOnce(&[u8]) -> Result<H, Unsupported>,
) -> PreparedJob {
    if !packets.setup {
        return Err(Unsupported::new("its API seals whole messages only, so the cipher alone cannot be timed"));
    }
    match workload.operation {
        Operation::Seal => outgoing_job(
            packets,
            fixtures,
            Sealing { aead: expand(&fixtures.key)?, header_bytes: packets.header_bytes() },
        ),
        Operation::Protect => {
            let sender = Protecting { aead: expand(&fixtures.key)?, header: expand_header(&fixtures.header_key)? };
            outgoing_job(packets, fixtures, sender)
        }
        Operation::Unprotect => {
            let mut keys = Protecting { aead: expand(&fixtures.key)?, header: expand_header(&fixtures.header_key)? };
            let iv = super::to_array("nonce", &fixtures.nonce)?;
            let ring = Ring::incoming(packets, fixtures, &mut keys)?;
            Ok(Box::new(PacketJob { ring, operation: Unprotecting { keys, iv } }))
        }
        other => Err(unsupported_packet_operation(other)),
    }
}

pub(crate) fn outgoing_job<W: PacketOperation + 'static>(
    packets: Packets,
    fixtures: &Fixtures,
    operation: W,
) -> PreparedJob {
    Ok(Box::new(PacketJob { ring: Ring::outgoing(packets, fixtures)?, operation }))
}

/// Creates a job for incoming packets, which `sender` protects once and `receiver` unprotects.
pub(crate) fn incoming_job<W: PacketOperation + 'static>(
    packets: Packets,
    fixtures: &Fixtures,
    sender: &mut impl PacketOperation,
    receiver: W,
) -> PreparedJob {
    Ok(Box::new(PacketJob { ring: Ring::incoming(packets, fixtures, sender)?, operation: receiver }))
}

pub(crate) fn unsupported_packet_operation(operation: Operation) -> Unsupported {
    Unsupported::new(format!("packets have no operation {operation}"))
}

/// Stands in for the header key of libraries without header protection.
pub(crate) struct NoHeaderKey;

impl HeaderKey for NoHeaderKey {
    fn mask(&mut self, _sample: &HeaderProtectionSample) -> Result<Mask> {
        Err(failed("protect a header"))
    }
}

struct PacketJob<W> {
    ring: Ring,
    operation: W,
}

impl<W: PacketOperation> Job for PacketJob<W> {
    fn reset(&mut self) -> Result<()> {
        self.ring.restart();
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        let (batch, packet_bytes) = (self.ring.batch, self.ring.packet_bytes);
        for _ in 0..iterations.div_ceil(batch as u64) {
            let (number, nonces, packets) = self.ring.next();
            if batch == 1 {
                self.operation.process(number, black_box(&nonces[0].0), black_box(packets))?;
            } else {
                self.operation.process_batch(number, black_box(nonces), black_box(packets), packet_bytes)?;
            }
            self.ring.advance();
        }
        black_box(&mut self.ring);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.ring.first_batch()
    }
}

struct Sealing<A> {
    aead: A,
    header_bytes: usize,
}

impl<A: PacketAead> PacketOperation for Sealing<A> {
    #[inline]
    fn process(&mut self, _number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
        let (header, sealed) = packet.split_at_mut(self.header_bytes);
        let (text, tag) = split_tag(sealed)?;
        self.aead.seal(nonce, header, text, tag)
    }
}

/// AEAD key and header key of one direction.
struct Protecting<A, H> {
    aead: A,
    header: H,
}

impl<A: PacketAead, H: HeaderKey> PacketOperation for Protecting<A, H> {
    #[inline]
    fn process(&mut self, _number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
        let (header, sealed) = packet.split_at_mut(HEADER_BYTES);
        let (text, tag) = split_tag(sealed)?;
        self.aead.seal(nonce, header, text, tag)?;
        let mask = self.header.mask(header::sample(packet)?)?;
        header::mask(packet, mask);
        Ok(())
    }
}

struct Unprotecting<A, H> {
    keys: Protecting<A, H>,
    iv: Nonce,
}

impl<A: PacketAead, H: HeaderKey> PacketOperation for Unprotecting<A, H> {
    /// Removes the header protection and opens the packet. `number` is the expected packet number, from which the
    /// truncated number is decoded; the decoded number determines the nonce.
    #[inline]
    fn process(&mut self, number: u64, _nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
        let mask = self.keys.header.mask(header::sample(packet)?)?;
        let (truncated, number_bytes) = header::unmask(packet, mask);
        let number = header::decode(number, truncated, number_bytes);
        let (header, sealed) = packet.split_at_mut(NUMBER_OFFSET + number_bytes);
        self.keys.aead.open(&numbered_nonce(&self.iv, number), header, sealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::workload::Setting;

    /// A toy cipher: XORs the key and the nonce. Its tag is a checksum of all inputs.
    struct Toy(u8);

    impl Toy {
        fn tag(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8]) -> [u8; 16] {
            let parts = nonce.iter().chain(aad).chain(ciphertext);
            [parts.fold(self.0, |sum, &byte| sum.rotate_left(1) ^ byte); 16]
        }
    }

    impl PacketAead for Toy {
        fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
            text.iter_mut().for_each(|byte| *byte ^= self.0 ^ nonce[11]);
            *tag = self.tag(nonce, aad, text);
            Ok(())
        }

        fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
            let (text, tag) = split_tag(sealed)?;
            if *tag != self.tag(nonce, aad, text) {
                return Err(failed("open"));
            }
            text.iter_mut().for_each(|byte| *byte ^= self.0 ^ nonce[11]);
            Ok(())
        }
    }

    impl HeaderKey for Toy {
        fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
            Ok(std::array::from_fn(|index| sample[index] ^ self.0))
        }
    }

    fn keys(key: u8, header_key: u8) -> Protecting<Toy, Toy> {
        Protecting { aead: Toy(key), header: Toy(header_key) }
    }

    fn fixtures(bytes: usize) -> (Workload, Fixtures) {
        let workload = Workload::new(Operation::Unprotect, Algorithm::Aes128Gcm, bytes)
            .with_setting(Setting::Packets(Packets::SINGLE));
        (workload, Fixtures::of(&workload))
    }

    #[test]
    fn incoming_packets_stay_valid_in_each_pass_and_reject_wrong_keys() {
        for bytes in [2, 1440, 30_000] {
            let (workload, fixtures) = fixtures(bytes);
            let iv = fixtures.nonce[..].try_into().unwrap();
            let mut job = packets(&workload, Packets::SINGLE, &fixtures, |_| Ok(Toy(7)), |_| Ok(Toy(9))).unwrap();
            job.run(1000).unwrap();
            job.reset().unwrap();
            job.run(1).unwrap();
            assert!(job.output().ends_with(&fixtures.text), "{bytes}");
            for (key, header_key) in [(8, 9), (7, 8)] {
                let receiver = Unprotecting { keys: keys(key, header_key), iv };
                let mut job = incoming_job(Packets::SINGLE, &fixtures, &mut keys(7, 9), receiver).unwrap();
                assert!(job.run(3).is_err(), "{bytes} {key} {header_key}");
            }
        }
    }

    #[test]
    fn outgoing_packets_count_up_from_the_number_in_the_header() {
        struct Recorder(Vec<(u64, u8)>);
        impl PacketOperation for Recorder {
            fn process(&mut self, number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
                assert_eq!(packet[18..20], (number as u16).to_be_bytes());
                self.0.push((number, nonce[11]));
                Ok(())
            }
        }
        let (_, mut fixtures) = fixtures(100);
        (fixtures.aad[18], fixtures.aad[19], fixtures.nonce[11]) = (1, 254, 0);
        let mut ring = Ring::outgoing(Packets::batch(4), &fixtures).unwrap();
        let mut operation = Recorder(Vec::new());
        for _ in 0..2 {
            let packet_bytes = ring.packet_bytes;
            let (number, nonces, packets) = ring.next();
            operation.process_batch(number, nonces, packets, packet_bytes).unwrap();
            ring.advance();
        }
        let expected = [510, 511, 512, 513, 514, 515, 516, 517].map(|number: u64| (number, number as u8));
        assert_eq!(operation.0, expected);
    }
}
