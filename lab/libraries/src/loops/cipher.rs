//! Ciphers: a running state that goes on from call to call.

use std::hint::black_box;

use super::super::buffer::Buffer;
use super::super::{Job, Result};

/// More than any cipher puts out beyond its input: a block of slack, or the MAC and padding of a record.
const SLACK: usize = 64;

/// A cipher whose chain or counter goes on from one call to the next.
pub(crate) trait RunningCipher {
    /// Sets the IV of the first call again.
    fn restart(&mut self) -> Result<()>;

    /// Turns `text` into the first bytes of `out`, which is at least 64 bytes longer, and says how many they are.
    fn process(&mut self, text: &[u8], out: &mut [u8]) -> Result<usize>;
}

/// The same for a library that works in place only.
pub(crate) trait RunningInPlace {
    /// Sets the IV of the first call again.
    fn restart(&mut self) -> Result<()>;

    /// Turns `text` into what comes out.
    fn process(&mut self, text: &mut [u8]) -> Result<()>;
}

/// Loops `cipher` over `text` from one buffer into another.
pub(crate) fn separate<C: RunningCipher + 'static>(cipher: C, text: &[u8], note: Option<&'static str>) -> Box<dyn Job> {
    Box::new(Separate { cipher, text: Buffer::input(text), out: Buffer::output(text.len() + SLACK), used: 0, note })
}

/// Loops `cipher` over a buffer that first holds `text`, then what the call before made of it.
pub(crate) fn in_place<C: RunningInPlace + 'static>(
    cipher: C,
    text: &[u8],
    note: Option<&'static str>,
) -> Box<dyn Job> {
    Box::new(InPlace { cipher, text: text.to_vec(), buffer: Buffer::input(text), note })
}

struct Separate<C> {
    cipher: C,
    text: Buffer,
    out: Buffer,
    used: usize,
    note: Option<&'static str>,
}

impl<C: RunningCipher> Job for Separate<C> {
    fn reset(&mut self) -> Result<()> {
        self.cipher.restart()
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.used = self.cipher.process(black_box(&self.text), black_box(&mut self.out))?;
        }
        black_box(&mut self.out);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.out[..self.used].to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}

struct InPlace<C> {
    cipher: C,
    text: Vec<u8>,
    buffer: Buffer,
    note: Option<&'static str>,
}

impl<C: RunningInPlace> Job for InPlace<C> {
    fn reset(&mut self) -> Result<()> {
        self.buffer.copy_from_slice(&self.text);
        self.cipher.restart()
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.cipher.process(black_box(&mut self.buffer))?;
        }
        black_box(&mut self.buffer);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.buffer.to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}
