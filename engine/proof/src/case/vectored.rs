//! Calls that seal or open a message whose text and AAD are lists of slices (scatter/gather).

use std::fmt;

use super::{AAD, AUTHENTICATION_FAILED, Call, INPUT, MessageProver, NONCE, OK, OUTPUT, OUTPUT_NAME, TAG, TAG_NAME};
use crate::abi::enter_function;
use crate::explanation::Wrong;
use crate::field::Bit;
use crate::machine::Machine;
use crate::memory::{Access, Region};
use crate::reference::Direction;
use crate::refusal::Refusal;
use crate::word::Word;

/// A message whose text and AAD are lists of slices, with the slices in separate memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectoredCase {
    pub direction: Direction,
    /// Length in bytes of each slice of the text.
    pub pieces: Vec<usize>,
    /// Length in bytes of each slice of the AAD.
    pub aad_pieces: Vec<usize>,
}

/// Addresses of two C arrays: the first lists the slices of the AAD, the second those of the text.
const ARRAYS: [u64; 2] = [TAG + 0x1008, TAG + 0x2008];

impl VectoredCase {
    fn bytes(&self) -> usize {
        self.pieces.iter().sum()
    }
}

impl MessageProver {
    /// Executes the call that `case` describes, and compares the call's results with the standard. The code may write
    /// output bytes more than once, because the library may join the slices in the output buffer.
    ///
    /// # Errors
    /// The first difference from the standard.
    pub fn prove_vectored(&mut self, case: &VectoredCase) -> Result<(), Refusal> {
        self.context.symbols.begin_call();
        let (bytes, aad_bytes) = (case.bytes(), case.aad_pieces.iter().sum());
        let aad = self.reference.aad(aad_bytes).to_vec();
        let expected = self.reference.message(case.direction, &aad, bytes, &mut self.context.symbols);
        let mut tag = [Bit::ZERO; 128];
        self.context.symbols.fill(&mut tag);

        let seals = case.direction == Direction::Sealing;
        let mut machine = self.machine.clone();
        let shift = |by: usize| ((bytes * by + aad_bytes * (by + 6) + case.pieces.len()) % 64) as u64;
        let (nonce, output, tag_at) = (NONCE + shift(5), OUTPUT + shift(11), TAG + shift(3));
        machine.memory.add_buffer("the nonce", nonce, &self.nonce, Access::READ)?;
        let access = if seals { Access::WRITE } else { Access::READ };
        machine.memory.add_buffer(TAG_NAME, tag_at, &tag, access)?;
        if bytes > 0 {
            machine.memory.add(Region::unknown(OUTPUT_NAME, output, bytes as u64, Access::BOTH));
        }
        add_slices(&mut machine, ARRAYS[0], AAD + shift(29), &case.aad_pieces, &aad)?;
        add_slices(&mut machine, ARRAYS[1], INPUT + shift(7), &case.pieces, self.reference.text(bytes))?;

        let (first, second) = if seals { (output, tag_at) } else { (tag_at, output) };
        let counts = [case.aad_pieces.len() as u64, case.pieces.len() as u64];
        let arguments = [self.key[0], nonce, 12, ARRAYS[0], counts[0], ARRAYS[1], counts[1], first, second];
        let saved =
            enter_function(&mut machine, &mut self.context, self.vectored[case.direction as usize], &arguments)?;
        let mut call = Call { machine, saved, output, tag: tag_at };
        if !seals {
            let mut forged = call.branch_on_verdict(self, &expected.tag, &tag)?;
            forged.expect_return(self, AUTHENTICATION_FAILED)?;
            forged.expect_bytes(self, OUTPUT_NAME, output, &vec![Bit::ZERO; 8 * bytes], explain_slices)?;
        }
        call.expect_return(self, OK)?;
        call.expect_bytes(self, OUTPUT_NAME, output, &expected.text, explain_slices)?;
        if seals {
            call.expect_bytes(self, TAG_NAME, tag_at, &expected.tag, explain_slices)?;
        }
        Ok(())
    }
}

fn explain_slices(_: &mut MessageProver, _: &Wrong<'_>) -> String {
    "of a message in slices".to_owned()
}

/// Adds slices to memory from `address` on, with inaccessible gaps between the slices. Writes the C array that lists
/// the slices to the address `array`.
fn add_slices(machine: &mut Machine, array: u64, address: u64, pieces: &[usize], bits: &[Bit]) -> Result<(), Refusal> {
    if pieces.is_empty() {
        return Ok(());
    }
    machine.memory.add(Region::unknown("the array of slices", array, 16 * pieces.len() as u64, Access::READ));
    let (mut at, mut from) = (address, 0);
    for (index, &piece) in pieces.iter().enumerate() {
        let slice = [at, piece as u64].map(|number| Word::Known(number).bits());
        machine.memory.poke(array + 16 * index as u64, slice.as_flattened())?;
        machine.memory.add_buffer("a slice", at, &bits[8 * from..8 * (from + piece)], Access::READ)?;
        from += piece;
        at += piece as u64 + 1 + 13 * index as u64 % 64;
    }
    Ok(())
}

impl fmt::Display for VectoredCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, pieces, aad_pieces } = self;
        write!(f, "{direction} slices of {pieces:?} bytes with AAD in slices of {aad_pieces:?}")
    }
}
