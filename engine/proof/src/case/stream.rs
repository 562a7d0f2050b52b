//! A message in parts.

use std::fmt;
use std::io;

use iced_x86::Register::RAX;

use super::{AAD, Call, FORGED, INPUT, Keyed, NONCE, OK, OUTPUT, OUTPUT_NAME, TAG, TAG_NAME, enter, leave};
use crate::execution::{Stop, run};
use crate::field::Bit;
use crate::library::Library;
use crate::machine::Machine;
use crate::memory::{Access, Region};
use crate::outside::HEAP_NAME;
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
    free: u64,
}

impl Entries {
    pub(super) fn of(library: &Library, direction: Direction) -> io::Result<Self> {
        let kind = if direction == Direction::Sealing { "sealing" } else { "opening" };
        let symbol = |name: &str| library.symbol(&format!("kasoku_gcm_{kind}_{name}"));
        Ok(Self {
            new: symbol("new")?,
            aad: symbol("aad")?,
            update: symbol("update")?,
            finish: symbol("finish")?,
            free: symbol("free")?,
        })
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
        let counts = machine.memory.allow_small(HEAP_NAME, 256);
        let shift = |by: usize| ((bytes * by + aad_bytes * (by + 6) + case.pieces.len()) % 64) as u64;
        let (nonce_at, aad_at, tag_at, input) = (NONCE + shift(5), AAD + shift(29), TAG + shift(3), INPUT + shift(7));
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
        lay(TAG_NAME, tag_at, &tag, if seals { Access::WRITE } else { Access::READ })?;
        let text = self.reference.text(bytes);
        if case.is_in_place {
            lay(OUTPUT_NAME, output, text, Access::BOTH)?;
        } else {
            lay("the input", input, text, Access::READ)?;
            lay(OUTPUT_NAME, output, text, Access::WRITE)?;
        }

        let entries = self.streams[case.direction as usize];
        let before = self.read(&mut machine, &counts)?;
        self.world.outside.allocates = true;
        let stream = self.begin_stream(&mut machine, entries, nonce_at);
        self.world.outside.allocates = false;
        let stream = stream?;
        let mut at = 0;
        for &piece in &case.aad_pieces {
            self.step(&mut machine, entries.aad, &[stream, aad_at + at, piece as u64], true)?;
            at += piece as u64;
        }
        let mut at = 0;
        for &piece in &case.pieces {
            self.step(&mut machine, entries.update, &[stream, input + at, piece as u64, output + at], true)?;
            at += piece as u64;
        }
        let kept = enter(&mut machine, &mut self.world, entries.finish, &[stream, tag_at])?;
        let mut call = Call { machine, kept, output, tag: tag_at };
        let forged = if seals { None } else { Some(call.branch_on_verdict(self, &expected.tag, &tag)?) };
        for (mut call, code) in forged.map(|forged| (forged, FORGED)).into_iter().chain([(call, OK)]) {
            call.expect_return(self, code)?;
            call.expect_bytes(self, OUTPUT_NAME, output, &expected.text, |_, _| "of a message in parts".to_owned())?;
            call.expect_written_once(OUTPUT_NAME)?;
            if seals {
                call.expect_bytes(self, TAG_NAME, tag_at, &expected.tag, |_, _| "of a message in parts".to_owned())?;
                call.expect_written_once(TAG_NAME)?;
            }
            let mut machine = call.machine;
            self.step(&mut machine, entries.free, &[stream], false)?;
            if machine.memory.look(stream, &mut [Bit::ZERO; 8], &mut self.world.symbols).is_ok() {
                return Err(Refusal::Wrong("the object of the message is not given back".to_owned()));
            }
            if self.read(&mut machine, &counts)? != before {
                return Err(Refusal::Wrong("beside the key is not what was there before the message".to_owned()));
            }
        }
        Ok(())
    }

    /// What is in memory at these places.
    fn read(&mut self, machine: &mut Machine, places: &[(u64, u64)]) -> Result<Vec<Bit>, Refusal> {
        let mut all = Vec::new();
        for &(start, bytes) in places {
            let mut bits = vec![Bit::ZERO; 8 * bytes as usize];
            machine.memory.look(start, &mut bits, &mut self.world.symbols)?;
            all.extend(bits);
        }
        Ok(all)
    }

    /// Where the object is that a message in parts has.
    fn begin_stream(&mut self, machine: &mut Machine, entries: Entries, nonce: u64) -> Result<u64, Refusal> {
        let returned = self.step(machine, entries.new, &[self.key, nonce, 12], false)?;
        match returned.known().ok_or(Refusal::Secret("what is returned"))? {
            0 => Err(Refusal::Wrong("there is no object".to_owned())),
            stream => Ok(stream),
        }
    }

    /// A call, which may have to return `KASOKU_OK`. What it returned.
    fn step(
        &mut self,
        machine: &mut Machine,
        entry: u64,
        arguments: &[u64],
        returns_code: bool,
    ) -> Result<Word, Refusal> {
        let kept = enter(machine, &mut self.world, entry, arguments)?;
        let Stop::Returned = run(machine, &mut self.world)? else { return Err(Refusal::Secret("a branch")) };
        let returned = machine.integer(RAX, &mut self.world.symbols);
        if !returns_code {
            machine.set_integer(RAX, Word::Known(OK.into()));
        }
        leave(machine, &mut self.world, &kept, OK)?;
        Ok(returned)
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
