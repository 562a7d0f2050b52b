//! DER around keys that are given bare, as every version of OpenSSL reads it.

/// A P-256 private key as PKCS #8 (RFC 5958) with the scalar alone (RFC 5915); OpenSSL computes the point.
pub(super) fn p256_private(scalar: &[u8]) -> Vec<u8> {
    let key = sequence(&[&VERSION_1, &element(OCTET_STRING, &[scalar])]);
    sequence(&[&VERSION_0, &sequence(&[&EC_PUBLIC_KEY, &P256]), &element(OCTET_STRING, &[&key])])
}

/// A P-256 public key as SubjectPublicKeyInfo (RFC 5480).
pub(super) fn p256_public(point: &[u8]) -> Vec<u8> {
    sequence(&[&sequence(&[&EC_PUBLIC_KEY, &P256]), &element(BIT_STRING, &[&[0], point])])
}

/// An RSA public key as SubjectPublicKeyInfo around a PKCS #1 `RSAPublicKey` (RFC 8017, appendix A.1.1).
pub(super) fn rsa_public(pkcs1: &[u8]) -> Vec<u8> {
    sequence(&[&sequence(&[&RSA_ENCRYPTION, &NULL]), &element(BIT_STRING, &[&[0], pkcs1])])
}

const OCTET_STRING: u8 = 0x04;
const BIT_STRING: u8 = 0x03;
const SEQUENCE: u8 = 0x30;
const VERSION_0: [u8; 3] = [0x02, 1, 0];
const VERSION_1: [u8; 3] = [0x02, 1, 1];
const NULL: [u8; 2] = [0x05, 0];
/// 1.2.840.10045.2.1
const EC_PUBLIC_KEY: [u8; 9] = [0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
/// 1.2.840.10045.3.1.7
const P256: [u8; 10] = [0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
/// 1.2.840.113549.1.1.1
const RSA_ENCRYPTION: [u8; 11] = [0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    element(SEQUENCE, parts)
}

fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = content.len().to_be_bytes();
    let significant = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    let mut encoded = vec![tag];
    match significant {
        [] => encoded.push(0),
        [short] if *short < 0x80 => encoded.push(*short),
        long => {
            encoded.push(0x80 | long.len() as u8);
            encoded.extend_from_slice(long);
        }
    }
    encoded.extend_from_slice(&content);
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_in_the_short_and_the_long_form() {
        assert_eq!(element(OCTET_STRING, &[]), [4, 0]);
        assert_eq!(element(OCTET_STRING, &[&[7; 127]])[..3], [4, 127, 7]);
        assert_eq!(element(OCTET_STRING, &[&[7; 128]])[..4], [4, 0x81, 128, 7]);
        assert_eq!(element(OCTET_STRING, &[&[7; 256]])[..5], [4, 0x82, 1, 0, 7]);
    }

    #[test]
    fn keys_are_wrapped_as_their_standards_show() {
        use crate::fixtures::to_hexadecimal;
        let public = p256_public(&[4; 65]);
        let start = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";
        assert!(to_hexadecimal(&public).starts_with(start) && public.len() == 91);
        let private = p256_private(&[5; 32]);
        let start = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420";
        assert!(to_hexadecimal(&private).starts_with(start) && private.len() == 67);
        let public = rsa_public(&[6; 270]); // what a modulus of 2048 bits and the usual exponent take
        let start = "30820122300d06092a864886f70d01010105000382010f00";
        assert!(to_hexadecimal(&public).starts_with(start) && public.len() == 294);
    }
}
