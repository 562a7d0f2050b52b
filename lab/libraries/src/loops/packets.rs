//! QUIC packets and TLS records: sealed, protected or unprotected in place, one behind another in a buffer as one
//! system call sends or receives them.
//!
//! The buffer is gone through again and again. A packet that goes out is made of what the last turn left in its place,
//! header and text alike: any bytes cost the same. One that comes in must be genuine each time, and nothing is copied
//! for it: see [`ring`].

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

/// What the mask of a header is made from.
pub(crate) type HeaderProtectionSample = [u8; 16];
/// A mask: of the first byte, and of up to four bytes of packet number.
pub(crate) type Mask = [u8; 5];

/// An AEAD under one key.
pub(crate) trait PacketAead {
    /// Seals `text` where it stands, and writes the tag.
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()>;

    /// Verifies the tag in the last 16 bytes of `sealed`, and opens what is before it where it stands.
    fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()>;
}

/// What is before the tag, and the tag behind it.
#[inline]
pub(crate) fn split_tag(sealed: &mut [u8]) -> Result<(&mut [u8], &mut Tag)> {
    sealed.split_last_chunk_mut().ok_or_else(|| failed("find the tag"))
}

/// A key that protects headers (RFC 9001 §5.4.3).
pub(crate) trait HeaderKey {
    /// The mask that follows from `sample`.
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask>;
}

/// What is done with packets; all of them in place.
pub(crate) trait Work {
    /// Does it with one packet, of that number and nonce.
    fn one(&mut self, number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()>;

    /// Does it with several of `packet_bytes` each, one behind another, whose numbers count up from `number`.
    fn batch(&mut self, number: u64, nonces: &[Slot], packets: &mut [u8], packet_bytes: usize) -> Result<()> {
        for ((packet, nonce), number) in packets.chunks_exact_mut(packet_bytes).zip(nonces).zip(number..) {
            self.one(number, &nonce.0, packet)?;
        }
        Ok(())
    }
}

/// Loops `workload` (`seal`, `protect` or `unprotect`) with a library that has an AEAD and a key for headers; `expand`
/// makes each ready.
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
        Operation::Seal => {
            outgoing(packets, fixtures, Sealing { aead: expand(&fixtures.key)?, header_bytes: packets.header_bytes() })
        }
        Operation::Protect => {
            let sender = Protecting { aead: expand(&fixtures.key)?, header: expand_header(&fixtures.header_key)? };
            outgoing(packets, fixtures, sender)
        }
        Operation::Unprotect => {
            let mut keys = Protecting { aead: expand(&fixtures.key)?, header: expand_header(&fixtures.header_key)? };
            let iv = super::exactly("nonce", &fixtures.nonce)?;
            let ring = Ring::incoming(packets, fixtures, &mut keys)?;
            Ok(Box::new(PacketJob { ring, work: Unprotecting { keys, iv } }))
        }
        other => Err(no_packets(other)),
    }
}

/// Loops work on packets that go out: `work` seals or protects them.
pub(crate) fn outgoing<W: Work + 'static>(packets: Packets, fixtures: &Fixtures, work: W) -> PreparedJob {
    Ok(Box::new(PacketJob { ring: Ring::outgoing(packets, fixtures)?, work }))
}

/// Loops work on packets that come in: `receiver` unprotects what `sender` protected.
pub(crate) fn incoming<W: Work + 'static>(
    packets: Packets,
    fixtures: &Fixtures,
    sender: &mut impl Work,
    receiver: W,
) -> PreparedJob {
    Ok(Box::new(PacketJob { ring: Ring::incoming(packets, fixtures, sender)?, work: receiver }))
}

/// For an operation that is none of packets.
pub(crate) fn no_packets(operation: Operation) -> Unsupported {
    Unsupported::new(format!("packets have no operation {operation}"))
}

/// For a library without a key for headers.
pub(crate) struct NoHeaderKey;

impl HeaderKey for NoHeaderKey {
    fn mask(&mut self, _sample: &HeaderProtectionSample) -> Result<Mask> {
        Err(failed("protect a header"))
    }
}

struct PacketJob<W> {
    ring: Ring,
    work: W,
}

impl<W: Work> Job for PacketJob<W> {
    fn reset(&mut self) -> Result<()> {
        self.ring.restart();
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        let (batch, packet_bytes) = (self.ring.batch, self.ring.packet_bytes);
        for _ in 0..iterations.div_ceil(batch as u64) {
            let (number, nonces, packets) = self.ring.next();
            if batch == 1 {
                self.work.one(number, black_box(&nonces[0].0), black_box(packets))?;
            } else {
                self.work.batch(number, black_box(nonces), black_box(packets), packet_bytes)?;
            }
            self.ring.done();
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

impl<A: PacketAead> Work for Sealing<A> {
    #[inline]
    fn one(&mut self, _number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
        let (header, sealed) = packet.split_at_mut(self.header_bytes);
        let (text, tag) = split_tag(sealed)?;
        self.aead.seal(nonce, header, text, tag)
    }
}

/// The keys of one direction.
struct Protecting<A, H> {
    aead: A,
    header: H,
}

impl<A: PacketAead, H: HeaderKey> Work for Protecting<A, H> {
    #[inline]
    fn one(&mut self, _number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
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

impl<A: PacketAead, H: HeaderKey> Work for Unprotecting<A, H> {
    /// `number` is the one expected. The nonce follows from the one that is found.
    #[inline]
    fn one(&mut self, number: u64, _nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
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

    /// A toy: XORs the key and the nonce, and for a tag takes the sum of what it was given.
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
    fn packets_are_genuine_in_every_turn_and_under_no_other_key() {
        for bytes in [2, 1440, 30_000] {
            let (workload, fixtures) = fixtures(bytes);
            let iv = exactly_nonce(&fixtures);
            let mut job = packets(&workload, Packets::SINGLE, &fixtures, |_| Ok(Toy(7)), |_| Ok(Toy(9))).unwrap();
            job.run(1000).unwrap();
            job.reset().unwrap();
            job.run(1).unwrap();
            assert!(job.output().ends_with(&fixtures.text), "{bytes}");
            for (key, header_key) in [(8, 9), (7, 8)] {
                let receiver = Unprotecting { keys: keys(key, header_key), iv };
                let mut job = incoming(Packets::SINGLE, &fixtures, &mut keys(7, 9), receiver).unwrap();
                assert!(job.run(3).is_err(), "{bytes} {key} {header_key}");
            }
        }
    }

    #[test]
    fn numbers_and_nonces_count_up_from_the_headers_own() {
        struct Recorder(Vec<(u64, u8)>);
        impl Work for Recorder {
            fn one(&mut self, number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
                assert_eq!(packet[18..20], (number as u16).to_be_bytes());
                self.0.push((number, nonce[11]));
                Ok(())
            }
        }
        let (_, mut fixtures) = fixtures(100);
        (fixtures.aad[18], fixtures.aad[19], fixtures.nonce[11]) = (1, 254, 0);
        let mut ring = Ring::outgoing(Packets::batch(4), &fixtures).unwrap();
        let mut work = Recorder(Vec::new());
        for _ in 0..2 {
            let packet_bytes = ring.packet_bytes;
            let (number, nonces, packets) = ring.next();
            work.batch(number, nonces, packets, packet_bytes).unwrap();
            ring.done();
        }
        let expected = [510, 511, 512, 513, 514, 515, 516, 517].map(|number: u64| (number, number as u8));
        assert_eq!(work.0, expected);
    }

    fn exactly_nonce(fixtures: &Fixtures) -> Nonce {
        fixtures.nonce[..].try_into().unwrap()
    }
}
