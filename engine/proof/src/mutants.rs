//! Mutants: copies of the machine code with one fault, which is a changed instruction or constant. The prover should
//! refuse mutants.
//!
//! The mutants are chosen by rule, evenly spread over the executed instructions, so the same library always has the
//! same mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use iced_x86::{
    Code as Opcode, Decoder, DecoderOptions, Encoder, FlowControl, Instruction, Mnemonic, OpKind, Register,
};
use sha2::{Digest, Sha256};

use crate::case::{CODE_PATHS, Case, CodePath, MessageProver};
use crate::code::Code;
use crate::cores::on_all_cores;
use crate::library::Library;
use crate::reference::Direction;
use crate::refusal::Refusal;
use crate::theorem::{self, EXHAUSTIVE_AAD_BYTES, EXHAUSTIVE_TEXT_BYTES, LONG_AAD_BYTES, LONG_TEXT_BYTES};

/// A kind of change to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MutationKind {
    /// Replaces the instruction with NOPs.
    Dropped,
    /// Inverts the lowest bit of the immediate operand, which is a shuffle, mask, round, length or count.
    Immediate,
    /// Inverts a bit of the constant in memory that the instruction reads.
    Constant,
    /// Replaces a register operand with the register that has the next number.
    Register,
    /// Changes the displacement in the address of the memory operand.
    Place,
    /// Exchanges the two source operands.
    Exchanged,
    /// Replaces the opcode with a similar opcode.
    Opcode,
    /// Inverts the condition of a branch.
    Condition,
}

/// Maximum number of mutants of each kind for one code path. The numbers bound the time for proving all mutants.
const MUTANTS_PER_KIND: [(MutationKind, usize); 8] = [
    (MutationKind::Dropped, 16),
    (MutationKind::Immediate, 10),
    (MutationKind::Constant, 6),
    (MutationKind::Register, 12),
    (MutationKind::Place, 8),
    (MutationKind::Exchanged, 4),
    (MutationKind::Opcode, 8),
    (MutationKind::Condition, 6),
];

#[derive(Clone, Debug)]
pub struct Mutant {
    pub path: CodePath,
    pub key_bytes: usize,
    pub kind: MutationKind,
    /// Disassembly of the original instruction.
    pub before: String,
    /// Disassembly of the changed instruction, or the changed bit of the constant.
    pub after: String,
    /// Hash of the fault and of the executed instructions around the fault. The hash does not depend on the
    /// instructions' addresses.
    pub fingerprint: String,
    change: Change,
    /// Calls to prove first: calls that execute the changed instruction, or a fixed list of calls if the instruction is
    /// part of key set-up.
    cases: Vec<Case>,
    is_in_key_setup: bool,
}

#[derive(Clone, Debug)]
enum Change {
    Code(u64, Vec<u8>),
    Constant(u64),
}

/// A review of a mutant that the prover accepts. The reviewer found the reason for the acceptance in the machine code.
#[derive(Clone, Copy, Debug)]
pub struct Review {
    /// Fingerprint of the reviewed mutant ([`Mutant::fingerprint`]).
    pub fingerprint: &'static str,
    /// Whether the mutant computes correct results for all inputs. If false, its results are wrong only for calls that
    /// the proof does not include.
    pub is_equivalent: bool,
    pub reason: &'static str,
}

/// Returns the reviews in `reviewed.tsv`. Each line of this file has four fields: the mutant's fingerprint,
/// `equivalent` or `uncovered`, the function, and the reason.
pub fn reviews() -> impl Iterator<Item = Review> {
    include_str!("reviewed.tsv").lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut fields = line.split('\t');
        let (fingerprint, kind) = (fields.next()?, fields.next()?);
        Some(Review { fingerprint, is_equivalent: kind == "equivalent", reason: fields.nth(1)? })
    })
}

/// Result of proving a mutant.
pub enum Outcome {
    /// The prover refused the mutant. Contains the refused call and the reason.
    Refused(String, Refusal),
    /// The prover accepted the mutant. Contains the number of accepted calls. These calls include every text length up
    /// to [`EXHAUSTIVE_TEXT_BYTES`] and every AAD length up to [`EXHAUSTIVE_AAD_BYTES`].
    Accepted(usize),
}

/// Proves mutants on all CPU cores, and passes the index and outcome of each mutant to `progress`.
///
/// # Errors
/// If the library cannot be loaded.
pub fn outcomes(library: &Path, mutants: &[Mutant], progress: impl Fn(usize, &Outcome) + Sync) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(number) else { return Ok(()) };
            progress(number, &mutant.outcome(library)?);
        }
    };
    on_all_cores(work)
}

/// Returns the mutants of all code paths (backend and instruction schedule).
///
/// # Errors
/// If the library cannot be loaded, or if the prover refuses the unchanged library.
pub fn all_mutants(library: &Path) -> io::Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for (path, key_bytes) in CODE_PATHS.into_iter().zip([16, 32, 24, 16]) {
        mutants.extend(path_mutants(library, path, key_bytes)?);
    }
    Ok(mutants)
}

/// Text lengths in bytes of the calls that are proven first for a mutant. They are spread over the code's branches, so
/// that most faults are found soon.
const TEXT_BYTES: [usize; 18] = [0, 1, 6, 13, 16, 31, 47, 64, 97, 150, 224, 290, 350, 430, 481, 700, 1021, 1500];

/// Returns the calls that are proven first for a mutant; they have few text lengths. The prover refuses most mutants in
/// one of these calls, and then need not prove the remaining calls.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, bytes) in TEXT_BYTES.into_iter().enumerate() {
        for direction in Direction::BOTH {
            let aad_bytes = [13, 0, 20, 48, 5, 33][(index + direction as usize) % 6];
            cases.push(Case { direction, bytes, aad_bytes, is_in_place: index % 2 == 1 });
        }
    }
    // Long texts have several sums of strides, and use the table for the first rounds of AES.
    let long =
        [8193, 13_001].map(|bytes| Case { direction: Direction::Sealing, bytes, aad_bytes: 13, is_in_place: false });
    cases.extend(long);
    cases.extend(long.map(|case| Case { direction: Direction::Opening, ..case }));
    cases
}

/// Returns calls with every text length up to [`EXHAUSTIVE_TEXT_BYTES`], each with one AAD length. Calls with some
/// longer texts follow, then calls with AAD of more than [`EXHAUSTIVE_AAD_BYTES`] bytes.
fn cases_of_every_text_length() -> impl Iterator<Item = Case> {
    // Lengths for which each vector of the last group is the first of a span of counters.
    const ENDS_OF_A_SPAN: [usize; 4] = [4_128, 4_129, 4_193, 4_256];
    let longer = LONG_TEXT_BYTES.into_iter().filter(|&bytes| bytes < 14_000).chain(ENDS_OF_A_SPAN);
    let lengths = (0..=EXHAUSTIVE_TEXT_BYTES).chain(longer);
    let with_aad = lengths.map(|bytes| (bytes, bytes * 11 % (EXHAUSTIVE_AAD_BYTES + 1)));
    let with_long_aad = LONG_AAD_BYTES.into_iter().flat_map(|aad_bytes| [1, 700].map(|bytes| (bytes, aad_bytes)));
    with_aad.chain(with_long_aad).flat_map(|(bytes, aad_bytes)| theorem::both_directions(bytes, aad_bytes))
}

/// Returns calls with every AAD length up to [`EXHAUSTIVE_AAD_BYTES`], each with a few text lengths. AAD lengths at
/// block boundaries have more text lengths, so that every number of text blocks occurs with every number of AAD blocks.
fn cases_of_every_aad_length() -> impl Iterator<Item = Case> {
    const ENDS_OF_BLOCKS: [usize; 7] = [0, 1, 16, 17, 32, 33, 48];
    let every_number_of_blocks = (0..=EXHAUSTIVE_TEXT_BYTES).step_by(13);
    // The reference caches the hash of one AAD.
    let aad_and_texts = (0..=EXHAUSTIVE_AAD_BYTES).flat_map(move |aad_bytes| {
        let texts = every_number_of_blocks.clone().filter(move |_| ENDS_OF_BLOCKS.contains(&aad_bytes));
        TEXT_BYTES.into_iter().chain(texts).map(move |bytes| (bytes, aad_bytes))
    });
    aad_and_texts.flat_map(|(bytes, aad_bytes)| theorem::both_directions(bytes, aad_bytes))
}

/// Returns the mutants of one code path (backend and instruction schedule) for one key size.
///
/// # Errors
/// If the library cannot be loaded, or if the prover refuses the unchanged library.
pub fn path_mutants(library: &Path, path: CodePath, key_bytes: usize) -> io::Result<Vec<Mutant>> {
    let unchanged = |why: Refusal| io::Error::other(format!("{path} without a change: {why}"));
    let mut prover = MessageProver::new(library, path, key_bytes, |_, _| ())?.map_err(unchanged)?;
    let of_keys: BTreeSet<u64> = prover.take_executed().into_iter().collect();
    let mut executed: BTreeMap<u64, Vec<Case>> = of_keys.iter().map(|&address| (address, Vec::new())).collect();
    for case in cases() {
        prover.prove(&case).map_err(unchanged)?;
        for address in prover.take_executed() {
            executed.entry(address).or_default().push(case);
        }
    }
    // Every call depends on key set-up.
    for address in &of_keys {
        executed.insert(*address, cases());
    }
    let constants = Library::load(library)?;
    let addresses: Vec<u64> = executed.keys().copied().collect();
    let mut mutants = Vec::new();
    for (kind, count) in MUTANTS_PER_KIND {
        let mut candidates = Vec::new();
        for (index, (&address, cases)) in executed.iter().enumerate() {
            let Some(instruction) = prover.code().instruction(address) else { continue };
            if let Some((change, after)) = mutate(kind, &instruction, prover.code(), &constants) {
                let before = prover.code().describe(address);
                let (cases, is_in_key_setup) = (cases.clone(), of_keys.contains(&address));
                let fingerprint = String::new();
                let mutant =
                    Mutant { path, key_bytes, kind, before, after, fingerprint, change, cases, is_in_key_setup };
                candidates.push((index, mutant));
            }
        }
        let step = candidates.len().div_ceil(count).max(1);
        for (index, mut mutant) in candidates.into_iter().skip(step / 2).step_by(step) {
            mutant.fingerprint = mutant.fingerprint_at(index, &addresses, prover.code());
            mutants.push(mutant);
        }
    }
    Ok(mutants)
}

/// Applies a change of kind `kind` to an instruction. Returns the change and the disassembly of the result. Returns
/// `None` if the change does not apply to the instruction or would alter the instruction's length.
fn mutate(kind: MutationKind, instruction: &Instruction, code: &Code, constants: &Library) -> Option<(Change, String)> {
    let address = instruction.ip();
    let mut bytes = code.bytes(instruction).to_vec();
    let offsets = {
        let mut decoder = Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE);
        let decoded = decoder.decode();
        decoder.get_constant_offsets(&decoded)
    };
    let mut other = *instruction;
    match kind {
        MutationKind::Dropped => {
            if instruction.flow_control() != FlowControl::Next || instruction.mnemonic() == Mnemonic::Nop {
                return None;
            }
            bytes.fill(0x90);
            return Some((Change::Code(address, bytes), "nothing".to_owned()));
        }
        MutationKind::Constant => {
            if !instruction.is_ip_rel_memory_operand() || instruction.mnemonic() == Mnemonic::Lea {
                return None;
            }
            let size = instruction.memory_size().size() as u64;
            let place = instruction.ip_rel_memory_address() + (address * 7 / 16) % size.max(1);
            constants.constant(place)?;
            return Some((Change::Constant(place), format!("the same, bit 0 at {:#x} another", place - code.base())));
        }
        MutationKind::Immediate => {
            if !offsets.has_immediate() || instruction.flow_control() != FlowControl::Next {
                return None;
            }
            bytes[offsets.immediate_offset()] ^= 1;
        }
        MutationKind::Place => {
            if !offsets.has_displacement() || instruction.flow_control() != FlowControl::Next {
                return None;
            }
            bytes[offsets.displacement_offset()] ^= 1;
        }
        MutationKind::Condition => {
            if instruction.flow_control() != FlowControl::ConditionalBranch {
                return None;
            }
            other.negate_condition_code();
            bytes = encode(&other)?;
        }
        MutationKind::Register => {
            let operand = (0..instruction.op_count()).rev().find(|&operand| {
                let register = instruction.op_register(operand);
                instruction.op_kind(operand) == OpKind::Register
                    && (register.is_vector_register() || register.is_gpr64())
            })?;
            let register = instruction.op_register(operand);
            let beside = register - register.number() as u32 + (register.number() as u32 ^ 1);
            if [register, beside].contains(&Register::RSP) {
                return None;
            }
            other.set_op_register(operand, beside);
            bytes = encode(&other)?;
        }
        MutationKind::Exchanged => {
            let are_sources = instruction.op_count() >= 3
                && (1..3).all(|operand| instruction.op_register(operand).is_vector_register());
            // Exchanging the operands of commutative instructions changes nothing.
            let commutes = matches!(
                instruction.mnemonic(),
                Mnemonic::Vpxor
                    | Mnemonic::Vpxord
                    | Mnemonic::Vpxorq
                    | Mnemonic::Vxorps
                    | Mnemonic::Vxorpd
                    | Mnemonic::Vpternlogq
                    | Mnemonic::Vpternlogd
            );
            // The product of both low or both high halves is commutative.
            let is_symmetric =
                instruction.mnemonic() == Mnemonic::Vpclmulqdq && instruction.immediate8().is_multiple_of(0x11);
            let [one, two] = [1, 2].map(|operand| instruction.op_register(operand));
            if !are_sources || commutes || is_symmetric || one == two {
                return None;
            }
            other.set_op_register(1, two);
            other.set_op_register(2, one);
            bytes = encode(&other)?;
        }
        MutationKind::Opcode => {
            other.set_code(similar_opcode(instruction.code())?);
            bytes = encode(&other)?;
        }
    }
    let mut after = Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE).decode();
    after.set_ip(address);
    let has_length = bytes.len() == instruction.len() && after.len() == bytes.len() && !after.is_invalid();
    has_length.then(|| (Change::Code(address, bytes), Code::disassemble(&after)))
}

fn encode(instruction: &Instruction) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    encoder.encode(instruction, instruction.ip()).ok()?;
    Some(encoder.take_buffer())
}

/// Returns an opcode that has the same operands as `code` and a similar effect.
fn similar_opcode(code: Opcode) -> Option<Opcode> {
    use Opcode as O;
    Some(match code {
        O::Aesenc_xmm_xmmm128 => O::Aesenclast_xmm_xmmm128,
        O::Aesenclast_xmm_xmmm128 => O::Aesenc_xmm_xmmm128,
        O::VEX_Vaesenc_ymm_ymm_ymmm256 => O::VEX_Vaesenclast_ymm_ymm_ymmm256,
        O::VEX_Vaesenclast_ymm_ymm_ymmm256 => O::VEX_Vaesenc_ymm_ymm_ymmm256,
        O::EVEX_Vaesenc_zmm_zmm_zmmm512 => O::EVEX_Vaesenclast_zmm_zmm_zmmm512,
        O::EVEX_Vaesenclast_zmm_zmm_zmmm512 => O::EVEX_Vaesenc_zmm_zmm_zmmm512,
        O::Pxor_xmm_xmmm128 => O::Por_xmm_xmmm128,
        O::VEX_Vpxor_xmm_xmm_xmmm128 => O::VEX_Vpor_xmm_xmm_xmmm128,
        O::VEX_Vpxor_ymm_ymm_ymmm256 => O::VEX_Vpor_ymm_ymm_ymmm256,
        O::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64 => O::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
        O::Punpcklqdq_xmm_xmmm128 => O::Punpckhqdq_xmm_xmmm128,
        O::VEX_Vpunpcklqdq_ymm_ymm_ymmm256 => O::VEX_Vpunpckhqdq_ymm_ymm_ymmm256,
        O::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64 => O::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64,
        O::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64 => O::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64,
        O::Add_rm64_imm8 => O::Sub_rm64_imm8,
        O::Sub_rm64_imm8 => O::Add_rm64_imm8,
        O::Add_r64_rm64 => O::Sub_r64_rm64,
        _ => return None,
    })
}

/// Returns the disassembly of an instruction without code addresses: neither its own address nor branch targets.
fn address_free_text(instruction: &Instruction) -> String {
    let is_of_its_place = instruction.is_ip_rel_memory_operand() || instruction.op0_kind() == OpKind::NearBranch64;
    if is_of_its_place {
        format!("{:?} {:?}", instruction.code(), instruction.op0_register())
    } else {
        Code::disassemble(instruction)
    }
}

impl Mutant {
    /// Returns the review of this mutant, or `None` if nobody has reviewed the mutant.
    #[must_use]
    pub fn review(&self) -> Option<Review> {
        reviews().find(|review| review.fingerprint == self.fingerprint)
    }

    /// Hashes the change and the instructions around it. `addresses` lists all executed instructions; `index` is the
    /// index of the changed instruction in this list.
    fn fingerprint_at(&self, index: usize, addresses: &[u64], code: &mut Code) -> String {
        const AROUND: usize = 8;
        let mut text = format!("{} {} {:?}", self.path, self.key_bytes, self.kind);
        if let Change::Code(address, bytes) = &self.change {
            let mutate = Decoder::with_ip(64, bytes, *address, DecoderOptions::NONE).decode();
            text.push_str(&address_free_text(&mutate));
        }
        for address in &addresses[index.saturating_sub(AROUND)..(index + AROUND + 1).min(addresses.len())] {
            text.push('\n');
            text.push_str(&code.instruction(*address).map_or_else(String::new, |it| address_free_text(&it)));
        }
        Sha256::digest(text)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Proves the calls for this mutant until the prover refuses a call.
    ///
    /// # Errors
    /// If the library cannot be loaded.
    pub fn outcome(&self, library: &Path) -> io::Result<Outcome> {
        let change = |library: &mut Library, code: &mut Code| match &self.change {
            Change::Code(address, bytes) => code.patch(*address, bytes),
            Change::Constant(address) => {
                let old = library.constant(*address).unwrap_or_default();
                library.patch(*address, old ^ 1);
            }
        };
        let mut prover = match MessageProver::new(library, self.path, self.key_bytes, change)? {
            Ok(prover) => prover,
            Err(why) => return Ok(Outcome::Refused("making a key".to_owned(), why)),
        };
        // Calls that execute the instruction come first. All lengths follow, because a change may matter elsewhere.
        let mut proven = 0;
        let directions: Vec<Direction> = self.cases.iter().map(|case| case.direction).collect();
        let cases_of_every_text_length = cases_of_every_text_length()
            .chain(cases_of_every_aad_length())
            .filter(|case| directions.contains(&case.direction));
        for case in self.cases.iter().copied().chain(cases_of_every_text_length) {
            if let Err(why) = prover.prove(&case) {
                return Ok(Outcome::Refused(case.to_string(), why));
            }
            proven += 1;
        }
        Ok(Outcome::Accepted(proven))
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, key_bytes, kind, before, after, is_in_key_setup, .. } = self;
        let place = if *is_in_key_setup { ", where keys are made" } else { "" };
        let what = format!("{kind:?}").to_lowercase();
        write!(f, "{path}, AES-{}{place}, {what}: {before} -> {after}", 8 * key_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reviewed_mutants_have_unique_fingerprints_and_all_fields() {
        let lines = include_str!("reviewed.tsv").lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [fingerprint, kind, function, reason] = fields[..] else { panic!("{line}") };
            assert!(fingerprint.len() == 16 && ["equivalent", "uncovered"].contains(&kind), "{line}");
            assert!(!function.is_empty() && !reason.is_empty(), "{line}");
        }
        let fingerprints: BTreeSet<&str> = reviews().map(|review| review.fingerprint).collect();
        assert_eq!(fingerprints.len(), lines.count());
    }
}
