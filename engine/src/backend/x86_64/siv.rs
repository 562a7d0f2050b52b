//! AES-GCM-SIV (RFC 8452): keys derived for each message, POLYVAL of the plaintext, and counter mode that begins with
//! the tag.
//!
//! POLYVAL is GHASH without byte reversal (RFC 8452 Appendix A): the bytes are in memory in the order that the products
//! need, and products are divided by x^128, as in the kernel for AES-GCM. So this module reuses the kernel's sums and
//! powers of H without shuffling bytes.
//!
//! The fixed cost of a message is a chain of dependent operations: two blocks for the hash key, the key schedule, the
//! powers of H, the hash, the tag and only then the keystream.

use core::mem::MaybeUninit;

use super::aes_key::AesKey;
use super::aesni::Lanes1;
use super::cipher::{RoundKeys, last_round, rounds};
use super::hash::{Accumulator, add_two};
use super::key::write_powers;
use super::key_schedule;
use super::lines::Lines;
use super::schedule::{GROUP, Schedule};
use super::vector::Vector;
use crate::backend::{Block, wipe};

/// The numbers 0, 1, 2, …, each in the first 32-bit word of a block. They are added to a counter block to get the
/// following counter blocks.
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
    /// Loads the blocks with the numbers `index`·B to `index`·B + B − 1, for vectors of B blocks.
    #[inline(always)]
    fn vector<V: Schedule>(proof: V::Proof, index: usize) -> V {
        debug_assert!((index + 1) * V::BLOCKS <= NUMBERS.0.len());
        // SAFETY: the table has as many block numbers.
        unsafe { V::load(proof, NUMBERS.0.as_ptr().add(index * V::BLOCKS).cast()) }
    }
}

/// Seals a message and writes the tag to `tag`.
///
/// # Safety
/// `bytes` bytes can be read at `input` and written at `output`. The two buffers are the same or do not overlap.
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
    // SAFETY: guaranteed by the caller.
    unsafe {
        *tag = message.tag::<ROUNDS>(nonce, message.hash(aad, Lines::new(input, output, bytes)));
        message.counter_mode::<ROUNDS>(tag, Lines::new(input, output, bytes));
    }
    message.wipe();
}

/// Decrypts a message that was received with the tag `tag`. Returns the computed tag, which the caller compares with
/// `tag`.
///
/// # Safety
/// As for [`seal`].
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
    // SAFETY: guaranteed by the caller; the output was written and can be read.
    let made = unsafe {
        message.counter_mode::<ROUNDS>(tag, Lines::new(input, output, bytes));
        message.tag::<ROUNDS>(nonce, message.hash(aad, Lines::new(output, output, bytes)))
    };
    message.wipe();
    made
}

/// Returns the number of blocks that POLYVAL hashes: blocks of AAD, blocks of plaintext, and the block of lengths.
#[inline(always)]
fn blocks(aad_bytes: usize, bytes: usize) -> usize {
    aad_bytes.div_ceil(16) + bytes.div_ceil(16) + 1
}

/// Number of vectors of powers of H computed for a short message, which has at most [`MAX_FOR_FEW`] × [`FEW`] vectors.
const FEW: usize = 4;
/// Number of vectors of powers of H computed for a message with more than [`MAX_FOR_FEW`] × [`FEW`] vectors: [`GROUP`],
/// the number of vectors that are encrypted in parallel.
const MANY: usize = GROUP;

/// Maximum number of POLYVAL reductions in a message for which only [`FEW`] vectors of powers of H are computed. The
/// hash waits for each reduction, but each additional power costs a product.
const MAX_FOR_FEW: usize = 4;

/// Keys derived for one message: an AES key, and powers of H for POLYVAL.
#[repr(C, align(64))]
struct MessageKeys<V: Schedule> {
    aes: AesKey<V>,
    /// H^`top`, …, H², H, then padding that loads of whole vectors may read. (The padding is multiplied by zero data.
    /// It is not zeroed first, since most messages need few powers.)
    powers: [MaybeUninit<Block>; 4 * MANY + 4],
    top: usize,
}

impl<V: Schedule> MessageKeys<V> {
    #[inline(always)]
    fn empty(proof: V::Proof) -> Self {
        Self { aes: AesKey::empty(proof), powers: [MaybeUninit::uninit(); 4 * MANY + 4], top: 0 }
    }

    /// Derives the keys of one message (RFC 8452 §4), and computes the powers of H for hashing `blocks` blocks.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn derive<const ROUNDS: usize>(&mut self, key: &AesKey<V>, nonce: &[u8; 12], blocks: usize) {
        const MAX_BLOCKS: usize = 8;
        let proof = key.proof;
        // Uses eight bytes of each block: two blocks give the hash key, and two blocks give every 16 bytes of the AES
        // key.
        let count = if ROUNDS == 10 { 4 } else { MAX_BLOCKS };
        let [a, b, c] = nonce.as_chunks::<4>().0 else { unreachable!("twelve bytes") };
        let [a, b, c] = [a, b, c].map(|word| u64::from(u32::from_le_bytes(*word)));
        let nonce = V::of_halves(proof, a << 32, b | c << 32).xor(key.round_key(0));
        let mut states = [V::zero(proof); MAX_BLOCKS];
        unroll!(index < count / V::BLOCKS, of 8, {
            states[index] = nonce.xor(Numbers::vector(proof, index));
        });
        for round in 1..ROUNDS {
            let round_key = key.round_key(round);
            unroll!(index < count / V::BLOCKS, of 8, {
                states[index] = states[index].aes_round(round_key);
            });
        }
        // Keeps all blocks in registers, because loads right after stores of other widths would wait.
        let zero = Lanes1::zero(proof.into());
        let mut halves = [zero; MAX_BLOCKS];
        unroll!(index < count / V::BLOCKS, of 8, {
            let blocks = states[index].aes_last_round(key.round_key(ROUNDS)).blocks();
            halves[index * V::BLOCKS..][..V::BLOCKS].copy_from_slice(&blocks[..V::BLOCKS]);
        });
        let [a, b, c, d, e, f, ..] = halves;
        let (hash_key, first) = (a.low_halves(b), c.low_halves(d));
        if ROUNDS == 10 {
            key_schedule::expand_128(proof.into(), first, &mut self.aes.round_keys);
        } else {
            key_schedule::expand_256(proof.into(), [first, e.low_halves(f)], &mut self.aes.round_keys);
        }
        let vectors = match blocks.div_ceil(V::BLOCKS) {
            1 => 1,
            vectors if vectors <= MAX_FOR_FEW * FEW => FEW,
            _ => MANY,
        };
        self.top = vectors * V::BLOCKS;
        // SAFETY: the table has room for `top` powers.
        unsafe { write_powers::<V>(proof, hash_key, self.powers.as_mut_ptr().add(self.top).cast(), 0, vectors) };
        for behind in &mut self.powers[self.top..][..V::BLOCKS - 1] {
            behind.write([0; 16]);
        }
    }

    #[inline(always)]
    fn wipe(&mut self) {
        wipe(&mut self.aes.round_keys);
        // SAFETY: `top` powers were written.
        wipe(unsafe { core::slice::from_raw_parts_mut(self.powers.as_mut_ptr().cast::<Block>(), self.top) });
    }

    /// Returns the address of H^`power`. The lower powers follow H^`power`.
    #[inline(always)]
    fn from(&self, power: usize) -> *const u8 {
        debug_assert!(power >= 1 && power <= self.top, "power {power}");
        self.powers.as_ptr().wrapping_add(self.top - power).cast()
    }

    /// Computes POLYVAL of AAD, plaintext and the block of lengths (RFC 8452 §3). Reduces the sum of products after
    /// each sequence of `top` blocks, because there are `top` powers of H. The first sequence may be shorter, so that
    /// the last sequence ends with the block of lengths.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn hash(&self, aad: &[u8], mut plaintext: Lines) -> Lanes1 {
        let proof = self.aes.proof;
        let lengths = Lanes1::of_halves(proof.into(), (aad.len() as u64) << 3, (plaintext.bytes() as u64) << 3);
        // SAFETY: the AAD is only read.
        let mut aad = unsafe { Lines::new(aad.as_ptr(), core::ptr::null_mut(), aad.len()) };
        let mut hash = Lanes1::zero(proof.into());
        let mut left = blocks(aad.bytes(), plaintext.bytes());
        while left > 0 {
            let mut power = (left - 1) % self.top + 1;
            left -= power;
            let mut sum = Accumulator::zero(proof);
            for data in [&mut aad, &mut plaintext] {
                let bytes = data.bytes().min(16 * power);
                if bytes > 0 {
                    self.add(&mut sum, hash, *data, bytes, power);
                    hash = Lanes1::zero(proof.into());
                    power -= bytes.div_ceil(16);
                    *data = data.after(bytes);
                }
            }
            if left == 0 {
                // SAFETY: the table has the first power.
                let first = unsafe { V::load_block(proof, self.from(1), 16) };
                sum.add_block(hash.xor(lengths), first);
            }
            hash = sum.finish(proof);
        }
        hash
    }

    /// Adds to `sum` the products of the first `bytes` bytes of `data` with H^`power` and the powers below it. XORs
    /// `hash` into the first block before the multiplication.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn add(&self, sum: &mut Accumulator<V>, hash: Lanes1, data: Lines, bytes: usize, power: usize) {
        let proof = self.aes.proof;
        let from = self.from(power);
        // SAFETY: the table has a power for each block, and spare entries that the last vector reads after them.
        let powers = |index: usize| unsafe { V::load(proof, from.wrapping_add(index * V::BYTES)) };
        let mut before = V::zero(proof).xor_first_block(hash);
        let whole = bytes / V::BYTES;
        for pair in 0..whole / 2 {
            // SAFETY: both vectors are whole.
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

    /// Computes the tag (RFC 8452 §4): XORs the POLYVAL hash with the nonce, clears the highest bit, and encrypts the
    /// result.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn tag<const ROUNDS: usize>(&self, nonce: &[u8; 12], hash: Lanes1) -> Block {
        let proof = self.aes.proof.into();
        let mut long = [0; 16];
        long[..12].copy_from_slice(nonce);
        let masked = (u128::from_le_bytes(hash.to_bytes()) ^ u128::from_le_bytes(long)) & (u128::MAX >> 1);
        let key = |round: usize| Lanes1::of_bytes(proof, &self.aes.round_keys[round]);
        let mut state = Lanes1::of_halves(proof, masked as u64, (masked >> 64) as u64).xor(key(0));
        for round in 1..ROUNDS {
            state = state.aes_round(key(round));
        }
        state.aes_last_round(key(ROUNDS)).to_bytes()
    }

    /// Encrypts in counter mode. The first counter block is `tag` with the highest bit set. The counter is the first
    /// 32-bit word of the block, and wraps around.
    ///
    /// # Safety
    /// The data can be read and written.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn counter_mode<const ROUNDS: usize>(&self, tag: &Block, mut data: Lines) {
        let proof = self.aes.proof;
        let [low, high] = [&tag[..8], &tag[8..]].map(|half| u64::from_le_bytes(half.try_into().unwrap_or_default()));
        let mut counter = V::of_halves(proof, low, high | 1 << 63);
        let step = V::of_halves(proof, (GROUP * V::BLOCKS) as u64, 0);
        while data.bytes() >= GROUP * V::BYTES {
            // SAFETY: the data has a group of vectors.
            unsafe { self.encrypt::<ROUNDS, GROUP, true>(counter, data) };
            counter = counter.add_words(step);
            data = data.after(GROUP * V::BYTES);
        }
        // SAFETY: each arm processes at least the number of vectors that the data has.
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

    /// Encrypts `N` vectors in counter mode. With `WHOLE`, all of these vectors are whole; otherwise the data may end
    /// in any of them.
    ///
    /// # Safety
    /// With `WHOLE`, the data has `N` vectors.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn encrypt<const ROUNDS: usize, const N: usize, const WHOLE: bool>(&self, counter: V, data: Lines) {
        let proof = self.aes.proof;
        let mut inputs = [V::zero(proof); N];
        let mut states = inputs;
        let first = self.aes.round_key(0);
        unroll!(index < N, {
            inputs[index] = if WHOLE {
                // SAFETY: guaranteed by the caller.
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
                // SAFETY: guaranteed by the caller.
                unsafe { data.store::<V, false>(states[index], index, false) };
            } else {
                data.store_any(states[index], index);
            }
        });
    }
}
