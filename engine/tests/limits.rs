//! Length limits: texts past the standard's limit are rejected before any byte is read or written.

#![cfg(all(unix, target_pointer_width = "64"))]
#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
}

use kasoku_engine::{AesGcmSiv, Error, Nonce, Opening, Sealing};
use memory::Reserved;
use support::backends;

/// SP 800-38D §5.2.1.1: 2^39 − 256 bits.
const MAX: usize = (1 << 36) - 32;

#[test]
fn texts_past_the_limit_are_rejected_without_access_to_buffers() {
    let mut output = Reserved::new(MAX + 1);
    let input = Reserved::new(MAX + 1);
    for key in backends::keys(&[1; 16]) {
        for nonce in [&[2; 12][..], &[2; 16]] {
            let nonce = Nonce::try_from(nonce).unwrap();
            let too_long = Err(Error::MessageTooLong);
            assert_eq!(key.seal(nonce, b"", output.bytes_mut()), Err(Error::MessageTooLong));
            assert_eq!(key.seal_to(nonce, b"", input.bytes(), output.bytes_mut()), Err(Error::MessageTooLong));
            assert_eq!(key.open(nonce, b"", output.bytes_mut(), &[0; 16]), too_long);
            let (first, second) = input.bytes().split_at(MAX / 2);
            let sealed = key.seal_vectored(nonce, [], [first, second], output.bytes_mut());
            assert_eq!(sealed, Err(Error::MessageTooLong));
            let opened = key.open_vectored(nonce, [], [first, second], output.bytes_mut(), &[0; 16]);
            assert_eq!(opened, too_long);
            assert_eq!(key.open_to(nonce, b"", input.bytes(), output.bytes_mut(), &[0; 16]), too_long);
        }
    }
}

/// AES-GCM-SIV allows 2^36 bytes of plaintext and 2^36 bytes of AAD (RFC 8452 §6).
#[test]
fn siv_rejects_texts_and_aad_past_the_limit_without_access_to_buffers() {
    let mut output = Reserved::new((1 << 36) + 1);
    let long = Reserved::new((1 << 36) + 1);
    for &path in backends::paths() {
        let key = AesGcmSiv::with_backend(&[1; 16], path).unwrap();
        let (too_long, mut text) = (Err(Error::AadTooLong), *b"text");
        assert_eq!(key.seal(&[2; 12], long.bytes(), &mut text), Err(Error::AadTooLong));
        assert_eq!(key.open(&[2; 12], long.bytes(), &mut text, &[0; 16]), too_long);
        assert_eq!(text, *b"text");
        let too_long = Err(Error::MessageTooLong);
        assert_eq!(key.seal(&[2; 12], b"", output.bytes_mut()), Err(Error::MessageTooLong));
        assert_eq!(key.seal_to(&[2; 12], b"", long.bytes(), output.bytes_mut()), Err(Error::MessageTooLong));
        assert_eq!(key.open(&[2; 12], b"", output.bytes_mut(), &[0; 16]), too_long);
        assert_eq!(key.open_to(&[2; 12], b"", long.bytes(), output.bytes_mut(), &[0; 16]), too_long);
    }
}

/// The lengths of all pieces are added up; a rejected piece does not count.
#[test]
fn streaming_rejects_pieces_past_the_limit() {
    let mut memory = Reserved::new(MAX);
    for key in backends::keys(&[1; 32]) {
        let mut expected = [3; 40];
        let tag = key.seal(&[2; 12], b"", &mut expected).unwrap();

        let mut sealing = Sealing::new(&key, &[2; 12]).unwrap();
        let mut first = [3; 17];
        sealing.update(&mut first).unwrap();
        for left in [MAX - 16, MAX - 15, MAX] {
            assert_eq!(sealing.update(&mut memory.bytes_mut()[..left]), Err(Error::MessageTooLong));
        }
        let mut second = [3; 23];
        sealing.update(&mut second).unwrap();
        assert_eq!(sealing.finish(), tag);

        let mut opening = Opening::new(&key, &[2; 12]).unwrap();
        opening.update_unverified(&mut first).unwrap();
        assert_eq!(opening.update_unverified(&mut memory.bytes_mut()[..MAX - 16]), Err(Error::MessageTooLong));
        opening.update_unverified(&mut second).unwrap();
        assert_eq!(opening.finish(&tag), Ok(()));
    }
}

/// Reserved addresses without access rights: a process that reads or writes there is killed at once, before it uses up
/// the machine's memory.
mod memory {
    #![allow(unsafe_code, reason = "pages are had from the operating system")]

    pub(crate) struct Reserved {
        start: *mut u8,
        bytes: usize,
    }

    impl Reserved {
        pub(crate) fn new(bytes: usize) -> Self {
            // SAFETY: a new mapping at an address that the system chooses.
            let start = unsafe {
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
                libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0)
            };
            assert_ne!(start, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
            Self { start: start.cast(), bytes }
        }

        pub(crate) fn bytes(&self) -> &[u8] {
            // SAFETY: only `self` has these addresses. They cannot be read; the test shows that nothing tries to.
            unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
        }

        pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
            // SAFETY: as in `bytes`; borrowed from `self` alone.
            unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
        }
    }

    impl Drop for Reserved {
        fn drop(&mut self) {
            // SAFETY: `new` made the mapping, and all borrows have ended.
            unsafe { libc::munmap(self.start.cast(), self.bytes) };
        }
    }
}
