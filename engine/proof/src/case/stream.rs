//! A message in parts.

use std::fmt;
use std::io;

use super::{AAD, Call, FORGED, INPUT, Keyed, NONCE, OK, OUTPUT, OUTPUT_NAME, TAG, TAG_NAME, enter, leave};
use crate::execution::{Stop, run};
use crate::field::Bit;
use crate::library::Library;
use crate::machine::Machine;
use crate::memory::{Access, Region};
use crate::reference::Direction;
use crate::refusal::Refusal;
use crate::word::Word;

/// A message in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamCase {
    /// Which way.
    pub direction: Direction,
    /// Bytes of each piece of the text.
    pub pieces: Vec<usize>,
    /// Bytes of each piece of the AAD.
    pub aad_pieces: Vec<usize>,
    /// Whether the output takes the place of the input.
    pub is_in_place: bool,
}

/// Where the calls of one direction begin.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    new: u64,
    aad: u64,
    update: u64,
    finish: u64,
}

impl Entries {
    pub(super) fn of(library: &Library, direction: Direction) -> io::Result<Self> {
        let kind = if direction == Direction::Sealing { "sealing" } else { "opening" };
        let symbol = |name: &str| library.symbol(&format!("kasoku_gcm_{kind}_{name}"));
        Ok(Self { new: symbol("new")?, aad: symbol("aad")?, update: symbol("update")?, finish: symbol("finish")? })
    }
}

impl StreamCase {
    fn bytes(&self) -> usize {
        self.pieces.iter().sum()
    }

    fn aad_bytes(&self) -> usize {
        self.aad_pieces.iter().sum()
    }
}

impl Keyed {
    /// Executes the calls of a message in parts, and compares all that comes of them with the standard. What is opened
    /// stays where it is even if it is forged, as it is documented to be unverified.
    ///
    /// # Errors
    /// What is wrong.
    pub fn prove_stream(&mut self, case: &StreamCase) -> Result<(), Refusal> {
        self.world.symbols.begin_call();
        let (bytes, aad_bytes) = (case.bytes(), case.aad_bytes());
        let aad = self.reference.aad(aad_bytes).to_vec();
        let expected = self.reference.message(case.direction, &aad, bytes, &mut self.world.symbols);
        let mut tag = [Bit::ZERO; 128];
        self.world.symbols.fill(&mut tag);

        let seals = case.direction == Direction::Sealing;
        let mut machine = self.machine.clone();
        // A message in parts counts a reference to the key; the expanded key, some kilobytes, is not written.
        machine.memory.allow_small("the heap", 256, Access::BOTH);
        let shift = |by: usize| ((bytes * by + aad_bytes * (by + 6) + case.pieces.len()) % 64) as u64;
        let (nonce_at, aad_at, input) = (NONCE + shift(5), AAD + shift(29), INPUT + shift(7));
        let output = if case.is_in_place { input } else { OUTPUT + shift(11) };
        let mut lay = |name: &str, address: u64, bits: &[Bit], access: Access| {
            if bits.is_empty() {
                return Ok(());
            }
            machine.memory.add(Region::unknown(name, address, bits.len() as u64 / 8, access).counted());
            if access.read { machine.memory.prepare(address, bits) } else { Ok(()) }
        };
        lay("the nonce", nonce_at, &self.nonce, Access::READ)?;
        lay("the AAD", aad_at, &aad, Access::READ)?;
        lay(TAG_NAME, TAG, &tag, if seals { Access::WRITE } else { Access::READ })?;
        let text = self.reference.text(bytes);
        if case.is_in_place {
            lay(OUTPUT_NAME, output, text, Access::BOTH)?;
        } else {
            lay("the input", input, text, Access::READ)?;
            lay(OUTPUT_NAME, output, text, Access::WRITE)?;
        }

        let entries = self.streams[case.direction as usize];
        let stream = self.begin_stream(&mut machine, entries, nonce_at)?;
        let mut at = 0;
        for &piece in &case.aad_pieces {
            self.step(&mut machine, entries.aad, &[stream, aad_at + at, piece as u64])?;
            at += piece as u64;
        }
        let mut at = 0;
        for &piece in &case.pieces {
            self.step(&mut machine, entries.update, &[stream, input + at, piece as u64, output + at])?;
            at += piece as u64;
        }
        let kept = enter(&mut machine, &mut self.world, entries.finish, &[stream, TAG])?;
        let mut call = Call { machine, kept, output };
        if !seals {
            let mut forged = call.branch_on_verdict(self, &expected.tag, &tag)?;
            forged.expect_return(self, FORGED)?;
        }
        call.expect_return(self, OK)?;
        call.expect_bytes(self, OUTPUT_NAME, output, &expected.text, |_, _| "of a message in parts".to_owned())?;
        call.expect_written_once(OUTPUT_NAME)?;
        if seals {
            call.expect_bytes(self, TAG_NAME, TAG, &expected.tag, |_, _| "of a message in parts".to_owned())?;
            call.expect_written_once(TAG_NAME)?;
        }
        Ok(())
    }

    /// Where the object is that a message in parts has.
    fn begin_stream(&mut self, machine: &mut Machine, entries: Entries, nonce: u64) -> Result<u64, Refusal> {
        use iced_x86::Register::RAX;
        let kept = enter(machine, &mut self.world, entries.new, &[self.key, nonce, 12])?;
        self.expect_end(machine)?;
        let stream = machine.known(RAX, "what is returned", &mut self.world.symbols)?;
        // What is returned is looked at here: the rest has to be as the ABI has it.
        machine.set_integer(RAX, Word::Known(OK.into()));
        leave(machine, &mut self.world, &kept, OK)?;
        if stream == 0 { Err(Refusal::Wrong("there is no object".to_owned())) } else { Ok(stream) }
    }

    /// A call that has to return `KASOKU_OK`.
    fn step(&mut self, machine: &mut Machine, entry: u64, arguments: &[u64]) -> Result<(), Refusal> {
        let kept = enter(machine, &mut self.world, entry, arguments)?;
        self.expect_end(machine)?;
        leave(machine, &mut self.world, &kept, OK)
    }

    fn expect_end(&mut self, machine: &mut Machine) -> Result<(), Refusal> {
        match run(machine, &mut self.world)? {
            Stop::Returned => Ok(()),
            Stop::Verdict(_) => Err(Refusal::Secret("a branch")),
        }
    }
}

impl fmt::Display for StreamCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, pieces, aad_pieces, is_in_place } = self;
        let direction = if *direction == Direction::Sealing { "sealing" } else { "opening" };
        let place = if *is_in_place { "in place" } else { "from buffer to buffer" };
        write!(f, "{direction} pieces of {pieces:?} bytes {place} with AAD in pieces of {aad_pieces:?}")
    }
}
