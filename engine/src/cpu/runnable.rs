//! Code paths (backend and instruction schedule) that this CPU can run, with proofs that it has the features of their
//! backends.

use super::Found;
use super::backend::Backend;
use super::schedule::{CodePath, Schedule};
use crate::backend::{OnceFunction, seal_once_function};
use crate::error::Error;

/// A code path (backend and instruction schedule) that this CPU was found to run. To make many keys, find the path once
/// and pass it to [`AesGcm::for_path`](crate::AesGcm::for_path) or
/// [`OneTimeKey::for_path`](crate::OneTimeKey::for_path).
#[derive(Clone, Copy)]
pub struct RunnablePath(pub(crate) ProvenPath);

/// A code path (backend and instruction schedule), with the proof that the CPU has the features of its backend.
#[derive(Clone, Copy)]
pub(crate) enum ProvenPath {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Aesni(proof::Aesni),
    #[cfg(target_arch = "x86_64")]
    Vaes256(proof::Vaes256),
    #[cfg(target_arch = "x86_64")]
    Vaes512(proof::Vaes512),
    #[cfg(target_arch = "x86_64")]
    Vaes512Schoolbook(proof::Vaes512),
    #[cfg(target_arch = "aarch64")]
    Neon(proof::Neon),
    #[cfg(target_arch = "aarch64")]
    AesPmull(proof::AesPmull),
    #[cfg(target_arch = "aarch64")]
    AesEor3(proof::AesEor3),
}

impl RunnablePath {
    /// Returns the preferred code path of this CPU: the backend from [`preferred`](super::preferred) in its preferred
    /// instruction schedule.
    #[must_use]
    #[inline(always)]
    pub fn preferred() -> Self {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        let found = Found::here();
        #[cfg(target_arch = "x86_64")]
        {
            // Takes one comparison on the most common CPUs, since every new key runs this code.
            if let Some(proof) = proof::Vaes512::of(found) {
                let is_bound_by_aes = super::detection::is_bound_by_aes();
                let vaes512 = if is_bound_by_aes { ProvenPath::Vaes512Schoolbook } else { ProvenPath::Vaes512 };
                return Self(vaes512(proof));
            }
            if let Some(proof) = proof::Vaes256::of(found) {
                return Self(ProvenPath::Vaes256(proof));
            }
            if let Some(proof) = proof::Aesni::of(found) {
                return Self(ProvenPath::Aesni(proof));
            }
        }
        #[cfg(target_arch = "aarch64")]
        {
            if let Some(proof) = proof::AesEor3::of(found) {
                return Self(ProvenPath::AesEor3(proof));
            }
            if let Some(proof) = proof::AesPmull::of(found) {
                return Self(ProvenPath::AesPmull(proof));
            }
            if let Some(proof) = proof::Neon::of(found) {
                return Self(ProvenPath::Neon(proof));
            }
        }
        Self(ProvenPath::Portable)
    }

    /// Returns `path` as runnable if `found` has the features of its backend.
    ///
    /// # Errors
    /// [`Error::BackendUnavailable`], [`Error::ScheduleUnavailable`].
    pub fn new(path: impl Into<CodePath>, found: Found) -> Result<Self, Error> {
        let path = path.into();
        let CodePath { backend, schedule } = path;
        if !backend.schedules().contains(&schedule) {
            return Err(Error::ScheduleUnavailable(path));
        }
        let proven = match backend {
            Backend::Portable => Some(ProvenPath::Portable),
            #[cfg(target_arch = "x86_64")]
            Backend::Aesni => proof::Aesni::of(found).map(ProvenPath::Aesni),
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes256 => proof::Vaes256::of(found).map(ProvenPath::Vaes256),
            #[cfg(target_arch = "x86_64")]
            Backend::Vaes512 => proof::Vaes512::of(found).map(match schedule {
                Schedule::Karatsuba => ProvenPath::Vaes512,
                Schedule::Schoolbook => ProvenPath::Vaes512Schoolbook,
            }),
            #[cfg(target_arch = "aarch64")]
            Backend::Neon => proof::Neon::of(found).map(ProvenPath::Neon),
            #[cfg(target_arch = "aarch64")]
            Backend::AesPmull => proof::AesPmull::of(found).map(ProvenPath::AesPmull),
            #[cfg(target_arch = "aarch64")]
            Backend::AesEor3 => proof::AesEor3::of(found).map(ProvenPath::AesEor3),
            // Backends of other architectures.
            _ => {
                let _ = found;
                None
            }
        };
        proven.map(Self).ok_or(Error::BackendUnavailable(backend))
    }

    /// Returns the function that seals one message under a key that is expanded for that message only, or `None` if the
    /// backend has no such function. For the C library.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    pub fn seal_once_function(self) -> Option<OnceFunction> {
        seal_once_function(self)
    }

    /// Returns the backend and the instruction schedule.
    #[must_use]
    pub fn code_path(self) -> CodePath {
        let (backend, schedule) = match self.0 {
            ProvenPath::Portable => (Backend::Portable, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Aesni(_) => (Backend::Aesni, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Vaes256(_) => (Backend::Vaes256, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Vaes512(_) => (Backend::Vaes512, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Vaes512Schoolbook(_) => (Backend::Vaes512, Schedule::Schoolbook),
            #[cfg(target_arch = "aarch64")]
            ProvenPath::Neon(_) => (Backend::Neon, Schedule::Karatsuba),
            #[cfg(target_arch = "aarch64")]
            ProvenPath::AesPmull(_) => (Backend::AesPmull, Schedule::Karatsuba),
            #[cfg(target_arch = "aarch64")]
            ProvenPath::AesEor3(_) => (Backend::AesEor3, Schedule::Schoolbook),
        };
        CodePath { backend, schedule }
    }
}

impl From<RunnablePath> for CodePath {
    fn from(path: RunnablePath) -> Self {
        path.code_path()
    }
}

impl core::fmt::Debug for RunnablePath {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("RunnablePath").field(&self.code_path()).finish()
    }
}

/// Proofs that the CPU has a backend's features. A proof can be created only from [`Found`]. It is stored in the
/// backend's key, whose methods execute the instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod proof {
    use super::{Backend, Found};

    macro_rules! proof {
        ($name:ident, $backend:expr, $what:literal) => {
            #[doc = concat!("Proof that the CPU has the features of `", $what, "`.")]
            #[derive(Clone, Copy)]
            pub(crate) struct $name(());

            impl $name {
                /// Returns the proof, or `None` if `found` lacks a feature of the backend.
                #[inline(always)]
                pub(crate) fn of(found: Found) -> Option<Self> {
                    $backend.runs_on(found.features()).then_some(Self(()))
                }
            }
        };
    }

    #[cfg(target_arch = "x86_64")]
    proof!(Aesni, Backend::Aesni, "aesni");
    #[cfg(target_arch = "x86_64")]
    proof!(Vaes256, Backend::Vaes256, "vaes256");
    #[cfg(target_arch = "x86_64")]
    proof!(Vaes512, Backend::Vaes512, "vaes512");
    #[cfg(target_arch = "aarch64")]
    proof!(Neon, Backend::Neon, "neon");
    #[cfg(target_arch = "aarch64")]
    proof!(AesPmull, Backend::AesPmull, "aes-pmull");
    #[cfg(target_arch = "aarch64")]
    proof!(AesEor3, Backend::AesEor3, "aes-eor3");

    #[cfg(target_arch = "x86_64")]
    impl From<Vaes256> for Aesni {
        fn from(_: Vaes256) -> Self {
            Self(())
        }
    }

    #[cfg(target_arch = "x86_64")]
    impl From<Vaes512> for Aesni {
        fn from(_: Vaes512) -> Self {
            Self(())
        }
    }
}
