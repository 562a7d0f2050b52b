//! Calls that seal or open a message in parts (streaming).

use std::fmt;
use std::io;

use iced_x86::Register::RAX;

use super::{
    AAD, AUTHENTICATION_FAILED, Call, INPUT, MessageProver, NONCE, OK, OUTPUT, OUTPUT_NAME, TAG, TAG_NAME,
    place_in_words,
};
use crate::abi::{check_returned_code, enter_function};
use crate::execution::run_to_return;
use crate::field::Bit;
use crate::library::Library;
use crate::machine::Machine;
use crate::memory::Access;
use crate::platform::HEAP_NAME;
use crate::reference::Direction;
use crate::refusal::Refusal;
use crate::word::Word;

/// A message whose text and AAD are passed in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamCase {
    pub direction: Direction,
    /// Length in bytes of each part of the text.
    pub pieces: Vec<usize>,
    /// Length in bytes of each part of the AAD.
    pub aad_pieces: Vec<usize>,
    /// Whether each part is sealed or opened in place.
    pub is_in_place: bool,
}

/// Addresses of the library's streaming functions, either those that seal or those that open.
#[derive(Clone, Copy)]
pub(super) struct StreamEntryPoints {
    new: u64,
    aad: u64,
    update: u64,
    finish: u64,
    free: u64,
}

impl StreamEntryPoints {
    pub(super) fn find(library: &Library, direction: Direction) -> io::Result<Self> {
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

/// Length in bytes of a key object's header, in which the library counts the streamed messages that own the key.
const OBJECT_BYTES: u64 = 48;

impl MessageProver {
    /// Executes the streaming calls that `case` describes, and compares their results with the standard. If the tag is
    /// wrong, the opened text must stay in the output, because the API documents this text as unverified.
    ///
    /// # Errors
    /// The first difference from the standard.
    pub fn prove_stream(&mut self, case: &StreamCase) -> Result<(), Refusal> {
        self.context.symbols.begin_call();
        let (bytes, aad_bytes) = (case.bytes(), case.aad_bytes());
        let aad = self.reference.aad(aad_bytes).to_vec();
        let expected = self.reference.message(case.direction, &aad, bytes, &mut self.context.symbols);
        let mut tag = [Bit::ZERO; 128];
        self.context.symbols.fill(&mut tag);

        let seals = case.direction == Direction::Sealing;
        let mut machine = self.machine.clone();
        // A streamed message becomes an owner of the key. The object counts them in the first 48 bytes of its memory;
        // the expanded key behind them stays read-only.
        let head = machine.memory.make_head_writable(self.key[0], self.key[0] + OBJECT_BYTES)?;
        let shift = |by: usize| ((bytes * by + aad_bytes * (by + 6) + case.pieces.len()) % 64) as u64;
        let (nonce_at, aad_at, tag_at, input) = (NONCE + shift(5), AAD + shift(29), TAG + shift(3), INPUT + shift(7));
        let output = if case.is_in_place { input } else { OUTPUT + shift(11) };

        let entries = self.streams[case.direction as usize];
        let before = machine.memory.peek_all(&head, &mut self.context.symbols)?;
        let blocks = machine.memory.region_count(HEAP_NAME);
        // Each call has its own buffers, since a caller may reuse memory as soon as a call has returned.
        machine.memory.add_buffer("the nonce", nonce_at, &self.nonce, Access::READ)?;
        self.context.platform.allocates = true;
        let stream = self.begin_stream(&mut machine, entries, nonce_at);
        self.context.platform.allocates = false;
        let stream = stream?;
        machine.memory.remove("the nonce");
        let meanwhile = machine.memory.peek_all(&head, &mut self.context.symbols)?;
        if !is_counted_once_more(&before, &meanwhile) {
            return Err(Refusal::wrong("beside the key more was written than one reference counted"));
        }

        let mut at = 0;
        for &piece in &case.aad_pieces {
            let address = aad_at + at as u64;
            machine.memory.add_buffer("the AAD", address, &aad[8 * at..8 * (at + piece)], Access::READ)?;
            self.call(&mut machine, entries.aad, &[stream, address, piece as u64], true)?;
            machine.memory.remove("the AAD");
            at += piece;
        }
        let mut call = Call { machine, saved: Vec::new(), output, tag: tag_at };
        let mut at = 0;
        for &piece in &case.pieces {
            let (input, output) = (input + at as u64, output + at as u64);
            let place = 8 * at..8 * (at + piece);
            let text = &self.reference.text(bytes)[place.clone()];
            if case.is_in_place {
                call.machine.memory.add_buffer(OUTPUT_NAME, output, text, Access::BOTH)?;
            } else {
                call.machine.memory.add_buffer("the input", input, text, Access::READ)?;
                call.machine.memory.add_buffer(OUTPUT_NAME, output, text, Access::WRITE)?;
            }
            self.call(&mut call.machine, entries.update, &[stream, input, piece as u64, output], true)?;
            call.expect_bytes(self, OUTPUT_NAME, output, &expected.text[place], |_, _| {
                format!("of the piece that begins at {at} of a message in parts")
            })?;
            call.expect_written_once(OUTPUT_NAME)?;
            [OUTPUT_NAME, "the input"].into_iter().for_each(|name| call.machine.memory.remove(name));
            at += piece;
        }
        if call.machine.memory.peek_all(&head, &mut self.context.symbols)? != meanwhile {
            return Err(Refusal::wrong("beside the key something was written during the message"));
        }
        call.machine.memory.add_buffer(TAG_NAME, tag_at, &tag, if seals { Access::WRITE } else { Access::READ })?;
        call.saved = enter_function(&mut call.machine, &mut self.context, entries.finish, &[stream, tag_at])?;
        let forged = if seals { None } else { Some(call.branch_on_verdict(self, &expected.tag, &tag)?) };
        for (mut call, code) in forged.map(|forged| (forged, AUTHENTICATION_FAILED)).into_iter().chain([(call, OK)]) {
            call.expect_return(self, code)?;
            if seals {
                call.expect_bytes(self, TAG_NAME, tag_at, &expected.tag, |_, _| "of a message in parts".to_owned())?;
                call.expect_written_once(TAG_NAME)?;
            }
            let mut machine = call.machine;
            machine.memory.remove(TAG_NAME);
            // The end of the message may decrement the reference count.
            let left = machine.memory.peek_all(&head, &mut self.context.symbols)?;
            if left != meanwhile && left != before {
                return Err(Refusal::wrong("beside the key something was written at the message's end"));
            }
            self.call(&mut machine, entries.free, &[stream], false)?;
            if machine.memory.region_count(HEAP_NAME) != blocks {
                return Err(Refusal::wrong("the memory of the message is not given back"));
            }
            if machine.memory.peek_all(&head, &mut self.context.symbols)? != before {
                return Err(Refusal::wrong("beside the key is not what was there before the message"));
            }
        }
        Ok(())
    }

    /// Executes the call that begins a streamed message, and returns the address of the streaming state object.
    fn begin_stream(&mut self, machine: &mut Machine, entries: StreamEntryPoints, nonce: u64) -> Result<u64, Refusal> {
        let returned = self.call(machine, entries.new, &[self.key[0], nonce, 12], false)?;
        match returned.known().ok_or(Refusal::Secret("what is returned"))? {
            0 => Err(Refusal::wrong("there is no object")),
            stream => Ok(stream),
        }
    }

    /// Executes a function and returns its result. If `returns_code`, checks that this result is `KASOKU_OK`.
    fn call(
        &mut self,
        machine: &mut Machine,
        entry: u64,
        arguments: &[u64],
        returns_code: bool,
    ) -> Result<Word, Refusal> {
        let saved = enter_function(machine, &mut self.context, entry, arguments)?;
        run_to_return(machine, &mut self.context)?;
        let returned = machine.integer(RAX, &mut self.context.symbols);
        if !returns_code {
            machine.set_integer(RAX, Word::Known(OK.into()));
        }
        check_returned_code(machine, &mut self.context, &saved, OK)?;
        Ok(returned)
    }
}

/// Returns whether memory contents `before` and `after` differ in exactly one 64-bit word, a counter whose value is
/// greater by one in `after`.
fn is_counted_once_more(before: &[Bit], after: &[Bit]) -> bool {
    let words = |bits: &[Bit]| bits.chunks(64).map(<[Bit]>::to_vec).collect::<Vec<_>>();
    let (before, after) = (words(before), words(after));
    let different: Vec<_> = before.iter().zip(&after).filter(|(before, after)| before != after).collect();
    let number = |bits: &[Bit]| Word::from_bits(bits).known();
    let [(before, after)] = different[..] else { return false };
    matches!((number(before), number(after)), (Some(before), Some(after)) if before + 1 == after)
}

impl fmt::Display for StreamCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, pieces, aad_pieces, is_in_place } = self;
        let place = place_in_words(*is_in_place);
        write!(f, "{direction} pieces of {pieces:?} bytes {place} with AAD in pieces of {aad_pieces:?}")
    }
}
