//! Addresses of a message's data.

/// Data that is read at one address and written at another, which may be the same.
#[derive(Clone, Copy)]
pub(crate) struct Data {
    pub(super) input: *const u8,
    pub(super) output: *mut u8,
    pub(super) bytes: usize,
}

impl Data {
    /// Describes `bytes` bytes of data.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `input` and written at `output`, which are the same address or do not overlap.
    #[inline(always)]
    pub(super) unsafe fn new(input: *const u8, output: *mut u8, bytes: usize) -> Self {
        Self { input, output, bytes }
    }

    /// Number of blocks; the last one may be partial.
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
