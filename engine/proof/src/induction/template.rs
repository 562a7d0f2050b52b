//! The state of the machine at the head of a loop, whatever turn it is: the invariant.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::rc::Rc;

use iced_x86::Register;

use super::names::{Name, Place};
use crate::abi::{FRAME_NAME, STACK_NAME};
use crate::count::{Count, Unknown};
use crate::field::Bit;
use crate::flow::{Degree, Flow};
use crate::machine::{Flags, Machine};
use crate::memory::NEVER_WRITTEN;
use crate::reference::{Block, Reference};
use crate::refusal::Refusal;
use crate::symbols::Symbols;
use crate::word::Word;

/// A part of the state, of 128 bits; of integers and masks the upper half is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    Integer(usize),
    Mask(usize),
    /// A lane of a vector.
    Lane(usize, usize),
    /// Of the stack.
    Memory(u64),
}

/// What a part is in every turn.
#[derive(Clone, Debug)]
enum Content {
    Named(Name),
    Halves([Half; 2]),
}

#[derive(Clone, Debug)]
enum Half {
    /// The same bits.
    Fixed(Box<[Bit; 64]>, Degree),
    /// A count that grows with what is done.
    Count(Count),
    /// Two of 32 bits.
    Two([Count; 2]),
    /// Anything: what the turns before have added up, and what nobody needs any more.
    Any,
}

/// The state at the head of a loop.
pub(super) struct Template {
    parts: BTreeMap<Part, Content>,
    next: u64,
}

/// The bits of what may be anything.
pub(super) type Anything = HashMap<(Part, usize), ([Bit; 64], Degree)>;

/// Which turn it is, as a count, and whether the message ends in it, with how much more than the least.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) done: Count,
    pub(super) end: Option<u64>,
}

/// The memory that a call may change, but for output and tag.
const MEMORY: [&str; 2] = [STACK_NAME, FRAME_NAME];

impl Template {
    /// What two states, of which the second is one period further on, have in common. `first` and `second` name the
    /// blocks there. `with_other_text` is the first state of a message that differs in its text.
    pub(super) fn new(
        (one, first): (&Machine, &mut Place),
        (other, second): (&Machine, &mut Place),
        with_other_text: &Machine,
        reference: &Reference,
        symbols: &mut Symbols,
    ) -> Self {
        let names = first.names(reference, symbols);
        let (mut before, mut parts) = (HashMap::new(), BTreeMap::new());
        visit(one, |part, bits, _| {
            before.insert(part, Box::new(*bits));
        });
        let mut again = HashMap::new();
        visit(with_other_text, |part, bits, _| {
            again.insert(part, Box::new(*bits));
        });
        visit(other, |part, bits, degree| {
            let Some(old) = before.get(&part) else {
                parts.insert(part, Content::Halves([Half::Any, Half::Any]));
                return;
            };
            let named = if **old == *bits { None } else { names.get(&**old).copied() };
            let named = named.filter(|&name| second.value(name, reference, symbols).as_ref() == Some(bits));
            let depends_on_text = again.get(&part).is_none_or(|again| *again != *old);
            let degree = (!depends_on_text).then_some(degree);
            let halves = || [0, 64].map(|from| half(&old[from..from + 64], &bits[from..from + 64], degree, symbols));
            parts.insert(part, named.map_or_else(|| Content::Halves(halves()), Content::Named));
        });
        Self { parts, next: other.next }
    }

    /// Values for what may be anything: those of a state, or new variables.
    pub(super) fn anything(&self, of: Option<&Machine>, symbols: &mut Symbols) -> Anything {
        let mut anything = Anything::new();
        for (&part, content) in &self.parts {
            for place in content.anything() {
                let mut bits = [Bit::ZERO; 64];
                symbols.fill(&mut bits);
                anything.insert((part, place), (bits, Degree::VARIABLE));
            }
        }
        if let Some(machine) = of {
            visit(machine, |part, bits, degree| {
                for place in self.parts.get(&part).into_iter().flat_map(Content::anything) {
                    let Some((to, of)) = anything.get_mut(&(part, place)) else { continue };
                    *of = degree.max(*of);
                    for (to, &bit) in to.iter_mut().zip(&bits[64 * place..]).filter(|(_, bit)| **bit != NEVER_WRITTEN) {
                        *to = bit;
                    }
                }
            });
        }
        anything
    }

    /// Puts a machine that was in such a state into that of a turn.
    pub(super) fn enter(
        &self,
        machine: &mut Machine,
        turn: Turn,
        (place, anything): (&mut Place, &Anything),
        reference: &Reference,
        symbols: &mut Symbols,
    ) -> Result<(), Refusal> {
        machine.flags = Flags::undefined();
        machine.next = self.next;
        machine.memory.moved = [0; 3];
        for (&part, content) in self.parts.iter().filter(|(_, content)| !content.is_fixed()) {
            let (bits, degree) = value(part, content, turn, (place, anything), reference, symbols)?;
            machine.memory.flow = Flow::default();
            machine.memory.flow.read(degree);
            match part {
                Part::Integer(number) => {
                    machine.set_integer(Register::RAX + number as u32, Word::of_bits(&bits[..64]));
                }
                Part::Mask(number) => machine.set_mask(Register::K0 + number as u32, Word::of_bits(&bits[..64])),
                Part::Lane(number, lane) => {
                    let line = machine.vectors[number].get_or_insert_with(|| Rc::new([Bit::ZERO; 512]));
                    Rc::make_mut(line)[128 * lane..128 * (lane + 1)].copy_from_slice(&bits);
                    machine.degrees.vectors[number][lane] = degree;
                }
                Part::Memory(address) => machine.memory.prepare_with(address, &bits, degree)?,
            }
        }
        Ok(())
    }

    /// The parts of a machine's state that are not what they are in this turn: these are less known from now on.
    pub(super) fn weaken(
        &mut self,
        machine: &Machine,
        turn: Turn,
        place: &mut Place,
        reference: &Reference,
        symbols: &mut Symbols,
    ) -> Result<Vec<String>, Refusal> {
        let (mut wrong, mut first) = (Vec::new(), Ok(()));
        let mut forgotten: BTreeSet<Part> = self.parts.keys().copied().collect();
        visit(machine, |part, found, _| {
            forgotten.remove(&part);
            let Some(content) = self.parts.get_mut(&part) else { return };
            let Content::Halves(halves) = content else {
                match value(part, content, turn, (place, &Anything::new()), reference, symbols) {
                    Ok((expected, _)) if expected == *found => {}
                    Ok(_) => {
                        wrong.push(format!("{part}, {content:?}"));
                        *content = Content::Halves([Half::Any, Half::Any]);
                    }
                    Err(why) => first = Err(why),
                }
                return;
            };
            for (which, half) in halves.iter_mut().enumerate() {
                let found = &found[64 * which..64 * (which + 1)];
                let is_right = match half {
                    Half::Fixed(bits, _) => bits[..] == *found,
                    _ => half_value(half, turn, symbols).is_none_or(|expected| expected[..] == *found),
                };
                if !is_right {
                    wrong.push(format!("{part}, half {which}"));
                    *half = Half::Any;
                }
            }
        });
        for part in forgotten {
            let anything = Content::Halves([Half::Any, Half::Any]);
            if let Some(content) = self.parts.get_mut(&part).filter(|content| content.anything().count() < 2) {
                wrong.push(format!("{part}, {content:?}, is not there"));
                *content = anything;
            }
        }
        first.map(|()| wrong)
    }
}

/// What a word is in two states. Without a degree it depends on the text. It is not fixed then: a turn has other text.
fn half(before: &[Bit], after: &[Bit], degree: Option<Degree>, symbols: &Symbols) -> Half {
    if before.iter().chain(after).any(|&bit| bit == NEVER_WRITTEN) {
        return Half::Any;
    }
    let is_count = symbols.counts.of(&Word::of_bits(after), 64).is_some_and(|count| !count.is_known());
    if let Some(degree) = degree.filter(|_| before == after && !is_count) {
        let mut bits = Box::new([Bit::ZERO; 64]);
        bits.copy_from_slice(after);
        return Half::Fixed(bits, degree.of(after));
    }
    let grown = |range: std::ops::Range<usize>| {
        let of = |bits: &[Bit]| symbols.counts.of(&Word::of_bits(&bits[range.clone()]), range.len());
        let (before, after) = (of(before)?, of(after)?);
        let grown = after - before;
        grown.is_known().then(|| before.and(grown.constant, Unknown::Done))
    };
    if let Some(count) = grown(0..64) {
        return Half::Count(count);
    }
    match (grown(0..32), grown(32..64)) {
        (Some(low), Some(high)) => Half::Two([low, high]),
        _ => Half::Any,
    }
}

fn value(
    part: Part,
    content: &Content,
    turn: Turn,
    (place, anything): (&mut Place, &Anything),
    reference: &Reference,
    symbols: &mut Symbols,
) -> Result<(Block, Degree), Refusal> {
    match content {
        Content::Named(name) => {
            let block = place.value(*name, reference, symbols);
            Ok((block.ok_or(Refusal::Stuck("needs text from before the message"))?, Degree::VARIABLE))
        }
        Content::Halves(halves) => {
            let (mut bits, mut degree) = ([Bit::ZERO; 128], Degree(0));
            for (which, half) in halves.iter().enumerate() {
                let (of_half, of) = match (half, half_value(half, turn, symbols)) {
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

fn half_value(half: &Half, turn: Turn, symbols: &mut Symbols) -> Option<[Bit; 64]> {
    match half {
        Half::Fixed(bits, _) => Some(**bits),
        Half::Count(count) => Some(symbols.counts.word(turn.of(*count)).bits()),
        Half::Two(counts) => {
            let [low, high] = counts.map(|count| symbols.counts.word(turn.of(count)).low(32).bits());
            Some(std::array::from_fn(|place| if place < 32 { low[place] } else { high[place - 32] }))
        }
        Half::Any => None,
    }
}

impl Turn {
    /// What a count is in this turn.
    pub(super) fn of(self, count: Count) -> Count {
        match self.end {
            // The length of a message stays one: only what is left depends on where it ends.
            Some(_) if count.of[Unknown::Done as usize] == 0 => count,
            // All periods are done.
            Some(rest) => count
                .with(Unknown::Done, self.done)
                .with(Unknown::Periods, self.done)
                .with(Unknown::Rest, Count::known(rest)),
            None => count.with(Unknown::Done, self.done),
        }
    }
}

/// Every part of a machine's state that was read or written, with the degree of its place.
fn visit(machine: &Machine, mut each: impl FnMut(Part, &Block, Degree)) {
    let degrees = &machine.degrees;
    let integers = machine.integers.iter().zip(degrees.integers).enumerate();
    let integers = integers.map(|(number, (value, degree))| (Part::Integer(number), value, degree));
    let masks = machine.masks.iter().zip(degrees.masks).enumerate();
    let masks = masks.map(|(number, (value, degree))| (Part::Mask(number), value, degree));
    for (part, word, degree) in
        integers.chain(masks).filter_map(|(part, value, degree)| Some((part, value.as_ref()?, degree)))
    {
        let mut bits = [Bit::ZERO; 128];
        bits[..64].copy_from_slice(&word.bits());
        each(part, &bits, degree);
    }
    for (number, line) in machine.vectors.iter().enumerate() {
        for (lane, bits) in line.iter().flat_map(|line| line.as_chunks::<128>().0.iter().enumerate()) {
            each(Part::Lane(number, lane), bits, degrees.vectors[number][lane]);
        }
    }
    for (address, line) in MEMORY.iter().flat_map(|name| machine.memory.lines(name)) {
        for (lane, bits) in line.as_chunks::<128>().0.iter().enumerate() {
            let address = address + 16 * lane as u64;
            each(Part::Memory(address), bits, machine.memory.degree(address, 16));
        }
    }
}

/// A block of what is on the stack, wherever it lies there, or in a vector.
pub(super) fn find(machine: &Machine, is_it: impl Fn(&[Bit]) -> bool) -> Option<Block> {
    let mut pieces: Vec<(u64, Vec<Bit>)> = Vec::new();
    for (address, line) in MEMORY.iter().flat_map(|name| machine.memory.lines(name)) {
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

impl Content {
    /// Which halves may be anything.
    fn anything(&self) -> impl Iterator<Item = usize> {
        let is_any = |place: usize| matches!(self, Self::Halves(halves) if matches!(halves[place], Half::Any));
        (0..2).filter(move |&place| is_any(place))
    }

    fn is_fixed(&self) -> bool {
        matches!(self, Self::Halves([Half::Fixed(..), Half::Fixed(..)]))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Integer(number) => write!(f, "{:?}", Register::RAX + number as u32),
            Self::Mask(number) => write!(f, "k{number}"),
            Self::Lane(number, lane) => write!(f, "lane {lane} of zmm{number}"),
            Self::Memory(address) => write!(f, "the stack at {address:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_that_depends_on_text_is_not_fixed() {
        let mut symbols = Symbols::default();
        let mut word = [Bit::ZERO; 64];
        symbols.fill(&mut word);
        assert!(matches!(half(&word, &word, Some(Degree(1)), &symbols), Half::Fixed(..)));
        assert!(matches!(half(&word, &word, None, &symbols), Half::Any));
    }
}
