//! Detection of the CPU's features, once per process. Also the choice of a backend, and of an instruction schedule
//! (order in which AES and GHASH are interleaved), for these features.
//!
//! On x86-64, the instruction CPUID reports the features. XGETBV reports whether the operating system saves the wide
//! registers of a process when another process runs; a feature whose registers the system does not save counts as
//! missing. On AArch64, only the operating system can report the features.

#[cfg(target_arch = "aarch64")]
mod aarch64;
pub(crate) mod backend;
mod dit;
mod feature;
mod runnable;
pub(crate) mod schedule;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as detection;
pub use backend::preferred;
pub use dit::Dit;
pub use feature::{Feature, FeatureSet};
pub(crate) use runnable::ProvenPath;
pub use runnable::RunnablePath;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use runnable::proof;
pub use schedule::preferred_schedule;
#[cfg(target_arch = "x86_64")]
use x86_64 as detection;

/// CPU features that were detected on this CPU, possibly without some that a test has removed. The proof that a
/// backend's instructions exist is created only from this value, so no instruction runs that was not detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found(FeatureSet);

impl Found {
    /// Returns the features of this CPU. Detects them on the first call only, because CPUID is slow under a hypervisor.
    #[must_use]
    #[inline]
    pub fn here() -> Self {
        Self(detection::features())
    }

    /// Returns these features without `feature`, as if the CPU did not have it.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0.without(feature))
    }

    /// Returns the features as a set.
    #[must_use]
    #[inline]
    pub const fn features(self) -> FeatureSet {
        self.0
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod detection {
    /// Returns no features, because no backend for this architecture needs any.
    pub(super) fn features() -> super::FeatureSet {
        super::FeatureSet::EMPTY
    }

    /// Returns `false`, because no backend for this architecture has several instruction schedules.
    pub(super) fn is_bound_by_aes() -> bool {
        false
    }
}
