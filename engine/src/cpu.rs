//! Detection of the CPU's features, once per process, and the choice of a backend and schedule for them.
//!
//! On x86-64 the CPU itself is asked (CPUID). XGETBV tells whether the operating system saves the wide registers of a
//! process when another runs: a feature whose registers the system does not save counts as missing. On AArch64 only the
//! operating system can be asked.

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

/// CPU features that were detected on this CPU, possibly without some that a test removed. Each backend's proof is made
/// from this value, so no instruction runs that was not detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found(FeatureSet);

impl Found {
    /// Detects the features on the first call. CPUID is slow under a hypervisor, so the result is kept.
    #[must_use]
    #[inline]
    pub fn here() -> Self {
        Self(detection::features())
    }

    /// Returns the set as if the CPU did not have `feature`.
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
    /// No backend for this architecture needs CPU features yet.
    pub(super) fn features() -> super::FeatureSet {
        super::FeatureSet::EMPTY
    }

    /// No backend for this architecture has a choice of schedules.
    pub(super) fn is_bound_by_aes() -> bool {
        false
    }
}
