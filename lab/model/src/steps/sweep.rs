//! Chooses the message sizes of a sweep. They are dense where code paths change and at powers of two, and otherwise
//! evenly spaced on a logarithmic scale.

/// Maximum number of algorithms that a run sweeps. With more, slices are too short to locate a step.
pub const MAX_ALGORITHMS: usize = 8;
/// Minimum distance between two sizes in bytes: one AES block.
pub const APART: usize = 16;
/// Size in bytes up to which a sweep measures every multiple of an AES block.
const CLOSE: usize = 512;
const MAX_SIZE: usize = 64 << 10;
/// Number of sizes between two consecutive powers of two.
const BETWEEN: u32 = 3;

pub fn sizes() -> Vec<usize> {
    let mut sizes: Vec<usize> = (APART..=CLOSE).step_by(APART).collect();
    let mut power = CLOSE;
    while power <= MAX_SIZE {
        sizes.extend([power - APART, power, power + APART]);
        if power < MAX_SIZE {
            let between = |step| (power as f64 * 2f64.powf(f64::from(step) / f64::from(BETWEEN + 1))) as usize;
            sizes.extend((1..=BETWEEN).map(|step| between(step).next_multiple_of(APART)));
        }
        power *= 2;
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweep_has_all_small_blocks_and_neighbours_of_powers_of_two() {
        let sizes = sizes();
        assert_eq!(sizes[..3], [16, 32, 48]);
        assert!([112, 128, 144, 496, 512, 528, 1008, 1024, 1040, 65_520, 65_536].iter().all(|s| sizes.contains(s)));
        assert_eq!((sizes.len(), sizes.last()), (75, Some(&65_552)));
        assert!(sizes.is_sorted() && sizes.iter().all(|size| size % APART == 0));
    }
}
