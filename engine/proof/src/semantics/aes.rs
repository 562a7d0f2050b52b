//! Executes AES instructions and carry-less multiplications.

use std::rc::Rc;

use iced_x86::Mnemonic;

use super::step::{Step, StepResult};
use crate::aes;
use crate::field::{Bit, carryless_product};
use crate::memo::Memo;
use crate::reference::Block;
use crate::refusal::Refusal;

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    match step.instruction.mnemonic() {
        M::Aesenc | M::Vaesenc => encrypt_round(step, false)?,
        M::Aesenclast | M::Vaesenclast => encrypt_round(step, true)?,
        M::Aeskeygenassist | M::Vaeskeygenassist => assist_key_schedule(step)?,
        M::Pclmulqdq | M::Vpclmulqdq => multiply(step)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn encrypt_round(step: &mut Step<'_>, is_last: bool) -> StepResult {
    step.keep_lanes();
    let bits = step.width(0);
    let (state, key) = step.source_operands();
    let state = step.vector(state, bits)?;
    note_substitution(step);
    let key = step.vector(key, bits)?;
    step.context.symbols.tally.lookups += bits as u64 / 128;
    let mut new = [Bit::ZERO; 512];
    let lanes = state.as_chunks().0.iter().zip(key.as_chunks().0).zip(new[..bits].as_chunks_mut().0);
    for ((state, key), new) in lanes {
        aes::round(state, key, is_last, &mut step.context.symbols, new);
    }
    step.set_vector(0, &mut new, bits, 128)
}

/// Records that the current instruction applies the S-box to its operands, and records their polynomial degree in the
/// tally. The bound of the prover's error probability is computed from the tally.
fn note_substitution(step: &mut Step<'_>) {
    let degree = step.machine.memory.flow.substitute();
    let tally = &mut step.context.symbols.tally;
    tally.argument_degree = tally.argument_degree.max(degree);
}

fn multiply(step: &mut Step<'_>) -> StepResult {
    step.keep_lanes();
    step.multiply();
    let bits = step.width(0);
    step.context.symbols.tally.lookups += bits as u64 / 128;
    let (one, other) = step.source_operands();
    let (one, other) = (step.vector(one, bits)?, step.vector(other, bits)?);
    let which = step.last_immediate();
    let mut new = [Bit::ZERO; 512];
    for (lane, new) in new[..bits].as_chunks_mut::<128>().0.iter_mut().enumerate() {
        let mut factors = [Bit::ZERO; 128];
        factors[..64].copy_from_slice(&one[128 * lane + 64 * (which & 1)..][..64]);
        factors[64..].copy_from_slice(&other[128 * lane + 64 * (which >> 4 & 1)..][..64]);
        multiply_halves(&factors, &mut step.context.products, new);
    }
    step.set_vector(0, &mut new, bits, 128)
}

/// Computes the carry-less product of the two 64-bit halves of `factors`. Caches products, because many calls multiply
/// the same text blocks by the same powers of H.
fn multiply_halves(factors: &Block, cache: &mut Memo, product: &mut Block) {
    if let Some(known) = cache.get(factors) {
        *product = *known;
        return;
    }
    let (one, other) = factors.split_at(64);
    carryless_product(one, other, product);
    cache.insert(factors, product);
}

/// Executes AESKEYGENASSIST. Stores four words: the S-box of the source's second word, the same word rotated and with
/// the round constant added, and likewise for the source's fourth word.
fn assist_key_schedule(step: &mut Step<'_>) -> StepResult {
    let constant = step.last_immediate();
    let from: Rc<_> = step.vector(1, 128)?;
    note_substitution(step);
    let mut new = [Bit::ZERO; 512];
    for (half, word) in [(0, 32), (64, 96)] {
        for place in (0..32).step_by(8) {
            let mut byte = [Bit::ZERO; 8];
            byte.copy_from_slice(&from[word + place..word + place + 8]);
            let byte = step.context.symbols.substitute(&byte);
            new[half + place..half + place + 8].copy_from_slice(&byte);
            let turned = half + 32 + (place + 24) % 32;
            new[turned..turned + 8].copy_from_slice(&byte);
        }
        for (place, bit) in new[half + 32..half + 40].iter_mut().enumerate() {
            *bit ^= Bit::from(constant >> place & 1 == 1);
        }
    }
    step.set_vector(0, &mut new, 128, 128)
}
