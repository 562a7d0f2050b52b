//! The schedules by name: in which order a backend does its work, and which order we prefer on this CPU.

use core::fmt;
use core::str::FromStr;

use super::backend::Backend;

/// How products of 128 bits are made, and with it the order of everything that a backend does. Every schedule of a
/// backend gives the same results on any CPU that the backend runs on; which is fastest depends on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// Three products of 64 bits, for CPUs whose bound is products: all of AMD's so far, and Intel's before Sapphire
    /// Rapids.
    Karatsuba,
    /// Four products of 64 bits, for CPUs whose bound is AES (Intel's from Sapphire Rapids on), and for those that add
    /// up three in one instruction.
    Schoolbook,
}

impl Schedule {
    /// Every schedule of any backend.
    pub const ALL: [Self; 2] = [Self::Karatsuba, Self::Schoolbook];

    /// Its name in every output: `karatsuba`, `schoolbook`.
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

/// No schedule has this name.
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
    /// Its schedules. Only [`Vaes512`](Self::Vaes512) has a choice.
    #[must_use]
    pub const fn schedules(self) -> &'static [Schedule] {
        match self {
            Self::Vaes512 => &Schedule::ALL,
            Self::AesEor3 => &[Schedule::Schoolbook],
            _ => &[Schedule::Karatsuba],
        }
    }
}

/// The schedule of `backend` that we prefer on this CPU. As with backends, this is preference: any of its
/// [`schedules`](Backend::schedules) runs wherever the backend does.
#[must_use]
pub fn preferred_schedule(backend: Backend) -> Schedule {
    match backend {
        Backend::Vaes512 if super::detection::is_bound_by_aes() => Schedule::Schoolbook,
        Backend::AesEor3 => Schedule::Schoolbook,
        _ => Schedule::Karatsuba,
    }
}

/// A backend in one of its schedules. A backend alone means the schedule that we prefer for it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePath {
    /// The backend.
    pub backend: Backend,
    /// One of its schedules.
    pub schedule: Schedule,
}

impl CodePath {
    /// Every backend in each of its schedules.
    pub fn all() -> impl Iterator<Item = Self> {
        let each = |backend: Backend| backend.schedules().iter().map(move |&schedule| Self { backend, schedule });
        Backend::ALL.into_iter().flat_map(each)
    }
}

impl From<Backend> for CodePath {
    fn from(backend: Backend) -> Self {
        Self { backend, schedule: preferred_schedule(backend) }
    }
}

/// The backend and, if it has a choice, the schedule: `aesni`, `vaes512/schoolbook`.
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
    fn the_bound_of_the_cpu_chooses() {
        let is_bound_by_aes = crate::cpu::detection::is_bound_by_aes();
        let expected = if is_bound_by_aes { Schedule::Schoolbook } else { Schedule::Karatsuba };
        assert_eq!(preferred_schedule(Backend::Vaes512), expected);
    }
}
