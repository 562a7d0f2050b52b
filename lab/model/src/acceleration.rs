//! Acceleration states: which cryptographic CPU instructions a library may use.

pub mod ia32cap;

use crate::name::{UnknownName, named};

named! {
    #[serde(try_from = "String")]
    pub enum Acceleration: any spelling of "acceleration state" {
        /// All cryptographic instructions that the machine has.
        On = "on",
        /// No AES, carry-less multiply or SHA instructions, and no vector forms of AES and carry-less multiply.
        Off = "off",
        /// No AES instructions and no VAES.
        NoAes = "no-aes",
        /// No PCLMULQDQ and no VPCLMULQDQ.
        NoClmul = "no-clmul",
        /// No VAES and no VPCLMULQDQ.
        NoVaes = "no-vaes",
        /// No AVX-512, including its 128- and 256-bit forms.
        NoAvx512 = "no-avx512",
        NoSha = "no-sha",
    }
}

impl TryFrom<String> for Acceleration {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}
