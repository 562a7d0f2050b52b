//! The keys of a job: a single key, or more keys than the caches hold. Many keys are used in an order that is shuffled
//! before the timing.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Unsupported;

/// Authentication tag; every AEAD workload uses 128 bits.
pub(crate) type Tag = [u8; 16];

/// Expanded keys, each with the tag of the message that `open` jobs decrypt.
pub(crate) trait Keyring {
    type Key;

    fn restart(&mut self);

    /// Returns the key for the next message. For `open` jobs, also the tag of the ciphertext under that key.
    fn next(&mut self) -> (&Self::Key, &Tag);

    /// Computes the tag of the message under each key with `tag`, in order of use.
    fn tags(&mut self, tag: impl FnMut(&Self::Key) -> Result<Tag, Unsupported>) -> Result<(), Unsupported>;

    /// Returns the message's tags under all keys, which prove that each key was expanded correctly. Empty for a single
    /// key, which the message itself verifies.
    fn key_tags(&self) -> Vec<u8>;
}

/// A single key, which every message uses, so it always is in the L1 data cache.
pub(crate) struct SingleKey<K> {
    key: K,
    tag: Tag,
}

impl<K> SingleKey<K> {
    pub(crate) fn new(key: K) -> Self {
        SingleKey { key, tag: [0; 16] }
    }
}

impl<K> Keyring for SingleKey<K> {
    type Key = K;

    fn restart(&mut self) {}

    #[inline]
    fn next(&mut self) -> (&K, &Tag) {
        (&self.key, &self.tag)
    }

    fn tags(&mut self, mut tag: impl FnMut(&K) -> Result<Tag, Unsupported>) -> Result<(), Unsupported> {
        self.tag = tag(&self.key)?;
        Ok(())
    }

    fn key_tags(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Many keys in memory. Their order of use is the same for every library.
pub(crate) struct ManyKeys<K> {
    keys: Vec<K>,
    order: Vec<u32>,
    /// Tags of the message under the keys, in the order in which the keys are used. So the CPU's prefetcher loads each
    /// tag before it is needed.
    tags: Vec<Tag>,
    next: usize,
}

impl<K> ManyKeys<K> {
    /// Expands `count` keys of equal length, concatenated in `bytes`.
    pub(crate) fn new(
        bytes: &[u8],
        count: usize,
        expand: impl Fn(&[u8]) -> Result<K, Unsupported>,
    ) -> Result<Self, Unsupported> {
        if count == 0 || bytes.is_empty() || !bytes.len().is_multiple_of(count) {
            return Err(Unsupported::new(format!("{} bytes are not {count} keys", bytes.len())));
        }
        let keys = bytes.chunks_exact(bytes.len() / count).map(expand).collect::<Result<Vec<K>, _>>()?;
        Ok(ManyKeys { order: shuffled(count as u32), tags: vec![[0; 16]; count], keys, next: 0 })
    }
}

impl<K> Keyring for ManyKeys<K> {
    type Key = K;

    fn restart(&mut self) {
        self.next = 0;
    }

    #[inline]
    fn next(&mut self) -> (&K, &Tag) {
        let now = self.next;
        self.next = if now + 1 == self.order.len() { 0 } else { now + 1 };
        (&self.keys[self.order[now] as usize], &self.tags[now])
    }

    fn tags(&mut self, mut tag: impl FnMut(&K) -> Result<Tag, Unsupported>) -> Result<(), Unsupported> {
        for (place, &key) in self.tags.iter_mut().zip(&self.order) {
            *place = tag(&self.keys[key as usize])?;
        }
        Ok(())
    }

    fn key_tags(&self) -> Vec<u8> {
        self.tags.concat()
    }
}

/// Returns the numbers below `count`, in an order that is equal in every process.
fn shuffled(count: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(0x6b65_7973));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyring_uses_each_key_once_per_pass_in_shuffled_order() {
        let bytes: Vec<u8> = (0..=255).flat_map(|byte| [byte; 16]).collect();
        let mut ring = ManyKeys::new(&bytes, 256, |key| Ok(key.to_vec())).unwrap();
        ring.tags(|key| Ok([key[0]; 16])).unwrap();
        let mut turn = || -> Vec<u8> {
            (0..256)
                .map(|_| {
                    let (key, tag) = ring.next();
                    assert_eq!(key[..], tag[..], "the tag is that of the key");
                    key[0]
                })
                .collect()
        };
        let (first, second) = (turn(), turn());
        assert_eq!(first, second);
        assert_eq!(ring.key_tags(), first.iter().flat_map(|&byte| [byte; 16]).collect::<Vec<_>>());
        let neighbours = first.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
        assert!(neighbours < 10, "{neighbours}");
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..=255).collect::<Vec<u8>>());
    }

    #[test]
    fn keyring_rejects_key_bytes_that_do_not_divide_evenly() {
        for (bytes, count) in [(0, 4), (15, 4), (16, 0)] {
            assert!(ManyKeys::new(&vec![0; bytes], count, |key| Ok(key.to_vec())).is_err(), "{bytes} {count}");
        }
    }
}
