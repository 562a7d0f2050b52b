//! Entry points for the rest of the crate: the keys of the backends, and functions that enable a backend's
//! instructions. The whole kernel is inlined into these functions.

use alloc::boxed::Box;
use core::mem::MaybeUninit;

use super::data::Data;
use super::groups::{self, Run};
use super::key::{Expanded, GrowingKey, KeyMemory};
use super::message::{self, MAX_SHORT};
use super::products::{Eor3, Karatsuba, Products};
use super::round_keys::RoundKeys;
use super::streaming;
use super::vector::Vector;
use crate::backend::in_out::InOut;
use crate::backend::one_by_one::{self, AesBackend};
use crate::backend::portable::Ghash;
use crate::backend::siv::GenericSivKey;
use crate::backend::xaes::GenericXaesKey;
use crate::backend::{Block, OnceFunction, Progress, wipe};

/// An expanded AES-GCM key of an AArch64 backend. Dropping the key wipes its memory.
pub(crate) struct MessageKey<P: Products>(GrowingKey<P>);

pub(crate) type SivKey<P> = GenericSivKey<MessageKey<P>, PowersOnly<P>>;

pub(crate) type XaesKey<P> = GenericXaesKey<MessageKey<P>>;

/// A table of powers of the POLYVAL key for AES-GCM-SIV, without AES round keys.
pub(crate) struct PowersOnly<P: Products>(KeyMemory<P>);

// SAFETY (every block): the powers contain the proof that the CPU has the features.
impl<P: Entry> Ghash for PowersOnly<P> {
    type Proof = P::Proof;

    fn empty(proof: P::Proof) -> Self {
        Self(KeyMemory::empty(proof))
    }

    fn proof(&self) -> P::Proof {
        self.0.expanded().proof()
    }

    fn expand(&mut self, h: &Block) {
        // SAFETY: see above.
        unsafe { P::expand_powers(&mut self.0, h) }
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        // SAFETY: see above.
        unsafe { P::absorb(self.0.expanded(), hash, data) }
    }

    fn wipe(&mut self) {
        wipe(&mut self.0);
    }
}

pub(crate) type PacketKey<P> = one_by_one::PacketKey<MessageKey<P>>;

impl<P: Products> Drop for MessageKey<P> {
    fn drop(&mut self) {
        wipe(self.0.forget_powers());
    }
}

impl<P: Entry> MessageKey<P> {
    /// Expands `key`, which has 16, 24 or 32 bytes, into the memory `place`.
    pub(crate) fn new_in<'p>(place: &'p mut MaybeUninit<Self>, proof: P::Proof, key: &[u8]) -> &'p mut Self {
        let new = place.write(Self(GrowingKey::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { P::expand(&mut new.0, key) };
        new
    }

    /// Expands `key`, which has 16, 24 or 32 bytes.
    pub(crate) fn new(proof: P::Proof, key: &[u8]) -> Box<Self> {
        let mut new = Box::new(Self(GrowingKey::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { P::expand(&mut new.0, key) };
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
        let mut expanded = Self(GrowingKey::empty_for_one(proof));
        let powers = message::powers_for(aad.len(), data.len());
        // SAFETY: the proof says that the CPU has the features.
        unsafe { P::expand_for_one(&mut expanded.0, key, powers) };
        if SEAL { expanded.seal(nonce, aad, data, tag) } else { expanded.open(nonce, aad, data, tag) }
    }

    /// Calls `work` with the key, and with the powers of H for a text of `bytes` bytes.
    #[inline(always)]
    fn with_powers(&self, bytes: usize, work: impl FnOnce(&Expanded<P>)) {
        if self.0.has_powers_for(bytes) { work(self.0.key()) } else { self.with_all_powers(work) }
    }

    /// Computes all powers of H, and calls `work` with the key. If another thread is computing powers of H, does not
    /// wait for that thread; instead expands a copy of the key on the stack, and calls `work` with that copy.
    #[cold]
    #[inline(never)]
    fn with_all_powers(&self, work: impl FnOnce(&Expanded<P>)) {
        let key = self.0.key();
        // SAFETY: the key contains the proof that the CPU has the features.
        if unsafe { P::grow(&self.0) } {
            return work(key);
        }
        let mut copy = KeyMemory::empty(key.proof());
        // SAFETY: as above.
        unsafe { P::expand_from_key(&mut copy, key) };
        work(copy.expanded());
        wipe(&mut copy);
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
        self.with_powers(bytes, |key| unsafe { seal(key, nonce, aad, input, output, bytes, tag) });
    }

    #[inline]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let open = if bytes <= MAX_SHORT { P::open_short } else { P::open_long };
        // SAFETY: see above.
        self.with_powers(bytes, |key| unsafe { open(key, nonce, aad, input, output, bytes, tag) });
    }

    fn encrypt_block(&self, block: &Block) -> Block {
        // SAFETY: see above.
        unsafe { P::encrypt_block(&self.0.key().round_keys, block) }
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        // SAFETY: see above.
        unsafe { P::absorb(self.0.key(), hash, data) }
    }

    fn keystream(&self, progress: &mut Progress, keystream: &mut [u8]) {
        // SAFETY: see above.
        unsafe { P::keystream(self.0.key(), progress, keystream) }
    }

    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        // SAFETY: see above.
        self.with_powers(streaming::text_bytes(data.len()), |key| unsafe { P::blocks::<true>(key, progress, data) });
    }

    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        // SAFETY: see above.
        self.with_powers(streaming::text_bytes(data.len()), |key| unsafe { P::blocks::<false>(key, progress, data) });
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
        self.0.key().proof()
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
    unsafe fn expand[](key: &mut GrowingKey<Self>, bytes: &[u8]) {
        key.expand(bytes);
    }

    unsafe fn expand_for_one[](key: &mut GrowingKey<Self>, bytes: &[u8], powers: usize) {
        key.expand_for_one(bytes, powers);
    }

    unsafe fn expand_from_key[](copy: &mut KeyMemory<Self>, key: &Expanded<Self>) {
        copy.expand_from_key(key);
    }

    unsafe fn expand_powers[](powers: &mut KeyMemory<Self>, h: &Block) {
        powers.expand_all_powers(Vector::of_bytes(powers.expanded().proof(), h));
    }

    unsafe fn grow[](key: &GrowingKey<Self>) -> bool {
        key.grow()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Key as _;
    use crate::cpu::{Found, proof};

    #[test]
    fn results_do_not_change_while_another_thread_computes_powers_of_h() {
        let found = Found::here();
        if let Some(proof) = proof::AesPmull::of(found) {
            assert_busy_key_matches::<Karatsuba>(proof);
        }
        if let Some(proof) = proof::AesEor3::of(found) {
            assert_busy_key_matches::<Eor3>(proof);
        }
    }

    fn assert_busy_key_matches<P: Entry>(proof: P::Proof) {
        let (busy, free) = (MessageKey::<P>::new(proof, &[7; 32]), MessageKey::<P>::new(proof, &[7; 32]));
        busy.0.pretend_growth();
        let seal = |key: &MessageKey<P>, aad: &[u8], bytes: usize| {
            let (mut data, mut tag) = (vec![5; bytes], [0; 16]);
            key.seal(&[9; 12], aad, InOut::in_place(&mut data), &mut tag);
            (data, tag)
        };
        for (bytes, aad) in
            [0, 80, 81, 100, 400, 1_500, 20_000].into_iter().flat_map(|bytes| [(bytes, 13), (bytes, 700)])
        {
            let aad = &[3; 700][..aad];
            assert!(seal(&busy, aad, bytes) == seal(&free, aad, bytes), "{bytes} bytes, {} of AAD", aad.len());
        }
        assert!(free.0.has_powers_for(20_000) && !busy.0.has_powers_for(20_000));
    }
}
