//! Buffers for a job's input and output at fixed offsets in a page, so that the allocator favours no library.

use std::ops::{Deref, DerefMut};

/// Bytes of a page. A load seems to depend on an earlier store if the last twelve bits of their addresses are equal
/// ("4K aliasing", Intel's optimization manual, 11.8).
const PAGE: usize = 4096;
/// Offset of outputs in a page, as far as possible from inputs, which begin at 0.
const OUTPUT: usize = PAGE / 2;

/// Bytes at a fixed offset in a page, aligned to a cache line.
#[derive(Debug)]
pub(crate) struct Buffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    pub(crate) fn input(bytes: &[u8]) -> Buffer {
        let mut buffer = Buffer::at(0, bytes.len());
        buffer.copy_from_slice(bytes);
        buffer
    }

    pub(crate) fn output(length: usize) -> Buffer {
        Buffer::at(OUTPUT, length)
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    fn at(offset: usize, length: usize) -> Buffer {
        let memory = vec![0; length + PAGE];
        let start = (offset + PAGE - memory.as_ptr().addr() % PAGE) % PAGE;
        Buffer { memory, start, length }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_keep_their_page_offset_after_a_move() {
        for length in [0, 1, 16, 1350, 16384, 1 << 20] {
            let buffers = [Buffer::input(&vec![7; length]), Buffer::output(length)];
            let [input, output] = &buffers;
            assert_eq!((input.as_ptr().addr() % PAGE, output.as_ptr().addr() % PAGE), (0, OUTPUT));
            assert!(input.iter().all(|&byte| byte == 7) && output.iter().all(|&byte| byte == 0));
            assert_eq!((input.len(), output.len()), (length, length));
        }
    }

    #[test]
    fn buffer_truncate_shortens_its_content() {
        let mut buffer = Buffer::input(&[1, 2, 3]);
        buffer.truncate(2);
        assert_eq!(*buffer, [1, 2]);
    }
}
