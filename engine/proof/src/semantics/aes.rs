//! AES and carry-less products.

use std::rc::Rc;

use iced_x86::Mnemonic;

use super::step::{Done, Step};
use crate::aes;
use crate::field::{Bit, carryless_product};
use crate::refusal::Refusal;

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    match step.instruction.mnemonic() {
        M::Aesenc | M::Vaesenc => round(step, false)?,
        M::Aesenclast | M::Vaesenclast => round(step, true)?,
        M::Aeskeygenassist | M::Vaeskeygenassist => assist(step)?,
        M::Pclmulqdq | M::Vpclmulqdq => {
            let which = step.last_immediate();
            let (one, other) = (64 * (which & 1), 64 * (which >> 4 & 1));
            step.by_lanes(128, |first, second, new| {
                carryless_product(&first[one..one + 64], &second[other..other + 64], new);
            })?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn round(step: &mut Step<'_>, is_last: bool) -> Done {
    let bits = step.width(0);
    let (state, key) = step.sources();
    let (state, key) = (step.vector(state, bits)?, step.vector(key, bits)?);
    let mut new = [Bit::ZERO; 512];
    for lane in (0..bits).step_by(128) {
        let lane = lane..lane + 128;
        aes::round(&state[lane.clone()], &key[lane.clone()], is_last, &mut step.world.symbols, &mut new[lane]);
    }
    step.set_vector(0, new, bits, 128)
}

/// AESKEYGENASSIST: the second and fourth word through the S-box, as they are, and turned with a constant added.
fn assist(step: &mut Step<'_>) -> Done {
    let constant = step.last_immediate();
    let from: Rc<_> = step.vector(1, 128)?;
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
    step.set_vector(0, new, 128, 128)
}
