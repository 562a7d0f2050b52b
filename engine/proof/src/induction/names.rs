//! Identifies blocks that a loop keeps from one iteration to the next: keystream, AES states, and text.

use std::collections::HashMap;
use std::rc::Rc;

use crate::aes;
use crate::affine::AffineForm;
use crate::field::Bit;
use crate::memo::Bits;
use crate::reference::{Block, Reference};
use crate::symbols::Symbols;
use crate::word::Word;

/// Meaning of a block that a loop keeps in a register or on the stack. `block` is the distance in blocks from the first
/// output block not written yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockName {
    /// AES state of a counter block after a round.
    State { block: i64, round: usize },
    /// XOR of the AES states of a counter block and of the block with counter 0, each after [`TABLE_ROUNDS`] rounds.
    Difference { block: i64 },
    /// A block of the input, possibly with its bytes reversed.
    Input { block: i64, is_reversed: bool },
    /// A block of the output, possibly with its bytes reversed.
    Output { block: i64, is_reversed: bool },
}

/// Number of AES rounds whose results the library keeps in a table for long messages.
const TABLE_ROUNDS: usize = 2;

/// A position in a message, with the text before and after it.
pub(super) struct Position {
    /// Counter of the block at this position.
    pub(super) counter: AffineForm,
    /// Text around the position; its first `bytes_before` bytes precede the position.
    text: Rc<[Bit]>,
    bytes_before: usize,
    states: HashMap<i64, Rc<Vec<Block>>>,
}

/// Maximum distance in blocks between the loop's position in the text and a text block that the loop keeps.
const MAX_BLOCK_DISTANCE: i64 = 40;

/// Number of text bytes that must be known on either side of the data that a loop period processes.
pub(super) const MARGIN: usize = 16 * MAX_BLOCK_DISTANCE as usize;

impl Position {
    pub(super) fn new(counter: AffineForm, text: &Rc<[Bit]>, bytes_before: usize) -> Self {
        Self { counter, text: Rc::clone(text), bytes_before, states: HashMap::new() }
    }

    /// Returns the AES states after each round of the counter block that is `block` blocks after this position.
    pub(super) fn states(&mut self, block: i64, reference: &Reference, symbols: &mut Symbols) -> Rc<Vec<Block>> {
        let counter = self.counter + AffineForm::constant(block.cast_unsigned());
        let states = self.states.entry(block).or_insert_with(|| {
            let counter = symbols.affine_forms.to_word(counter).low(32).bits();
            Rc::new(reference.states(&counter[..32], symbols))
        });
        Rc::clone(states)
    }

    fn keystream(&self, block: i64, reference: &Reference, symbols: &mut Symbols) -> Block {
        let counter =
            symbols.affine_forms.to_word(self.counter + AffineForm::constant(block.cast_unsigned())).low(32).bits();
        reference.keystream_of(&counter[..32], symbols)
    }

    /// Returns `bytes` bytes of input, from `block` blocks after this position on, if all of these bytes are known.
    pub(super) fn input(&self, block: i64, bytes: usize) -> Option<&[Bit]> {
        let from = 8 * usize::try_from(self.bytes_before as i64 + 16 * block).ok()?;
        self.text.get(from..from + 8 * bytes)
    }

    /// Returns `bytes` bytes of output from this position on: input XOR keystream.
    pub(super) fn output(&self, bytes: usize, reference: &Reference, symbols: &mut Symbols) -> Vec<Bit> {
        let mut text = self.input(0, bytes).unwrap_or_default().to_vec();
        for (block, bits) in text.chunks_mut(128).enumerate() {
            aes::add(bits, &self.keystream(block as i64, reference, symbols));
        }
        text
    }

    /// Returns the value of the block that `name` describes relative to this position.
    pub(super) fn value(&mut self, name: BlockName, reference: &Reference, symbols: &mut Symbols) -> Option<Block> {
        let sum = |one: &[Bit], other: &Block| -> Block { std::array::from_fn(|place| one[place] ^ other[place]) };
        Some(match name {
            BlockName::State { block, round } => self.states(block, reference, symbols)[round],
            BlockName::Difference { block } => {
                let zero = reference.states(&Word::Known(0).bits()[..32], symbols)[TABLE_ROUNDS];
                sum(&self.states(block, reference, symbols)[TABLE_ROUNDS], &zero)
            }
            BlockName::Input { block, is_reversed } => in_byte_order(self.input(block, 16)?, is_reversed),
            BlockName::Output { block, is_reversed } => {
                let text = self.input(block, 16)?;
                in_byte_order(&sum(text, &self.keystream(block, reference, symbols)), is_reversed)
            }
        })
    }

    /// Returns a map from bits to names of all blocks that a loop may keep at this position. The counter must be known.
    pub(super) fn named_blocks(
        &mut self,
        reference: &Reference,
        symbols: &mut Symbols,
    ) -> HashMap<Box<Bits>, BlockName> {
        let mut named_blocks = Vec::new();
        let counter = self.counter.constant;
        for block in 0..MAX_BLOCK_DISTANCE {
            let rounds = self.states(block, reference, symbols).len();
            named_blocks.extend((0..rounds).map(|round| BlockName::State { block, round }));
        }
        // Starts of the spans of counters that share a table entry.
        for begin in (0..counter + 1024).filter(|begin| begin % 128 == 0 && (begin - counter).abs() < 1024) {
            let block = begin - counter;
            named_blocks.extend([BlockName::State { block, round: 0 }, BlockName::Difference { block }]);
        }
        for (block, is_reversed) in
            (-MAX_BLOCK_DISTANCE..MAX_BLOCK_DISTANCE).flat_map(|block| [false, true].map(|is| (block, is)))
        {
            named_blocks.extend([BlockName::Input { block, is_reversed }, BlockName::Output { block, is_reversed }]);
        }
        let value = |name: BlockName| Some((Box::new(self.value(name, reference, symbols)?), name));
        named_blocks.into_iter().filter_map(value).collect()
    }
}

fn in_byte_order(text: &[Bit], is_reversed: bool) -> Block {
    std::array::from_fn(|place| text[if is_reversed { (15 - place / 8) * 8 + place % 8 } else { place }])
}
