//! Entry points for the rest of the crate: the keys of the backends, and functions that enable a backend's
//! instructions. The whole kernel is inlined into these functions.

use alloc::boxed::Box;
use core::mem::MaybeUninit;

use super::data::Data;
use super::groups::{self, Run};
use super::key::{ALL_POWERS, Expanded};
use super::message::{self, MAX_SHORT};
use super::products::{Eor3, Karatsuba, Products};
use super::round_keys::RoundKeys;
use super::streaming;
use super::vector::Vector;
use crate::backend::one_by_one::{self, AesBackend};
use crate::backend::portable::Ghash;
use crate::backend::siv::GenericSivKey;
use crate::backend::xaes::GenericXaesKey;
use crate::backend::{Block, OnceFunction, Progress, wipe};
use crate::in_out::InOut;

/// An expanded AES-GCM key of an AArch64 backend. Dropping the key wipes its memory.
pub(crate) struct MessageKey<P: Products>(Expanded<P>);

pub(crate) type SivKey<P> = GenericSivKey<MessageKey<P>, PowersOnly<P>>;

pub(crate) type XaesKey<P> = GenericXaesKey<MessageKey<P>>;

/// A table of powers of the POLYVAL key for AES-GCM-SIV, without AES round keys.
pub(crate) struct PowersOnly<P: Products>(Expanded<P>);

// SAFETY (every block): the powers contain the proof that the CPU has the features.
impl<P: Entry> Ghash for PowersOnly<P> {
    type Proof = P::Proof;

    fn empty(proof: P::Proof) -> Self {
        Self(Expanded::empty(proof))
    }

    fn proof(&self) -> P::Proof {
        self.0.proof()
    }

    fn expand(&mut self, h: &Block) {
        // SAFETY: see above.
        unsafe { P::expand_powers(&mut self.0, h) }
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        // SAFETY: see above.
        unsafe { P::absorb(&self.0, hash, data) }
    }

    fn wipe(&mut self) {
        wipe(&mut self.0);
    }
}

pub(crate) type PacketKey<P> = one_by_one::PacketKey<MessageKey<P>>;

impl<P: Products> Drop for MessageKey<P> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl<P: Entry> MessageKey<P> {
    /// Expands `key`, which has 16, 24 or 32 bytes, into the memory `place`.
    pub(crate) fn new_in<'p>(place: &'p mut MaybeUninit<Self>, proof: P::Proof, key: &[u8]) -> &'p mut Self {
        let new = place.write(Self(Expanded::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { P::expand(&mut new.0, key, ALL_POWERS) };
        new
    }

    /// Expands `key`, which has 16, 24 or 32 bytes.
    pub(crate) fn new(proof: P::Proof, key: &[u8]) -> Box<Self> {
        let mut new = Box::new(Self(Expanded::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { P::expand(&mut new.0, key, ALL_POWERS) };
        new
    }

    /// Returns `None`: no AArch64 backend has a function with the arguments of the C library's kasoku_gcm_seal_once().
    #[inline(always)]
    pub(crate) fn once_function<const SEAL: bool>(_: P::Proof) -> Option<OnceFunction> {
        None
    }

    /// Seals one message if `SEAL`, otherwise opens one. `key` has 16, 24 or 32 bytes, and is expanded on the stack,
    /// with only the powers of H that the message needs.
    pub(crate) fn once<const SEAL: bool>(
        proof: P::Proof,
        key: &[u8],
        nonce: &[u8; 12],
        aad: &[u8],
        data: InOut<'_>,
        tag: &mut Block,
    ) {
        use crate::backend::Key as _;
        let mut expanded = Self(Expanded::empty(proof));
        let powers = message::powers_for(aad.len(), data.len());
        // SAFETY: the proof says that the CPU has the features.
        unsafe { P::expand(&mut expanded.0, key, powers) };
        if SEAL { expanded.seal(nonce, aad, data, tag) } else { expanded.open(nonce, aad, data, tag) }
    }
}

// SAFETY (every block): the key contains the proof that the CPU has the features; the data is borrowed, so it can be
// read and written, and its length decides which function is called.
impl<P: Entry> crate::backend::Key for MessageKey<P> {
    #[inline]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let seal = if bytes <= MAX_SHORT { P::seal_short } else { P::seal_long };
        // SAFETY: see above.
        unsafe { seal(&self.0, nonce, aad, input, output, bytes, tag) }
    }

    #[inline]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let open = if bytes <= MAX_SHORT { P::open_short } else { P::open_long };
        // SAFETY: see above.
        unsafe { open(&self.0, nonce, aad, input, output, bytes, tag) }
    }

    fn encrypt_block(&self, block: &Block) -> Block {
        // SAFETY: see above.
        unsafe { P::encrypt_block(&self.0.round_keys, block) }
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        // SAFETY: see above.
        unsafe { P::absorb(&self.0, hash, data) }
    }

    fn keystream(&self, progress: &mut Progress, keystream: &mut [u8]) {
        // SAFETY: see above.
        unsafe { P::keystream(&self.0, progress, keystream) }
    }

    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        // SAFETY: see above.
        unsafe { P::blocks::<true>(&self.0, progress, data) }
    }

    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        // SAFETY: see above.
        unsafe { P::blocks::<false>(&self.0, progress, data) }
    }
}

// SAFETY (every block): round keys contain the proof that the CPU has the features.
impl<P: Entry> AesBackend for MessageKey<P> {
    type RoundKeys = RoundKeys<P>;
    type Proof = P::Proof;

    fn new(proof: P::Proof, key: &[u8]) -> Box<Self> {
        Self::new(proof, key)
    }

    fn proof(&self) -> P::Proof {
        self.0.proof()
    }

    fn empty(proof: P::Proof) -> RoundKeys<P> {
        RoundKeys::empty(proof)
    }

    fn expand(round_keys: &mut RoundKeys<P>, key: &[u8]) {
        // SAFETY: see above.
        unsafe { P::expand_round_keys(round_keys, key) }
    }

    fn copy(round_keys: &mut RoundKeys<P>, others: &RoundKeys<P>) {
        (round_keys.keys, round_keys.rounds) = (others.keys, others.rounds);
    }

    fn encrypt(round_keys: &RoundKeys<P>, blocks: &mut [Block]) {
        for block in blocks {
            // SAFETY: see above.
            *block = unsafe { P::encrypt_block(round_keys, block) };
        }
    }

    fn wipe(round_keys: &mut RoundKeys<P>) {
        wipe(round_keys);
    }
}

/// Defines the trait [`Entry`] and its implementation for each backend. Both are generated from one list of functions.
macro_rules! entries {
    ($(unsafe fn $name:ident [$($generic:tt)*] ($($argument:ident: $type:ty),* $(,)?)
       $(-> $result:ty)? $body:block)*) => {
        /// The kernel's functions, each compiled with a backend's CPU features enabled.
        ///
        /// None of these functions is generic, so they are compiled in this crate only, even if other crates inline
        /// their callers. Short messages have separate functions, because the functions for long messages save and
        /// restore more registers.
        ///
        /// # Safety
        /// The CPU must have the backend's features, which every key proves. Each function also has the safety
        /// requirements of the kernel function that it calls.
        pub(crate) trait Entry: Products {
            $(unsafe fn $name<$($generic)*>($($argument: $type),*) $(-> $result)?;)*
        }

        entries!(@ Karatsuba, "neon,aes", $($name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
        entries!(@ Eor3, "neon,aes,sha3", $($name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
    };
    (@ $products:ty, $features:literal,
     $($name:ident [$($generic:tt)*] ($($argument:ident: $type:ty),*) [$($result:ty)?] $body:block)*) => {
        impl Entry for $products {
            $(
                #[target_feature(enable = $features)]
                #[inline(never)]
                unsafe fn $name<$($generic)*>($($argument: $type),*) $(-> $result)? $body
            )*
        }
    };
}

// SAFETY (every block): guaranteed by the caller.
entries! {
    unsafe fn expand[](key: &mut Expanded<Self>, bytes: &[u8], powers: usize) {
        key.expand(bytes, powers);
    }

    unsafe fn expand_powers[](key: &mut Expanded<Self>, h: &Block) {
        key.expand_powers(Vector::of_bytes(key.proof(), h), ALL_POWERS);
    }

    unsafe fn expand_round_keys[](keys: &mut RoundKeys<Self>, bytes: &[u8]) {
        keys.expand(bytes);
    }

    unsafe fn seal_short[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: &[u8],
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { message::whole::<Self, true, true>(key, nonce, aad, Data::new(input, output, bytes), tag) }
    }

    unsafe fn seal_long[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: &[u8],
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { message::whole::<Self, true, false>(key, nonce, aad, Data::new(input, output, bytes), tag) }
    }

    unsafe fn open_short[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: &[u8],
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { message::whole::<Self, false, true>(key, nonce, aad, Data::new(input, output, bytes), tag) }
    }

    unsafe fn open_long[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: &[u8],
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { message::whole::<Self, false, false>(key, nonce, aad, Data::new(input, output, bytes), tag) }
    }

    unsafe fn fold_aad[](key: &Expanded<Self>, aad: &[u8], folded: &mut Block) {
        message::fold_aad(key, aad, folded);
    }

    unsafe fn groups[const ROUNDS: usize, const SEAL: bool](key: &Expanded<Self>, run: &mut Run<Self>) {
        // SAFETY: see above.
        unsafe { groups::of_rounds::<Self, ROUNDS, SEAL>(key, run) }
    }

    unsafe fn encrypt_block[](keys: &RoundKeys<Self>, block: &Block) -> Block {
        keys.encrypt_block(block)
    }

    unsafe fn absorb[](key: &Expanded<Self>, hash: &mut Block, data: &[u8]) {
        streaming::absorb(key, hash, data);
    }

    unsafe fn keystream[](key: &Expanded<Self>, progress: &mut Progress, keystream: &mut [u8]) {
        streaming::keystream(key, progress, keystream);
    }

    unsafe fn blocks[const SEAL: bool](key: &Expanded<Self>, progress: &mut Progress, data: InOut<'_>) {
        streaming::blocks::<Self, SEAL>(key, progress, data);
    }
}
