//! Keys as enums over the backends, and the choice of the enum's variant for a code path (backend and instruction
//! schedule).

use core::ffi::c_void;

#[cfg(target_arch = "aarch64")]
use super::aarch64::{self as vectors, Entry, Eor3, Karatsuba, NeonHashKey};
use super::block::Block;
use super::key::{Key, OnceFunction, Progress, SealFunction};
use super::one_by_one;
use super::packet::{Admission, Cover, Mask, Packet, PacketKey, PacketMaterial, Reception};
use super::placed::{LentMemory, Placed};
use super::portable::{self, Ghash, HashKey};
use super::siv::{GenericSivKey, SivKey};
#[cfg(target_arch = "x86_64")]
use super::x86_64::{self as vectors, Entry, Karatsuba, Lanes1, Lanes2, Lanes4, Schoolbook};
use super::xaes::{GenericXaesKey, XaesKey};
use crate::backend::in_out::InOut;
use crate::cpu::backend::Backend;
use crate::cpu::schedule::{CodePath, Schedule};
use crate::cpu::{ProvenPath, RunnablePath};
use crate::error::Error;

/// A purpose of keys (messages, packets, …). Defines the key type of each backend for this purpose.
pub(crate) trait KeyPurpose {
    /// Key material that a key of this purpose is expanded from.
    type Material<'a>;

    /// Key type of the backends that encrypt with portable AES and hash with the GHASH implementation `G`.
    type Narrow<G: Ghash>;

    /// Key type of the backends that process vectors of type `V` (AES-NI and wider).
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    type Wide<V: Entry>;

    fn narrow<G: Ghash>(proof: G::Proof, material: Self::Material<'_>) -> Placed<Self::Narrow<G>>;

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn wide<V: Entry>(proof: V::Proof, material: Self::Material<'_>) -> Placed<Self::Wide<V>>;
}

/// AES-GCM keys for messages, of 16, 24 or 32 bytes.
pub(crate) enum Messages {}

impl KeyPurpose for Messages {
    /// Key bytes, and memory for the expanded key, or `None` to allocate this memory on the heap.
    type Material<'a> = (&'a [u8], Option<LentMemory>);
    type Narrow<G: Ghash> = portable::Key<G>;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    type Wide<V: Entry> = vectors::MessageKey<V>;

    fn narrow<G: Ghash>(proof: G::Proof, (key, memory): Self::Material<'_>) -> Placed<portable::Key<G>> {
        Placed::new(memory, |place| portable::Key::new_in(place, proof, key))
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    fn wide<V: Entry>(proof: V::Proof, (key, memory): Self::Material<'_>) -> Placed<vectors::MessageKey<V>> {
        Placed::new(memory, |place| vectors::MessageKey::new_in(place, proof, key))
    }
}

/// Keys for packets: packet key, IV and header-protection key.
pub(crate) enum Packets {}

impl KeyPurpose for Packets {
    type Material<'a> = PacketMaterial<'a>;
    type Narrow<G: Ghash> = one_by_one::PacketKey<portable::Key<G>>;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    type Wide<V: Entry> = vectors::PacketKey<V>;

    fn narrow<G: Ghash>(
        proof: G::Proof,
        material: PacketMaterial<'_>,
    ) -> Placed<one_by_one::PacketKey<portable::Key<G>>> {
        one_by_one::PacketKey::new(proof, material).into()
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn wide<V: Entry>(proof: V::Proof, material: PacketMaterial<'_>) -> Placed<vectors::PacketKey<V>> {
        vectors::PacketKey::new(proof, material).into()
    }
}

/// Keys for AES-GCM-SIV, of 16 or 32 bytes.
pub(crate) enum Siv {}

impl KeyPurpose for Siv {
    type Material<'a> = &'a [u8];
    type Narrow<G: Ghash> = GenericSivKey<portable::Key<G>, G>;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    type Wide<V: Entry> = vectors::SivKey<V>;

    fn narrow<G: Ghash>(proof: G::Proof, key: &[u8]) -> Placed<GenericSivKey<portable::Key<G>, G>> {
        GenericSivKey::new(proof, key).into()
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn wide<V: Entry>(proof: V::Proof, key: &[u8]) -> Placed<vectors::SivKey<V>> {
        vectors::SivKey::new(proof, key).into()
    }
}

/// Keys for XAES-256-GCM, of 32 bytes.
pub(crate) enum Xaes {}

impl KeyPurpose for Xaes {
    type Material<'a> = &'a [u8; 32];
    type Narrow<G: Ghash> = GenericXaesKey<portable::Key<G>>;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    type Wide<V: Entry> = vectors::XaesKey<V>;

    fn narrow<G: Ghash>(proof: G::Proof, key: &[u8; 32]) -> Placed<GenericXaesKey<portable::Key<G>>> {
        GenericXaesKey::new(proof, key).into()
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn wide<V: Entry>(proof: V::Proof, key: &[u8; 32]) -> Placed<vectors::XaesKey<V>> {
        vectors::XaesKey::new(proof, key).into()
    }
}

pub(crate) enum Keys<K: KeyPurpose = Messages> {
    Portable(Placed<K::Narrow<HashKey>>),
    #[cfg(target_arch = "x86_64")]
    Aesni(Placed<K::Wide<Lanes1>>),
    #[cfg(target_arch = "x86_64")]
    Vaes256(Placed<K::Wide<Lanes2>>),
    #[cfg(target_arch = "x86_64")]
    Vaes512(Placed<K::Wide<Lanes4<Karatsuba>>>),
    #[cfg(target_arch = "x86_64")]
    Vaes512Schoolbook(Placed<K::Wide<Lanes4<Schoolbook>>>),
    #[cfg(target_arch = "aarch64")]
    Neon(Placed<K::Narrow<NeonHashKey>>),
    #[cfg(target_arch = "aarch64")]
    AesPmull(Placed<K::Wide<Karatsuba>>),
    #[cfg(target_arch = "aarch64")]
    AesEor3(Placed<K::Wide<Eor3>>),
}

/// Evaluates `$call` with the key in `$keys`, whose type depends on the backend.
macro_rules! with_key {
    ($keys:expr, $key:ident => $call:expr) => {
        match $keys {
            Keys::Portable($key) => $call,
            #[cfg(target_arch = "x86_64")]
            Keys::Aesni($key) => $call,
            #[cfg(target_arch = "x86_64")]
            Keys::Vaes256($key) => $call,
            #[cfg(target_arch = "x86_64")]
            Keys::Vaes512($key) => $call,
            #[cfg(target_arch = "x86_64")]
            Keys::Vaes512Schoolbook($key) => $call,
            #[cfg(target_arch = "aarch64")]
            Keys::Neon($key) => $call,
            #[cfg(target_arch = "aarch64")]
            Keys::AesPmull($key) => $call,
            #[cfg(target_arch = "aarch64")]
            Keys::AesEor3($key) => $call,
        }
    };
}

/// Evaluates `$new` with the key in `$keys`, and wraps the result in the same variant.
macro_rules! map_key {
    ($keys:expr, $key:ident => $new:expr) => {
        match $keys {
            Self::Portable($key) => Self::Portable($new),
            #[cfg(target_arch = "x86_64")]
            Self::Aesni($key) => Self::Aesni($new),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256($key) => Self::Vaes256($new),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512($key) => Self::Vaes512($new),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512Schoolbook($key) => Self::Vaes512Schoolbook($new),
            #[cfg(target_arch = "aarch64")]
            Self::Neon($key) => Self::Neon($new),
            #[cfg(target_arch = "aarch64")]
            Self::AesPmull($key) => Self::AesPmull($new),
            #[cfg(target_arch = "aarch64")]
            Self::AesEor3($key) => Self::AesEor3($new),
        }
    };
}

/// Calls the macro `$of!` with four arguments for the backend and the instruction schedule of `$path`: the variant of
/// [`Keys`]; `narrow` for portable AES, or `wide`; the type of the hash or of the vectors; and the proof that the CPU
/// has the backend's features.
macro_rules! match_path {
    ($path:expr, $of:ident) => {
        match $path.0 {
            ProvenPath::Portable => $of!(Portable, narrow, HashKey, ()),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Aesni(proof) => $of!(Aesni, wide, Lanes1, proof),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Vaes256(proof) => $of!(Vaes256, wide, Lanes2, proof),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Vaes512(proof) => $of!(Vaes512, wide, Lanes4<Karatsuba>, proof),
            #[cfg(target_arch = "x86_64")]
            ProvenPath::Vaes512Schoolbook(proof) => $of!(Vaes512Schoolbook, wide, Lanes4<Schoolbook>, proof),
            #[cfg(target_arch = "aarch64")]
            ProvenPath::Neon(proof) => $of!(Neon, narrow, NeonHashKey, proof),
            #[cfg(target_arch = "aarch64")]
            ProvenPath::AesPmull(proof) => $of!(AesPmull, wide, Karatsuba, proof),
            #[cfg(target_arch = "aarch64")]
            ProvenPath::AesEor3(proof) => $of!(AesEor3, wide, Eor3, proof),
        }
    };
}

impl<K: KeyPurpose> Keys<K> {
    /// Expands `material` to a key for the code path `path`.
    pub(crate) fn expand(path: RunnablePath, material: K::Material<'_>) -> Self {
        macro_rules! expanded {
            ($variant:ident, $width:ident, $backend:ty, $proof:expr) => {
                Self::$variant(K::$width::<$backend>($proof, material))
            };
        }
        match_path!(path, expanded)
    }

    pub(crate) fn code_path(&self) -> CodePath {
        let (backend, schedule) = match self {
            Self::Portable(_) => (Backend::Portable, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            Self::Aesni(_) => (Backend::Aesni, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes256(_) => (Backend::Vaes256, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512(_) => (Backend::Vaes512, Schedule::Karatsuba),
            #[cfg(target_arch = "x86_64")]
            Self::Vaes512Schoolbook(_) => (Backend::Vaes512, Schedule::Schoolbook),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => (Backend::Neon, Schedule::Karatsuba),
            #[cfg(target_arch = "aarch64")]
            Self::AesPmull(_) => (Backend::AesPmull, Schedule::Karatsuba),
            #[cfg(target_arch = "aarch64")]
            Self::AesEor3(_) => (Backend::AesEor3, Schedule::Schoolbook),
        };
        CodePath { backend, schedule }
    }
}

/// Returns the size in bytes of an expanded AES-GCM key for the code path `path`.
pub(crate) const fn message_key_bytes(path: RunnablePath) -> usize {
    macro_rules! bytes {
        ($variant:ident, narrow, $backend:ty, $proof:expr) => {{
            let _ = $proof;
            size_of::<portable::Key<$backend>>()
        }};
        ($variant:ident, wide, $backend:ty, $proof:expr) => {{
            let _ = $proof;
            size_of::<vectors::MessageKey<$backend>>()
        }};
    }
    match_path!(path, bytes)
}

/// Size in bytes of the largest expanded AES-GCM key of any backend for this architecture.
pub(crate) const MAX_MESSAGE_KEY_BYTES: usize = {
    let mut max = size_of::<portable::Key<HashKey>>();
    #[cfg(target_arch = "x86_64")]
    let others = [
        size_of::<vectors::MessageKey<Lanes1>>(),
        size_of::<vectors::MessageKey<Lanes2>>(),
        size_of::<vectors::MessageKey<Lanes4<Karatsuba>>>(),
        size_of::<vectors::MessageKey<Lanes4<Schoolbook>>>(),
    ];
    #[cfg(target_arch = "aarch64")]
    let others = [
        size_of::<portable::Key<NeonHashKey>>(),
        size_of::<vectors::MessageKey<Karatsuba>>(),
        size_of::<vectors::MessageKey<Eor3>>(),
    ];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let others = [];
    let mut index = 0;
    while index < others.len() {
        if others[index] > max {
            max = others[index];
        }
        index += 1;
    }
    max
};

impl Keys<Messages> {
    /// Seals one message if `SEAL`, otherwise opens one, with a 96-bit nonce. The key has 16, 24 or 32 bytes, and is
    /// expanded only for this message. Writes the computed tag to `tag`.
    #[inline(always)]
    pub(crate) fn once<const SEAL: bool>(
        path: RunnablePath,
        key: &[u8],
        nonce: &[u8; 12],
        aad: &[u8],
        data: InOut<'_>,
        tag: &mut Block,
    ) {
        macro_rules! done {
            ($variant:ident, narrow, $backend:ty, $proof:expr) => {{
                let key = portable::Key::<$backend>::new($proof, key);
                if SEAL { key.seal(nonce, aad, data, tag) } else { key.open(nonce, aad, data, tag) }
            }};
            ($variant:ident, wide, $backend:ty, $proof:expr) => {
                vectors::MessageKey::<$backend>::once::<SEAL>($proof, key, nonce, aad, data, tag)
            };
        }
        match_path!(path, done);
    }
}

/// Returns the function that seals one message under a key that is expanded for that message only. Returns `None` if
/// the backend of `path` has no such function.
#[inline(always)]
pub(crate) fn seal_once_function(path: RunnablePath) -> Option<OnceFunction> {
    macro_rules! function {
        ($variant:ident, narrow, $backend:ty, $proof:expr) => {{
            let _ = $proof;
            None
        }};
        ($variant:ident, wide, $backend:ty, $proof:expr) => {
            vectors::MessageKey::<$backend>::once_function::<true>($proof)
        };
    }
    match_path!(path, function)
}

impl Key for Keys<Messages> {
    // Inlined, so that `data` is passed in registers instead of memory.
    #[inline(always)]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        with_key!(self, key => key.seal(nonce, aad, data, tag))
    }

    #[inline(always)]
    fn seal_function(
        &self,
        aad_bytes: usize,
        bytes: usize,
        otherwise: (SealFunction, *const c_void),
    ) -> (SealFunction, *const c_void) {
        with_key!(self, key => key.seal_function(aad_bytes, bytes, otherwise))
    }

    fn seal_gathered<'a>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        slices: impl Iterator<Item = &'a [u8]>,
        output: &mut [u8],
        tag: &mut Block,
    ) -> Result<(), Error> {
        with_key!(self, key => key.seal_gathered(nonce, aad, slices, output, tag))
    }

    #[inline(always)]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        with_key!(self, key => key.open(nonce, aad, data, tag))
    }

    fn encrypt_block(&self, block: &Block) -> Block {
        with_key!(self, key => key.encrypt_block(block))
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        with_key!(self, key => key.absorb(hash, data))
    }

    fn keystream(&self, progress: &mut Progress, keystream: &mut [u8]) {
        with_key!(self, key => key.keystream(progress, keystream))
    }

    fn encrypt_and_keep<const SEAL: bool>(&self, data: InOut<'_>, kept: &mut [u8]) {
        with_key!(self, key => key.encrypt_and_keep::<SEAL>(data, kept))
    }

    #[inline(always)]
    fn counter_step(&self) -> usize {
        with_key!(self, key => key.counter_step())
    }

    #[inline(always)]
    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        with_key!(self, key => key.seal_blocks(progress, data))
    }

    #[inline(always)]
    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        with_key!(self, key => key.open_blocks(progress, data))
    }
}

impl SivKey for Keys<Siv> {
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        with_key!(self, key => key.seal(nonce, aad, data, tag))
    }

    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &Block) -> Block {
        with_key!(self, key => key.open(nonce, aad, data, tag))
    }
}

impl XaesKey for Keys<Xaes> {
    fn seal(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        with_key!(self, key => key.seal(nonce, aad, data, tag))
    }

    fn open(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        with_key!(self, key => key.open(nonce, aad, data, tag))
    }
}

impl Keys<Packets> {
    /// Expands the packet key of the next key phase, which has the same length as the current packet key, with a new
    /// IV. Keeps the header-protection key.
    pub(crate) fn next_phase(&self, key: &[u8], iv: &[u8; 12]) -> Self {
        map_key!(self, old => old.next_phase(key, iv).into())
    }

    /// Returns the same keys with another IV: the current one, with `difference` XORed into its first four bytes.
    pub(crate) fn on_path(&self, difference: &[u8; 4]) -> Self {
        map_key!(self, old => old.on_path(difference).into())
    }

    /// Length of the packet key in bytes: 16 or 32.
    pub(crate) fn key_bytes(&self) -> usize {
        with_key!(self, key => key.key_bytes())
    }
}

impl PacketKey for Keys<Packets> {
    #[inline]
    fn seal(&self, number: u64, packet: &mut [u8], header_bytes: usize, sample: usize) -> Mask {
        with_key!(self, key => key.seal(number, packet, header_bytes, sample))
    }

    #[inline]
    fn open(&self, number: u64, header: &[u8], data: &mut [u8], tag: &mut Block) {
        with_key!(self, key => key.open(number, header, data, tag))
    }

    #[inline]
    fn open_masked(&self, number: u64, packet: &mut [u8], cover: Cover, tag: &mut Block) {
        with_key!(self, key => key.open_masked(number, packet, cover, tag))
    }

    #[inline]
    fn mask(&self, sample: &Block) -> Mask {
        with_key!(self, key => key.mask(sample))
    }

    #[inline]
    fn least_batch(&self, is_sealing: bool, payload_bytes: usize) -> usize {
        with_key!(self, key => key.least_batch(is_sealing, payload_bytes))
    }

    fn seal_batch<P: Packet>(&self, packets: &mut [P], admission: &impl Admission<P>) {
        with_key!(self, key => key.seal_batch(packets, admission))
    }

    fn unmask_batch<P: Packet>(&self, packets: &mut [P], reception: &impl Reception<P>) {
        with_key!(self, key => key.unmask_batch(packets, reception))
    }

    fn open_batch<P: Packet>(&self, packets: &mut [P], are_masked: bool, reception: &impl Reception<P>) {
        with_key!(self, key => key.open_batch(packets, are_masked, reception))
    }
}
