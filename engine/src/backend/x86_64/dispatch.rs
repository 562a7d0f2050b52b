//! Implements the crate's key traits on x86-64: chooses the kernel's function for each call, and computes the powers of
//! H that the call needs.

use alloc::boxed::Box;
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::slice;

use super::aes_key::AesKey;
use super::batch::{Receiving, Sending};
use super::entry::Entry;
use super::key::{Expanded, GrowingKey, KeyMemory, Powers};
use super::lines::{HEADER_BYTES, Lines};
use super::message::{self, AadAt, MAX_SHORT_AAD};
use super::packet::{ExpandedPacket, OnePacket};
use super::parts::ReadsParts as _;
use super::schedule::{GROUP, Schedule};
use super::streaming::counter_step;
use super::xaes::MasterKey;
use crate::backend::in_out::InOut;
use crate::backend::parts::Parts;
use crate::backend::xaes::halves;
use crate::backend::{
    Admission, Block, Cover, Key, Mask, OnceFunction, Packet, PacketMaterial, Progress, Reception, SealFunction,
    gather, wipe,
};
use crate::error::Error;
use crate::tag::TAG_BYTES;

/// Expanded key material. Dropping it wipes the memory.
#[repr(transparent)]
pub(crate) struct Wiped<E: Secret>(E);

/// Key material that can be wiped.
pub(crate) trait Secret {
    /// Overwrites with zeros all parts of the key material that have been written.
    fn wipe(&mut self);
}

impl<V: Entry> Secret for GrowingKey<V> {
    #[inline(always)]
    fn wipe(&mut self) {
        let (memory, powers) = self.forget_powers();
        // SAFETY: the key holds the proof that the CPU has the features.
        unsafe { V::wipe_key(memory, powers) };
    }
}

impl<V: Entry> Secret for ExpandedPacket<V> {
    fn wipe(&mut self) {
        // SAFETY: the key holds the proof that the CPU has the features.
        unsafe { V::wipe_packet_key(self) };
    }
}

impl<V: Schedule> Secret for AesKey<V> {
    fn wipe(&mut self) {
        wipe(self);
    }
}

impl<V: Schedule> Secret for MasterKey<V> {
    fn wipe(&mut self) {
        wipe(self);
    }
}

/// An AES-GCM key of an x86-64 backend.
pub(crate) type MessageKey<V> = Wiped<GrowingKey<V>>;

/// Packet-protection keys of an x86-64 backend.
pub(crate) type PacketKey<V> = Wiped<ExpandedPacket<V>>;

/// An AES-GCM-SIV key of an x86-64 backend.
pub(crate) type SivKey<V> = Wiped<AesKey<V>>;

/// An XAES-256-GCM key of an x86-64 backend.
pub(crate) type XaesKey<V> = Wiped<MasterKey<V>>;

impl<E: Secret> Drop for Wiped<E> {
    #[inline]
    fn drop(&mut self) {
        self.0.wipe();
    }
}

impl<V: Entry> MessageKey<V> {
    /// Expands `key`, which has 16, 24 or 32 bytes, into the memory `place`.
    #[inline(always)]
    pub(crate) fn new_in<'p>(place: &'p mut MaybeUninit<Self>, proof: V::Proof, key: &[u8]) -> &'p mut Self {
        let powers = Powers::few::<V>();
        // SAFETY: `Wiped` has the layout of its content; the proof says that the CPU has the features; every part of
        // the key is initialised.
        unsafe {
            let growing: &mut MaybeUninit<GrowingKey<V>> = &mut *(&raw mut *place).cast();
            V::expand(GrowingKey::place_in(growing, powers), proof, key, powers);
            place.assume_init_mut()
        }
    }
}

/// Expands a key on the stack by calling `expand`, which must also compute the powers of H that `powers` selects. Calls
/// `work` with this key, and then wipes the key.
///
/// # Safety
/// `expand` initialises the key.
#[inline(always)]
unsafe fn with_temporary_key<V: Entry>(
    powers: Powers,
    expand: impl FnOnce(&mut MaybeUninit<KeyMemory<V>>),
    work: impl FnOnce(&Expanded<V>),
) {
    // Aligned so that no vector of powers is stored across two cache lines. (On the heap this would cost more.)
    #[repr(C, align(64))]
    struct Aligned<T>(T);
    let mut place = Aligned(MaybeUninit::uninit());
    expand(&mut place.0);
    // SAFETY: the caller guarantees that the key is initialised; it holds the proof that the CPU has the features.
    unsafe {
        let key = place.0.assume_init_mut();
        work(key.expanded());
        V::wipe_key(key, powers);
    }
}

/// A kernel function that seals or opens a whole message, with the arguments and the result of a [`SealFunction`]. (The
/// key is passed as a reference, so that the compiler knows that the output does not change it.)
type Kernel<V> = unsafe extern "C" fn(
    &Expanded<V>,
    &[u8; 12],
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *mut u8,
    &mut Block,
) -> c_int;

/// Returns the kernel function that seals a message of `bytes` bytes if `SEAL`, or opens one otherwise.
#[inline(always)]
fn kernel<V: Entry, const SEAL: bool>(bytes: usize) -> Kernel<V> {
    match (SEAL, bytes <= message::max_short_bytes::<V>()) {
        (true, true) => V::seal_short,
        (true, false) => V::seal_long,
        (false, true) => V::open_short,
        (false, false) => V::open_long,
    }
}

/// Returns the length of a message without AAD that needs the same powers of H as a message of `bytes` bytes with the
/// AAD `aad`.
#[inline(always)]
fn text_bytes<V: Schedule>(aad: &[u8], bytes: usize) -> usize {
    if aad.len() > MAX_SHORT_AAD { bytes.max(message::max_short_bytes::<V>()) } else { bytes }
}

/// Seals or opens a message with `kernel`. If the AAD is too long for `kernel`, hashes the AAD first.
///
/// # Safety
/// `key` has the powers of H for [`text_bytes`]. The message can be read and written.
#[inline(always)]
unsafe fn call_kernel<V: Entry>(
    key: &Expanded<V>,
    kernel: Kernel<V>,
    nonce: &[u8; 12],
    aad: &[u8],
    lines: Lines,
    tag: &mut Block,
) {
    let ((input, output), bytes) = (lines.pointers(), lines.bytes());
    let (mut block, is_long) = ([0; 16], aad.len() > MAX_SHORT_AAD);
    // SAFETY: guaranteed by the caller; the key holds the proof that the CPU has the features.
    unsafe {
        let AadAt { from, bytes: aad_bytes } = if is_long {
            V::long_aad(key, aad, &mut block);
            AadAt::remainder(aad, &block)
        } else {
            AadAt::whole(aad)
        };
        kernel(key, nonce, nonce.len(), from, aad_bytes, input, bytes, output, tag);
    }
    if is_long {
        wipe(&mut block); // the hash of the AAD depends on H
    }
}

/// Computes those powers of H for a message of `bytes` bytes that the key does not have yet. Then calls `work` with the
/// key.
#[inline(always)]
fn with_powers<V: Entry>(key: &GrowingKey<V>, bytes: usize, work: impl FnOnce(&Expanded<V>)) {
    if key.has_powers_for(bytes) { work(key.key()) } else { with_more_powers(key, bytes, work) }
}

/// Computes the powers of H for a message of `bytes` bytes, and calls `work` with the key. If another thread is
/// computing powers of H, does not wait for that thread; instead expands a copy of the key on the stack, and calls
/// `work` with that copy.
#[cold]
#[inline(never)]
fn with_more_powers<V: Entry>(key: &GrowingKey<V>, bytes: usize, work: impl FnOnce(&Expanded<V>)) {
    // SAFETY: the key holds the proof that the CPU has the features.
    if unsafe { V::grow(key, bytes) } {
        return work(key.key());
    }
    let (other, powers) = (key.key(), Powers::for_only_text::<V>(bytes));
    // SAFETY: as above; the copy is initialised.
    unsafe { with_temporary_key(powers, |copy| V::expand_from_key(copy, other, powers), work) };
}

// SAFETY (every block): the key holds the proof that the CPU has the features; the data is borrowed during the call,
// and its length was checked.
impl<V: Entry> MessageKey<V> {
    /// Seals or opens whole blocks of a streamed message. (The data is passed as pointers, which fit into registers.)
    #[inline(always)]
    fn process_blocks<const SEAL: bool>(&self, progress: &mut Progress, mut data: InOut<'_>) {
        let (input, output, bytes) = data.pointers();
        with_powers(&self.0, bytes, |key| {
            if progress.has_public_counter {
                // SAFETY: see above.
                return unsafe { V::many_blocks::<SEAL>(key, progress, input, output, bytes) };
            }
            for at in (0..bytes).step_by(GROUP * V::BYTES) {
                let (input, output) = (input.wrapping_add(at), output.wrapping_add(at));
                let bytes = (bytes - at).min(GROUP * V::BYTES);
                // SAFETY: see above.
                unsafe { V::few_blocks_of_secret::<SEAL>(key, progress, input, output, bytes) };
            }
        });
    }

    /// Seals one message if `SEAL`, otherwise opens one. `key` has 16, 24 or 32 bytes, and is expanded on the stack,
    /// with only the powers of H that the message needs.
    #[inline(always)]
    pub(crate) fn once<const SEAL: bool>(
        proof: V::Proof,
        key: &[u8],
        nonce: &[u8; 12],
        aad: &[u8],
        mut data: InOut<'_>,
        tag: &mut Block,
    ) {
        let (input, output, bytes) = data.pointers();
        let (key, key_bytes, aad, aad_bytes) = (key.as_ptr(), key.len(), aad.as_ptr(), aad.len());
        let (nonce, tag, _) = (nonce.as_ptr(), tag.as_mut_ptr(), proof);
        // SAFETY: see above.
        unsafe { Self::process_once::<SEAL>(key, key_bytes, nonce, 12, aad, aad_bytes, input, bytes, output, tag) };
    }

    /// Returns the function that seals or opens one message under a key that is expanded for that message only.
    #[inline(always)]
    pub(crate) fn once_function<const SEAL: bool>(_: V::Proof) -> Option<OnceFunction> {
        Some(Self::process_once::<SEAL>)
    }

    /// Seals one message if `SEAL`, otherwise opens one, under a key that is expanded for that message only.
    ///
    /// # Safety
    /// The CPU has the features of the backend. The other requirements are those of [`OnceFunction`].
    unsafe extern "C" fn process_once<const SEAL: bool>(
        key: *const u8,
        key_bytes: usize,
        nonce: *const u8,
        _nonce_bytes: usize,
        aad: *const u8,
        aad_bytes: usize,
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *mut u8,
    ) -> c_int {
        const { assert!(size_of::<V::Proof>() == 0) }
        // SAFETY: guaranteed by the caller. Reading a proof reads nothing.
        unsafe {
            let proof = NonNull::<V::Proof>::dangling().read();
            let key = slice::from_raw_parts(key, key_bytes);
            // The address of empty AAD may be NULL, which a slice may not have.
            let aad = if aad_bytes == 0 { &[] } else { slice::from_raw_parts(aad, aad_bytes) };
            let powers = Powers::for_only_text::<V>(text_bytes::<V>(aad, bytes));
            with_temporary_key(
                powers,
                |new| V::expand(new, proof, key, powers),
                |key| {
                    let (kernel, lines) = (kernel::<V, SEAL>(bytes), Lines::new(input, output, bytes));
                    call_kernel(key, kernel, &*nonce.cast(), aad, lines, &mut *tag.cast());
                },
            );
        }
        0
    }

    /// Seals or opens a message with `kernel`. First computes missing powers of H, and hashes AAD that is too long for
    /// `kernel`.
    #[inline(never)]
    fn prepare(&self, kernel: Kernel<V>, nonce: &[u8; 12], aad: &[u8], lines: Lines, tag: &mut Block) {
        with_powers(&self.0, text_bytes::<V>(aad, lines.bytes()), |key| {
            // SAFETY: see above.
            unsafe { call_kernel(key, kernel, nonce, aad, lines, tag) }
        });
    }
}

impl<V: Entry> Key for MessageKey<V> {
    #[inline]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let seal = kernel::<V, true>(bytes);
        // SAFETY: see above.
        let lines = unsafe { Lines::new(input, output, bytes) };
        if aad.len() > MAX_SHORT_AAD || !self.0.has_powers_for(bytes) {
            return self.prepare(seal, nonce, aad, lines, tag);
        }
        // SAFETY: see above.
        unsafe { call_kernel(self.0.key(), seal, nonce, aad, lines, tag) };
    }

    #[inline]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let open = kernel::<V, false>(bytes);
        // SAFETY: see above.
        let lines = unsafe { Lines::new(input, output, bytes) };
        if aad.len() > MAX_SHORT_AAD || !self.0.has_powers_for(bytes) {
            return self.prepare(open, nonce, aad, lines, tag);
        }
        // SAFETY: see above.
        unsafe { call_kernel(self.0.key(), open, nonce, aad, lines, tag) };
    }

    #[inline(always)]
    fn seal_function(
        &self,
        aad_bytes: usize,
        bytes: usize,
        otherwise: (SealFunction, *const c_void),
    ) -> (SealFunction, *const c_void) {
        if aad_bytes > MAX_SHORT_AAD || !self.0.has_powers_for(bytes) {
            return otherwise;
        }
        // SAFETY: the types differ only in what the arguments point to, and the first one is a key as the kernel needs.
        let seal = unsafe { core::mem::transmute::<Kernel<V>, SealFunction>(kernel::<V, true>(bytes)) };
        (seal, (&raw const *self.0.key()).cast())
    }

    fn seal_gathered<'a>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        slices: impl Iterator<Item = &'a [u8]>,
        output: &mut [u8],
        tag: &mut Block,
    ) -> Result<(), Error> {
        if !V::READS_PARTS || output.len() <= message::max_short_bytes::<V>() {
            gather(slices, output)?;
            self.seal(nonce, aad, InOut::in_place(output), tag);
            return Ok(());
        }
        let mut parts = Parts::new();
        let parts =
            parts.lay_out(&message::steps::<V>(output.len()), slices, output, |to, from, at, (first, last)| {
                assert!(to.len() == from.len() && from.len() >= V::BYTES && first.max(last) <= from.len());
                // SAFETY: see above.
                unsafe { V::copy_ends(self.0.key().proof, to.as_mut_ptr(), from.as_ptr(), from.len(), at, first, last) }
            })?;
        with_powers(&self.0, output.len(), |key| {
            // SAFETY: see above.
            unsafe { V::seal_in_parts(key, nonce, aad, parts, output, tag) };
        });
        Ok(())
    }

    fn encrypt_block(&self, block: &Block) -> Block {
        // SAFETY: see above.
        unsafe { V::encrypt_block(self.0.key(), block) }
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        let bytes = data.len().min(message::max_short_bytes::<V>());
        if self.0.has_powers_for(bytes) {
            // SAFETY: see above.
            return unsafe { V::absorb(self.0.key(), hash, data) };
        }
        with_more_powers(&self.0, bytes, |key| {
            // SAFETY: see above.
            unsafe { V::absorb(key, hash, data) };
        });
    }

    fn keystream(&self, progress: &mut Progress, keystream: &mut [u8]) {
        // SAFETY: see above.
        unsafe {
            match progress.has_public_counter {
                true => V::keystream(self.0.key(), progress, keystream),
                false => V::keystream_of_secret(self.0.key(), progress, keystream),
            }
        }
    }

    fn encrypt_and_keep<const SEAL: bool>(&self, mut data: InOut<'_>, kept: &mut [u8]) {
        let (input, output, bytes) = data.pointers();
        assert_eq!(bytes, kept.len(), "keystream and data");
        // SAFETY: see above.
        unsafe { V::encrypt_and_keep::<SEAL>(self.0.key().proof, input, output, kept.as_mut_ptr(), bytes) }
    }

    #[inline(always)]
    fn counter_step(&self) -> usize {
        counter_step::<V>()
    }

    #[inline(always)]
    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        self.process_blocks::<true>(progress, data);
    }

    #[inline(always)]
    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        self.process_blocks::<false>(progress, data);
    }
}

impl<V: Entry> SivKey<V> {
    /// Expands `key`, which has 16 or 32 bytes.
    pub(crate) fn new(proof: V::Proof, key: &[u8]) -> Box<Self> {
        let mut new = Box::new(Self(AesKey::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { V::expand_siv(&mut new.0, key) };
        new
    }
}

// SAFETY (every block): the key holds the proof that the CPU has the features; the data is borrowed during the call.
impl<V: Entry> crate::backend::SivKey for SivKey<V> {
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let seal = if self.0.is_of_16_bytes() { V::seal_siv::<10> } else { V::seal_siv::<14> };
        // SAFETY: see above.
        unsafe { seal(&self.0, nonce, aad, [input.cast_mut(), output], bytes, tag) }
    }

    fn open(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &Block) -> Block {
        let (input, output, bytes) = data.pointers();
        let open = if self.0.is_of_16_bytes() { V::open_siv::<10> } else { V::open_siv::<14> };
        // SAFETY: see above.
        unsafe { open(&self.0, nonce, aad, [input.cast_mut(), output], bytes, tag) }
    }
}

impl<V: Entry> XaesKey<V> {
    pub(crate) fn new(proof: V::Proof, key: &[u8; 32]) -> Box<Self> {
        let mut new = Box::new(Self(MasterKey::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { V::expand_xaes(&mut new.0, key) };
        new
    }

    /// Seals a message if `SEAL`, otherwise opens one. Derives the message's key on the stack, and wipes that key
    /// afterwards.
    fn process<const SEAL: bool>(&self, nonce: &[u8; 24], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let ([context, nonce], (input, output, bytes)) = (halves(nonce), data.pointers());
        let powers = Powers::for_only_text::<V>(text_bytes::<V>(aad, bytes));
        // SAFETY: the key holds the proof that the CPU has the features; the data is borrowed.
        unsafe {
            with_temporary_key(
                powers,
                |key| V::derive(&self.0, context, powers, key),
                |key| {
                    call_kernel(key, kernel::<V, SEAL>(bytes), nonce, aad, Lines::new(input, output, bytes), tag);
                },
            );
        }
    }
}

impl<V: Entry> crate::backend::XaesKey for XaesKey<V> {
    fn seal(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        self.process::<true>(nonce, aad, data, tag);
    }

    fn open(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        self.process::<false>(nonce, aad, data, tag);
    }
}

impl<V: Entry> PacketKey<V> {
    /// Expands the packet key and the header-protection key, both of 16 bytes or both of 32 bytes.
    pub(crate) fn new(proof: V::Proof, material: PacketMaterial<'_>) -> Box<Self> {
        // SAFETY: the proof says that the CPU has the features; the function initialises the key.
        unsafe { Self::boxed(|place| V::expand_packet(place, proof, material)) }
    }

    /// Expands the packet key of the next key phase, which has the same length as the current packet key. Keeps the
    /// header-protection key.
    pub(crate) fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Box<Self> {
        // SAFETY: the key holds the proof that the CPU has the features; the function initialises the new key.
        unsafe { Self::boxed(|place| V::expand_next(place, key, iv, &self.0)) }
    }

    /// Returns the same keys with another IV: the current one, with `difference` XORed into its first four bytes.
    pub(crate) fn on_path(&self, difference: &[u8; 4]) -> Box<Self> {
        // SAFETY: the key holds the proof that the CPU has the features; the function initialises the copy.
        unsafe { Self::boxed(|place| V::copy_packet_key(place, &self.0, 0, difference)) }
    }

    /// Creates keys on the heap with `expand`.
    ///
    /// # Safety
    /// `expand` initialises its argument.
    unsafe fn boxed(expand: impl FnOnce(&mut MaybeUninit<ExpandedPacket<V>>)) -> Box<Self> {
        let mut place = Box::<Self>::new_uninit();
        // SAFETY: `Wiped` has the layout of its content; the rest is guaranteed by the caller.
        unsafe {
            expand(&mut *place.as_mut_ptr().cast());
            place.assume_init()
        }
    }

    /// Returns the length of the packet key in bytes: 16 or 32.
    pub(crate) fn key_bytes(&self) -> usize {
        self.0.key_bytes()
    }

    /// Computes the powers of H for a payload of `bytes` bytes, and calls `work` with the key. If another thread is
    /// computing powers of H, does not wait for that thread; instead expands a copy of the key on the stack, and calls
    /// `work` with that copy.
    #[cold]
    #[inline(never)]
    fn with_more_powers<R>(&self, bytes: usize, work: impl FnOnce(&ExpandedPacket<V>) -> R) -> R {
        // SAFETY: the key holds the proof that the CPU has the features.
        if unsafe { V::grow(&self.0.aead, bytes) } {
            return work(&self.0);
        }
        let mut place = MaybeUninit::<Self>::uninit();
        // SAFETY: as above; `Wiped` has the layout of its content, which the function initialises; dropping wipes it.
        unsafe {
            V::copy_packet_key(&mut *place.as_mut_ptr().cast(), &self.0, bytes, &[0; 4]);
            let result = work(&place.assume_init_ref().0);
            place.assume_init_drop();
            result
        }
    }

    /// Computes those powers of H for `packets` that the key does not have yet. Then calls `work` with the key and the
    /// packets.
    #[inline(always)]
    fn with_powers_for_all<T: Packet>(&self, packets: &mut [T], work: impl FnOnce(&ExpandedPacket<V>, &mut [T])) {
        let longest = packets.iter().map(|packet| packet.bytes().len()).max().unwrap_or(0);
        if self.0.has_powers_for(longest) {
            work(&self.0, packets);
        } else {
            self.with_more_powers(longest, |key| work(key, packets));
        }
    }

    // The functions for single packets whose key lacks powers of H have the arguments of the trait's functions, so that
    // those need not store their arguments before they call.

    #[cold]
    #[inline(never)]
    fn seal_with_more_powers(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask {
        let payload_bytes = packet.len() - header_bytes - TAG_BYTES;
        self.with_more_powers(payload_bytes, |key| {
            // SAFETY: the key holds the proof that the CPU has the features; the packet is borrowed.
            unsafe { V::seal_packet(key, number, packet.as_mut_ptr(), header_bytes, payload_bytes, sample) }
        })
    }

    #[cold]
    #[inline(never)]
    fn open_with_more_powers(&self, number: u64, header: &[u8], payload: &mut [u8], tag: &mut Block) {
        self.with_more_powers(payload.len(), |key| {
            // SAFETY: as above.
            unsafe { V::open_packet(key, number, header, payload.as_mut_ptr(), payload.len(), tag) }
        });
    }

    #[cold]
    #[inline(never)]
    fn open_masked_with_more_powers(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block) {
        // SAFETY: as above. A payload for which powers are missing is long.
        self.with_more_powers(packet.len(), |key| unsafe { V::open_masked_long(key, number, packet, cover, tag) });
    }
}

/// Minimum number of received packets that are interleaved. Four packets take up to a third longer if they are
/// interleaved than one at a time; eight packets hardly ever take longer.
const MIN_OPENED_BATCH: usize = 8;

// SAFETY (every block): the key holds the proof that the CPU has the features; inputs are borrowed during the call, and
// their lengths were checked.
impl<V: Entry> crate::backend::PacketKey for PacketKey<V> {
    #[inline]
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask {
        let payload_bytes = packet.len() - header_bytes - TAG_BYTES;
        debug_assert!(sample + 16 <= packet.len());
        if !self.0.has_powers_for(payload_bytes) {
            return self.seal_with_more_powers(number, packet, header_bytes, sample);
        }
        // SAFETY: see above.
        unsafe { V::seal_packet(&self.0, number, packet.as_mut_ptr(), header_bytes, payload_bytes, sample) }
    }

    #[inline]
    fn open(&self, number: u64, header: &[u8], payload: &mut [u8], tag: &mut Block) {
        if !self.0.has_powers_for(payload.len()) {
            return self.open_with_more_powers(number, header, payload, tag);
        }
        // SAFETY: see above.
        unsafe { V::open_packet(&self.0, number, header, payload.as_mut_ptr(), payload.len(), tag) }
    }

    #[inline]
    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block) {
        let bytes = packet.len() - cover.header_bytes - TAG_BYTES;
        let is_short = bytes <= message::max_short_bytes::<V>();
        let open = if is_short { V::open_masked_short } else { V::open_masked_long };
        if !self.0.has_powers_for(bytes) {
            return self.open_masked_with_more_powers(number, packet, cover, tag);
        }
        // SAFETY: see above.
        unsafe { open(&self.0, number, packet, cover, tag) }
    }

    #[inline]
    fn mask(&self, sample: &Block) -> Mask {
        // SAFETY: see above.
        unsafe { V::mask(&self.0, sample) }
    }

    #[inline]
    fn least_batch(&self, is_sealing: bool, payload_bytes: usize) -> usize {
        if is_sealing { V::least_run((payload_bytes + HEADER_BYTES).div_ceil(V::BYTES)) } else { MIN_OPENED_BATCH }
    }

    fn seal_batch<T: Packet>(&self, packets: &mut [T], admission: &impl Admission<T>) {
        // SAFETY: see above.
        self.with_powers_for_all(packets, |key, packets| unsafe {
            match key.key().rounds {
                10 => V::batch::<10, true, T, _>(key, packets, &mut Sending(admission)),
                _ => V::batch::<14, true, T, _>(key, packets, &mut Sending(admission)),
            }
        });
    }

    fn unmask_batch<T: Packet>(&self, packets: &mut [T], reception: &impl Reception<T>) {
        // SAFETY: see above.
        unsafe {
            match self.0.key().rounds {
                10 => V::unmask_batch::<10, T, _>(&self.0, packets, reception),
                _ => V::unmask_batch::<14, T, _>(&self.0, packets, reception),
            }
        }
    }

    fn open_batch<T: Packet>(&self, packets: &mut [T], are_masked: bool, reception: &impl Reception<T>) {
        let mut direction = Receiving { reception, unmasked: if are_masked { 0 } else { packets.len() } };
        // SAFETY: see above.
        self.with_powers_for_all(packets, |key, packets| unsafe {
            match key.key().rounds {
                10 => V::batch::<10, false, T, _>(key, packets, &mut direction),
                _ => V::batch::<14, false, T, _>(key, packets, &mut direction),
            }
        });
    }
}

// SAFETY (every block): guaranteed by the caller; the key holds the proof that the CPU has the features.
impl<V: Entry> OnePacket for V {
    #[inline(always)]
    unsafe fn seal_packet(
        key: &ExpandedPacket<Self>,
        number: u64,
        packet: *mut u8,
        header_bytes: usize,
        payload_bytes: usize,
        sample: usize,
    ) -> Mask {
        let is_short = payload_bytes <= message::max_short_bytes::<V>();
        let seal = if is_short { V::seal_packet_short } else { V::seal_packet_long };
        // SAFETY: see above.
        unsafe { seal(key, number, packet, header_bytes, payload_bytes, sample) }
    }

    #[inline(always)]
    unsafe fn open_packet(
        key: &ExpandedPacket<Self>,
        number: u64,
        header: &[u8],
        payload: *mut u8,
        payload_bytes: usize,
        tag: &mut Block,
    ) {
        let is_short = payload_bytes <= message::max_short_bytes::<V>();
        let open = if is_short { V::open_packet_short } else { V::open_packet_long };
        // SAFETY: see above.
        unsafe { open(key, number, header, payload, payload_bytes, tag) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::aesni::Lanes1;
    use super::super::vaes256::Lanes2;
    use super::super::vaes512::{Karatsuba, Lanes4, Schoolbook};
    use super::*;
    use crate::backend::placed::Placed;
    use crate::cpu::{Found, proof};

    #[test]
    fn results_do_not_change_while_another_thread_computes_powers_of_h() {
        let found = Found::here();
        if let Some(proof) = proof::Aesni::of(found) {
            assert_busy_key_matches::<Lanes1>(proof);
        }
        if let Some(proof) = proof::Vaes256::of(found) {
            assert_busy_key_matches::<Lanes2>(proof);
        }
        if let Some(proof) = proof::Vaes512::of(found) {
            assert_busy_key_matches::<Lanes4<Karatsuba>>(proof);
            assert_busy_key_matches::<Lanes4<Schoolbook>>(proof);
        }
    }

    fn assert_busy_key_matches<V: Entry>(proof: V::Proof) {
        let new = || Placed::new(None, |place| MessageKey::<V>::new_in(place, proof, &[7; 32]));
        let (busy, free) = (new(), new());
        busy.0.pretend_growth();
        let seal = |key: &MessageKey<V>, aad: &[u8], bytes: usize| {
            let (mut data, mut tag) = (vec![5; bytes], [0; 16]);
            key.seal(&[9; 12], aad, InOut::in_place(&mut data), &mut tag);
            (data, tag)
        };
        for (bytes, aad) in [0, 100, 400, 600, 1_500, 20_000].into_iter().flat_map(|bytes| [(bytes, 13), (bytes, 700)])
        {
            let aad = &[3; 700][..aad];
            assert!(seal(&busy, aad, bytes) == seal(&free, aad, bytes), "{bytes} bytes, {} of AAD", aad.len());
        }
        assert!(free.0.has_powers_for(20_000) && !busy.0.has_powers_for(20_000));

        let material = PacketMaterial { key: &[7; 32], iv: &[8; 12], header_key: &[9; 32] };
        let (busy, free) = (PacketKey::<V>::new(proof, material), PacketKey::<V>::new(proof, material));
        busy.0.aead.pretend_growth();
        for payload_bytes in [100, 1_500, 1_501, 9_000] {
            let protect = |key: &PacketKey<V>| {
                let mut packet = vec![5; 20 + payload_bytes + TAG_BYTES];
                let mask = crate::backend::PacketKey::seal(key, 3, &mut packet, 20, 22);
                (packet, mask)
            };
            assert!(protect(&busy) == protect(&free), "{payload_bytes} bytes of payload");
        }
        assert!(free.0.has_powers_for(9_000) && !busy.0.has_powers_for(9_000));
    }
}
