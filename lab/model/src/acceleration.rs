//! Acceleration states: as the machine is, off, or a named mask in between.

pub mod ia32cap;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{self, UnknownName};

/// Which of the CPU's cryptographic instructions a library is allowed to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Acceleration {
    /// As the machine is.
    On,
    /// No AES, carry-less multiply, their vector forms or SHA instructions.
    Off,
    /// No AES instructions, nor their vector forms.
    NoAes,
    /// No carry-less multiply, nor its vector form.
    NoClmul,
    /// No vector forms of AES and carry-less multiply.
    NoVaes,
    /// No AVX-512: no registers of 512 bits, and none of its forms for narrower ones.
    NoAvx512,
    /// No SHA instructions.
    NoSha,
}

impl Acceleration {
    /// Every state.
    pub const ALL: &[Acceleration] = &[
        Acceleration::On,
        Acceleration::Off,
        Acceleration::NoAes,
        Acceleration::NoClmul,
        Acceleration::NoVaes,
        Acceleration::NoAvx512,
        Acceleration::NoSha,
    ];

    /// The name in code, output and documents.
    pub fn name(self) -> &'static str {
        match self {
            Acceleration::On => "on",
            Acceleration::Off => "off",
            Acceleration::NoAes => "no-aes",
            Acceleration::NoClmul => "no-clmul",
            Acceleration::NoVaes => "no-vaes",
            Acceleration::NoAvx512 => "no-avx512",
            Acceleration::NoSha => "no-sha",
        }
    }
}

impl fmt::Display for Acceleration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Acceleration {
    type Err = UnknownName;

    fn from_str(typed: &str) -> Result<Self, Self::Err> {
        name::find("acceleration state", typed, Acceleration::ALL.iter().map(|state| (state.name(), *state)))
    }
}

impl Serialize for Acceleration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Acceleration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
