//! Authenticated encryption: whole messages, each sealed under the next nonce, or one message opened again and again;
//! under one key, or under the next of many.

use std::hint::black_box;

use super::super::buffer::Buffer;
use super::super::keyring::{Keyring, Many, One};
use super::super::nonces::{Ahead, Counted, Nonces};
use super::super::{Job, JobError, Unsupported};
use super::exactly;
use crate::fixtures::Fixtures;
use kasoku_model::workload::{NonceForm, Operation, Workload};

pub(crate) use super::super::keyring::Tag;
pub(crate) use super::super::nonces::Nonce;

/// What has to be said of a library whose `open` destroys its input.
pub(crate) const COPIED_BACK: &str = "in-place API: the figure includes copying the message back";

/// An AEAD under one key that reads one buffer and writes another.
pub(crate) trait Separate {
    /// Seals `text` into `ciphertext`, which is as long, and `tag`.
    fn seal(
        &self,
        nonce: &Nonce,
        aad: &[u8],
        text: &[u8],
        ciphertext: &mut [u8],
        tag: &mut Tag,
    ) -> Result<(), JobError>;

    /// Opens `ciphertext` into `text`, which is as long.
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<(), JobError>;
}

/// An AEAD under one key that works in place only.
pub(crate) trait InPlace {
    /// Seals `text` where it stands.
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<(), JobError>;

    /// Opens `ciphertext` where it stands.
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &mut [u8], tag: &Tag) -> Result<(), JobError>;
}

/// Loops `workload` (`seal` or `open`) from one buffer into another; `expand` makes a key ready.
pub(crate) fn separate<A: Separate + 'static>(
    workload: &Workload,
    fixtures: &Fixtures,
    expand: impl Fn(&[u8]) -> Result<A, Unsupported>,
) -> Result<Box<dyn Job>, Unsupported> {
    separate_noted(workload, fixtures, None, expand)
}

/// The same, with what a reader of the figures for `open` must know.
pub(crate) fn separate_noted<A: Separate + 'static>(
    workload: &Workload,
    fixtures: &Fixtures,
    note: Option<&'static str>,
    expand: impl Fn(&[u8]) -> Result<A, Unsupported>,
) -> Result<Box<dyn Job>, Unsupported> {
    fn with<K, N>(
        operation: Operation,
        mut keys: K,
        nonces: N,
        mut message: Message,
        note: Option<&'static str>,
    ) -> Result<Box<dyn Job>, Unsupported>
    where
        K: Keyring<Key: Separate> + 'static,
        N: Nonces + 'static,
    {
        message.seal_under(&mut keys, |key, nonce, aad, text, out, tag| key.seal(nonce, aad, text, out, tag))?;
        if operation == Operation::Seal {
            return Ok(Box::new(SealSeparate { keys, nonces, message }));
        }
        let text = Buffer::input(&vec![0; message.text.len()]);
        Ok(Box::new(OpenSeparate { keys, nonces, message, text, note }))
    }

    let (operation, message) = (workload.operation, Message::new(fixtures)?);
    let first = message.nonce;
    match (workload.keys, workload.nonces) {
        (1, NonceForm::Ahead) => with(operation, One::new(expand(&fixtures.key)?), Ahead::from(first), message, note),
        (1, NonceForm::Counted) => {
            with(operation, One::new(expand(&fixtures.key)?), Counted::from(first), message, note)
        }
        (count, NonceForm::Ahead) => {
            with(operation, Many::new(&fixtures.key, count, expand)?, Ahead::from(first), message, note)
        }
        (count, NonceForm::Counted) => {
            with(operation, Many::new(&fixtures.key, count, expand)?, Counted::from(first), message, note)
        }
    }
}

/// Loops `workload` (`seal` or `open`) in place; `expand` makes a key ready.
pub(crate) fn in_place<A: InPlace + 'static>(
    workload: &Workload,
    fixtures: &Fixtures,
    expand: impl Fn(&[u8]) -> Result<A, Unsupported>,
) -> Result<Box<dyn Job>, Unsupported> {
    fn with<K, N>(
        operation: Operation,
        mut keys: K,
        nonces: N,
        mut message: Message,
    ) -> Result<Box<dyn Job>, Unsupported>
    where
        K: Keyring<Key: InPlace> + 'static,
        N: Nonces + 'static,
    {
        message.seal_under(&mut keys, |key, nonce, aad, text, out, tag| {
            out.copy_from_slice(text);
            key.seal(nonce, aad, out, tag)
        })?;
        if operation == Operation::Seal {
            message.ciphertext.copy_from_slice(&message.text);
            return Ok(Box::new(SealInPlace { keys, nonces, message }));
        }
        let buffer = Buffer::input(&vec![0; message.text.len()]);
        Ok(Box::new(OpenInPlace { keys, nonces, message, buffer }))
    }

    let (operation, message) = (workload.operation, Message::new(fixtures)?);
    let first = message.nonce;
    match (workload.keys, workload.nonces) {
        (1, NonceForm::Ahead) => with(operation, One::new(expand(&fixtures.key)?), Ahead::from(first), message),
        (1, NonceForm::Counted) => with(operation, One::new(expand(&fixtures.key)?), Counted::from(first), message),
        (count, NonceForm::Ahead) => {
            with(operation, Many::new(&fixtures.key, count, expand)?, Ahead::from(first), message)
        }
        (count, NonceForm::Counted) => {
            with(operation, Many::new(&fixtures.key, count, expand)?, Counted::from(first), message)
        }
    }
}

/// What goes in and what comes out.
pub(crate) struct Message {
    /// The first nonce.
    pub(crate) nonce: Nonce,
    pub(crate) aad: Vec<u8>,
    pub(crate) text: Buffer,
    pub(crate) ciphertext: Buffer,
    pub(crate) tag: Tag,
}

impl Message {
    /// Nothing sealed yet.
    pub(crate) fn new(fixtures: &Fixtures) -> Result<Message, Unsupported> {
        Ok(Message {
            nonce: exactly("nonce", &fixtures.nonce)?,
            aad: fixtures.aad.clone(),
            text: Buffer::input(&fixtures.text),
            ciphertext: Buffer::output(fixtures.text.len()),
            tag: [0; 16],
        })
    }

    /// Seals the text under the first nonce and the first of `keys`, and finds the tag that the same ciphertext has
    /// under each of the others: in counter mode, what is sealed twice is the text again.
    pub(crate) fn seal_under<K: Keyring>(
        &mut self,
        keys: &mut K,
        seal: impl Fn(&K::Key, &Nonce, &[u8], &[u8], &mut [u8], &mut Tag) -> Result<(), JobError>,
    ) -> Result<(), Unsupported> {
        let refused = |error: JobError| Unsupported::new(error.what);
        let (mut is_first, mut other_text) = (true, vec![0; self.text.len()]);
        let Message { nonce, aad, text, ciphertext, tag: first_tag } = self;
        keys.tags(|key| {
            let mut tag = [0; 16];
            if std::mem::take(&mut is_first) {
                seal(key, nonce, aad, text, ciphertext, &mut tag).map_err(refused)?;
                *first_tag = tag;
            } else {
                let mut again = vec![0; ciphertext.len()];
                seal(key, nonce, aad, ciphertext, &mut other_text, &mut tag).map_err(refused)?;
                seal(key, nonce, aad, &other_text, &mut again, &mut tag).map_err(refused)?;
                if again != ciphertext[..] {
                    return Err(Unsupported::new("many keys are measured in counter modes only"));
                }
            }
            Ok(tag)
        })
    }

    /// Ciphertext ‖ tag.
    pub(crate) fn sealed(&self) -> Vec<u8> {
        [&*self.ciphertext, &self.tag].concat()
    }
}

struct SealSeparate<K, N> {
    keys: K,
    nonces: N,
    message: Message,
}

impl<K: Keyring<Key: Separate>, N: Nonces> Job for SealSeparate<K, N> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.keys.restart();
        self.nonces.restart();
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let Message { aad, text, ciphertext, tag, .. } = &mut self.message;
        for _ in 0..iterations {
            self.keys.next().0.seal(
                black_box(self.nonces.next()),
                black_box(aad),
                black_box(text),
                black_box(ciphertext),
                black_box(tag),
            )?;
        }
        black_box(&mut self.message);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [self.message.sealed(), self.keys.witness()].concat()
    }
}

struct OpenSeparate<K, N> {
    keys: K,
    nonces: N,
    message: Message,
    text: Buffer,
    note: Option<&'static str>,
}

impl<K: Keyring<Key: Separate>, N: Nonces> Job for OpenSeparate<K, N> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.keys.restart();
        self.text.fill(0);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let message = &self.message;
        for _ in 0..iterations {
            let (key, tag) = self.keys.next();
            key.open(
                black_box(self.nonces.again()),
                black_box(&message.aad),
                black_box(&message.ciphertext),
                black_box(tag),
                black_box(&mut self.text),
            )?;
        }
        black_box(&mut self.text);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [self.message.sealed().as_slice(), &self.text, &self.keys.witness()].concat()
    }

    fn note(&self) -> Option<&'static str> {
        self.note
    }
}

/// The buffer is `message.ciphertext`: sealed again and again, each time what the call before left.
struct SealInPlace<K, N> {
    keys: K,
    nonces: N,
    message: Message,
}

impl<K: Keyring<Key: InPlace>, N: Nonces> Job for SealInPlace<K, N> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.keys.restart();
        self.nonces.restart();
        self.message.ciphertext.copy_from_slice(&self.message.text);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let Message { aad, ciphertext, tag, .. } = &mut self.message;
        for _ in 0..iterations {
            let key = self.keys.next().0;
            key.seal(black_box(self.nonces.next()), black_box(aad), black_box(ciphertext), black_box(tag))?;
        }
        black_box(&mut self.message);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [self.message.sealed(), self.keys.witness()].concat()
    }
}

struct OpenInPlace<K, N> {
    keys: K,
    nonces: N,
    message: Message,
    buffer: Buffer,
}

impl<K: Keyring<Key: InPlace>, N: Nonces> Job for OpenInPlace<K, N> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.keys.restart();
        self.buffer.fill(0);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let message = &self.message;
        for _ in 0..iterations {
            self.buffer.copy_from_slice(black_box(&message.ciphertext));
            let (key, tag) = self.keys.next();
            key.open(
                black_box(self.nonces.again()),
                black_box(&message.aad),
                black_box(&mut self.buffer),
                black_box(tag),
            )?;
        }
        black_box(&mut self.buffer);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [self.message.sealed().as_slice(), &self.buffer, &self.keys.witness()].concat()
    }

    fn note(&self) -> Option<&'static str> {
        Some(COPIED_BACK)
    }
}

/// Shows that `aead` opens what it sealed, and refuses it once a bit of ciphertext, AAD, tag or nonce is another.
#[cfg(test)]
pub(crate) fn assert_refuses_forgeries(aead: &impl Separate) {
    let (nonce, aad, text) = ([7; 12], [3; 13], [9; 100]);
    let (mut ciphertext, mut tag, mut out) = ([0; 100], [0; 16], [0; 100]);
    aead.seal(&nonce, &aad, &text, &mut ciphertext, &mut tag).unwrap();
    aead.open(&nonce, &aad, &ciphertext, &tag, &mut out).unwrap();
    assert_eq!(out, text);
    let (mut other_nonce, mut other_aad, mut other_ciphertext, mut other_tag) = (nonce, aad, ciphertext, tag);
    other_nonce[11] ^= 1;
    other_aad[0] ^= 1;
    other_ciphertext[99] ^= 0x80;
    other_tag[15] ^= 1;
    assert!(aead.open(&other_nonce, &aad, &ciphertext, &tag, &mut out).is_err());
    assert!(aead.open(&nonce, &other_aad, &ciphertext, &tag, &mut out).is_err());
    assert!(aead.open(&nonce, &aad, &other_ciphertext, &tag, &mut out).is_err());
    assert!(aead.open(&nonce, &aad, &ciphertext, &other_tag, &mut out).is_err());
}

/// An in-place AEAD seen as one with two buffers, for [`assert_refuses_forgeries`].
#[cfg(test)]
pub(crate) struct Copying<A>(pub(crate) A);

#[cfg(test)]
impl<A: InPlace> Separate for Copying<A> {
    fn seal(
        &self,
        nonce: &Nonce,
        aad: &[u8],
        text: &[u8],
        ciphertext: &mut [u8],
        tag: &mut Tag,
    ) -> Result<(), JobError> {
        ciphertext.copy_from_slice(text);
        self.0.seal(nonce, aad, ciphertext, tag)
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<(), JobError> {
        text.copy_from_slice(ciphertext);
        self.0.open(nonce, aad, text, tag)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use kasoku_model::algorithm::Algorithm;

    /// Writes down the nonces it is given, and refuses to open when told so.
    #[derive(Clone, Default)]
    struct Recorder {
        nonces: Rc<RefCell<Vec<Nonce>>>,
        refuses: bool,
    }

    impl InPlace for Recorder {
        fn seal(&self, nonce: &Nonce, _: &[u8], text: &mut [u8], _: &mut Tag) -> Result<(), JobError> {
            self.nonces.borrow_mut().push(*nonce);
            text[0] = text[0].wrapping_add(1);
            Ok(())
        }

        fn open(&self, _: &Nonce, _: &[u8], _: &mut [u8], _: &Tag) -> Result<(), JobError> {
            if self.refuses { Err(super::super::failed("open")) } else { Ok(()) }
        }
    }

    fn fixtures() -> Fixtures {
        Fixtures { nonce: vec![0xff; 12], text: vec![0; 4], ..Fixtures::default() }
    }

    fn workload(operation: Operation) -> Workload {
        Workload::new(operation, Algorithm::Aes128Gcm, 4)
    }

    #[test]
    fn nonces_count_from_the_fixtures_own_and_start_again() {
        for (form, begins_again) in [(NonceForm::Ahead, true), (NonceForm::Counted, false)] {
            let recorder = Recorder::default();
            let workload = workload(Operation::Seal).with_nonces(form);
            let mut job = in_place(&workload, &fixtures(), |_| Ok(recorder.clone())).unwrap();
            recorder.nonces.borrow_mut().clear();
            job.run(257).unwrap();
            job.reset().unwrap();
            job.run(1).unwrap();
            let nonces = recorder.nonces.borrow();
            assert_eq!(nonces[0], [0xff; 12]);
            assert_eq!(nonces[1][8..], [0xff, 0xff, 0xff, 0xfe]);
            assert_eq!(nonces[255][8..], [0xff, 0xff, 0xff, 0x00]);
            assert_eq!(nonces[256] == nonces[0], begins_again);
            assert_eq!(nonces[257], nonces[0]);
            assert_eq!(job.output()[0], 1);
        }
    }

    #[test]
    fn a_refusal_in_the_timed_loop_is_an_error() {
        let refusing = Recorder { refuses: true, ..Recorder::default() };
        let open = workload(Operation::Open);
        assert!(in_place(&open, &fixtures(), |_| Ok(refusing.clone())).unwrap().run(1).is_err());
        assert!(separate(&open, &fixtures(), |_| Ok(Copying(refusing.clone()))).unwrap().run(1).is_err());
    }

    #[test]
    fn a_nonce_of_another_length_is_not_taken() {
        let fixtures = Fixtures { nonce: vec![0; 8], ..Fixtures::default() };
        assert!(in_place(&workload(Operation::Seal), &fixtures, |_| Ok(Recorder::default())).is_err());
    }
}
