//! The keys a job works under: one, or so many that the caches do not hold them, used in an order shuffled ahead.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Unsupported;

/// The tag of every AEAD workload.
pub(crate) type Tag = [u8; 16];

/// Expanded keys, each with the tag of the one message that is opened.
pub(crate) trait Keyring {
    /// An expanded key.
    type Key;

    /// Goes back to the first.
    fn restart(&mut self);

    /// The next message's key and, once they are known, the tag that its ciphertext has under it.
    fn next(&mut self) -> (&Self::Key, &Tag);

    /// Finds the tag of the message for each key, in the order of their use, by `tag`.
    fn tags(&mut self, tag: impl FnMut(&Self::Key) -> Result<Tag, Unsupported>) -> Result<(), Unsupported>;

    /// What shows that every key was expanded rightly, beyond what the message itself shows.
    fn witness(&self) -> Vec<u8>;
}

/// One key, always in the nearest cache.
pub(crate) struct One<K> {
    key: K,
    tag: Tag,
}

impl<K> One<K> {
    /// This key.
    pub(crate) fn new(key: K) -> Self {
        One { key, tag: [0; 16] }
    }
}

impl<K> Keyring for One<K> {
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

    fn witness(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Many keys in memory. Their order is the same for every library.
pub(crate) struct Many<K> {
    keys: Vec<K>,
    order: Vec<u32>,
    /// By the order of use, so that reading one is never what is waited for.
    tags: Vec<Tag>,
    next: usize,
}

impl<K> Many<K> {
    /// The keys in `bytes`, one behind the other, each made by `expand`.
    pub(crate) fn new(
        bytes: &[u8],
        count: usize,
        expand: impl Fn(&[u8]) -> Result<K, Unsupported>,
    ) -> Result<Self, Unsupported> {
        if count == 0 || bytes.is_empty() || !bytes.len().is_multiple_of(count) {
            return Err(Unsupported::new(format!("{} bytes are not {count} keys", bytes.len())));
        }
        let keys = bytes.chunks_exact(bytes.len() / count).map(expand).collect::<Result<Vec<K>, _>>()?;
        Ok(Many { order: shuffled(count as u32), tags: vec![[0; 16]; count], keys, next: 0 })
    }
}

impl<K> Keyring for Many<K> {
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

    fn witness(&self) -> Vec<u8> {
        self.tags.concat()
    }
}

/// Shuffled in the same way in every process.
fn shuffled(count: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count).collect();
    order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(0x6b65_7973));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_used_once_before_any_is_used_again_and_not_in_line() {
        let bytes: Vec<u8> = (0..=255).flat_map(|byte| [byte; 16]).collect();
        let mut ring = Many::new(&bytes, 256, |key| Ok(key.to_vec())).unwrap();
        ring.tags(|key| Ok([key[0]; 16])).unwrap();
        let mut turn = || -> Vec<u8> {
            (0..256)
                .map(|_| {
                    let (key, tag) = ring.next();
                    assert_eq!(key[..], tag[..], "a tag stands beside its key");
                    key[0]
                })
                .collect()
        };
        let (first, second) = (turn(), turn());
        assert_eq!(first, second);
        assert_eq!(ring.witness(), first.iter().flat_map(|&byte| [byte; 16]).collect::<Vec<_>>());
        let neighbours = first.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
        assert!(neighbours < 10, "{neighbours}");
        let mut sorted = first;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..=255).collect::<Vec<u8>>());
    }

    #[test]
    fn bytes_that_are_not_so_many_keys_are_refused() {
        for (bytes, count) in [(0, 4), (15, 4), (16, 0)] {
            assert!(Many::new(&vec![0; bytes], count, |key| Ok(key.to_vec())).is_err(), "{bytes} {count}");
        }
    }
}
