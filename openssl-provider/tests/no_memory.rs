//! Checks that calls fail with an error if memory runs out, as in the default provider, and that the program continues.

#![allow(unsafe_code, clippy::unwrap_used, clippy::undocumented_unsafe_blocks, reason = "tests may panic")]

mod evp;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

use evp::{Library, crypto, error_texts, errors};

/// Allocator of all Rust code, including the linked provider; OpenSSL has its own memory.
#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

struct Refusing;

thread_local! {
    /// Number of allocations that this thread may still make.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match LEFT.get() {
            0 => null_mut(),
            usize::MAX => unsafe { System.alloc(layout) },
            left => {
                LEFT.set(left - 1);
                unsafe { System.alloc(layout) }
            }
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        unsafe { System.dealloc(start, layout) }
    }
}

/// Runs `call` with at most `count` allocations.
fn with_allocations<T>(count: usize, call: impl FnOnce() -> T) -> T {
    LEFT.set(count);
    let given = call();
    LEFT.set(usize::MAX);
    given
}

#[test]
fn cipher_calls_report_failed_allocations() {
    const REFUSED: &str = "malloc failure: ";
    let library = Library::built_in(kasoku_openssl::OSSL_provider_init as *const _);
    errors();
    for (name, copy_allocates) in [(c"AES-128-GCM", 1), (c"AES-128-GCM-SIV", 2)] {
        let cipher = library.cipher(name, "kasoku");
        let context = cipher.context();
        assert_eq!(with_allocations(0, || context.init(Some(&cipher), None, None, 1)), 0);
        assert_eq!(error_texts()[0], REFUSED);

        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.init(None, None, Some(&[2; 12]), -1), 1);
        assert_eq!(context.aad(b"aad"), 1);
        let copied = |allocations| {
            let copy = cipher.context();
            with_allocations(allocations, || unsafe { (crypto().EVP_CIPHER_CTX_copy)(copy.0, context.0) })
        };
        for allocations in 0..copy_allocates {
            assert_eq!(copied(allocations), 0);
            assert_eq!(error_texts()[0], REFUSED);
        }
        assert_eq!(copied(copy_allocates), 1);
        assert_eq!(context.update(b"text", &mut [0; 4]).0, 1);
        assert_eq!(context.finish(), 1);
    }

    let cipher = library.cipher(c"AES-128-GCM-SIV", "kasoku");
    let tags = [false, true].map(|is_refused| {
        let context = cipher.with_key(true, &[1; 16]);
        assert_eq!(context.init(None, None, Some(&[2; 12]), -1), 1);
        if is_refused {
            assert_eq!(with_allocations(0, || context.aad(b"aad")), 0);
            assert_eq!(error_texts()[0], REFUSED);
        }
        assert_eq!(context.aad(b"aad"), 1);
        assert_eq!(context.finish(), 1);
        context.tag()
    });
    assert_eq!(tags[0], tags[1], "what was refused is no part of the message");
}
