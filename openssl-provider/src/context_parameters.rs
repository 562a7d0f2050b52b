//! Parameters of an AES-GCM context: `EVP_CIPHER_CTX_ctrl` and `EVP_CIPHER_CTX_get_params` end here.
//!
//! Parameters are processed in the default provider's order, whatever their order in the list. Of several parameters
//! with one name, the first counts. Unknown parameters are ignored.

#![allow(unsafe_code, reason = "two parameters have the length of an IV, whatever length they state")]

use std::ffi::CStr;

use kasoku_engine::TAG_BYTES;

use crate::abi::{Param, kind};
use crate::context::{Context, Failure};
use crate::parameter::{END, Parameter, Params, described, located};
use crate::reason::Reason;

/// Parameters that can be read from a context.
pub(crate) static GETTABLE: [Param; 10] = [
    described(c"keylen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"ivlen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"taglen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"iv", kind::OCTET_STRING, 0),
    described(c"updated-iv", kind::OCTET_STRING, 0),
    described(c"tag", kind::OCTET_STRING, 0),
    described(c"tlsaadpad", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"tlsivgen", kind::OCTET_STRING, 0),
    described(c"iv-generated", kind::UNSIGNED_INTEGER, size_of::<u32>()),
    END,
];

/// Parameters that can be set in a context.
pub(crate) static SETTABLE: [Param; 6] = [
    described(c"ivlen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"tag", kind::OCTET_STRING, 0),
    described(c"tlsaad", kind::OCTET_STRING, 0),
    described(c"tlsivfixed", kind::OCTET_STRING, 0),
    described(c"tlsivinv", kind::OCTET_STRING, 0),
    END,
];

/// Writes the values of the requested parameters.
pub(crate) fn get(context: &mut Context, params: Params<'_>) -> Result<(), Failure> {
    let names: [&CStr; 9] =
        [c"ivlen", c"keylen", c"taglen", c"iv", c"updated-iv", c"tlsaadpad", c"tag", c"tlsivgen", c"iv-generated"];
    let [iv_bytes, key_bytes, tag_bytes, iv, updated_iv, record_padding, tag, next_iv, is_iv_random] =
        located(params, &names);
    let sizes = [
        (iv_bytes, context.iv_bytes()),
        (key_bytes, context.key_bytes()),
        (tag_bytes, context.tag_bytes().unwrap_or(TAG_BYTES)),
    ];
    for (parameter, value) in sizes {
        set(parameter, |parameter| parameter.set_size(value))?;
    }
    for parameter in [iv, updated_iv].into_iter().flatten() {
        let iv = context.iv().ok_or(None)?;
        if iv.len() > parameter.bytes() {
            return Err(Some(Reason::InvalidIvLength));
        }
        set(Some(parameter), |parameter| parameter.set_octets_or_pointer(iv))?;
    }
    set(record_padding, |parameter| parameter.set_size(context.record_padding()))?;
    if let Some(parameter) = tag {
        let tag = context.tag().and_then(|tag| tag.get(..parameter.bytes())).filter(|tag| !tag.is_empty());
        let tag = tag.ok_or(Some(Reason::InvalidTag))?;
        set(Some(parameter), |parameter| parameter.set_octets(tag))?;
    }
    if let Some(parameter) = next_iv {
        let all = context.iv_bytes();
        let bytes = if parameter.bytes() == 0 { all } else { parameter.bytes().min(all) };
        // SAFETY: by the call's contract, the buffer has the parameter's length, or that of an IV if the parameter
        // states 0.
        context.next_iv(unsafe { parameter.octets_with_assumed_length(bytes) }.ok_or(None)?)?;
    }
    set(is_iv_random, |parameter| parameter.set_uint(u32::from(context.is_iv_random())))
}

/// Sets the parameters in the list.
#[inline]
pub(crate) fn set_all(context: &mut Context, params: Params<'_>) -> Result<(), Failure> {
    if params.is_empty() {
        return Ok(());
    }
    let names: [&CStr; 5] = [c"tag", c"ivlen", c"tlsaad", c"tlsivfixed", c"tlsivinv"];
    let [tag, iv_bytes, record_aad, fixed_iv, received_iv] = located(params, &names);
    let unreadable = Some(Reason::FailedToGetParameter);
    if let Some(parameter) = tag {
        context.set_tag(parameter.octets().ok_or(unreadable)?)?;
    }
    if let Some(parameter) = iv_bytes {
        context.set_iv_bytes(parameter.size().ok_or(unreadable)?)?;
    }
    if let Some(parameter) = record_aad {
        context.set_record_aad(parameter.octets().ok_or(unreadable)?)?;
    }
    if let Some(parameter) = fixed_iv {
        if parameter.bytes() == usize::MAX {
            // SAFETY: by the call's contract, length -1 means the length of an IV.
            let iv = unsafe { parameter.octets_with_assumed_length(context.iv_bytes()) };
            context.set_whole_iv(iv.ok_or(unreadable)?)?;
        } else {
            context.set_fixed_iv(parameter.octets().ok_or(unreadable)?)?;
        }
    }
    if let Some(parameter) = received_iv {
        context.set_received_iv(parameter.octets().ok_or(None)?)?;
    }
    Ok(())
}

/// Calls `answer` to write the value of a requested parameter; `answer` returns whether the value fits. Does nothing if
/// `parameter` is `None`, because the caller did not request it. Returns an error if the value does not fit.
pub(crate) fn set<'a>(
    parameter: Option<Parameter<'a>>,
    answer: impl FnOnce(Parameter<'a>) -> bool,
) -> Result<(), Failure> {
    match parameter {
        Some(parameter) if !answer(parameter) => Err(Some(Reason::FailedToSetParameter)),
        _ => Ok(()),
    }
}
