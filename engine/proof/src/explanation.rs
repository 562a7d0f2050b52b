//! Explains wrong results by the terms of a formula that are missing or superfluous.

use std::collections::HashMap;

use crate::case::Case;
use crate::field::Bit;
use crate::reference::{Block, Direction, Message, Reference};
use crate::symbols::Symbols;

/// A result that differs from the standard.
pub struct Wrong<'a> {
    /// All bits of the computed result.
    pub found: &'a [Bit],
    /// Index of the first wrong bit.
    pub bit: usize,
}

/// Describes the XOR terms of a wrong output bit, and the terms that the correct bit has.
pub fn explain_text(reference: &mut Reference, case: &Case, wrong: &Wrong<'_>, symbols: &mut Symbols) -> String {
    let place = |bit: usize| format!("{}.{}", bit / 8, bit % 8);
    let read = if case.direction == Direction::Sealing { "plaintext" } else { "ciphertext" };
    let mut names: HashMap<Bit, String> = HashMap::from([(Bit::ZERO, String::new()), (Bit::ONE, "1".to_owned())]);
    for (bit, &value) in reference.text(case.bytes).iter().enumerate() {
        names.insert(value, format!("{read} {}", place(bit)));
    }
    for counter in 0..case.bytes.div_ceil(16) + 6 {
        for (bit, &value) in reference.keystream(counter, symbols).iter().enumerate() {
            names.insert(value, format!("E(K, counter {counter}) {}", place(bit)));
        }
    }
    let counter = wrong.bit / 128 + 2;
    let expected = format!("{read} {} + E(K, counter {counter}) {}", place(wrong.bit), place(wrong.bit % 128));
    format!("it is {}, and ought to be {expected}", sum_of(&names, wrong.found[wrong.bit]))
}

/// Returns the names of one or two terms in `names` whose XOR is `value`.
fn sum_of(names: &HashMap<Bit, String>, value: Bit) -> String {
    if value == Bit::ZERO {
        return "0".to_owned();
    }
    if let Some(name) = names.get(&value) {
        return name.clone();
    }
    let two = names.iter().find_map(|(&one, name)| Some((name, names.get(&(one ^ value))?)));
    two.map_or_else(|| "another polynomial".to_owned(), |(one, other)| format!("{one} + {other}"))
}

/// If a wrong tag results from the wrong contribution of a single block, describes this block.
pub fn explain_tag(reference: &mut Reference, case: &Case, expected: &Message, wrong: &Wrong<'_>) -> String {
    let difference: Block = std::array::from_fn(|place| wrong.found[place] ^ expected.tag[place]);
    let aad = reference.aad(case.aad_bytes).to_vec();
    let mut lengths = crate::reference::bits(&(8 * case.aad_bytes as u64).to_be_bytes());
    lengths.extend(crate::reference::bits(&(8 * case.bytes as u64).to_be_bytes()));
    let blocks: Vec<(String, &[Bit])> = named("A", &aad)
        .chain(named("C", &expected.text))
        .chain([("the block of lengths".to_owned(), &lengths[..])])
        .collect();
    let count = blocks.len();
    for (index, (name, block)) in blocks.iter().enumerate() {
        let power = count - index;
        let right = reference.times_power(block, power);
        let without: Block = std::array::from_fn(|place| right[place] ^ difference[place]);
        if without == [Bit::ZERO; 128] {
            return format!("{name}·H^{power} is missing from its sum");
        }
        let mut other = [Bit::ZERO; 128];
        other[..block.len()].copy_from_slice(block);
        for wrong in 1..count + 5 {
            other = reference.times_power(&other, 1);
            if other == without {
                return format!("{name} is multiplied by H^{wrong} instead of H^{power}");
            }
        }
    }
    let wrong = difference.iter().filter(|&&bit| bit != Bit::ZERO).count();
    format!("{wrong} of its 128 bits are other polynomials than GHASH + E(K, J0)")
}

fn named<'a>(name: &'a str, bits: &'a [Bit]) -> impl Iterator<Item = (String, &'a [Bit])> {
    bits.chunks(128).enumerate().map(move |(index, block)| (format!("{name}{}", index + 1), block))
}
