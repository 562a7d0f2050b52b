//! QUIC keys created in every way, updated, and sharing counters. Protected packets show whether two keys are equal.

use std::ffi::{CStr, c_int};

use kasoku::*;
use kasoku_engine::packet::initial::{Secrets, Sender, Version};
use kasoku_engine::packet::{PacketProtection, number};

use super::codes;
use super::creation::{Made, create_named, make, store};
use super::script::Script;

/// Object of the C library, and the engine's equivalent object.
pub(crate) struct Keys {
    quic: *mut Quic,
    /// Engine's object; `None` only while a call replaces it.
    engine: Option<PacketProtection>,
}

impl Keys {
    /// Reads keys from the script and makes both objects. Returns `None` if QUIC has no keys of that length.
    pub(crate) fn read(script: &mut Script<'_>) -> Option<Self> {
        let count = [16, 32, 24, 0, 17][usize::from(script.byte()) % 5];
        let (key, header_key, iv) = (script.bytes(count), script.bytes(count), iv(script));
        let (header, iv_start) = (header_key.as_ptr(), iv.as_ptr());
        let made = make(
            script,
            &key,
            |key| unsafe { kasoku_quic_new(key, count, iv_start, header) },
            |key, name, place| unsafe { kasoku_quic_create(key, count, iv_start, header, name, place) },
            |backend| match backend {
                Some(backend) => PacketProtection::with_backend(&key, &iv, &header_key, backend),
                None => PacketProtection::new(&key, &iv, &header_key),
            },
        );
        Self::from_made(made)
    }

    /// Creates the keys of Initial packets for an arbitrary connection ID.
    pub(crate) fn initial(script: &mut Script<'_>) -> Option<Self> {
        let (version_number, version) = match script.byte() % 8 {
            0..=3 => (KASOKU_QUIC_V1, Ok(Version::V1)),
            4..=6 => (KASOKU_QUIC_V2, Ok(Version::V2)),
            _ => (u32::from(script.byte()) + 2, Err(KASOKU_ERR_QUIC_VERSION)),
        };
        let (sender_number, sender) = match script.byte() % 8 {
            0..=3 => (KASOKU_QUIC_CLIENT, Ok(Sender::Client)),
            4..=6 => (KASOKU_QUIC_SERVER, Ok(Sender::Server)),
            _ => (c_int::from(script.byte().cast_signed()) | 2, Err(KASOKU_ERR_QUIC_SENDER)),
        };
        let length = usize::from(script.byte() % 24);
        let id = script.bytes(length);
        // The length is correct, exceeds every limit, or belongs to a NULL pointer.
        let (start, stated_bytes) = match script.byte() % 16 {
            14 => (id.as_ptr(), usize::MAX >> (length % 3)),
            15 => (std::ptr::null(), length),
            _ => (id.as_ptr(), length),
        };
        let mut refusals: Vec<c_int> = version.err().into_iter().chain(sender.err()).collect();
        if stated_bytes > 20 {
            refusals.push(KASOKU_ERR_CONNECTION_ID_LENGTH);
        }
        if start.is_null() && stated_bytes > 0 {
            refusals.push(KASOKU_ERR_NULL);
        }
        let made = create_named(
            script,
            |name, place| unsafe {
                kasoku_quic_initial(version_number, sender_number, start, stated_bytes, name, place)
            },
            |backend| {
                let (Ok(version), Ok(sender), true) = (version, sender, refusals.is_empty()) else {
                    // If several arguments are wrong, any of their codes may be returned.
                    return Err([refusals, vec![KASOKU_ERR_BACKEND_UNAVAILABLE]].concat());
                };
                let Secrets { key, iv, header_key } = Secrets::new(version, sender, &id);
                let made = match backend {
                    Some(backend) => PacketProtection::with_backend(&key, &iv, &header_key, backend),
                    None => PacketProtection::new(&key, &iv, &header_key),
                };
                made.map_err(|error| vec![codes::code_of(error)])
            },
        );
        Self::from_made(made)
    }

    /// Creates the keys of the next phase, usually with a key of the required length.
    pub(crate) fn next_phase(&self, script: &mut Script<'_>) -> Option<Self> {
        let count = [16, 16, 32, 32, 24, 0][usize::from(script.byte()) % 6];
        let (key, iv) = (script.bytes(count), iv(script));
        let (mut quic, mut key_start, mut iv_start) = (self.quic.cast_const(), key.as_ptr(), iv.as_ptr());
        match script.byte() % 32 {
            29 => quic = std::ptr::null(),
            30 => key_start = std::ptr::null(),
            31 => iv_start = std::ptr::null(),
            _ => {}
        }
        let mut expected = self.engine().next_phase(&key, &iv).map_err(|error| vec![codes::code_of(error)]);
        if quic.is_null() || key_start.is_null() || iv_start.is_null() {
            expected = Err([expected.err().unwrap_or_default(), vec![KASOKU_ERR_NULL]].concat());
        }
        let next = Self::from_made(store(
            script,
            |next| unsafe { kasoku_quic_next_phase(quic, key_start, count, iv_start, next) },
            expected,
        ))?;
        assert_eq!(next.backend(), self.backend());
        Some(next)
    }

    /// Creates a key object for another network path, which shares the keys and the limits of this object.
    pub(crate) fn on_path(&self, script: &mut Script<'_>) -> Option<Self> {
        let path_id = u32::from_be_bytes(std::array::from_fn(|_| script.byte()));
        let quic = if script.once_in_sixteen() { std::ptr::null() } else { self.quic.cast_const() };
        let expected = if quic.is_null() { Err(vec![KASOKU_ERR_NULL]) } else { Ok(self.engine().on_path(path_id)) };
        let path =
            Self::from_made(store(script, |path| unsafe { kasoku_quic_on_path(quic, path_id, path) }, expected))?;
        assert_eq!(path.backend(), self.backend());
        Some(path)
    }

    pub(crate) fn begin_at(&mut self, first: u64) {
        assert_eq!(unsafe { kasoku_quic_begin_at(std::ptr::null_mut(), first) }, KASOKU_ERR_NULL);
        let code = unsafe { kasoku_quic_begin_at(self.quic, first) };
        if first >= number::END {
            assert_eq!(code, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE);
            return;
        }
        assert_eq!(code, KASOKU_OK);
        self.engine = self.engine.take().map(|engine| engine.beginning_at(first).unwrap());
    }

    /// Makes the object share the failure count of `with`, or of itself for `None`.
    pub(crate) fn share_failed_opens(&mut self, with: Option<&Self>) {
        let null = std::ptr::null_mut();
        let of = with.map_or(self.quic, |with| with.quic);
        unsafe {
            assert_eq!(kasoku_quic_share_failed_opens(null, of), KASOKU_ERR_NULL);
            assert_eq!(kasoku_quic_share_failed_opens(self.quic, null), KASOKU_ERR_NULL);
            assert_eq!(kasoku_quic_share_failed_opens(self.quic, of), KASOKU_OK);
        }
        let failed = with.unwrap_or(self).engine().failed_opens().clone();
        self.engine = self.engine.take().map(|engine| engine.counting(&failed));
    }

    /// Checks that the library and the engine have counted the same number of failed packets.
    pub(crate) fn check_failed_opens(&self) {
        assert_eq!(unsafe { kasoku_quic_failed_opens(self.quic) }, self.engine().failed_opens().count());
    }

    pub(crate) fn quic(&self) -> *const Quic {
        self.quic
    }

    pub(crate) fn engine(&self) -> &PacketProtection {
        self.engine.as_ref().unwrap()
    }

    fn backend(&self) -> &CStr {
        unsafe { CStr::from_ptr(kasoku_quic_backend(self.quic)) }
    }

    fn from_made(made: Made<Quic, PacketProtection>) -> Option<Self> {
        made.map(|(quic, engine)| Self { quic, engine: Some(engine) })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        unsafe { kasoku_quic_free(self.quic) };
    }
}

fn iv(script: &mut Script<'_>) -> [u8; 12] {
    std::array::from_fn(|_| script.byte())
}

/// Checks that a packet number's length equals the engine's, and that a receiver can decode the number.
pub(crate) fn number_bytes(script: &mut Script<'_>) {
    let largest = script.number();
    // One more byte is needed at distances that are powers of two.
    let distance = (1_u64 << (script.byte() % 64)).wrapping_add(u64::from(script.byte())).wrapping_sub(128);
    let sent = largest.wrapping_add(distance);
    let acknowledged = (largest != u64::MAX).then_some(largest);
    let bytes = kasoku_quic_number_bytes(sent, largest);
    assert_eq!(bytes, number::bytes_needed(sent, acknowledged).unwrap_or(0));
    let expected = largest.wrapping_add(1);
    if bytes > 0 && sent >= expected && sent < number::END {
        let kept = sent & (u64::MAX >> (64 - 8 * bytes));
        assert_eq!(number::decode(expected, kept as u32, bytes), sent, "{bytes} bytes, {expected} expected");
    }
}
