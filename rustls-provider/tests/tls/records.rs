//! Single TLS records through rustls's traits: records that no honest peer sends, and faults that no peer would notice.

use std::collections::HashSet;

use kasoku_rustls::AesGcm;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundPlainMessage,
    Tls12AeadAlgorithm, Tls13AeadAlgorithm,
};
use rustls::{ContentType, Error, PeerMisbehaved, ProtocolVersion};

use crate::pair::text;

const HEADER: usize = 5;
const MAX_TEXT: usize = 1 << 14;

/// One direction of a connection of one version, under a public key.
struct Direction {
    sealer: Box<dyn MessageEncrypter>,
    opener: Box<dyn MessageDecrypter>,
    /// Number of nonce bytes that a record carries.
    explicit: usize,
}

fn directions() -> Vec<Direction> {
    let key = || AeadKey::from([7; 32]);
    let tls13 = |aead: AesGcm| Direction {
        sealer: Tls13AeadAlgorithm::encrypter(&aead, key(), Iv::new([9; 12])),
        opener: Tls13AeadAlgorithm::decrypter(&aead, key(), Iv::new([9; 12])),
        explicit: 0,
    };
    let tls12 = |aead: AesGcm| Direction {
        sealer: Tls12AeadAlgorithm::encrypter(&aead, key(), &[9; 4], &[5; 8]),
        opener: Tls12AeadAlgorithm::decrypter(&aead, key(), &[9; 4]),
        explicit: 8,
    };
    [AesGcm::AES_128, AesGcm::AES_256].into_iter().flat_map(|aead| [tls13(aead), tls12(aead)]).collect()
}

impl Direction {
    fn seal(&mut self, content_type: ContentType, text: &[u8], number: u64) -> Vec<u8> {
        let message = OutboundPlainMessage {
            typ: content_type,
            version: ProtocolVersion::TLSv1_2,
            payload: OutboundChunks::Single(text),
        };
        self.sealer.encrypt(message, number).unwrap().encode()
    }

    fn open(&mut self, record: &[u8], number: u64) -> Result<Vec<u8>, Error> {
        let mut payload = record[HEADER..].to_vec();
        let message = InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, &mut payload);
        self.opener.decrypt(message, number).map(|message| message.payload.to_vec())
    }
}

/// A repeated nonce allows forgeries, but every peer would open both records.
#[test]
fn tls_records_never_repeat_a_nonce() {
    for mut direction in directions() {
        let mut seen = HashSet::new();
        let numbers = (0..2000).chain((11..64).map(|bit| 1 << bit)).chain([u64::MAX]);
        let mut count = 0;
        for number in numbers {
            let record = direction.seal(ContentType::ApplicationData, &[0; 64], number);
            // The text is constant, so equal nonces would give equal bytes.
            seen.insert(record[HEADER + direction.explicit..][..64].to_vec());
            count += 1;
        }
        assert_eq!(seen.len(), count, "explicit: {}", direction.explicit);
    }
}

#[test]
fn tls_record_opens_only_with_its_own_sequence_number() {
    for mut direction in directions() {
        let record = direction.seal(ContentType::ApplicationData, b"a record", 5);
        assert_eq!(direction.open(&record, 5).as_deref(), Ok(&b"a record"[..]));
        for other in [0, 4, 6, 5 | 1 << 32, 5 | 1 << 63] {
            assert_eq!(direction.open(&record, other), Err(Error::DecryptError), "{other}");
        }
    }
}

/// Seals a plaintext that is longer than a record may have (RFC 8446 §5.1, RFC 5246 §6.2.1).
#[test]
fn tls_record_with_too_long_plaintext_is_rejected() {
    for mut direction in directions() {
        let longest = text(MAX_TEXT);
        let record = direction.seal(ContentType::ApplicationData, &longest, 1);
        assert!(direction.open(&record, 1) == Ok(longest));
        let record = direction.seal(ContentType::ApplicationData, &text(MAX_TEXT + 1), 2);
        assert_eq!(direction.open(&record, 2), Err(Error::PeerSentOversizedRecord), "{}", direction.explicit);
    }
}

/// TLS 1.3 allows only zeros after the type (RFC 8446 §5.4).
#[test]
fn tls13_record_padding_is_removed() {
    for mut direction in directions().into_iter().filter(|direction| direction.explicit == 0) {
        let no_type = ContentType::Unknown(0);
        let record = direction.seal(no_type, b"text\x17\0\0\0", 1);
        assert_eq!(direction.open(&record, 1).as_deref(), Ok(&b"text"[..]));
        let record = direction.seal(no_type, &[0; 40], 2);
        let misbehaved = Error::PeerMisbehaved(PeerMisbehaved::IllegalTlsInnerPlaintext);
        assert_eq!(direction.open(&record, 2), Err(misbehaved));
    }
}
