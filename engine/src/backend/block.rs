//! Blocks of 128 bits, and what GCM does with single ones.

/// Bytes of an AES block, of a counter block, of a hash.
pub(crate) type Block = [u8; 16];

/// The block of both lengths in bits (SP 800-38D §7.1, step 5).
pub(crate) fn lengths(aad_bytes: u64, data_bytes: u64) -> Block {
    let mut block = [0; 16];
    block[..8].copy_from_slice(&(aad_bytes * 8).to_be_bytes());
    block[8..].copy_from_slice(&(data_bytes * 8).to_be_bytes());
    block
}

/// Adds two elements of the field.
pub(crate) fn add(sum: &mut Block, other: &Block) {
    *sum = (u128::from_ne_bytes(*sum) ^ u128::from_ne_bytes(*other)).to_ne_bytes();
}

/// The next counter block: the last 32 bits count, and wrap, alone (SP 800-38D §6.2).
pub(crate) fn count(counter: &mut Block) {
    let [.., a, b, c, d] = *counter;
    let next = u32::from_be_bytes([a, b, c, d]).wrapping_add(1);
    counter[12..].copy_from_slice(&next.to_be_bytes());
}
