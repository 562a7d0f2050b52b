//! QUIC packets that are protected and opened, one at a time and in batches (RFC 9001 §5.3, §5.4).

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
use crate::memory::{Access, Region};
use crate::platform::HEAP_NAME;
use crate::reference::{self, Block, Direction, Message, Reference};
use crate::refusal::Refusal;
use crate::symbols::bits_of_byte;
use crate::word::Word;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryPoint {
    /// `kasoku_quic_protect`.
    Protect,
    /// `kasoku_quic_open`.
    Open,
    /// `kasoku_quic_unprotect`.
    Unprotect,
    /// `kasoku_quic_protect_batch`.
    ProtectBatch,
    /// `kasoku_quic_open_batch`.
    OpenBatch,
    /// `kasoku_quic_unprotect_batch`.
    UnprotectBatch,
}

/// A call with some packets; with one, if the entry takes no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketCase {
    /// What is called.
    pub entry: EntryPoint,
    /// The packets.
    pub packets: Vec<PacketShape>,
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketShape {
    /// Where the packet number begins.
    pub number_offset: usize,
    /// How many bytes it takes, 1 to 4.
    pub number_bytes: usize,
    /// Bytes of the payload.
    pub payload_bytes: usize,
}

/// Packet protection that the library's code has made out of unknown keys and an unknown IV.
pub struct PacketProver {
    context: Context,
    /// Before the first packet, and behind one that was protected.
    machines: Vec<Machine>,
    quic: u64,
    /// The memory beside the expanded keys: where, and how many bytes.
    counter_memory: Vec<(u64, u64)>,
    /// The first packet's number.
    number: u64,
    entries: [u64; 6],
    /// For each packet of a call: the nonce is the IV XOR its number, the AAD the header, the text the payload.
    packets: Vec<Reference>,
    header_key: Reference,
}

/// Blocks that the code may encrypt behind the last one of a packet, since a vector has more: calls share them too.
const SPARE_BLOCKS: usize = 16;

/// The first packet's number, which is public where it is compared with the limits; the others follow. Together they
/// have each bit in both ways, of the 62 that there are.
pub const FIRST_NUMBERS: [u64; 2] = [FIRST_NUMBER, !FIRST_NUMBER & ((1 << 62) - 1)];
const FIRST_NUMBER: u64 = 0x0123_4567_89AB_CDEF;
const IV: u64 = KEY + 0x805;
const HEADER_KEY: u64 = KEY + 0x909;
/// `kasoku_quic_packet`s, or the numbers that are written for a single packet.
const DESCRIPTORS: u64 = KEY + 0x4000;
const NUMBERS_NAME: &str = "the numbers";
/// The packets, each so far behind the one before.
const PACKET: u64 = KEY + 0x40_0000;
const PACKET_STRIDE: u64 = 0x1000;
const MAX_TEXT_BYTES: usize = 1504;
const MAX_HEADER_BYTES: usize = 32;

/// Bytes of a `kasoku_quic_packet`; where in it the packet number and its bytes are, and the code.
const DESCRIPTOR_BYTES: u64 = 48;
const NUMBER_OFFSETS: [u64; 2] = [0, 24];
const CODE_OFFSET: u64 = 40;

impl EntryPoint {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Protect, Self::Open, Self::Unprotect, Self::ProtectBatch, Self::OpenBatch, Self::UnprotectBatch];

    /// Its name in C.
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

    /// Whether it takes the mask off the header.
    fn unmasks(self) -> bool {
        matches!(self, Self::Unprotect | Self::UnprotectBatch)
    }
}

impl PacketShape {
    fn header_bytes(&self) -> usize {
        self.number_offset + self.number_bytes
    }
}

/// A packet before the call, and what has to become of it.
struct PreparedPacket {
    address: u64,
    given: Vec<Bit>,
    header: Vec<Bit>,
    message: Message,
    /// By which bits the tag differs from the one that was given.
    difference: Block,
}

impl PreparedPacket {
    /// As calls are told it: what is protected gets its tag only then.
    fn length(&self, entry: EntryPoint) -> u64 {
        self.given.len() as u64 / 8 - if entry.direction() == Direction::Sealing { 16 } else { 0 }
    }
}

/// What there was before a call and may be there behind it.
struct StateBefore {
    /// Beside the expanded keys.
    counter_memory: Vec<Bit>,
    /// Where [`described_places`] says.
    expected_values: Vec<Bit>,
}

/// One of the ways that a call can go on: which packets are taken to be genuine.
struct ExecutionPath {
    machine: Machine,
    verdicts: Vec<Option<bool>>,
}

impl PacketProver {
    /// Has the library's code expand two keys of this many unknown bytes, 16 or 32. Cases have so many packets at most,
    /// which are numbered from `number` on.
    ///
    /// # Errors
    /// If there is no such library, or its key schedule cannot be followed.
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
        let create = library.symbol("kasoku_quic_create")?;
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
            let (quic, key, header_key, iv) = last.ok_or(Refusal::Stuck("makes no key"))?;
            case::freeze(&mut machine, &mut context);
            // What is counted is written; the expanded keys, some kilobytes, are not.
            let counter_memory = machine.memory.make_small_writable(HEAP_NAME, 256);
            let mut references = Vec::new();
            for (number, [header, payload]) in (number..).zip(texts) {
                let mut nonce = iv.clone();
                aes::add(&mut nonce[32..], &reference::bits(&number.to_be_bytes()));
                references.push(Reference::new(&key, nonce, header, payload, &mut context.symbols));
            }
            let header_key = Reference::new(&header_key, Vec::new(), Vec::new(), Vec::new(), &mut context.symbols);
            context.symbols.share_variables();
            let machines = vec![machine];
            let mut prover =
                Self { context, machines, quic, counter_memory, number, entries, packets: references, header_key };
            let machine_after_first_packet = prover.machine_after_first_packet()?;
            prover.machines.push(machine_after_first_packet);
            prover.expect_limits()?;
            Ok(prover)
        })())
    }

    /// The instructions that were executed, as [`case::MessageProver::take_instruction_forms`] has them.
    pub fn take_instruction_forms(&mut self) -> BTreeSet<Vec<u8>> {
        self.context.code.take_instruction_forms()
    }

    /// Returns what was compared by the keys' making and by any one call with them.
    #[must_use]
    pub fn compared(&self) -> Tally {
        self.context.symbols.compared()
    }

    /// Executes the call, and compares all of the packets with the standard's.
    ///
    /// # Errors
    /// What is wrong.
    pub fn prove(&mut self, case: &PacketCase) -> Result<(), Refusal> {
        self.isolated(case, Self::prove_all_paths)
    }

    /// Does `work` with a case. All calls have the keystream; only the mask's blocks are each one's own.
    fn isolated<T>(
        &mut self,
        case: &PacketCase,
        work: impl FnOnce(&mut Self, &PacketCase) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        for (reference, shape) in self.packets.iter_mut().zip(&case.packets) {
            reference.keystream(shape.payload_bytes.div_ceil(16) + 1 + SPARE_BLOCKS, &mut self.context.symbols);
        }
        self.context.symbols.begin_isolated_call();
        let outcome = work(self, case);
        self.context.symbols.forget_substitutions();
        outcome
    }

    /// The machine behind the first packet: later ones take another way.
    fn machine_after_first_packet(&mut self) -> Result<Machine, Refusal> {
        self.isolated(&short_packet_case(), |prover, case| {
            let (mut machine, _, saved) = prover.begin(case, (0, prover.number))?;
            run_to_return(&mut machine, &mut prover.context)?;
            check_returned_code(&mut machine, &mut prover.context, &saved, OK)?;
            machine.memory.remove("a packet");
            Ok(machine)
        })
    }

    fn prove_all_paths(&mut self, case: &PacketCase) -> Result<(), Refusal> {
        // Each in every other call, for all headers and entries.
        let shape = case.packets[0];
        let which = shape.payload_bytes + shape.header_bytes() / 4;
        let (mut machine, prepared, saved) = self.begin(case, (which % self.machines.len(), self.number))?;
        let before = StateBefore {
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

    /// The call before its first instruction, and its packets. `number` is what a single packet is protected as.
    fn begin(
        &mut self,
        case: &PacketCase,
        (which, number): (usize, u64),
    ) -> Result<(Machine, Vec<PreparedPacket>, Vec<Word>), Refusal> {
        let mut machine = self.machines[which].clone();
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

    /// One packet of the call.
    fn prepare_packet(&mut self, case: &PacketCase, index: usize) -> Result<PreparedPacket, Refusal> {
        let shape = case.packets[index];
        let symbols = &mut self.context.symbols;
        let mut header = self.packets[index].aad(shape.header_bytes()).to_vec();
        if case.entry.unmasks() {
            // What the mask uncovers decides how long the number is, and so what is done: it is public, and known.
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

    /// What the call is given.
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
                // Of a packet that is masked nobody knows the number.
                let is_known = |place: &u64| !case.entry.unmasks() || !NUMBER_OFFSETS.contains(place);
                for (place, word) in descriptor_fields((case, self.number), index, packet)
                    .into_iter()
                    .filter(|(place, _)| is_known(place))
                {
                    machine.memory.poke(at + place, &Word::Known(word).bits())?;
                }
                // Open goes on with the packets whose result is KASOKU_OK.
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

    /// Compares what a call has left with the standard.
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

    /// Header protection (RFC 9001 §5.4.1): five bits of a short header's first byte, four of a long one's, and the
    /// packet number.
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

/// What stands in the description of a packet, but for the code: where, and what.
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

/// A short packet to protect.
fn short_packet_case() -> PacketCase {
    let shape = PacketShape { number_offset: 1, number_bytes: 4, payload_bytes: 16 };
    PacketCase { entry: EntryPoint::Protect, packets: vec![shape] }
}

/// Where a batch is told what nobody knew before, the packets' numbers and their lengths: of a forged packet it is not.
fn described_places(case: &PacketCase) -> Vec<(u64, u64)> {
    let packets = if case.entry == EntryPoint::UnprotectBatch { case.packets.len() as u64 } else { 0 };
    let places = |index| NUMBER_OFFSETS.map(|place| (DESCRIPTORS + DESCRIPTOR_BYTES * index + place, 8));
    (0..packets).flat_map(places).collect()
}

/// What has to be told of a packet behind a call, by it or by who called: where, in how many bits, and what.
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

/// Both ways on from the question whether a packet is genuine. Of those with forged packets the ones are followed in
/// which no other, or every packet before, is forged too.
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
