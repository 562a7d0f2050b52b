//! Methods that encrypt or decrypt many messages in one call.

#![allow(unsafe_code, reason = "writes one output beside many inputs")]

use kasoku_engine::{Error, TAG_BYTES};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::aead::{Aead, check, check_output, detached};
use crate::buffer::{Export, Input, Output};
use crate::error::{exception, invalid_tag};
use crate::new_bytes::NewBytes;

/// Source of a batch's nonces, messages or AAD.
enum Source<'a, 'py> {
    /// One object for each message: a tuple, or a copy of the references in a list.
    Each(Bound<'py, PyTuple>),
    /// One buffer that is divided into equal parts. As AAD, the whole buffer belongs to each message.
    One(&'a Bound<'py, PyAny>),
}

impl<'a, 'py> Source<'a, 'py> {
    fn new(object: &'a Bound<'py, PyAny>) -> Self {
        if let Ok(list) = object.cast::<PyList>() {
            return Self::Each(list.to_tuple());
        }
        object.cast::<PyTuple>().map_or(Self::One(object), |tuple| Self::Each(tuple.clone()))
    }

    /// Returns the number of buffers.
    fn len(&self) -> usize {
        match self {
            Self::Each(objects) => objects.len(),
            Self::One(_) => 1,
        }
    }

    /// Exports the buffers. If `optional`, objects may be None.
    fn buffers<'s>(
        &'s self,
        optional: bool,
        exports: &mut impl Iterator<Item = &'s mut MaybeExport>,
    ) -> PyResult<Buffers<'s>> {
        let mut next = |object: Borrowed<'s, '_, PyAny>| match exports.next() {
            Some(export) if !optional || !object.is_none() => {
                Input::new_lazily(object, || export.get_or_insert_default())
            }
            _ => Ok(Input::EMPTY), // None, or no export left, which is impossible
        };
        Ok(match self {
            Self::Each(objects) => {
                let mut inputs = Vec::with_capacity(objects.len());
                for object in objects.iter_borrowed() {
                    inputs.push(next(object)?);
                }
                Buffers::Each(inputs)
            }
            Self::One(object) => Buffers::One(next(object.as_borrowed())?),
        })
    }
}

/// Memory for an export, boxed so that objects without an export need little memory.
type MaybeExport = Option<Box<Export>>;

/// Exported buffers of a source.
enum Buffers<'s> {
    Each(Vec<Input<'s>>),
    One(Input<'s>),
}

impl<'s> Buffers<'s> {
    /// Returns the number of nonces.
    fn nonces<A: Aead>(&self) -> PyResult<usize> {
        match self {
            Self::Each(nonces) => Ok(nonces.len()),
            Self::One(all) if all.len().is_multiple_of(A::USUAL_NONCE_BYTES) => Ok(all.len() / A::USUAL_NONCE_BYTES),
            Self::One(all) => {
                let (bytes, each) = (all.len(), A::USUAL_NONCE_BYTES);
                Err(PyValueError::new_err(format!("nonces of {bytes} bytes; each has {each}")))
            }
        }
    }

    /// Splits the buffers into one part for each nonce.
    fn cut(&self, count: usize, what: &str) -> PyResult<Vec<&[u8]>> {
        match self {
            Self::Each(inputs) if inputs.len() == count => Ok(inputs.iter().map(|input| &**input).collect()),
            Self::Each(inputs) => Err(PyValueError::new_err(format!("{} {what} for {count} nonces", inputs.len()))),
            Self::One(all) if all.is_empty() => Ok(vec![&[]; count]),
            Self::One(all) if count > 0 && all.len().is_multiple_of(count) => {
                Ok(all.chunks_exact(all.len() / count).collect())
            }
            Self::One(all) => {
                let bytes = all.len();
                Err(PyValueError::new_err(format!("{what} of {bytes} bytes cannot be cut into {count} equal parts")))
            }
        }
    }

    fn inputs(&self) -> &[Input<'s>] {
        match self {
            Self::Each(inputs) => inputs,
            Self::One(input) => std::slice::from_ref(input),
        }
    }
}

struct Messages<'b> {
    nonces: Vec<&'b [u8]>,
    texts: Vec<&'b [u8]>,
    aad: Aad<'b>,
}

enum Aad<'b> {
    Same(&'b [u8]),
    Each(Vec<&'b [u8]>),
}

impl<'b> Aad<'b> {
    #[inline]
    fn get(&self, number: usize) -> &'b [u8] {
        match self {
            Self::Same(aad) => aad,
            Self::Each(aad) => aad[number],
        }
    }
}

impl<'b> Messages<'b> {
    /// Checks lengths and combines nonces, texts and AAD into messages.
    fn new<A: Aead>(
        py: Python<'_>,
        direction: Direction,
        [nonces, texts, aad]: [&'b Buffers<'_>; 3],
    ) -> PyResult<Self> {
        let count = nonces.nonces::<A>()?;
        let aad = match aad {
            Buffers::One(aad) => Aad::Same(aad),
            Buffers::Each(_) => Aad::Each(aad.cut(count, "associated_data")?),
        };
        let messages = Self { nonces: nonces.cut(count, "nonces")?, texts: texts.cut(count, "messages")?, aad };
        for (number, text) in messages.texts.iter().enumerate() {
            let bytes = text.len().checked_sub(direction.tag_bytes()).ok_or_else(|| invalid_tag(py, Some(number)))?;
            check::<A>(messages.nonces[number], messages.aad.get(number), bytes)?;
        }
        Ok(messages)
    }

    /// Returns the length of each output in bytes: with the tag when encrypting, without it when decrypting.
    fn output_bytes(&self, direction: Direction) -> impl Iterator<Item = usize> {
        self.texts.iter().map(move |text| match direction {
            Direction::Seal => text.len() + TAG_BYTES,
            Direction::Open => text.len() - TAG_BYTES,
        })
    }

    /// Processes each message into the output with its index, until the first one that fails.
    fn work<'o, A: Aead>(
        &self,
        py: Python<'_>,
        key: &A,
        direction: Direction,
        outputs: impl Iterator<Item = &'o mut [u8]> + Send,
    ) -> PyResult<()> {
        let bytes = self.texts.iter().map(|text| text.len()).sum();
        let done = detached(py, bytes, move || {
            for (number, out) in outputs.enumerate() {
                let (nonce, aad, text) = (self.nonces[number], self.aad.get(number), self.texts[number]);
                let done = match direction {
                    Direction::Seal => match out.split_last_chunk_mut() {
                        Some((out, tag)) => key.seal(nonce, aad, text, out, tag),
                        None => Ok(()), // impossible: there is room for a tag
                    },
                    Direction::Open => match text.split_last_chunk() {
                        Some((text, tag)) => key.open(nonce, aad, text, out, tag),
                        None => Err(Error::AuthenticationFailed), // impossible: there is a tag
                    },
                };
                done.map_err(|error| (number, error))?;
            }
            Ok(())
        });
        done.map_err(|(number, error)| match error {
            Error::AuthenticationFailed => invalid_tag(py, Some(number)),
            other => exception(py, other),
        })
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Seal,
    Open,
}

impl Direction {
    fn tag_bytes(self) -> usize {
        match self {
            Self::Seal => 0,
            Self::Open => TAG_BYTES,
        }
    }
}

/// Implements `encrypt_many` and `decrypt_many`.
pub(crate) fn into_list<'py, A: Aead>(
    py: Python<'py>,
    key: &A,
    direction: Direction,
    read: [&Bound<'py, PyAny>; 3],
) -> PyResult<Bound<'py, PyList>> {
    let sources = read.map(Source::new);
    let mut exports = exports(&sources);
    let buffers = buffers(&sources, &mut exports)?;
    let messages = Messages::new::<A>(py, direction, buffers.each_ref())?;
    let mut new = Vec::with_capacity(messages.texts.len());
    for bytes in messages.output_bytes(direction) {
        new.push(NewBytes::new(py, bytes)?);
    }
    let outputs: Vec<_> = new.iter_mut().map(NewBytes::bytes_mut).collect();
    messages.work(py, key, direction, outputs.into_iter())?;
    PyList::new(py, new.into_iter().map(NewBytes::finish))
}

/// Implements `encrypt_many_into` and `decrypt_many_into`.
pub(crate) fn into_buffer<'py, A: Aead>(
    py: Python<'py>,
    key: &A,
    direction: Direction,
    read: [&Bound<'py, PyAny>; 3],
    out: &Bound<'py, PyAny>,
) -> PyResult<usize> {
    let sources = read.map(Source::new);
    let mut exports = exports(&sources);
    let buffers = buffers(&sources, &mut exports)?;
    let mut export = Export::default();
    let mut out = Output::new(out.as_borrowed(), &mut export)?;
    let messages = Messages::new::<A>(py, direction, buffers.each_ref())?;
    let bytes = messages.output_bytes(direction).sum();
    check_output(&out, bytes)?;
    if buffers.iter().flat_map(Buffers::inputs).any(|input| out.meets(input)) {
        return Err(PyValueError::new_err("buf overlaps what is read"));
    }
    // SAFETY: the output overlaps no input.
    let all = unsafe { out.bytes_mut() };
    let mut rest = &mut *all;
    let mut outputs = Vec::with_capacity(messages.texts.len());
    for bytes in messages.output_bytes(direction) {
        let (output, behind) = rest.split_at_mut(bytes);
        outputs.push(output);
        rest = behind;
    }
    let done = messages.work(py, key, direction, outputs.into_iter());
    if done.is_err() {
        all.fill(0);
    }
    done.map(|()| bytes)
}

/// Memory for the exports of all buffers.
fn exports(sources: &[Source<'_, '_>]) -> Vec<MaybeExport> {
    std::iter::repeat_with(|| None).take(sources.iter().map(Source::len).sum()).collect()
}

/// Arguments of a batch: nonces, messages, and AAD, which may be None.
fn buffers<'s>(sources: &'s [Source<'_, '_>; 3], exports: &'s mut [MaybeExport]) -> PyResult<[Buffers<'s>; 3]> {
    let [nonces, messages, aad] = sources;
    let mut exports = exports.iter_mut();
    let nonces = nonces.buffers(false, &mut exports)?;
    Ok([nonces, messages.buffers(false, &mut exports)?, aad.buffers(true, &mut exports)?])
}
