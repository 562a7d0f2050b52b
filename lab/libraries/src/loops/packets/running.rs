//! Timed loops for the cipher alone: each text of a packet, or one text again and again, is encrypted as the next part
//! of one long message, as `openssl speed` measures.
//!
//! A new message begins after 16 GiB: well below GCM's limit of 64 GiB for one nonce, and so rarely that it shows in no
//! figure.

use std::hint::black_box;

use super::super::super::buffer::Buffer;
use super::super::super::{Job, PreparedJob, Result};
use super::super::to_array;
use super::Nonce;
use super::ring::Ring;
use crate::fixtures::Fixtures;
use crate::keyring::Tag;
use kasoku_model::workload::Packets;

const MAX_BYTES: u64 = 16 << 30;

pub(crate) trait RunningMessage {
    fn begin(&mut self, nonce: &Nonce, aad: &[u8]) -> Result<()>;

    fn update(&mut self, text: &mut [u8]) -> Result<()>;

    fn finish(&mut self) -> Result<Tag>;
}

/// Creates a job that encrypts the texts of packets as one message. Its output is the first packet, for comparison with
/// other libraries' packets.
pub(crate) fn running<R: RunningMessage + 'static>(packets: Packets, fixtures: &Fixtures, running: R) -> PreparedJob {
    let mut job = RunningJob { ring: Ring::outgoing(packets, fixtures)?, running, bytes: 0 };
    job.begin()?;
    Ok(Box::new(job))
}

/// Creates a job that encrypts the fixtures' text in place as the next part of one message. The job's output is the
/// ciphertext and tag of a message that consists of the first part only.
pub(crate) fn updates<R: RunningMessage + 'static>(fixtures: &Fixtures, message: R) -> PreparedJob {
    let nonce = to_array("nonce", &fixtures.nonce)?;
    let (aad, original) = (fixtures.aad.clone(), fixtures.text.clone());
    let mut job = UpdatesJob { message, nonce, aad, text: Buffer::input(&original), original, bytes: 0 };
    job.reset()?;
    Ok(Box::new(job))
}

struct UpdatesJob<R> {
    message: R,
    nonce: Nonce,
    aad: Vec<u8>,
    original: Vec<u8>,
    text: Buffer,
    bytes: u64,
}

impl<R: RunningMessage> Job for UpdatesJob<R> {
    fn reset(&mut self) -> Result<()> {
        self.bytes = 0;
        self.text.copy_from_slice(&self.original);
        self.message.begin(&self.nonce, &self.aad)
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.message.update(black_box(&mut self.text))?;
            self.bytes += self.text.len() as u64;
            if self.bytes > MAX_BYTES {
                self.bytes = 0;
                self.message.begin(&self.nonce, &self.aad)?;
            }
        }
        black_box(&mut self.text);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        let tag = self.message.finish().unwrap_or_default();
        [&self.text[..], &tag].concat()
    }
}

struct RunningJob<R> {
    ring: Ring,
    running: R,
    bytes: u64,
}

impl<R: RunningMessage> RunningJob<R> {
    fn begin(&mut self) -> Result<()> {
        self.bytes = 0;
        let nonce = *self.ring.first_nonce();
        self.running.begin(&nonce, self.ring.first_packet().0)
    }
}

impl<R: RunningMessage> Job for RunningJob<R> {
    fn reset(&mut self) -> Result<()> {
        self.ring.restart();
        self.begin()
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            let text = self.ring.next_text();
            self.bytes += text.len() as u64;
            self.running.update(black_box(text))?;
            self.ring.advance();
            if self.bytes > MAX_BYTES {
                self.begin()?;
            }
        }
        black_box(&mut self.ring);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        let tag = self.running.finish().unwrap_or_default();
        self.ring.first_packet().2.copy_from_slice(&tag);
        self.ring.first_batch()
    }
}
