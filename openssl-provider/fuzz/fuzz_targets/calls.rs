//! Makes the calls that the fuzzer chooses to OpenSSL's provider and to Kasoku's, which is linked into this program.

#![no_main]

#[path = "../../tests/evp/mod.rs"]
mod evp;

use std::sync::OnceLock;

use evp::{Cipher, Library, both};
use kasoku_openssl::OSSL_provider_init;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    static MADE: OnceLock<(Library, [[Cipher; 2]; 3])> = OnceLock::new();
    let (_, ciphers) = MADE.get_or_init(|| {
        let library = Library::built_in(OSSL_provider_init as *const _);
        let ciphers = library.both_of_each();
        (library, ciphers)
    });
    both::choices(ciphers, input);
});
