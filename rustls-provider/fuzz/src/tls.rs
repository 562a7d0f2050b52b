//! TLS records through rustls's traits.

use rustls::crypto::cipher::{
    InboundOpaqueMessage, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundPlainMessage, Tls12AeadAlgorithm,
    Tls13AeadAlgorithm,
};
use rustls::{ContentType, Error, ProtocolVersion};

use super::changes::Changes;
use super::input::Input;
use super::keys::Source;

/// Length of a record's header in bytes: type, version and length.
const HEADER: usize = 5;
const MAX_TEXT: usize = 1 << 14;

pub(crate) enum Version {
    Tls12,
    Tls13,
}

/// Opened record: type, version and text.
type Opened = Result<(ContentType, ProtocolVersion, Vec<u8>), Error>;

pub(crate) fn records(version: Version, mut input: Input<'_>) {
    let (source, ours, other) = Source::read(&mut input);
    let directions = match version {
        Version::Tls13 => {
            [&ours as &dyn Tls13AeadAlgorithm, source.tls13(other).aead_alg].map(|aead| Direction::tls13(aead, &source))
        }
        Version::Tls12 => {
            let (fixed, explicit) = (input.array(), input.array());
            [&ours as &dyn Tls12AeadAlgorithm, source.tls12(other).aead_alg]
                .map(|aead| Direction::tls12(aead, &source, &fixed, &explicit))
        }
    };
    let content_type = match input.byte() {
        kind @ 0..=127 => ContentType::from(20 + kind % 5),
        kind => ContentType::from(kind),
    };
    let mut number = u64::from_le_bytes(input.array());
    let changes = Changes::read(&mut input);
    let cut = usize::from(input.byte());
    let text = text(input);
    let (first, second) = text.split_at(cut.min(text.len()));

    let mut sealed = Vec::new();
    let [mut ours, mut theirs] = directions;
    for direction in [&mut ours, &mut theirs] {
        let chunks = [first, second];
        let message = OutboundPlainMessage {
            typ: content_type,
            version: ProtocolVersion::TLSv1_2,
            payload: OutboundChunks::new(&chunks),
        };
        let expected_bytes = HEADER + direction.sealer.encrypted_payload_len(text.len());
        let record = direction.sealer.encrypt(message, number).unwrap().encode();
        assert_eq!(record.len(), expected_bytes);
        sealed.push(record);
    }
    assert!(sealed[0] == sealed[1], "{other:?}: {} bytes sealed differ", text.len());

    let (mut record, number_before) = (sealed.swap_remove(0), number);
    let unchanged = record.clone();
    changes.make(&mut record, &mut number);
    // rustls splits the stream by the length in the header, and never passes half a header.
    let Some((&header, payload)) = record.split_first_chunk::<HEADER>() else { return };
    let [ours, theirs] = [&mut ours, &mut theirs].map(|direction| direction.open(header, payload, number));
    assert!(ours == theirs, "{other:?}: {} bytes: {:?} and {:?}", record.len(), ours.err(), theirs.err());
    if record == unchanged && number == number_before {
        match ours {
            Ok((_, _, opened)) => assert!(opened.len() <= MAX_TEXT && text.starts_with(&opened)),
            Err(error) => assert_ne!(error, Error::DecryptError),
        }
    }
}

/// Returns a text, often of about the maximum length of a record, sometimes longer.
fn text(mut input: Input<'_>) -> Vec<u8> {
    let choice = input.byte();
    let text = input.text();
    if choice >= 32 || text.is_empty() {
        return text.into_owned();
    }
    text.iter().copied().cycle().take(MAX_TEXT - 2 + usize::from(choice % 5)).collect()
}

/// One direction of a connection with one provider.
struct Direction {
    sealer: Box<dyn MessageEncrypter>,
    opener: Box<dyn MessageDecrypter>,
}

impl Direction {
    fn tls13(aead: &dyn Tls13AeadAlgorithm, source: &Source) -> Self {
        let [(sealing, sealing_iv), (opening, opening_iv)] = [source.key_and_iv(), source.key_and_iv()];
        Self { sealer: aead.encrypter(sealing, sealing_iv), opener: aead.decrypter(opening, opening_iv) }
    }

    fn tls12(aead: &dyn Tls12AeadAlgorithm, source: &Source, fixed: &[u8; 4], explicit: &[u8; 8]) -> Self {
        let shape = aead.key_block_shape();
        assert_eq!((shape.fixed_iv_len, shape.explicit_nonce_len), (fixed.len(), explicit.len()));
        Self { sealer: aead.encrypter(source.key(), fixed, explicit), opener: aead.decrypter(source.key(), fixed) }
    }

    fn open(&mut self, header: [u8; HEADER], payload: &[u8], number: u64) -> Opened {
        let [content_type, major, minor, ..] = header;
        let version = ProtocolVersion::from(u16::from_be_bytes([major, minor]));
        let mut payload = payload.to_vec();
        let message = InboundOpaqueMessage::new(ContentType::from(content_type), version, &mut payload);
        let opened = self.opener.decrypt(message, number)?;
        Ok((opened.typ, opened.version, opened.payload.to_vec()))
    }
}
