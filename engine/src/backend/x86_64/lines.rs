//! Where the data of a message lies in vectors.
//!
//! Place 0 of a message with a 96-bit nonce belongs to the counter 0, which GCM leaves unused, place 1 to J0, whose
//! encryption masks the tag, and the data begins at place 2, so that counters and places agree. In the hash these two
//! places have the lengths and the last block of the AAD.

use core::hint::select_unpredictable;

use super::schedule::Schedule;

/// Data that is read and written in vectors; with a header, two places without data come first.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    input: *const u8,
    output: *mut u8,
    bytes: usize,
}

/// Bytes of the two places before the data.
pub(super) const HEADER_BYTES: usize = 32;

impl Lines {
    /// `bytes` bytes of data.
    ///
    /// # Safety
    /// As many bytes can be read at `input` and written at `output`, which are the same place or do not overlap.
    #[inline(always)]
    pub(super) unsafe fn new(input: *const u8, output: *mut u8, bytes: usize) -> Self {
        Self { input, output, bytes }
    }

    /// Where the data is read, and where it is written.
    #[inline(always)]
    pub(super) fn pointers(&self) -> (*const u8, *mut u8) {
        (self.input, self.output)
    }

    /// Bytes of data.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first `bytes` bytes.
    #[inline(always)]
    pub(super) fn first(self, bytes: usize) -> Self {
        debug_assert!(bytes <= self.bytes);
        Self { bytes, ..self }
    }

    /// What follows the first `bytes` bytes.
    #[inline(always)]
    pub(super) fn after(self, bytes: usize) -> Self {
        debug_assert!(bytes <= self.bytes);
        Self {
            input: self.input.wrapping_add(bytes),
            output: self.output.wrapping_add(bytes),
            bytes: self.bytes - bytes,
        }
    }

    /// The same, if it `is_elsewhere` read at `input`, or if that is NULL where it is written.
    #[inline(always)]
    pub(super) fn read_from(self, input: *const u8, is_elsewhere: bool) -> Self {
        let there = select_unpredictable(input.is_null(), self.output.cast_const(), input);
        Self { input: select_unpredictable(is_elsewhere, there, self.input), ..self }
    }

    /// Vector `index` as far as the data goes, without places before the data; zeros behind its end.
    #[inline(always)]
    pub(super) fn load_any<V: Schedule>(&self, proof: V::Proof, index: usize) -> V {
        let bytes = self.bytes.saturating_sub(index * V::BYTES).min(V::BYTES);
        if bytes == 0 {
            return V::zero(proof); // behind the data there may be no page, which a load of nothing would look for
        }
        // SAFETY: only what there is.
        unsafe { V::load_part(proof, self.input.wrapping_add(index * V::BYTES), bytes) }
    }

    /// Writes vector `index` as far as the data goes.
    #[inline(always)]
    pub(super) fn store_any<V: Schedule>(&self, vector: V, index: usize) {
        let bytes = self.bytes.saturating_sub(index * V::BYTES).min(V::BYTES);
        if bytes > 0 {
            // SAFETY: only what there is.
            unsafe { vector.store_part(self.output.wrapping_add(index * V::BYTES), bytes) }
        }
    }

    /// Vector `index`, which is whole unless `is_last`; data only.
    ///
    /// # Safety
    /// The data ends in this vector if `is_last`, behind it otherwise.
    #[inline(always)]
    pub(super) unsafe fn load<V: Schedule, const HEADER: bool>(
        &self,
        proof: V::Proof,
        index: usize,
        is_last: bool,
    ) -> V {
        let end = (index + 1) * V::BYTES;
        let start = index * V::BYTES;
        let header = if HEADER { HEADER_BYTES } else { 0 };
        // SAFETY: the caller's: what is read is data.
        unsafe {
            if end <= header {
                return V::zero(proof);
            }
            if start < header {
                let bytes = if is_last { self.bytes } else { end - header };
                return V::load_behind_two(proof, self.input, bytes);
            }
            let from = self.input.wrapping_add(start - header);
            if is_last { V::load_part(proof, from, self.bytes - (start - header)) } else { V::load(proof, from) }
        }
    }

    /// Pair `index` of vectors, without places before the data.
    ///
    /// # Safety
    /// The data does not end in it.
    #[inline(always)]
    pub(super) unsafe fn load_pair<V: Schedule>(&self, proof: V::Proof, index: usize) -> [V; 2] {
        let from = self.input.wrapping_add(2 * index * V::BYTES);
        // SAFETY: the caller's.
        unsafe { [V::load(proof, from), V::load(proof, from.wrapping_add(V::BYTES))] }
    }

    /// Writes vector `index`, as it was loaded.
    ///
    /// # Safety
    /// As in [`load`](Self::load).
    #[inline(always)]
    pub(super) unsafe fn store<V: Schedule, const HEADER: bool>(&self, vector: V, index: usize, is_last: bool) {
        let end = (index + 1) * V::BYTES;
        let start = index * V::BYTES;
        let header = if HEADER { HEADER_BYTES } else { 0 };
        // SAFETY: the caller's: what is written is data.
        unsafe {
            if end <= header {
                return;
            }
            if start < header {
                let bytes = if is_last { self.bytes } else { end - header };
                return vector.store_behind_two(self.output, bytes);
            }
            let to = self.output.wrapping_add(start - header);
            if is_last { vector.store_part(to, self.bytes - (start - header)) } else { vector.store(to) }
        }
    }

    /// How much of the last vector, number `index`, is header or data.
    #[inline(always)]
    pub(super) fn cut<V: Schedule, const HEADER: bool>(&self, vector: V, index: usize) -> V {
        vector.first_bytes(self.bytes + if HEADER { HEADER_BYTES } else { 0 } - index * V::BYTES)
    }
}
