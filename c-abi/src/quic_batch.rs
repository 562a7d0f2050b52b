//! Batches of QUIC packets, as a GSO or GRO buffer holds them.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]
#![allow(non_camel_case_types, reason = "the structure has its C name")]

use std::ffi::c_int;
use std::mem::MaybeUninit;

use kasoku_engine::TAG_BYTES;
use kasoku_engine::packet::{Packet, PacketProtection};

use crate::boundary;
use crate::buffers::{Output, UnverifiedPlaintext};
use crate::code::{Code, KASOKU_OK};
use crate::quic::Quic;
use crate::quic_packet::{kasoku_quic_open, kasoku_quic_protect, kasoku_quic_unmask, kasoku_quic_unprotect};

/// Packet of a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kasoku_quic_packet {
    /// Packet number: an input of protect and open, an output of unmask and unprotect.
    pub packet_number: u64,
    /// First byte of the packet's header.
    pub packet: *mut u8,
    /// Offset of the packet number, in bytes from the start of the packet.
    pub pn_offset: usize,
    /// Length of the packet number, 1 to 4 bytes: an input of protect and open, an output of unmask and unprotect.
    pub pn_len: usize,
    /// Length of the packet in bytes: WITHOUT its tag when protecting (the buffer needs 16 bytes more), with its tag
    /// when receiving.
    pub packet_len: usize,
    /// Result for this packet: KASOKU_OK or one of KASOKU_ERR_...
    pub result: c_int,
}

/// Protects `count` packets, each as kasoku_quic_protect() does. A batch is faster than single calls for short packets.
///
/// Set `packet_number`, `packet`, `pn_offset`, `pn_len` and `packet_len` of each packet. `packet_len` is WITHOUT the
/// tag, for which 16 bytes must follow. The call writes `result`. An error of one packet does not affect the others.
/// Packet numbers may come in any order and have gaps.
///
/// `result` is KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_LENGTH, KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
/// KASOKU_ERR_PACKET_NUMBER_FELL, KASOKU_ERR_CONFIDENTIALITY_LIMIT or KASOKU_ERR_OVERLAP with the packet unchanged:
/// unencrypted, not to be sent.
///
/// The packets must not overlap each other or the array `packets`. They are processed 64 at a time, and overlaps within
/// such a group or with the array are reported as KASOKU_ERR_OVERLAP. Overlaps between packets of different groups are
/// not detected: they corrupt these packets, but no other memory. Packets with rising addresses, as in a GSO buffer,
/// are checked fastest.
///
/// Returns the number of packets that succeeded. Returns 0 with nothing written if `packets` is NULL, unaligned, or
/// longer than the address space.
///
/// # Safety
/// `quic` must be NULL or an object of this library. `packets` must be readable and writable for `count` structures,
/// and each packet for its length and 16 bytes more. Nothing else may access them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_protect_batch(
    quic: *const Quic,
    packets: *mut kasoku_quic_packet,
    count: usize,
) -> usize {
    // SAFETY: guaranteed by the caller.
    let call = |packet: &mut kasoku_quic_packet| unsafe {
        let kasoku_quic_packet { packet_number, packet, pn_offset, pn_len, packet_len, .. } = *packet;
        kasoku_quic_protect(quic, packet_number, packet, pn_offset, pn_len, packet_len)
    };
    if count == 1 {
        // SAFETY: as above.
        return unsafe { run_single::<Protect>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { run_batch::<Protect>(quic, packets, count, PacketProtection::protect_batch) }
}

/// Unprotects `count` received packets, each as kasoku_quic_unprotect() does. A batch is faster than single calls for
/// short packets.
///
/// Set `packet`, `pn_offset` and `packet_len` (with the tag) of each packet. The call writes `result` and, where that
/// is KASOKU_OK, `packet_number` and `pn_len`. The payload is then the `packet_len` - `pn_offset` - `pn_len` - 16 bytes
/// from `pn_offset` + `pn_len` on. An error of one packet does not affect the others.
///
/// `expected_packet_number` is the largest packet number received before the batch, plus one. The packet numbers of the
/// whole batch are decoded against it; senders encode enough bytes for that.
///
/// `result` is KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the header unmasked and the payload zeroed; or
/// KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_OFFSET,
/// KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or more), KASOKU_ERR_INTEGRITY_LIMIT
/// (checked once for every 64 packets) or KASOKU_ERR_OVERLAP with the packet unchanged.
///
/// The rules for overlaps and the return value are those of kasoku_quic_protect_batch().
///
/// # Safety
/// The requirements are those of kasoku_quic_protect_batch(), without the 16 bytes more.
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
        // SAFETY: guaranteed by the caller.
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
        return unsafe { run_single::<Unmask>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { run_batch::<Unmask>(quic, packets, count, work) }
}

/// Unmasks the headers of `count` received packets, each as kasoku_quic_unmask() does. Then read the key phases,
/// and verify the packets with kasoku_quic_open_batch().
///
/// Inputs and outputs are those of kasoku_quic_unprotect_batch(), but nothing is verified yet.
///
/// `result` is KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE (only if `expected_packet_number` is 2^62 or
/// more) or KASOKU_ERR_OVERLAP with the packet unchanged.
///
/// The rules for overlaps and the return value are those of kasoku_quic_protect_batch().
///
/// # Safety
/// The requirements are those of kasoku_quic_unprotect_batch().
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
        // SAFETY: guaranteed by the caller.
        unsafe { kasoku_quic_unmask(quic, expected_packet_number, packet, pn_offset, packet_len, number, bytes) }
    };
    let work = |protection: &PacketProtection, packets: &mut [Packet<'_>]| {
        protection.unmask_batch(expected_packet_number, packets)
    };
    if count == 1 {
        // SAFETY: as above.
        return unsafe { run_single::<Unmask>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { run_batch::<Unmask>(quic, packets, count, work) }
}

/// Verifies and opens the packets whose `result` is KASOKU_OK, each as kasoku_quic_open() does. Pass the array as
/// kasoku_quic_unmask_batch() left it.
///
/// Packets with another `result` are skipped and keep it. For a batch with several key phases, call this function once
/// for each phase's object, with `result` set to KASOKU_OK only for the packets of that phase.
///
/// `result` becomes KASOKU_OK; KASOKU_ERR_AUTHENTICATION with the payload zeroed; or KASOKU_ERR_NULL,
/// KASOKU_ERR_PACKET_TOO_SHORT, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_PACKET_NUMBER_LENGTH,
/// KASOKU_ERR_PACKET_NUMBER_OFFSET, KASOKU_ERR_PACKET_NUMBER_TOO_LARGE, KASOKU_ERR_INTEGRITY_LIMIT (checked once for
/// every 64 packets) or KASOKU_ERR_OVERLAP with the packet unchanged.
///
/// The rules for overlaps and the return value are those of kasoku_quic_protect_batch().
///
/// # Safety
/// The requirements are those of kasoku_quic_unprotect_batch().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_quic_open_batch(
    quic: *const Quic,
    packets: *mut kasoku_quic_packet,
    count: usize,
) -> usize {
    // SAFETY: guaranteed by the caller.
    let call = |packet: &mut kasoku_quic_packet| unsafe {
        let kasoku_quic_packet { packet_number, packet, pn_offset, pn_len, packet_len, .. } = *packet;
        kasoku_quic_open(quic, packet_number, packet, pn_offset, pn_len, packet_len)
    };
    if count == 1 {
        // SAFETY: as above.
        return unsafe { run_single::<Open>(quic, packets, call) };
    }
    // SAFETY: as above.
    unsafe { run_batch::<Open>(quic, packets, count, PacketProtection::open_batch) }
}

/// Maximum number of packets passed to the engine at a time: the maximum of one GSO system call. Lists of this length
/// are on the stack.
const MAX_GROUP: usize = 64;

/// Batch operation, which decides which fields of the packet structures are read and written. It is a trait, so that
/// the compiler makes code for each operation. With run-time flags, even operations that ignore `result` would test it.
trait BatchOperation {
    /// Number of bytes written after each packet.
    const EXTRA_BYTES: usize = 0;
    /// Whether the operation writes packet numbers to the structures, instead of reading them.
    const WRITES_NUMBERS: bool = false;
    /// Whether the operation skips packets whose `result` is an error.
    const SKIPS_FAILED: bool = false;

    fn selects(description: &kasoku_quic_packet) -> bool {
        !Self::SKIPS_FAILED || description.result == KASOKU_OK
    }

    fn packet<'a>(description: &kasoku_quic_packet, bytes: &'a mut [u8]) -> Packet<'a> {
        if Self::WRITES_NUMBERS {
            Packet::incoming(bytes, description.pn_offset)
        } else {
            Packet::outgoing(description.packet_number, bytes, description.pn_offset, description.pn_len)
        }
    }

    /// Returns the structure with the engine's result for the packet, or with `rejection` if the packet was not passed
    /// to the engine.
    fn updated(
        mut description: kasoku_quic_packet,
        packet: &Packet<'_>,
        rejection: Option<Code>,
    ) -> kasoku_quic_packet {
        if !Self::selects(&description) {
            return description;
        }
        match rejection.map_or(packet.result().map_err(Code::from), Err) {
            Ok(()) => {
                if Self::WRITES_NUMBERS {
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

impl BatchOperation for Protect {
    const EXTRA_BYTES: usize = TAG_BYTES;
}

impl BatchOperation for Unmask {
    const WRITES_NUMBERS: bool = true;
}

impl BatchOperation for Open {
    const SKIPS_FAILED: bool = true;
}

/// Runs an operation on a batch of one packet by `call`, the operation's function for single packets. Setting up the
/// lists of [`run_batch`] would take half as long as a short packet. Returns 1 if `call` succeeded, 0 otherwise.
///
/// # Safety
/// `quic` must be NULL or an object of this library. The structure at `start` must be readable and writable, and
/// nothing else may access it.
unsafe fn run_single<S: BatchOperation>(
    quic: *const Quic,
    start: *mut kasoku_quic_packet,
    call: impl FnOnce(&mut kasoku_quic_packet) -> c_int,
) -> usize {
    let Some(array) = PacketArray::new(start, 1) else { return 0 };
    // SAFETY: the caller guarantees the structure.
    let description = unsafe { start.read() };
    if !S::selects(&description) {
        return 0;
    }
    let code = match array.output::<S>(&description) {
        // SAFETY: guaranteed by the caller.
        Err(Code::OVERLAP) => unsafe { Quic::protection(quic) }.err().unwrap_or(Code::OVERLAP).number(),
        // SAFETY: as above. The packet that `call` accesses does not overlap the structure.
        _ => call(unsafe { &mut *start }),
    };
    // SAFETY: as above; no reference to the structure is left.
    unsafe { (&raw mut (*start).result).write(code) };
    usize::from(code == KASOKU_OK)
}

/// Runs an operation on a batch. Not inlined, so that a call for one packet does not reserve this function's 8 KiB of
/// stack.
///
/// # Safety
/// `quic` must be NULL or an object of this library. `packets` must be readable and writable for `count` structures,
/// and each packet for its length and the operation's extra bytes. Nothing else may access them.
#[inline(never)]
unsafe fn run_batch<S: BatchOperation>(
    quic: *const Quic,
    packets: *mut kasoku_quic_packet,
    count: usize,
    work: impl Fn(&PacketProtection, &mut [Packet<'_>]) -> usize,
) -> usize {
    boundary::guarded(0, || {
        let Some(all) = PacketArray::new(packets, count) else { return 0 };
        let mut succeeded = 0;
        for first in (0..count).step_by(MAX_GROUP) {
            let some = all.group(first);
            let done = boundary::guarded(Err(Code::INTERNAL), || {
                // SAFETY: guaranteed by the caller.
                let protection = unsafe { Quic::protection(quic) }?;
                // SAFETY: as above.
                Ok(unsafe { some.run::<S>(|packets| work(protection, packets)) })
            });
            match done {
                Ok(done) => succeeded += done,
                // SAFETY: guaranteed by the caller.
                Err(code) => unsafe { some.reject_all::<S>(code) },
            }
        }
        succeeded
    })
}

/// Caller's array of packet structures, or a part of it. Creates no reference to a structure before rejecting packets
/// that overlap the array.
#[derive(Clone, Copy)]
struct PacketArray {
    start: *mut kasoku_quic_packet,
    count: usize,
    /// Memory of the caller's whole array, even if this value is only a part of the array.
    array: Output,
}

impl PacketArray {
    fn new(start: *mut kasoku_quic_packet, count: usize) -> Option<Self> {
        let bytes = count.checked_mul(size_of::<kasoku_quic_packet>())?;
        let array = Output::packet(start.cast(), bytes, 0).ok()?;
        start.is_aligned().then_some(Self { start, count, array })
    }

    /// Returns up to [`MAX_GROUP`] structures from index `first` on.
    fn group(self, first: usize) -> Self {
        Self { start: self.start.wrapping_add(first), count: (self.count - first).min(MAX_GROUP), array: self.array }
    }

    /// Calls `work` for the packets in this part of the caller's array, and returns the number of packets that
    /// succeeded.
    ///
    /// # Safety
    /// The structures must be readable and writable, and each packet for its length and the operation's extra bytes.
    /// Nothing else may access them.
    unsafe fn run<S: BatchOperation>(self, work: impl FnOnce(&mut [Packet<'_>]) -> usize) -> usize {
        let (mut room, mut more_room) = (uninitialized(), uninitialized());
        let rejections = initialize(&mut room, self.count, |_| None);
        let mut end_before = 0;
        let mut addresses_rise = true;
        let outputs = initialize(&mut more_room, self.count, |index| {
            // SAFETY: the caller guarantees the structures.
            let description = unsafe { self.start.add(index).read() };
            match S::selects(&description).then(|| self.output::<S>(&description)) {
                Some(Ok(output)) => {
                    let (start, end) = output.address_range();
                    addresses_rise &= start >= end_before;
                    end_before = end;
                    output
                }
                other => {
                    rejections[index] = other.and_then(Result::err);
                    Output::empty()
                }
            }
        });
        if !addresses_rise && any_may_overlap(outputs) {
            reject_overlaps(outputs, rejections);
        }

        // SAFETY: the caller guarantees the memory. The slices end before the guard is dropped.
        let unverified = unsafe { UnverifiedPlaintext::new(&*outputs) };
        let mut room = uninitialized();
        let packets = initialize(&mut room, self.count, |index| {
            // SAFETY: as above.
            let description = unsafe { self.start.add(index).read() };
            // SAFETY: as above. The slices do not overlap: addresses rise, or overlapping packets were rejected. A
            // rejected packet has no bytes, and the engine ignores it.
            S::packet(&description, unsafe { outputs[index].slice() })
        });
        let succeeded = work(packets);
        unverified.keep();

        for (index, (packet, rejection)) in packets.iter().zip(&*rejections).enumerate() {
            // SAFETY: as above; no packet overlaps the structures.
            unsafe { self.start.add(index).write(S::updated(self.start.add(index).read(), packet, *rejection)) };
        }
        succeeded
    }

    /// Returns the packet's memory, or an error if it is invalid or overlaps the array.
    fn output<S: BatchOperation>(self, description: &kasoku_quic_packet) -> Result<Output, Code> {
        let packet = Output::packet(description.packet, description.packet_len, S::EXTRA_BYTES)?;
        if packet.overlaps(self.array) { Err(Code::OVERLAP) } else { Ok(packet) }
    }

    /// Writes `code` as the result of all packets that the operation selects.
    ///
    /// # Safety
    /// The structures must be readable and writable.
    unsafe fn reject_all<S: BatchOperation>(self, code: Code) {
        for index in 0..self.count {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let place = self.start.add(index);
                if S::selects(&place.read()) {
                    (&raw mut (*place).result).write(code.number());
                }
            }
        }
    }
}

/// Returns an uninitialized array for the stack, of which small batches initialize only the part that they need.
fn uninitialized<T>() -> [MaybeUninit<T>; MAX_GROUP] {
    [const { MaybeUninit::uninit() }; MAX_GROUP]
}

/// Initializes the first `count` elements with `make` and returns them.
fn initialize<T>(places: &mut [MaybeUninit<T>; MAX_GROUP], count: usize, mut make: impl FnMut(usize) -> T) -> &mut [T] {
    let places = &mut places[..count];
    for (index, place) in places.iter_mut().enumerate() {
        place.write(make(index));
    }
    // SAFETY: the loop has initialized each element.
    unsafe { places.assume_init_mut() }
}

/// Returns whether any two outputs may share a byte; empty outputs can cause false positives. Sorts the addresses,
/// which for 64 outputs takes a fifth of the time of comparing all pairs.
fn any_may_overlap(outputs: &[Output]) -> bool {
    let mut room = uninitialized();
    let ends = initialize(&mut room, outputs.len(), |index| outputs[index].address_range());
    ends.sort_unstable_by_key(|(start, _)| *start);
    ends.windows(2).any(|two| two[1].0 < two[0].1)
}

/// Rejects every packet that overlaps another packet.
#[cold]
fn reject_overlaps(outputs: &mut [Output], rejections: &mut [Option<Code>]) {
    let mut met = 0_u64;
    for (index, output) in outputs.iter().enumerate() {
        for (before, other) in outputs[..index].iter().enumerate() {
            let meets = u64::from(output.overlaps(*other));
            met |= meets << index | meets << before;
        }
    }
    for (index, (output, rejection)) in outputs.iter_mut().zip(rejections).enumerate() {
        if met >> index & 1 != 0 {
            *output = Output::empty();
            *rejection = Some(Code::OVERLAP);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KASOKU_ERR_INTERNAL;

    /// Simulates a bug in the middle of a batch: payloads must be zeroed and results must report an internal error.
    #[test]
    fn panic_zeroes_the_packets_of_a_batch() {
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
        // SAFETY: the arrays belong to this test.
        unsafe {
            let quic = crate::kasoku_quic_new(key.as_ptr(), 16, key.as_ptr(), key.as_ptr());
            assert_eq!(run_batch::<Open>(quic, packets.as_mut_ptr(), 3, |_, _| panic!("a bug")), 0);
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
