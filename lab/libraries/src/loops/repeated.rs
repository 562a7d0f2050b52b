//! Operations that leave nothing behind but their output: hashes, agreements, signing, encapsulation.

use std::hint::black_box;

use super::super::buffer::Buffer;
use super::super::{Job, Result};

/// Loops `operation`, which turns `input` into the first bytes of an output of `room` bytes and says how many they are.
/// What it needs beside (keys) it has captured.
pub(crate) fn repeated<F>(input: &[u8], room: usize, note: Option<&'static str>, operation: F) -> Box<dyn Job>
where
    F: Fn(&[u8], &mut [u8]) -> Result<usize> + 'static,
{
    Box::new(Repeated { operation, input: Buffer::input(input), output: vec![0; room], used: 0, note })
}

struct Repeated<F> {
    operation: F,
    input: Buffer,
    output: Vec<u8>,
    used: usize,
    note: Option<&'static str>,
}

impl<F: Fn(&[u8], &mut [u8]) -> Result<usize>> Job for Repeated<F> {
    fn reset(&mut self) -> Result<()> {
        self.output.fill(0);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            let operation = black_box(&self.operation);
            self.used = operation(black_box(&self.input), black_box(&mut self.output))?;
        }
        black_box(&mut self.output);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.output[..self.used].to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}

/// Writes the parts of an output one behind the other and says how many bytes they are.
pub(crate) fn put<const N: usize>(output: &mut [u8], parts: [&[u8]; N]) -> usize {
    let mut used = 0;
    for part in parts {
        output[used..used + part.len()].copy_from_slice(part);
        used += part.len();
    }
    used
}
