//! A context's key. A key that is set together with an IV is expanded only when its second message, or a second part of
//! its first message, needs that.
//!
//! Many programs set a new key and an IV for each message, and pass the message in one piece. Sealing the message with
//! the bytes of the key then takes less time than expanding the key.

use std::cell::OnceCell;
use std::sync::Arc;

use kasoku_engine::cpu::RunnablePath;
use kasoku_engine::{AesGcm, OneTimeKey, StreamingKey};
use zeroize::Zeroizing;

const MAX_KEY_BYTES: usize = 32;

/// The key of a context, which has no key at first.
pub(crate) struct LateKey {
    path: RunnablePath,
    /// The key, padded with zeros.
    text: Zeroizing<[u8; MAX_KEY_BYTES]>,
    /// Length of the key in bytes; 0 if no key was set.
    bytes: usize,
    /// Number of messages that have begun under this key.
    messages: u64,
    /// The expanded key, which copies of a context share.
    expanded: OnceCell<Arc<AesGcm>>,
}

impl LateKey {
    /// Creates a value without a key.
    pub(crate) fn unset(path: RunnablePath) -> Self {
        let text = Zeroizing::new([0; MAX_KEY_BYTES]);
        Self { path, text, bytes: 0, messages: 0, expanded: OnceCell::new() }
    }

    /// Sets a key of 16, 24 or 32 bytes. Many programs set the same key for every message, so an equal key is kept.
    pub(crate) fn set(&mut self, key: &[u8]) {
        if self.bytes == key.len() && are_equal(key, &self.text[..key.len()]) {
            return;
        }
        self.text[..key.len()].copy_from_slice(key);
        self.bytes = key.len();
        self.messages = 0;
        self.expanded.take();
    }

    /// Copies the key of another context with the same key length.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.text.copy_from_slice(&*other.text);
        self.bytes = other.bytes;
        self.messages = other.messages;
        self.expanded.clone_from(&other.expanded);
    }

    /// Returns the key, or `None` if no key was set.
    pub(crate) fn get(&self) -> Option<&Self> {
        (self.bytes > 0).then_some(self)
    }

    #[cold]
    fn expand(&self) -> &AesGcm {
        self.expanded.get_or_init(|| match AesGcm::for_path(self.path, &self.text[..self.bytes]) {
            Ok(key) => Arc::new(key),
            Err(error) => unreachable!("the context has checked the key's length: {error}"),
        })
    }

    /// Records that a message begins.
    pub(crate) fn begin_message(&mut self) {
        self.messages = self.messages.saturating_add(1);
    }
}

impl StreamingKey for LateKey {
    #[inline(always)]
    fn expanded(&self) -> &AesGcm {
        match self.expanded.get() {
            Some(key) => key,
            None => self.expand(),
        }
    }

    #[inline]
    fn for_one_message(&self) -> Option<OneTimeKey<'_>> {
        if self.messages > 1 || self.expanded.get().is_some() {
            return None;
        }
        OneTimeKey::for_path(self.path, &self.text[..self.bytes]).ok()
    }
}

/// Compares two keys of equal length in constant time.
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other));
    std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_comparison_covers_every_byte() {
        let key = [7; 24];
        assert!(are_equal(&key, &key));
        for place in 0..24 {
            let mut other = key;
            other[place] ^= 1;
            assert!(!are_equal(&key, &other));
        }
    }

    #[test]
    fn key_is_expanded_for_its_second_message_only() {
        let mut key = LateKey::unset(RunnablePath::preferred());
        assert!(key.get().is_none());
        key.set(&[7; 16]);
        key.begin_message();
        assert!(key.for_one_message().is_some());
        key.set(&[7; 16]);
        key.begin_message();
        assert!(key.for_one_message().is_none());
        key.set(&[8; 16]);
        key.begin_message();
        assert!(key.for_one_message().is_some());
        key.expanded();
        assert!(key.for_one_message().is_none());
    }
}
