//! Modifications of a record or packet between sender and receiver.

use super::input::Input;

/// Up to three modifications.
pub(crate) struct Changes(Vec<Change>);

struct Change {
    kind: u8,
    value: u8,
    place: usize,
}

impl Changes {
    pub(crate) fn read(input: &mut Input<'_>) -> Self {
        let count = input.byte() % 4;
        let mut change =
            || Change { kind: input.byte(), value: input.byte(), place: u16::from_le_bytes(input.array()).into() };
        Self((0..count).map(|_| change()).collect())
    }

    /// Applies the modifications to the bytes and to the record or packet number.
    pub(crate) fn make(&self, bytes: &mut Vec<u8>, number: &mut u64) {
        for &Change { kind, value, place } in &self.0 {
            let length = bytes.len();
            match kind % 8 {
                // The first bytes are type, version, length or flags; the last bytes are the tag.
                0 => change_byte(bytes, place % 5, value),
                1 => change_byte(bytes, place, value),
                2 => change_byte(bytes, length.wrapping_sub(place + 1), value),
                3 => bytes.truncate(place),
                4 => bytes.truncate(length.saturating_sub(value.into())),
                5 => bytes.extend(std::iter::repeat_n(value, place % 64)),
                6 => drop(bytes.drain(..usize::from(value).min(length))),
                _ => *number ^= 1 << (value % 64),
            }
        }
    }
}

/// Changes a byte. Does nothing if the place is past the end.
fn change_byte(bytes: &mut [u8], place: usize, value: u8) {
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= value;
    }
}
