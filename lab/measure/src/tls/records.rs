//! Computes and counts the bytes on the wire of a file.
//!
//! The server fills its records completely, so their number is fixed. Counting the bytes therefore shows whether all
//! records arrived.

use kasoku_model::algorithm::CipherSuite;

/// Maximum bytes of plaintext in a record (RFC 8446 §5.1), which is also the size of the server's buffer for it.
pub const FULL_RECORD: u64 = 16_384;
/// Bytes of an alert: level and description (RFC 8446 §6).
const ALERT_BYTES: u64 = 2;

/// Returns the bytes that the server sends after the handshake for an answer of `answer` bytes, HTTP header included.
/// These bytes are full records, a record with the remaining bytes, and the closing alert.
pub fn wire_bytes(suite: CipherSuite, answer: u64) -> u64 {
    let (full, rest) = (answer / FULL_RECORD, answer % FULL_RECORD);
    let rest = if rest > 0 { suite.record_bytes(rest) } else { 0 };
    full * suite.record_bytes(FULL_RECORD) + rest + suite.record_bytes(ALERT_BYTES)
}

/// Counts TLS records in a stream of bytes without decrypting them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordCounter {
    pub bytes: u64,
    /// First bytes of a record header that is not complete yet.
    header: Vec<u8>,
    /// Number of bytes until the next record header.
    left: u64,
}

impl RecordCounter {
    /// Counts the records in the next bytes of the stream. Fails if the bytes are not TLS records.
    pub fn count(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        self.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let inside = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
            self.left -= inside as u64;
            bytes = &bytes[inside..];
            let wanted = (5 - self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..wanted]);
            bytes = &bytes[wanted..];
            if let &[kind, 3, _, high, low] = &self.header[..] {
                let length = u64::from(u16::from_be_bytes([high, low]));
                // The limit of TLS 1.2 (RFC 5246 §6.2.3), which is above that of TLS 1.3.
                if !(20..=23).contains(&kind) || length > FULL_RECORD + 2048 {
                    return Err(format!("a record of kind {kind} with {length} bytes"));
                }
                self.left = length;
                self.header.clear();
            } else if self.header.len() == 5 {
                return Err(format!("not a TLS record: {:02x?}", self.header));
            }
        }
        Ok(())
    }

    pub fn is_at_boundary(&self) -> bool {
        self.left == 0 && self.header.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::algorithm::Algorithm;

    #[test]
    fn wire_bytes_agree_with_nginx_and_the_standards() {
        // Observed with nginx 1.22 and OpenSSL 3.0: a response of 1 MiB + 245 bytes, then close_notify.
        let answer = 245 + (1 << 20);
        for (suite, bytes) in [
            (CipherSuite::Aes128GcmSha256, answer + 65 * 29 + 31),
            (CipherSuite::Aes128Sha, 64 * (5 + 16 + 16_416) + (5 + 16 + 272) + (5 + 16 + 32)),
            (CipherSuite::Tls13Aes256Gcm, answer + 65 * 22 + 24),
        ] {
            assert_eq!(wire_bytes(suite, answer), bytes, "{suite:?}");
        }
        assert_eq!(wire_bytes(CipherSuite::Tls13Aes128Gcm, FULL_RECORD), FULL_RECORD + 22 + 24);
    }

    #[test]
    fn record_counter_agrees_with_wire_bytes_for_any_chunk_size() {
        for &algorithm in Algorithm::CIPHER_SUITES {
            let suite = CipherSuite::of(algorithm).unwrap();
            let mut stream = Vec::new();
            for (text, kind) in [(FULL_RECORD, 23), (1000, 23), (ALERT_BYTES, 21)] {
                let length = suite.record_bytes(text) - 5;
                stream.extend([kind, 3, 3]);
                stream.extend((length as u16).to_be_bytes());
                stream.resize(stream.len() + length as usize, 0xff);
            }
            for step in [1, 3, 4, 5, 6, 16_000, stream.len()] {
                let mut counter = RecordCounter::default();
                stream.chunks(step).for_each(|piece| counter.count(piece).unwrap());
                assert!(counter.is_at_boundary());
                assert_eq!(counter.bytes, wire_bytes(suite, FULL_RECORD + 1000));
                counter.count(&[23, 3]).unwrap();
                assert!(!counter.is_at_boundary());
            }
        }
    }

    #[test]
    fn record_counter_rejects_data_that_is_no_tls_record() {
        assert!(RecordCounter::default().count(b"HTTP/1.1 200").unwrap_err().contains("not a TLS record"));
        assert!(RecordCounter::default().count(&[23, 3, 3, 255, 255]).is_err());
    }
}
