//! The provider: its configuration, its algorithms and its parameters.

#![allow(unsafe_code, reason = "defines functions that OpenSSL calls with pointers")]

use std::ffi::{CStr, c_int, c_void};
use std::path::Path;
use std::sync::atomic::Ordering;

use kasoku_engine::Backend;
use kasoku_engine::cpu::{Found, RunnablePath};

use crate::abi::{Algorithm, Dispatch, OPERATION_CIPHER, Param, entry, kind, provider_function};
use crate::boundary::guarded;
use crate::cipher::{AES_128_GCM, AES_128_GCM_SIV, AES_192_GCM, AES_256_GCM, AES_256_GCM_SIV};
use crate::context_parameters::set;
use crate::counter::{Counts, Totals};
use crate::counter_file::Counter;
use crate::parameter::{END, Params, described, located};
use crate::reason::Reason;
use crate::self_test;
use crate::trouble::Trouble;
use crate::upcalls::Core;

/// Provider object, one for each library context that loads the module.
pub(crate) struct Provider {
    core: Core,
    path: RunnablePath,
    totals: Totals,
    counter: Option<Counter>,
    /// The first problem with the counter file, if any.
    trouble: Trouble,
}

impl Provider {
    /// Runs the self-test and creates a provider with the settings of its configuration section.
    ///
    /// If the counter file cannot be used, reports that and creates a provider without a counter file.
    ///
    /// # Errors
    /// The reason, which is also added to the error queue.
    pub(crate) fn new(core: Core) -> Result<Self, Reason> {
        let refused = |why: String| {
            core.raise_with(Reason::InvalidConfiguration, &why);
            Reason::InvalidConfiguration
        };
        let path = match core.setting(c"backend") {
            None => RunnablePath::preferred(),
            Some(name) => {
                let backend = name.parse().map_err(|unknown| refused(format!("backend = {name}: {unknown}")))?;
                RunnablePath::new(backend, Found::here()).map_err(|_| {
                    let found = Found::here().features();
                    let missing: Vec<_> = Backend::needs(backend).iter().filter(|one| !found.has(**one)).collect();
                    refused(format!("backend = {backend}: this CPU cannot run it, it lacks {missing:?}"))
                })?
            }
        };
        let backend = path.code_path().backend;
        if !self_test::passes(backend) {
            core.raise_with(Reason::SelfTestFailed, &format!("backend = {backend}"));
            return Err(Reason::SelfTestFailed);
        }
        let mut provider = Self { core, path, totals: Totals::default(), counter: None, trouble: Trouble::default() };
        match provider.core.setting(c"counter").map(|path| Counter::open(Path::new(&path))) {
            None => {}
            Some(Ok(counter)) => provider.counter = Some(counter),
            Some(Err(why)) => {
                // This is the only place that may report an error which the program did not cause. During a connection,
                // libssl would take such an error for the end of the connection. OpenSSL clears the queue if a
                // configuration activated the provider.
                provider.core.raise_with(Reason::InvalidConfiguration, &format!("counter = {why}; nothing is counted"));
                provider.trouble.keep(&why);
            }
        }
        Ok(provider)
    }

    pub(crate) fn backend(&self) -> Backend {
        self.path.code_path().backend
    }

    /// Returns the code path (backend and instruction schedule) of all keys.
    pub(crate) fn path(&self) -> RunnablePath {
        self.path
    }

    #[cold]
    pub(crate) fn raise(&self, reason: Reason) {
        self.core.raise(reason);
    }

    pub(crate) fn count(&self, counts: &Counts) {
        self.totals.add(counts);
        if let Some(counter) = &self.counter
            && let Err(why) = counter.add(counts)
        {
            self.trouble.keep(&why);
        }
    }
}

/// Dispatch table of the provider's functions.
pub(crate) static FUNCTIONS: [Dispatch; 6] = [
    entry!(provider_function::TEARDOWN, tear_down => unsafe extern "C" fn(*mut c_void)),
    entry!(provider_function::GETTABLE_PARAMS, describe_params => unsafe extern "C" fn(*mut c_void) -> *const Param),
    entry!(provider_function::GET_PARAMS, get_params => unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int),
    entry!(provider_function::QUERY_OPERATION, query
        => unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm),
    entry!(provider_function::SELF_TEST, run_self_test => unsafe extern "C" fn(*mut c_void) -> c_int),
    Dispatch::END,
];

/// Provider's name in the output of `openssl list -providers`.
const NAME: &CStr = c"Kasoku's AES-GCM";
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no NUL"),
};

static GETTABLE: [Param; 10] = [
    described(c"name", kind::UTF8_PTR, 0),
    described(c"version", kind::UTF8_PTR, 0),
    described(c"buildinfo", kind::UTF8_PTR, 0),
    described(c"status", kind::INTEGER, size_of::<c_int>()),
    described(c"kasoku-backend", kind::UTF8_PTR, 0),
    described(c"kasoku-contexts", kind::UNSIGNED_INTEGER, size_of::<u64>()),
    described(c"kasoku-operations", kind::UNSIGNED_INTEGER, size_of::<u64>()),
    described(c"kasoku-bytes", kind::UNSIGNED_INTEGER, size_of::<u64>()),
    described(c"kasoku-counter-trouble", kind::UTF8_PTR, 0),
    END,
];

/// Table of ciphers, each with all names and the OID that the default provider has for it.
static CIPHERS: [Algorithm; 6] = [
    algorithm(c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", &AES_256_GCM, c"AES-256-GCM of Kasoku's engine"),
    algorithm(c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", &AES_192_GCM, c"AES-192-GCM of Kasoku's engine"),
    algorithm(c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", &AES_128_GCM, c"AES-128-GCM of Kasoku's engine"),
    algorithm(c"AES-128-GCM-SIV", &AES_128_GCM_SIV, c"AES-128-GCM-SIV of Kasoku's engine"),
    algorithm(c"AES-256-GCM-SIV", &AES_256_GCM_SIV, c"AES-256-GCM-SIV of Kasoku's engine"),
    Algorithm {
        names: std::ptr::null(),
        properties: std::ptr::null(),
        implementation: std::ptr::null(),
        description: std::ptr::null(),
    },
];

const fn algorithm(
    names: &'static CStr,
    implementation: &'static [Dispatch; 15],
    description: &'static CStr,
) -> Algorithm {
    Algorithm {
        names: names.as_ptr(),
        properties: c"provider=kasoku".as_ptr(),
        implementation: implementation.as_ptr(),
        description: description.as_ptr(),
    }
}

/// # Safety
/// `provider` must come from `OSSL_provider_init`, and not be used again.
unsafe extern "C" fn tear_down(provider: *mut c_void) {
    guarded((), || {
        if !provider.is_null() {
            // SAFETY: the pointer was a box.
            drop(unsafe { Box::from_raw(provider.cast::<Provider>()) });
        }
    });
}

unsafe extern "C" fn describe_params(_: *mut c_void) -> *const Param {
    GETTABLE.as_ptr()
}

/// # Safety
/// `provider` must come from `OSSL_provider_init`; `params` as in [`Params::new`].
unsafe extern "C" fn get_params(provider: *mut c_void, params: *mut Param) -> c_int {
    guarded(0, || {
        // SAFETY: guaranteed by the caller.
        let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else { return 0 };
        // SAFETY: as above.
        let params = unsafe { Params::new(params) };
        let names = [c"name", c"version", c"buildinfo", c"kasoku-backend", c"kasoku-counter-trouble"];
        let values = [NAME, VERSION, VERSION, provider.backend().c_name(), provider.trouble.text()];
        let numbers = located(params, &[c"kasoku-contexts", c"kasoku-operations", c"kasoku-bytes"]);
        let Totals { contexts, operations, bytes } = &provider.totals;
        let mut done = Ok(());
        for (wanted, text) in located(params, &names).into_iter().zip(values) {
            done = done.and(set(wanted, |wanted| wanted.set_text(text)));
        }
        for (wanted, total) in numbers.into_iter().zip([contexts, operations, bytes]) {
            done = done.and(set(wanted, |wanted| wanted.set_u64(total.load(Ordering::Relaxed))));
        }
        let [status] = located(params, &[c"status"]);
        done = done.and(set(status, |status| status.set_uint(1)));
        c_int::from(done.is_ok())
    })
}

/// # Safety
/// `no_store` must be writable.
unsafe extern "C" fn query(_: *mut c_void, operation: c_int, no_store: *mut c_int) -> *const Algorithm {
    if !no_store.is_null() {
        // OpenSSL may keep the table: it never changes.
        // SAFETY: guaranteed by the caller.
        unsafe { no_store.write(0) };
    }
    if operation == OPERATION_CIPHER { CIPHERS.as_ptr() } else { std::ptr::null() }
}

/// # Safety
/// `provider` must come from `OSSL_provider_init`.
unsafe extern "C" fn run_self_test(provider: *mut c_void) -> c_int {
    guarded(0, || {
        // SAFETY: guaranteed by the caller.
        let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else { return 0 };
        let passes = self_test::passes(provider.backend());
        if !passes {
            provider.raise(Reason::SelfTestFailed);
        }
        c_int::from(passes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_without_configuration_uses_preferred_backend() {
        let provider = Provider::new(Core::absent()).expect("nothing was asked for");
        assert_eq!(provider.backend(), kasoku_engine::cpu::preferred(Found::here().features()));
        assert!(provider.counter.is_none());
    }
}
