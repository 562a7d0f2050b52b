//! Verification of one signature, again and again.

use std::hint::black_box;

use super::super::{Job, JobError, PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;

/// Loops `accepts`, which says of a message and a signature whether they belong together.
pub(crate) fn verified<F>(fixtures: &Fixtures, note: Option<&'static str>, accepts: F) -> PreparedJob
where
    F: Fn(&[u8], &[u8]) -> bool + 'static,
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

impl<F: Fn(&[u8], &[u8]) -> bool> Job for Verified<F> {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            let accepts = black_box(&self.accepts);
            if !accepts(black_box(&self.message), black_box(&self.signature)) {
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
            u8::from((self.accepts)(&self.message, &self.signature)),
            u8::from(!(self.accepts)(&self.message, &flipped)),
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
    fn a_library_that_accepts_everything_is_seen() {
        let mut job = verified(&fixtures(), None, |_, _| true).unwrap();
        job.run(2).unwrap();
        assert_eq!(job.output(), [1, 0]);
    }

    #[test]
    fn a_good_signature_that_is_refused_is_an_error() {
        assert!(verified(&fixtures(), None, |_, _| false).unwrap().run(1).is_err());
    }

    #[test]
    fn without_a_signature_there_is_nothing_to_do() {
        assert!(verified(&Fixtures::default(), None, |_, _| true).is_err());
    }
}
