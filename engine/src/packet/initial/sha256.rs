//! SHA-256 (FIPS 180-4) and HMAC (RFC 2104) in plain code. They are used only to derive Initial keys, which are public
//! and take a few blocks for each connection.

pub(super) type Hash = [u8; 32];

const BLOCK_BYTES: usize = 64;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4 §4.2.2).
const ROUND_CONSTANTS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4 §5.3.3).
const FIRST_STATE: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Computes HMAC-SHA-256 of the concatenated `parts`. `key` is at most one block long.
pub(super) fn hmac(key: &[u8], parts: &[&[u8]]) -> Hash {
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK_BYTES];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let mut inner = Sha256::new();
    inner.absorb(&padded(0x36));
    parts.iter().for_each(|part| inner.absorb(part));
    let mut outer = Sha256::new();
    outer.absorb(&padded(0x5C));
    outer.absorb(&inner.finish());
    outer.finish()
}

struct Sha256 {
    state: [u32; 8],
    block: [u8; BLOCK_BYTES],
    bytes: u64,
}

impl Sha256 {
    const fn new() -> Self {
        Self { state: FIRST_STATE, block: [0; BLOCK_BYTES], bytes: 0 }
    }

    fn absorb(&mut self, data: &[u8]) {
        for &byte in data {
            let place = (self.bytes % BLOCK_BYTES as u64) as usize;
            self.block[place] = byte;
            self.bytes += 1;
            if place == BLOCK_BYTES - 1 {
                compress(&mut self.state, &self.block);
            }
        }
    }

    fn finish(mut self) -> Hash {
        let bits = 8 * self.bytes;
        self.absorb(&[0x80]);
        while self.bytes % BLOCK_BYTES as u64 != BLOCK_BYTES as u64 - 8 {
            self.absorb(&[0]);
        }
        self.absorb(&bits.to_be_bytes());
        let mut hash = [0; 32];
        for (bytes, word) in hash.as_chunks_mut::<4>().0.iter_mut().zip(self.state) {
            *bytes = word.to_be_bytes();
        }
        hash
    }
}

/// Compresses one block into `state` (FIPS 180-4 §6.2.2).
fn compress(state: &mut [u32; 8], block: &[u8; BLOCK_BYTES]) {
    let mut schedule = [0_u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for index in 16..64 {
        let (near, far) = (schedule[index - 2], schedule[index - 15]);
        let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
        let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
        schedule[index] = schedule[index - 16].wrapping_add(far).wrapping_add(schedule[index - 7]).wrapping_add(near);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in schedule.into_iter().zip(ROUND_CONSTANTS) {
        let choice = (e & f) ^ (!e & g);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let sum_of_e = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let sum_of_a = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let first = h.wrapping_add(sum_of_e).wrapping_add(choice).wrapping_add(constant).wrapping_add(word);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(sum_of_a).wrapping_add(majority));
    }
    for (word, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha256(data: &[u8]) -> Hash {
        let mut sha256 = Sha256::new();
        sha256.absorb(data);
        sha256.finish()
    }

    fn hex(hash: Hash) -> String {
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Tests the examples of FIPS 180-2, appendix B.
    #[test]
    fn sha256_matches_published_examples() {
        assert_eq!(hex(sha256(b"abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            hex(sha256(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        assert_eq!(hex(sha256(b"")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    /// Tests RFC 4231, test cases 1 and 2.
    #[test]
    fn hmac_sha256_matches_rfc_4231() {
        assert_eq!(
            hex(hmac(&[0x0b; 20], &[b"Hi", b" There"])),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hex(hmac(b"Jefe", &[b"what do ya want ", b"for nothing?"])),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
