//! Many QUIC packets at once, as a GSO or GRO buffer has them.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]
#![allow(non_camel_case_types, reason = "the structure has one name, in C and here")]

use std::ffi::c_int;
use std::mem::MaybeUninit;

use kasoku_engine::TAG_BYTES;
use kasoku_engine::packet::{Packet, PacketProtection};

use crate::boundary;
use crate::buffers::{Output, Unverified};
use crate::code::{Code, KASOKU_OK};
use crate::quic::Quic;
use crate::quic_packet::{kasoku_quic_open, kasoku_quic_protect, kasoku_quic_unmask, kasoku_quic_unprotect};

/// A packet of a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kasoku_quic_packet {
    /// The packet number: given to protect and to open; written where the mask is taken off.
    pub packet_number: u64,
    /// The first byte of the header.
    pub packet: *mut u8,
    /// Where the packet number begins.
    pub pn_offset: usize,
    /// Its bytes, 1 to 4: given to protect and to open; written where the mask is taken off.
    pub pn_len: usize,
    /// Bytes of the packet: to protect it, WITHOUT the 16 bytes that must follow for the tag; to receive it, with its
    /// tag.
    pub packet_len: usize,
    /// What became of the packet: KASOKU_OK, or one of KASOKU_ERR_...
    pub result: c_int,
}

/// Protects `count` packets, each as kasoku_quic_protect() does; many short ones are faster together. Each one's
/// `packet_number`, `packet`, `pn_offset`, `pn_len` and `packet_len` are given (`packet_len` WITHOUT the tag, for which
/// 16 bytes must follow); `result` says what became of it. One that fails leaves the others right. The numbers may have
/// any order and gaps.
///
/// `result` is KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
/// KASOKU_ERR_PACKET_NUMBER_FELL, KASOKU_ERR_CONFIDENTIALITY_LIMIT or KASOKU_ERR_OVERLAP with the packet as it was: in
/// the clear, not to be sent.
///
/// The packets must lie apart from each other and from the array `packets`. They are taken 64 at a time; packets that
/// overlap others of the same 64, or the array, are refused with KASOKU_ERR_OVERLAP. Overlaps further apart are not
/// looked for: such packets are handled one after the other, and so destroyed, but nothing else is. Packets whose
/// addresses rise, as they do in a GSO buffer, are checked fastest.
///
/// Returns how many succeeded. 0 with nothing written if `packets` is NULL, not aligned, or longer than any memory.
///
/// # Safety
/// `quic` must be NULL or an object of this library; `packets` readable and writable for `count` structures, each
/// packet for its length and 16 bytes more, and nobody else may touch them meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_protect_batch(
    quic: *const Quic,
    packets: *mut kasoku_quic_packet,
    count: usize,
) -> usize {
    // SAFETY: the caller vouches for it.
    let call = |packet: &mut kasoku_quic_packet| unsafe {
        let kasoku_quic_packet { packet_number, packet, pn_offset, pn_len, packet_len, .. } = *packet;
        kasoku_quic_protect(quic, packet_number, packet, pn_offset, pn_len, packet_len)
    };
    if count == 1 {
        // SAFETY: as above.
        return unsafe { one::<Protect>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { batch::<Protect>(quic, packets, count, PacketProtection::protect_batch) }
}

/// Unprotects `count` packets that were received, each as kasoku_quic_unprotect() does; many short ones are faster
/// together. Each one's `packet`, `pn_offset` and `packet_len` are given (`packet_len` with the tag); where `result` is
/// KASOKU_OK then, `packet_number` and `pn_len` were written, and the payload is the `packet_len` - `pn_offset` -
/// `pn_len` - 16 bytes from `pn_offset` + `pn_len` on. One that fails leaves the others right.
///
/// All packet numbers are decoded against the same `expected_packet_number`, the largest one received before the batch
/// and one: senders write enough bytes for that.
///
/// `result` is KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the mask taken off and zeros where the payload was; or
/// KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
/// KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT
/// (looked at before each 64 packets) or KASOKU_ERR_OVERLAP with the packet as it was.
///
/// Where packets may lie, and what is returned: as for kasoku_quic_protect_batch().
///
/// # Safety
/// As kasoku_quic_protect_batch(), without the 16 bytes more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_unprotect_batch(
    quic: *const Quic,
    expected_packet_number: u64,
    packets: *mut kasoku_quic_packet,
    count: usize,
) -> usize {
    let call = |description: &mut kasoku_quic_packet| {
        let kasoku_quic_packet { packet, pn_offset, packet_len, .. } = *description;
        let (mut from, mut bytes) = (0, 0);
        let (number, from_at, bytes_at) = (&raw mut description.packet_number, &raw mut from, &raw mut bytes);
        let expected = expected_packet_number;
        // SAFETY: the caller vouches for it.
        let code =
            unsafe { kasoku_quic_unprotect(quic, expected, packet, pn_offset, packet_len, number, from_at, bytes_at) };
        if code == KASOKU_OK {
            description.pn_len = from - pn_offset;
        }
        code
    };
    let work = |protection: &PacketProtection, packets: &mut [Packet<'_>]| {
        protection.unprotect_batch(expected_packet_number, packets)
    };
    if count == 1 {
        // SAFETY: as above.
        return unsafe { one::<Unmask>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { batch::<Unmask>(quic, packets, count, work) }
}

/// Takes the mask off the headers of `count` packets, each as kasoku_quic_unmask() does: the first of two steps,
/// between which the key phases can be read. Given and written is what kasoku_quic_unprotect_batch() has; but nothing
/// is verified yet.
///
/// `result` is KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
/// more) or KASOKU_ERR_OVERLAP with the packet as it was.
///
/// Where packets may lie, and what is returned: as for kasoku_quic_protect_batch().
///
/// # Safety
/// As kasoku_quic_unprotect_batch().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_unmask_batch(
    quic: *const Quic,
    expected_packet_number: u64,
    packets: *mut kasoku_quic_packet,
    count: usize,
) -> usize {
    let call = |description: &mut kasoku_quic_packet| {
        let kasoku_quic_packet { packet, pn_offset, packet_len, .. } = *description;
        let (number, bytes) = (&raw mut description.packet_number, &raw mut description.pn_len);
        // SAFETY: the caller vouches for it.
        unsafe { kasoku_quic_unmask(quic, expected_packet_number, packet, pn_offset, packet_len, number, bytes) }
    };
    let work = |protection: &PacketProtection, packets: &mut [Packet<'_>]| {
        protection.unmask_batch(expected_packet_number, packets)
    };
    if count == 1 {
        // SAFETY: as above.
        return unsafe { one::<Unmask>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { batch::<Unmask>(quic, packets, count, work) }
}

/// Verifies and opens the packets whose `result` is KASOKU_OK, as kasoku_quic_unmask_batch() left it, each as
/// kasoku_quic_open() does. All others stay as they are, `result` too: so a batch with packets of several key phases
/// can be given to the objects of all of them, one after the other, if `result` says whose turn it is.
///
/// `result` is then KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros where the payload was; or KASOKU_ERR_NULL,
/// KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE, KASOKU_ERR_INTEGRITY_LIMIT (looked at before
/// each 64 packets) or KASOKU_ERR_OVERLAP with the packet as it was.
///
/// Where packets may lie, and what is returned: as for kasoku_quic_protect_batch().
///
/// # Safety
/// As kasoku_quic_unprotect_batch().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_open_batch(
    quic: *const Quic,
    packets: *mut kasoku_quic_packet,
    count: usize,
) -> usize {
    // SAFETY: the caller vouches for it.
    let call = |packet: &mut kasoku_quic_packet| unsafe {
        let kasoku_quic_packet { packet_number, packet, pn_offset, pn_len, packet_len, .. } = *packet;
        kasoku_quic_open(quic, packet_number, packet, pn_offset, pn_len, packet_len)
    };
    if count == 1 {
        // SAFETY: as above.
        return unsafe { one::<Open>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { batch::<Open>(quic, packets, count, PacketProtection::open_batch) }
}

/// Packets that the engine gets at a time: as many as one GSO system call takes. They are on the stack.
const AT_ONCE: usize = 64;

/// Describes what a batch call reads from the descriptions and writes to them. A trait, so that every call has code of
/// its own: with a value passed at run time, calls that ignore `result` would branch on it.
trait Step {
    /// Bytes behind each packet that are written too.
    const ROOM: usize = 0;
    /// Whether packet numbers come out of the step; otherwise they go in.
    const GIVES_NUMBERS: bool = false;
    /// Whether the step goes on with packets whose result is good, and leaves the others alone.
    const GOES_ON: bool = false;

    fn takes(description: &kasoku_quic_packet) -> bool {
        !Self::GOES_ON || description.result == KASOKU_OK
    }

    /// Returns the packet for the engine.
    fn packet<'a>(description: &kasoku_quic_packet, bytes: &'a mut [u8]) -> Packet<'a> {
        if Self::GIVES_NUMBERS {
            Packet::incoming(bytes, description.pn_offset)
        } else {
            Packet::outgoing(description.packet_number, bytes, description.pn_offset, description.pn_len)
        }
    }

    /// Returns the description after the engine's work.
    fn described(
        mut description: kasoku_quic_packet,
        packet: &Packet<'_>,
        refusal: Option<Code>,
    ) -> kasoku_quic_packet {
        if !Self::takes(&description) {
            return description;
        }
        match refusal.map_or(packet.result().map_err(Code::from), Err) {
            Ok(()) => {
                if Self::GIVES_NUMBERS {
                    description.packet_number = packet.number();
                    description.pn_len = packet.number_bytes();
                }
                description.result = KASOKU_OK;
            }
            Err(code) => description.result = code.number(),
        }
        description
    }
}

struct Protect;
struct Unmask;
struct Open;

impl Step for Protect {
    const ROOM: usize = TAG_BYTES;
}

impl Step for Unmask {
    const GIVES_NUMBERS: bool = true;
}

impl Step for Open {
    const GOES_ON: bool = true;
}

/// Makes a step's call for single packets on a batch of one packet, whose lists would take half as long as a short
/// packet. Returns 1 if `call` succeeded, 0 otherwise.
///
/// # Safety
/// `quic` must be NULL or an object of this library; the structure at `start` readable and writable, and nobody else
/// may touch it meanwhile.
unsafe fn one<S: Step>(
    quic: *const Quic,
    start: *mut kasoku_quic_packet,
    call: impl FnOnce(&mut kasoku_quic_packet) -> c_int,
) -> usize {
    let Some(array) = Descriptions::new(start, 1) else { return 0 };
    // SAFETY: the caller vouches for the structure.
    let description = unsafe { start.read() };
    if !S::takes(&description) {
        return 0;
    }
    let code = match array.output::<S>(&description) {
        // SAFETY: the caller vouches for it.
        Err(Code::OVERLAP) => unsafe { Quic::protection(quic) }.err().unwrap_or(Code::OVERLAP).number(),
        // SAFETY: as above. A packet that `call` touches lies apart from the structure.
        _ => call(unsafe { &mut *start }),
    };
    // SAFETY: as above; no reference to the structure is left.
    unsafe { (&raw mut (*start).result).write(code) };
    usize::from(code == KASOKU_OK)
}

/// A function of its own, so that a batch of one packet does not touch its two pages of stack.
///
/// # Safety
/// `quic` must be NULL or an object of this library; `packets` readable and writable for `count` structures, each
/// packet for its length and the step's room, and nobody else may touch them meanwhile.
#[inline(never)]
unsafe fn batch<S: Step>(
    quic: *const Quic,
    packets: *mut kasoku_quic_packet,
    count: usize,
    work: impl Fn(&PacketProtection, &mut [Packet<'_>]) -> usize,
) -> usize {
    boundary::guarded(0, || {
        let Some(all) = Descriptions::new(packets, count) else { return 0 };
        let mut succeeded = 0;
        for first in (0..count).step_by(AT_ONCE) {
            let some = all.part(first);
            let done = boundary::guarded(Err(Code::INTERNAL), || {
                // SAFETY: the caller vouches for it.
                let protection = unsafe { Quic::protection(quic) }?;
                // SAFETY: as above.
                Ok(unsafe { some.handle::<S>(|packets| work(protection, packets)) })
            });
            match done {
                Ok(done) => succeeded += done,
                // SAFETY: the caller vouches for it.
                Err(code) => unsafe { some.refuse::<S>(code) },
            }
        }
        succeeded
    })
}

/// The caller's structures, or some of them. No reference to one is made: a packet may lie over them, and must be
/// looked for first.
#[derive(Clone, Copy)]
struct Descriptions {
    start: *mut kasoku_quic_packet,
    count: usize,
    /// The memory of all of them.
    array: Output,
}

impl Descriptions {
    fn new(start: *mut kasoku_quic_packet, count: usize) -> Option<Self> {
        let bytes = count.checked_mul(size_of::<kasoku_quic_packet>())?;
        let array = Output::packet(start.cast(), bytes, 0).ok()?;
        start.is_aligned().then_some(Self { start, count, array })
    }

    /// Up to [`AT_ONCE`] of them, from `first` on.
    fn part(self, first: usize) -> Self {
        Self { start: self.start.wrapping_add(first), count: (self.count - first).min(AT_ONCE), array: self.array }
    }

    /// Does a step's work on the packets described here; how many succeeded.
    ///
    /// # Safety
    /// The structures must be readable and writable, each packet for its length and the step's room, and nobody else
    /// may touch them meanwhile.
    unsafe fn handle<S: Step>(self, work: impl FnOnce(&mut [Packet<'_>]) -> usize) -> usize {
        let (mut room, mut more_room) = (places(), places());
        let refusals = filled(&mut room, self.count, |_| None);
        let mut end_before = 0;
        let mut addresses_rise = true;
        let outputs = filled(&mut more_room, self.count, |index| {
            // SAFETY: the caller vouches for the structures.
            let description = unsafe { self.start.add(index).read() };
            match S::takes(&description).then(|| self.output::<S>(&description)) {
                Some(Ok(output)) => {
                    let (start, end) = output.ends();
                    addresses_rise &= start >= end_before;
                    end_before = end;
                    output
                }
                other => {
                    refusals[index] = other.and_then(Result::err);
                    Output::nowhere()
                }
            }
        });
        if !addresses_rise && some_may_meet(outputs) {
            refuse_overlaps(outputs, refusals);
        }

        // SAFETY: the caller vouches for the memory. The slices are gone when this is dropped.
        let if_it_panics = unsafe { Unverified::new(&*outputs) };
        let mut room = places();
        let packets = filled(&mut room, self.count, |index| {
            // SAFETY: as above.
            let description = unsafe { self.start.add(index).read() };
            // SAFETY: as above. The slices lie apart from each other: addresses rise, or overlaps were refused. What
            // was refused has no bytes, and the engine does nothing with it.
            S::packet(&description, unsafe { outputs[index].slice() })
        });
        let succeeded = work(packets);
        if_it_panics.keep();

        for (index, (packet, refusal)) in packets.iter().zip(&*refusals).enumerate() {
            // SAFETY: as above; no packet that was touched lies over them.
            unsafe { self.start.add(index).write(S::described(self.start.add(index).read(), packet, *refusal)) };
        }
        succeeded
    }

    /// Returns the memory of a packet.
    fn output<S: Step>(self, description: &kasoku_quic_packet) -> Result<Output, Code> {
        let packet = Output::packet(description.packet, description.packet_len, S::ROOM)?;
        if packet.meets(self.array) { Err(Code::OVERLAP) } else { Ok(packet) }
    }

    /// Refuses all packets that the step takes.
    ///
    /// # Safety
    /// The structures must be readable and writable.
    unsafe fn refuse<S: Step>(self, code: Code) {
        for index in 0..self.count {
            // SAFETY: the caller vouches for it.
            unsafe {
                let place = self.start.add(index);
                if S::takes(&place.read()) {
                    (&raw mut (*place).result).write(code.number());
                }
            }
        }
    }
}

/// Room for something of each packet, on the stack, and not written to before it is used: batches may be small.
fn places<T>() -> [MaybeUninit<T>; AT_ONCE] {
    [const { MaybeUninit::uninit() }; AT_ONCE]
}

/// The first `count` places, filled.
fn filled<T>(places: &mut [MaybeUninit<T>; AT_ONCE], count: usize, mut make: impl FnMut(usize) -> T) -> &mut [T] {
    let places = &mut places[..count];
    for (index, place) in places.iter_mut().enumerate() {
        place.write(make(index));
    }
    // SAFETY: each was written.
    unsafe { places.assume_init_mut() }
}

/// Whether any two have a byte in common. (Measured: to sort 64 takes a fifth of the time that it takes to hold each
/// against each, and needs no memory of its own.) Where one of them has no bytes it may say so wrongly.
fn some_may_meet(outputs: &[Output]) -> bool {
    let mut room = places();
    let ends = filled(&mut room, outputs.len(), |index| outputs[index].ends());
    ends.sort_unstable_by_key(|(start, _)| *start);
    ends.windows(2).any(|two| two[1].0 < two[0].1)
}

/// Refuses every packet that has a byte in common with another one.
#[cold]
fn refuse_overlaps(outputs: &mut [Output], refusals: &mut [Option<Code>]) {
    let mut met = 0_u64;
    for (index, output) in outputs.iter().enumerate() {
        for (before, other) in outputs[..index].iter().enumerate() {
            let meets = u64::from(output.meets(*other));
            met |= meets << index | meets << before;
        }
    }
    for (index, (output, refusal)) in outputs.iter_mut().zip(refusals).enumerate() {
        if met >> index & 1 != 0 {
            *output = Output::nowhere();
            *refusal = Some(Code::OVERLAP);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KASOKU_ERR_INTERNAL;

    /// As a bug in the middle of a batch would leave it: the packets all zeros, the results saying so.
    #[test]
    fn a_panic_leaves_no_unverified_plaintext_in_a_batch() {
        let key = [1; 16];
        let mut bytes = [7; 3 * 40];
        let mut packets: Vec<_> = bytes
            .chunks_mut(40)
            .map(|packet| kasoku_quic_packet {
                packet_number: 1,
                packet: packet.as_mut_ptr(),
                pn_offset: 1,
                pn_len: 1,
                packet_len: 40,
                result: KASOKU_OK,
            })
            .collect();
        packets[1].result = 1;
        // SAFETY: arrays of this test.
        unsafe {
            let quic = crate::kasoku_quic_new(key.as_ptr(), 16, key.as_ptr(), key.as_ptr());
            assert_eq!(batch::<Open>(quic, packets.as_mut_ptr(), 3, |_, _| panic!("a bug")), 0);
            crate::kasoku_quic_free(quic);
        }
        assert_eq!(
            packets.iter().map(|packet| packet.result).collect::<Vec<_>>(),
            [KASOKU_ERR_INTERNAL, 1, KASOKU_ERR_INTERNAL]
        );
        assert_eq!([bytes[..40].to_vec(), bytes[80..].to_vec()], [[0; 40], [0; 40]]);
        assert_eq!(bytes[40..80], [7; 40], "it was none of this step's");
    }
}
