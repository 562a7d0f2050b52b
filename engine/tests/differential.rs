//! Every message length, compared with two independent libraries.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod peers;
    pub(crate) mod random;
}

use kasoku_engine::{AesGcm, Backend};
use support::backends;
use support::peers::{AwsLc, RustCrypto, Tag};
use support::random::Random;

/// Maximum text length. Under an emulator, where each byte takes a microsecond, one iteration of the longest loop.
fn max_text() -> usize {
    if backends::is_brief() && !cfg!(debug_assertions) { 2100 } else { 4200 }
}

const MAX_AAD: usize = 300;

/// Stride over AAD lengths for one text length. For each text length, the first AAD length is one more than for the
/// previous text length.
///
/// The strides are odd, so every AAD length meets every residue of a text length modulo a power of two, as long as the
/// product of stride and power of two is less than the longest text: modulo 512, or 64 where 512 would take too long.
/// If the CPU's AES instructions are emulated, there is only one AAD length for each text length.
fn stride() -> usize {
    match (backends::is_brief(), backends::are_limited_to(&[Backend::Neon, Backend::Portable])) {
        (true, true) => MAX_AAD + 1,
        (true, false) => STRIDE_IF_SLOW,
        (false, _) => 5,
    }
}

const STRIDE_IF_SLOW: usize = 61;

/// Stride over text lengths: 1, except for the slowest backend under an emulator. The larger stride still meets every
/// residue modulo a power of two.
fn text_stride() -> usize {
    if backends::is_brief() && backends::are_limited_to(&[Backend::Portable]) { 7 } else { 1 }
}

#[test]
fn messages_of_every_length_match_other_libraries_with_128_bit_keys() {
    every_length::<16>();
}

#[test]
fn messages_of_every_length_match_other_libraries_with_192_bit_keys() {
    every_length::<24>();
}

#[test]
fn messages_of_every_length_match_other_libraries_with_256_bit_keys() {
    every_length::<32>();
}

fn every_length<const KEY: usize>() {
    let (mut case, stride, max_text) = (Case::new::<KEY>(max_text()), stride(), max_text());
    for text_bytes in (0..=max_text).step_by(text_stride()) {
        for aad_bytes in (text_bytes % stride..=MAX_AAD).step_by(stride) {
            case.check(text_bytes, aad_bytes);
        }
    }
    let fewest = (max_text / text_stride() + 1) * ((MAX_AAD + 1) / stride);
    assert!(case.checked >= fewest, "{} of {fewest}", case.checked);
}

/// Tests lengths around multiples of the bytes that each loop processes in an iteration.
#[test]
fn messages_with_long_texts_match_other_libraries() {
    const MULTIPLES: [usize; 18] = [
        4096, 4608, 5120, 6144, 8192, 10_240, 12_288, 14_336, 16_384, 20_480, 24_576, 32_768, 40_960, 49_152, 65_536,
        98_304, 131_072, 294_912,
    ];
    const BESIDE: [usize; 12] = [0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65];
    let longest = MULTIPLES[MULTIPLES.len() - 1] + BESIDE[BESIDE.len() - 1];
    for mut case in [Case::new::<16>(longest), Case::new::<24>(longest), Case::new::<32>(longest)] {
        for (index, multiple) in MULTIPLES.into_iter().enumerate() {
            for (other, beside) in BESIDE.into_iter().enumerate() {
                if backends::is_brief() && index % 3 != other % 3 {
                    continue;
                }
                let aad_bytes = [0, 13, 16, 20, 300, 5][(index + other) % 6];
                case.check(multiple + beside, aad_bytes);
                case.check(multiple - beside, aad_bytes);
            }
        }
    }
}

/// Tests message lengths around the minimum for which `fours` uses its table of AES states after two rounds, and
/// greater lengths. The lengths have every remainder modulo the sizes of groups, vectors and blocks.
#[test]
fn messages_just_long_enough_for_the_first_rounds_table_match_other_libraries() {
    let longest = 36_000;
    for mut case in [Case::new::<16>(longest), Case::new::<24>(longest), Case::new::<32>(longest)] {
        for vectors in 185..=215 {
            for beside in [0, 15, 31, 33, 50] {
                case.check(64 * vectors + beside, 13 + beside);
            }
        }
        for vectors in (216..560).step_by(5) {
            case.check(64 * vectors + vectors % 64, 20);
        }
    }
}

/// Tests AAD that is far longer than the text.
#[test]
fn messages_with_long_aad_match_other_libraries() {
    let mut case = Case::new::<16>(70_000);
    for multiple in [512, 1024, 2048, 4096, 8192, 65_536] {
        for beside in [0, 1, 15, 16, 17, 63, 64, 65] {
            for text_bytes in [0, 1, 16, 100, 1000] {
                case.check(text_bytes, multiple + beside);
                case.check(text_bytes, multiple - beside);
            }
        }
    }
}

/// One key expanded by the engine and by the libraries, and buffers to work in.
struct Case {
    keys: Vec<AesGcm>,
    aws_lc: AwsLc,
    rust_crypto: RustCrypto,
    random: Random,
    text: Vec<u8>,
    expected: Vec<u8>,
    work: Vec<u8>,
    checked: usize,
}

impl Case {
    fn new<const KEY: usize>(longest: usize) -> Self {
        let mut random = Random::new(KEY as u64);
        let key = random.array::<KEY>();
        Self {
            keys: backends::keys(&key),
            aws_lc: AwsLc::new(&key),
            rust_crypto: RustCrypto::new(&key),
            // 64 more bytes, for any start offset.
            text: random.bytes(longest + 64),
            expected: vec![0; longest],
            work: vec![0; longest],
            random,
            checked: 0,
        }
    }

    fn check(&mut self, text_bytes: usize, aad_bytes: usize) {
        let nonce = self.random.array();
        let start = self.random.below(64);
        let (text, rest) = self.text[start..].split_at(text_bytes);
        // The AAD comes from the same pool, after the text where enough bytes are left.
        let aad = if rest.len() >= aad_bytes { &rest[..aad_bytes] } else { &self.text[..aad_bytes] };
        let expected = &mut self.expected[..text_bytes];
        expected.copy_from_slice(text);
        let tag = self.aws_lc.seal(&nonce, aad, expected);
        let work = &mut self.work[..text_bytes];
        work.copy_from_slice(text);
        assert_eq!(self.rust_crypto.seal(&nonce, aad, work), tag, "the peers differ");
        assert!(work == expected, "the peers differ");
        for key in &self.keys {
            let is_slow = matches!(key.backend(), Backend::Portable | Backend::Neon);
            if !is_slow || self.checked.is_multiple_of((STRIDE_IF_SLOW / stride()).max(1)) {
                check(key, &nonce, aad, text, expected, &tag, work);
            }
        }
        self.checked += 1;
    }
}

/// Seals from one buffer to another and opens in place.
fn check(key: &AesGcm, nonce: &[u8; 12], aad: &[u8], text: &[u8], expected: &[u8], tag: &Tag, work: &mut [u8]) {
    let case = || format!("{key:?}, text of {}, AAD of {} bytes", text.len(), aad.len());
    assert_eq!(key.seal_to(nonce, aad, text, work), Ok(*tag), "{}", case());
    assert!(work == expected, "{}", case());
    assert_eq!(key.open(nonce, aad, work, tag), Ok(()), "{}", case());
    assert!(work == text, "{}", case());
}
