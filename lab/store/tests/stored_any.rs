//! Documents and stores that are damaged in every way: nothing ends the reader, and what comes back is what was stored.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../../engine/tests/support/random.rs"]
mod random;
#[path = "../../../engine/fuzz/seeds.rs"]
mod seeds;

use std::path::Path;

use random::Random;

/// Numbers that are the same in every run.
fn random() -> impl FnMut(usize) -> usize {
    let mut random = Random::new(1);
    move |below| random.below(below.max(1))
}

#[test]
fn documents_come_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kasoku/tests/schema_1");
    let levels = ["primitives", "packets", "transfer", "files", "jvm", "tls"];
    let documents = levels.map(|level| std::fs::read(folder.join(level).with_extension("json")).unwrap());
    documents.iter().for_each(|document| bodies::stored(document));
    // A byte changed, some taken away, some put in twice: mostly JSON still.
    let mut random = random();
    for turn in 0..4_000 {
        let mut document = documents[turn % documents.len()].clone();
        for _ in 0..=random(3) {
            let at = random(document.len());
            let to = (at + random(40)).min(document.len());
            match random(4) {
                0 => document[at] = b"0123456789.-e\"{}[]:,ntf"[random(23)],
                1 => drop(document.drain(at..to)),
                2 => document[at] ^= 1 << random(8),
                _ => document.splice(at..at, document[at..to].to_vec()).for_each(drop),
            }
        }
        bodies::stored(&document);
    }
}

#[test]
fn edited_documents_come_back() {
    let mut random = random();
    for _ in 0..300 {
        let mut script = vec![b'@'];
        script.extend((0..random(60)).map(|_| random(256) as u8));
        bodies::stored(&script);
    }
}

#[test]
fn no_value_in_a_column_ends_the_reader() {
    const TEXTS: [&[u8]; 12] = [
        b"",
        b"null",
        b"{}",
        b"[]",
        b"[{}]",
        b"{\"a\":[[[1e300]]]}",
        b"\x1b[2J\n\0",
        b"2026-11-22",
        b"1e999",
        b"\"a\"",
        b"serve",
        &[0xFF; 9],
    ];
    let mut random = random();
    for place in 0..0x40 {
        for kind in (0..5).cycle().take(30) {
            let text = TEXTS[random(TEXTS.len())];
            let number = [0, 1, u64::MAX, 1 << 63, 0x7FF0 << 48, 0x7FF8 << 48][random(6)].to_le_bytes();
            bodies::stored(&[&[place, kind][..], if kind < 3 { text } else { &number[..] }].concat());
        }
    }
}

#[test]
fn what_fuzzing_kept() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "stored", bodies::stored);
}
