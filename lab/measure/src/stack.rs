//! Where on the stack the timed code runs.

/// What ABIs align a stack to, and so how far apart the places are.
const STEP: usize = 16;
/// How many places there are before they come round again: two cache lines of them.
const PLACES: usize = 8;

/// Calls `work` with its stack moved down by `place` steps of 16 bytes, modulo eight.
///
/// The kernel puts the stack of a process anywhere, in such steps. A library that keeps vectors there is some percent
/// slower where they cross cache lines: as much as two libraries differ by, and a property of neither. (RustCrypto's
/// AES-128-GCM on Zen 4: 4 to 5 % between starts of the same program; with the fastest of eight places, below 1 %.)
pub(crate) fn at<T>(place: usize, work: &mut dyn FnMut() -> T) -> T {
    match place % PLACES {
        0 => below::<STEP, T>(work),
        1 => below::<{ 2 * STEP }, T>(work),
        2 => below::<{ 3 * STEP }, T>(work),
        3 => below::<{ 4 * STEP }, T>(work),
        4 => below::<{ 5 * STEP }, T>(work),
        5 => below::<{ 6 * STEP }, T>(work),
        6 => below::<{ 7 * STEP }, T>(work),
        _ => below::<{ 8 * STEP }, T>(work),
    }
}

#[inline(never)]
fn below<const BYTES: usize, T>(work: &mut dyn FnMut() -> T) -> T {
    let mut room = [0u8; BYTES];
    std::hint::black_box(&mut room);
    let outcome = work();
    // Looked at once more, so that the call above is no jump from a stack that was given back.
    std::hint::black_box(&mut room);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[inline(never)]
    fn place_of_a_local() -> usize {
        let local = 0u8;
        std::ptr::from_ref(std::hint::black_box(&local)).addr()
    }

    #[test]
    fn eight_calls_go_through_all_places_in_two_cache_lines() {
        let places: BTreeSet<usize> =
            (0..PLACES).map(|place| at(place, &mut place_of_a_local) / STEP % PLACES).collect();
        assert_eq!(places.len(), PLACES, "{places:?}");
        assert_eq!(at(3, &mut place_of_a_local), at(3 + PLACES, &mut place_of_a_local));
    }
}
