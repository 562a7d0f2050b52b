//! A neighbour on the core's other hardware thread, as simulated libraries have it: busy half of the time, for seconds.

use std::time::{SystemTime, UNIX_EPOCH};

/// For so long it is busy, or is not; each time anew, so that two seconds in a row are what it mostly takes.
const SECONDS: u64 = 1;
/// Messages of up to this many bytes suffer most.
const SHORT: usize = 256;
/// How many times as long work takes beside it, as was measured: short messages, and long ones…
const SHORT_SLOWDOWN: f64 = 1.7;
const LONG_SLOWDOWN: f64 = 1.35;
/// … and additions that do not wait for each other.
const SLOWDOWN_OF_ADDITIONS: f64 = 1.5;

/// How many times as long work on this many bytes takes now: never the same twice, but much the same for seconds.
pub(super) fn slowdown(bytes: usize) -> f64 {
    let now = since_1970();
    let usual = if bytes <= SHORT { SHORT_SLOWDOWN } else { LONG_SLOWDOWN };
    let some = scattered(now.1) as f64 / u64::MAX as f64;
    if is_busy(now.0) { 1.0 + (usual - 1.0) * (0.7 + 0.6 * some) } else { 1.0 }
}

/// The same of additions.
pub(super) fn slowdown_of_additions() -> f64 {
    if is_busy(since_1970().0) { SLOWDOWN_OF_ADDITIONS } else { 1.0 }
}

/// By the clock, which is the same for all workers.
fn is_busy(second: u64) -> bool {
    scattered(second / SECONDS).is_multiple_of(2)
}

/// Seconds, and nanoseconds.
fn since_1970() -> (u64, u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_secs(), now.as_nanos() as u64)
}

/// A number that looks random (SplitMix64).
fn scattered(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_busy_half_of_the_time() {
        let busy = (0..10_000).filter(|&second| is_busy(second)).count();
        assert!((4_800..5_200).contains(&busy), "{busy}");
        let changes = (0..10_000).filter(|&second| is_busy(second) != is_busy(second + 1)).count();
        assert!((4_800..5_200).contains(&changes), "two seconds on end: {changes}");
    }
}
