//! Authenticated encryption: whole messages, each sealed under the next of 256 nonces made ahead.

use std::hint::black_box;

use super::super::buffer::Buffer;
use super::super::{Job, JobError, Unsupported};
use super::exactly;
use crate::material::Material;
use crate::workload::Operation;

/// The 96-bit nonce of every AEAD workload.
pub(crate) type Nonce = [u8; 12];
/// The 128-bit tag of every AEAD workload.
pub(crate) type Tag = [u8; 16];

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

/// Loops `operation` (`seal` or `open`) from one buffer into another.
pub(crate) fn separate<A: Separate + 'static>(
    operation: Operation,
    aead: A,
    material: &Material,
) -> Result<Box<dyn Job>, Unsupported> {
    let mut message = Message::new(material)?;
    if operation == Operation::Seal {
        return Ok(Box::new(SealSeparate { aead, message }));
    }
    let text = Buffer::input(&vec![0; message.text.len()]);
    message.seal_with(|nonce, aad, text, ciphertext, tag| aead.seal(nonce, aad, text, ciphertext, tag))?;
    Ok(Box::new(OpenSeparate { aead, message, text }))
}

/// Loops `operation` (`seal` or `open`) in place.
pub(crate) fn in_place<A: InPlace + 'static>(
    operation: Operation,
    aead: A,
    material: &Material,
) -> Result<Box<dyn Job>, Unsupported> {
    let mut message = Message::new(material)?;
    if operation == Operation::Seal {
        message.ciphertext.copy_from_slice(&message.text);
        return Ok(Box::new(SealInPlace { aead, message }));
    }
    let buffer = Buffer::input(&vec![0; message.text.len()]);
    message.seal_with(|nonce, aad, text, ciphertext, tag| {
        ciphertext.copy_from_slice(text);
        aead.seal(nonce, aad, ciphertext, tag)
    })?;
    Ok(Box::new(OpenInPlace { aead, message, buffer }))
}

/// What goes in and what comes out.
pub(crate) struct Message {
    nonces: Nonces,
    pub(crate) aad: Vec<u8>,
    pub(crate) text: Buffer,
    pub(crate) ciphertext: Buffer,
    pub(crate) tag: Tag,
}

impl Message {
    /// Nothing sealed yet.
    pub(crate) fn new(material: &Material) -> Result<Message, Unsupported> {
        Ok(Message {
            nonces: Nonces::from(exactly("nonce", &material.nonce)?),
            aad: material.aad.clone(),
            text: Buffer::input(&material.text),
            ciphertext: Buffer::output(material.text.len()),
            tag: [0; 16],
        })
    }

    /// The nonce of the first operation.
    pub(crate) fn first_nonce(&self) -> &Nonce {
        &self.nonces.ring[0]
    }

    /// Seals the text under the first nonce.
    pub(crate) fn seal_with(
        &mut self,
        seal: impl FnOnce(&Nonce, &[u8], &[u8], &mut [u8], &mut Tag) -> Result<(), JobError>,
    ) -> Result<(), Unsupported> {
        seal(&self.nonces.ring[0], &self.aad, &self.text, &mut self.ciphertext, &mut self.tag)
            .map_err(|error| Unsupported::new(error.what))
    }

    /// Ciphertext ‖ tag.
    pub(crate) fn sealed(&self) -> Vec<u8> {
        [&*self.ciphertext, &self.tag].concat()
    }
}

/// The material's nonce with a counter XORed into its last four bytes.
struct Nonces {
    ring: Box<[Nonce; 256]>,
    next: u8,
}

impl Nonces {
    fn from(first: Nonce) -> Nonces {
        let mut ring = Box::new([first; 256]);
        for (counter, nonce) in ring.iter_mut().enumerate() {
            let last = u32::from_be_bytes([nonce[8], nonce[9], nonce[10], nonce[11]]) ^ counter as u32;
            nonce[8..].copy_from_slice(&last.to_be_bytes());
        }
        Nonces { ring, next: 0 }
    }

    fn restart(&mut self) {
        self.next = 0;
    }

    fn next(&mut self) -> &Nonce {
        let nonce = &self.ring[usize::from(self.next)];
        self.next = self.next.wrapping_add(1);
        nonce
    }
}

struct SealSeparate<A> {
    aead: A,
    message: Message,
}

impl<A: Separate> Job for SealSeparate<A> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.message.nonces.restart();
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let Message { nonces, aad, text, ciphertext, tag } = &mut self.message;
        for _ in 0..iterations {
            self.aead.seal(
                black_box(nonces.next()),
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
        self.message.sealed()
    }
}

struct OpenSeparate<A> {
    aead: A,
    message: Message,
    text: Buffer,
}

impl<A: Separate> Job for OpenSeparate<A> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.text.fill(0);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let message = &self.message;
        for _ in 0..iterations {
            self.aead.open(
                black_box(message.first_nonce()),
                black_box(&message.aad),
                black_box(&message.ciphertext),
                black_box(&message.tag),
                black_box(&mut self.text),
            )?;
        }
        black_box(&mut self.text);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [self.message.sealed().as_slice(), &self.text].concat()
    }
}

/// The buffer is `message.ciphertext`: sealed again and again, each time what the call before left.
struct SealInPlace<A> {
    aead: A,
    message: Message,
}

impl<A: InPlace> Job for SealInPlace<A> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.message.nonces.restart();
        self.message.ciphertext.copy_from_slice(&self.message.text);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let Message { nonces, aad, ciphertext, tag, .. } = &mut self.message;
        for _ in 0..iterations {
            self.aead.seal(black_box(nonces.next()), black_box(aad), black_box(ciphertext), black_box(tag))?;
        }
        black_box(&mut self.message);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.message.sealed()
    }
}

struct OpenInPlace<A> {
    aead: A,
    message: Message,
    buffer: Buffer,
}

impl<A: InPlace> Job for OpenInPlace<A> {
    fn reset(&mut self) -> Result<(), JobError> {
        self.buffer.fill(0);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<(), JobError> {
        let message = &self.message;
        for _ in 0..iterations {
            self.buffer.copy_from_slice(black_box(&message.ciphertext));
            self.aead.open(
                black_box(message.first_nonce()),
                black_box(&message.aad),
                black_box(&mut self.buffer),
                black_box(&message.tag),
            )?;
        }
        black_box(&mut self.buffer);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [self.message.sealed().as_slice(), &self.buffer].concat()
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

    /// Writes down the nonces it is given, and refuses to open when told so.
    #[derive(Clone, Default)]
    struct Recorder {
        nonces: Rc<RefCell<Vec<Nonce>>>,
        refuses: bool,
    }

    impl InPlace for Recorder {
        fn seal(&self, nonce: &Nonce, _: &[u8], text: &mut [u8], _: &mut Tag) -> Result<(), JobError> {
            self.nonces.borrow_mut().push(*nonce);
            text[0] += 1;
            Ok(())
        }

        fn open(&self, _: &Nonce, _: &[u8], _: &mut [u8], _: &Tag) -> Result<(), JobError> {
            if self.refuses { Err(super::super::failed("open")) } else { Ok(()) }
        }
    }

    fn material() -> Material {
        Material { nonce: vec![0xff; 12], text: vec![0; 4], ..Material::default() }
    }

    #[test]
    fn nonces_count_from_the_materials_own_and_start_again() {
        let recorder = Recorder::default();
        let mut job = in_place(Operation::Seal, recorder.clone(), &material()).unwrap();
        job.run(257).unwrap();
        job.reset().unwrap();
        job.run(1).unwrap();
        let nonces = recorder.nonces.borrow();
        assert_eq!(nonces[0], [0xff; 12]);
        assert_eq!(nonces[1][8..], [0xff, 0xff, 0xff, 0xfe]);
        assert_eq!(nonces[255][8..], [0xff, 0xff, 0xff, 0x00]);
        assert_eq!(nonces[256], nonces[0]);
        assert_eq!(nonces[257], nonces[0]);
        assert_eq!(job.output()[0], 1);
    }

    #[test]
    fn a_refusal_in_the_timed_loop_is_an_error() {
        let refusing = Recorder { refuses: true, ..Recorder::default() };
        assert!(in_place(Operation::Open, refusing.clone(), &material()).unwrap().run(1).is_err());
        assert!(separate(Operation::Open, Copying(refusing), &material()).unwrap().run(1).is_err());
    }

    #[test]
    fn a_nonce_of_another_length_is_not_taken() {
        let material = Material { nonce: vec![0; 8], ..Material::default() };
        assert!(in_place(Operation::Seal, Recorder::default(), &material).is_err());
    }
}
