//! Run documents that somebody edited, shown in every form: nothing ends it, nothing steers the reader's screen, and no
//! figure is none.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

#[path = "../fuzz/src/bodies.rs"]
mod bodies;

/// As many scripts as `KASOKU_TEST_SCRIPTS` says, else as take a few seconds.
#[test]
fn edited_documents_are_shown() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below.max(1)
    };
    let scripts = std::env::var("KASOKU_TEST_SCRIPTS").map_or(250, |count| count.parse().unwrap());
    for _ in 0..scripts {
        let length = 2 + random(60);
        let script: Vec<u8> = (0..length).map(|_| random(256) as u8).collect();
        bodies::shown(&script);
    }
}
