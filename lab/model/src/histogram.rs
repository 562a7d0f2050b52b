//! Histogram of times, in buckets that become wider for longer times.
//!
//! Histograms of several processes can be merged, and give every quantile to within 1/64. The quantiles of several
//! processes cannot be added or averaged.

use serde::{Deserialize, Serialize};

/// Number of bits that divide each power of two into `1 << BITS` buckets. A bucket's width is at most 1/64 of its
/// times.
const BITS: u32 = 6;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Index and count of each non-empty bucket, by ascending index.
    buckets: Vec<(u32, u64)>,
    /// Longest time in nanoseconds, exactly and not by bucket.
    longest: u64,
}

impl Histogram {
    pub fn add(&mut self, ns: u64) {
        self.longest = self.longest.max(ns);
        self.count_in(bucket_of(ns), 1);
    }

    pub fn merge(&mut self, other: &Histogram) {
        self.longest = self.longest.max(other.longest);
        for &(bucket, count) in &other.buckets {
            self.count_in(bucket, count);
        }
    }

    pub fn count(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Returns the longest time in seconds; `None` if the histogram is empty.
    pub fn longest_s(&self) -> Option<f64> {
        (!self.buckets.is_empty()).then_some(self.longest as f64 * 1e-9)
    }

    /// Returns the `fraction` quantile in seconds, to within a bucket; `None` if the histogram is empty.
    pub fn quantile_s(&self, fraction: f64) -> Option<f64> {
        let rank = (fraction.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let bucket = self.buckets.iter().find(|(_, count)| {
            seen += count;
            seen >= rank
        })?;
        Some(end_of(bucket.0).min(self.longest) as f64 * 1e-9)
    }

    /// Whether the histogram is consistent. A histogram that another host sent may not be.
    pub fn is_sound(&self) -> bool {
        let are_rising = self.buckets.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let are_counted = self.buckets.iter().all(|(_, count)| *count > 0 && *count <= u64::MAX >> 16);
        let longest = self.buckets.last().map(|(bucket, _)| *bucket);
        are_rising && are_counted && longest.is_none_or(|bucket| bucket == bucket_of(self.longest))
    }

    fn count_in(&mut self, bucket: u32, count: u64) {
        match self.buckets.binary_search_by_key(&bucket, |(number, _)| *number) {
            Ok(index) => self.buckets[index].1 = self.buckets[index].1.saturating_add(count),
            Err(index) => self.buckets.insert(index, (bucket, count)),
        }
    }
}

/// Returns the index of the bucket for a time, which depends on the seven most significant bits of the time. Each time
/// below 2⁶ has a bucket of its own.
fn bucket_of(ns: u64) -> u32 {
    let bits = u64::BITS - ns.leading_zeros();
    let shift = bits.saturating_sub(BITS + 1);
    (shift << BITS) + (ns >> shift) as u32
}

fn end_of(bucket: u32) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let first = u64::from(bucket) - (u64::from(shift) << BITS);
    first.checked_shl(shift).unwrap_or(u64::MAX).saturating_add((1u64 << shift.min(63)) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn histogram_buckets_are_at_most_a_64th_wide(ns in 0..u64::MAX / 4) {
            let end = end_of(bucket_of(ns));
            prop_assert!(end >= ns && (end - ns) as f64 <= ns as f64 / 64.0, "{ns} in {end}");
            prop_assert_eq!(bucket_of(end), bucket_of(ns));
            prop_assert_eq!(bucket_of(end + 1), bucket_of(ns) + 1);
        }

        #[test]
        fn merged_histograms_give_quantiles_of_all_times(mut one in prop::collection::vec(1u64..10_000_000_000, 1..200),
                                            other in prop::collection::vec(1u64..10_000_000_000, 0..200),
                                            fraction in 0.01f64..1.0) {
            let histogram_of = |times: &[u64]| {
                let mut histogram = Histogram::default();
                times.iter().for_each(|&ns| histogram.add(ns));
                histogram
            };
            let mut merged = histogram_of(&one);
            merged.merge(&histogram_of(&other));
            one.extend(other);
            prop_assert_eq!(&merged, &histogram_of(&one));
            one.sort_unstable();
            let rank = ((fraction * one.len() as f64).ceil() as usize).clamp(1, one.len());
            let exact = one[rank - 1] as f64 * 1e-9;
            let told = merged.quantile_s(fraction).unwrap();
            prop_assert!(told >= exact * 0.999_999 && told <= exact * (1.0 + 1.0 / 64.0) + 1e-9, "{told} for {exact}");
            prop_assert_eq!(merged.longest_s().unwrap(), *one.last().unwrap() as f64 * 1e-9);
        }
    }

    #[test]
    fn is_sound_rejects_inconsistent_histograms() {
        let mut histogram = Histogram::default();
        assert!(histogram.is_sound());
        assert_eq!((histogram.quantile_s(0.5), histogram.longest_s()), (None, None));
        [5, 5, 7_000, 1 << 40, u64::MAX].iter().for_each(|&ns| histogram.add(ns));
        assert!(histogram.is_sound());
        for text in [
            r#"{"buckets":[[5,1],[4,1]],"longest":4}"#,
            r#"{"buckets":[[5,0]],"longest":5}"#,
            r#"{"buckets":[[5,1]],"longest":900}"#,
            r#"{"buckets":[[4294967295,1]],"longest":5}"#,
            r#"{"buckets":[[5,18446744073709551615]],"longest":5}"#,
        ] {
            assert!(!serde_json::from_str::<Histogram>(text).unwrap().is_sound(), "{text}");
        }
    }
}
