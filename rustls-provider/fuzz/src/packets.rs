//! QUIC packets through rustls's own traits, which protect payload and header separately.

use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey};

use super::changes::Changes;
use super::input::Input;
use super::keys::Source;

pub(crate) fn packets(mut input: Input<'_>) {
    let (source, ours, other) = Source::read(&mut input);
    let algorithms = [&ours as &dyn Algorithm, source.tls13(other).quic.unwrap()];
    headers(algorithms.map(|algorithm| algorithm.header_protection_key(source.key())), &mut input);
    let keys = algorithms.map(|algorithm| {
        let (key, iv) = source.key_and_iv();
        algorithm.packet_key(key, iv)
    });
    payloads(keys, input);
}

/// Compares header protection, usually for valid header lengths.
fn headers(keys: [Box<dyn HeaderProtectionKey>; 2], input: &mut Input<'_>) {
    let lengths = input.byte();
    let (sample_bytes, number_bytes) = if lengths < 224 {
        (16, usize::from(lengths) % 5)
    } else {
        (usize::from(lengths) % 20, usize::from(lengths) % 6)
    };
    let (sample, number, first): ([u8; 20], [u8; 6], u8) = (input.array(), input.array(), input.byte());
    for is_masked in [false, true] {
        let [ours, theirs] = [&keys[0], &keys[1]].map(|key| {
            let (sample, mut first, mut number) = (&sample[..sample_bytes], first, number);
            let result = if is_masked {
                key.decrypt_in_place(sample, &mut first, &mut number[..number_bytes])
            } else {
                key.encrypt_in_place(sample, &mut first, &mut number[..number_bytes])
            };
            (result.is_ok(), first, number)
        });
        assert_eq!(ours, theirs, "sample of {sample_bytes} bytes, number of {number_bytes}");
    }
}

fn payloads([ours, theirs]: [Box<dyn PacketKey>; 2], mut input: Input<'_>) {
    let mut number = u64::from_le_bytes(input.array());
    let path = (input.byte() < 64).then(|| u32::from_le_bytes(input.array()));
    let changes = Changes::read(&mut input);
    let header_bytes = usize::from(input.byte() % 64);
    let header = input.take(header_bytes);
    let text = input.text();

    let [mut sealed, also_sealed] = [&ours, &theirs].map(|key| {
        let mut payload = text.to_vec();
        let tag = match path {
            Some(path) => key.encrypt_in_place_for_path(path, number, header, &mut payload),
            None => key.encrypt_in_place(number, header, &mut payload),
        };
        [header, &payload, tag.unwrap().as_ref()].concat()
    });
    assert!(sealed == also_sealed, "{} bytes behind {} sealed differ", text.len(), header.len());

    let (unchanged, number_before) = (sealed.clone(), number);
    changes.make(&mut sealed, &mut number);
    let (header, payload) = sealed.split_at(header.len().min(sealed.len()));
    let [ours, theirs] = [&ours, &theirs].map(|key| {
        let mut payload = payload.to_vec();
        match path {
            Some(path) => key.decrypt_in_place_for_path(path, number, header, &mut payload).map(<[u8]>::to_vec),
            None => key.decrypt_in_place(number, header, &mut payload).map(<[u8]>::to_vec),
        }
    });
    assert!(ours == theirs, "{} bytes: {:?} and {:?}", payload.len(), ours.err(), theirs.err());
    if sealed == unchanged && number == number_before {
        assert!(ours.is_ok_and(|opened| opened == *text));
    }
}
