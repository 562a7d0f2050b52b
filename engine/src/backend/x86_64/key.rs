//! An expanded AES-GCM key: round keys and powers of H.
//!
//! There are two tables of powers of H. Strides are powers whose exponents are multiples of the number of blocks in a
//! vector; they multiply most vectors of a long message. Consecutive powers multiply the last vectors of a message, up
//! to a group: [`GROUP`] vectors. A stretch is a sequence of vectors whose products are added up before one reduction.
//!
//! A key has room for 3.9 KB (`vaes512`: 2.4 KB, with schoolbook products 2.9 KB), but a new key contains only the few
//! powers of H that the shortest messages need. The first longer message computes more powers for all later messages
//! ([`GrowingKey::grow`]). With `vaes512` a packet of 1,440 bytes reads 1.1 KB of its key (schoolbook: 0.8 KB), so
//! thousands of keys fit into the CPU's caches.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, offset_of};
use core::panic::RefUnwindSafe;

use super::aesni::Lanes1;
use super::hash::{Accumulator, fold_halves, square};
use super::key_schedule;
pub(super) use super::key_schedule::MAX_ROUNDS;
use super::lines::HEADER_BYTES;
use super::message::max_short_bytes;
use super::schedule::{CONSECUTIVE_END, GROUP, Products, Schedule};
use super::vector::Vector;
use crate::backend::growth::Growth;
use crate::backend::{Block, Plain, wipe};

/// Memory layout of a key for vectors of type `V`: round keys and powers of H.
///
/// H and its powers are stored as factors for carry-less products. Their bytes are reversed, so that a block is a
/// polynomial with its coefficients in order. They are multiplied by x, since a carry-less product of two reflected
/// operands is one bit too low (Gueron and Kounavis, "Intel Carry-Less Multiplication Instruction and its Usage for
/// Computing the GCM Mode", 2010).
///
/// Round keys and powers are aligned to 16 bytes. (They are not aligned to 64 bytes, because the system's allocator
/// takes three times as long for such memory.) The parts that a packet needs are adjacent: the lowest `strides`, the
/// round keys, the consecutive powers.
#[repr(C, align(16))]
pub(crate) struct KeyMemory<V: Schedule> {
    /// The powers H^(B·STRIDES), …, H^(2·B), H^B, for vectors of B blocks. Each of these powers is broadcast to all
    /// lanes, and multiplies every block of a vector.
    strides: V::Strides,
    /// For each power of H in `strides`, the XOR of its 64-bit halves, which is a factor of Karatsuba's middle product.
    /// Empty if products use the schoolbook method.
    folded_strides: V::Folded,
    expanded: Expanded<V>,
    /// Consecutive powers H^(BLOCKS·GROUP + 1), …, H², H. The last vectors of a message are multiplied by these powers,
    /// so that the block hashed last is multiplied by H, whichever lane holds that block. Three blocks of zeros follow
    /// H, since loads of a whole vector may read them.
    consecutive: [MaybeUninit<Block>; CONSECUTIVE_END + 3],
}

/// The part of a key that kernels borrow: the round keys. The tables of powers of H are before and after this part, in
/// [`KeyMemory`].
///
/// A reference to `Expanded` does not cover the tables, so another thread may write more powers there. Kernels read
/// only powers that have been published, which do not change any more.
#[repr(C, align(16))]
pub(crate) struct Expanded<V: Schedule> {
    pub(super) round_keys: [Block; MAX_ROUNDS + 1],
    pub(super) rounds: usize,
    /// Number of vectors between two GHASH reductions in the loop of [`pipeline`](super::pipeline), a power of two.
    /// Messages with more vectors need twice this number of powers H^(B·k), for vectors of B blocks.
    pub(super) stretch: usize,
    /// Proof that the CPU has the features of the backend.
    pub(super) proof: V::Proof,
}

impl<V: Schedule> Expanded<V> {
    /// Highest exponent in the table of consecutive powers of H.
    const HIGHEST: usize = V::BLOCKS * GROUP + 1;

    /// Returns the address of entry `index` in the table of powers H^(B·k), for vectors of B blocks. The table is in
    /// descending order.
    #[inline(always)]
    pub(super) fn strides_from(&self, index: usize) -> *const u8 {
        debug_assert!(index <= V::STRIDES);
        self.memory().wrapping_add(offset_of!(KeyMemory<V>, strides) + size_of::<Block>() * index)
    }

    /// Returns the address of the XOR of the 64-bit halves of entry `index` in the table of
    /// [`strides_from`](Self::strides_from).
    #[inline(always)]
    pub(super) fn folded_strides_from(&self, index: usize) -> *const u8 {
        self.memory().wrapping_add(offset_of!(KeyMemory<V>, folded_strides) + size_of::<Block>() / 2 * index)
    }

    /// Returns the address of H^`power` in the table of consecutive powers. The lower powers follow H^`power`.
    #[inline(always)]
    pub(super) fn consecutive_from(&self, power: usize) -> *const u8 {
        debug_assert!(power >= 1 && power <= Self::HIGHEST, "power {power}");
        let index = CONSECUTIVE_END - power;
        self.memory().wrapping_add(offset_of!(KeyMemory<V>, consecutive) + size_of::<Block>() * index)
    }

    #[inline(always)]
    fn memory(&self) -> *const u8 {
        (&raw const *self).cast::<u8>().wrapping_sub(offset_of!(KeyMemory<V>, expanded))
    }

    /// Returns H, the GHASH key.
    #[inline(always)]
    pub(super) fn first_power(&self) -> Lanes1 {
        self.power(1)
    }

    /// Loads H^`power` from the table of consecutive powers.
    #[inline(always)]
    pub(super) fn power(&self, power: usize) -> Lanes1 {
        // SAFETY: the table has the power.
        unsafe { Lanes1::load(self.proof.into(), self.consecutive_from(power)) }
    }
}

impl<V: Schedule> KeyMemory<V> {
    /// Initialises `place` as key memory that does not contain a key yet. (Returning key memory by value would copy its
    /// tables of powers of H.)
    #[inline(always)]
    pub(super) fn empty_in(place: &mut MaybeUninit<Self>, proof: V::Proof) -> &mut Self {
        const {
            assert!(offset_of!(Expanded<V>, round_keys) % 16 == 0 && offset_of!(Self, strides) % 16 == 0);
        }
        let expanded = Expanded { round_keys: [[0; 16]; MAX_ROUNDS + 1], rounds: 0, stretch: 0, proof };
        // SAFETY: every field is written here except the tables, for which any bytes are valid.
        unsafe {
            (&raw mut (*place.as_mut_ptr()).expanded).write(expanded);
            place.assume_init_mut()
        }
    }

    /// Returns the part of the key that kernels borrow.
    #[inline(always)]
    pub(super) fn expanded(&self) -> &Expanded<V> {
        // SAFETY: while `self` is borrowed, no thread writes its memory.
        unsafe { Self::expanded_at(self) }
    }

    /// Returns the part of the key that kernels borrow. Another thread may write more powers of H to the key's memory
    /// at the same time.
    ///
    /// # Safety
    /// During `'a`, the key's memory stays valid, its round keys are not written, and powers of H are written only
    /// where none were.
    #[inline(always)]
    unsafe fn expanded_at<'a>(this: *const Self) -> &'a Expanded<V> {
        // SAFETY: guaranteed by the caller.
        unsafe { &(*this).expanded }
    }

    /// Expands `key`, which has 16, 24 or 32 bytes, and computes the powers of H that `powers` selects.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand(&mut self, key: &[u8], powers: Powers) {
        let expanded = &mut self.expanded;
        let proof = expanded.proof.into();
        let (rounds, zeros) = key_schedule::expand_and_encrypt_zeros(proof, key, &mut expanded.round_keys);
        expanded.rounds = rounds;
        self.expand_powers(zeros, powers);
    }

    /// Expands a key of 32 bytes, given as two vectors, and computes the powers of H that `powers` selects.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand_256(&mut self, key: [Lanes1; 2], powers: Powers) {
        let expanded = &mut self.expanded;
        let zeros = key_schedule::expand_256(expanded.proof.into(), key, &mut expanded.round_keys);
        expanded.rounds = MAX_ROUNDS;
        self.expand_powers(zeros, powers);
    }

    /// Copies the round keys and H from `other`, and computes the other powers of H that `powers` selects.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand_from_key(&mut self, other: &Expanded<V>, powers: Powers) {
        (self.expanded.round_keys, self.expanded.rounds) = (other.round_keys, other.rounds);
        self.expand_powers_of(other.first_power(), powers);
    }

    /// Computes the powers of H that `powers` selects. `zeros` is the encrypted zero block.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn expand_powers(&mut self, zeros: Lanes1, powers: Powers) {
        self.expand_powers_of(zeros.reverse().times_x(self.expanded.proof.into()), powers);
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn expand_powers_of(&mut self, first: Lanes1, powers: Powers) {
        for behind in &mut self.consecutive[CONSECUTIVE_END..][..V::BLOCKS - 1] {
            behind.write([0; 16]);
        }
        self.expanded.stretch = powers.stretch;
        // SAFETY: `self` is borrowed exclusively.
        unsafe { Self::add_powers(self, first, Powers::NONE, powers) };
    }

    /// Computes the powers of H that `powers` selects. `first` is H. Skips those powers that `made` selects, which the
    /// key already has.
    ///
    /// # Safety
    /// During the call, no other thread writes powers of H, or reads powers that are not selected by `made`.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn add_powers(this: *mut Self, first: Lanes1, made: Powers, powers: Powers) {
        // SAFETY: the tables have room for `powers`; the rest is guaranteed by the caller.
        unsafe {
            let key = Self::expanded_at(this);
            if powers.consecutive > made.consecutive {
                let end = (&raw mut (*this).consecutive).cast::<Block>().add(CONSECUTIVE_END);
                write_powers::<V>(key.proof, first, end, made.consecutive, powers.consecutive);
                if powers.consecutive == GROUP {
                    // Both factors are there long before the second highest power is.
                    let highest = Expanded::<V>::HIGHEST;
                    let product = multiply(key.proof.into(), key.power(highest / 2), key.power(highest.div_ceil(2)));
                    product.store(end.sub(highest).cast());
                }
            }
            if powers.strides > made.strides {
                let end = (&raw mut (*this).strides).cast::<Block>().add(V::STRIDES);
                let mut there = made.strides;
                if there == 0 {
                    // The first strides are among the consecutive powers.
                    there = GROUP / V::BLOCKS;
                    for vector in 0..there {
                        let highest = (vector + 1) * V::BLOCKS;
                        let stride = |lane: usize| key.power((highest - lane.min(V::BLOCKS - 1)) * V::BLOCKS);
                        V::of_blocks(&[0, 1, 2, 3].map(stride)).store(end.sub(highest).cast());
                    }
                }
                write_powers::<V>(key.proof, key.power(V::BLOCKS), end, there, powers.strides);
                if V::PRODUCTS == Products::Karatsuba {
                    let folded = (&raw mut (*this).folded_strides).cast::<[u8; 8]>().add(V::STRIDES);
                    for vector in made.strides + 1..=powers.strides {
                        let powers = V::load(key.proof, end.sub(vector * V::BLOCKS).cast());
                        fold_halves(powers).store_low_halves(folded.sub(vector * V::BLOCKS).cast());
                    }
                }
            }
        }
    }

    /// Wipes the round keys and the powers of H that `powers` selects.
    #[inline(always)]
    pub(super) fn wipe(&mut self, powers: Powers) {
        let proof = self.expanded.proof;
        let first_stride = V::STRIDES - powers.strides * V::BLOCKS;
        // The full table has one power more than whole vectors. (Its unused places may be copies of old stack memory.)
        let first_power =
            if powers.consecutive == GROUP { 0 } else { CONSECUTIVE_END - powers.consecutive * V::BLOCKS };
        wipe_in_vectors::<V>(proof, &mut self.strides.as_mut()[first_stride..]);
        wipe_in_vectors::<V>(proof, self.folded_strides.as_mut().get_mut(first_stride..).unwrap_or_default());
        // The whole struct: its padding may have been copied from a register that held a secret.
        wipe_in_vectors::<V>(proof, &mut self.expanded);
        wipe_in_vectors::<V>(proof, &mut self.consecutive[first_power..]);
    }
}

/// Overwrites `value` with zeros, a vector at a time if `value` is large enough. The compiler cannot omit these stores,
/// although nothing reads the zeros.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn wipe_in_vectors<V: Vector>(proof: V::Proof, value: &mut (impl Plain + ?Sized)) {
    let (bytes, start) = (size_of_val(value), (&raw mut *value).cast::<u8>());
    if bytes < V::BYTES {
        return wipe(value);
    }
    for at in (0..bytes - V::BYTES).step_by(V::BYTES) {
        // SAFETY: the vector ends inside the value, for which any bytes are valid.
        unsafe { V::zero(proof).store(start.add(at)) };
    }
    // SAFETY: as above. The assembly is empty, but could read the value, so the zeros must be in memory.
    unsafe {
        V::zero(proof).store(start.add(bytes - V::BYTES));
        asm!("/* {0} */", in(reg) start, options(nostack, preserves_flags));
    }
}

/// A key that computes more powers of H when a longer message first needs them.
#[repr(C)]
pub(crate) struct GrowingKey<V: Schedule> {
    memory: UnsafeCell<KeyMemory<V>>,
    growth: Growth,
    /// Selects the powers of H computed so far. Only the thread that computes more powers reads or writes this field.
    powers: UnsafeCell<Powers>,
}

// SAFETY: `growth` lets one thread at a time write powers, and other threads read only powers that it has published.
unsafe impl<V: Schedule> Sync for GrowingKey<V> {}

// If making powers panics, they are not published, so no later call reads them.
impl<V: Schedule> RefUnwindSafe for GrowingKey<V> {}

impl<V: Schedule> GrowingKey<V> {
    /// Initialises all of `place` except its key memory, and returns that key memory. The caller must expand a key into
    /// it, with the powers of H that `powers` selects. (Returning the key by value would copy all of its tables.)
    #[inline(always)]
    pub(super) fn place_in(place: &mut MaybeUninit<Self>, powers: Powers) -> &mut MaybeUninit<KeyMemory<V>> {
        let this = place.as_mut_ptr();
        // SAFETY: the fields are in the borrowed place; `UnsafeCell` and `MaybeUninit` have the layout of their
        // content.
        unsafe {
            (&raw mut (*this).growth).write(Growth::new(powers.max_text_bytes::<V>()));
            (&raw mut (*this).powers).write(UnsafeCell::new(powers));
            &mut *(&raw mut (*this).memory).cast()
        }
    }

    /// Returns the part of the key that kernels borrow, with the powers of H computed so far.
    #[inline(always)]
    pub(super) fn key(&self) -> &Expanded<V> {
        // SAFETY: round keys are written under `&mut self` only, and `grow` writes powers where there were none.
        unsafe { KeyMemory::expanded_at(self.memory.get()) }
    }

    /// Returns whether the powers of H computed so far suffice for a text of `bytes` bytes.
    #[inline(always)]
    pub(super) fn has_powers_for(&self, bytes: usize) -> bool {
        bytes <= const { Powers::few::<V>().max_text_bytes::<V>() } || self.growth.has_powers_for(bytes)
    }

    /// Computes the powers of H that are needed to hash a text of `bytes` bytes, and returns `true`. Returns `false` at
    /// once if another thread is computing powers of H.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn grow(&self, bytes: usize) -> bool {
        if !self.growth.begin() {
            return false;
        }
        // SAFETY: `growth` admits one thread, and other threads read only powers in `made`.
        unsafe {
            let made = *self.powers.get();
            let powers = Powers::for_text::<V>(bytes).added_to::<V>(made);
            KeyMemory::add_powers(self.memory.get(), self.key().first_power(), made, powers);
            *self.powers.get() = powers;
            self.growth.finish(powers.max_text_bytes::<V>());
        }
        true
    }

    /// Sets the flag that another thread is computing powers of H, for a test.
    #[cfg(test)]
    pub(super) fn pretend_growth(&self) {
        self.growth.pretend_growth();
    }

    /// Records that the key has no powers of H any more. Returns its memory and the powers it had, for the caller to
    /// wipe.
    #[inline(always)]
    pub(super) fn forget_powers(&mut self) -> (&mut KeyMemory<V>, Powers) {
        let powers = core::mem::replace(self.powers.get_mut(), Powers::NONE);
        self.growth.forget_powers();
        (self.memory.get_mut(), powers)
    }
}

/// Minimum number of powers of H in a new key (first), and minimum number of vectors that these powers fill (second).
/// With vectors of four blocks, a text of 80 bytes can be hashed with them; with narrower vectors, a text of 16 bytes.
const FEW: (usize, usize) = (4, 2);

/// A selection of powers of H: the number of vectors of powers in each table of a key. Tables are filled from their
/// end, which has the lowest powers.
#[derive(Clone, Copy)]
pub(crate) struct Powers {
    /// Number of vectors of consecutive powers of H: 0, 1, 2 or at least four.
    consecutive: usize,
    /// Number of vectors of powers H^(B·k), for vectors of B blocks: 0 or at least four.
    strides: usize,
    /// Number of vectors between two GHASH reductions (see [`Expanded::stretch`]).
    stretch: usize,
}

impl Powers {
    const NONE: Self = Self { consecutive: 0, strides: 0, stretch: 0 };

    /// Selects the powers of H that a new key contains: only those for the shortest messages, so that expanding a key
    /// is fast.
    pub(super) const fn few<V: Schedule>() -> Self {
        let vectors = if FEW.0 / V::BLOCKS > FEW.1 { FEW.0 / V::BLOCKS } else { FEW.1 };
        Self { consecutive: vectors, strides: 0, stretch: V::STRIDES / 2 }
    }

    /// Selects the powers of H with which a key for many messages hashes a text of `bytes` bytes.
    #[inline(always)]
    pub(super) fn for_text<V: Schedule>(bytes: usize) -> Self {
        Self::for_stretches::<V>(bytes, V::STRIDES / 2)
    }

    /// Selects the powers of H with which a key for only one message hashes this message's text of `bytes` bytes.
    #[inline(always)]
    pub(super) fn for_only_text<V: Schedule>(bytes: usize) -> Self {
        Self::for_stretches::<V>(bytes, V::ONE_TIME_STRETCH)
    }

    #[inline(always)]
    fn for_stretches<V: Schedule>(bytes: usize, stretch: usize) -> Self {
        if bytes <= max_short_bytes::<V>() {
            // The blocks of the data, two places before it, and one more power (see `unrolled::highest_power`).
            return match (bytes.div_ceil(16) + 3).div_ceil(V::BLOCKS) {
                vectors @ 1..=2 => Self { consecutive: vectors, strides: 0, stretch },
                vectors => Self { consecutive: vectors.clamp(4, GROUP), strides: 0, stretch },
            };
        }
        // The block of lengths follows the data, and the loop for 16 registers multiplies zeros by two more strides.
        let strides = (bytes + HEADER_BYTES).div_ceil(V::BYTES) + 3;
        let strides = stride_vectors::<V>(strides, stretch).clamp(4, 2 * stretch / V::BLOCKS);
        Self { consecutive: GROUP, strides, stretch }
    }

    /// Adds the powers in `made`, which the key already has, to those in `self`, which a message needs. If the message
    /// needs more powers H^(B·k), for vectors of B blocks, than the key has, selects at least twice as many as the key
    /// has, so that a key computes powers only a few times.
    #[inline(always)]
    fn added_to<V: Schedule>(self, made: Self) -> Self {
        let stretch = self.stretch;
        let strides = if self.strides > made.strides { self.strides.max(2 * made.strides) } else { made.strides };
        Self {
            consecutive: self.consecutive.max(made.consecutive),
            strides: stride_vectors::<V>(strides * V::BLOCKS, stretch).min(2 * stretch / V::BLOCKS),
            stretch,
        }
    }

    /// Returns the maximum length in bytes of a text that can be hashed with the selected powers of H. This is the
    /// inverse of [`for_text`](Self::for_text).
    #[inline(always)]
    const fn max_text_bytes<V: Schedule>(self) -> usize {
        let strides = self.strides * V::BLOCKS;
        if self.consecutive == 0 {
            0
        } else if strides == 2 * self.stretch {
            usize::MAX
        } else if strides > 0 {
            (strides - 3) * V::BYTES - HEADER_BYTES
        } else if self.consecutive == GROUP {
            max_short_bytes::<V>()
        } else {
            (self.consecutive * V::BLOCKS - 3) * 16
        }
    }
}

/// Returns the number of vectors to fill in the table of powers H^(B·k), for vectors of B blocks, so that `strides`
/// vectors can be hashed with a reduction after every `stretch` vectors.
#[inline(always)]
fn stride_vectors<V: Schedule>(strides: usize, stretch: usize) -> usize {
    // All stretches but the last use the strides of the second half.
    let strides = if strides > stretch && !V::IS_INTERLEAVED { 2 * stretch } else { strides };
    strides.div_ceil(V::BLOCKS)
}

// SAFETY: bytes, numbers and a proof, which is nothing at run time; nothing is owned.
unsafe impl<V: Schedule> Plain for Expanded<V> {}

/// Writes powers of `first` into the `vectors` vectors before the address `end`, in descending order, with `first`
/// itself last. The last `made` of these vectors must already be written.
///
/// Multiplies vectors that are already written, in up to four independent chains. A CPU works on several products at a
/// time; in a single chain, each product would wait for the product before it.
///
/// # Safety
/// `vectors` vectors can be written before `end`. Neither `made` nor `vectors` is three, since the first vectors double
/// in number until there are four.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn write_powers<V: Schedule>(
    proof: V::Proof,
    first: Lanes1,
    end: *mut Block,
    made: usize,
    vectors: usize,
) {
    const CHAINS: usize = 4;
    let place = |index: usize| end.wrapping_sub((index + 1) * V::BLOCKS).cast::<u8>();
    // SAFETY: guaranteed by the caller.
    let write = |index: usize, vector: V| unsafe { vector.store(place(index)) };
    let mut chains = [V::zero(proof); CHAINS];
    let mut made = made;
    if made == 0 {
        let first = V::broadcast(proof, first);
        chains[0] = match V::BLOCKS {
            1 => first,
            2 => square(proof, first).first_half(first),
            _ => {
                let squared = square(proof, first);
                let two = squared.alternate(first);
                // H⁴ and H³ by one product.
                multiply(proof, two, squared).first_half(two)
            }
        };
        write(0, chains[0]);
        made = 1;
    } else {
        for (chain, vector) in chains.iter_mut().enumerate().take(made) {
            // SAFETY: the last `made` vectors are written.
            *vector = unsafe { V::load(proof, place(made.saturating_sub(CHAINS) + chain)) };
        }
    }
    while made < CHAINS {
        if made == vectors {
            return;
        }
        let step = chains[made - 1].broadcast_first();
        for index in made..2 * made {
            chains[index] = multiply(proof, chains[index - made], step);
            write(index, chains[index]);
        }
        made *= 2;
    }
    if made == vectors {
        return;
    }
    // SAFETY: four vectors are written.
    let step = unsafe { V::load(proof, place(CHAINS - 1)) }.broadcast_first();
    for index in (made..vectors).step_by(CHAINS) {
        unroll!(chain < CHAINS, of 4, {
            if index + chain < vectors {
                chains[chain] = multiply(proof, chains[chain], step);
                write(index + chain, chains[chain]);
            }
        });
    }
}

/// Multiplies the blocks of `one` by those of `other` in GF(2^128), lane by lane.
#[cfg_attr(not(unoptimised), inline(always))]
fn multiply<V: Schedule>(proof: V::Proof, one: V, other: V) -> V {
    let mut product = Accumulator::zero(proof);
    product.add_one(one, other);
    product.reduce(proof)
}

#[cfg(test)]
mod tests {
    use super::super::aesni::Lanes1;
    use super::super::vaes256::Lanes2;
    use super::super::vaes512::{Karatsuba, Lanes4, Schoolbook};
    use super::*;
    use crate::cpu::{Found, proof};

    #[test]
    fn wipe_zeroes_all_written_key_memory() {
        let found = Found::here();
        if let Some(proof) = proof::Aesni::of(found) {
            assert_wiped::<Lanes1>(proof);
        }
        if let Some(proof) = proof::Vaes256::of(found) {
            assert_wiped::<Lanes2>(proof);
        }
        if let Some(proof) = proof::Vaes512::of(found) {
            assert_wiped::<Lanes4<Karatsuba>>(proof);
            assert_wiped::<Lanes4<Schoolbook>>(proof);
        }
    }

    fn assert_wiped<V: Schedule>(proof: V::Proof) {
        let (mut place, few) = (Box::<GrowingKey<V>>::new_uninit(), Powers::few::<V>());
        for text in (0..3000).step_by(13).chain([100_000]) {
            // SAFETY: nothing is dropped, and the memory is initialised before the key is used.
            let key = unsafe {
                place.as_mut_ptr().write_bytes(0, 1);
                let memory = KeyMemory::empty_in(GrowingKey::place_in(&mut place, few), proof);
                memory.expand_256([Lanes1::zero(proof.into()); 2], few);
                place.assume_init_mut()
            };
            assert!(key.has_powers_for(text) || key.grow(text));
            let (memory, powers) = key.forget_powers();
            memory.wipe(powers);
            // SAFETY: every byte was written above, if only with zero.
            let left = unsafe {
                core::slice::from_raw_parts(key.memory.get().cast::<u8>().cast_const(), size_of::<KeyMemory<V>>())
            };
            let place = left.iter().position(|&byte| byte != 0);
            assert_eq!(place, None, "{text} bytes of text");
        }
    }
}
