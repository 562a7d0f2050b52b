//! Timed loops for operations without state: hashes, key agreements, signatures, encapsulation and verification.

use std::hint::black_box;

use super::super::buffer::Buffer;
use super::super::{Job, JobError, PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;

/// Creates a job that runs `operation` on `input`. `operation` writes at most `room` bytes and returns the output's
/// length. `operation` owns its keys.
pub(crate) fn repeated_job<F>(input: &[u8], room: usize, note: Option<&'static str>, operation: F) -> Box<dyn Job>
where
    F: Fn(&[u8], &mut [u8]) -> Result<usize> + 'static,
{
    repeated_job_into(vec![0; room], input, note, move |input, output: &mut Vec<u8>| operation(input, output))
}

/// Like [`repeated_job`], but writes to `output`, for APIs with output arrays of fixed length.
pub(crate) fn repeated_job_into<O, F>(output: O, input: &[u8], note: Option<&'static str>, operation: F) -> Box<dyn Job>
where
    O: AsRef<[u8]> + AsMut<[u8]> + 'static,
    F: Fn(&[u8], &mut O) -> Result<usize> + 'static,
{
    Box::new(Repeated { operation, input: Buffer::input(input), output, used: 0, note })
}

struct Repeated<O, F> {
    operation: F,
    input: Buffer,
    output: O,
    used: usize,
    note: Option<&'static str>,
}

impl<O: AsRef<[u8]> + AsMut<[u8]>, F: Fn(&[u8], &mut O) -> Result<usize>> Job for Repeated<O, F> {
    fn reset(&mut self) -> Result<()> {
        self.output.as_mut().fill(0);
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
        self.output.as_ref()[..self.used].to_vec()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}

/// Writes `parts` consecutively to `output` and returns their total length.
pub(crate) fn put<const N: usize>(output: &mut [u8], parts: [&[u8]; N]) -> usize {
    let mut used = 0;
    for part in parts {
        output[used..used + part.len()].copy_from_slice(part);
        used += part.len();
    }
    used
}

/// Creates a job that verifies the signature in `fixtures`. `accepts` takes message and signature and returns whether
/// the signature is valid.
pub(crate) fn verify_job<F>(fixtures: &Fixtures, note: Option<&'static str>, accepts: F) -> PreparedJob
where
    F: Fn(&[u8], &[u8]) -> Result<bool> + 'static,
{
    if fixtures.signature.is_empty() {
        return Err(Unsupported::new("there is no signature to verify"));
    }
    Ok(Box::new(Verified { accepts, message: fixtures.text.clone(), signature: fixtures.signature.clone(), note }))
}

struct Verified<F> {
    accepts: F,
    message: Vec<u8>,
    signature: Vec<u8>,
    note: Option<&'static str>,
}

impl<F: Fn(&[u8], &[u8]) -> Result<bool>> Job for Verified<F> {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            let accepts = black_box(&self.accepts);
            if !accepts(black_box(&self.message), black_box(&self.signature))? {
                return Err(JobError::new("a good signature was refused"));
            }
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        let mut flipped = self.signature.clone();
        if let Some(last) = flipped.last_mut() {
            *last ^= 1;
        }
        vec![
            u8::from((self.accepts)(&self.message, &self.signature) == Ok(true)),
            u8::from((self.accepts)(&self.message, &flipped) == Ok(false)),
        ]
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixtures() -> Fixtures {
        Fixtures { text: vec![1], signature: vec![1, 2], ..Fixtures::default() }
    }

    #[test]
    fn verify_job_notices_libraries_that_accept_or_reject_any_signature() {
        let mut job = verify_job(&fixtures(), None, |_, _| Ok(true)).unwrap();
        job.run(2).unwrap();
        assert_eq!(job.output(), [1, 0]);
        assert!(verify_job(&fixtures(), None, |_, _| Ok(false)).unwrap().run(1).is_err());
    }

    #[test]
    fn verify_job_needs_a_signature() {
        assert!(verify_job(&Fixtures::default(), None, |_, _| Ok(true)).is_err());
    }
}
