//! An expanded key: round keys and powers of H.
//!
//! There is room for 3.9 KB (schoolbook: 2.9), but a new key has only the few powers that short messages multiply by.
//! The first message that needs more makes them for all later ones ([`GrowingKey::grow`]). With `vaes512` a packet of
//! 1,440 bytes touches 1.1 KB (0.8), so thousands of keys stay near the CPU.

use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, offset_of};
use core::panic::RefUnwindSafe;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::aesni::Lanes1;
use super::hash::{Accumulator, fold_halves, square};
use super::key_schedule;
pub(super) use super::key_schedule::MAX_ROUNDS;
use super::lines::HEADER_BYTES;
use super::message::most_short;
use super::schedule::{CONSECUTIVE, GROUP, Products, STRIDES, Schedule, Table};
use super::vector::Vector;
use crate::backend::{Block, Plain, wipe};

/// Round keys and powers of H for vectors `V`, in memory.
///
/// H and its powers are kept in the form that the products need: bytes reversed, so that a block is a polynomial with
/// its coefficients in order, and multiplied by x, which makes up for the bit by which a carry-less product of two
/// reflected operands comes out too low (Gueron and Kounavis, "Intel Carry-Less Multiplication Instruction and its
/// Usage for Computing the GCM Mode", 2010).
///
/// Round keys and strides begin at multiples of 16. (Not of 64: the system's allocator takes three times as long for
/// such memory.) The parts that a packet needs lie close together: the ends of the strides, the round keys, the
/// consecutive powers.
#[repr(C, align(16))]
pub(crate) struct KeyMemory<V: Schedule> {
    /// H^(BLOCKS·STRIDES), …, H^(2·BLOCKS), H^BLOCKS: each multiplies a whole vector, every block of it by the same
    /// power.
    strides: [MaybeUninit<Block>; STRIDES],
    /// Their halves added up, for Karatsuba's middle product.
    folded_strides: V::Folded,
    expanded: Expanded<V>,
    /// H^(BLOCKS·GROUP + 1), …, H², H, and zeros: for the last vectors, whose blocks end where the data ends.
    consecutive: [MaybeUninit<Block>; CONSECUTIVE],
}

/// The key as the kernels see it: the round keys, with the tables of powers around them in [`KeyMemory`].
///
/// A reference to it does not extend to the tables, where another thread may write more powers meanwhile. What has been
/// made does not change, and the kernels read nothing else.
#[repr(C, align(16))]
pub(crate) struct Expanded<V: Schedule> {
    pub(super) round_keys: [Block; MAX_ROUNDS + 1],
    pub(super) rounds: usize,
    /// Proof that the CPU was checked.
    pub(super) proof: V::Proof,
}

impl<V: Schedule> Expanded<V> {
    /// The highest power in the table of consecutive ones.
    const HIGHEST: usize = V::BLOCKS * GROUP + 1;

    /// Where stride number `index` is.
    #[inline(always)]
    pub(super) fn strides_from(&self, index: usize) -> *const u8 {
        debug_assert!(index <= STRIDES);
        self.memory().wrapping_add(offset_of!(KeyMemory<V>, strides) + size_of::<Block>() * index)
    }

    /// Where the sum of its halves is.
    #[inline(always)]
    pub(super) fn folded_strides_from(&self, index: usize) -> *const u8 {
        self.memory().wrapping_add(offset_of!(KeyMemory<V>, folded_strides) + size_of::<Block>() / 2 * index)
    }

    /// Where the consecutive powers from `power` down begin.
    #[inline(always)]
    pub(super) fn consecutive_from(&self, power: usize) -> *const u8 {
        debug_assert!(power >= 1 && power <= Self::HIGHEST, "power {power}");
        let index = Self::HIGHEST - power;
        self.memory().wrapping_add(offset_of!(KeyMemory<V>, consecutive) + size_of::<Block>() * index)
    }

    #[inline(always)]
    fn memory(&self) -> *const u8 {
        (&raw const *self).cast::<u8>().wrapping_sub(offset_of!(KeyMemory<V>, expanded))
    }

    /// H.
    #[inline(always)]
    pub(super) fn first_power(&self) -> Lanes1 {
        self.power(1)
    }

    /// One of the consecutive powers of H.
    #[inline(always)]
    pub(super) fn power(&self, power: usize) -> Lanes1 {
        // SAFETY: as many powers are there.
        unsafe { Lanes1::load(self.proof.into(), self.consecutive_from(power)) }
    }

    /// H, before it is in the table.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn hash_key(&self) -> Lanes1 {
        let narrow = self.proof.into();
        let mut hash_key = Lanes1::of_bytes(narrow, &self.round_keys[0]);
        for round_key in &self.round_keys[1..self.rounds] {
            hash_key = hash_key.aes_round(Lanes1::of_bytes(narrow, round_key));
        }
        hash_key.aes_last_round(Lanes1::of_bytes(narrow, &self.round_keys[self.rounds])).reverse().times_x(narrow)
    }
}

impl<V: Schedule> KeyMemory<V> {
    /// Room for a key.
    pub(super) fn empty(proof: V::Proof) -> Self {
        const {
            assert!(offset_of!(Expanded<V>, round_keys) % 16 == 0 && offset_of!(Self, strides) % 16 == 0);
        }
        Self {
            strides: Table::EMPTY,
            folded_strides: Table::EMPTY,
            expanded: Expanded { rounds: 0, round_keys: [[0; 16]; MAX_ROUNDS + 1], proof },
            consecutive: Table::EMPTY,
        }
    }

    /// Returns the key for kernels.
    #[inline(always)]
    pub(super) fn expanded(&self) -> &Expanded<V> {
        // SAFETY: while `self` is borrowed, no thread writes its memory.
        unsafe { Self::expanded_at(self) }
    }

    /// Returns the key for kernels at an address where another thread may make more powers.
    ///
    /// # Safety
    /// During `'a` the memory stays, its round keys are not written, and powers are written only where there were none.
    #[inline(always)]
    unsafe fn expanded_at<'a>(this: *const Self) -> &'a Expanded<V> {
        // SAFETY: the caller's.
        unsafe { &(*this).expanded }
    }

    /// Fills it with the expansion of `key`, which has 16, 24 or 32 bytes, and these powers.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand(&mut self, key: &[u8], powers: Powers) {
        let expanded = &mut self.expanded;
        expanded.rounds = key_schedule::expand(expanded.proof.into(), key, &mut expanded.round_keys);
        self.expand_powers(powers);
    }

    /// Fills it with the expansion of a key of 32 bytes, and these powers.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand_two(&mut self, key: [Lanes1; 2], powers: Powers) {
        let expanded = &mut self.expanded;
        key_schedule::of_two(expanded.proof.into(), key, &mut expanded.round_keys);
        expanded.rounds = MAX_ROUNDS;
        self.expand_powers(powers);
    }

    /// Makes H from the round keys, and these powers.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn expand_powers(&mut self, powers: Powers) {
        for behind in &mut self.consecutive[Expanded::<V>::HIGHEST..][..V::BLOCKS - 1] {
            behind.write([0; 16]);
        }
        let hash_key = self.expanded.hash_key();
        // SAFETY: `self` is borrowed alone.
        unsafe { Self::add_powers(self, hash_key, Powers::NONE, powers) };
    }

    /// Makes `powers` of H, which is `first`; the powers in `made` are there already.
    ///
    /// # Safety
    /// Meanwhile no other thread writes the tables, or reads powers that are not in `made`.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn add_powers(this: *mut Self, first: Lanes1, made: Powers, powers: Powers) {
        // SAFETY: as many vectors as are made fit the tables; the rest is the caller's.
        unsafe {
            let (key, consecutive) = (Self::expanded_at(this), (&raw mut (*this).consecutive).cast::<Block>());
            let narrow = key.proof.into();
            if powers.consecutive > made.consecutive {
                let end = consecutive.add(Expanded::<V>::HIGHEST);
                write_powers::<V>(key.proof, first, end, made.consecutive, powers.consecutive);
                if powers.consecutive == GROUP {
                    let highest = key.power(Expanded::<V>::HIGHEST - 1);
                    multiply(narrow, highest, first).store(consecutive.cast());
                }
            }
            if powers.strides > made.strides {
                let end = (&raw mut (*this).strides).cast::<Block>().add(STRIDES);
                let mut there = made.strides;
                if there == 0 {
                    // The first strides are among the consecutive powers.
                    there = GROUP / V::BLOCKS;
                    for stride in 1..=GROUP {
                        key.power(stride * V::BLOCKS).store(end.sub(stride).cast());
                    }
                }
                write_powers::<V>(key.proof, key.power(V::BLOCKS), end, there, powers.strides);
                if V::PRODUCTS == Products::Karatsuba {
                    let folded = (&raw mut (*this).folded_strides).cast::<[u8; 8]>().add(STRIDES);
                    for vector in made.strides + 1..=powers.strides {
                        let powers = V::load(key.proof, end.sub(vector * V::BLOCKS).cast());
                        fold_halves(powers).store_low_halves(folded.sub(vector * V::BLOCKS).cast());
                    }
                }
            }
        }
    }

    /// Wipes the round keys, and these powers.
    #[inline(always)]
    pub(super) fn wipe(&mut self, powers: Powers) {
        // All of it: padding may have come from a register with a secret.
        wipe(&mut self.expanded);
        // With all of them there is one power more.
        let is_all = powers.consecutive == GROUP;
        wipe(&mut self.consecutive[(GROUP - powers.consecutive) * V::BLOCKS + usize::from(!is_all)..]);
        let first = STRIDES - powers.strides * V::BLOCKS;
        wipe(&mut self.strides[first..]);
        wipe(self.folded_strides.as_mut().get_mut(first..).unwrap_or_default());
    }
}

/// A key whose powers are made when a message first needs them.
pub(crate) struct GrowingKey<V: Schedule> {
    memory: UnsafeCell<KeyMemory<V>>,
    /// Length of the longest text in bytes that the powers suffice for.
    reach: AtomicUsize,
    /// Whether a thread is making powers.
    is_growing: AtomicBool,
    /// The powers that are made; read and written only by the thread that makes more.
    powers: UnsafeCell<Powers>,
}

// SAFETY: one thread at a time writes powers, and others read only powers that `reach` has published.
unsafe impl<V: Schedule> Sync for GrowingKey<V> {}

// A panic while powers are made leaves them unpublished, so no later call reads them.
impl<V: Schedule> RefUnwindSafe for GrowingKey<V> {}

impl<V: Schedule> GrowingKey<V> {
    /// Makes room for a key in `place`. (Returned by value, it would be copied with all of its tables.)
    #[inline(always)]
    pub(super) fn empty_in(place: &mut MaybeUninit<Self>, proof: V::Proof) -> &mut Self {
        let this = place.as_mut_ptr();
        // SAFETY: every field is written here but the tables, of which any bytes are a value.
        unsafe {
            let expanded = Expanded { round_keys: [[0; 16]; MAX_ROUNDS + 1], rounds: 0, proof };
            (&raw mut (*UnsafeCell::raw_get(&raw const (*this).memory)).expanded).write(expanded);
            (&raw mut (*this).reach).write(AtomicUsize::new(0));
            (&raw mut (*this).is_growing).write(AtomicBool::new(false));
            (&raw mut (*this).powers).write(UnsafeCell::new(Powers::NONE));
            place.assume_init_mut()
        }
    }

    /// Records that the key will have `powers`, and returns the memory to expand it into.
    #[inline(always)]
    pub(super) fn memory_for(&mut self, powers: Powers) -> &mut KeyMemory<V> {
        *self.powers.get_mut() = powers;
        *self.reach.get_mut() = powers.reach::<V>();
        self.memory.get_mut()
    }

    /// Returns the key for kernels, with the powers that it has so far.
    #[inline(always)]
    pub(super) fn key(&self) -> &Expanded<V> {
        // SAFETY: round keys are written under `&mut self` only, and `grow` writes powers where there were none.
        unsafe { KeyMemory::expanded_at(self.memory.get()) }
    }

    /// Whether the powers suffice for a text of `bytes` bytes.
    #[inline(always)]
    pub(super) fn reaches(&self, bytes: usize) -> bool {
        // Acquire: the powers were written before their reach.
        bytes <= const { Powers::FEW.reach::<V>() } || bytes <= self.reach.load(Ordering::Acquire)
    }

    /// Makes the powers for a text of `bytes` bytes and returns `true`, or `false` while another thread makes powers.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn grow(&self, bytes: usize) -> bool {
        if self.is_growing.swap(true, Ordering::Acquire) {
            return false;
        }
        // SAFETY: `is_growing` admits one thread, and others read only powers in `made`.
        unsafe {
            let made = *self.powers.get();
            let powers = Powers::for_text::<V>(bytes).added_to::<V>(made);
            KeyMemory::add_powers(self.memory.get(), self.key().first_power(), made, powers);
            *self.powers.get() = powers;
            self.reach.store(powers.reach::<V>(), Ordering::Release);
        }
        self.is_growing.store(false, Ordering::Release);
        true
    }

    /// Makes the key look as if another thread were making powers.
    #[cfg(test)]
    pub(super) fn pretend_growth(&self) {
        self.is_growing.store(true, Ordering::Relaxed);
    }

    /// Fills it with the round keys of `other`, and these powers.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand_as(&mut self, other: &Expanded<V>, powers: Powers) {
        let memory = self.memory_for(powers);
        (memory.expanded.round_keys, memory.expanded.rounds) = (other.round_keys, other.rounds);
        memory.expand_powers(powers);
    }

    /// Wipes the round keys and the powers that are there.
    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        let powers = *self.powers.get_mut();
        self.memory_for(Powers::NONE).wipe(powers);
    }
}

/// Vectors of consecutive powers in a new key.
const FEW: usize = 4;

/// Vectors of powers in a key, those of H last: of consecutive ones, and of strides.
#[derive(Clone, Copy)]
pub(crate) struct Powers {
    /// Any number but three.
    consecutive: usize,
    /// None, or at least four.
    strides: usize,
}

impl Powers {
    const NONE: Self = Self { consecutive: 0, strides: 0 };

    /// Returns all powers that a key has room for.
    #[inline(always)]
    pub(super) const fn all<V: Schedule>() -> Self {
        Self { consecutive: GROUP, strides: STRIDES / V::BLOCKS }
    }

    /// Powers of a new key.
    pub(super) const FEW: Self = Self { consecutive: FEW, strides: 0 };

    /// Returns the powers that a text of `bytes` bytes multiplies by.
    #[inline(always)]
    pub(super) fn for_text<V: Schedule>(bytes: usize) -> Self {
        if bytes <= most_short::<V>() {
            // The data, both places before it, and a power more (see `unrolled::highest_power`).
            return match (bytes.div_ceil(16) + 3).div_ceil(V::BLOCKS) {
                vectors @ 1..=2 => Self { consecutive: vectors, strides: 0 },
                vectors => Self { consecutive: vectors.clamp(4, GROUP), strides: 0 },
            };
        }
        // The lengths come behind the data, and the loop for 16 registers multiplies zeros by two more.
        let strides = (bytes + HEADER_BYTES).div_ceil(V::BYTES) + 3;
        Self { consecutive: GROUP, strides: strides.div_ceil(V::BLOCKS).clamp(4, STRIDES / V::BLOCKS) }
    }

    /// Returns these powers together with those in `made`, in fours. Strides at least double, so that a key grows a few
    /// times only.
    #[inline(always)]
    fn added_to<V: Schedule>(self, made: Self) -> Self {
        let strides = if self.strides > made.strides { self.strides.max(2 * made.strides) } else { made.strides };
        Self {
            consecutive: self.consecutive.max(made.consecutive).next_multiple_of(4),
            strides: strides.next_multiple_of(4).min(STRIDES / V::BLOCKS),
        }
    }

    /// Returns the length in bytes of the longest text that the powers suffice for: the inverse of
    /// [`for_text`](Self::for_text).
    #[inline(always)]
    const fn reach<V: Schedule>(self) -> usize {
        let strides = self.strides * V::BLOCKS;
        if self.consecutive == 0 {
            0
        } else if strides == STRIDES {
            usize::MAX
        } else if strides > 0 {
            (strides - 3) * V::BYTES - HEADER_BYTES
        } else if self.consecutive == GROUP {
            most_short::<V>()
        } else {
            (self.consecutive * V::BLOCKS - 3) * 16
        }
    }
}

// SAFETY: bytes, a number and a proof, which is nothing at run time; nothing is owned.
unsafe impl<V: Schedule> Plain for Expanded<V> {}

/// Writes powers of `first` into the `vectors` vectors before `end`, the first power last; the last `made` of these
/// vectors are written already. Each vector is made from vectors behind it, in up to four chains, so that four products
/// are in flight where one chain would wait for each.
///
/// # Safety
/// `vectors` vectors can be written before `end`. Neither number is three.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn write_powers<V: Schedule>(
    proof: V::Proof,
    first: Lanes1,
    end: *mut Block,
    made: usize,
    vectors: usize,
) {
    const CHAINS: usize = 4;
    let narrow = proof.into();
    let place = |index: usize| end.wrapping_sub((index + 1) * V::BLOCKS).cast::<u8>();
    // SAFETY: the caller's.
    let write = |index: usize, vector: V| unsafe { vector.store(place(index)) };
    let mut behind = [V::zero(proof); CHAINS];
    let mut made = made;
    if made == 0 {
        let squared = square(narrow, first);
        behind[0] = match V::BLOCKS {
            1 => V::of_blocks(&[first; 4]),
            2 => V::of_blocks(&[squared, first, first, first]),
            _ => {
                // H⁴ and H³ by one product.
                let two =
                    multiply(proof, V::of_blocks(&[squared, first, squared, first]), V::broadcast(proof, squared));
                let higher = two.blocks();
                V::of_blocks(&[higher[0], higher[1], squared, first])
            }
        };
        write(0, behind[0]);
        made = 1;
    } else {
        for (chain, vector) in behind.iter_mut().enumerate().take(made) {
            // SAFETY: these are made.
            *vector = unsafe { V::load(proof, place(made.saturating_sub(CHAINS) + chain)) };
        }
    }
    if vectors == made {
        return;
    }
    let mut step = behind[made.min(CHAINS) - 1].blocks()[0];
    if made >= CHAINS {
        // SAFETY: it is made.
        step = unsafe { Lanes1::load(narrow, place(CHAINS - 1)) };
    }
    while made < CHAINS {
        for index in made..2 * made {
            behind[index] = multiply(proof, behind[index - made], V::broadcast(proof, step));
            write(index, behind[index]);
        }
        made *= 2;
        if made == vectors {
            return;
        }
        step = square(narrow, step);
    }
    let step = V::broadcast(proof, step);
    for index in (made..vectors).step_by(CHAINS) {
        unroll!(chain < CHAINS, of 4, {
            if index + chain < vectors {
                behind[chain] = multiply(proof, behind[chain], step);
                write(index + chain, behind[chain]);
            }
        });
    }
}

/// The product of two blocks in each place.
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
    fn nothing_is_left_of_what_was_written() {
        let found = Found::here();
        if let Some(proof) = proof::Aesni::of(found) {
            nothing_is_left::<Lanes1>(proof);
        }
        if let Some(proof) = proof::Vaes256::of(found) {
            nothing_is_left::<Lanes2>(proof);
        }
        if let Some(proof) = proof::Vaes512::of(found) {
            nothing_is_left::<Lanes4<Karatsuba>>(proof);
            nothing_is_left::<Lanes4<Schoolbook>>(proof);
        }
    }

    fn nothing_is_left<V: Schedule>(proof: V::Proof) {
        let mut place = Box::<GrowingKey<V>>::new_uninit();
        let key = GrowingKey::empty_in(&mut place, proof);
        for text in (0..3000).step_by(13).chain([100_000]) {
            // SAFETY: any bytes are a value.
            unsafe { key.memory.get().write_bytes(0, 1) };
            key.memory_for(Powers::FEW).expand_two([Lanes1::zero(proof.into()); 2], Powers::FEW);
            assert!(key.reaches(text) || key.grow(text));
            key.wipe();
            // SAFETY: every byte was written, zeros at least.
            let left = unsafe {
                core::slice::from_raw_parts(key.memory.get().cast::<u8>().cast_const(), size_of::<KeyMemory<V>>())
            };
            let place = left.iter().position(|&byte| byte != 0);
            assert_eq!(place, None, "{text} bytes of text");
        }
    }
}
