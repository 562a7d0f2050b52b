//! Whether the CPU's cryptographic instructions are there and in use, and how that is known.

use super::facts::Facts;
use super::figure::FigureComparison;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Instructions};
use kasoku_model::code_path::uses_aes_instructions;

/// Whether AES runs on instructions made for it, and how that is known.
#[derive(Clone, Debug, PartialEq)]
pub enum AesInstructions {
    /// The CPU says that it has them.
    Listed,
    /// They were seen running.
    Seen,
    /// The figures cannot be explained without: AES-GCM beats ChaCha20-Poly1305, or `on` is far faster than `off`.
    Inferred(Box<FigureComparison>),
    /// The CPU says what it has, and they are not among it.
    NotListed,
    /// The figures show no sign of them: ChaCha20-Poly1305 is far faster than AES-GCM.
    NoSign(Box<FigureComparison>),
    /// Nothing tells.
    Unknown,
}

impl AesInstructions {
    /// Whether they are there.
    pub fn are_there(&self) -> bool {
        matches!(self, AesInstructions::Listed | AesInstructions::Seen | AesInstructions::Inferred(_))
    }

    /// Whether they are missing, as far as anything tells.
    pub fn are_missing(&self) -> bool {
        matches!(self, AesInstructions::NotListed | AesInstructions::NoSign(_))
    }
}

/// From this many times as fast as ChaCha20-Poly1305, AES-GCM does not run in software.
const SIGN: f64 = 1.1;
/// Where ChaCha20-Poly1305 is this many times as fast as AES-GCM, there are no AES instructions.
const NO_SIGN: f64 = 1.5;
/// No other instruction makes AES this many times as fast with acceleration on.
const GAIN: f64 = 1.5;

/// What `facts` tell of the AES instructions.
pub(super) fn aes(facts: &Facts<'_>) -> AesInstructions {
    match facts.has("aes") {
        Some(true) => return AesInstructions::Listed,
        Some(false) => return AesInstructions::NotListed,
        None => {}
    }
    let uses_aes = |algorithm: &&Algorithm| algorithm.instructions() == Instructions::Aes;
    let mut seen = Algorithm::ALL.iter().filter(uses_aes).flat_map(|algorithm| facts.code_paths(*algorithm));
    if seen.any(uses_aes_instructions) {
        return AesInstructions::Seen;
    }
    match facts.aead_comparison() {
        Some(comparison) if comparison.ratio > SIGN => return AesInstructions::Inferred(Box::new(comparison)),
        Some(comparison) if comparison.ratio < 1.0 / NO_SIGN => {
            return AesInstructions::NoSign(Box::new(comparison.turned()));
        }
        _ => {}
    }
    let gains = [Algorithm::Aes256Cbc, Algorithm::Aes128Cbc, Algorithm::Aes128Gcm].into_iter();
    match gains.filter_map(|algorithm| facts.gain(algorithm)).find(|gain| gain.ratio > GAIN) {
        Some(gain) => AesInstructions::Inferred(Box::new(gain)),
        None => AesInstructions::Unknown,
    }
}

/// The setting that keeps OpenSSL from instructions the CPU has, as the library reports it: an environment variable, or
/// the bit of the AES instructions cleared. A state that was asked for is no such thing; but of a transcript in which
/// all is under a mask, nobody knows whether it was asked for.
pub fn mask(facts: &Facts<'_>) -> Option<String> {
    let run = &facts.document().run;
    let is_on = |state: Option<Acceleration>| matches!(state, None | Some(Acceleration::On));
    let is_ever_on = run.libraries.iter().any(|found| is_on(found.acceleration));
    let is_unasked = |state| is_on(state) || (run.origin.is_some() && !is_ever_on);
    run.libraries.iter().filter(|found| is_unasked(found.acceleration)).find_map(|found| {
        let settings = found.cpu_features.as_deref()?;
        let is_cleared = facts.has("aes") == Some(true) && aes_bit(settings) == Some(false);
        (masked_by_environment(settings) || is_cleared).then(|| settings.to_owned())
    })
}

/// Whether OpenSSL says that its settings are from the environment: `OPENSSL_ia32cap=0x…:0x… env:~0x…`.
pub(super) fn masked_by_environment(settings: &str) -> bool {
    settings.split_once(" env:").is_some_and(|(_, value)| !value.trim().is_empty())
}

/// The bit of AES-NI in `OPENSSL_ia32cap=0x…`: CPUID.1:ECX\[25\], in the upper half of the first word.
fn aes_bit(settings: &str) -> Option<bool> {
    let words = settings.trim().strip_prefix("OPENSSL_ia32cap=0x")?;
    let digits: String = words.chars().take_while(char::is_ascii_hexdigit).collect();
    let word = u64::from_str_radix(&digits, 16).ok()?;
    Some(word >> (32 + 25) & 1 == 1)
}

/// Whether the CPU has the vector forms of AES and carry-less multiplication; `None` if its features are not known.
pub fn has_vector_aes(facts: &Facts<'_>) -> Option<bool> {
    Some(facts.has("vaes")? && facts.has("vpclmulqdq")?)
}

/// Whether it has AVX-512 as OpenSSL's vector AES needs it; `None` if its features are not known.
pub fn has_avx512(facts: &Facts<'_>) -> Option<bool> {
    Some(facts.has("avx512f")? && facts.has("avx512bw")? && facts.has("avx512vl")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_aes_bit_is_read_from_what_openssl_reports() {
        assert_eq!(aes_bit("OPENSSL_ia32cap=0x7ffaf3ffffebffff:0x27ab"), Some(true));
        assert_eq!(aes_bit("OPENSSL_ia32cap=0x98e3bdffebffff:0x0"), Some(false)); // an i7-950
        assert_eq!(aes_bit("OPENSSL_armcap=0x83"), None);
        assert_eq!(aes_bit("OPENSSL_ia32cap=0x"), None);
        assert_eq!(aes_bit("OPENSSL_ia32cap=0xfffffffffffffffffffff"), None);
    }
}
