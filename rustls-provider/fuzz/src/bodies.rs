//! Body of the fuzz target; `tests/fuzz_corpus.rs` runs it without a fuzzer. Kasoku and another provider seal under the
//! same keys and must give the same bytes. Then the target modifies these bytes and opens them with both providers,
//! whose results must be equal.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic reports a fault to the fuzzer")]

mod changes;
#[path = "../../../engine/fuzz/src/input.rs"]
mod input;
mod keys;
mod one_pass;
mod packets;
mod tls;

use input::Input;

pub(crate) fn records(input: &[u8]) {
    let mut input = Input(input);
    match input.byte() % 8 {
        0..=2 => tls::records(tls::Version::Tls12, input),
        3..=4 => tls::records(tls::Version::Tls13, input),
        5 => packets::packets(input),
        6 => one_pass::packets(input),
        _ => one_pass::retries(input),
    }
}
