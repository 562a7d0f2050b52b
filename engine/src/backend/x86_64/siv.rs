//! AES-GCM-SIV (RFC 8452): keys derived for each message, POLYVAL of the plaintext, and counter mode that begins with
//! the tag.
//!
//! POLYVAL is GHASH without its reversals (RFC 8452 Appendix A): bytes lie in memory as the products need them, and
//! products end over x^128, as this kernel's do. So its sums and powers serve, with H as it is and no byte shuffled.
//!
//! The fixed cost of a message is a chain: two blocks for the keys, the key schedule, the powers of H, the hash, the
//! tag and only then the keystream.

use core::mem::MaybeUninit;

use super::aes_key::AesKey;
use super::aesni::One;
use super::cipher::{RoundKeys, last_round, rounds};
use super::hash::{Accumulator, add_two};
use super::key::write_powers;
use super::key_schedule;
use super::lines::Lines;
use super::schedule::{GROUP, Schedule};
use super::vector::Vector;
use crate::backend::{Block, wipe};

/// The numbers of a group's blocks, in the first word of each.
static NUMBERS: Numbers = Numbers({
    let mut numbers = [[0; 16]; 4 * GROUP];
    let mut index = 0;
    while index < numbers.len() {
        numbers[index][0] = index as u8;
        index += 1;
    }
    numbers
});

#[repr(align(64))]
struct Numbers([Block; 4 * GROUP]);

impl Numbers {
    /// Those of vector `index`.
    #[inline(always)]
    fn vector<V: Schedule>(proof: V::Proof, index: usize) -> V {
        debug_assert!((index + 1) * V::BLOCKS <= NUMBERS.0.len());
        // SAFETY: there are as many.
        unsafe { V::load(proof, NUMBERS.0.as_ptr().add(index * V::BLOCKS).cast()) }
    }
}

/// Seals a message, and writes its tag.
///
/// # Safety
/// So many bytes can be read at `input` and written at `output`, which are the same or do not overlap.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn seal<V: Schedule, const ROUNDS: usize>(
    key: &AesKey<V>,
    nonce: &[u8; 12],
    aad: &[u8],
    [input, output]: [*mut u8; 2],
    bytes: usize,
    tag: &mut Block,
) {
    let mut message = MessageKeys::empty(key.proof);
    message.derive::<ROUNDS>(key, nonce, blocks(aad.len(), bytes));
    // SAFETY: the caller's.
    unsafe {
        *tag = message.tag::<ROUNDS>(nonce, message.hash(aad, Lines::new(input, output, bytes)));
        message.counter_mode::<ROUNDS>(tag, Lines::new(input, output, bytes));
    }
    message.wipe();
}

/// Opens a message that came with `tag`; the tag it ought to have.
///
/// # Safety
/// As [`seal`].
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn open<V: Schedule, const ROUNDS: usize>(
    key: &AesKey<V>,
    nonce: &[u8; 12],
    aad: &[u8],
    [input, output]: [*mut u8; 2],
    bytes: usize,
    tag: &Block,
) -> Block {
    let mut message = MessageKeys::empty(key.proof);
    message.derive::<ROUNDS>(key, nonce, blocks(aad.len(), bytes));
    // SAFETY: the caller's; what was written can be read.
    let made = unsafe {
        message.counter_mode::<ROUNDS>(tag, Lines::new(input, output, bytes));
        message.tag::<ROUNDS>(nonce, message.hash(aad, Lines::new(output, output, bytes)))
    };
    message.wipe();
    made
}

/// Blocks that are hashed: those of the AAD, those of the plaintext, and the lengths.
#[inline(always)]
fn blocks(aad_bytes: usize, bytes: usize) -> usize {
    aad_bytes.div_ceil(16) + bytes.div_ceil(16) + 1
}

/// Vectors of powers that a message has, if it takes more than one…
const FEW: usize = 4;
/// … and one of more than [`MAX_FOR_FEW`] times as many.
const MANY: usize = GROUP;

/// With few powers a group costs a reduction, which the next one waits for; each additional power costs a product.
const MAX_FOR_FEW: usize = 4;

/// What is derived for a message.
#[repr(C, align(64))]
struct MessageKeys<V: Schedule> {
    aes: AesKey<V>,
    /// H^`top`, …, H², H, and places that a last vector reads past the first power, where its data is zero. (Not filled
    /// with zeros first: most messages take few.)
    powers: [MaybeUninit<Block>; 4 * MANY + 4],
    top: usize,
}

impl<V: Schedule> MessageKeys<V> {
    #[inline(always)]
    fn empty(proof: V::Proof) -> Self {
        Self { aes: AesKey::empty(proof), powers: [MaybeUninit::uninit(); 4 * MANY + 4], top: 0 }
    }

    /// Derives the keys of the message (RFC 8452 §4), and the powers that `blocks` blocks take at once.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn derive<const ROUNDS: usize>(&mut self, key: &AesKey<V>, nonce: &[u8; 12], blocks: usize) {
        const MOST: usize = 8;
        let proof = key.proof;
        // Of each block eight bytes are used: two blocks for the hash, and two for each 16 bytes of the other key.
        let count = if ROUNDS == 10 { 4 } else { MOST };
        let [a, b, c] = nonce.as_chunks::<4>().0 else { unreachable!("twelve bytes") };
        let [a, b, c] = [a, b, c].map(|word| u64::from(u32::from_le_bytes(*word)));
        let nonce = V::of_halves(proof, a << 32, b | c << 32).xor(key.round_key(0));
        let mut states = [V::zero(proof); MOST];
        unroll!(index < count / V::BLOCKS, of 8, {
            states[index] = nonce.xor(Numbers::vector(proof, index));
        });
        for round in 1..ROUNDS {
            let round_key = key.round_key(round);
            unroll!(index < count / V::BLOCKS, of 8, {
                states[index] = states[index].aes_round(round_key);
            });
        }
        // All blocks in registers: loading right after storing in other pieces would wait.
        let zero = One::zero(proof.into());
        let mut halves = [zero; MOST];
        unroll!(index < count / V::BLOCKS, of 8, {
            let blocks = states[index].aes_last_round(key.round_key(ROUNDS)).blocks();
            halves[index * V::BLOCKS..][..V::BLOCKS].copy_from_slice(&blocks[..V::BLOCKS]);
        });
        let [a, b, c, d, e, f, ..] = halves;
        let (hash_key, first) = (a.low_halves(b), c.low_halves(d));
        if ROUNDS == 10 {
            key_schedule::of_one(proof.into(), first, &mut self.aes.round_keys);
        } else {
            key_schedule::of_two(proof.into(), [first, e.low_halves(f)], &mut self.aes.round_keys);
        }
        let vectors = match blocks.div_ceil(V::BLOCKS) {
            1 => 1,
            vectors if vectors <= MAX_FOR_FEW * FEW => FEW,
            _ => MANY,
        };
        self.top = vectors * V::BLOCKS;
        // SAFETY: there is room for so many.
        unsafe { write_powers::<V>(proof, hash_key, self.powers.as_mut_ptr().add(self.top).cast(), 0, vectors) };
        for behind in &mut self.powers[self.top..][..V::BLOCKS - 1] {
            behind.write([0; 16]);
        }
    }

    #[inline(always)]
    fn wipe(&mut self) {
        wipe(&mut self.aes.round_keys);
        // SAFETY: as many were written.
        wipe(unsafe { core::slice::from_raw_parts_mut(self.powers.as_mut_ptr().cast::<Block>(), self.top) });
    }

    /// Where the powers from `power` down begin.
    #[inline(always)]
    fn from(&self, power: usize) -> *const u8 {
        debug_assert!(power >= 1 && power <= self.top, "power {power}");
        self.powers.as_ptr().wrapping_add(self.top - power).cast()
    }

    /// POLYVAL of AAD, plaintext and their lengths (RFC 8452 §3): as many blocks at a time as there are powers. The
    /// remainder comes first, so that the lengths end the last group.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn hash(&self, aad: &[u8], mut plaintext: Lines) -> One {
        let proof = self.aes.proof;
        let lengths = One::of_halves(proof.into(), (aad.len() as u64) << 3, (plaintext.bytes() as u64) << 3);
        // SAFETY: nothing of it is written.
        let mut aad = unsafe { Lines::new(aad.as_ptr(), core::ptr::null_mut(), aad.len()) };
        let mut hash = One::zero(proof.into());
        let mut left = blocks(aad.bytes(), plaintext.bytes());
        while left > 0 {
            let mut power = (left - 1) % self.top + 1;
            left -= power;
            let mut sum = Accumulator::zero(proof);
            for data in [&mut aad, &mut plaintext] {
                let bytes = data.bytes().min(16 * power);
                if bytes > 0 {
                    self.add(&mut sum, hash, *data, bytes, power);
                    hash = One::zero(proof.into());
                    power -= bytes.div_ceil(16);
                    *data = data.after(bytes);
                }
            }
            if left == 0 {
                // SAFETY: the first power is there.
                let first = unsafe { V::load_block(proof, self.from(1), 16) };
                sum.add_block(hash.xor(lengths), first);
            }
            hash = sum.finish(proof);
        }
        hash
    }

    /// Adds the products of the first `bytes` bytes of `data`, with `hash` added to their first block, and the powers
    /// from `power` down.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn add(&self, sum: &mut Accumulator<V>, hash: One, data: Lines, bytes: usize, power: usize) {
        let proof = self.aes.proof;
        let from = self.from(power);
        // SAFETY: as many powers are there as blocks, and what a last vector reads behind them.
        let powers = |index: usize| unsafe { V::load(proof, from.wrapping_add(index * V::BYTES)) };
        let mut before = V::zero(proof).xor_first_block(hash);
        let whole = bytes / V::BYTES;
        for pair in 0..whole / 2 {
            // SAFETY: both are whole.
            let [first, second] = unsafe { data.load_pair::<V>(proof, pair) };
            add_two(sum, [first.xor(before), second], [powers(2 * pair), powers(2 * pair + 1)]);
            before = V::zero(proof);
        }
        let rest = data.first(bytes);
        for index in whole / 2 * 2..bytes.div_ceil(V::BYTES) {
            sum.add_one(rest.load_any::<V>(proof, index).xor(before), powers(index));
            before = V::zero(proof);
        }
    }

    /// The tag (RFC 8452 §4): the hash and the nonce under AES, without the highest bit.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn tag<const ROUNDS: usize>(&self, nonce: &[u8; 12], hash: One) -> Block {
        let proof = self.aes.proof.into();
        let mut long = [0; 16];
        long[..12].copy_from_slice(nonce);
        let masked = (u128::from_le_bytes(hash.to_bytes()) ^ u128::from_le_bytes(long)) & (u128::MAX >> 1);
        let key = |round: usize| One::of_bytes(proof, &self.aes.round_keys[round]);
        let mut state = One::of_halves(proof, masked as u64, (masked >> 64) as u64).xor(key(0));
        for round in 1..ROUNDS {
            state = state.aes_round(key(round));
        }
        state.aes_last_round(key(ROUNDS)).to_bytes()
    }

    /// Counter mode from `tag` on, its highest bit set; the first word counts, and wraps, alone.
    ///
    /// # Safety
    /// The data is there.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn counter_mode<const ROUNDS: usize>(&self, tag: &Block, mut data: Lines) {
        let proof = self.aes.proof;
        let [low, high] = [&tag[..8], &tag[8..]].map(|half| u64::from_le_bytes(half.try_into().unwrap_or_default()));
        let mut counter = V::of_halves(proof, low, high | 1 << 63);
        let step = V::of_halves(proof, (GROUP * V::BLOCKS) as u64, 0);
        while data.bytes() >= GROUP * V::BYTES {
            // SAFETY: so many vectors are there.
            unsafe { self.encrypt::<ROUNDS, GROUP, true>(counter, data) };
            counter = counter.add_words(step);
            data = data.after(GROUP * V::BYTES);
        }
        // SAFETY: each is for as many vectors as there are, or more.
        unsafe {
            match data.bytes().div_ceil(V::BYTES) {
                0 => {}
                1 => self.encrypt::<ROUNDS, 1, false>(counter, data),
                2 => self.encrypt::<ROUNDS, 2, false>(counter, data),
                3 | 4 => self.encrypt::<ROUNDS, 4, false>(counter, data),
                _ => self.encrypt::<ROUNDS, GROUP, false>(counter, data),
            }
        }
    }

    /// Encrypts `N` vectors, all of them whole if `WHOLE`, and otherwise as far as the data goes.
    ///
    /// # Safety
    /// They are.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn encrypt<const ROUNDS: usize, const N: usize, const WHOLE: bool>(&self, counter: V, data: Lines) {
        let proof = self.aes.proof;
        let mut inputs = [V::zero(proof); N];
        let mut states = inputs;
        let first = self.aes.round_key(0);
        unroll!(index < N, {
            inputs[index] = if WHOLE {
                // SAFETY: the caller's.
                unsafe { data.load::<V, false>(proof, index, false) }
            } else {
                data.load_any(proof, index)
            };
            states[index] = counter.add_words(Numbers::vector(proof, index)).xor(first);
        });
        rounds(&self.aes, &mut states, 1, ROUNDS);
        last_round::<V, ROUNDS, N>(&self.aes, &mut states, &inputs);
        unroll!(index < N, {
            if WHOLE {
                // SAFETY: the caller's.
                unsafe { data.store::<V, false>(states[index], index, false) };
            } else {
                data.store_any(states[index], index);
            }
        });
    }
}
