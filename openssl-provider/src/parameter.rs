//! Reads and writes `OSSL_PARAM` values like OpenSSL's `OSSL_PARAM_get_…` and `OSSL_PARAM_set_…`, which are part of
//! libcrypto and so not available here.

#![allow(unsafe_code, reason = "reads and writes OpenSSL's parameter lists")]

use std::ffi::{CStr, c_char, c_uint};
use std::ptr::NonNull;

use crate::abi::{Param, kind};

/// The caller's list of parameters.
#[derive(Clone, Copy)]
pub(crate) struct Params<'a> {
    next: *mut Param,
    /// Limits the list's lifetime to the caller's call.
    call: std::marker::PhantomData<&'a Param>,
}

#[derive(Clone, Copy)]
pub(crate) struct Parameter<'a> {
    param: NonNull<Param>,
    call: std::marker::PhantomData<&'a Param>,
}

impl<'a> Params<'a> {
    /// # Safety
    /// During `'a`, `list` must be NULL or a list that ends with a NULL key and whose data have the stated sizes, and
    /// nothing else may use it.
    pub(crate) unsafe fn new(list: *mut Param) -> Self {
        Self { next: list, call: std::marker::PhantomData }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.next.is_null()
    }
}

impl<'a> Iterator for Params<'a> {
    type Item = Parameter<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let param = NonNull::new(self.next)?;
        // SAFETY: guaranteed by the caller of `new`; the end is not passed.
        let key = unsafe { (*param.as_ptr()).key };
        if key.is_null() {
            return None;
        }
        self.next = self.next.wrapping_add(1);
        Some(Parameter { param, call: std::marker::PhantomData })
    }
}

/// Finds the first parameter of each name in `names`, as `OSSL_PARAM_locate` does, in one pass.
#[inline(always)]
pub(crate) fn located<'a, const N: usize>(params: Params<'a>, names: &[&CStr; N]) -> [Option<Parameter<'a>>; N] {
    let mut found = [None; N];
    for parameter in params {
        if let Some(place) = names.iter().position(|name| parameter.is_named(name)) {
            found[place].get_or_insert(parameter);
        }
    }
    found
}

impl<'a> Parameter<'a> {
    /// Returns whether the parameter has this name. Most names differ in the first byte, so a call of strcmp or strlen
    /// would cost more than this loop.
    #[inline(always)]
    fn is_named(self, name: &CStr) -> bool {
        // SAFETY: by `Params::new`, the parameter is valid and nothing else uses it.
        let key: *const u8 = unsafe { (*self.param.as_ptr()).key.cast() };
        // SAFETY: the key ends with NUL, and nothing is read after the first byte that differs.
        name.to_bytes_with_nul().iter().enumerate().all(|(place, byte)| unsafe { *key.add(place) } == *byte)
    }

    pub(crate) fn is_octet_string(self) -> bool {
        self.data_type() == kind::OCTET_STRING
    }

    fn data_type(self) -> c_uint {
        // SAFETY: (every such block here) by `Params::new`, the parameter is valid and nothing else uses it.
        unsafe { (*self.param.as_ptr()).data_type }
    }

    fn data(self) -> *mut u8 {
        // SAFETY: as above.
        unsafe { (*self.param.as_ptr()).data.cast() }
    }

    /// Returns the length in bytes of the parameter's value or, in a request, of the buffer for the value.
    pub(crate) fn bytes(self) -> usize {
        // SAFETY: as above.
        unsafe { (*self.param.as_ptr()).data_bytes }
    }

    fn set_returned(self, bytes: usize) {
        // SAFETY: as above.
        unsafe { (*self.param.as_ptr()).returned_bytes = bytes };
    }

    /// Writes a `size_t`; returns whether the value fits.
    pub(crate) fn set_size(self, value: usize) -> bool {
        self.set_unsigned(value as u64, size_of::<usize>())
    }

    /// Writes an `unsigned int`, or an `int` that is not negative; returns whether the value fits.
    pub(crate) fn set_uint(self, value: u32) -> bool {
        self.set_unsigned(u64::from(value), size_of::<u32>())
    }

    /// Writes a `uint64_t`; returns whether the value fits.
    pub(crate) fn set_u64(self, value: u64) -> bool {
        self.set_unsigned(value, size_of::<u64>())
    }

    /// Writes a number whose C type has `width` bytes to a parameter of any numeric type and size; returns whether the
    /// number fits.
    fn set_unsigned(self, value: u64, width: usize) -> bool {
        self.set_returned(0);
        let (data, bytes) = (self.data(), self.bytes());
        let is_signed = match self.data_type() {
            kind::UNSIGNED_INTEGER => false,
            kind::INTEGER => true,
            kind::REAL => return self.set_real(value),
            _ => return false,
        };
        self.set_returned(width);
        if data.is_null() {
            return true;
        }
        // A signed number that is not wider needs one more bit.
        let bits = 64 - value.leading_zeros() as usize + usize::from(is_signed && bytes <= width);
        if bits > bytes.saturating_mul(8) {
            return false;
        }
        // SAFETY: the parameter has this many bytes.
        let place = unsafe { std::slice::from_raw_parts_mut(data, bytes) };
        place.fill(0);
        let number = value.to_ne_bytes();
        let common = bytes.min(8);
        if cfg!(target_endian = "little") {
            place[..common].copy_from_slice(&number[..common]);
        } else {
            place[bytes - common..].copy_from_slice(&number[8 - common..]);
        }
        self.set_returned(bytes);
        true
    }

    fn set_real(self, value: u64) -> bool {
        self.set_returned(size_of::<f64>());
        if self.data().is_null() {
            return true;
        }
        if self.bytes() != size_of::<f64>() || value >> f64::MANTISSA_DIGITS != 0 {
            return false;
        }
        // SAFETY: the parameter has this many bytes.
        unsafe { self.data().cast::<f64>().write_unaligned(value as f64) };
        true
    }

    /// Reads a number from a parameter of any numeric type and size. Returns `None` if a `size_t` cannot represent it.
    pub(crate) fn size(self) -> Option<usize> {
        let (data, bytes) = (self.data(), self.bytes());
        if data.is_null() || bytes == 0 || bytes > 64 {
            return None;
        }
        // SAFETY: the parameter has this many bytes.
        let value = unsafe { std::slice::from_raw_parts(data, bytes) };
        let significant =
            |place: usize| if cfg!(target_endian = "little") { value[place] } else { value[bytes - 1 - place] };
        match self.data_type() {
            kind::INTEGER if significant(bytes - 1) & 0x80 != 0 => None,
            kind::INTEGER | kind::UNSIGNED_INTEGER => {
                if (size_of::<usize>()..bytes).any(|place| significant(place) != 0) {
                    return None;
                }
                Some(
                    (0..bytes.min(size_of::<usize>()))
                        .rev()
                        .fold(0, |sum, place| sum << 8 | usize::from(significant(place))),
                )
            }
            kind::REAL => {
                let real = f64::from_ne_bytes(value.try_into().ok()?);
                // 2^64: every whole number below it is exact.
                let is_size = (0.0..18_446_744_073_709_551_616.0).contains(&real) && real.fract() == 0.0;
                if is_size { usize::try_from(real as u64).ok() } else { None }
            }
            _ => None,
        }
    }

    /// Returns the bytes of an octet string; `None` if the parameter has another type or no data.
    pub(crate) fn octets(self) -> Option<&'a [u8]> {
        let bytes = self.bytes();
        if self.data_type() != kind::OCTET_STRING || self.data().is_null() || isize::try_from(bytes).is_err() {
            return None;
        }
        // SAFETY: the parameter has this many bytes, and nothing writes to them during the call.
        Some(unsafe { std::slice::from_raw_parts(self.data(), bytes) })
    }

    /// Returns the first `bytes` bytes of an octet string whose parameter does not state the length. For
    /// `EVP_CTRL_AEAD_SET_IV_FIXED`, OpenSSL sends the length -1, for `EVP_CTRL_GCM_IV_GEN` 0 or -1; the data have the
    /// length of an IV.
    ///
    /// # Safety
    /// The parameter's data must have `bytes` bytes.
    pub(crate) unsafe fn octets_with_assumed_length(self, bytes: usize) -> Option<&'a mut [u8]> {
        if self.data_type() != kind::OCTET_STRING || self.data().is_null() {
            return None;
        }
        // SAFETY: guaranteed by the caller.
        Some(unsafe { std::slice::from_raw_parts_mut(self.data(), bytes) })
    }

    /// Writes an octet string; returns whether the string fits.
    pub(crate) fn set_octets(self, value: &[u8]) -> bool {
        self.set_returned(value.len());
        if self.data().is_null() {
            return true;
        }
        if self.data_type() != kind::OCTET_STRING || self.bytes() < value.len() {
            return false;
        }
        // SAFETY: the value fits into the parameter, and does not overlap it, since it is memory of this library.
        unsafe { self.data().copy_from_nonoverlapping(value.as_ptr(), value.len()) };
        true
    }

    /// Writes an octet string or a pointer to it: `value` must not move while OpenSSL's context lives.
    pub(crate) fn set_octets_or_pointer(self, value: &[u8]) -> bool {
        self.set_octets(value) || self.set_pointer(kind::OCTET_PTR, value.as_ptr(), value.len())
    }

    /// Writes a pointer to a string: `value` must not move while the provider lives.
    pub(crate) fn set_text(self, value: &CStr) -> bool {
        self.set_pointer(kind::UTF8_PTR, value.as_ptr().cast(), value.count_bytes())
    }

    fn set_pointer(self, wanted: c_uint, value: *const u8, bytes: usize) -> bool {
        self.set_returned(bytes);
        if self.data_type() != wanted {
            return false;
        }
        if !self.data().is_null() {
            // SAFETY: the data of a parameter of this type is a pointer.
            unsafe { self.data().cast::<*const u8>().write_unaligned(value) };
        }
        true
    }
}

/// Builds an entry of a list that describes parameters.
pub(crate) const fn described(name: &'static CStr, data_type: c_uint, bytes: usize) -> Param {
    param(name.as_ptr(), data_type, bytes)
}

/// End of a list of parameters.
pub(crate) const END: Param = param(std::ptr::null(), 0, 0);

const fn param(key: *const c_char, data_type: c_uint, data_bytes: usize) -> Param {
    Param { key, data_type, data: std::ptr::null_mut(), data_bytes, returned_bytes: 0 }
}
