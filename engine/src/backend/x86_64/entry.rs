//! Entry points of the backends: functions that enable a backend's instructions. The whole kernel is inlined into these
//! functions.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use super::aes_key::AesKey;
use super::aesni::Lanes1;
use super::batch::{self, Direction};
use super::fours::{self, Run};
use super::hash::Accumulator;
use super::key::{Expanded, GrowingKey, KeyMemory, Powers};
use super::lines::Lines;
use super::message::{self, AadAt, OutOfLine};
use super::packet::{self, ExpandedPacket};
use super::parts::{self, ReadsParts, Source};
use super::schedule::Schedule;
use super::siv;
use super::streaming;
use super::vaes256::Lanes2;
use super::vaes512::{Karatsuba, Lanes4, Schoolbook};
use super::xaes::MasterKey;
use crate::backend::parts::Part;
use crate::backend::{Block, Cover, Mask, Packet, PacketMaterial, Progress, Reception, Shape};

/// Defines the trait [`Entry`] and its implementation for each backend. Both are generated from one list of functions.
macro_rules! entries {
    ($(unsafe $(extern $abi:literal)? fn $name:ident [$($generic:tt)*] ($($argument:ident: $type:ty),* $(,)?)
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
        pub(crate) trait Entry: OutOfLine {
            $(unsafe $(extern $abi)? fn $name<$($generic)*>($($argument: $type),*) $(-> $result)?;)*
        }

        entries!(@ Lanes1, "sse2,ssse3,sse4.1,aes,pclmulqdq",
            $([$($abi)?] $name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
        entries!(@ Lanes2, "sse2,ssse3,sse4.1,aes,pclmulqdq,avx,avx2,vaes,vpclmulqdq",
            $([$($abi)?] $name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
        entries!(@ Lanes4<Karatsuba>,
            "sse2,ssse3,sse4.1,aes,pclmulqdq,avx,avx2,bmi2,vaes,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl",
            $([$($abi)?] $name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
        entries!(@ Lanes4<Schoolbook>,
            "sse2,ssse3,sse4.1,aes,pclmulqdq,avx,avx2,bmi2,vaes,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl",
            $([$($abi)?] $name [$($generic)*] ($($argument: $type),*) [$($result)?] $body)*);
    };
    (@ $vector:ty, $features:literal,
     $([$($abi:literal)?] $name:ident [$($generic:tt)*] ($($argument:ident: $type:ty),*) [$($result:ty)?] $body:block)*
    ) => {
        impl Entry for $vector {
            $(
                #[target_feature(enable = $features)]
                #[inline(never)]
                unsafe $(extern $abi)? fn $name<$($generic)*>($($argument: $type),*) $(-> $result)? $body
            )*
        }

        impl OutOfLine for $vector {
            #[inline(always)]
            fn fold_aad(key: &Expanded<Self>, aad: &[u8]) -> Lanes1 {
                let mut block = [0; 16];
                // SAFETY: the key holds the proof that the CPU has the features.
                unsafe { Self::long_aad(key, aad, &mut block) };
                Lanes1::of_bytes(key.proof.into(), &block)
            }

            #[inline(always)]
            unsafe fn bulk<const ROUNDS: usize, const SEAL: bool, S: Source>(
                key: &Expanded<Self>,
                run: Run<Self>,
                last: Accumulator<Self>,
                source: S,
            ) -> Lanes1 {
                // SAFETY: the key holds the proof that the CPU has the features; the rest is guaranteed by the caller.
                unsafe { Self::fours_bulk::<ROUNDS, SEAL, S>(key, run, last, source) }
            }
        }
    };
}

// SAFETY (every block): guaranteed by the caller.
entries! {
    unsafe fn expand[](key: &mut MaybeUninit<KeyMemory<Self>>, proof: Self::Proof, bytes: &[u8], powers: Powers) {
        KeyMemory::empty_in(key, proof).expand(bytes, powers);
    }

    unsafe fn expand_from_key[](key: &mut MaybeUninit<KeyMemory<Self>>, other: &Expanded<Self>, powers: Powers) {
        KeyMemory::empty_in(key, other.proof).expand_from_key(other, powers);
    }

    unsafe fn wipe_key[](key: &mut KeyMemory<Self>, powers: Powers) {
        key.wipe(powers);
    }

    unsafe fn wipe_packet_key[](key: &mut ExpandedPacket<Self>) {
        key.wipe();
    }

    unsafe fn grow[](key: &GrowingKey<Self>, bytes: usize) -> bool {
        key.grow(bytes)
    }

    unsafe extern "C" fn seal_short[](
        key: &Expanded<Self>, nonce: &[u8; 12], _nonce_bytes: usize, aad: *const u8, aad_bytes: usize,
        input: *const u8, bytes: usize, output: *mut u8, tag: &mut Block,
    ) -> c_int {
        // SAFETY: see above.
        unsafe { message::process::<Self, true, true>(key, nonce, AadAt::new(aad, aad_bytes), input, output, bytes, tag) }
        0
    }

    unsafe extern "C" fn seal_long[](
        key: &Expanded<Self>, nonce: &[u8; 12], _nonce_bytes: usize, aad: *const u8, aad_bytes: usize,
        input: *const u8, bytes: usize, output: *mut u8, tag: &mut Block,
    ) -> c_int {
        // SAFETY: see above.
        unsafe { message::process::<Self, true, false>(key, nonce, AadAt::new(aad, aad_bytes), input, output, bytes, tag) }
        0
    }

    unsafe fn seal_in_parts[](
        key: &Expanded<Self>, nonce: &[u8; 12], aad: &[u8], parts: &[Part], output: &mut [u8], tag: &mut Block,
    ) {
        // (The condition is a constant, so the compiler does not compile the functions of an excluded branch.)
        if <Self as ReadsParts>::READS_PARTS {
            // SAFETY: see above.
            unsafe { message::seal_parts::<Self>(key, nonce, aad, parts, output, tag) }
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

    unsafe extern "C" fn open_short[](
        key: &Expanded<Self>, nonce: &[u8; 12], _nonce_bytes: usize, aad: *const u8, aad_bytes: usize,
        input: *const u8, bytes: usize, output: *mut u8, tag: &mut Block,
    ) -> c_int {
        // SAFETY: see above.
        unsafe { message::process::<Self, false, true>(key, nonce, AadAt::new(aad, aad_bytes), input, output, bytes, tag) }
        0
    }

    unsafe extern "C" fn open_long[](
        key: &Expanded<Self>, nonce: &[u8; 12], _nonce_bytes: usize, aad: *const u8, aad_bytes: usize,
        input: *const u8, bytes: usize, output: *mut u8, tag: &mut Block,
    ) -> c_int {
        // SAFETY: see above.
        unsafe { message::process::<Self, false, false>(key, nonce, AadAt::new(aad, aad_bytes), input, output, bytes, tag) }
        0
    }

    unsafe fn long_aad[](key: &Expanded<Self>, aad: &[u8], block: &mut Block) {
        *block = message::fold_aad(key, aad).to_bytes();
    }

    unsafe fn fours_bulk[const ROUNDS: usize, const SEAL: bool, S: Source](
        key: &Expanded<Self>, run: Run<Self>, last: Accumulator<Self>, source: S,
    ) -> Lanes1 {
        // SAFETY: see above.
        unsafe { fours::bulk::<Self, ROUNDS, SEAL>(key, run, last, source) }
    }

    unsafe fn encrypt_block[](key: &Expanded<Self>, block: &Block) -> Block {
        streaming::encrypt_block(key, block)
    }

    unsafe fn absorb[](key: &Expanded<Self>, hash: &mut Block, data: &[u8]) {
        streaming::absorb(key, hash, data);
    }

    unsafe fn keystream[](key: &Expanded<Self>, progress: &mut Progress, keystream: &mut [u8]) {
        streaming::keystream::<Self, false>(key, progress, keystream);
    }

    unsafe fn keystream_of_secret[](key: &Expanded<Self>, progress: &mut Progress, keystream: &mut [u8]) {
        streaming::keystream::<Self, true>(key, progress, keystream);
    }

    unsafe fn encrypt_and_keep[const SEAL: bool](
        proof: Self::Proof, input: *const u8, output: *mut u8, kept: *mut u8, bytes: usize,
    ) {
        // SAFETY: see above.
        unsafe { streaming::encrypt_and_keep::<Self, SEAL>(proof, input, output, kept, bytes) }
    }

    unsafe fn few_blocks_of_secret[const SEAL: bool](
        key: &Expanded<Self>, progress: &mut Progress, input: *const u8, output: *mut u8, bytes: usize,
    ) {
        // SAFETY: see above.
        streaming::few_of_secret::<Self, SEAL>(key, progress, unsafe { Lines::new(input, output, bytes) });
    }

    unsafe fn many_blocks[const SEAL: bool](
        key: &Expanded<Self>, progress: &mut Progress, input: *const u8, output: *mut u8, bytes: usize,
    ) {
        // SAFETY: see above.
        streaming::many::<Self, SEAL>(key, progress, unsafe { Lines::new(input, output, bytes) });
    }

    unsafe fn expand_packet[](
        new: &mut MaybeUninit<ExpandedPacket<Self>>, proof: Self::Proof, material: PacketMaterial<'_>,
    ) {
        ExpandedPacket::expand_in(new, proof, material);
    }

    unsafe fn expand_next[](
        new: &mut MaybeUninit<ExpandedPacket<Self>>, key: &[u8], iv: &[u8; 12], old: &ExpandedPacket<Self>,
    ) {
        ExpandedPacket::expand_next_in(new, key, iv, old);
    }

    unsafe fn copy_packet_key[](
        copy: &mut MaybeUninit<ExpandedPacket<Self>>, other: &ExpandedPacket<Self>, bytes: usize, difference: &[u8; 4],
    ) {
        ExpandedPacket::copy_in(copy, other, bytes, difference);
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
        // (The condition is a constant, so the compiler does not compile the functions of an excluded branch.)
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

    unsafe fn expand_xaes[](new: &mut MasterKey<Self>, key: &[u8; 32]) {
        new.expand(key);
    }

    unsafe fn derive[](
        master: &MasterKey<Self>, context: &[u8; 12], powers: Powers, message: &mut MaybeUninit<KeyMemory<Self>>,
    ) {
        master.derive(context, powers, KeyMemory::empty_in(message, master.proof()));
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
