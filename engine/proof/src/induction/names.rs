//! Identifies blocks that the main loop keeps from one iteration to the next: keystream, AES states and text.

use std::collections::HashMap;
use std::rc::Rc;

use crate::aes;
use crate::affine::AffineForm;
use crate::field::Bit;
use crate::memo::Bits;
use crate::reference::{Block, Reference};
use crate::symbols::Symbols;
use crate::word::Word;

/// Meaning of a block that the main loop keeps in a register or on the stack. The field `block` is the distance, in
/// blocks, from the first output block that is not written yet to the block described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockName {
    /// AES state of a counter block after `round` rounds.
    State { block: i64, round: usize },
    /// XOR of two AES states after [`TABLE_ROUNDS`] rounds: that of a counter block, and that of the block with counter
    /// 0.
    Difference { block: i64 },
    /// A block of input text, with its bytes reversed if `is_reversed`.
    Input { block: i64, is_reversed: bool },
    /// A block of output text, with its bytes reversed if `is_reversed`.
    Output { block: i64, is_reversed: bool },
}

/// Number of AES rounds whose results the library tabulates for long messages. The table is indexed by the counter's
/// last byte; after more than two rounds, the AES state is no longer a table entry XOR a value for the other bytes.
const TABLE_ROUNDS: usize = 2;

/// A position in a message, with the text before and after the position.
pub(super) struct Position {
    /// AES-GCM counter of the text block that begins at this [`Position`] in the message.
    pub(super) counter: AffineForm,
    /// Text around this [`Position`] in the message: `bytes_before` bytes before the position, and then the text after
    /// it.
    text: Rc<[Bit]>,
    bytes_before: usize,
    states: HashMap<i64, Rc<Vec<Block>>>,
}

/// Maximum distance, in blocks, between the loop's position in the text and a text block that the code keeps for later.
const MAX_BLOCK_DISTANCE: i64 = 40;

/// Number of text bytes that a [`Position`] needs before and after the text of one loop iteration, so that text blocks
/// kept for later are identified.
pub(super) const MARGIN: usize = 16 * MAX_BLOCK_DISTANCE as usize;

impl Position {
    pub(super) fn new(counter: AffineForm, text: &Rc<[Bit]>, bytes_before: usize) -> Self {
        Self { counter, text: Rc::clone(text), bytes_before, states: HashMap::new() }
    }

    /// Returns the AES states, after each round, of the counter block that is `block` blocks after this position in the
    /// message.
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

    /// Returns `bytes` bytes of the input text, from `block` blocks after this position in the text (or before it, if
    /// negative). Returns `None` if the prover has no names for some of these bytes.
    pub(super) fn input(&self, block: i64, bytes: usize) -> Option<&[Bit]> {
        let from = 8 * usize::try_from(self.bytes_before as i64 + 16 * block).ok()?;
        self.text.get(from..from + 8 * bytes)
    }

    /// Returns `bytes` bytes of output text from this position in the message on, computed as input XOR keystream.
    pub(super) fn output(&self, bytes: usize, reference: &Reference, symbols: &mut Symbols) -> Vec<Bit> {
        let mut text = self.input(0, bytes).unwrap_or_default().to_vec();
        for (block, bits) in text.chunks_mut(128).enumerate() {
            aes::add(bits, &self.keystream(block as i64, reference, symbols));
        }
        text
    }

    /// Returns the value of the block that `name` describes relative to this position in the message. Returns `None` if
    /// the prover has no names for the text of that block.
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

    /// Returns all blocks that the main loop may keep when it is at this position in the message, as a map from the
    /// blocks' bits to their names. The counter of the text block at this position must be concrete.
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
