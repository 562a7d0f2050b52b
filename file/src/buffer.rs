//! Buffers that lie in memory as their contents lie in the file.

use zeroize::Zeroizing;

/// What the kernel copies with its widest registers, and what a cache line holds.
const LINE: usize = 64;

/// A buffer whose first byte has the same place in a cache line as byte `offset` of a file: the kernel copies about a
/// tenth faster between places that agree in that. Wiped when it is dropped.
pub(crate) struct Buffer {
    bytes: Zeroizing<Vec<u8>>,
    start: usize,
    length: usize,
}

impl Buffer {
    /// Of `length` zeros, for what lies from `offset` on.
    pub(crate) fn new(length: usize, offset: usize) -> Buffer {
        let bytes = Zeroizing::new(vec![0; length + 2 * LINE]);
        // Where that cannot be known, any place does.
        let to_line = bytes.as_ptr().align_offset(LINE).min(LINE);
        Buffer { bytes, start: to_line + offset % LINE, length }
    }

    /// The contents.
    pub(crate) fn get(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lies_as_in_the_file() {
        for offset in [0, 1, 56, 63, 64, 120] {
            let mut buffer = Buffer::new(1000, offset);
            assert_eq!(buffer.get().len(), 1000);
            assert_eq!(buffer.get().as_ptr().addr() % LINE, offset % LINE);
        }
    }
}
