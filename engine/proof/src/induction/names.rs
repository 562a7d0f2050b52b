//! What the blocks are that a loop takes from one turn to the next: of the keystream, on their way through AES, and of
//! the text.

use std::collections::HashMap;
use std::rc::Rc;

use crate::aes;
use crate::affine::AffineForm;
use crate::field::Bit;
use crate::memo::Bits;
use crate::reference::{Block, Reference};
use crate::symbols::Symbols;
use crate::word::Word;

/// A block by what it is; with the number of the text's block, counted from the first that is not written yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockName {
    /// A counter block behind a round of AES.
    State { block: i64, round: usize },
    /// The same behind the rounds that a table has, and the one with the counter 0, added up.
    Difference { block: i64 },
    /// The text that is read, with its bytes in order or reversed.
    Input { block: i64, is_reversed: bool },
    /// The text that is written.
    Output { block: i64, is_reversed: bool },
}

/// Rounds of AES whose results the library keeps in a table.
const TABLE_ROUNDS: usize = 2;

/// A place of a message.
pub(super) struct Position {
    /// The counter of the first block that is not written yet.
    pub(super) counter: AffineForm,
    /// Text around it, and the bytes of that before it.
    text: Rc<[Bit]>,
    bytes_before: usize,
    states: HashMap<i64, Rc<Vec<Block>>>,
}

/// How far from the place a block's text may be, or a block on its way through AES.
const MAX_BLOCK_DISTANCE: i64 = 40;

/// Bytes of text that have to be there before a place and behind what is processed from it on.
pub(super) const MARGIN: usize = 16 * MAX_BLOCK_DISTANCE as usize;

impl Position {
    pub(super) fn new(counter: AffineForm, text: &Rc<[Bit]>, bytes_before: usize) -> Self {
        Self { counter, text: Rc::clone(text), bytes_before, states: HashMap::new() }
    }

    /// A block's states in AES.
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

    /// The text that is read from a block on.
    pub(super) fn input(&self, block: i64, bytes: usize) -> Option<&[Bit]> {
        let from = 8 * usize::try_from(self.bytes_before as i64 + 16 * block).ok()?;
        self.text.get(from..from + 8 * bytes)
    }

    /// The text that is written from the place on.
    pub(super) fn output(&self, bytes: usize, reference: &Reference, symbols: &mut Symbols) -> Vec<Bit> {
        let mut text = self.input(0, bytes).unwrap_or_default().to_vec();
        for (block, bits) in text.chunks_mut(128).enumerate() {
            aes::add(bits, &self.keystream(block as i64, reference, symbols));
        }
        text
    }

    /// What a block of this name is here.
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

    /// The names of all blocks that a loop may take along, by their bits. The counter is known.
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
        // Where spans of counters begin.
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
