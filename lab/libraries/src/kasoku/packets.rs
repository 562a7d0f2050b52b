//! The engine's packet jobs: QUIC packets, alone and in batches, through its packet API; records, the cipher alone and
//! parts of messages through AES-GCM.

use std::rc::Rc;

use kasoku_engine::packet::{Packet, PacketProtection};
use kasoku_engine::{AesGcm, CodePath, Sealing};

use super::super::loops::aead::{Nonce, Tag};
use super::super::loops::packets::running::{RunningMessage, running, updates};
use super::super::loops::packets::{
    self, NUMBER_BYTES, NUMBER_OFFSET, NoHeaderKey, PacketAead, PacketOperation, incoming_job, outgoing_job, split_tag,
    unsupported_packet_operation,
};
use super::super::loops::{failed, rejected, to_array};
use super::super::nonces::Slot;
use super::super::{PreparedJob, Result, Unsupported};
use super::checked_key;
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::packets::MAX_BATCH;
use kasoku_model::workload::{Operation, Packets, Workload};

pub(super) fn prepare(path: CodePath, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
    checked_key(workload, &fixtures.key)?;
    let expand = |key: &[u8]| AesGcm::with_backend(key, path).map_err(|_| rejected("key"));
    let protection = || {
        let iv = to_array("nonce", &fixtures.nonce)?;
        let keys = PacketProtection::with_backend(&fixtures.key, &iv, &fixtures.header_key, path);
        // Packet numbers repeat in every slice. They must be at least the number given here, so it is 0.
        keys.and_then(|keys| keys.beginning_at(0)).map_err(|_| rejected("keys"))
    };
    match workload.operation {
        Operation::Seal if !packets.setup => {
            let (key, message) = (Rc::new(expand(&fixtures.key)?), None);
            running(packets, fixtures, Pieces { key, message })
        }
        Operation::Seal => packets::packets(workload, packets, fixtures, expand, |_| Ok(NoHeaderKey)),
        Operation::Protect if packets.looped => outgoing_job(packets, fixtures, Looped(Protecting(protection()?))),
        Operation::Protect => outgoing_job(packets, fixtures, Protecting(protection()?)),
        Operation::Unprotect if packets.looped => {
            incoming_job(packets, fixtures, &mut Protecting(protection()?), Looped(Unprotecting(protection()?)))
        }
        Operation::Unprotect => {
            incoming_job(packets, fixtures, &mut Protecting(protection()?), Unprotecting(protection()?))
        }
        other => Err(unsupported_packet_operation(other)),
    }
}

pub(super) fn prepare_updates(path: CodePath, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if !matches!(workload.algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm) {
        return Err(Unsupported::new("parts of messages are measured with AES-GCM"));
    }
    let key = checked_key(workload, &fixtures.key)?;
    let key = Rc::new(AesGcm::with_backend(key, path).map_err(|_| rejected("key"))?);
    updates(fixtures, Pieces { key, message: None })
}

impl PacketAead for AesGcm {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        *tag = AesGcm::seal(self, nonce, aad, text).map_err(|_| failed("seal"))?;
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = split_tag(sealed)?;
        AesGcm::open(self, nonce, aad, text, tag).map_err(|_| failed("open"))
    }
}

struct Protecting(PacketProtection);

impl PacketOperation for Protecting {
    #[inline]
    fn process(&mut self, number: u64, _nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
        self.0.protect(number, packet, NUMBER_OFFSET, NUMBER_BYTES).map_err(|_| failed("protect"))
    }

    #[inline]
    fn process_batch(&mut self, number: u64, nonces: &[Slot], packets: &mut [u8], packet_bytes: usize) -> Result<()> {
        let outgoing = |(bytes, number)| Packet::outgoing(number, bytes, NUMBER_OFFSET, NUMBER_BYTES);
        let packets = packets.chunks_exact_mut(packet_bytes).zip(number..).map(outgoing);
        batched(packets, nonces.len(), |packets| self.0.protect_batch(packets)).ok_or_else(|| failed("protect a batch"))
    }
}

/// Processes a batch by a loop of single calls.
struct Looped<W>(W);

impl<W: PacketOperation> PacketOperation for Looped<W> {
    #[inline]
    fn process(&mut self, number: u64, nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
        self.0.process(number, nonce, packet)
    }
}

struct Unprotecting(PacketProtection);

impl PacketOperation for Unprotecting {
    #[inline]
    fn process(&mut self, number: u64, _nonce: &Nonce, packet: &mut [u8]) -> Result<()> {
        self.0.unprotect(number, packet, NUMBER_OFFSET).map(|_| ()).map_err(|_| failed("unprotect"))
    }

    #[inline]
    fn process_batch(&mut self, number: u64, nonces: &[Slot], packets: &mut [u8], packet_bytes: usize) -> Result<()> {
        let packets = packets.chunks_exact_mut(packet_bytes).map(|bytes| Packet::incoming(bytes, NUMBER_OFFSET));
        let unprotect = |packets: &mut [Packet<'_>]| self.0.unprotect_batch(number, packets);
        batched(packets, nonces.len(), unprotect).ok_or_else(|| failed("unprotect a batch"))
    }
}

/// Passes `count` packets to `call` at once; the usual batch sizes need no allocation. `None` if a packet fails.
#[inline]
fn batched<'a>(
    mut packets: impl Iterator<Item = Packet<'a>>,
    count: usize,
    call: impl FnOnce(&mut [Packet<'a>]) -> usize,
) -> Option<()> {
    #[inline]
    fn list<'a, const N: usize>(
        packets: &mut impl Iterator<Item = Packet<'a>>,
        call: impl FnOnce(&mut [Packet<'a>]) -> usize,
    ) -> Option<()> {
        let mut none_left = false;
        let mut list: [Packet<'a>; N] = std::array::from_fn(|_| {
            packets.next().unwrap_or_else(|| {
                none_left = true;
                Packet::incoming(&mut [], NUMBER_OFFSET)
            })
        });
        (!none_left && call(&mut list) == N).then_some(())
    }
    match count {
        16 => list::<16>(&mut packets, call),
        MAX_BATCH => list::<MAX_BATCH>(&mut packets, call),
        _ => {
            let mut list: Vec<Packet<'a>> = packets.collect();
            (call(&mut list) == count).then_some(())
        }
    }
}

struct Pieces {
    key: Rc<AesGcm>,
    message: Option<Sealing<Rc<AesGcm>>>,
}

impl RunningMessage for Pieces {
    fn begin(&mut self, nonce: &Nonce, aad: &[u8]) -> Result<()> {
        let mut message = Sealing::new(Rc::clone(&self.key), nonce).map_err(|_| failed("begin"))?;
        message.aad(aad).map_err(|_| failed("take the AAD"))?;
        self.message = Some(message);
        Ok(())
    }

    #[inline]
    fn update(&mut self, text: &mut [u8]) -> Result<()> {
        let message = self.message.as_mut().ok_or_else(|| failed("go on"))?;
        message.update(text).map_err(|_| failed("seal"))
    }

    fn finish(&mut self) -> Result<Tag> {
        Ok(self.message.take().ok_or_else(|| failed("end"))?.finish())
    }
}
