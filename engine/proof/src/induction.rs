//! Messages of any length from some on, by induction over the periods of a loop.

mod names;
mod template;

use std::fmt;

use crate::case::{Call, FORGED, INPUT, Keyed, OK, OUTPUT_NAME, TAG_NAME, verdicts};
use crate::count::{Count, Domain, Unknown};
use crate::execution::{MOST_STEPS, RETURN, Stop, run, step};
use crate::field::Bit;
use crate::machine::{Flag, Machine};
use crate::memory::{Access, Region, Whole};
use crate::reference::{Block, Direction, times};
use crate::refusal::Refusal;
use crate::word::Word;
use names::{MARGIN, Place};
use template::{Anything, Template, Turn};

/// Messages of `shortest` bytes and any number of periods more, and of up to a vector's bytes less one beside these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongCase {
    /// Which way.
    pub direction: Direction,
    /// Bytes of the shortest.
    pub shortest: usize,
    /// Bytes of AAD.
    pub aad_bytes: usize,
    /// Whether the output takes the place of the input.
    pub is_in_place: bool,
    /// Bytes after which the loop is where it was.
    pub period: usize,
    /// Bytes of what the lengths are counted in: of a vector or of a block.
    pub vector: usize,
    /// Lengths that begin the same way: of one in which the last vector is whole, or of one less than it has bytes.
    pub endings: usize,
}

/// The most bytes of a message: below the bound of `c-abi/src/buffers/message.rs`, of which this is half.
const MOST_BYTES: i64 = (1 << 30) - 1;

/// Where longer output lies: below its input by more than a message can have.
const OUTPUT: u64 = INPUT - (1 << 40);

/// A message at the head of the loop.
struct Head {
    machine: Machine,
    /// Bytes of the output that are written.
    written: u64,
    /// Steps since the beginning of the call.
    steps: u64,
}

/// What an ending comes to: what is in the tag of all that was hashed before it.
type Hashed = Block;

impl Keyed {
    /// Proves all messages of a case.
    ///
    /// # Errors
    /// What is wrong.
    pub fn prove_long(&mut self, case: &LongCase) -> Result<(), Refusal> {
        self.world.symbols.begin_call();
        // The same for all cases of a period, so that they share variables.
        let most = MOST_BYTES / case.period as i64 - 5;
        self.world.symbols.counts.narrow(0);
        self.world.symbols.counts.allow(Domain { periods: [0, most], rest: case.vector as i64 - 2 });
        let mut tag = [Bit::ZERO; 128];
        self.world.symbols.fill(&mut tag);
        let Call { machine, kept, tag: tag_at, .. } = self.begin_long(case, &tag)?;
        let mut other_text = vec![Bit::ZERO; 8 * case.shortest];
        self.world.symbols.fill(&mut other_text);
        let (call, position) = (machine.clone(), self.world.symbols.position());
        let [first, second] = self.heads(case, machine)?;
        let position = self.world.symbols.draw_again(position);
        let with_other_text = self.with_other_text(case, call, &first, &other_text)?;
        self.world.symbols.draw_again(position);
        let loop_ = Loop { case: *case, written: first.written, kept, tag, tag_at };

        let counter = |written: u64| Count::known(2 + written / 16);
        let text = self.reference.whole_text();
        let mut start = Place::new(counter(first.written), &text, first.written as usize);
        let mut after = Place::new(counter(second.written), &text, second.written as usize);
        let symbols = &mut self.world.symbols;
        let places = ((&first.machine, &mut start), (&second.machine, &mut after));
        let mut template = Template::new(places.0, places.1, &with_other_text, &self.reference, symbols);

        // Any turn, until the invariant holds behind it.
        let done = Count::default().and(1, Unknown::Done);
        let blocks = case.period as i64 / 16;
        // Its text is another than that before: what was kept of that must not be taken for a block of this turn.
        let mut text = vec![Bit::ZERO; 8 * (2 * MARGIN + 2 * case.period + case.shortest + case.endings)];
        self.world.symbols.fill(&mut text);
        let text = text.into();
        let mut place = Place::new(counter(first.written).and(blocks, Unknown::Done), &text, MARGIN);
        let mut next = Place::new(place.counter + Count::known(blocks as u64), &text, MARGIN + case.period);
        let turn = Turn { done, end: None };
        let next_turn = Turn { done: done + Count::known(1), end: None };
        let (anything, behind) = loop {
            let anything = template.anything(None, &mut self.world.symbols);
            let mut machine = second.machine.clone();
            template.enter(&mut machine, turn, (&mut place, &anything), &self.reference, &mut self.world.symbols)?;
            let behind = self.period(&loop_, machine, &mut place)?;
            let symbols = &mut self.world.symbols;
            let wrong = template.weaken(&behind, next_turn, &mut next, &self.reference, symbols)?;
            if wrong.is_empty() {
                break (anything, behind);
            }
        };

        self.world.symbols.counts.narrow(0);
        self.compare_text(case, &first)?;

        // What the tag has of the hash, in the shortest ending.
        let base = second.machine;
        let end = |keyed: &mut Self, done: Count, rest: usize, place: &mut Place, anything: &Anything| {
            let turn = Turn { done, end: Some(rest as u64) };
            keyed.ending(&loop_, &template, base.clone(), (turn, rest), (place, anything))
        };
        let (hashed, blocks_left) = end(self, done, 0, &mut place, &anything)?;
        // A turn adds its blocks.
        let actual = template.anything(Some(&behind), &mut self.world.symbols);
        let (at_next, _) = end(self, done + Count::known(1), 0, &mut next, &actual)?;
        let text = self.ciphertext(case.direction, &mut place, case.period);
        let added = self.reference.hash_on(&[Bit::ZERO; 128], &text);
        let added = times(&added, &self.reference.power(blocks_left + 1));
        let before = times(&hashed, &self.reference.power(case.period / 16));
        // The power adds as much to the degree.
        self.world.symbols.tally.degree += (case.period / 16) as u32;
        let difference: Block = std::array::from_fn(|bit| at_next[bit] ^ before[bit] ^ added[bit]);
        if difference != [Bit::ZERO; 128] {
            let blocks = text.chunks(128).enumerate();
            let missing = blocks.into_iter().find_map(|(index, block)| {
                let power = case.period / 16 - index + blocks_left + 1;
                let product = self.reference.times_power_of(block, power);
                (product == difference).then(|| format!(": block {index} of it is missing, times H^{power} at the end"))
            });
            let missing = missing.unwrap_or_default();
            return Err(wrong(&format!("behind a turn the sums are not the hash of what is written{missing}")));
        }
        // Before the first turn it is that of AAD and text so far.
        let actual = template.anything(Some(&first.machine), &mut self.world.symbols);
        let (at_start, _) = end(self, Count::default(), 0, &mut start, &actual)?;
        let aad = self.reference.aad(case.aad_bytes).to_vec();
        let symbols = &mut self.world.symbols;
        let hash = self.reference.hash(case.direction, &aad, first.written as usize / 16, symbols);
        if at_start != times(&hash, &self.reference.power(blocks_left + 1)) {
            return Err(wrong("before the first turn the sums are not the hash of what is written"));
        }
        // Every other ending comes to the same.
        for rest in 1..case.endings {
            let (other, blocks) = end(self, done, rest, &mut place, &anything)?;
            let expected = match blocks - blocks_left {
                0 => hashed,
                more => times(&hashed, &self.reference.power(more)),
            };
            if other != expected {
                return Err(wrong(&format!("with {rest} bytes more at the end the tag has another hash")));
            }
        }
        Ok(())
    }

    /// The call before its first instruction: with the memory that every message of the case has.
    fn begin_long(&mut self, case: &LongCase, tag: &Block) -> Result<Call, Refusal> {
        let whole = case.bytes();
        let bytes = self.world.symbols.counts.word(whole);
        let places = [case.shift(7), case.shift(9), case.shift(3), case.input(), case.output()];
        let mut call = self.begin_at(case.direction, (&bytes, case.aad_bytes), places, tag)?;
        self.lay(case, &mut call.machine, case.shortest)?;
        Ok(call)
    }

    /// The text's memory, of which so many bytes are there, in place of what there was.
    fn lay(&mut self, case: &LongCase, machine: &mut Machine, bytes: usize) -> Result<(), Refusal> {
        let places = [case.input(), case.output()].map(|start| (start, [0; 3]));
        lay(&mut machine.memory, places, self.reference.text(bytes))
    }

    /// Goes on until it matters whether there is a period more: the last head of a loop before that. And the same
    /// head one period later, if there is one more.
    fn heads(&mut self, case: &LongCase, mut machine: Machine) -> Result<[Head; 2], Refusal> {
        let mut first: Option<Head> = None;
        let (mut is_more, mut before_more) = (false, 0);
        for steps in 1..=MOST_STEPS {
            let before = machine.next;
            let done = step(&mut machine, &mut self.world).and_then(|stop| match stop {
                None if machine.next == RETURN => Err(wrong("it does not depend on the length")),
                None => Ok(()),
                Some(_) => Err(Refusal::At {
                    place: self.world.code.describe(before),
                    why: Box::new(Refusal::Secret("a branch")),
                }),
            });
            match (done, &first) {
                (Ok(()), _) => {}
                (Err(_), Some(head)) if !is_more => {
                    // From the head on again, since what is undecided may be in the flags.
                    (is_more, before_more, machine) = (true, head.written, head.machine.clone());
                    self.world.symbols.counts.narrow(1);
                    self.lay(case, &mut machine, case.shortest + case.period)?;
                    continue;
                }
                (Err(why), _) => return Err(why),
            }
            let written = before_more + machine.memory.written(OUTPUT_NAME);
            match &first {
                Some(_) if is_more => {
                    let is_it =
                        |head: &Head| machine.next == head.machine.next && written == head.written + case.period as u64;
                    if let Some(first) = first.take_if(|head| is_it(head)) {
                        return Ok([first, Head { machine, written, steps }]);
                    }
                }
                _ if machine.next <= before && written > 0 && !self.world.code.is_call(before) => {
                    first = Some(Head { machine: machine.clone(), written, steps });
                }
                _ => {}
            }
        }
        Err(Refusal::Stuck("does not come to a loop"))
    }

    /// The machine at the first head if the message has another text.
    fn with_other_text(
        &mut self,
        case: &LongCase,
        mut machine: Machine,
        head: &Head,
        text: &[Bit],
    ) -> Result<Machine, Refusal> {
        self.world.symbols.counts.narrow(0);
        let places = [case.input(), case.output()].map(|start| (start, [0; 3]));
        lay(&mut machine.memory, places, text)?;
        for _ in 0..head.steps {
            if step(&mut machine, &mut self.world)?.is_some() {
                return Err(Refusal::Secret("a branch"));
            }
        }
        self.world.symbols.counts.narrow(1);
        Ok(machine)
    }

    /// Whether all is written as it ought to be up to a head.
    fn compare_text(&mut self, case: &LongCase, head: &Head) -> Result<(), Refusal> {
        let aad = self.reference.aad(case.aad_bytes).to_vec();
        let bytes = head.written as usize;
        let expected = self.reference.message(case.direction, &aad, bytes, &mut self.world.symbols).text;
        let mut machine = head.machine.clone();
        let start = Place::new(Count::known(2), &self.reference.whole_text(), 0);
        let symbols = &mut self.world.symbols;
        compare(&mut machine, symbols, (case.output(), [0; 3]), &expected, (&start, "before the first turn"))
    }

    /// Any turn: one period from the head of the loop to the head.
    fn period(&mut self, loop_: &Loop, mut machine: Machine, place: &mut Place) -> Result<Machine, Refusal> {
        let case = &loop_.case;
        let (head, bytes) = (machine.next, case.shortest + case.period - loop_.written as usize);
        let of_tag = machine.memory.writes(TAG_NAME).to_vec();
        let places = loop_.places(Count::default().and(1, Unknown::Done));
        lay(&mut machine.memory, places, place.input(0, bytes).unwrap_or_default())?;
        for steps in 0.. {
            if steps == MOST_STEPS {
                return Err(Refusal::Stuck("does not come back to the head of the loop"));
            }
            match step(&mut machine, &mut self.world)? {
                None if machine.next == RETURN => return Err(wrong("it returns out of a turn")),
                None => {}
                Some(_) => return Err(Refusal::Secret("a branch")),
            }
            let written = machine.memory.written(OUTPUT_NAME);
            if machine.next == head && written >= case.period as u64 {
                if written > case.period as u64 {
                    return Err(wrong("a turn writes more than a period"));
                }
                break;
            }
        }
        if machine.memory.writes(TAG_NAME) != of_tag {
            return Err(wrong("a turn writes the tag"));
        }
        let expected = place.output(case.period, &self.reference, &mut self.world.symbols);
        compare(&mut machine, &mut self.world.symbols, places[1], &expected, (place, "in a turn"))?;
        Ok(machine)
    }

    /// What is hashed of a piece of text: the ciphertext.
    fn ciphertext(&mut self, direction: Direction, place: &mut Place, bytes: usize) -> Vec<Bit> {
        match direction {
            Direction::Sealing => place.output(bytes, &self.reference, &mut self.world.symbols),
            Direction::Opening => place.input(0, bytes).unwrap_or_default().to_vec(),
        }
    }

    /// From the head of the loop to the return. What the tag has of the hash before, and how many blocks came after.
    fn ending(
        &mut self,
        loop_: &Loop,
        template: &Template,
        mut machine: Machine,
        (turn, rest): (Turn, usize),
        (place, anything): (&mut Place, &Anything),
    ) -> Result<(Hashed, usize), Refusal> {
        let case = &loop_.case;
        let seals = case.direction == Direction::Sealing;
        let bytes = case.shortest + rest - loop_.written as usize;
        template.enter(&mut machine, turn, (place, anything), &self.reference, &mut self.world.symbols)?;
        let places = loop_.places(turn.done);
        let text = place.input(0, bytes).unwrap_or_default().to_vec();
        lay(&mut machine.memory, places, &text)?;
        let mut call = Call { machine, kept: loop_.kept.clone(), output: 0, tag: loop_.tag_at };
        let tag = if seals {
            call.expect_return(self, OK)?;
            let mut tag = [Bit::ZERO; 128];
            call.machine.memory.moved = [0; 3];
            call.machine.memory.look(call.tag, &mut tag, &mut self.world.symbols)?;
            call.expect_written_once(TAG_NAME)?;
            tag
        } else {
            let Stop::Verdict(asked) = run(&mut call.machine, &mut self.world)? else {
                return Err(wrong("it returned without asking whether the tags are the same"));
            };
            let tag = template::find(&call.machine, |block| {
                let bit = |place: usize| block[place] ^ loop_.tag[place];
                // What is asked first, in each of the three ways.
                let first = match asked.len() {
                    0..=16 => (1..8).fold(bit(0), |all, place| all.or(bit(place))),
                    17..=64 => bit(0).or(bit(64)),
                    _ => bit(0),
                };
                asked.contains(&first) && verdicts(&std::array::from_fn(bit)).contains(&asked)
            });
            let tag = tag.ok_or_else(|| Refusal::At {
                place: self.world.code.describe(call.machine.next),
                why: Box::new(Refusal::Wrong(format!(
                    "it asks whether {} secret bits are zero, which are not those by which two tags differ",
                    asked.len()
                ))),
            })?;
            let mut forged = Call { machine: call.machine.clone(), kept: call.kept.clone(), ..call };
            forged.machine.flags.zero = Flag::Bit(Bit::ZERO);
            let (start, bytes) = (case.output(), case.bytes());
            forged.machine.memory.whole = Some(Whole { name: OUTPUT_NAME, start, bytes, is_clear: false });
            call.machine.flags.zero = Flag::Bit(Bit::ONE);
            forged.expect_return(self, FORGED)?;
            if !forged.machine.memory.whole.is_some_and(|whole| whole.is_clear) {
                return Err(wrong("of a forgery nothing may be left"));
            }
            call.expect_return(self, OK)?;
            tag
        };
        let expected = place.output(bytes, &self.reference, &mut self.world.symbols);
        let what = format!("in an ending of {bytes} bytes");
        compare(&mut call.machine, &mut self.world.symbols, places[1], &expected, (place, &what))?;
        call.expect_written_once(OUTPUT_NAME)?;

        let ciphertext = if seals { expected } else { text };
        let whole = case.bytes();
        let bits = |count: u64| Word::Known(8 * count).bits();
        let eight = Count { constant: 8 * whole.constant, of: whole.of.map(|of| 8 * of) };
        let lengths = [bits(case.aad_bytes as u64), self.world.symbols.counts.word(eight).bits()].map(|number| {
            let mut bytes = number;
            bytes.as_chunks_mut::<8>().0.reverse();
            bytes
        });
        let hash = self.reference.hash_on(&[Bit::ZERO; 128], &ciphertext);
        let hash = self.reference.hash_on(&hash, lengths.as_flattened());
        let mask = *self.reference.keystream(1, &mut self.world.symbols);
        let hashed = std::array::from_fn(|bit| tag[bit] ^ mask[bit] ^ hash[bit]);
        Ok((hashed, bytes.div_ceil(16)))
    }
}

impl LongCase {
    /// A place of a line, in each case another.
    fn shift(&self, by: usize) -> u64 {
        (self.shortest / self.vector * by % 64) as u64
    }

    fn input(&self) -> u64 {
        INPUT + self.shift(5)
    }

    fn output(&self) -> u64 {
        if self.is_in_place { self.input() } else { OUTPUT + self.shift(11) }
    }

    fn bytes(&self) -> Count {
        let bytes = Count::known(self.shortest as u64).and(self.period as i64, Unknown::Periods);
        if self.endings > 1 { bytes.and(1, Unknown::Rest) } else { bytes }
    }
}

/// What all turns of a loop share.
struct Loop {
    case: LongCase,
    /// Bytes written before the first turn.
    written: u64,
    kept: Vec<Word>,
    /// The tag that is given for opening, and where tags are.
    tag: Block,
    tag_at: u64,
}

impl Loop {
    /// Where the input and the output of a turn are.
    fn places(&self, done: Count) -> [(u64, [i64; 3]); 2] {
        [self.case.input(), self.case.output()].map(|start| {
            let times = |number: i64| number * self.case.period as i64;
            (start + self.written + times(done.constant).cast_unsigned(), done.of.map(times))
        })
    }
}

/// Adds input and output, which may be the same, to memory.
fn lay(memory: &mut crate::memory::Memory, places: [(u64, [i64; 3]); 2], text: &[Bit]) -> Result<(), Refusal> {
    let [(input, _), (output, moved)] = places;
    let is_in_place = input == output;
    let bytes = text.len() as u64 / 8;
    let access = if is_in_place { Access::BOTH } else { Access::WRITE };
    for name in ["the input", OUTPUT_NAME] {
        memory.remove(name);
    }
    memory.moved = moved;
    memory.add(Region::unknown(OUTPUT_NAME, output, bytes, access).counted().moved(moved));
    if !is_in_place {
        memory.add(Region::unknown("the input", input, bytes, Access::READ).moved(moved));
    }
    memory.prepare(input, text)?;
    memory.moved = [0; 3];
    Ok(())
}

/// Compares what was written with what ought to be.
fn compare(
    machine: &mut Machine,
    symbols: &mut crate::symbols::Symbols,
    (address, moved): (u64, [i64; 3]),
    expected: &[Bit],
    (place, what): (&Place, &str),
) -> Result<(), Refusal> {
    let mut found = vec![Bit::ZERO; expected.len()];
    machine.memory.moved = moved;
    machine.memory.look(address, &mut found, symbols)?;
    machine.memory.moved = [0; 3];
    if let Some(bit) = (0..expected.len()).find(|&bit| found[bit] != expected[bit]) {
        let (byte, block) = (bit / 8, bit / 128);
        let Count { constant, of: [_, done, _] } = place.counter + Count::known(block as u64);
        let counter = if done == 0 { constant.to_string() } else { format!("{constant} + {done}·turns") };
        return Err(wrong(&format!(
            "byte {byte} of the output {what} is wrong (bit {}): in block {block} it ought to be the input + E(K, \
             counter {counter})",
            bit % 8
        )));
    }
    let writes = machine.memory.writes(OUTPUT_NAME);
    match writes.iter().take(expected.len() / 8).position(|&count| count != 1) {
        None => Ok(()),
        Some(byte) => Err(wrong(&format!("byte {byte} of the output {what} is written {} times", writes[byte]))),
    }
}

fn wrong(what: &str) -> Refusal {
    Refusal::Wrong(what.to_owned())
}

impl fmt::Display for LongCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, shortest, aad_bytes, is_in_place, period, endings, .. } = self;
        let direction = if *direction == Direction::Sealing { "sealing" } else { "opening" };
        let place = if *is_in_place { "in place" } else { "from buffer to buffer" };
        write!(
            f,
            "{direction} {shortest} to {} bytes and any multiple of {period} more, {place}",
            shortest + endings - 1
        )?;
        write!(f, " with AAD of {aad_bytes}")
    }
}
