//! Freed memory contains no secrets.
//!
//! The allocator of this test records the blocks that a thread allocates. When the thread frees a block, the allocator
//! first copies the block's contents.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
    pub(crate) mod reference;
}

use std::hint::black_box;

use kasoku_engine::packet::{Packet, PacketProtection};
use kasoku_engine::{AesGcm, AesGcmSiv, Backend, CodePath, Nonce, Opening, Sealing, XaesGcm};
use support::backends;
use support::random::Random;
use support::reference::Reference;
use watching::{allocated_by, freed_by};

/// Maximum number of nonzero bytes that a freed key may contain, among 16 neighbours and in all: the number of rounds,
/// an address, and padding. None of them is long enough to be a secret.
const PUBLIC: usize = 8;
const PUBLIC_IN_ALL: usize = 8;

/// Minimum length of a block that contains a key: the round keys of AES-128 alone take more.
const MIN_KEY: usize = 176;

#[test]
fn freed_message_keys_are_zeros() {
    let mut random = Random::new(1);
    for (bytes, path) in [16, 24, 32].into_iter().flat_map(|size| backends::paths().iter().map(move |b| (size, *b))) {
        let bytes = random.bytes(bytes);
        let work = |key: &AesGcm| _ = black_box(key.seal(&[1; 12], b"aad", &mut [2; 3000]).unwrap());
        assert_leaves_zeros(path, || AesGcm::with_backend(&bytes, path).unwrap(), work);
        if bytes.len() != 24 {
            let work = |key: &AesGcmSiv| _ = black_box(key.seal(&[1; 12], b"aad", &mut [2; 3000]).unwrap());
            assert_leaves_zeros(path, || AesGcmSiv::with_backend(&bytes, path).unwrap(), work);
        }
    }
}

fn assert_leaves_zeros<K>(path: CodePath, new: impl FnOnce() -> K, work: impl FnOnce(&K)) {
    let path = format!("{path}, {}", std::any::type_name::<K>());
    let (key, allocated) = allocated_by(new);
    work(&key);
    assert_eq!(allocated.len(), 1, "{path}: one key object");
    let used = allocated[0].copy();
    assert!(used.len() > MIN_KEY && non_zero(&used) > MIN_KEY / 2, "{path}: the test sees the key");

    let freed = freed_by(|| drop(key));
    assert_eq!(freed.iter().map(Vec::len).collect::<Vec<_>>(), [used.len()], "{path}");
    assert_zeros(&freed[0], &path);
}

fn assert_zeros(freed: &[u8], path: &str) {
    let most = freed.windows(16).map(non_zero).max().unwrap();
    assert!(most <= PUBLIC, "{path}: {most} neighbouring bytes are left of a key");
    assert!(non_zero(freed) <= PUBLIC_IN_ALL, "{path}: {} bytes are left of a key", non_zero(freed));
}

/// An XAES-256-GCM key has an AES key and a subkey for all messages. It expands a key for each message, on the heap if
/// the backend has no room for it on the stack.
#[test]
fn freed_xaes_keys_are_zeros() {
    for &path in backends::paths() {
        let bytes = Random::new(5).array();
        let (key, allocated) = allocated_by(|| XaesGcm::with_backend(&bytes, path).unwrap());
        let used: Vec<_> = allocated.iter().map(watching::Live::copy).collect();
        let path = format!("{path}, XAES");
        let lengths: Vec<_> = used.iter().map(Vec::len).collect();
        assert!(lengths.len() == 1 && lengths[0] > MIN_KEY, "{path}: {lengths:?}");
        assert!(non_zero(&used[0]) > MIN_KEY / 2, "{path}: the test sees the key");

        let mut text = [2; 3000];
        let of_messages = freed_by(|| {
            let tag = key.seal(&[1; 24], b"aad", &mut text).unwrap();
            key.open(&[1; 24], b"aad", &mut text, &tag).unwrap();
            key.open(&[3; 24], b"aad", &mut text, &tag).unwrap_err();
        });
        assert!(of_messages.len() == 3 || of_messages.is_empty() && key.backend() != Backend::Portable, "{path}");
        let freed = freed_by(|| drop(key));
        assert_eq!(freed.iter().map(Vec::len).collect::<Vec<_>>(), lengths, "{path}");
        for block in of_messages.iter().chain(&freed) {
            assert_zeros(block, &path);
        }
    }
}

/// Packet key, header-protection key and IV of two phases; the second phase has a copy of the header-protection key.
#[test]
fn freed_packet_keys_are_zeros() {
    let mut random = Random::new(4);
    for (size, &path) in [16, 32].into_iter().flat_map(|size| backends::paths().iter().map(move |b| (size, b))) {
        let [key, header_key, next_key] = [(); 3].map(|()| random.bytes(size));
        let [iv, next_iv] = [(); 2].map(|()| random.array::<12>());
        let new = || PacketProtection::with_backend(&key, &iv, &header_key, path).unwrap();
        let (first, allocated_first) = allocated_by(new);
        let (next, allocated_next) = allocated_by(|| first.next_phase(&next_key, &next_iv).unwrap());
        let mut packet = [0x41; 1300];
        first.protect(1, &mut packet, 9, 2).unwrap();
        next.protect(1, &mut packet, 9, 2).unwrap();

        let copies = |allocated: Vec<watching::Live>| allocated.iter().map(watching::Live::copy).collect::<Vec<_>>();
        let used = [allocated_first, allocated_next].map(copies);
        let freed = [freed_by(|| drop(first)), freed_by(|| drop(next))];
        let secrets = [(&key, iv), (&next_key, next_iv)];
        for (object, ((used, freed), (key, iv))) in used.iter().zip(&freed).zip(secrets).enumerate() {
            let (case, keys) = (format!("{path}, keys of {size}, object {object}"), [key, &header_key]);
            // The IV may be in a smaller block than the keys.
            assert!(used.iter().any(|block| contains(block, &iv)), "{case}: the test sees the IV");
            assert!(!freed.iter().any(|block| contains(block, &iv)), "{case}: the IV is left");
            let used: Vec<_> = used.iter().filter(|block| block.len() > MIN_KEY).collect();
            // The first round key equals the first 16 bytes of the key, unless it is bitsliced.
            let sees_keys = keys.iter().all(|key| used.iter().any(|block| contains(block, &key[..16])));
            assert!(
                sees_keys || matches!(path.backend, Backend::Portable | Backend::Neon),
                "{case}: the test sees the keys"
            );
            let left: Vec<_> = freed.iter().filter(|block| block.len() > MIN_KEY).collect();
            assert_eq!(used.iter().map(|b| b.len()).sum::<usize>(), left.iter().map(|b| b.len()).sum(), "{case}");
            for block in left {
                assert!(keys.iter().all(|key| !contains(block, &key[..16])), "{case}");
                let most = block.windows(16).map(non_zero).max().unwrap();
                assert!(most <= PUBLIC, "{case}: {most} neighbouring bytes are left of a key");
                // A portable key's memory also keeps the address of its other half and the length of both keys.
                assert!(non_zero(block) <= 2 * PUBLIC_IN_ALL, "{case}: {} bytes are left of a key", non_zero(block));
            }
        }
    }
}

#[test]
fn sealing_and_opening_free_no_heap_memory() {
    let mut random = Random::new(2);
    let bytes = random.bytes(32);
    for &path in backends::paths() {
        let mut text = random.bytes(5000);
        macro_rules! assert_frees_nothing {
            ($key:ty) => {
                let freed = freed_by(|| {
                    let key = black_box(<$key>::with_backend(&bytes, path).unwrap());
                    let tag = key.seal(&[1; 12], b"aad", &mut text).unwrap();
                    key.open(&[1; 12], b"aad", &mut text, &tag).unwrap();
                    std::mem::forget(key);
                });
                assert_eq!(freed.len(), 0, "{path}, {}", stringify!($key));
            };
        }
        assert_frees_nothing!(AesGcm);
        // AES-GCM-SIV derives keys for each message.
        assert_frees_nothing!(AesGcmSiv);
    }
}

/// Packets one at a time and in batches, genuine and forged.
#[test]
fn packet_calls_free_no_heap_memory() {
    for &path in backends::paths() {
        let mut packets: Vec<_> = (0..70).map(|index| vec![0x41; 60 + 40 * index]).collect();
        let mut batch: Vec<_> = packets.iter_mut().map(|packet| Packet::outgoing(5, packet, 9, 2)).collect();
        let freed = freed_by(|| {
            let protection = PacketProtection::with_backend(&[1; 32], &[2; 12], &[3; 32], path).unwrap();
            let next = protection.next_phase(&[4; 32], &[5; 12]).unwrap();
            assert_eq!(protection.protect_batch(&mut batch), batch.len());
            assert_eq!(next.unmask_batch(5, &mut batch), batch.len());
            assert_eq!(next.open_batch(&mut batch), 0);
            let mut packet = [0x41; 99];
            next.protect(5, &mut packet, 9, 2).unwrap();
            assert!(protection.unprotect(5, &mut packet, 9).is_err());
            std::mem::forget((protection, next));
        });
        assert_eq!(freed.len(), 0, "{path}");
    }
}

/// A stream that is dropped or finished leaves neither the mask of the tag nor the hash nor keystream.
#[test]
fn freed_streaming_state_contains_no_secret() {
    let mut random = Random::new(3);
    let bytes = random.bytes(16);
    let nonce = random.array::<12>();
    // The hash is in the state if the whole blocks fill a window, which begins 32 bytes before the text.
    let text = random.bytes(16 * 30 + 5);
    let secrets = Secrets::after_text(&Reference::new(&bytes), &nonce, &text);
    for (key, is_finished) in
        [false, true].into_iter().flat_map(|end| backends::keys(&bytes).into_iter().map(move |k| (k, end)))
    {
        let mut sealed = text.clone();
        // Passes three pieces: a single piece is sealed as a whole message, and after two the state has Y·H, not the
        // hash Y.
        let (first, rest) = sealed.split_at_mut(20);
        let (second, third) = rest.split_at_mut(30);
        let (mut sealing, allocated) = allocated_by(|| Sealing::new(&key, &nonce).unwrap());
        sealing.update(first).unwrap();
        sealing.update(second).unwrap();
        sealing.update(third).unwrap();
        assert_eq!(secrets.found_in(&allocated[0].copy()), Secrets::ALL, "{key:?}: the test sees the state");
        let end = || if is_finished { _ = black_box(sealing.finish()) } else { drop(sealing) };
        secrets.assert_gone(&freed_by(end), &format!("sealing, finished: {is_finished}"), &key);

        let (mut opening, allocated) = allocated_by(|| Opening::new(&key, &nonce).unwrap());
        opening.update_unverified(first).unwrap();
        opening.update_unverified(second).unwrap();
        opening.update_unverified(third).unwrap();
        assert_eq!(secrets.found_in(&allocated[0].copy()), Secrets::ALL, "{key:?}: the test sees the state");
        let end = || if is_finished { _ = black_box(opening.finish(&[0; 16])) } else { drop(opening) };
        secrets.assert_gone(&freed_by(end), &format!("opening, finished: {is_finished}"), &key);
    }
}

/// A stream computes the tag of the first piece. If more data follows, this value is not the tag of the message, and
/// must stay secret.
#[test]
fn freed_streaming_state_contains_no_tag_after_a_message_in_one_part() {
    for key in backends::keys(&[1; 16]) {
        let mut text = [2; 40];
        let tag = key.seal(&[3; 12], b"aad", &mut text).unwrap();
        let (mut opening, allocated) = allocated_by(|| Opening::new(&key, &[3; 12]).unwrap());
        opening.aad(b"aad").unwrap();
        opening.update_unverified(&mut text).unwrap();
        assert!(contains(&allocated[0].copy(), &tag), "{key:?}: the test sees the tag");
        let freed = freed_by(|| drop(opening));
        assert!(freed.len() == 1 && !contains(&freed[0], &tag), "{key:?}");
    }
}

/// A nonce of another length is hashed in a stream. The hash of the nonce is not secret, but later values are.
#[test]
fn calls_with_nonces_of_other_than_96_bits_free_no_heap_memory() {
    for key in backends::keys(&[3; 24]) {
        let freed = freed_by(|| {
            black_box(key.seal(Nonce::try_from(&[1; 30][..]).unwrap(), b"aad", &mut [2; 300]).unwrap());
        });
        assert_eq!(freed.len(), 0);
    }
}

/// Secret values of a stream after a text that ends inside a block.
struct Secrets([(&'static str, Vec<u8>); 4]);

impl Secrets {
    fn after_text(reference: &Reference, nonce: &[u8; 12], text: &[u8]) -> Self {
        let whole = text.len() / 16 * 16;
        let (ciphertext, _) = reference.seal(nonce, &[], text);
        let mask = reference.encrypt_block(reference.first_counter(nonce));
        let hash = reference.hash(&ciphertext[..whole]);
        let (keystream, _) = reference.seal(nonce, &[], &[text, &[0; 32]].concat());
        let (unused, ahead) = (&keystream[text.len()..whole + 16], &keystream[whole + 16..whole + 32]);
        let [of_mask, of_hash, of_keystream, of_ahead] = Self::ALL;
        Self([
            (of_mask, mask.to_vec()),
            (of_hash, hash.to_vec()),
            (of_keystream, unused.to_vec()),
            (of_ahead, ahead.to_vec()),
        ])
    }

    const ALL: [&str; 4] = ["the mask", "the hash", "keystream", "keystream of the next block"];

    fn found_in(&self, memory: &[u8]) -> Vec<&'static str> {
        let is_there = |secret: &[u8]| memory.windows(secret.len()).any(|part| part == secret);
        self.0.iter().filter(|(_, secret)| is_there(secret)).map(|(name, _)| *name).collect()
    }

    fn assert_gone(&self, freed: &[Vec<u8>], what: &str, key: &AesGcm) {
        assert_eq!(freed.len(), 1, "{what}, {key:?}");
        assert_eq!(self.found_in(&freed[0]), [""; 0], "{what}, {key:?}");
    }
}

fn contains(memory: &[u8], secret: &[u8]) -> bool {
    memory.windows(secret.len()).any(|part| part == secret)
}

fn non_zero(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte != 0).count()
}

/// An allocator that records allocated blocks, and the contents of freed blocks.
mod watching {
    #![allow(unsafe_code, reason = "an allocator")]

    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::{Cell, RefCell};

    #[global_allocator]
    static ALLOCATOR: Watching = Watching;

    struct Watching;

    thread_local! {
        static IS_WATCHING: Cell<bool> = const { Cell::new(false) };
        static ALLOCATED: RefCell<Vec<Live>> = const { RefCell::new(Vec::new()) };
        static FREED: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    }

    /// A block that this thread allocated.
    pub(crate) struct Live(*const u8, usize);

    impl Live {
        /// Copies the bytes of the block, which must not have been freed.
        pub(crate) fn copy(&self) -> Vec<u8> {
            // SAFETY: the tests copy only blocks that are not freed yet; `alloc` zeroed the blocks.
            unsafe { std::slice::from_raw_parts(self.0, self.1) }.to_vec()
        }
    }

    /// Returns the result of `work`, and the blocks that it allocated.
    pub(crate) fn allocated_by<T>(work: impl FnOnce() -> T) -> (T, Vec<Live>) {
        let result = watched(work);
        FREED.take();
        (result, ALLOCATED.take())
    }

    /// Returns the contents of the blocks that `work` frees, copied just before each block is freed.
    pub(crate) fn freed_by(work: impl FnOnce()) -> Vec<Vec<u8>> {
        watched(work);
        ALLOCATED.take();
        FREED.take()
    }

    fn watched<T>(work: impl FnOnce() -> T) -> T {
        IS_WATCHING.set(true);
        let result = work();
        IS_WATCHING.set(false);
        result
    }

    // SAFETY: forwards to the system's allocator, and reads a block only before freeing it.
    unsafe impl GlobalAlloc for Watching {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: guaranteed by the caller. Zeros, so that padding, which nothing writes, cannot hold old data.
            let block = unsafe { System.alloc_zeroed(layout) };
            if IS_WATCHING.replace(false) {
                ALLOCATED.with_borrow_mut(|allocated| allocated.push(Live(block, layout.size())));
                IS_WATCHING.set(true);
            }
            block
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            if IS_WATCHING.replace(false) {
                // SAFETY: the caller owns the block until it is freed below, and it was zeroed at first.
                let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) }.to_vec();
                FREED.with_borrow_mut(|freed| freed.push(bytes));
                IS_WATCHING.set(true);
            }
            // SAFETY: guaranteed by the caller.
            unsafe { System.dealloc(block, layout) };
        }
    }
}
