//! How the rest of the crate comes in: the keys of the backends, and the functions that have a backend's instructions
//! switched on. All of the kernel is inlined into these.

use alloc::boxed::Box;
use core::mem::MaybeUninit;

use super::aes_key::AesKey;
use super::aesni::One;
use super::batch::{self, Direction, Receiving, Sending};
use super::fours::{self, Run};
use super::hash::Accumulator;
use super::key::{Expanded, GrowingKey, Powers};
use super::lines::HEADER_BYTES;
use super::message::{self, AadAt, MOST_AAD, OutOfLine};
use super::packet::{self, ExpandedPacket, OnePacket};
use super::parts::{self, ReadsParts, Source};
use super::schedule::{GROUP, Schedule};
use super::siv;
use super::streaming;
use super::vaes256::Two;
use super::vaes512::{Four, Karatsuba, Schoolbook};
use super::xaes::Master;
use crate::backend::parts::{Part, Parts};
use crate::backend::xaes::halves;
use crate::backend::{
    Admission, Block, Cover, Key, Mask, Packet, PacketMaterial, Progress, Reception, Shape, gather, wipe,
};
use crate::error::Error;
use crate::in_out::InOut;
use crate::tag::TAG_BYTES;

/// What was expanded, wiped when it is dropped.
#[repr(transparent)]
pub(crate) struct Wiped<E: Secret>(E);

/// Key material that can be wiped.
pub(crate) trait Secret {
    /// Writes zeros over all of it that was written.
    fn wipe(&mut self);
}

impl<V: Schedule> Secret for GrowingKey<V> {
    #[inline(always)]
    fn wipe(&mut self) {
        Self::wipe(self);
    }
}

impl<V: Schedule> Secret for ExpandedPacket<V> {
    fn wipe(&mut self) {
        Self::wipe(self);
    }
}

impl<V: Schedule> Secret for AesKey<V> {
    fn wipe(&mut self) {
        wipe(self);
    }
}

impl<V: Schedule> Secret for Master<V> {
    fn wipe(&mut self) {
        wipe(self);
    }
}

/// A backend's key for messages.
pub(crate) type MessageKey<V> = Wiped<GrowingKey<V>>;

/// A backend's keys for packets.
pub(crate) type PacketKey<V> = Wiped<ExpandedPacket<V>>;

/// A backend's key for AES-GCM-SIV.
pub(crate) type SivKey<V> = Wiped<AesKey<V>>;

/// A backend's key for XAES-256-GCM.
pub(crate) type XaesKey<V> = Wiped<Master<V>>;

impl<E: Secret> Drop for Wiped<E> {
    #[inline]
    fn drop(&mut self) {
        self.0.wipe();
    }
}

impl<V: Entry> MessageKey<V> {
    /// Expands `key`, which has 16, 24 or 32 bytes.
    pub(crate) fn new(proof: V::Proof, key: &[u8]) -> Box<Self> {
        let mut new = Box::new_uninit();
        // SAFETY: the proof says that the CPU has the features; then the key is whole.
        unsafe {
            V::expand(&mut Self::empty_in(&mut new, proof).0, key, Powers::FEW);
            new.assume_init()
        }
    }

    /// Makes room for a key in `place`.
    #[inline(always)]
    fn empty_in(place: &mut MaybeUninit<Self>, proof: V::Proof) -> &mut Self {
        let inner: *mut MaybeUninit<GrowingKey<V>> = (&raw mut *place).cast();
        // SAFETY: the type has nothing else.
        unsafe {
            GrowingKey::empty_in(&mut *inner, proof);
            place.assume_init_mut()
        }
    }

    /// Does `work` with a key on the stack that is filled by `expand`, and wiped at the end.
    #[inline(always)]
    fn with_temporary(proof: V::Proof, expand: impl FnOnce(&mut GrowingKey<V>), work: impl FnOnce(&Self)) {
        let mut place = MaybeUninit::uninit();
        let key = Self::empty_in(&mut place, proof);
        expand(&mut key.0);
        work(key);
        key.0.wipe();
    }
}

/// A function of the kernel for whole messages.
type Kernel<V> = unsafe fn(&Expanded<V>, &[u8; 12], AadAt, *const u8, *mut u8, usize, &mut Block);

/// Where a message is read and written.
struct Data {
    input: *const u8,
    output: *mut u8,
    bytes: usize,
}

/// Does `work` with a key that has the powers for a text of so many bytes.
#[inline(always)]
fn with_powers<V: Entry>(key: &GrowingKey<V>, bytes: usize, work: impl FnOnce(&Expanded<V>)) {
    if key.reaches(bytes) { work(key.key()) } else { with_more_powers(key, bytes, work) }
}

/// Makes the powers. If another thread is about that, this message does not wait for it (it may be asleep) but has a
/// copy of the key on the stack.
#[cold]
#[inline(never)]
fn with_more_powers<V: Entry>(key: &GrowingKey<V>, bytes: usize, work: impl FnOnce(&Expanded<V>)) {
    // SAFETY: the key holds the proof that the CPU has the features.
    if unsafe { V::grow(key, bytes) } {
        return work(key.key());
    }
    let (other, powers) = (key.key(), Powers::for_text::<V>(bytes));
    // SAFETY: as above.
    let expand = |copy: &mut GrowingKey<V>| unsafe { V::expand_as(copy, other, powers) };
    MessageKey::with_temporary(other.proof, expand, |copy| work(copy.0.key()));
}

// SAFETY (every block): the key holds the proof that the CPU has the features; the data is there for as long as it is
// borrowed, and its length was looked at.
impl<V: Entry> MessageKey<V> {
    #[inline(always)]
    fn blocks<const SEAL: bool>(&self, progress: &mut Progress, data: InOut<'_>) {
        let are_few = streaming::are_few::<V>(progress, data.len());
        // A group needs no strides.
        let bytes =
            if data.len() <= GROUP * V::BYTES { data.len().min(message::most_short::<V>()) } else { data.len() };
        with_powers(&self.0, bytes, |key| {
            if are_few {
                // SAFETY: see above.
                return unsafe { V::few_blocks::<SEAL>(key, progress, data) };
            }
            Self::more_blocks::<SEAL>(key, progress, data);
        });
    }

    /// Seals or opens a message with `kernel`, whose AAD is too long for it or whose powers may not be there yet.
    #[inline(never)]
    fn prepare(&self, kernel: Kernel<V>, nonce: &[u8; 12], aad: &[u8], data: Data, tag: &mut Block) {
        let is_long = aad.len() > MOST_AAD;
        let bytes = if is_long { data.bytes.max(message::most_short::<V>()) } else { data.bytes };
        with_powers(&self.0, bytes, |key| {
            let mut block = [0; 16];
            let mut aad_at = AadAt::whole(aad);
            // SAFETY: see above.
            unsafe {
                if is_long {
                    V::long_aad(key, aad, &mut block);
                    aad_at = AadAt::left(aad, &block);
                }
                kernel(key, nonce, aad_at, data.input, data.output, data.bytes, tag);
            }
            wipe(&mut block); // it tells something of the hash
        });
    }

    #[inline(never)]
    fn more_blocks<const SEAL: bool>(key: &Expanded<V>, progress: &mut Progress, mut data: InOut<'_>) {
        while data.len() > 0 {
            let Some(bytes) = streaming::next_few::<V>(progress, data.len()) else {
                // SAFETY: see above.
                return unsafe { V::many_blocks::<SEAL>(key, progress, data) };
            };
            let (few, rest) = data.split_at(bytes);
            // SAFETY: see above.
            unsafe { V::few_blocks::<SEAL>(key, progress, few) };
            data = rest;
        }
    }
}

impl<V: Entry> Key for MessageKey<V> {
    #[inline]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let seal = if bytes <= message::most_short::<V>() { V::seal_short } else { V::seal_long };
        if aad.len() > MOST_AAD || !self.0.reaches(bytes) {
            return self.prepare(seal, nonce, aad, Data { input, output, bytes }, tag);
        }
        // SAFETY: see above.
        unsafe { seal(self.0.key(), nonce, AadAt::whole(aad), input, output, bytes, tag) }
    }

    #[inline]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &mut Block) {
        let (input, output, bytes) = data.pointers();
        let open = if bytes <= message::most_short::<V>() { V::open_short } else { V::open_long };
        if aad.len() > MOST_AAD || !self.0.reaches(bytes) {
            return self.prepare(open, nonce, aad, Data { input, output, bytes }, tag);
        }
        // SAFETY: see above.
        unsafe { open(self.0.key(), nonce, AadAt::whole(aad), input, output, bytes, tag) }
    }

    fn seal_gathered<'a>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        slices: impl Iterator<Item = &'a [u8]>,
        output: &mut [u8],
        tag: &mut Block,
    ) -> Result<(), Error> {
        if !V::READS_PARTS || output.len() <= message::most_short::<V>() {
            gather(slices, output)?;
            self.seal(nonce, aad, InOut::InPlace(output), tag);
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
        with_powers(&self.0, data.len().min(message::most_short::<V>()), |key| {
            // SAFETY: see above.
            unsafe { V::absorb(key, hash, data) };
        });
    }

    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        self.blocks::<true>(progress, data);
    }

    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        self.blocks::<false>(progress, data);
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

// SAFETY (every block): the key holds the proof that the CPU has the features; the data is there for as long as it is
// borrowed.
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
    /// Expands `key`.
    pub(crate) fn new(proof: V::Proof, key: &[u8; 32]) -> Box<Self> {
        let mut new = Box::new(Self(Master::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { V::expand_xaes(&mut new.0, key) };
        new
    }

    /// Does `work` with the key of a message that multiplies by these powers.
    #[inline(always)]
    fn with_message_key(&self, context: &[u8; 12], powers: Powers, work: impl FnOnce(&MessageKey<V>)) {
        // SAFETY: the key holds the proof that the CPU has the features.
        let expand = |key: &mut GrowingKey<V>| unsafe { V::derive(&self.0, context, powers, key) };
        MessageKey::with_temporary(self.0.proof(), expand, work);
    }
}

impl<V: Entry> crate::backend::XaesKey for XaesKey<V> {
    fn seal(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        let ([context, nonce], powers) = (halves(nonce), Powers::for_text::<V>(data.len()));
        self.with_message_key(context, powers, |key| key.seal(nonce, aad, data, tag));
    }

    fn open(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        let ([context, nonce], powers) = (halves(nonce), Powers::for_text::<V>(data.len()));
        self.with_message_key(context, powers, |key| key.open(nonce, aad, data, tag));
    }
}

impl<V: Entry> PacketKey<V> {
    /// Expands two keys, both of 16 or both of 32 bytes.
    pub(crate) fn new(proof: V::Proof, material: PacketMaterial<'_>) -> Box<Self> {
        let mut new = Box::new(Self(ExpandedPacket::empty(proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { V::expand_packet(&mut new.0, material) };
        new
    }

    /// Another packet key of the same length under the same header-protection key.
    pub(crate) fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Box<Self> {
        let mut new = Box::new(Self(ExpandedPacket::empty(self.0.key().proof)));
        // SAFETY: the proof says that the CPU has the features.
        unsafe { V::expand_next(&mut new.0, key, iv, &self.0) };
        new
    }

    /// Bytes of the packet key.
    pub(crate) fn key_bytes(&self) -> usize {
        self.0.key_bytes()
    }
}

/// The fewest received packets that are opened faster side by side, whatever their size: four take up to a third longer
/// than one after the other, eight hardly ever.
const LEAST_OPENED: usize = 8;

// SAFETY (every block): the key holds the proof that the CPU has the features; inputs are there for as long as they are
// borrowed, and their lengths were looked at.
impl<V: Entry> crate::backend::PacketKey for PacketKey<V> {
    #[inline]
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask {
        let payload_bytes = packet.len() - header_bytes - TAG_BYTES;
        debug_assert!(sample + 16 <= packet.len());
        // SAFETY: see above.
        unsafe { V::seal_packet(&self.0, number, packet.as_mut_ptr(), header_bytes, payload_bytes, sample) }
    }

    #[inline]
    fn open(&self, number: u64, header: &[u8], payload: &mut [u8], tag: &mut Block) {
        // SAFETY: see above.
        unsafe { V::open_packet(&self.0, number, header, payload.as_mut_ptr(), payload.len(), tag) }
    }

    #[inline]
    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block) {
        let is_short = packet.len() - cover.header_bytes - TAG_BYTES <= message::most_short::<V>();
        let open = if is_short { V::open_masked_short } else { V::open_masked_long };
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
        if is_sealing { V::least_run((payload_bytes + HEADER_BYTES).div_ceil(V::BYTES)) } else { LEAST_OPENED }
    }

    fn seal_batch<T: Packet>(&self, packets: &mut [T], admission: &impl Admission<T>) {
        // SAFETY: see above.
        unsafe {
            match self.0.key().rounds {
                10 => V::batch::<10, true, T, _>(&self.0, packets, &mut Sending(admission)),
                _ => V::batch::<14, true, T, _>(&self.0, packets, &mut Sending(admission)),
            }
        }
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
        unsafe {
            match self.0.key().rounds {
                10 => V::batch::<10, false, T, _>(&self.0, packets, &mut direction),
                _ => V::batch::<14, false, T, _>(&self.0, packets, &mut direction),
            }
        }
    }
}

// SAFETY (every block): the caller's; the key holds the proof that the CPU has the features.
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
        let is_short = payload_bytes <= message::most_short::<V>();
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
        let is_short = payload_bytes <= message::most_short::<V>();
        let open = if is_short { V::open_packet_short } else { V::open_packet_long };
        // SAFETY: see above.
        unsafe { open(key, number, header, payload, payload_bytes, tag) }
    }
}

/// Writes the trait [`Entry`] and each backend's functions, all from one list.
macro_rules! entries {
    ($(unsafe fn $name:ident [$($generic:tt)*] ($($argument:ident: $type:ty),* $(,)?)
       $(-> $result:ty)? $body:block)*) => {
        /// The functions of the kernel, each with a backend's instructions switched on. None that other crates call
        /// inline is generic, so that they are compiled in this crate and no other. Short messages have functions of
        /// their own, so as not to pay for the registers that a long one needs.
        ///
        /// # Safety
        /// The CPU has the features, as every key proves. What else a function asks is said where the kernel has it.
        pub(crate) trait Entry: OutOfLine {
            $(unsafe fn $name<$($generic)*>($($argument: $type),*) $(-> $result)?;)*
        }

        entries!(@ One, "sse2,ssse3,sse4.1,aes,pclmulqdq",
            $($name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
        entries!(@ Two, "sse2,ssse3,sse4.1,aes,pclmulqdq,avx,avx2,vaes,vpclmulqdq",
            $($name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
        entries!(@ Four<Karatsuba>,
            "sse2,ssse3,sse4.1,aes,pclmulqdq,avx,avx2,bmi2,vaes,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl",
            $($name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
        entries!(@ Four<Schoolbook>,
            "sse2,ssse3,sse4.1,aes,pclmulqdq,avx,avx2,bmi2,vaes,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl",
            $($name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
    };
    (@ $vector:ty, $features:literal,
     $($name:ident [$($generic:tt)*] ($($argument:ident: $type:ty),*) [$($result:ty)?] $body:block)*) => {
        impl Entry for $vector {
            $(
                #[target_feature(enable = $features)]
                #[inline(never)]
                unsafe fn $name<$($generic)*>($($argument: $type),*) $(-> $result)? $body
            )*
        }

        impl OutOfLine for $vector {
            #[inline(always)]
            fn fold_aad(key: &Expanded<Self>, aad: &[u8]) -> One {
                let mut block = [0; 16];
                // SAFETY: the key holds the proof that the CPU has the features.
                unsafe { Self::long_aad(key, aad, &mut block) };
                One::of_bytes(key.proof.into(), &block)
            }

            #[inline(always)]
            unsafe fn bulk<const ROUNDS: usize, const SEAL: bool, S: Source>(
                key: &Expanded<Self>,
                run: Run<Self>,
                last: Accumulator<Self>,
                source: S,
            ) -> One {
                // SAFETY: the key holds the proof that the CPU has the features; the rest is the caller's.
                unsafe { Self::rest::<ROUNDS, SEAL, S>(key, run, last, source) }
            }
        }
    };
}

// SAFETY (every block): the caller's.
entries! {
    unsafe fn expand[](key: &mut GrowingKey<Self>, bytes: &[u8], powers: Powers) {
        key.with(powers).expand(bytes, powers);
    }

    unsafe fn expand_as[](key: &mut GrowingKey<Self>, other: &Expanded<Self>, powers: Powers) {
        key.expand_as(other, powers);
    }

    unsafe fn grow[](key: &GrowingKey<Self>, bytes: usize) -> bool {
        key.grow(bytes)
    }

    unsafe fn seal_short[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: AadAt,
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe {
            message::whole::<Self, true, true>(key, nonce, aad, input, output, bytes, tag);
        }
    }

    unsafe fn seal_long[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: AadAt,
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe {
            message::whole::<Self, true, false>(key, nonce, aad, input, output, bytes, tag);
        }
    }

    unsafe fn seal_in_parts[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: &[u8], parts: &[Part], output: &mut [u8], tag: &mut Block,
    ) {
        // (An `if` on a constant: functions that are not named are not compiled.)
        if <Self as ReadsParts>::READS_PARTS {
            // SAFETY: see above.
            unsafe { message::in_parts::<Self>(key, nonce, aad, parts, output, tag) }
        }
    }

    unsafe fn copy_ends[](
        proof: Self::Proof, to: *mut u8, from: *const u8, bytes: usize, at: usize, first: usize, last: usize,
    ) {
        if <Self as ReadsParts>::READS_PARTS {
            // SAFETY: see above.
            unsafe { parts::copy_ends::<Self>(proof, to, from, bytes, at, first, last) }
        }
    }

    unsafe fn open_short[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: AadAt,
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe {
            message::whole::<Self, false, true>(key, nonce, aad, input, output, bytes, tag);
        }
    }

    unsafe fn open_long[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: AadAt,
        input: *const u8, output: *mut u8, bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe {
            message::whole::<Self, false, false>(key, nonce, aad, input, output, bytes, tag);
        }
    }

    unsafe fn long_aad[](key: &Expanded<Self>, aad: &[u8], block: &mut Block) {
        *block = message::fold_aad(key, aad).to_bytes();
    }

    unsafe fn rest[const ROUNDS: usize, const SEAL: bool, S: Source](
        key: &Expanded<Self>, run: Run<Self>, last: Accumulator<Self>, source: S,
    ) -> One {
        // SAFETY: see above.
        unsafe { fours::bulk::<Self, ROUNDS, SEAL>(key, run, last, source) }
    }

    unsafe fn encrypt_block[](key: &Expanded<Self>, block: &Block) -> Block {
        streaming::encrypt_block(key, block)
    }

    unsafe fn absorb[](key: &Expanded<Self>, hash: &mut Block, data: &[u8]) {
        streaming::absorb(key, hash, data);
    }

    unsafe fn few_blocks[const SEAL: bool](key: &Expanded<Self>, progress: &mut Progress, data: InOut<'_>) {
        streaming::few::<Self, SEAL>(key, progress, data);
    }

    unsafe fn many_blocks[const SEAL: bool](key: &Expanded<Self>, progress: &mut Progress, data: InOut<'_>) {
        streaming::many::<Self, SEAL>(key, progress, data);
    }

    unsafe fn expand_packet[](new: &mut ExpandedPacket<Self>, material: PacketMaterial<'_>) {
        new.expand(material);
    }

    unsafe fn expand_next[](new: &mut ExpandedPacket<Self>, key: &[u8], iv: &[u8; 12], old: &ExpandedPacket<Self>) {
        new.expand_next(key, iv, old);
    }

    unsafe fn seal_packet_short[](
        key: &ExpandedPacket<Self>, number: u64, packet: *mut u8,
        header_bytes: usize, payload_bytes: usize, sample: usize,
    ) -> Mask {
        // SAFETY: see above.
        unsafe { packet::seal::<Self, true>(key, number, packet, header_bytes, payload_bytes, sample) }
    }

    unsafe fn seal_packet_long[](
        key: &ExpandedPacket<Self>, number: u64, packet: *mut u8,
        header_bytes: usize, payload_bytes: usize, sample: usize,
    ) -> Mask {
        // SAFETY: see above.
        unsafe { packet::seal::<Self, false>(key, number, packet, header_bytes, payload_bytes, sample) }
    }

    unsafe fn open_packet_short[](
        key: &ExpandedPacket<Self>, number: u64, header: &[u8], payload: *mut u8, payload_bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { packet::open::<Self, true>(key, number, header, payload, payload_bytes, tag) }
    }

    unsafe fn open_packet_long[](
        key: &ExpandedPacket<Self>, number: u64, header: &[u8], payload: *mut u8, payload_bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { packet::open::<Self, false>(key, number, header, payload, payload_bytes, tag) }
    }

    unsafe fn open_masked_short[](
        key: &ExpandedPacket<Self>, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { packet::open_masked::<Self, true>(key, number, packet, cover, tag) }
    }

    unsafe fn open_masked_long[](
        key: &ExpandedPacket<Self>, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { packet::open_masked::<Self, false>(key, number, packet, cover, tag) }
    }

    unsafe fn mask[](key: &ExpandedPacket<Self>, sample: &Block) -> Mask {
        packet::mask(key, sample)
    }

    unsafe fn batch[const ROUNDS: usize, const SEAL: bool, T: Packet, D: Direction<Self, T>](
        key: &ExpandedPacket<Self>, packets: &mut [T], direction: &mut D,
    ) {
        // (An `if` on a constant: functions that are not named are not compiled.)
        if <Self as Schedule>::HAS_LONG_RUNS {
            batch::all::<Self, ROUNDS, SEAL, T, D>(key, packets, direction, Some(Self::long_run::<ROUNDS, SEAL, T, D>));
        } else {
            batch::all::<Self, ROUNDS, SEAL, T, D>(key, packets, direction, None);
        }
    }

    unsafe fn long_run[const ROUNDS: usize, const SEAL: bool, T: Packet, D: Direction<Self, T>](
        key: &ExpandedPacket<Self>, packets: &mut [T], from: usize, shape: &Shape, direction: &mut D,
    ) -> usize {
        batch::long::<Self, ROUNDS, SEAL, T, D>(key, packets, from, shape, direction)
    }

    unsafe fn unmask_batch[const ROUNDS: usize, T: Packet, R: Reception<T>](
        key: &ExpandedPacket<Self>, packets: &mut [T], reception: &R,
    ) {
        batch::unmask::<Self, ROUNDS, T>(key, packets, reception);
    }

    unsafe fn expand_xaes[](new: &mut Master<Self>, key: &[u8; 32]) {
        new.expand(key);
    }

    unsafe fn derive[](master: &Master<Self>, context: &[u8; 12], powers: Powers, message: &mut GrowingKey<Self>) {
        master.derive(context, powers, message);
    }

    unsafe fn expand_siv[](key: &mut AesKey<Self>, bytes: &[u8]) {
        key.expand(bytes);
    }

    unsafe fn seal_siv[const ROUNDS: usize](
        key: &AesKey<Self>, nonce: &[u8; 12], aad: &[u8], data: [*mut u8; 2], bytes: usize, tag: &mut Block,
    ) {
        // SAFETY: see above.
        unsafe { siv::seal::<Self, ROUNDS>(key, nonce, aad, data, bytes, tag) }
    }

    unsafe fn open_siv[const ROUNDS: usize](
        key: &AesKey<Self>, nonce: &[u8; 12], aad: &[u8], data: [*mut u8; 2], bytes: usize, tag: &Block,
    ) -> Block {
        // SAFETY: see above.
        unsafe { siv::open::<Self, ROUNDS>(key, nonce, aad, data, bytes, tag) }
    }
}
