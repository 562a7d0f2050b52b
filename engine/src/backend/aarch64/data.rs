//! Addresses of a message's data.

/// Input address, output address, and length of the data of a message. Data may be processed in place.
#[derive(Clone, Copy)]
pub(crate) struct Data {
    pub(super) input: *const u8,
    pub(super) output: *mut u8,
    pub(super) bytes: usize,
}

impl Data {
    /// Describes `bytes` bytes of data at the addresses `input` and `output`.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `input` and written at `output`. The two buffers are the same or do not overlap.
    #[inline(always)]
    pub(super) unsafe fn new(input: *const u8, output: *mut u8, bytes: usize) -> Self {
        Self { input, output, bytes }
    }

    /// Returns the number of blocks in the data, including a partial last block.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        self.bytes.div_ceil(16)
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
}
