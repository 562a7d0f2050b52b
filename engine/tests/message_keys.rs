//! Keys derived for one message are not left on the stack. Each test runs a thread on a stack that the test has
//! allocated, and searches this stack for the key after the thread has ended. (Round keys for which the compiler had no
//! register may be left on the stack; see docs/THREAT_MODEL.md.)

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
    pub(crate) mod reference;
}

use std::hint::black_box;

use kasoku_engine::{AesGcmSiv, OneTimeKey, XaesGcm};
use support::backends;
use support::random::Random;
use support::reference::{Reference, xaes_key};

const LENGTHS: [usize; 6] = [0, 40, 100, 400, 1_440, 20_000];

#[test]
fn stack_search_finds_a_key_left_on_the_stack() {
    let key: [u8; 32] = Random::new(1).array();
    let stack = on_our_stack(|| _ = black_box(&mut [key; 100]));
    assert!(contains(&stack, &key));
}

#[test]
fn xaes_leaves_no_message_key_on_the_stack() {
    let mut random = Random::new(2);
    for (&path, length) in backends::paths().iter().flat_map(|path| LENGTHS.map(|length| (path, length))) {
        let (key, nonce) = (random.array(), random.array::<24>());
        let message_key = xaes_key(&key, &nonce);
        let key = XaesGcm::with_backend(&key, path).unwrap();
        let mut data = random.bytes(length);
        let stack = on_our_stack(|| {
            let tag = key.seal(&nonce, b"header", &mut data).unwrap();
            key.open(&nonce, b"header", &mut data, &tag).unwrap();
            key.open(&nonce, b"another", &mut data, &tag).unwrap_err();
        });
        assert_none(&stack, &message_key, &format!("{path}, {length} bytes"));
    }
}

/// Searches for the last round key: the key's own bytes belong to the caller.
#[test]
fn one_time_keys_leave_no_round_keys_on_the_stack() {
    let mut random = Random::new(4);
    for (&path, length) in backends::paths().iter().flat_map(|path| LENGTHS.map(|length| (path, length))) {
        let key = random.array::<16>();
        let last = *Reference::new(&key).round_keys().last().unwrap();
        let mut data = random.bytes(length);
        let stack = on_our_stack(|| {
            let key = OneTimeKey::with_backend(&key, path).unwrap();
            let tag = key.seal(&[1; 12], b"header", &mut data).unwrap();
            key.open(&[1; 12], b"header", &mut data, &tag).unwrap();
            key.open(&[1; 12], b"another", &mut data, &tag).unwrap_err();
        });
        assert_none(&stack, &last, &format!("{path}, {length} bytes"));
    }
}

#[test]
fn siv_leaves_no_message_key_on_the_stack() {
    let mut random = Random::new(3);
    for (&path, length) in backends::paths().iter().flat_map(|path| LENGTHS.map(|length| (path, length))) {
        let (key, nonce) = (random.array::<32>(), random.array::<12>());
        let reference = Reference::new(&key);
        // The key consists of the first halves of blocks two to five (RFC 8452 §4).
        let half = |number| reference.encrypt_block([&[number, 0, 0, 0], &nonce[..]].concat().try_into().unwrap());
        let message_key: Vec<_> = [2, 3, 4, 5].into_iter().flat_map(|number| half(number)[..8].to_vec()).collect();
        let key = AesGcmSiv::with_backend(&key, path).unwrap();
        let mut data = random.bytes(length);
        let stack = on_our_stack(|| {
            let tag = key.seal(&nonce, b"header", &mut data).unwrap();
            key.open(&nonce, b"header", &mut data, &tag).unwrap();
            key.open(&nonce, b"another", &mut data, &tag).unwrap_err();
        });
        assert_none(&stack, &message_key, &format!("{path}, {length} bytes"));
    }
}

/// Checks that the stack contains neither H nor all round keys in the order in which an expanded key stores them.
fn assert_none(stack: &[u8], message_key: &[u8], case: &str) {
    let reference = Reference::new(message_key);
    assert!(!contains(stack, reference.round_keys().as_flattened()), "{case}: the round keys are left");
    let mut hash_key = reference.encrypt_block([0; 16]);
    assert!(!contains(stack, &hash_key), "{case}: H is left");
    hash_key.reverse();
    assert!(!contains(stack, &hash_key), "{case}: H is left, its bytes reversed");
}

fn contains(stack: &[u8], block: &[u8]) -> bool {
    stack.windows(block.len()).any(|bytes| bytes == block)
}

/// Runs `work` on a thread whose stack this function allocates. Returns the contents of the stack after the thread has
/// ended.
#[allow(unsafe_code, reason = "std has no threads on memory of the caller's")]
fn on_our_stack(work: impl FnOnce() + Send) -> Vec<u8> {
    const BYTES: usize = 1 << 20;

    extern "C" fn run<W: FnOnce()>(work: *mut libc::c_void) -> *mut libc::c_void {
        // SAFETY: the creator of the thread passes this pointer and leaves the value to the thread.
        if let Some(work) = unsafe { &mut *work.cast::<Option<W>>() }.take() {
            work();
        }
        std::ptr::null_mut()
    }

    fn entry<W: FnOnce()>(_: &Option<W>) -> extern "C" fn(*mut libc::c_void) -> *mut libc::c_void {
        run::<W>
    }

    let mut memory = vec![0_u8; BYTES + 4096];
    let begin = memory.as_ptr().align_offset(4096);
    let stack = &mut memory[begin..][..BYTES];
    let mut work = Some(work);
    // SAFETY: the stack and `work` live until the thread has ended, and nothing else touches them before.
    unsafe {
        let (mut attributes, mut thread) = (std::mem::zeroed(), std::mem::zeroed());
        assert_eq!(libc::pthread_attr_init(&raw mut attributes), 0);
        assert_eq!(libc::pthread_attr_setstack(&raw mut attributes, stack.as_mut_ptr().cast(), BYTES), 0);
        let argument = (&raw mut work).cast();
        assert_eq!(libc::pthread_create(&raw mut thread, &raw const attributes, entry(&work), argument), 0);
        assert_eq!(libc::pthread_join(thread, std::ptr::null_mut()), 0);
        libc::pthread_attr_destroy(&raw mut attributes);
    }
    assert!(work.is_none(), "it ran");
    stack.to_vec()
}
