//! The instruction schedules by name. A schedule is the order in which a backend interleaves AES and GHASH. Also
//! chooses the preferred schedule for this CPU.

use core::fmt;
use core::str::FromStr;

use super::backend::Backend;

/// An instruction schedule: a method for the product of 128-bit polynomials, and the order of instructions that suits
/// this method. All schedules of a backend give the same results on every CPU that the backend runs on. Which schedule
/// is fastest depends on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// Karatsuba's method: three 64-bit products for each block. For CPUs limited by carry-less products: all of AMD's
    /// so far, and Intel's before Sapphire Rapids.
    Karatsuba,
    /// Schoolbook method: four 64-bit products for each block. For CPUs limited by AES (Intel's since Sapphire Rapids),
    /// and for CPUs that add up three values in one instruction.
    Schoolbook,
}

impl Schedule {
    /// All instruction schedules of all backends.
    pub const ALL: [Self; 2] = [Self::Karatsuba, Self::Schoolbook];

    /// Returns the name of the instruction schedule as it appears in all output: `karatsuba` or `schoolbook`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Karatsuba => "karatsuba",
            Self::Schoolbook => "schoolbook",
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error: no instruction schedule has the given name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSchedule;

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(name: &str) -> Result<Self, UnknownSchedule> {
        Self::ALL.into_iter().find(|schedule| schedule.name() == name).ok_or(UnknownSchedule)
    }
}

impl fmt::Display for UnknownSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown schedule; choose karatsuba or schoolbook")
    }
}

impl core::error::Error for UnknownSchedule {}

impl Backend {
    /// Returns the backend's instruction schedules. Only [`Vaes512`](Self::Vaes512) has more than one.
    #[must_use]
    #[inline]
    pub const fn schedules(self) -> &'static [Schedule] {
        match self {
            Self::Vaes512 => &Schedule::ALL,
            Self::AesEor3 => &[Schedule::Schoolbook],
            _ => &[Schedule::Karatsuba],
        }
    }
}

/// Returns the preferred instruction schedule of `backend` on this CPU. The other [`schedules`](Backend::schedules) of
/// the backend run on this CPU too, but are slower.
#[must_use]
#[inline]
pub fn preferred_schedule(backend: Backend) -> Schedule {
    match backend {
        Backend::Vaes512 if super::detection::is_bound_by_aes() => Schedule::Schoolbook,
        Backend::AesEor3 => Schedule::Schoolbook,
        _ => Schedule::Karatsuba,
    }
}

/// A backend in one of its instruction schedules. Converting a [`Backend`] chooses the preferred schedule for this CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePath {
    /// The backend.
    pub backend: Backend,
    /// One of the backend's instruction schedules.
    pub schedule: Schedule,
}

impl CodePath {
    /// Iterates over every backend in each of its instruction schedules.
    pub fn all() -> impl Iterator<Item = Self> {
        let each = |backend: Backend| backend.schedules().iter().map(move |&schedule| Self { backend, schedule });
        Backend::ALL.into_iter().flat_map(each)
    }
}

impl From<Backend> for CodePath {
    #[inline]
    fn from(backend: Backend) -> Self {
        Self { backend, schedule: preferred_schedule(backend) }
    }
}

/// Writes the name of the backend and, if the backend has several, of the instruction schedule: `aesni`,
/// `vaes512/schoolbook`.
impl fmt::Display for CodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.backend.schedules() {
            [only] if *only == self.schedule => write!(f, "{}", self.backend),
            _ => write!(f, "{}/{}", self.backend, self.schedule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vaes512_prefers_schoolbook_products_only_on_cpus_limited_by_aes() {
        let is_bound_by_aes = crate::cpu::detection::is_bound_by_aes();
        let expected = if is_bound_by_aes { Schedule::Schoolbook } else { Schedule::Karatsuba };
        assert_eq!(preferred_schedule(Backend::Vaes512), expected);
    }
}
