//! Calls that protect and open QUIC packets, one packet at a time or in batches (RFC 9001 §5.3, §5.4).

mod counters;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;

use crate::abi::{check_returned_code, check_returned_size, enter_function};
use crate::aes;
use crate::case::{self, AUTHENTICATION_FAILED, KEY, KEY_BYTES, KeySetup, OK, RESULT};
use crate::context::Context;
use crate::execution::{Stop, run, run_to_return};
use crate::field::Bit;
use crate::flow::Tally;
use crate::machine::{Flag, Machine};
use crate::memory::{Access, Memory, Region};
use crate::platform::HEAP_NAME;
use crate::reference::{self, Block, Direction, Message, Reference};
use crate::refusal::Refusal;
use crate::symbols::bits_of_byte;
use crate::theorem::EXHAUSTIVE_TEXT_BYTES;
use crate::word::Word;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryPoint {
    Protect,
    Open,
    Unprotect,
    ProtectBatch,
    OpenBatch,
    UnprotectBatch,
}

/// A call that protects or opens one or more packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketCase {
    pub entry: EntryPoint,
    pub packets: Vec<PacketShape>,
}

/// Lengths in bytes of the parts of a QUIC packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketShape {
    /// Offset of the packet number from the start of the packet, in bytes.
    pub number_offset: usize,
    /// Length of the encoded packet number, 1 to 4 bytes.
    pub number_bytes: usize,
    pub payload_bytes: usize,
}

/// Proves calls that use one packet-protection object, whose keys and IV are symbolic.
pub struct PacketProver {
    context: Context,
    /// Two states of the modelled machine: the first before any packet is protected, the second after one packet.
    machines: Vec<Machine>,
    /// Address of the packet-protection object.
    quic: u64,
    /// Addresses and sizes in bytes of the memory of the packet-protection object that the code may write during calls:
    /// packet counters, but not expanded keys.
    counter_memory: Vec<(u64, u64)>,
    /// Number of other packet-protection objects in this memory. They never protect a packet.
    idle_objects: usize,
    /// Packet number of the first packet of a call.
    number: u64,
    entries: [u64; 6],
    /// Address of the function that frees the packet-protection object.
    free: u64,
    /// AES-GCM reference for each packet of a call. Its nonce is the IV XOR the path ID and packet number; its AAD is
    /// the packet's header and its text the payload.
    packets: Vec<Reference>,
    header_key: Reference,
}

/// Number of keystream blocks that the reference prepares beyond the end of a packet. The code computes whole vectors,
/// so it encrypts up to this number of counters that the packet does not need.
const SPARE_BLOCKS: usize = 16;

/// The two packet numbers that are proven for the first packet of a call; later packets have consecutive numbers. The
/// two numbers are complements in 62 bits, so each bit is proven both as 0 and as 1.
pub const FIRST_NUMBERS: [u64; 2] = [FIRST_NUMBER, !FIRST_NUMBER & ((1 << 62) - 1)];
const FIRST_NUMBER: u64 = 0x0123_4567_89AB_CDEF;
const IV: u64 = KEY + 0x805;
const HEADER_KEY: u64 = KEY + 0x909;
/// Address of the array of `kasoku_quic_packet` for a batch. For a single packet, address of the packet number and
/// length that the call returns.
const DESCRIPTORS: u64 = KEY + 0x4000;
const NUMBERS_NAME: &str = "the numbers";
/// Address of the first packet of a call. The distance between two packets is [`PACKET_STRIDE`].
const PACKET: u64 = KEY + 0x40_0000;
const PACKET_STRIDE: u64 = 0x1000;
const MAX_TEXT_BYTES: usize = 1504;
const MAX_HEADER_BYTES: usize = 32;

/// Size in bytes of a `kasoku_quic_packet`.
const DESCRIPTOR_BYTES: u64 = 48;
/// Offsets in a `kasoku_quic_packet` of the packet number (first), and of the length of the encoded number (second).
const NUMBER_OFFSETS: [u64; 2] = [0, 24];
/// Offset of the result code in a `kasoku_quic_packet`.
const CODE_OFFSET: u64 = 40;

impl EntryPoint {
    pub const ALL: [Self; 6] =
        [Self::Protect, Self::Open, Self::Unprotect, Self::ProtectBatch, Self::OpenBatch, Self::UnprotectBatch];

    /// Returns the name of the C function.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Protect => "kasoku_quic_protect",
            Self::Open => "kasoku_quic_open",
            Self::Unprotect => "kasoku_quic_unprotect",
            Self::ProtectBatch => "kasoku_quic_protect_batch",
            Self::OpenBatch => "kasoku_quic_open_batch",
            Self::UnprotectBatch => "kasoku_quic_unprotect_batch",
        }
    }

    fn direction(self) -> Direction {
        if matches!(self, Self::Protect | Self::ProtectBatch) { Direction::Sealing } else { Direction::Opening }
    }

    fn is_batch(self) -> bool {
        matches!(self, Self::ProtectBatch | Self::OpenBatch | Self::UnprotectBatch)
    }

    /// Returns whether the C function removes header protection.
    fn unmasks(self) -> bool {
        matches!(self, Self::Unprotect | Self::UnprotectBatch)
    }
}

impl PacketCase {
    /// Returns whether the code may write new powers of H to the key object: keys have the powers for payloads of
    /// [`EXHAUSTIVE_TEXT_BYTES`], and batches add more powers if a whole packet is longer than that.
    fn may_grow_keys(&self) -> bool {
        let is_long = |packet: &PacketShape| packet.header_bytes() + packet.payload_bytes + 16 > EXHAUSTIVE_TEXT_BYTES;
        self.entry.is_batch() && self.packets.iter().any(is_long)
    }
}

impl PacketShape {
    fn header_bytes(&self) -> usize {
        self.number_offset + self.number_bytes
    }
}

/// A packet in memory before a call, and the packet's expected result.
struct PreparedPacket {
    address: u64,
    given: Vec<Bit>,
    header: Vec<Bit>,
    message: Message,
    /// XOR of the correct tag and the tag passed to the call.
    difference: Block,
}

impl PreparedPacket {
    /// Returns the packet length that the caller passes to the C function `entry`. It excludes the tag for packets to
    /// be protected.
    fn length(&self, entry: EntryPoint) -> u64 {
        self.given.len() as u64 / 8 - if entry.direction() == Direction::Sealing { 16 } else { 0 }
    }
}

/// Memory contents before a call, for comparison with the contents after the call.
struct StateBefore {
    memory: Memory,
    counter_memory: Vec<Bit>,
    /// Contents before the call of the fields at [`described_places`]. A call must not change the fields of a forged
    /// packet.
    expected_values: Vec<Bit>,
}

/// One execution path of a call. `verdicts` has an element for each packet: genuine (`Some(true)`), forged
/// (`Some(false)`), or not checked yet (`None`).
struct ExecutionPath {
    machine: Machine,
    verdicts: Vec<Option<bool>>,
}

impl PacketProver {
    /// Executes the library's set-up of a packet key and a header-protection key. Both keys consist of `key_bytes`
    /// symbolic bytes. Each [`PacketCase`] can have up to `packets` packets; the first packet has the number `number`.
    ///
    /// # Errors
    /// If the library cannot be loaded. The inner error means that the prover refuses the library's key set-up.
    pub fn new(
        library: &Path,
        setup: impl Into<KeySetup>,
        key_bytes: usize,
        (packets, number): (usize, u64),
    ) -> io::Result<Result<Self, Refusal>> {
        let setup = setup.into();
        let (library, mut context, mut machine) = case::load(library, setup, |_, _| ())?;
        let mut entries = [0; 6];
        for (address, entry) in entries.iter_mut().zip(EntryPoint::ALL) {
            *address = library.symbol(entry.name())?;
        }
        let [create, free] = [library.symbol("kasoku_quic_create")?, library.symbol("kasoku_quic_free")?];
        let on_path = library.symbol("kasoku_quic_on_path")?;
        let path_id = if setup.is_on_path { path_id(number) } else { 0 };
        let mut unknown = |bytes: usize| {
            let mut bits = vec![Bit::ZERO; 8 * bytes];
            context.symbols.fill(&mut bits);
            bits
        };
        let keys: Vec<_> = (0..setup.keys()).map(|_| [key_bytes, key_bytes, 12].map(&mut unknown)).collect();
        let texts: Vec<_> = (0..packets).map(|_| [MAX_HEADER_BYTES, MAX_TEXT_BYTES].map(&mut unknown)).collect();
        Ok((|| {
            let arguments = [KEY_BYTES, key_bytes as u64, IV, HEADER_KEY, 0, RESULT];
            let mut last = None;
            for [key, header_key, iv] in keys {
                let places = [(KEY_BYTES, &key[..]), (HEADER_KEY, &header_key), (IV, &iv)];
                let quic = case::make_key(&mut machine, &mut context, create, &arguments, &places)?;
                last = Some((quic, key, header_key, iv));
            }
            let (mut quic, key, header_key, iv) = last.ok_or(Refusal::Stuck("makes no key"))?;
            if setup.is_on_path {
                let arguments = [quic, path_id.into(), RESULT];
                quic = case::make_object(&mut machine, &mut context, on_path, &arguments)?;
            }
            case::freeze(&mut machine, &mut context);
            // The counters may be written. The expanded keys are larger than 256 bytes and stay read-only.
            let counter_memory = machine.memory.make_small_writable(HEAP_NAME, 256);
            let mut references = Vec::new();
            for (number, [header, payload]) in (number..).zip(texts) {
                let mut nonce = iv.clone();
                aes::add(&mut nonce[..32], &reference::bits(&path_id.to_be_bytes()));
                aes::add(&mut nonce[32..], &reference::bits(&number.to_be_bytes()));
                references.push(Reference::new(&key, nonce, header, payload, &mut context.symbols));
            }
            let header_key = Reference::new(&header_key, Vec::new(), Vec::new(), Vec::new(), &mut context.symbols);
            context.symbols.share_variables();
            let machines = vec![machine];
            let idle_objects = usize::from(setup.is_on_path);
            let packets = references;
            let mut prover = Self {
                context,
                machines,
                quic,
                counter_memory,
                idle_objects,
                number,
                entries,
                free,
                packets,
                header_key,
            };
            let machine_after_first_packet = prover.machine_after_first_packet()?;
            prover.machines.push(machine_after_first_packet);
            prover.expect_limits()?;
            Ok(prover)
        })())
    }

    /// Returns the encodings of the instructions executed since the last call of this method
    /// ([`crate::code::Code::take_instruction_forms`]).
    pub fn take_instruction_forms(&mut self) -> BTreeSet<Vec<u8>> {
        self.context.code.take_instruction_forms()
    }

    /// Returns the numbers from which the bound of the prover's error probability for one call is computed. The numbers
    /// of comparisons and look-ups are those of key set-up plus the maximum over all calls. The polynomial degrees are
    /// the maxima over key set-up and all calls.
    #[must_use]
    pub fn compared(&self) -> Tally {
        self.context.symbols.compared()
    }

    /// Executes the call that `case` describes, and compares all its packets with the standard.
    ///
    /// # Errors
    /// The first difference from the standard.
    pub fn prove(&mut self, case: &PacketCase) -> Result<(), Refusal> {
        self.with_temporary_s_box(case, Self::prove_all_paths)
    }

    /// Executes the call that frees the object, and checks that nothing of the keys is left in its memory.
    ///
    /// # Errors
    /// A byte of the object that is not wiped, or any other reason to refuse the call.
    pub fn prove_wiping(&mut self) -> Result<(), Refusal> {
        self.context.symbols.begin_call();
        let mut machine = self.machines[1].clone();
        case::expect_wiped_by(self.free, self.quic, &mut machine, &mut self.context)
    }

    /// Runs `work` as a call with temporary S-box values
    /// ([`begin_call_with_temporary_s_box`](crate::symbols::Symbols::begin_call_with_temporary_s_box)). The prover can
    /// discard these values after the call, because the blocks encrypted for header protection occur in no other call.
    fn with_temporary_s_box<T>(
        &mut self,
        case: &PacketCase,
        work: impl FnOnce(&mut Self, &PacketCase) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        for (reference, shape) in self.packets.iter_mut().zip(&case.packets) {
            reference.keystream(shape.payload_bytes.div_ceil(16) + 1 + SPARE_BLOCKS, &mut self.context.symbols);
        }
        self.context.symbols.begin_call_with_temporary_s_box();
        let outcome = work(self, case);
        self.context.symbols.end_call_with_temporary_s_box();
        outcome
    }

    /// Returns the machine after protecting one packet, because the code takes another path for later packets.
    fn machine_after_first_packet(&mut self) -> Result<Machine, Refusal> {
        self.with_temporary_s_box(&short_packet_case(), |prover, case| {
            let (mut machine, _, saved) = prover.begin(case, (0, prover.number))?;
            run_to_return(&mut machine, &mut prover.context)?;
            check_returned_code(&mut machine, &mut prover.context, &saved, OK)?;
            machine.memory.remove("a packet");
            Ok(machine)
        })
    }

    /// Executes a call for every combination of genuine and forged packets that [`follow_both_verdicts`] selects.
    fn prove_all_paths(&mut self, case: &PacketCase) -> Result<(), Refusal> {
        // Alternates between the machines for all headers and functions.
        let shape = case.packets[0];
        let which = shape.payload_bytes + shape.header_bytes() / 4;
        let (mut machine, prepared, saved) = self.begin(case, (which % self.machines.len(), self.number))?;
        let before = StateBefore {
            memory: machine.memory.clone(),
            counter_memory: machine.memory.peek_all(&self.counter_memory, &mut self.context.symbols)?,
            expected_values: machine.memory.peek_all(&described_places(case), &mut self.context.symbols)?,
        };
        let mut ways = vec![ExecutionPath { machine, verdicts: vec![None; prepared.len()] }];
        while let Some(mut way) = ways.pop() {
            match run(&mut way.machine, &mut self.context)? {
                Stop::Returned => self.expect(case, &prepared, (way, &before), &saved)?,
                Stop::Verdict(asked) => ways.extend(follow_both_verdicts(&prepared, way, &asked)?),
            }
        }
        Ok(())
    }

    /// Sets up a call without executing an instruction. `which` is the index in `machines` of the initial state.
    /// `number` is the packet number that the caller passes to functions for a single packet.
    fn begin(
        &mut self,
        case: &PacketCase,
        (which, number): (usize, u64),
    ) -> Result<(Machine, Vec<PreparedPacket>, Vec<Word>), Refusal> {
        let mut machine = self.machines[which].clone();
        if case.may_grow_keys() {
            machine.memory.set_access(HEAP_NAME, Access::BOTH);
        }
        let mut prepared = Vec::new();
        for index in 0..case.packets.len() {
            let packet = self.prepare_packet(case, index)?;
            machine.memory.add_buffer("a packet", packet.address, &packet.given, Access::BOTH)?;
            prepared.push(packet);
        }
        let mut arguments = self.arguments(case, &prepared, &mut machine)?;
        if case.entry == EntryPoint::Protect {
            arguments[1] = number;
        }
        let entry = self.entries[case.entry as usize];
        let saved = enter_function(&mut machine, &mut self.context, entry, &arguments)?;
        Ok((machine, prepared, saved))
    }

    fn prepare_packet(&mut self, case: &PacketCase, index: usize) -> Result<PreparedPacket, Refusal> {
        let shape = case.packets[index];
        let symbols = &mut self.context.symbols;
        let mut header = self.packets[index].aad(shape.header_bytes()).to_vec();
        if case.entry.unmasks() {
            // The unmasked length of the number decides which code runs, so it is public and known.
            let number = self.number + index as u64;
            let first =
                if shape.header_bytes().is_multiple_of(2) { 0x40 } else { 0xC0 } | (shape.number_bytes as u8 - 1);
            header[..8].copy_from_slice(&bits_of_byte(first));
            let number = &number.to_be_bytes()[8 - shape.number_bytes..];
            header[8 * shape.number_offset..].copy_from_slice(&reference::bits(number));
        }
        let direction = case.entry.direction();
        let message = self.packets[index].message(direction, &header, shape.payload_bytes, symbols);
        let mut tag = [Bit::ZERO; 128];
        symbols.fill(&mut tag);
        let text = self.packets[index].text(shape.payload_bytes);
        let mut given = [&header, text, &tag].concat();
        if case.entry.unmasks() {
            self.mask(shape, &mut given);
        }
        let by = case.packets.len() * 3 + index * 5;
        let shift = (shape.payload_bytes * 7 + shape.header_bytes() * 13 + by) as u64 % 64;
        Ok(PreparedPacket {
            address: PACKET + PACKET_STRIDE * index as u64 + shift,
            given,
            header,
            difference: std::array::from_fn(|place| message.tag[place] ^ tag[place]),
            message,
        })
    }

    /// Adds the packets and C structures of a call to memory, and returns the call's arguments.
    fn arguments(
        &self,
        case: &PacketCase,
        prepared: &[PreparedPacket],
        machine: &mut Machine,
    ) -> Result<Vec<u64>, Refusal> {
        if case.entry.is_batch() {
            let bytes = DESCRIPTOR_BYTES * prepared.len() as u64;
            machine.memory.add(Region::unknown("the batch", DESCRIPTORS, bytes, Access::BOTH));
            for (index, packet) in prepared.iter().enumerate() {
                let at = DESCRIPTORS + DESCRIPTOR_BYTES * index as u64;
                // The number of a masked packet is unknown to the caller.
                let is_known = |place: &u64| !case.entry.unmasks() || !NUMBER_OFFSETS.contains(place);
                for (place, word) in descriptor_fields((case, self.number), index, packet)
                    .into_iter()
                    .filter(|(place, _)| is_known(place))
                {
                    machine.memory.poke(at + place, &Word::Known(word).bits())?;
                }
                // `kasoku_quic_open_batch` processes only packets whose result is KASOKU_OK.
                if case.entry == EntryPoint::OpenBatch {
                    machine.memory.poke(at + CODE_OFFSET, &Word::Known(OK.into()).bits()[..32])?;
                }
            }
            let mut arguments = vec![self.quic, DESCRIPTORS, prepared.len() as u64];
            if case.entry.unmasks() {
                arguments.insert(1, self.number);
            }
            return Ok(arguments);
        }
        let (shape, packet) = (&case.packets[0], &prepared[0]);
        let (offset, number_bytes) = (shape.number_offset as u64, shape.number_bytes as u64);
        if case.entry.unmasks() {
            machine.memory.add(Region::unknown(NUMBERS_NAME, DESCRIPTORS, 24, Access::WRITE).with_write_counts());
            let numbers = [DESCRIPTORS, DESCRIPTORS + 8, DESCRIPTORS + 16];
            let length = packet.length(case.entry);
            return Ok([&[self.quic, self.number, packet.address, offset, length][..], &numbers].concat());
        }
        Ok(vec![self.quic, self.number, packet.address, offset, number_bytes, packet.length(case.entry)])
    }

    /// Compares packets, C structures and return value after a call with the standard.
    fn expect(
        &mut self,
        case: &PacketCase,
        prepared: &[PreparedPacket],
        (way, before): (ExecutionPath, &StateBefore),
        saved: &[Word],
    ) -> Result<(), Refusal> {
        let ExecutionPath { mut machine, verdicts } = way;
        let seals = case.entry.direction() == Direction::Sealing;
        let codes: Vec<u32> = verdicts
            .iter()
            .map(|verdict| match verdict {
                None if seals => Ok(OK),
                Some(true) if !seals => Ok(OK),
                Some(false) if !seals => Ok(AUTHENTICATION_FAILED),
                _ => Err(Refusal::wrong("it returned without asking whether the tags are the same")),
            })
            .collect::<Result<_, _>>()?;
        let forged = codes.iter().filter(|&&code| code != OK).count() as u64;
        if case.entry.is_batch() {
            check_returned_size(&mut machine, &mut self.context, saved, prepared.len() as u64 - forged)?;
        } else {
            check_returned_code(&mut machine, &mut self.context, saved, codes[0])?;
        }
        if let Some(address) = machine.memory.overwritten_secret(&before.memory, HEAP_NAME, &mut self.context.symbols) {
            return Err(Refusal::Wrong(format!("it overwrites a part of the keys at {address:#x}")));
        }
        self.expect_counters(case, &mut machine, &before.counter_memory, forged)?;
        let told_of = machine.memory.peek_all(&described_places(case), &mut self.context.symbols)?;
        let is_told = |index: usize| before.expected_values.chunks(128).nth(index) != told_of.chunks(128).nth(index);
        if let Some(index) = (0..prepared.len()).find(|&index| codes[index] != OK && is_told(index)) {
            return Err(Refusal::Wrong(format!("the number of packet {index} is told, which is forged")));
        }
        if case.entry == EntryPoint::Unprotect && codes[0] != OK && machine.memory.bytes_written(NUMBERS_NAME) != 0 {
            return Err(Refusal::wrong("numbers of a forged packet are told"));
        }
        for (index, (packet, &code)) in prepared.iter().zip(&codes).enumerate() {
            let shape = case.packets[index];
            let zeros = vec![Bit::ZERO; packet.message.text.len()];
            let text = if code == OK { &packet.message.text } else { &zeros };
            let mut expected = [&packet.header, &text[..], &packet.given[packet.given.len() - 128..]].concat();
            if seals {
                let tag = expected.len() - 128;
                expected[tag..].copy_from_slice(&packet.message.tag);
                self.mask(shape, &mut expected);
            }
            let mut found = vec![Bit::ZERO; expected.len()];
            machine.memory.peek(packet.address, &mut found, &mut self.context.symbols)?;
            if let Some(bit) = (0..expected.len()).find(|&bit| found[bit] != expected[bit]) {
                let (byte, bit) = (bit / 8, bit % 8);
                return Err(Refusal::Wrong(format!("byte {byte} of packet {index} is wrong (bit {bit})")));
            }
            for (address, bits, number) in expected_values((case, self.number), index, (packet, code)) {
                let mut found = [Bit::ZERO; 64];
                machine.memory.peek(address, &mut found[..bits], &mut self.context.symbols)?;
                if Word::from_bits(&found[..bits]).known() != Some(number) {
                    return Err(Refusal::Wrong(format!("what is told of packet {index} at {address:#x} is wrong")));
                }
            }
        }
        Ok(())
    }

    /// Applies header protection (RFC 9001 §5.4.1) to `packet`: masks the packet number and the lowest bits of the
    /// first byte, five bits in a short header and four in a long header.
    fn mask(&mut self, shape: PacketShape, packet: &mut [Bit]) {
        let sample = 8 * (shape.number_offset + 4);
        let mut block = [Bit::ZERO; 128];
        block.copy_from_slice(&packet[sample..sample + 128]);
        let mask = self.header_key.encrypt(&block, &mut self.context.symbols);
        let is_short = packet[7].inverted();
        for bit in 0..4 {
            packet[bit] ^= mask[bit];
        }
        packet[4] ^= mask[4].and(is_short);
        let number = 8 * shape.number_offset;
        aes::add(&mut packet[number..number + 8 * shape.number_bytes], &mask[8..]);
    }
}

/// Returns the offset and value of each field of a `kasoku_quic_packet`, except for the result code.
fn descriptor_fields((case, number): (&PacketCase, u64), index: usize, packet: &PreparedPacket) -> Vec<(u64, u64)> {
    let shape = case.packets[index];
    let [number_at, number_bytes_at] = NUMBER_OFFSETS;
    vec![
        (number_at, number + index as u64),
        (8, packet.address),
        (16, shape.number_offset as u64),
        (number_bytes_at, shape.number_bytes as u64),
        (32, packet.length(case.entry)),
    ]
}

/// Returns the path ID for proofs whose first packet number is `first_number`. Its bits are some of the number's, so
/// that the two [`FIRST_NUMBERS`] cover each bit of the path ID both as 0 and as 1.
fn path_id(first_number: u64) -> u32 {
    (first_number >> 16) as u32
}

/// Returns a call that protects one short packet.
fn short_packet_case() -> PacketCase {
    let shape = PacketShape { number_offset: 1, number_bytes: 4, payload_bytes: 16 };
    PacketCase { entry: EntryPoint::Protect, packets: vec![shape] }
}

/// Returns the addresses and sizes of the fields in which a call stores decoded packet numbers and their lengths. A
/// call that unprotects a batch must write these fields for genuine packets only.
fn described_places(case: &PacketCase) -> Vec<(u64, u64)> {
    let packets = if case.entry == EntryPoint::UnprotectBatch { case.packets.len() as u64 } else { 0 };
    let places = |index| NUMBER_OFFSETS.map(|place| (DESCRIPTORS + DESCRIPTOR_BYTES * index + place, 8));
    (0..packets).flat_map(places).collect()
}

/// Returns the address, the number of bits and the expected value of each field that a call writes.
fn expected_values(
    (case, first): (&PacketCase, u64),
    index: usize,
    (packet, code): (&PreparedPacket, u32),
) -> Vec<(u64, usize, u64)> {
    let shape = case.packets[index];
    match case.entry {
        EntryPoint::ProtectBatch | EntryPoint::OpenBatch | EntryPoint::UnprotectBatch => {
            let at = DESCRIPTORS + DESCRIPTOR_BYTES * index as u64;
            let mut words = descriptor_fields((case, first), index, packet);
            if case.entry.unmasks() && code != OK {
                words.retain(|(place, _)| !NUMBER_OFFSETS.contains(place));
            }
            let words = words.into_iter().map(|(place, word)| (at + place, 64, word));
            words.chain([(at + CODE_OFFSET, 32, code.into())]).collect()
        }
        EntryPoint::Unprotect if code == OK => {
            let number = first + index as u64;
            let (header, payload) = (shape.header_bytes() as u64, shape.payload_bytes as u64);
            vec![(DESCRIPTORS, 64, number), (DESCRIPTORS + 8, 64, header), (DESCRIPTORS + 16, 64, payload)]
        }
        EntryPoint::Protect | EntryPoint::Open | EntryPoint::Unprotect => Vec::new(),
    }
}

/// Splits an execution path at the branch on whether a packet's tag is correct: in one path the packet is genuine, in
/// the other forged. To limit the number of paths, keeps only those in which at most one packet is forged, or all
/// packets are.
fn follow_both_verdicts(
    prepared: &[PreparedPacket],
    way: ExecutionPath,
    asked: &[Bit],
) -> Result<Vec<ExecutionPath>, Refusal> {
    let is_asked =
        |packet: &PreparedPacket| case::verdict_conditions(&packet.difference).iter().any(|verdict| verdict == asked);
    let Some(index) = prepared.iter().position(is_asked).filter(|&index| way.verdicts[index].is_none()) else {
        return Err(Refusal::wrong("the verdict is not on whether the tags are the same"));
    };
    let forged = way.verdicts.iter().filter(|&&verdict| verdict == Some(false)).count();
    let genuine = way.verdicts.iter().filter(|&&verdict| verdict == Some(true)).count();
    let ways = [(true, forged < 2), (false, forged == 0 || genuine == 0)].into_iter().filter(|(_, follows)| *follows);
    Ok(ways
        .map(|(is_genuine, _)| {
            let mut verdicts = way.verdicts.clone();
            verdicts[index] = Some(is_genuine);
            let mut machine = way.machine.clone();
            machine.flags.zero = Flag::Bit(is_genuine.into());
            ExecutionPath { machine, verdicts }
        })
        .collect())
}

impl fmt::Display for PacketCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name())?;
        for (index, alike) in self.packets.chunk_by(|one, next| one == next).enumerate() {
            let PacketShape { number_offset, number_bytes, payload_bytes } = alike[0];
            let separator = if index == 0 { " with" } else { "," };
            let times = if alike.len() == 1 { String::new() } else { format!("{} times ", alike.len()) };
            write!(f, "{separator} {times}{payload_bytes} bytes behind a number of {number_bytes} at {number_offset}")?;
        }
        Ok(())
    }
}
