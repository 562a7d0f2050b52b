//! Buffers at any alignment: the results are the same, and bytes beside the buffers stay unchanged.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
}

use kasoku_engine::{AesGcm, Error};
use support::backends;
use support::random::Random;

const LENGTHS: [usize; 22] =
    [0, 1, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 255, 256, 300, 511, 513, 600, 1024, 1100, 2100, 5000];

/// Number of bytes on each side of a buffer; the buffer may begin at 64 offsets.
const ROOM: usize = 64;

const UNTOUCHED: u8 = 0xA5;

#[test]
fn seal_and_open_results_do_not_depend_on_buffer_alignment() {
    let mut random = Random::new(1);
    for key_bytes in [16, 24, 32] {
        for key in backends::keys(&random.bytes(key_bytes)) {
            for bytes in LENGTHS {
                let (aad, text) = (random.bytes(bytes % 37), random.bytes(bytes));
                let mut sealed = text.clone();
                let tag = key.seal(&[3; 12], &aad, &mut sealed).unwrap();
                for offset in (0..64).step_by(if cfg!(debug_assertions) { 5 } else { 1 }) {
                    at_offset(&key, &aad, &text, &sealed, &tag, offset);
                }
            }
        }
    }
}

fn at_offset(key: &AesGcm, aad: &[u8], text: &[u8], sealed: &[u8], tag: &[u8; 16], offset: usize) {
    let case = format!("{key:?}, {} bytes at offset {offset}", text.len());
    // The AAD has a different offset. The offsets of input and output have every difference modulo 64.
    let aad = Offset::new(aad, 63 - offset);
    let input = Offset::new(text, offset);
    for output_offset in [offset, 0, 63 - offset, (offset * 29 + 13) % 64] {
        let mut output = Offset::new(&vec![0; text.len()], output_offset);
        assert_eq!(key.seal_to(&[3; 12], aad.get(), input.get(), output.get_mut()), Ok(*tag), "{case}");
        assert!(output.get() == sealed, "{case}");
        output.assert_beside_untouched(&case);
        let mut opened = Offset::new(&vec![0; text.len()], offset);
        assert_eq!(key.open_to(&[3; 12], aad.get(), output.get(), opened.get_mut(), tag), Ok(()), "{case}");
        assert!(opened.get() == text, "{case}");
        opened.assert_beside_untouched(&case);
    }
    let mut in_place = Offset::new(text, offset);
    assert_eq!(key.seal(&[3; 12], aad.get(), in_place.get_mut()), Ok(*tag), "{case}");
    assert!(in_place.get() == sealed, "{case}");
    assert_eq!(key.open(&[3; 12], aad.get(), in_place.get_mut(), tag), Ok(()), "{case}");
    assert!(in_place.get() == text, "{case}");
    in_place.assert_beside_untouched(&case);
    tags_at_their_place(key, aad.get(), text, (sealed, tag));
}

fn tags_at_their_place(key: &AesGcm, aad: &[u8], text: &[u8], sealed: (&[u8], &[u8; 16])) {
    let (mut output, mut its_tag) = (vec![0; text.len()], [0; 16]);
    assert_eq!(key.seal_into(&[3; 12], aad, text, &mut output, &mut its_tag), Ok(()));
    assert!((&output[..], &its_tag) == sealed, "{key:?}, {} bytes", text.len());
    let mut in_place = text.to_vec();
    its_tag = [0; 16];
    assert_eq!(key.seal_in_place(&[3; 12], aad, &mut in_place, &mut its_tag), Ok(()));
    assert!((&in_place[..], &its_tag) == sealed, "{key:?}, {} bytes in place", text.len());
}

#[test]
fn seal_and_open_reject_different_buffer_lengths_without_writing() {
    for key in backends::keys(&[1; 16]) {
        for (input, output) in [(0, 1), (1, 0), (16, 15), (15, 16), (600, 599), (64, 1000)] {
            let refused = Error::LengthsDiffer { input, output };
            let mut buffer = vec![UNTOUCHED; output];
            assert_eq!(key.seal_to(&[2; 12], b"", &vec![0; input], &mut buffer), Err(refused));
            assert_eq!(key.open_to(&[2; 12], b"", &vec![0; input], &mut buffer, &[0; 16]), Err(refused));
            let mut tag = [UNTOUCHED; 16];
            assert_eq!(key.seal_into(&[2; 12], b"", &vec![0; input], &mut buffer, &mut tag), Err(refused));
            assert_eq!(tag, [UNTOUCHED; 16]);
            assert!(buffer.iter().all(|&byte| byte == UNTOUCHED));
        }
    }
}

/// A buffer that begins at a given offset from a multiple of 64. The bytes before and after the buffer have known
/// values.
struct Offset {
    memory: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Offset {
    fn new(bytes: &[u8], offset: usize) -> Self {
        let mut memory = vec![UNTOUCHED; bytes.len() + 3 * ROOM];
        let start = memory.as_ptr().align_offset(64) + offset;
        memory[start..start + bytes.len()].copy_from_slice(bytes);
        Self { memory, start, bytes: bytes.len() }
    }

    fn get(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.bytes]
    }

    fn get_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.bytes]
    }

    fn assert_beside_untouched(&self, case: &str) {
        let beside = self.memory[..self.start].iter().chain(&self.memory[self.start + self.bytes..]);
        assert!(beside.into_iter().all(|&byte| byte == UNTOUCHED), "something beside was written: {case}");
    }
}
