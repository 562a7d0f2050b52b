//! The data of a message as vectors: loads and stores of whole and partial vectors.
//!
//! A place is a position for 16 bytes. Place 0 of a message with a 96-bit nonce belongs to the counter 0, which GCM
//! leaves unused. Place 1 belongs to J0, whose encryption masks the tag. The data begins at place 2, so that the number
//! of each place equals its counter. In the hash, places 0 and 1 hold the lengths and the last block of the AAD, or the
//! last two blocks of the AAD.
//!
//! Functions with the parameter `HEADER` count vectors from place 0 if `HEADER` is true, otherwise from the first byte
//! of the data.

use core::hint::select_unpredictable;

use super::schedule::Schedule;

/// Input address, output address, and length of data that is processed in vectors.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    input: *const u8,
    output: *mut u8,
    bytes: usize,
}

/// Length in bytes of two blocks, for counter 0 (unused) and J0, that are counted before the data. They are not in
/// memory.
pub(super) const HEADER_BYTES: usize = 32;

impl Lines {
    /// Describes `bytes` bytes of data at the addresses `input` and `output`.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `input` and written at `output`. The two buffers are the same or do not overlap.
    #[inline(always)]
    pub(super) unsafe fn new(input: *const u8, output: *mut u8, bytes: usize) -> Self {
        Self { input, output, bytes }
    }

    #[inline(always)]
    pub(super) fn pointers(&self) -> (*const u8, *mut u8) {
        (self.input, self.output)
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    #[inline(always)]
    pub(super) fn first(self, bytes: usize) -> Self {
        debug_assert!(bytes <= self.bytes);
        Self { bytes, ..self }
    }

    #[inline(always)]
    pub(super) fn after(self, bytes: usize) -> Self {
        debug_assert!(bytes <= self.bytes);
        Self {
            input: self.input.wrapping_add(bytes),
            output: self.output.wrapping_add(bytes),
            bytes: self.bytes - bytes,
        }
    }

    /// If `is_elsewhere`, changes the input address to `input`, or to the output address if `input` is null.
    #[inline(always)]
    pub(super) fn read_from(self, input: *const u8, is_elsewhere: bool) -> Self {
        let there = select_unpredictable(input.is_null(), self.output.cast_const(), input);
        Self { input: select_unpredictable(is_elsewhere, there, self.input), ..self }
    }

    /// Loads vector `index` of the data, counted from the first byte of the data. Bytes after the end of the data are
    /// zeros.
    #[inline(always)]
    pub(super) fn load_any<V: Schedule>(&self, proof: V::Proof, index: usize) -> V {
        let bytes = self.bytes.saturating_sub(index * V::BYTES).min(V::BYTES);
        if bytes == 0 {
            return V::zero(proof); // an empty masked load would still look up the page after the data
        }
        // SAFETY: only bytes of the data are read.
        unsafe { V::load_part(proof, self.input.wrapping_add(index * V::BYTES), bytes) }
    }

    /// Stores vector `index` of the data, counted from the first byte of the data. Bytes after the end of the data are
    /// not stored.
    #[inline(always)]
    pub(super) fn store_any<V: Schedule>(&self, vector: V, index: usize) {
        let bytes = self.bytes.saturating_sub(index * V::BYTES).min(V::BYTES);
        if bytes > 0 {
            // SAFETY: only bytes of the data are written.
            unsafe { vector.store_part(self.output.wrapping_add(index * V::BYTES), bytes) }
        }
    }

    /// Loads vector `index`, which is whole unless `is_last`. With `HEADER`, vectors are counted from two blocks before
    /// the data; these two blocks are zeros, and no memory is read for them.
    ///
    /// # Safety
    /// The data ends in this vector if `is_last`, and after it otherwise.
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
        // SAFETY: guaranteed by the caller; only bytes of the data are read.
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

    /// Loads the vectors `2 * index` and `2 * index + 1` of the data, counted from the first byte of the data.
    ///
    /// # Safety
    /// The data does not end in these vectors.
    #[inline(always)]
    pub(super) unsafe fn load_pair<V: Schedule>(&self, proof: V::Proof, index: usize) -> [V; 2] {
        let from = self.input.wrapping_add(2 * index * V::BYTES);
        // SAFETY: guaranteed by the caller.
        unsafe { [V::load(proof, from), V::load(proof, from.wrapping_add(V::BYTES))] }
    }

    /// Stores `vector` at the position from which [`load`](Self::load) loads vector `index`, but in the output. Writes
    /// no bytes before or after the data.
    ///
    /// # Safety
    /// As for [`load`](Self::load).
    #[inline(always)]
    pub(super) unsafe fn store<V: Schedule, const HEADER: bool>(&self, vector: V, index: usize, is_last: bool) {
        let end = (index + 1) * V::BYTES;
        let start = index * V::BYTES;
        let header = if HEADER { HEADER_BYTES } else { 0 };
        // SAFETY: guaranteed by the caller; only bytes of the data are written.
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

    /// Returns `vector`, the last vector of the data, with zeros after the end of the data. `index` is the index of
    /// this vector. With `HEADER`, vectors are counted from two blocks before the data.
    #[inline(always)]
    pub(super) fn cut<V: Schedule, const HEADER: bool>(&self, vector: V, index: usize) -> V {
        vector.first_bytes(self.bytes + if HEADER { HEADER_BYTES } else { 0 } - index * V::BYTES)
    }
}
