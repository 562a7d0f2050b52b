//! Timed loops for AEADs. Seal jobs use a new nonce for each message; open jobs decrypt one message repeatedly. Both
//! work under one key, or under many keys in turn. A third loop expands a new key for each message.

use std::hint::black_box;

use super::super::buffer::Buffer;
use super::super::keyring::{Keyring, ManyKeys, SingleKey};
use super::super::nonces::{CountedNonces, Nonces, PrecomputedNonces};
use super::super::{Job, JobError, PreparedJob, Result, Unsupported};
use super::to_array;
use crate::fixtures::Fixtures;
use kasoku_model::workload::{NonceForm, Operation, Workload};

pub(crate) use super::super::keyring::Tag;
pub(crate) use super::super::nonces::Nonce;

/// A keyed AEAD that reads one buffer and writes another. Nonces have `N` bytes.
pub(crate) trait TwoBufferAead<const N: usize = 12> {
    /// Number of bytes by which output buffers must exceed the input.
    const ROOM: usize = 0;
    /// Remark that reports show beside figures of `open`, such as a copy that the API forces.
    const NOTE: Option<&'static str> = None;

    /// Encrypts `text` to `ciphertext`, which is [`ROOM`](Self::ROOM) bytes longer, and writes the tag.
    fn seal(&self, nonce: &Nonce<N>, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()>;

    /// Like [`seal`](Self::seal), but `ciphertext` already holds the text or the previous ciphertext. AEADs that work
    /// in place encrypt that and copy nothing.
    #[inline]
    fn seal_again(
        &self,
        nonce: &Nonce<N>,
        aad: &[u8],
        text: &[u8],
        ciphertext: &mut [u8],
        tag: &mut Tag,
    ) -> Result<()> {
        self.seal(nonce, aad, text, ciphertext, tag)
    }

    /// Verifies the tag and decrypts `ciphertext` to `text`, which is [`ROOM`](Self::ROOM) bytes longer.
    fn open(&self, nonce: &Nonce<N>, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()>;

    /// Seals one message under another key. By default, replaces this object by a new one, which `expand` creates. APIs
    /// that can give an object another key override this.
    #[inline]
    fn seal_with_new_key(
        &mut self,
        key: &[u8],
        message: Sealing<'_, N>,
        expand: impl Fn(&[u8]) -> Result<Self, Unsupported>,
    ) -> Result<()>
    where
        Self: Sized,
    {
        *self = expand(key).map_err(|unsupported| JobError::new(unsupported.why))?;
        message.seal_by(self)
    }
}

/// A message to seal, and the places for its ciphertext and tag. The ciphertext's place already holds the text or the
/// previous ciphertext.
pub(crate) struct Sealing<'message, const N: usize = 12> {
    pub(crate) nonce: &'message Nonce<N>,
    pub(crate) aad: &'message [u8],
    pub(crate) text: &'message [u8],
    pub(crate) ciphertext: &'message mut [u8],
    pub(crate) tag: &'message mut Tag,
}

impl<const N: usize> Sealing<'_, N> {
    #[inline]
    pub(crate) fn seal_by(self, aead: &impl TwoBufferAead<N>) -> Result<()> {
        aead.seal_again(self.nonce, self.aad, self.text, self.ciphertext, self.tag)
    }
}

/// A keyed AEAD that works in place only.
pub(crate) trait InPlaceAead {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()>;

    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &mut [u8], tag: &Tag) -> Result<()>;
}

pub(crate) struct InPlaceAdapter<A>(pub(crate) A);

impl<A: InPlaceAead> TwoBufferAead for InPlaceAdapter<A> {
    /// Decrypting in place overwrites the ciphertext, so each call needs a fresh copy.
    const NOTE: Option<&'static str> = Some("in-place API: the figure includes copying the message back");

    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        ciphertext.copy_from_slice(text);
        self.0.seal(nonce, aad, ciphertext, tag)
    }

    #[inline]
    fn seal_again(&self, nonce: &Nonce, aad: &[u8], _text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.0.seal(nonce, aad, ciphertext, tag)
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        text.copy_from_slice(ciphertext);
        self.0.open(nonce, aad, text, tag)
    }
}

pub(crate) fn in_place_job<A: InPlaceAead + 'static>(
    workload: &Workload,
    fixtures: &Fixtures,
    expand: impl Fn(&[u8]) -> Result<A, Unsupported> + 'static,
) -> PreparedJob {
    two_buffer_job(workload, fixtures, move |key| expand(key).map(InPlaceAdapter))
}

pub(crate) fn two_buffer_job<const N: usize, A: TwoBufferAead<N> + 'static>(
    workload: &Workload,
    fixtures: &Fixtures,
    expand: impl Fn(&[u8]) -> Result<A, Unsupported> + 'static,
) -> PreparedJob {
    if workload.operation == Operation::SealNewKey {
        return seal_with_new_keys(workload, fixtures, expand);
    }
    if workload.keys == 1 {
        with_keys(workload, fixtures, SingleKey::new(expand(&fixtures.key)?))
    } else {
        with_keys(workload, fixtures, ManyKeys::new(&fixtures.key, workload.keys, expand)?)
    }
}

fn with_keys<const N: usize, K: Keyring<Key: TwoBufferAead<N>> + 'static>(
    workload: &Workload,
    fixtures: &Fixtures,
    keys: K,
) -> PreparedJob {
    let message = Message::new(fixtures, K::Key::ROOM)?;
    let (first, operation) = (message.nonce, workload.operation);
    match workload.nonces {
        NonceForm::Ahead => with_nonces(operation, message, keys, PrecomputedNonces::from(first)),
        NonceForm::Counted => with_nonces(operation, message, keys, CountedNonces::from(first)),
    }
}

fn with_nonces<const N: usize, K: Keyring<Key: TwoBufferAead<N>> + 'static>(
    operation: Operation,
    mut message: Message<N>,
    mut keys: K,
    nonces: impl Nonces<N> + 'static,
) -> PreparedJob {
    message.seal_under(&mut keys)?;
    if operation == Operation::Seal {
        message.restart();
        return Ok(Box::new(SealJob { keys, nonces, message }));
    }
    let text = Buffer::input(&vec![0; message.ciphertext.len()]);
    message.ciphertext.truncate(message.text.len());
    Ok(Box::new(OpenJob { keys, nonces, message, text }))
}

fn seal_with_new_keys<const N: usize, A: TwoBufferAead<N> + 'static>(
    workload: &Workload,
    fixtures: &Fixtures,
    expand: impl Fn(&[u8]) -> Result<A, Unsupported> + 'static,
) -> PreparedJob {
    let (keys, key_bytes) = (fixtures.key.clone(), workload.algorithm.key_bytes());
    let is_usual = workload.keys == 1 && workload.nonces == NonceForm::Ahead && keys.len().is_multiple_of(key_bytes);
    let Some(first) = keys.get(..key_bytes).filter(|_| is_usual) else {
        return Err(Unsupported::new("new keys are measured with whole keys, and nonces made ahead"));
    };
    let (aead, mut message) = (expand(first)?, Message::new(fixtures, A::ROOM)?);
    message.restart();
    let nonces = PrecomputedNonces::from(message.nonce);
    Ok(Box::new(NewKeyJob { aead, expand, keys, key_bytes, next: 0, nonces, message }))
}

pub(crate) struct Message<const N: usize = 12> {
    pub(crate) nonce: Nonce<N>,
    pub(crate) aad: Vec<u8>,
    pub(crate) text: Buffer,
    pub(crate) ciphertext: Buffer,
    pub(crate) tag: Tag,
}

impl<const N: usize> Message<N> {
    /// Allocates the buffers. The ciphertext has `room` bytes more than the text.
    pub(crate) fn new(fixtures: &Fixtures, room: usize) -> Result<Self, Unsupported> {
        Ok(Message {
            nonce: to_array("nonce", &fixtures.nonce)?,
            aad: fixtures.aad.clone(),
            text: Buffer::input(&fixtures.text),
            ciphertext: Buffer::output(fixtures.text.len() + room),
            tag: [0; 16],
        })
    }

    /// Seals the text under the first key. For each other key, computes the tag of the same ciphertext under that key.
    /// For that, encrypts the ciphertext twice: in counter mode, a second encryption under one key and nonce undoes the
    /// first.
    pub(crate) fn seal_under<K: Keyring<Key: TwoBufferAead<N>>>(&mut self, keys: &mut K) -> Result<(), Unsupported> {
        let (mut is_first, mut other_text) = (true, vec![0; self.ciphertext.len()]);
        let Message { nonce, aad, text, ciphertext, tag: first_tag } = self;
        let length = text.len();
        keys.tags(|key| {
            let mut tag = [0; 16];
            if std::mem::take(&mut is_first) {
                key.seal(nonce, aad, text, ciphertext, &mut tag)?;
                *first_tag = tag;
            } else {
                let mut again = vec![0; ciphertext.len()];
                key.seal(nonce, aad, &ciphertext[..length], &mut other_text, &mut tag)?;
                key.seal(nonce, aad, &other_text[..length], &mut again, &mut tag)?;
                if again[..length] != ciphertext[..length] {
                    return Err(Unsupported::new("many keys are measured in counter modes only"));
                }
            }
            Ok(tag)
        })
    }

    pub(crate) fn sealed(&self) -> Vec<u8> {
        [&self.ciphertext[..self.text.len()], &self.tag].concat()
    }

    /// Copies the text into the ciphertext buffer, where in-place AEADs encrypt it.
    fn restart(&mut self) {
        self.ciphertext[..self.text.len()].copy_from_slice(&self.text);
    }
}

struct SealJob<K, S, const N: usize> {
    keys: K,
    nonces: S,
    message: Message<N>,
}

impl<K: Keyring<Key: TwoBufferAead<N>>, S: Nonces<N>, const N: usize> Job for SealJob<K, S, N> {
    fn reset(&mut self) -> Result<()> {
        self.keys.restart();
        self.nonces.restart();
        self.message.restart();
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        let Message { aad, text, ciphertext, tag, .. } = &mut self.message;
        for _ in 0..iterations {
            self.keys.next().0.seal_again(
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
        [self.message.sealed(), self.keys.key_tags()].concat()
    }
}

/// Job that seals each message under the next of several keys, in rotation.
struct NewKeyJob<A, E, const N: usize> {
    aead: A,
    expand: E,
    /// The keys, one after another.
    keys: Vec<u8>,
    key_bytes: usize,
    /// Position of the next key in `keys`.
    next: usize,
    nonces: PrecomputedNonces<N>,
    message: Message<N>,
}

impl<A, E, const N: usize> Job for NewKeyJob<A, E, N>
where
    A: TwoBufferAead<N>,
    E: Fn(&[u8]) -> Result<A, Unsupported>,
{
    fn reset(&mut self) -> Result<()> {
        self.next = 0;
        self.nonces.restart();
        self.message.restart();
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        let Message { aad, text, ciphertext, tag, .. } = &mut self.message;
        for _ in 0..iterations {
            let key = &self.keys[self.next..self.next + self.key_bytes];
            self.next = if self.next + self.key_bytes == self.keys.len() { 0 } else { self.next + self.key_bytes };
            let message = Sealing {
                nonce: black_box(self.nonces.next()),
                aad: black_box(aad),
                text: black_box(text),
                ciphertext: black_box(ciphertext),
                tag: black_box(tag),
            };
            self.aead.seal_with_new_key(black_box(key), message, &self.expand)?;
        }
        black_box(&mut self.message);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.message.sealed()
    }
}

struct OpenJob<K, S, const N: usize> {
    keys: K,
    nonces: S,
    message: Message<N>,
    text: Buffer,
}

impl<K: Keyring<Key: TwoBufferAead<N>>, S: Nonces<N>, const N: usize> Job for OpenJob<K, S, N> {
    fn reset(&mut self) -> Result<()> {
        self.keys.restart();
        self.text.fill(0);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        let message = &self.message;
        for _ in 0..iterations {
            let (key, tag) = self.keys.next();
            key.open(
                black_box(self.nonces.repeat_first()),
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
        let text = &self.text[..self.message.text.len()];
        [self.message.sealed().as_slice(), text, &self.keys.key_tags()].concat()
    }

    fn note(&self) -> Option<&'static str> {
        K::Key::NOTE
    }

    #[cfg(test)]
    fn refuses_forgeries(&mut self) -> bool {
        assert_refuses_forgeries(self.keys.next().0);
        true
    }
}

/// Asserts that `aead` opens a sealed message and rejects it after a bit flip in ciphertext, AAD, tag or nonce.
#[cfg(test)]
pub(crate) fn assert_refuses_forgeries<const N: usize, A: TwoBufferAead<N>>(aead: &A) {
    let (nonce, aad, text) = ([7; N], [3; 13], [9; 100]);
    let (mut ciphertext, mut tag, mut out) = (vec![0; 100 + A::ROOM], [0; 16], vec![0; 100 + A::ROOM]);
    aead.seal(&nonce, &aad, &text, &mut ciphertext, &mut tag).unwrap();
    ciphertext.truncate(100);
    aead.open(&nonce, &aad, &ciphertext, &tag, &mut out).unwrap();
    assert_eq!(out[..100], text);
    let (mut other_nonce, mut other_aad, mut other_ciphertext, mut other_tag) = (nonce, aad, ciphertext.clone(), tag);
    other_nonce[N - 1] ^= 1;
    other_aad[0] ^= 1;
    other_ciphertext[99] ^= 0x80;
    other_tag[15] ^= 1;
    assert!(aead.open(&other_nonce, &aad, &ciphertext, &tag, &mut out).is_err());
    assert!(aead.open(&nonce, &other_aad, &ciphertext, &tag, &mut out).is_err());
    assert!(aead.open(&nonce, &aad, &other_ciphertext, &tag, &mut out).is_err());
    assert!(aead.open(&nonce, &aad, &ciphertext, &other_tag, &mut out).is_err());
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use kasoku_model::algorithm::Algorithm;

    /// Records all nonces. If `refuses` is set, `open` fails.
    #[derive(Clone, Default)]
    struct Recorder {
        nonces: Rc<RefCell<Vec<Nonce>>>,
        refuses: bool,
    }

    impl InPlaceAead for Recorder {
        fn seal(&self, nonce: &Nonce, _: &[u8], text: &mut [u8], _: &mut Tag) -> Result<()> {
            self.nonces.borrow_mut().push(*nonce);
            text[0] = text[0].wrapping_add(1);
            Ok(())
        }

        fn open(&self, _: &Nonce, _: &[u8], _: &mut [u8], _: &Tag) -> Result<()> {
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
    fn seal_job_counts_nonces_from_the_fixture_and_restarts_on_reset() {
        for (form, begins_again) in [(NonceForm::Ahead, true), (NonceForm::Counted, false)] {
            let recorder = Recorder::default();
            let workload = workload(Operation::Seal).with_nonces(form);
            let expanded = recorder.clone();
            let mut job = in_place_job(&workload, &fixtures(), move |_| Ok(expanded.clone())).unwrap();
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
    fn new_key_job_cycles_through_its_keys() {
        let expanded = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&expanded);
        let fixtures = Fixtures { key: (0..48).collect(), ..fixtures() };
        let mut job = in_place_job(&workload(Operation::SealNewKey), &fixtures, move |key| {
            seen.borrow_mut().push(key[0]);
            Ok(Recorder::default())
        })
        .unwrap();
        expanded.borrow_mut().clear();
        job.run(4).unwrap();
        job.reset().unwrap();
        job.run(1).unwrap();
        assert_eq!(*expanded.borrow(), [0, 16, 32, 0, 0]);
    }

    #[test]
    fn open_job_returns_errors_of_the_library() {
        let refusing = Recorder { refuses: true, ..Recorder::default() };
        let open = workload(Operation::Open);
        assert!(in_place_job(&open, &fixtures(), move |_| Ok(refusing.clone())).unwrap().run(1).is_err());
    }

    #[test]
    fn aead_job_rejects_nonces_of_wrong_length() {
        let fixtures = Fixtures { nonce: vec![0; 8], ..Fixtures::default() };
        assert!(in_place_job(&workload(Operation::Seal), &fixtures, |_| Ok(Recorder::default())).is_err());
    }
}
