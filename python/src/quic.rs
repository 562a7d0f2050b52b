//! QUIC packet protection (RFC 9001 §5) for aioquic: keys for payloads and headers, and whole packets in one call.

use kasoku_engine::packet::{HeaderProtection, number};
use kasoku_engine::{AesGcm, Error, TAG_BYTES, numbered_nonce};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use zeroize::Zeroizing;

use crate::buffer::{Export, Input};
use crate::error::exception;
use crate::new_bytes::NewBytes;

/// Offset of the sample from the packet number, in bytes (RFC 9001 §5.4.2).
const SAMPLE_OFFSET: usize = 4;
const SAMPLE_BYTES: usize = 16;

/// Key and IV for the payloads of one direction. Invalid packets raise the exception given to the constructor.
#[pyclass(name = "PacketKey", module = "kasoku", frozen)]
pub(crate) struct PacketKey {
    key: AesGcm,
    iv: Zeroizing<[u8; 12]>,
    error: Py<PyType>,
}

/// Key for the headers of one direction.
#[pyclass(name = "HeaderKey", module = "kasoku", frozen)]
pub(crate) struct HeaderKey {
    key: HeaderProtection,
    error: Py<PyType>,
}

/// Header, payload, packet number, and whether the key phase changed, which is always false.
type Opened<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64, bool);

#[pymethods]
impl PacketKey {
    #[new]
    fn new(key: &Bound<'_, PyAny>, iv: &Bound<'_, PyAny>, error: Bound<'_, PyType>) -> PyResult<Self> {
        let (mut one, mut two) = <(Export, Export)>::default();
        let key = Input::new(key.as_borrowed(), &mut one)?;
        let iv = Input::new(iv.as_borrowed(), &mut two)?;
        let key = AesGcm::new(&key).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let iv = <[u8; 12]>::try_from(&*iv).map_err(|_| PyValueError::new_err("an IV has 12 bytes"))?;
        Ok(Self { key, iv: Zeroizing::new(iv), error: error.unbind() })
    }

    /// Returns the sealed payload of the packet with this number.
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        associated_data: &Bound<'py, PyAny>,
        packet_number: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (mut one, mut two) = <(Export, Export)>::default();
        let data = Input::new(data.as_borrowed(), &mut one)?;
        let header = Input::new(associated_data.as_borrowed(), &mut two)?;
        let mut new = NewBytes::new(py, data.len() + TAG_BYTES)?;
        self.seal(py, packet_number, &header, &data, new.bytes_mut())?;
        Ok(new.finish())
    }

    /// Returns the payload of the packet with this number.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        associated_data: &Bound<'py, PyAny>,
        packet_number: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (mut one, mut two) = <(Export, Export)>::default();
        let data = Input::new(data.as_borrowed(), &mut one)?;
        let header = Input::new(associated_data.as_borrowed(), &mut two)?;
        self.open(py, packet_number, &header, &data)
    }

    /// Returns a whole packet, with sealed payload and masked header. The plain header ends with the packet number.
    fn protect<'py>(
        &self,
        py: Python<'py>,
        header_key: &HeaderKey,
        plain_header: &Bound<'py, PyAny>,
        plain_payload: &Bound<'py, PyAny>,
        packet_number: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (mut one, mut two) = <(Export, Export)>::default();
        let header = Input::new(plain_header.as_borrowed(), &mut one)?;
        let payload = Input::new(plain_payload.as_borrowed(), &mut two)?;
        let mut new = NewBytes::new(py, header.len() + payload.len() + TAG_BYTES)?;
        let packet = new.bytes_mut();
        let (start, sealed) = packet.split_at_mut(header.len());
        start.copy_from_slice(&header);
        self.seal(py, packet_number, &header, &payload, sealed)?;
        header_key.mask(py, packet, header.len())?;
        Ok(new.finish())
    }

    /// Opens a received packet. Returns its header, payload and packet number, and False: the key phase did not change.
    /// Returns None if the packet has the other key phase.
    fn unprotect<'py>(
        &self,
        py: Python<'py>,
        header_key: &HeaderKey,
        packet: &Bound<'py, PyAny>,
        number_offset: usize,
        expected_number: u64,
        key_phase: u8,
    ) -> PyResult<Option<Opened<'py>>> {
        let mut export = Export::default();
        let packet = Input::new(packet.as_borrowed(), &mut export)?;
        let unmasked = header_key.unmask(py, &packet, number_offset)?;
        let is_short = unmasked.first & 0x80 == 0;
        if is_short && (unmasked.first >> 2 & 1) != key_phase {
            return Ok(None);
        }
        let header = unmasked.header(py, &packet, number_offset)?;
        let number = number::decode(expected_number, unmasked.truncated, unmasked.number_bytes);
        let payload = &packet[number_offset + unmasked.number_bytes..];
        let payload = self.open(py, number, header.as_bytes(), payload)?;
        Ok(Some((header, payload, number, false)))
    }
}

#[pymethods]
impl HeaderKey {
    #[new]
    fn new(key: &Bound<'_, PyAny>, error: Bound<'_, PyType>) -> PyResult<Self> {
        let mut export = Export::default();
        let key = Input::new(key.as_borrowed(), &mut export)?;
        let key = HeaderProtection::new(&key).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { key, error: error.unbind() })
    }

    /// Returns a packet with masked header and sealed payload. The plain header ends with the packet number.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        plain_header: &Bound<'py, PyAny>,
        protected_payload: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (mut one, mut two) = <(Export, Export)>::default();
        let header = Input::new(plain_header.as_borrowed(), &mut one)?;
        let payload = Input::new(protected_payload.as_borrowed(), &mut two)?;
        let mut new = NewBytes::new(py, header.len() + payload.len())?;
        let packet = new.bytes_mut();
        packet[..header.len()].copy_from_slice(&header);
        packet[header.len()..].copy_from_slice(&payload);
        self.mask(py, packet, header.len())?;
        Ok(new.finish())
    }

    /// Returns the unmasked header of a received packet, and its truncated packet number.
    fn remove<'py>(
        &self,
        py: Python<'py>,
        packet: &Bound<'py, PyAny>,
        number_offset: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, u32)> {
        let mut export = Export::default();
        let packet = Input::new(packet.as_borrowed(), &mut export)?;
        let unmasked = self.unmask(py, &packet, number_offset)?;
        Ok((unmasked.header(py, &packet, number_offset)?, unmasked.truncated))
    }
}

impl PacketKey {
    fn seal(&self, py: Python<'_>, number: u64, header: &[u8], payload: &[u8], out: &mut [u8]) -> PyResult<()> {
        if number >= number::END {
            return Err(exception(py, Error::PacketNumberTooLarge(number)));
        }
        let Some((text, tag)) = out.split_last_chunk_mut() else { return Ok(()) }; // impossible: the tag fits
        let done = self.key.seal_into(&numbered_nonce(&self.iv, number), header, payload, text, tag);
        done.map_err(|error| exception(py, error))
    }

    fn open<'py>(&self, py: Python<'py>, number: u64, header: &[u8], sealed: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        if number >= number::END {
            return Err(refused(py, &self.error, NUMBER_TOO_LARGE));
        }
        let Some((text, tag)) = sealed.split_last_chunk() else { return Err(refused(py, &self.error, FORGED)) };
        let mut new = NewBytes::new(py, text.len())?;
        match self.key.open_to(&numbered_nonce(&self.iv, number), header, text, new.bytes_mut(), tag) {
            Ok(()) => Ok(new.finish()),
            Err(Error::AuthenticationFailed) => Err(refused(py, &self.error, FORGED)),
            Err(error) => Err(exception(py, error)),
        }
    }
}

/// An unmasked header, not yet verified.
struct Unmasked {
    first: u8,
    number_bytes: usize,
    truncated: u32,
}

impl Unmasked {
    fn header<'py>(&self, py: Python<'py>, packet: &[u8], number_offset: usize) -> PyResult<Bound<'py, PyBytes>> {
        let end = number_offset + self.number_bytes;
        let mut new = NewBytes::new(py, end)?;
        let header = new.bytes_mut();
        header[..number_offset].copy_from_slice(&packet[..number_offset]);
        header[number_offset..].copy_from_slice(&self.truncated.to_be_bytes()[4 - self.number_bytes..]);
        header[0] = self.first;
        Ok(new.finish())
    }
}

impl HeaderKey {
    fn mask(&self, py: Python<'_>, packet: &mut [u8], header_bytes: usize) -> PyResult<()> {
        let number_bytes = packet.first().map_or(1, |first| usize::from(first & 0b11) + 1);
        let Some(number_offset) = header_bytes.checked_sub(number_bytes) else {
            return Err(refused(py, &self.error, TOO_SHORT));
        };
        let mask = self.key.mask(self.sample(py, packet, number_offset)?);
        mask.apply(packet, number_offset).map_err(|error| exception(py, error))
    }

    fn unmask(&self, py: Python<'_>, packet: &[u8], number_offset: usize) -> PyResult<Unmasked> {
        let [mask, number_mask @ ..] = self.key.mask(self.sample(py, packet, number_offset)?).bytes();
        // The mask covers four low bits of a long header's first byte, five of a short one's (RFC 9001 §5.4.1).
        let first = packet[0] ^ mask & if packet[0] & 0x80 == 0 { 0x1F } else { 0x0F };
        let number_bytes = usize::from(first & 0b11) + 1;
        let bytes = packet[number_offset..].iter().zip(number_mask).take(number_bytes);
        let truncated = bytes.fold(0, |number, (byte, mask)| number << 8 | u32::from(byte ^ mask));
        Ok(Unmasked { first, number_bytes, truncated })
    }

    /// Returns the header-protection sample of a packet whose packet number is at `number_offset`; fails if that offset
    /// is 0.
    fn sample<'p>(&self, py: Python<'_>, packet: &'p [u8], number_offset: usize) -> PyResult<&'p [u8; SAMPLE_BYTES]> {
        let begin = number_offset.checked_add(SAMPLE_OFFSET).filter(|_| number_offset > 0);
        let sample = begin.and_then(|begin| packet.get(begin..)).and_then(|rest| rest.first_chunk());
        sample.ok_or_else(|| refused(py, &self.error, TOO_SHORT))
    }
}

const FORGED: &str = "authentication failed";
const NUMBER_TOO_LARGE: &str = "the packet number is 2**62 or more";
const TOO_SHORT: &str = "Packet is too short to sample";

#[cold]
fn refused(py: Python<'_>, error: &Py<PyType>, why: &'static str) -> PyErr {
    PyErr::from_type(error.bind(py).clone(), (why,))
}
