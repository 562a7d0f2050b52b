//! Generates the secrets (keys and plaintexts) whose traces are compared.

/// Number of different secrets with which each call is executed: enough that a branch on any bit of a secret almost
/// certainly goes both ways.
pub const COUNT: usize = 16;

/// Fills `bytes` with the secret number `number`: all zeros for 0, all ones for 1, otherwise pseudorandom bytes.
/// Callers pass a different `purpose` for each buffer, so that the buffers have different bytes.
pub fn fill(bytes: &mut [u8], number: usize, purpose: u64) {
    match number {
        0 => bytes.fill(0),
        1 => bytes.fill(0xFF),
        _ => fill_mixed(bytes, purpose << 32 | number as u64),
    }
}

/// Fills `bytes` with pseudorandom bytes by SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
fn fill_mixed(bytes: &mut [u8], seed: u64) {
    let mut state = seed;
    for piece in bytes.chunks_mut(8) {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        piece.copy_from_slice(&mixed.to_le_bytes()[..piece.len()]);
    }
}
