//! Proves messages of any length by induction over the iterations of the main loop.
//!
//! The prover executes three pieces of code: from the start of the call to the loop, one arbitrary iteration, and from
//! the loop to the end of the call. `Invariant` describes the state at the head of the loop in every iteration. An
//! iteration here is a loop period: one pass of the main loop over its table of powers of H, after which the code is at
//! the same instruction again.

mod invariant;
mod names;

use std::fmt;

use crate::affine::{AffineForm, Domain, SymbolicNumber};
use crate::case::{
    AUTHENTICATION_FAILED, Call, INPUT, MessageProver, OK, OUTPUT_NAME, TAG_NAME, place_in_words, verdict_conditions,
};
use crate::execution::{MAX_STEPS, RETURN, Stop, run, step};
use crate::field::Bit;
use crate::machine::{Flag, Machine};
use crate::memory::{Access, Memory, Region, WindowedBuffer};
use crate::reference::{Block, Direction, multiply_blocks};
use crate::refusal::Refusal;
use crate::symbols::Symbols;
use crate::word::Word;
use invariant::{FreeValues, Invariant, Iteration};
use names::{MARGIN, Position};

/// Message lengths proven by one induction: `shortest` + n × `period` + e bytes, for all n ≥ 0 and 0 ≤ e < `endings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongCase {
    pub direction: Direction,
    /// Length in bytes of the shortest message.
    pub shortest: usize,
    pub aad_bytes: usize,
    /// Whether input and output are the same buffer.
    pub is_in_place: bool,
    /// Number of text bytes in a loop period (one pass of the main loop over its table of powers of H).
    pub period: usize,
    /// Size in bytes of the unit in which the code counts the message length: a vector or a block.
    pub vector: usize,
    /// Number of consecutive message lengths for which the code up to the main loop is the same. It is 1 if the message
    /// ends with a full vector, otherwise `vector - 1`.
    pub endings: usize,
}

/// Maximum message length in bytes for proofs by induction: 1 GiB - 1, half of what the C functions accept
/// (`c-abi/src/buffers/message.rs`).
const MAX_MESSAGE_BYTES: i64 = (1 << 30) - 1;

/// Address of the output buffer, unless a call works in place. Its distance to the input buffer is larger than the
/// longest message.
const OUTPUT: u64 = INPUT - (1 << 40);

/// State of an execution at the head of the main loop.
struct LoopHead {
    machine: Machine,
    /// Number of output bytes written before this state.
    written: u64,
    /// Number of instructions executed from the start of the call to this state.
    steps: u64,
}

/// The part of a tag that depends on the GHASH value at the head of the main loop: this value times a power of H, whose
/// exponent is the number of blocks hashed later.
type HashBefore = Block;

impl MessageProver {
    /// Proves that sealing or opening follows the standard for all message lengths in `case`.
    ///
    /// # Errors
    /// The first difference from the standard.
    pub fn prove_long(&mut self, case: &LongCase) -> Result<(), Refusal> {
        self.context.symbols.begin_call();
        // All cases with the same period have the same domain, and share variables.
        let most = MAX_MESSAGE_BYTES / case.period as i64 - 5;
        self.context.symbols.affine_forms.set_min_periods(0);
        self.context.symbols.affine_forms.set_domain(Domain { periods: [0, most], rest: case.vector as i64 - 2 });
        let mut tag = [Bit::ZERO; 128];
        self.context.symbols.fill(&mut tag);
        let Call { machine, saved, tag: tag_at, .. } = self.begin_long(case, &tag)?;
        let mut other_text = vec![Bit::ZERO; 8 * case.shortest];
        self.context.symbols.fill(&mut other_text);
        let (call, position) = (machine.clone(), self.context.symbols.position());
        let [first, second] = self.find_loop_heads(case, machine)?;
        let position = self.context.symbols.rewind(position);
        let replayed = self.replay(case, call, &first, &other_text)?;
        self.context.symbols.rewind(position);
        let looping = LoopContext { case: *case, written: first.written, saved, tag, tag_at };

        let counter = |written: u64| AffineForm::constant(2 + written / 16);
        let text = self.reference.whole_text();
        let mut start = Position::new(counter(first.written), &text, first.written as usize);
        let mut after = Position::new(counter(second.written), &text, second.written as usize);
        let symbols = &mut self.context.symbols;
        let places = ((&first.machine, &mut start), (&second.machine, &mut after));
        let mut invariant = Invariant::new(places.0, places.1, &replayed, &self.reference, symbols);

        // Executes an arbitrary iteration, and weakens the invariant until it also holds at the end.
        let done = AffineForm::default().plus(1, SymbolicNumber::Done);
        let blocks = case.period as i64 / 16;
        // The iteration has new text, so that data kept from earlier text is not mistaken for its own.
        let mut text = vec![Bit::ZERO; 8 * (2 * MARGIN + 2 * case.period + case.shortest + case.endings)];
        self.context.symbols.fill(&mut text);
        let text = text.into();
        let mut position = Position::new(counter(first.written).plus(blocks, SymbolicNumber::Done), &text, MARGIN);
        let mut next =
            Position::new(position.counter + AffineForm::constant(blocks as u64), &text, MARGIN + case.period);
        let iteration = Iteration { done, end: None };
        let next_iteration = Iteration { done: done + AffineForm::constant(1), end: None };
        let (free, behind) = loop {
            let free = invariant.free_values(None, &mut self.context.symbols);
            let mut machine = second.machine.clone();
            invariant.apply_to(
                &mut machine,
                iteration,
                (&mut position, &free),
                &self.reference,
                &mut self.context.symbols,
            )?;
            let behind = self.period(&looping, machine, &mut position)?;
            let symbols = &mut self.context.symbols;
            let is_weakened = invariant.weaken(&behind, next_iteration, &mut next, &self.reference, symbols)?;
            if !is_weakened {
                break (free, behind);
            }
        };

        self.context.symbols.affine_forms.set_min_periods(0);
        self.compare_text(case, &first)?;

        // The hash's contribution to the tag in the shortest ending.
        let base = second.machine;
        let end = |prover: &mut Self, done: AffineForm, rest: usize, position: &mut Position, free: &FreeValues| {
            let iteration = Iteration { done, end: Some(rest as u64) };
            prover.run_ending(&looping, &invariant, base.clone(), (iteration, rest), (position, free))
        };
        let (hashed, blocks_left) = end(self, done, 0, &mut position, &free)?;
        // An iteration must add its blocks to the hash.
        let actual = invariant.free_values(Some(&behind), &mut self.context.symbols);
        let (at_next, _) = end(self, done + AffineForm::constant(1), 0, &mut next, &actual)?;
        let text = self.ciphertext(case.direction, &mut position, case.period);
        let added = self.reference.extend_hash(&[Bit::ZERO; 128], &text);
        let added = multiply_blocks(&added, &self.reference.power(blocks_left + 1));
        let before = multiply_blocks(&hashed, &self.reference.power(case.period / 16));
        // Multiplying by the power increases the degree.
        self.context.symbols.tally.degree += (case.period / 16) as u32;
        let difference: Block = std::array::from_fn(|bit| at_next[bit] ^ before[bit] ^ added[bit]);
        if difference != [Bit::ZERO; 128] {
            let blocks = text.chunks(128).enumerate();
            let missing = blocks.into_iter().find_map(|(index, block)| {
                let power = case.period / 16 - index + blocks_left + 1;
                let product = self.reference.times_power(block, power);
                (product == difference).then(|| format!(": block {index} of it is missing, times H^{power} at the end"))
            });
            let missing = missing.unwrap_or_default();
            return Err(Refusal::wrong(format!("behind a turn the sums are not the hash of what is written{missing}")));
        }
        // Before the first iteration the hash must be that of the AAD and the text so far.
        let actual = invariant.free_values(Some(&first.machine), &mut self.context.symbols);
        let (at_start, _) = end(self, AffineForm::default(), 0, &mut start, &actual)?;
        let aad = self.reference.aad(case.aad_bytes).to_vec();
        let symbols = &mut self.context.symbols;
        let hash = self.reference.hash(case.direction, &aad, first.written as usize / 16, symbols);
        if at_start != multiply_blocks(&hash, &self.reference.power(blocks_left + 1)) {
            return Err(Refusal::wrong("before the first turn the sums are not the hash of what is written"));
        }
        // The other endings must have the same hash at the loop head.
        for rest in 1..case.endings {
            let (other, blocks) = end(self, done, rest, &mut position, &free)?;
            let expected = match blocks - blocks_left {
                0 => hashed,
                more => multiply_blocks(&hashed, &self.reference.power(more)),
            };
            if other != expected {
                return Err(Refusal::wrong(format!("with {rest} bytes more at the end the tag has another hash")));
            }
        }
        Ok(())
    }

    /// Sets up a call for all message lengths in `case`, without executing an instruction. The length argument is
    /// symbolic; the text buffers have the size of the shortest message.
    fn begin_long(&mut self, case: &LongCase, tag: &Block) -> Result<Call, Refusal> {
        let whole = case.bytes();
        let bytes = self.context.symbols.affine_forms.to_word(whole);
        let places = [case.shift(7), case.shift(9), case.shift(3), case.input(), case.output()];
        let mut call = self.begin_at(case.direction, (&bytes, case.aad_bytes), places, tag)?;
        self.replace_text_buffers(case, &mut call.machine, case.shortest)?;
        Ok(call)
    }

    fn replace_text_buffers(&mut self, case: &LongCase, machine: &mut Machine, bytes: usize) -> Result<(), Refusal> {
        let places = [case.input(), case.output()].map(|start| (start, [0; 3]));
        replace_buffers(&mut machine.memory, places, self.reference.text(bytes))
    }

    /// Executes a call to find two states at the head of the main loop. The first is the last state there before a
    /// branch or address depends on the symbolic number of loop periods ([`SymbolicNumber::Periods`]). The second is
    /// one loop period (one pass of the main loop over its table of powers of H) later; only messages longer than the
    /// shortest one reach the second state.
    fn find_loop_heads(&mut self, case: &LongCase, mut machine: Machine) -> Result<[LoopHead; 2], Refusal> {
        let mut first: Option<LoopHead> = None;
        let (mut is_more, mut before_more) = (false, 0);
        for steps in 1..=MAX_STEPS {
            let before = machine.next;
            let done = step(&mut machine, &mut self.context).and_then(|stop| match stop {
                None if machine.next == RETURN => Err(Refusal::wrong("it does not depend on the length")),
                None => Ok(()),
                Some(_) => Err(Refusal::Secret("a branch").at_instruction(self.context.code.describe(before))),
            });
            match (done, &first) {
                (Ok(()), _) => {}
                (Err(_), Some(head)) if !is_more => {
                    // Execution continues from the head, because the undecided condition may already be in the flags.
                    (is_more, before_more, machine) = (true, head.written, head.machine.clone());
                    self.context.symbols.affine_forms.set_min_periods(1);
                    self.replace_text_buffers(case, &mut machine, case.shortest + case.period)?;
                    continue;
                }
                (Err(why), _) => return Err(why),
            }
            let written = before_more + machine.memory.bytes_written(OUTPUT_NAME);
            match &first {
                Some(_) if is_more => {
                    let is_it = |head: &LoopHead| {
                        machine.next == head.machine.next && written == head.written + case.period as u64
                    };
                    if let Some(first) = first.take_if(|head| is_it(head)) {
                        return Ok([first, LoopHead { machine, written, steps }]);
                    }
                }
                _ if machine.next <= before && written > 0 && !self.context.code.is_call(before) => {
                    first = Some(LoopHead { machine: machine.clone(), written, steps });
                }
                _ => {}
            }
        }
        Err(Refusal::Stuck("does not come to a loop"))
    }

    /// Executes the call again with other input, `text`, up to the state `head` at the head of the main loop. Returns
    /// the machine in that state.
    fn replay(
        &mut self,
        case: &LongCase,
        mut machine: Machine,
        head: &LoopHead,
        text: &[Bit],
    ) -> Result<Machine, Refusal> {
        self.context.symbols.affine_forms.set_min_periods(0);
        let places = [case.input(), case.output()].map(|start| (start, [0; 3]));
        replace_buffers(&mut machine.memory, places, text)?;
        for _ in 0..head.steps {
            if step(&mut machine, &mut self.context)?.is_some() {
                return Err(Refusal::Secret("a branch"));
            }
        }
        self.context.symbols.affine_forms.set_min_periods(1);
        Ok(machine)
    }

    /// Compares the output that was written before the main loop with the standard.
    fn compare_text(&mut self, case: &LongCase, head: &LoopHead) -> Result<(), Refusal> {
        let aad = self.reference.aad(case.aad_bytes).to_vec();
        let bytes = head.written as usize;
        let expected = self.reference.message(case.direction, &aad, bytes, &mut self.context.symbols).text;
        let mut machine = head.machine.clone();
        let start = Position::new(AffineForm::constant(2), &self.reference.whole_text(), 0);
        let symbols = &mut self.context.symbols;
        compare_output(&mut machine, symbols, (case.output(), [0; 3]), &expected, (&start, "before the first turn"))
    }

    /// Executes one loop period (one pass of the main loop over its table of powers of H), and compares the output with
    /// the standard. Returns the machine, which is at the head of the loop again.
    fn period(
        &mut self,
        looping: &LoopContext,
        mut machine: Machine,
        position: &mut Position,
    ) -> Result<Machine, Refusal> {
        let case = &looping.case;
        let (head, bytes) = (machine.next, case.shortest + case.period - looping.written as usize);
        let explain_tag = machine.memory.write_counts(TAG_NAME).to_vec();
        let places = looping.places(AffineForm::default().plus(1, SymbolicNumber::Done));
        replace_buffers(&mut machine.memory, places, position.input(0, bytes).unwrap_or_default())?;
        for steps in 0.. {
            if steps == MAX_STEPS {
                return Err(Refusal::Stuck("does not come back to the head of the loop"));
            }
            match step(&mut machine, &mut self.context)? {
                None if machine.next == RETURN => return Err(Refusal::wrong("it returns out of a turn")),
                None => {}
                Some(_) => return Err(Refusal::Secret("a branch")),
            }
            let written = machine.memory.bytes_written(OUTPUT_NAME);
            if machine.next == head && written >= case.period as u64 {
                if written > case.period as u64 {
                    return Err(Refusal::wrong("a turn writes more than a period"));
                }
                break;
            }
        }
        if machine.memory.write_counts(TAG_NAME) != explain_tag {
            return Err(Refusal::wrong("a turn writes the tag"));
        }
        let expected = position.output(case.period, &self.reference, &mut self.context.symbols);
        compare_output(&mut machine, &mut self.context.symbols, places[1], &expected, (position, "in a turn"))?;
        Ok(machine)
    }

    /// Returns `bytes` bytes of ciphertext from `position` on. Ciphertext is the output when sealing, and the input
    /// when opening.
    fn ciphertext(&mut self, direction: Direction, position: &mut Position, bytes: usize) -> Vec<Bit> {
        match direction {
            Direction::Sealing => position.output(bytes, &self.reference, &mut self.context.symbols),
            Direction::Opening => position.input(0, bytes).unwrap_or_default().to_vec(),
        }
    }

    /// Executes from the head of the main loop to the return of the call. Returns the part of the tag that depends on
    /// the GHASH value at the head of the loop ([`HashBefore`]), and the number of text blocks hashed after the head.
    /// Computes this part from the tag by removing the contributions of all blocks hashed later.
    fn run_ending(
        &mut self,
        looping: &LoopContext,
        invariant: &Invariant,
        mut machine: Machine,
        (iteration, rest): (Iteration, usize),
        (position, free): (&mut Position, &FreeValues),
    ) -> Result<(HashBefore, usize), Refusal> {
        let case = &looping.case;
        let seals = case.direction == Direction::Sealing;
        let bytes = case.shortest + rest - looping.written as usize;
        invariant.apply_to(&mut machine, iteration, (position, free), &self.reference, &mut self.context.symbols)?;
        let places = looping.places(iteration.done);
        let text = position.input(0, bytes).unwrap_or_default().to_vec();
        replace_buffers(&mut machine.memory, places, &text)?;
        let mut call = Call { machine, saved: looping.saved.clone(), output: 0, tag: looping.tag_at };
        let tag = if seals {
            call.expect_return(self, OK)?;
            let mut tag = [Bit::ZERO; 128];
            call.machine.memory.symbolic_offset = [0; 3];
            call.machine.memory.peek(call.tag, &mut tag, &mut self.context.symbols)?;
            call.expect_written_once(TAG_NAME)?;
            tag
        } else {
            let Stop::Verdict(asked) = run(&mut call.machine, &mut self.context)? else {
                return Err(Refusal::wrong("it returned without asking whether the tags are the same"));
            };
            let tag = invariant::find_block(&call.machine, |block| {
                let bit = |position: usize| block[position] ^ looping.tag[position];
                // The first bit of each of the three possible tests.
                let first = match asked.len() {
                    0..=16 => (1..8).fold(bit(0), |all, position| all.or(bit(position))),
                    17..=64 => bit(0).or(bit(64)),
                    _ => bit(0),
                };
                asked.contains(&first) && verdict_conditions(&std::array::from_fn(bit)).contains(&asked)
            });
            let tag = tag.ok_or_else(|| {
                Refusal::Wrong(format!(
                    "it asks whether {} secret bits are zero, which are not those by which two tags differ",
                    asked.len()
                ))
                .at_instruction(self.context.code.describe(call.machine.next))
            })?;
            let mut forged = Call { machine: call.machine.clone(), saved: call.saved.clone(), ..call };
            forged.machine.flags.zero = Flag::Bit(Bit::ZERO);
            let (start, bytes) = (case.output(), case.bytes());
            forged.machine.memory.windowed = Some(WindowedBuffer { name: OUTPUT_NAME, start, bytes, is_clear: false });
            call.machine.flags.zero = Flag::Bit(Bit::ONE);
            forged.expect_return(self, AUTHENTICATION_FAILED)?;
            if !forged.machine.memory.windowed.is_some_and(|whole| whole.is_clear) {
                return Err(Refusal::wrong("of a forgery nothing may be left"));
            }
            call.expect_return(self, OK)?;
            tag
        };
        let expected = position.output(bytes, &self.reference, &mut self.context.symbols);
        let what = format!("in an ending of {bytes} bytes");
        compare_output(&mut call.machine, &mut self.context.symbols, places[1], &expected, (position, &what))?;
        call.expect_written_once(OUTPUT_NAME)?;

        let ciphertext = if seals { expected } else { text };
        let whole = case.bytes();
        let bits = |count: u64| Word::Known(8 * count).bits();
        let eight = AffineForm { constant: 8 * whole.constant, coefficients: whole.coefficients.map(|of| 8 * of) };
        let lengths =
            [bits(case.aad_bytes as u64), self.context.symbols.affine_forms.to_word(eight).bits()].map(|number| {
                let mut bytes = number;
                bytes.as_chunks_mut::<8>().0.reverse();
                bytes
            });
        let hash = self.reference.extend_hash(&[Bit::ZERO; 128], &ciphertext);
        let hash = self.reference.extend_hash(&hash, lengths.as_flattened());
        let mask = *self.reference.keystream(1, &mut self.context.symbols);
        let hashed = std::array::from_fn(|bit| tag[bit] ^ mask[bit] ^ hash[bit]);
        Ok((hashed, bytes.div_ceil(16)))
    }
}

impl LongCase {
    /// Returns an offset below 64 bytes for a buffer's address, so that buffers of different cases have different
    /// alignments. `by` distinguishes the buffers of one case.
    fn shift(&self, by: usize) -> u64 {
        (self.shortest / self.vector * by % 64) as u64
    }

    fn input(&self) -> u64 {
        INPUT + self.shift(5)
    }

    fn output(&self) -> u64 {
        if self.is_in_place { self.input() } else { OUTPUT + self.shift(11) }
    }

    /// Returns the message length in bytes as an affine form: `shortest`, plus `period` times
    /// [`SymbolicNumber::Periods`]. If the case has several endings, [`SymbolicNumber::Rest`] is added.
    fn bytes(&self) -> AffineForm {
        let bytes = AffineForm::constant(self.shortest as u64).plus(self.period as i64, SymbolicNumber::Periods);
        if self.endings > 1 { bytes.plus(1, SymbolicNumber::Rest) } else { bytes }
    }
}

/// Data that all iterations of the main loop share.
struct LoopContext {
    case: LongCase,
    /// Number of output bytes written before the first iteration of the main loop.
    written: u64,
    saved: Vec<Word>,
    /// Tag passed to a call that opens a message.
    tag: Block,
    tag_at: u64,
}

impl LoopContext {
    /// Returns the addresses of input and output in the iteration after `done` earlier ones. Each address is a constant
    /// plus coefficients for the symbolic numbers ([`Memory::symbolic_offset`]).
    fn places(&self, done: AffineForm) -> [(u64, [i64; 3]); 2] {
        [self.case.input(), self.case.output()].map(|start| {
            let times_period = |number: i64| number * self.case.period as i64;
            (start + self.written + times_period(done.constant).cast_unsigned(), done.coefficients.map(times_period))
        })
    }
}

/// Replaces the memory regions of the input and output buffers, and writes `text` to the input. `places` has the
/// addresses of input and output, each a constant and the coefficients of the symbolic numbers. If both addresses are
/// equal, input and output are one buffer.
fn replace_buffers(memory: &mut Memory, places: [(u64, [i64; 3]); 2], text: &[Bit]) -> Result<(), Refusal> {
    let [(input, _), (output, moved)] = places;
    let is_in_place = input == output;
    let bytes = text.len() as u64 / 8;
    let access = if is_in_place { Access::BOTH } else { Access::WRITE };
    for name in ["the input", OUTPUT_NAME] {
        memory.remove(name);
    }
    memory.symbolic_offset = moved;
    memory.add(Region::unknown(OUTPUT_NAME, output, bytes, access).with_write_counts().with_symbolic_offset(moved));
    if !is_in_place {
        memory.add(Region::unknown("the input", input, bytes, Access::READ).with_symbolic_offset(moved));
    }
    memory.poke(input, text)?;
    memory.symbolic_offset = [0; 3];
    Ok(())
}

/// Compares output with the expected bits, and checks that the code has written each byte exactly once.
fn compare_output(
    machine: &mut Machine,
    symbols: &mut Symbols,
    (address, moved): (u64, [i64; 3]),
    expected: &[Bit],
    (position, what): (&Position, &str),
) -> Result<(), Refusal> {
    let mut found = vec![Bit::ZERO; expected.len()];
    machine.memory.symbolic_offset = moved;
    machine.memory.peek(address, &mut found, symbols)?;
    machine.memory.symbolic_offset = [0; 3];
    if let Some(bit) = (0..expected.len()).find(|&bit| found[bit] != expected[bit]) {
        let (byte, block) = (bit / 8, bit / 128);
        let AffineForm { constant, coefficients: [_, done, _] } = position.counter + AffineForm::constant(block as u64);
        let counter = if done == 0 { constant.to_string() } else { format!("{constant} + {done}·turns") };
        return Err(Refusal::wrong(format!(
            "byte {byte} of the output {what} is wrong (bit {}): in block {block} it ought to be the input + E(K, \
             counter {counter})",
            bit % 8
        )));
    }
    let writes = machine.memory.write_counts(OUTPUT_NAME);
    match writes.iter().take(expected.len() / 8).position(|&count| count != 1) {
        None => Ok(()),
        Some(byte) => {
            Err(Refusal::wrong(format!("byte {byte} of the output {what} is written {} times", writes[byte])))
        }
    }
}

impl fmt::Display for LongCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, shortest, aad_bytes, is_in_place, period, endings, .. } = self;
        let place = place_in_words(*is_in_place);
        write!(
            f,
            "{direction} {shortest} to {} bytes and any multiple of {period} more, {place}",
            shortest + endings - 1
        )?;
        write!(f, " with AAD of {aad_bytes}")
    }
}
