//! What is shown of errors and keys.

use kasoku_engine::packet::{HeaderProtection, PacketProtection};
use kasoku_engine::{AesGcm, AesGcmSiv, Backend, Error, OpeningSequence, RandomSealing, SealingSequence, XaesGcm};

#[test]
fn an_error_says_what_is_wrong_and_what_to_do() {
    for (error, says) in [
        (Error::KeyLength(17), ["17", "16, 24 or 32 bytes"]),
        (Error::SivKeyLength(24), ["24", "16 or 32 bytes"]),
        (Error::BackendUnavailable(Backend::Neon), ["this CPU", "neon"]),
        (Error::LengthsDiffer { input: 3, output: 5 }, ["3 bytes", "5"]),
        (Error::PacketTooShort { packet_bytes: 7, least: 25 }, ["7 bytes", "pad it to 25"]),
        (Error::PacketNumberFell { number: 6, first: 9 }, ["6", "below 9"]),
        (Error::ConfidentialityLimit, ["limit", "update the key"]),
    ] {
        let text = error.to_string();
        assert!(says.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn of_a_key_no_byte_is_shown() {
    let bytes = [233; 32];
    let key = || AesGcm::new(&bytes).unwrap();
    let shown = [
        ("AesGcm", format!("{:?}", key())),
        ("AesGcmSiv", format!("{:?}", AesGcmSiv::new(&bytes).unwrap())),
        ("XaesGcm", format!("{:?}", XaesGcm::new(&bytes))),
        ("PacketProtection", format!("{:?}", PacketProtection::new(&bytes, &[233; 12], &bytes).unwrap())),
        ("HeaderProtection", format!("{:?}", HeaderProtection::new(&bytes).unwrap())),
        ("RandomSealing", format!("{:?}", RandomSealing::new(key(), |_: &mut [u8]| Ok::<_, ()>(())))),
        ("SealingSequence", format!("{:?}", SealingSequence::new(key(), [233; 12]))),
        ("OpeningSequence", format!("{:?}", OpeningSequence::new(key(), [233; 12]))),
    ];
    for (name, text) in shown {
        assert!(text.starts_with(name) && !text.contains("233"), "{text}");
    }
}
