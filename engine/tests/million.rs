//! A million random messages; the test is ignored by default because it takes long. All backends on all architectures
//! must produce the same digest as the portable backend.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
}

use kasoku_engine::{AesGcm, CodePath, Error, Nonce};
use support::backends;
use support::random::Random;

const MESSAGES: usize = 1_000_000;

/// Digest of all tags, which depend on everything that was sealed; computed by `portable` on x86-64.
const EXPECTED: u64 = 0xE631_8214_2E85_55DC;

/// Number of messages under one key. Expanding a key takes as long as sealing some messages.
const OF_ONE_KEY: usize = 20;

/// Number of different offsets, from a multiple of 16, at which a buffer begins.
const PLACES: usize = 16;

/// Maximum text length. Most messages are short; one in some hundred goes through every loop.
const MAX_TEXT: usize = 5000;

#[test]
#[ignore = "it takes minutes, and many more under an emulator"]
fn backends_give_the_portable_digest_for_a_million_messages() {
    for &path in backends::paths() {
        let digest = digest(path);
        eprintln!("{path}: {MESSAGES} messages, {digest:#018x}");
        assert_eq!(digest, EXPECTED, "{path}");
    }
}

fn digest(path: CodePath) -> u64 {
    let mut random = Random::new(20);
    let mut memory = [(); 3].map(|()| Memory::new());
    let mut digest = 0;
    for _ in 0..MESSAGES / OF_ONE_KEY {
        let key_bytes = [16, 24, 32][random.below(3)];
        let key = AesGcm::with_backend(&random.bytes(key_bytes), path).unwrap();
        for _ in 0..OF_ONE_KEY {
            for piece in tag(&key, &mut random, &mut memory).as_chunks::<8>().0 {
                digest = (u64::rotate_left(digest, 5) ^ u64::from_le_bytes(*piece)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
        }
    }
    digest
}

/// Seals a random message, checks that it opens, or is rejected if forged, and returns its tag.
fn tag(key: &AesGcm, random: &mut Random, [aad, input, output]: &mut [Memory; 3]) -> [u8; 16] {
    let nonce_bytes = if random.below(8) == 0 { 1 + random.below(60) } else { 12 };
    let nonce = random.bytes(nonce_bytes);
    let nonce = Nonce::try_from(&nonce[..]).unwrap();
    let (aad_bytes, text_bytes) = (length(random, 300), length(random, MAX_TEXT));
    let case = || format!("{key:?}, nonce of {nonce_bytes}, AAD of {aad_bytes}, text of {text_bytes} bytes");
    let (aad, input) = (aad.place(aad_bytes, random), input.place(text_bytes, random));
    random.fill(aad);
    random.fill(input);
    let output = output.place(text_bytes, random);
    let tag = key.seal_to(nonce, aad, input, output).unwrap();
    let mut claimed = tag;
    if random.below(16) == 0 {
        claimed[random.below(16)] ^= 1 << random.below(8);
        assert_eq!(key.open(nonce, aad, output, &claimed), Err(Error::AuthenticationFailed), "{}", case());
        assert!(output.iter().all(|&byte| byte == 0), "{}", case());
    } else {
        assert_eq!(key.open(nonce, aad, output, &claimed), Ok(()), "{}", case());
        assert!(output == input, "{}", case());
    }
    tag
}

/// Returns a random length up to `max`, more often a short one.
fn length(random: &mut Random, max: usize) -> usize {
    let bound = 1 << random.below(usize::BITS as usize - max.leading_zeros() as usize + 1);
    random.below(bound + 1).min(max)
}

/// A buffer that may begin at any offset.
struct Memory(Vec<u8>);

impl Memory {
    fn new() -> Self {
        Self(vec![0; MAX_TEXT + 2 * PLACES])
    }

    fn place(&mut self, bytes: usize, random: &mut Random) -> &mut [u8] {
        let start = self.0.as_ptr().align_offset(PLACES) + random.below(PLACES);
        &mut self.0[start..start + bytes]
    }
}
