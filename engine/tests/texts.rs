//! `Display` and `Debug` output of errors, code paths and keys.

use kasoku_engine::cpu::{Feature, FeatureSet};
use kasoku_engine::packet::{HeaderProtection, PacketProtection};
use kasoku_engine::{
    AesGcm, AesGcmSiv, Backend, CodePath, Error, OpeningSequence, RandomSealing, Schedule, SealingSequence, XaesGcm,
};

#[test]
fn error_messages_name_the_cause_and_the_remedy() {
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

/// The schedule is shown if there is a choice, or if the backend does not have it.
#[test]
fn code_paths_are_shown_by_name() {
    for (backend, schedule, text) in [
        (Backend::Aesni, Schedule::Karatsuba, "aesni"),
        (Backend::AesEor3, Schedule::Schoolbook, "aes-eor3"),
        (Backend::Vaes512, Schedule::Karatsuba, "vaes512/karatsuba"),
        (Backend::Vaes512, Schedule::Schoolbook, "vaes512/schoolbook"),
        (Backend::AesEor3, Schedule::Karatsuba, "aes-eor3/karatsuba"),
    ] {
        assert_eq!(CodePath { backend, schedule }.to_string(), text);
        assert_eq!(schedule.to_string(), schedule.name());
    }
    let unknown = "vaes".parse::<Backend>().unwrap_err().to_string();
    assert!(Backend::ALL.iter().all(|backend| unknown.contains(backend.name())), "{unknown}");
    let unknown = "none".parse::<Schedule>().unwrap_err().to_string();
    assert!(Schedule::ALL.iter().all(|schedule| unknown.contains(schedule.name())), "{unknown}");
}

#[test]
fn feature_sets_are_shown_by_name() {
    let features = FeatureSet::EMPTY.with(Feature::Aes).with(Feature::Bmi2).with(Feature::Aes);
    assert_eq!(format!("{features:?}"), "{Aes, Bmi2}");
}

#[test]
fn debug_output_shows_no_key_bytes() {
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
