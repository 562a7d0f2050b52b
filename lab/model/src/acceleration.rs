//! Acceleration states: as the machine is, off, or a named mask in between.

pub mod ia32cap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::named;

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

named!(
    Acceleration,
    any spelling of "acceleration state",
    On = "on",
    Off = "off",
    NoAes = "no-aes",
    NoClmul = "no-clmul",
    NoVaes = "no-vaes",
    NoAvx512 = "no-avx512",
    NoSha = "no-sha",
);

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
