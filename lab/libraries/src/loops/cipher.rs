//! Timed loops for ciphers: a state that continues from call to call, or one record that is opened repeatedly.

use std::hint::black_box;

use super::super::buffer::Buffer;
use super::super::{Job, Result};

/// Extra bytes in output buffers: enough for a held-back block, or the MAC and padding of a record.
const SLACK: usize = 64;

/// Creates a job that runs `process` on `text`. `process` writes to an output buffer that is 64 bytes longer and
/// returns the output's length. `restart` restores the IV of the first call.
pub(crate) fn cipher_job<C: 'static>(
    cipher: C,
    text: &[u8],
    note: Option<&'static str>,
    restart: impl Fn(&mut C) -> Result<()> + 'static,
    process: impl Fn(&mut C, &[u8], &mut [u8]) -> Result<usize> + 'static,
) -> Box<dyn Job> {
    let (text, out) = (Buffer::input(text), Buffer::output(text.len() + SLACK));
    Box::new(TwoBufferJob { cipher, restart, process, text, out, used: 0, shows_input: false, note })
}

/// Creates a job that runs `open` on one TLS record, like [`cipher_job`] runs its `process`. The job's output is the
/// record and the opened text.
pub(crate) fn record_job<C: 'static>(
    cipher: C,
    record: &[u8],
    note: Option<&'static str>,
    open: impl Fn(&mut C, &[u8], &mut [u8]) -> Result<usize> + 'static,
) -> Box<dyn Job> {
    let (text, out) = (Buffer::input(record), Buffer::output(record.len() + SLACK));
    let restart = |_: &mut C| Ok(());
    Box::new(TwoBufferJob { cipher, restart, process: open, text, out, used: 0, shows_input: true, note })
}

/// Creates a job that runs `process` in place. The buffer first holds `text`, then the output of the previous call;
/// `process` sets the IV itself.
pub(crate) fn in_place_job(
    text: &[u8],
    note: &'static str,
    process: impl Fn(&mut [u8]) -> Result<()> + 'static,
) -> Box<dyn Job> {
    Box::new(InPlaceJob { process, text: text.to_vec(), buffer: Buffer::input(text), note })
}

struct TwoBufferJob<C, R, P> {
    cipher: C,
    restart: R,
    process: P,
    text: Buffer,
    out: Buffer,
    used: usize,
    shows_input: bool,
    note: Option<&'static str>,
}

impl<C, R, P> Job for TwoBufferJob<C, R, P>
where
    R: Fn(&mut C) -> Result<()>,
    P: Fn(&mut C, &[u8], &mut [u8]) -> Result<usize>,
{
    fn reset(&mut self) -> Result<()> {
        (self.restart)(&mut self.cipher)
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.used = (self.process)(&mut self.cipher, black_box(&self.text), black_box(&mut self.out))?;
        }
        black_box(&mut self.out);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        let input: &[u8] = if self.shows_input { &self.text } else { &[] };
        [input, &self.out[..self.used]].concat()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}

struct InPlaceJob<P> {
    process: P,
    text: Vec<u8>,
    buffer: Buffer,
    note: &'static str,
}

impl<P: Fn(&mut [u8]) -> Result<()>> Job for InPlaceJob<P> {
    fn reset(&mut self) -> Result<()> {
        self.buffer.copy_from_slice(&self.text);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            (self.process)(black_box(&mut self.buffer))?;
        }
        black_box(&mut self.buffer);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.buffer.to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        Some(self.note)
    }
}
