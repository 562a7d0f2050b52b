//! Body of the fuzz target `quic`: turns bytes into keys, packets and batches, and checks that each call does what the
//! header says.
//!
//! All packets lie in one small arena, so that they often overlap. The expected overlaps come from the simplest method
//! (sets of bytes). The expected packets come from the engine, which processes copies one at a time.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::ops::Range;

use kasoku::*;
use kasoku_engine::Error;

use super::codes;
use super::quic_keys::{self, Keys};
use super::script::Script;

const ARENA: usize = 320;

/// Value of output numbers before a call.
const UNTOUCHED: usize = 0x5A5A_5A5A;

/// Runs the calls that `data` describes.
///
/// # Panics
/// If a call does not behave as the header says.
pub(crate) fn run(data: &[u8]) {
    let mut script = Script(data);
    let Some(keys) = Keys::read(&mut script) else { return };
    let first_byte = data.get(1).copied().unwrap_or(0);
    let arena = (0..ARENA).map(|place| (place as u8).wrapping_mul(37) ^ first_byte).collect();
    let mut desk = Desk { keys, others: VecDeque::new(), arena };
    while !script.0.is_empty() {
        let step = Step::ALL[usize::from(script.byte()) % 4];
        match script.byte() % 8 {
            0 | 1 => desk.process_packet(step, &Packet::read(&mut script, step), &mut script),
            2 => desk.there_and_back(&Packet::read(&mut script, Step::Protect)),
            3 => desk.handle_keys(&mut script),
            _ => {
                let count = usize::from(script.byte() % 8);
                let packets: Vec<_> = (0..count).map(|_| Packet::read(&mut script, step)).collect();
                desk.process_batch(step, &packets, script.number());
            }
        }
    }
    desk.others.iter().chain([&desk.keys]).for_each(Keys::check_failed_opens);
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Protect,
    Unprotect,
    Unmask,
    Open,
}

impl Step {
    const ALL: [Self; 4] = [Self::Protect, Self::Unprotect, Self::Unmask, Self::Open];

    fn room(self) -> usize {
        if self == Self::Protect { 16 } else { 0 }
    }
}

/// Packet in the arena, or an invalid packet, with the arguments that describe it.
#[derive(Clone, Copy, Debug)]
struct Packet {
    /// Offset in the arena in bytes; `None` is NULL.
    place: Option<usize>,
    /// Packet length; excludes the tag for packets to be protected.
    length: usize,
    number: u64,
    offset: usize,
    number_bytes: usize,
    result: c_int,
}

impl Packet {
    fn read(script: &mut Script<'_>, step: Step) -> Self {
        let (place, length, kind) = (usize::from(script.byte()), usize::from(script.byte() % 64), script.byte());
        let length = match kind {
            0..=239 => length.min(ARENA - place - step.room()),
            240..=247 => usize::MAX >> (kind % 3),
            _ => 1 << 36,
        };
        let place = if kind % 29 == 28 { None } else { Some(place) };
        let number = script.number();
        let offset = match script.byte() {
            offset @ 0..=239 => usize::from(offset % 24),
            other => usize::MAX - usize::from(other % 32),
        };
        let number_bytes = match script.byte() {
            bytes @ 0..=239 => usize::from(bytes % 4) + 1,
            bytes => [0, 5, usize::MAX][usize::from(bytes) % 3],
        };
        let result = if script.byte() % 4 == 3 { 1 } else { KASOKU_OK };
        Self { place, length, number, offset, number_bytes, result }
    }

    fn pointer(&self, arena: &mut [u8]) -> *mut u8 {
        self.place.map_or(std::ptr::null_mut(), |place| arena.as_mut_ptr().wrapping_add(place))
    }

    /// Returns the packet's range in the arena with room for the tag, or the error code that the packet must cause.
    fn range(&self, step: Step) -> Result<Range<usize>, c_int> {
        let bytes = self.length.checked_add(step.room()).filter(|bytes| *bytes < ARENA);
        let bytes = bytes.ok_or(KASOKU_ERR_MESSAGE_TOO_LONG)?;
        match self.place {
            Some(place) => Ok(place..place + bytes),
            // An empty packet is too short, whatever its address.
            None if bytes == 0 => Ok(0..0),
            None => Err(KASOKU_ERR_NULL),
        }
    }

    fn described(&self, arena: &mut [u8]) -> kasoku_quic_packet {
        kasoku_quic_packet {
            packet_number: self.number,
            packet: self.pointer(arena),
            pn_offset: self.offset,
            pn_len: self.number_bytes,
            packet_len: self.length,
            result: self.result,
        }
    }
}

struct Desk {
    /// Keys in use.
    keys: Keys,
    others: VecDeque<Keys>,
    arena: Vec<u8>,
}

impl Desk {
    /// Creates keys, switches to other keys, or changes the keys in use.
    fn handle_keys(&mut self, script: &mut Script<'_>) {
        let choice = script.byte();
        let new = match choice % 8 {
            0 => Keys::initial(script),
            1 => Keys::read(script),
            2 => self.keys.next_phase(script),
            3 => self.others.pop_front(),
            4 => return self.keys.begin_at(script.number()),
            5 => return self.keys.share_failed_opens(self.others.back()),
            6 => return self.keys.share_failed_opens(None),
            7 if choice >= 0x80 => self.keys.on_path(script),
            _ => return quic_keys::number_bytes(script),
        };
        let Some(new) = new else { return };
        self.others.push_back(std::mem::replace(&mut self.keys, new));
        if self.others.len() > 3 {
            // Keys that were derived from the freed keys stay valid.
            self.others.pop_front();
        }
    }

    /// Processes a packet with the engine. Returns the code, the packet number and the packet number's length.
    fn process_with_engine(&self, step: Step, packet: &Packet, expected: u64, bytes: &mut [u8]) -> (c_int, u64, usize) {
        let engine = self.keys.engine();
        let before = bytes.to_vec();
        let (mut number, mut number_bytes) = (packet.number, packet.number_bytes);
        let result = match step {
            Step::Protect => engine.protect(number, bytes, packet.offset, number_bytes),
            Step::Open => engine.open(number, bytes, packet.offset, number_bytes).map(drop),
            Step::Unmask => engine.unmask(expected, bytes, packet.offset).map(|unmasked| {
                (number, number_bytes) = (unmasked.number, unmasked.number_bytes);
            }),
            Step::Unprotect => engine.unprotect(expected, bytes, packet.offset).map(|opened| {
                assert_eq!(opened.payload.end, bytes.len() - 16);
                (number, number_bytes) = (opened.number, opened.payload.start - packet.offset);
            }),
        };
        let is_as_it_was = !matches!(result, Ok(()) | Err(Error::AuthenticationFailed));
        assert!(!is_as_it_was || bytes == before, "{result:?}, {step:?} {packet:?}");
        (result.map_or_else(codes::code_of, |()| KASOKU_OK), number, number_bytes)
    }

    /// Makes a call for a single packet, sometimes with the output numbers inside the arena.
    fn process_packet(&mut self, step: Step, packet: &Packet, script: &mut Script<'_>) {
        let expected_number = script.number();
        let number_place = script.byte().is_multiple_of(8).then(|| usize::from(script.byte()));
        let mut expected_arena = self.arena.clone();
        let (mut number, mut first, mut second) = (UNTOUCHED as u64, UNTOUCHED, UNTOUCHED);
        let number_at: *mut u64 = match number_place {
            Some(place) => self.arena.as_mut_ptr().wrapping_add(place).cast(),
            None => &mut number,
        };
        let writes_numbers = matches!(step, Step::Unmask | Step::Unprotect);
        let expected = match packet.range(step) {
            Err(code) => (code, 0, 0),
            Ok(range)
                if writes_numbers
                    && number_place.is_some_and(|place| range.clone().any(|at| (place..place + 8).contains(&at))) =>
            {
                (KASOKU_ERR_OVERLAP, 0, 0)
            }
            Ok(range) => self.process_with_engine(step, packet, expected_number, &mut expected_arena[range]),
        };
        let (start, offset, length) = (packet.pointer(&mut self.arena), packet.offset, packet.length);
        let quic = self.keys.quic();
        let code = unsafe {
            match step {
                Step::Protect => kasoku_quic_protect(quic, packet.number, start, offset, packet.number_bytes, length),
                Step::Open => kasoku_quic_open(quic, packet.number, start, offset, packet.number_bytes, length),
                Step::Unmask => kasoku_quic_unmask(quic, expected_number, start, offset, length, number_at, &mut first),
                Step::Unprotect => kasoku_quic_unprotect(
                    quic,
                    expected_number,
                    start,
                    offset,
                    length,
                    number_at,
                    &mut first,
                    &mut second,
                ),
            }
        };
        assert_eq!(code, expected.0, "{step:?} {packet:?}");
        let (_, expected_number, number_bytes) = expected;
        if writes_numbers && code == KASOKU_OK {
            match number_place {
                Some(place) => expected_arena[place..place + 8].copy_from_slice(&expected_number.to_ne_bytes()),
                None => assert_eq!(number, expected_number),
            }
            let places = match step {
                Step::Unmask => (number_bytes, UNTOUCHED),
                _ => (offset + number_bytes, length - 16 - offset - number_bytes),
            };
            assert_eq!((first, second), places, "{packet:?}");
        } else {
            assert_eq!((number, first, second), (UNTOUCHED as u64, UNTOUCHED, UNTOUCHED));
        }
        assert_eq!(self.arena, expected_arena, "{step:?} {packet:?}");
    }

    /// Writes a valid header, protects the packet and opens it again.
    fn there_and_back(&mut self, packet: &Packet) {
        let Ok(range) = packet.range(Step::Protect) else { return };
        let fits = packet.offset.checked_add(20).is_some_and(|least| least <= range.len());
        if !fits || packet.offset == 0 || !matches!(packet.number_bytes, 1..=4) || packet.number >= 250 {
            return;
        }
        let header_bytes = packet.offset + packet.number_bytes;
        let bytes = &mut self.arena[range.clone()];
        bytes[0] = bytes[0] & 0xFC | (packet.number_bytes as u8 - 1);
        bytes[packet.offset..header_bytes].fill(0);
        bytes[header_bytes - 1] = packet.number as u8;
        let plain = bytes[..packet.length].to_vec();
        let start = bytes.as_mut_ptr();
        let (offset, bytes) = (packet.offset, packet.number_bytes);
        let (mut number, mut from, mut payload) = (0, 0, 0);
        let code = unsafe { kasoku_quic_protect(self.keys.quic(), packet.number, start, offset, bytes, packet.length) };
        // The engine must count this packet too, because it may be the first packet.
        let same = self.keys.engine().protect(packet.number, &mut [&plain[..], &[0; 16]].concat(), offset, bytes);
        assert_eq!(code, same.map_or_else(codes::code_of, |()| KASOKU_OK));
        if code != KASOKU_OK {
            return;
        }
        let (expected, length) = (packet.number, range.len());
        let code = unsafe {
            kasoku_quic_unprotect(
                self.keys.quic(),
                expected,
                start,
                offset,
                length,
                &mut number,
                &mut from,
                &mut payload,
            )
        };
        assert_eq!((code, number), (KASOKU_OK, packet.number), "{packet:?}");
        assert_eq!((from, payload), (header_bytes, packet.length - header_bytes));
        assert_eq!(self.arena[range][..packet.length], plain, "{packet:?}");
    }

    fn process_batch(&mut self, step: Step, packets: &[Packet], expected_number: u64) {
        let mut expected_arena = self.arena.clone();
        let is_taken = |packet: &Packet| step != Step::Open || packet.result == KASOKU_OK;
        let ranges: Vec<_> = packets
            .iter()
            .map(|packet| if is_taken(packet) { packet.range(step) } else { Err(packet.result) })
            .collect();
        let overlap = |one: usize, other: usize| match (&ranges[one], &ranges[other]) {
            (Ok(one), Ok(other)) => one.clone().any(|at| other.contains(&at)),
            _ => false,
        };
        let all = 0..packets.len();
        let met: Vec<bool> =
            all.clone().map(|one| all.clone().any(|other| one != other && overlap(one, other))).collect();
        let mut expected = Vec::new();
        for (index, packet) in packets.iter().enumerate() {
            expected.push(match &ranges[index] {
                Err(code) => (*code, 0, 0),
                Ok(_) if met[index] => (KASOKU_ERR_OVERLAP, 0, 0),
                Ok(range) => {
                    self.process_with_engine(step, packet, expected_number, &mut expected_arena[range.clone()])
                }
            });
        }

        let mut batch: Vec<_> = packets.iter().map(|packet| packet.described(&mut self.arena)).collect();
        let (quic, start, count) = (self.keys.quic(), batch.as_mut_ptr(), batch.len());
        let succeeded = unsafe {
            match step {
                Step::Protect => kasoku_quic_protect_batch(quic, start, count),
                Step::Unprotect => kasoku_quic_unprotect_batch(quic, expected_number, start, count),
                Step::Unmask => kasoku_quic_unmask_batch(quic, expected_number, start, count),
                Step::Open => kasoku_quic_open_batch(quic, start, count),
            }
        };
        for ((described, packet), (code, number, number_bytes)) in batch.iter().zip(packets).zip(&expected) {
            assert_eq!(described.result, *code, "{step:?} {packets:?}");
            let is_written = matches!(step, Step::Unmask | Step::Unprotect) && *code == KASOKU_OK;
            let numbers = if is_written { (*number, *number_bytes) } else { (packet.number, packet.number_bytes) };
            assert_eq!((described.packet_number, described.pn_len), numbers, "{step:?} {packets:?}");
            assert_eq!((described.pn_offset, described.packet_len), (packet.offset, packet.length));
        }
        assert_eq!(succeeded, expected.iter().filter(|(code, ..)| *code == KASOKU_OK).count());
        assert_eq!(self.arena, expected_arena, "{step:?} {packets:?}");
    }
}
