//! The main loop over long messages: encrypts or decrypts a group of eight blocks while it hashes a group.
//!
//! Sealing hashes a group while it encrypts the next group; opening hashes a group while it decrypts the same group.
//! [`Vector::pin`] fixes the order of instructions: an AES round of two blocks, a quarter of the products of two
//! blocks, an AES round of the next two blocks, and so on. A core that has one pipe for products, or that cannot look
//! far ahead, then always finds both kinds of work. The products of the first two blocks depend on the previous hash,
//! so these products come last.
//!
//! Each pair of blocks is one AES round behind the pair before it. If all pairs ended together, the XORs with the data
//! would be older than the next group's rounds. A core whose two pipes both execute XORs (Neoverse N1) would then
//! execute them on the AES pipe. Where EOR3 replaces half of these XORs, the delay pays off with longer keys only.

use core::arch::asm;

use super::counters::{Counters, SPAN, place};
use super::data::Data;
use super::entry::Entry;
use super::key::{Expanded, GROUP, GROUPS};
use super::products::{Pair, Products, Sum};
use super::round_keys::RoundKeys;
use super::vector::Vector;
use crate::backend::key_schedule::MAX_ROUNDS;

pub(super) const GROUP_BYTES: usize = 16 * GROUP;

/// State of a message between two iterations of the main loop. Each iteration encrypts a group of eight blocks.
pub(crate) struct Run<P> {
    pub(super) counters: Counters<P>,
    /// Counter of the next block: a multiple of eight, and not secret (96-bit nonce).
    pub(super) count: u32,
    /// The rest of the data, from the next group of eight blocks on.
    pub(super) data: Data,
    pub(super) groups: usize,
    /// When sealing: address of the last eight blocks of ciphertext, which are not hashed yet.
    pub(super) waiting: *const u8,
    /// GHASH value of all blocks before the eight blocks at `waiting`.
    pub(super) hash: Vector<P>,
}

/// Seals or opens `run.groups` groups of eight blocks, and updates `run` for the rest of the message.
///
/// # Safety
/// The data has `run.groups` groups. When sealing, eight blocks can be read at `run.waiting`.
#[inline(always)]
pub(super) unsafe fn all<P: Entry, const SEAL: bool>(key: &Expanded<P>, run: &mut Run<P>) {
    if run.groups == 0 {
        return;
    }
    // SAFETY: guaranteed by the caller; the key is the proof.
    unsafe {
        match key.round_keys.rounds {
            10 => P::groups::<10, SEAL>(key, run),
            12 => P::groups::<12, SEAL>(key, run),
            _ => P::groups::<14, SEAL>(key, run),
        }
    }
}

/// Seals or opens `run.groups` groups of eight blocks, with a key of `ROUNDS` AES rounds.
///
/// # Safety
/// As for [`all`]; `run.groups` is at least one.
#[inline(always)]
pub(super) unsafe fn of_rounds<P: Products, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<P>,
    run: &mut Run<P>,
) {
    let proof = key.proof();
    let Run { counters, mut count, data, groups, waiting, mut hash } = *run;
    let mut group = Group {
        round_keys: &key.round_keys,
        kept: [Vector::zero(proof); MAX_STEPS],
        first: counters.span(proof, count),
        last: key.round_keys.key(ROUNDS),
        input: data.input,
        output: data.output,
    };
    if ROUNDS == KEPT {
        unroll!(round < ROUNDS, of 14, {
            group.kept[round] = key.round_keys.key(round);
        });
    }
    let mut hashed = if SEAL { waiting } else { data.input };
    let mut left = groups;
    while left > 0 {
        let batch = left.min(GROUPS);
        left -= batch;
        let mut pairs = key.last_pairs(batch * GROUP / 2);
        let mut sum = Sum::zero(proof);
        for _ in 0..batch {
            if count % SPAN == 0 {
                group.first = counters.span(proof, count);
            }
            // SAFETY: guaranteed by the caller; the table has the pairs of a batch of groups.
            unsafe { group.turn::<ROUNDS>(place(count), hashed, hash, pairs, &mut sum) };
            hash = Vector::zero(proof);
            hashed = if SEAL { group.output.cast_const() } else { group.input.wrapping_add(GROUP_BYTES) };
            group.input = group.input.wrapping_add(GROUP_BYTES);
            group.output = group.output.wrapping_add(GROUP_BYTES);
            pairs = pairs.wrapping_add(GROUP / 2);
            count = count.wrapping_add(GROUP as u32);
        }
        hash = sum.reduce(proof);
    }
    *run = Run { counters, count, data: data.after(groups * GROUP_BYTES), groups: 0, waiting: hashed, hash };
}

/// Maximum number of AES rounds for which the main loop keeps all round keys in registers. With the ten rounds of
/// AES-128 the registers suffice; with more rounds they do not.
const KEPT: usize = 10;

/// Maximum number of AES rounds between the first and the last pair of eight interleaved blocks: each pair is at most
/// one round behind the pair before it.
const MAX_BEHIND: usize = GROUP / 2 - 1;

/// Maximum number of steps of the main loop, and so the length of the array of round keys: the maximum number of AES
/// rounds, plus the rounds by which the last pair of blocks is behind ([`MAX_BEHIND`]), plus one, because two keys are
/// loaded at a time.
const MAX_STEPS: usize = MAX_ROUNDS + MAX_BEHIND + 1;

/// Inputs of one iteration of the main loop that encrypts eight blocks. The blocks to be hashed are not among them.
struct Group<'key, P: Products> {
    round_keys: &'key RoundKeys<P>,
    kept: [Vector<P>; MAX_STEPS],
    /// Key for the first AES round: the first round key XOR the high bits of the counter blocks ([`Counters::span`]).
    first: Vector<P>,
    last: Vector<P>,
    input: *const u8,
    output: *mut u8,
}

impl<P: Products> Group<'_, P> {
    /// Encrypts eight blocks, and meanwhile hashes the eight blocks at `hashed`: XORs `hash` into the first hashed
    /// block, and adds the unreduced products of all eight hashed blocks to `sum`. `place` is the address of the table
    /// entry with the low byte of the first counter.
    ///
    /// The order of instructions is fixed. After each AES round of two blocks there is a slot for other work. Sixteen
    /// slots each have a quarter of the products of two blocks; the last eight slots load data.
    ///
    /// # Safety
    /// Eight blocks can be read at `place`, `hashed` and `self.input`, and written at `self.output`.
    #[inline(always)]
    unsafe fn turn<const ROUNDS: usize>(
        &self,
        place: *const u8,
        hashed: *const u8,
        hash: Vector<P>,
        pairs: *const Pair,
        sum: &mut Sum<P>,
    ) {
        let proof = self.round_keys.proof;
        let zero = Vector::zero(proof);
        let (mut states, mut data) = ([zero; GROUP], [zero; GROUP]);
        unroll!(index < GROUP, of 8, {
            // SAFETY: guaranteed by the caller.
            states[index] = unsafe { Vector::load(proof, place.wrapping_add(16 * index)) };
        });
        let round_keys = if ROUNDS == KEPT { self.round_keys } else { hidden(self.round_keys) };
        let mut keys = self.kept;
        let (mut blocks, mut factors) = ([zero; 2], [zero; 2]);
        let slots = 4 * ROUNDS - GROUP;
        let behind = usize::from(P::IS_FOLDED || ROUNDS != KEPT);
        unroll!(step < ROUNDS + behind * MAX_BEHIND, of 17, {
            if ROUNDS != KEPT && step.is_multiple_of(2) && step < ROUNDS {
                // Two keys at a time are loaded by one instruction.
                [keys[step], keys[step + 1]] = [round_keys.key(step), round_keys.key(step + 1)];
            }
            unroll!(pair < 4, of 4, {
                let round = step.wrapping_sub(behind * pair);
                if round < ROUNDS {
                    let slot = slots_before(step, pair, behind, ROUNDS);
                    let round_key = if round == 0 { self.first } else { keys[round] };
                    let mut two = [states[2 * pair], states[2 * pair + 1]];
                    two = if round + 1 < ROUNDS {
                        [two[0].aes_round(round_key), two[1].aes_round(round_key)]
                    } else {
                        [two[0].aes_last_round(round_key), two[1].aes_last_round(round_key)]
                    };
                    if slot < slots {
                        let quarter = 16 * slot / slots;
                        let begins = slot == 0 || 16 * (slot - 1) / slots < quarter;
                        let ends = 16 * (slot + 1) / slots > quarter;
                        // Multiplies the first two blocks last.
                        let two = (quarter / 4 + 1) % 4;
                        // SAFETY: guaranteed by the caller.
                        let pair = unsafe { &*pairs.wrapping_add(two) };
                        if begins && quarter.is_multiple_of(4) {
                            let from = hashed.wrapping_add(32 * two);
                            // SAFETY: guaranteed by the caller.
                            blocks = unsafe { [Vector::load(proof, from), Vector::load(proof, from.wrapping_add(16))] };
                            blocks = [blocks[0].reflect(), blocks[1].reflect()];
                            if two == 0 {
                                blocks[0] = blocks[0].xor(hash);
                            }
                            factors = pair.powers(proof);
                        } else if begins && quarter % 4 == 2 {
                            factors = pair.middles(proof);
                        }
                        if ends {
                            sum.step(blocks, factors, quarter % 4);
                        }
                        sum.pin();
                        let pinned = Vector::pin_two(blocks);
                        blocks.copy_from_slice(&pinned);
                    } else if slot.is_multiple_of(2) {
                        let index = slot - slots;
                        let from = self.input.wrapping_add(16 * index);
                        // SAFETY: guaranteed by the caller.
                        let two = unsafe { [Vector::load(proof, from), Vector::load(proof, from.wrapping_add(16))] };
                        [data[index], data[index + 1]] = Vector::pin_two(two);
                    }
                    [states[2 * pair], states[2 * pair + 1]] = Vector::pin_two(two);
                }
            });
        });
        unroll!(index < GROUP, of 8, {
            // SAFETY: guaranteed by the caller.
            unsafe { states[index].xor3(data[index], self.last).store(self.output.wrapping_add(16 * index)) };
        });
    }
}

/// Returns the number of slots before the slot of pair `pair` in step `step` of the loop. Each AES round of a pair of
/// blocks has one slot; a group of eight blocks has four pairs, and the slots of all four pairs are counted. Each pair
/// is `behind` AES rounds behind the pair before it.
#[inline(always)]
fn slots_before(step: usize, pair: usize, behind: usize, rounds: usize) -> usize {
    let of = |other: usize| (step + usize::from(other < pair)).saturating_sub(behind * other).min(rounds);
    of(0) + of(1) + of(2) + of(3)
}

/// Returns `round_keys`, but makes the address opaque to the compiler. Otherwise the compiler would load all round keys
/// before the loop, and spill those keys to the stack that have no register.
#[inline(always)]
fn hidden<P: Products>(round_keys: &RoundKeys<P>) -> &RoundKeys<P> {
    let mut pointer: *const RoundKeys<P> = round_keys;
    // SAFETY: the assembly does not change the pointer.
    unsafe {
        asm!("/* {0} */", inout(reg) pointer, options(nostack, preserves_flags));
        &*pointer
    }
}
