//! AES and carry-less products.

use std::rc::Rc;

use iced_x86::Mnemonic;

use super::step::{Done, Step};
use crate::aes;
use crate::field::{Bit, carryless_product};
use crate::memo::Memo;
use crate::reference::Block;
use crate::refusal::Refusal;

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    match step.instruction.mnemonic() {
        M::Aesenc | M::Vaesenc => round(step, false)?,
        M::Aesenclast | M::Vaesenclast => round(step, true)?,
        M::Aeskeygenassist | M::Vaeskeygenassist => assist(step)?,
        M::Pclmulqdq | M::Vpclmulqdq => product(step)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn round(step: &mut Step<'_>, is_last: bool) -> Done {
    step.keep_lanes();
    let bits = step.width(0);
    let (state, key) = step.sources();
    let state = step.vector(state, bits)?;
    substitute(step);
    let key = step.vector(key, bits)?;
    step.world.symbols.tally.lookups += bits as u64 / 128;
    let mut new = [Bit::ZERO; 512];
    let lanes = state.as_chunks().0.iter().zip(key.as_chunks().0).zip(new[..bits].as_chunks_mut().0);
    for ((state, key), new) in lanes {
        aes::round(state, key, is_last, &mut step.world.symbols, new);
    }
    step.set_vector(0, &mut new, bits, 128)
}

/// What was read so far is given to S-boxes.
fn substitute(step: &mut Step<'_>) {
    let degree = step.machine.memory.flow.substitute();
    let tally = &mut step.world.symbols.tally;
    tally.argument_degree = tally.argument_degree.max(degree);
}

fn product(step: &mut Step<'_>) -> Done {
    step.keep_lanes();
    step.multiply();
    let bits = step.width(0);
    step.world.symbols.tally.lookups += bits as u64 / 128;
    let (one, other) = step.sources();
    let (one, other) = (step.vector(one, bits)?, step.vector(other, bits)?);
    let which = step.last_immediate();
    let mut new = [Bit::ZERO; 512];
    for (lane, new) in new[..bits].as_chunks_mut::<128>().0.iter_mut().enumerate() {
        let mut factors = [Bit::ZERO; 128];
        factors[..64].copy_from_slice(&one[128 * lane + 64 * (which & 1)..][..64]);
        factors[64..].copy_from_slice(&other[128 * lane + 64 * (which >> 4 & 1)..][..64]);
        product_of(&factors, &mut step.world.products, new);
    }
    step.set_vector(0, &mut new, bits, 128)
}

/// The product of both halves. (What calls multiply is mostly the same: blocks of the text, and powers of H.)
fn product_of(factors: &Block, before: &mut Memo, product: &mut Block) {
    if let Some(known) = before.get(factors) {
        *product = *known;
        return;
    }
    let (one, other) = factors.split_at(64);
    carryless_product(one, other, product);
    before.keep(factors, product);
}

/// AESKEYGENASSIST: the second and fourth word through the S-box, as they are, and turned with a constant added.
fn assist(step: &mut Step<'_>) -> Done {
    let constant = step.last_immediate();
    let from: Rc<_> = step.vector(1, 128)?;
    substitute(step);
    let mut new = [Bit::ZERO; 512];
    for (half, word) in [(0, 32), (64, 96)] {
        for place in (0..32).step_by(8) {
            let mut byte = [Bit::ZERO; 8];
            byte.copy_from_slice(&from[word + place..word + place + 8]);
            let byte = step.world.symbols.substitute(&byte);
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
