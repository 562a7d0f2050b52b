//! The loop invariant: the state of the machine at the head of the main loop, as a function of the iteration.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use iced_x86::Register;

use super::names::{BlockName, Position};
use crate::abi::{FRAME_NAME, STACK_NAME};
use crate::affine::{AffineForm, SymbolicNumber};
use crate::field::Bit;
use crate::flow::{Degree, Flow};
use crate::machine::{Flags, Machine};
use crate::memory::NEVER_WRITTEN;
use crate::reference::{Block, Reference};
use crate::refusal::Refusal;
use crate::symbols::Symbols;
use crate::word::Word;

/// Location of up to 128 bits of machine state: a register, a vector lane, or memory. Integer and mask registers have
/// 64 bits, in the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum StatePart {
    Integer(usize),
    Mask(usize),
    /// A 128-bit lane of a vector register: number of the register, and of the lane in the register.
    Lane(usize, usize),
    /// 16 bytes on the stack, with their address.
    Memory(u64),
}

/// Content of a register or memory location, as a function of the loop iteration.
#[derive(Clone, Debug)]
enum PartContent {
    /// A block that the reference implementation can compute for every iteration, such as an AES state.
    Named(BlockName),
    /// Two 64-bit words, described separately.
    Halves([Half; 2]),
}

/// Content of a 64-bit word, as a function of the loop iteration.
#[derive(Clone, Debug)]
enum Half {
    /// Bits that have the same values in every iteration, and their polynomial degree.
    Fixed(Box<[Bit; 64]>, Degree),
    /// A number that grows by a constant amount in each iteration.
    Affine(AffineForm),
    /// Two 32-bit numbers, each of which grows by a constant amount in each iteration.
    AffinePair([AffineForm; 2]),
    /// Unconstrained: for example a sum over earlier iterations, or a value that the code does not read again.
    Any,
}

/// The loop invariant: the machine's state at the head of the main loop, as a function of the iteration.
pub(super) struct Invariant {
    parts: BTreeMap<StatePart, PartContent>,
    next: u64,
}

/// Values and polynomial degrees of the 64-bit words that the loop invariant does not constrain. The key is the word's
/// location, and which 64-bit half of this location it is.
pub(super) type FreeValues = HashMap<(StatePart, usize), ([Bit; 64], Degree)>;

/// A loop iteration. `done` is the number of earlier iterations, which may be symbolic. `end` is `None` unless the
/// message ends in this iteration; then it is the length in bytes of the last vector minus its minimum
/// ([`SymbolicNumber::Rest`]).
#[derive(Clone, Copy)]
pub(super) struct Iteration {
    pub(super) done: AffineForm,
    pub(super) end: Option<u64>,
}

/// Names of the memory regions whose contents the loop invariant describes: the stack and the caller's frame.
const STACK_REGIONS: [&str; 2] = [STACK_NAME, FRAME_NAME];

impl Invariant {
    /// Generalises two states to a loop invariant. `one` and `other` are states at the head of the loop, one loop
    /// period (one pass of the main loop over its table of powers of H) apart; `first` and `second` are their positions
    /// in the text. `replayed` is the state `one` for a message that differs only in its text.
    pub(super) fn new(
        (one, first): (&Machine, &mut Position),
        (other, second): (&Machine, &mut Position),
        replayed: &Machine,
        reference: &Reference,
        symbols: &mut Symbols,
    ) -> Self {
        let blocks = first.named_blocks(reference, symbols);
        let (mut before, mut parts) = (HashMap::new(), BTreeMap::new());
        visit_parts(one, |part, bits, _| {
            before.insert(part, Box::new(*bits));
        });
        let mut again = HashMap::new();
        visit_parts(replayed, |part, bits, _| {
            again.insert(part, Box::new(*bits));
        });
        visit_parts(other, |part, bits, degree| {
            let Some(old) = before.get(&part) else {
                parts.insert(part, PartContent::ANY);
                return;
            };
            let named = if **old == *bits { None } else { blocks.get(&**old).copied() };
            let named = named.filter(|&name| second.value(name, reference, symbols).as_ref() == Some(bits));
            let depends_on_text = again.get(&part).is_none_or(|again| *again != *old);
            let degree = (!depends_on_text).then_some(degree);
            let halves =
                || [0, 64].map(|from| generalise_half(&old[from..from + 64], &bits[from..from + 64], degree, symbols));
            parts.insert(part, named.map_or_else(|| PartContent::Halves(halves()), PartContent::Named));
        });
        Self { parts, next: other.next }
    }

    /// Returns values for the 64-bit words that the invariant does not constrain: taken from the machine `of`, or new
    /// random field elements if `of` is `None`.
    pub(super) fn free_values(&self, of: Option<&Machine>, symbols: &mut Symbols) -> FreeValues {
        let mut anything = FreeValues::new();
        for (&part, content) in &self.parts {
            for position in content.free_halves() {
                let mut bits = [Bit::ZERO; 64];
                symbols.fill(&mut bits);
                anything.insert((part, position), (bits, Degree::VARIABLE));
            }
        }
        if let Some(machine) = of {
            visit_parts(machine, |part, bits, degree| {
                for position in self.parts.get(&part).into_iter().flat_map(PartContent::free_halves) {
                    let Some((to, of)) = anything.get_mut(&(part, position)) else { continue };
                    *of = degree.max(*of);
                    for (to, &bit) in
                        to.iter_mut().zip(&bits[64 * position..]).filter(|(_, bit)| **bit != NEVER_WRITTEN)
                    {
                        *to = bit;
                    }
                }
            });
        }
        anything
    }

    /// Sets a machine to the state that the invariant describes for `iteration`. Words that the invariant does not
    /// constrain get their values from `anything`.
    pub(super) fn apply_to(
        &self,
        machine: &mut Machine,
        iteration: Iteration,
        (position, anything): (&mut Position, &FreeValues),
        reference: &Reference,
        symbols: &mut Symbols,
    ) -> Result<(), Refusal> {
        machine.flags = Flags::undefined();
        machine.next = self.next;
        machine.memory.symbolic_offset = [0; 3];
        for (&part, content) in self.parts.iter().filter(|(_, content)| !content.is_fixed()) {
            let (bits, degree) = value(part, content, iteration, (position, anything), reference, symbols)?;
            machine.memory.flow = Flow::default();
            machine.memory.flow.read(degree);
            match part {
                StatePart::Integer(number) => {
                    machine.set_integer(Register::RAX + number as u32, Word::from_bits(&bits[..64]));
                }
                StatePart::Mask(number) => machine.set_mask(Register::K0 + number as u32, Word::from_bits(&bits[..64])),
                StatePart::Lane(number, lane) => {
                    let line = machine.vectors[number].get_or_insert_with(|| Rc::new([Bit::ZERO; 512]));
                    Rc::make_mut(line)[128 * lane..128 * (lane + 1)].copy_from_slice(&bits);
                    machine.degrees.vectors[number][lane] = degree;
                }
                StatePart::Memory(address) => machine.memory.poke_with_degree(address, &bits, degree)?,
            }
        }
        Ok(())
    }

    /// Removes the constraint on every location whose value in `machine` differs from the invariant's value for
    /// `iteration`. Returns whether there was such a location.
    pub(super) fn weaken(
        &mut self,
        machine: &Machine,
        iteration: Iteration,
        position: &mut Position,
        reference: &Reference,
        symbols: &mut Symbols,
    ) -> Result<bool, Refusal> {
        let (mut is_weakened, mut first) = (false, Ok(()));
        let mut missing: BTreeSet<StatePart> = self.parts.keys().copied().collect();
        visit_parts(machine, |part, found, _| {
            missing.remove(&part);
            let Some(content) = self.parts.get_mut(&part) else { return };
            let PartContent::Halves(halves) = content else {
                match value(part, content, iteration, (position, &FreeValues::new()), reference, symbols) {
                    Ok((expected, _)) if expected == *found => {}
                    Ok(_) => (is_weakened, *content) = (true, PartContent::ANY),
                    Err(why) => first = Err(why),
                }
                return;
            };
            for (which, half) in halves.iter_mut().enumerate() {
                let found = &found[64 * which..64 * (which + 1)];
                let is_right = match half {
                    Half::Fixed(bits, _) => bits[..] == *found,
                    _ => half_value(half, iteration, symbols).is_none_or(|expected| expected[..] == *found),
                };
                if !is_right {
                    (is_weakened, *half) = (true, Half::Any);
                }
            }
        });
        for part in missing {
            if let Some(content) = self.parts.get_mut(&part).filter(|content| content.free_halves().count() < 2) {
                (is_weakened, *content) = (true, PartContent::ANY);
            }
        }
        first.map(|()| is_weakened)
    }
}

/// Generalises a 64-bit word from its values `before` and `after` in two iterations. `degree` is the word's polynomial
/// degree, or `None` if the word depends on the text. A word that depends on the text is never taken for a constant,
/// because each iteration reads other text.
fn generalise_half(before: &[Bit], after: &[Bit], degree: Option<Degree>, symbols: &Symbols) -> Half {
    if before.iter().chain(after).any(|&bit| bit == NEVER_WRITTEN) {
        return Half::Any;
    }
    let is_count =
        symbols.affine_forms.recognise(&Word::from_bits(after), 64).is_some_and(|count| !count.is_constant());
    if let Some(degree) = degree.filter(|_| before == after && !is_count) {
        let mut bits = Box::new([Bit::ZERO; 64]);
        bits.copy_from_slice(after);
        return Half::Fixed(bits, degree.for_bits(after));
    }
    let grown = |range: std::ops::Range<usize>| {
        let of = |bits: &[Bit]| symbols.affine_forms.recognise(&Word::from_bits(&bits[range.clone()]), range.len());
        let (before, after) = (of(before)?, of(after)?);
        let grown = after - before;
        grown.is_constant().then(|| before.plus(grown.constant, SymbolicNumber::Done))
    };
    if let Some(count) = grown(0..64) {
        return Half::Affine(count);
    }
    match (grown(0..32), grown(32..64)) {
        (Some(low), Some(high)) => Half::AffinePair([low, high]),
        _ => Half::Any,
    }
}

/// Returns the 128 bits that the invariant describes for a location in `iteration`, and their polynomial degree. Words
/// that the invariant does not constrain get their values from `anything`.
fn value(
    part: StatePart,
    content: &PartContent,
    iteration: Iteration,
    (position, anything): (&mut Position, &FreeValues),
    reference: &Reference,
    symbols: &mut Symbols,
) -> Result<(Block, Degree), Refusal> {
    match content {
        PartContent::Named(name) => {
            let block = position.value(*name, reference, symbols);
            Ok((block.ok_or(Refusal::Stuck("needs text from before the message"))?, Degree::VARIABLE))
        }
        PartContent::Halves(halves) => {
            let (mut bits, mut degree) = ([Bit::ZERO; 128], Degree(0));
            for (which, half) in halves.iter().enumerate() {
                let (of_half, of) = match (half, half_value(half, iteration, symbols)) {
                    (Half::Fixed(_, degree), Some(value)) => (value, *degree),
                    (_, Some(value)) => (value, Degree::VARIABLE),
                    (_, None) => {
                        anything.get(&(part, which)).copied().unwrap_or(([NEVER_WRITTEN; 64], Degree::VARIABLE))
                    }
                };
                bits[64 * which..64 * (which + 1)].copy_from_slice(&of_half);
                degree = degree.max(of);
            }
            Ok((bits, degree))
        }
    }
}

/// Returns the value of a 64-bit word in `iteration`, or `None` if the invariant does not constrain the word.
fn half_value(half: &Half, iteration: Iteration, symbols: &mut Symbols) -> Option<[Bit; 64]> {
    match half {
        Half::Fixed(bits, _) => Some(**bits),
        Half::Affine(count) => Some(symbols.affine_forms.to_word(iteration.evaluate(*count)).bits()),
        Half::AffinePair(counts) => {
            let [low, high] =
                counts.map(|count| symbols.affine_forms.to_word(iteration.evaluate(count)).low(32).bits());
            Some(std::array::from_fn(|position| if position < 32 { low[position] } else { high[position - 32] }))
        }
        Half::Any => None,
    }
}

impl Iteration {
    /// Substitutes the values of this iteration for the symbolic numbers in the affine form `count`.
    pub(super) fn evaluate(self, count: AffineForm) -> AffineForm {
        match self.end {
            // The length stays symbolic: only the remaining bytes depend on where the message ends.
            Some(_) if count.coefficients[SymbolicNumber::Done as usize] == 0 => count,
            // All periods are processed.
            Some(rest) => count
                .substitute(SymbolicNumber::Done, self.done)
                .substitute(SymbolicNumber::Periods, self.done)
                .substitute(SymbolicNumber::Rest, AffineForm::constant(rest)),
            None => count.substitute(SymbolicNumber::Done, self.done),
        }
    }
}

/// Calls `each` for every register and stack location in use, with its value and its polynomial degree.
fn visit_parts(machine: &Machine, mut each: impl FnMut(StatePart, &Block, Degree)) {
    let degrees = &machine.degrees;
    let integers = machine.integers.iter().zip(degrees.integers).enumerate();
    let integers = integers.map(|(number, (value, degree))| (StatePart::Integer(number), value, degree));
    let masks = machine.masks.iter().zip(degrees.masks).enumerate();
    let masks = masks.map(|(number, (value, degree))| (StatePart::Mask(number), value, degree));
    for (part, word, degree) in
        integers.chain(masks).filter_map(|(part, value, degree)| Some((part, value.as_ref()?, degree)))
    {
        let mut bits = [Bit::ZERO; 128];
        bits[..64].copy_from_slice(&word.bits());
        each(part, &bits, degree);
    }
    for (number, line) in machine.vectors.iter().enumerate() {
        for (lane, bits) in line.iter().flat_map(|line| line.as_chunks::<128>().0.iter().enumerate()) {
            each(StatePart::Lane(number, lane), bits, degrees.vectors[number][lane]);
        }
    }
    for (address, line) in STACK_REGIONS.iter().flat_map(|name| machine.memory.lines(name)) {
        for (lane, bits) in line.as_chunks::<128>().0.iter().enumerate() {
            let address = address + 16 * lane as u64;
            each(StatePart::Memory(address), bits, machine.memory.degree(address, 16));
        }
    }
}

/// Finds a 128-bit block that satisfies `is_it`, in a vector register or at any byte address on the stack.
pub(super) fn find_block(machine: &Machine, is_it: impl Fn(&[Bit]) -> bool) -> Option<Block> {
    let mut pieces: Vec<(u64, Vec<Bit>)> = Vec::new();
    for (address, line) in STACK_REGIONS.iter().flat_map(|name| machine.memory.lines(name)) {
        match pieces.last_mut() {
            Some((start, bits)) if *start + bits.len() as u64 / 8 == address => bits.extend(line),
            _ => pieces.push((address, line.to_vec())),
        }
    }
    let pieces = pieces.iter().map(|(_, bits)| &bits[..]);
    let vectors = machine.vectors.iter().flatten().map(|line| &line[..]);
    let mut blocks = pieces.chain(vectors).flat_map(|bits| bits.windows(128).step_by(8));
    blocks.find(|block| is_it(block)).map(|block| std::array::from_fn(|bit| block[bit]))
}

impl PartContent {
    const ANY: Self = Self::Halves([Half::Any, Half::Any]);

    /// Returns the indices of the 64-bit halves that the invariant does not constrain ([`Half::Any`]).
    fn free_halves(&self) -> impl Iterator<Item = usize> {
        let is_any = |position: usize| matches!(self, Self::Halves(halves) if matches!(halves[position], Half::Any));
        (0..2).filter(move |&position| is_any(position))
    }

    fn is_fixed(&self) -> bool {
        matches!(self, Self::Halves([Half::Fixed(..), Half::Fixed(..)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invariant_does_not_fix_words_that_depend_on_text() {
        let mut symbols = Symbols::default();
        let mut word = [Bit::ZERO; 64];
        symbols.fill(&mut word);
        assert!(matches!(generalise_half(&word, &word, Some(Degree(1)), &symbols), Half::Fixed(..)));
        assert!(matches!(generalise_half(&word, &word, None, &symbols), Half::Any));
    }
}
