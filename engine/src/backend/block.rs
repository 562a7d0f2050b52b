//! Blocks of 128 bits, and GCM's operations on single blocks.

/// A block of 16 bytes: an AES block, a counter block or a GHASH value.
pub(crate) type Block = [u8; 16];

/// Returns the block with the lengths of AAD and data in bits (SP 800-38D §7.1, step 5).
pub(crate) fn lengths(aad_bytes: u64, data_bytes: u64) -> Block {
    let mut block = [0; 16];
    block[..8].copy_from_slice(&(aad_bytes * 8).to_be_bytes());
    block[8..].copy_from_slice(&(data_bytes * 8).to_be_bytes());
    block
}

pub(crate) fn add(sum: &mut Block, other: &Block) {
    *sum = (u128::from_ne_bytes(*sum) ^ u128::from_ne_bytes(*other)).to_ne_bytes();
}

/// Increments the last 32 bits of a counter block, modulo 2^32 (SP 800-38D §6.2).
pub(crate) fn count(counter: &mut Block) {
    let [.., a, b, c, d] = *counter;
    let next = u32::from_be_bytes([a, b, c, d]).wrapping_add(1);
    counter[12..].copy_from_slice(&next.to_be_bytes());
}
