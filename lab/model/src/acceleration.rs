//! Acceleration states: as the machine is, off, or a named mask in between.

pub mod ia32cap;

use crate::name::{UnknownName, named};

named! {
    /// Which of the CPU's cryptographic instructions a library is allowed to use.
    #[serde(try_from = "String")]
    pub enum Acceleration: any spelling of "acceleration state" {
        /// As the machine is.
        On = "on",
        /// No AES, carry-less multiply, their vector forms or SHA instructions.
        Off = "off",
        /// No AES instructions, nor their vector forms.
        NoAes = "no-aes",
        /// No carry-less multiply, nor its vector form.
        NoClmul = "no-clmul",
        /// No vector forms of AES and carry-less multiply.
        NoVaes = "no-vaes",
        /// No AVX-512: no registers of 512 bits, and none of its forms for narrower ones.
        NoAvx512 = "no-avx512",
        /// No SHA instructions.
        NoSha = "no-sha",
    }
}

impl TryFrom<String> for Acceleration {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}
