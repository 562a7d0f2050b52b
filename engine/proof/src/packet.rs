//! A QUIC packet that is protected, or opened behind an uncovered header (RFC 9001 §5.3, §5.4).

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;

use crate::aes;
use crate::case::{self, CodePath, FORGED, KEY, OK, RESULT};
use crate::execution::{Stop, run};
use crate::field::Bit;
use crate::machine::{Flag, Machine};
use crate::memory::{Access, Region};
use crate::native;
use crate::reference::{self, Block, Direction, Reference};
use crate::refusal::Refusal;
use crate::word::Word;
use crate::world::World;

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketCase {
    /// Sealing is `kasoku_quic_protect`, opening `kasoku_quic_open`.
    pub direction: Direction,
    /// Where the packet number begins.
    pub number_offset: usize,
    /// How many bytes it takes, 1 to 4.
    pub number_bytes: usize,
    /// Bytes of the payload.
    pub payload_bytes: usize,
}

/// Packet protection that the library's code has made out of unknown keys and an unknown IV.
pub struct PacketKeyed {
    world: World,
    machine: Machine,
    quic: u64,
    entries: [u64; 2],
    /// The nonce is the IV XOR [`NUMBER`]; the AAD is the header, the text the payload.
    packet_key: Reference,
    header_key: Reference,
}

/// The packet's number, which is public where it is compared with the limits: as good as any that has all eight bytes.
const NUMBER: u64 = 0x0123_4567_89AB_CDEF;
const IV: u64 = KEY + 0x800;
const HEADER_KEY: u64 = KEY + 0x900;
const PACKET: u64 = KEY + 0x40_0000;
const MOST_BYTES: usize = 1504;

impl PacketKeyed {
    /// Has the library's code expand two keys of so many unknown bytes, 16 or 32.
    ///
    /// # Errors
    /// If there is no such library, or its key schedule cannot be followed.
    pub fn new(library: &Path, path: CodePath, key_bytes: usize) -> io::Result<Result<Self, Refusal>> {
        let (library, mut world, mut machine) = case::load(library, path, |_, _| ())?;
        let entries = [library.symbol("kasoku_quic_protect")?, library.symbol("kasoku_quic_open")?];
        let create = library.symbol("kasoku_quic_create")?;
        let mut unknown = |bytes: usize| {
            let mut bits = vec![Bit::ZERO; 8 * bytes];
            world.symbols.fill(&mut bits);
            bits
        };
        let [key, header_key, iv] = [key_bytes, key_bytes, 12].map(&mut unknown);
        let [header, payload] = [32, MOST_BYTES].map(&mut unknown);
        Ok((|| {
            for (address, bits) in [(KEY, &key), (HEADER_KEY, &header_key), (IV, &iv)] {
                let bytes = bits.len() as u64 / 8;
                machine.memory.add(Region::unknown("the key's bytes", address, bytes, Access::READ));
                machine.memory.prepare(address, bits)?;
            }
            machine.memory.add(Region::unknown("the place of the key", RESULT, 8, Access::WRITE));
            let arguments = [KEY, key_bytes as u64, IV, HEADER_KEY, 0, RESULT];
            let kept = case::enter(&mut machine, &mut world, create, &arguments)?;
            let Stop::Returned = run(&mut machine, &mut world)? else { return Err(Refusal::Secret("a branch")) };
            case::leave(&mut machine, &mut world, &kept, OK)?;
            let mut address = [Bit::ZERO; 64];
            machine.memory.look(RESULT, &mut address, &mut world.symbols)?;
            let quic = Word::of_bits(&address).known().ok_or(Refusal::Secret("where the key is"))?;
            case::freeze(&mut machine);
            // What is counted is written; the expanded keys, some kilobytes, are not.
            machine.memory.allow_small("the heap", 256, Access::BOTH);
            let mut nonce = iv.clone();
            aes::add(&mut nonce[32..], &reference::bits(&NUMBER.to_be_bytes()));
            let mut packet_key = Reference::new(&key, nonce, header, payload, &mut world.symbols);
            let header_key = Reference::new(&header_key, Vec::new(), Vec::new(), Vec::new(), &mut world.symbols);
            // All packets have these blocks; only the mask's is each one's own.
            packet_key.keystream(MOST_BYTES / 16 + 2, &mut world.symbols);
            world.symbols.share();
            Ok(Self { world, machine, quic, entries, packet_key, header_key })
        })())
    }

    /// The instructions that were executed, as [`case::Keyed::take_instructions`] has them.
    pub fn take_instructions(&mut self) -> BTreeSet<Vec<u8>> {
        let executed = self.world.code.take_executed();
        let code = &mut self.world.code;
        executed.into_iter().filter_map(|at| native::anywhere(&*code.instruction(at)?)).collect()
    }

    /// At how many unknown bytes the S-box was asked for.
    #[must_use]
    pub fn substitutions(&self) -> usize {
        self.world.symbols.substitutions()
    }

    /// Executes the call, and compares all of the packet with the standard's.
    ///
    /// # Errors
    /// What is wrong.
    pub fn prove(&mut self, case: &PacketCase) -> Result<(), Refusal> {
        self.world.symbols.begin_call();
        let outcome = self.follow(case);
        self.world.symbols.forget_substitutions();
        outcome
    }

    fn follow(&mut self, case: &PacketCase) -> Result<(), Refusal> {
        let header_bytes = case.number_offset + case.number_bytes;
        let symbols = &mut self.world.symbols;
        let message = self.packet_key.message(case.direction, header_bytes, case.payload_bytes, symbols);
        let mut tag = [Bit::ZERO; 128];
        symbols.fill(&mut tag);
        let header = self.packet_key.aad(header_bytes);
        let given = [header, self.packet_key.text(case.payload_bytes), &tag].concat();
        let bytes = given.len() as u64 / 8;

        let mut machine = self.machine.clone();
        let packet = PACKET + (case.payload_bytes * 7 + header_bytes * 13) as u64 % 64;
        machine.memory.add(Region::unknown("the packet", packet, bytes, Access::BOTH));
        machine.memory.prepare(packet, &given)?;
        let seals = case.direction == Direction::Sealing;
        let length = if seals { bytes - 16 } else { bytes };
        let (offset, number_bytes) = (case.number_offset as u64, case.number_bytes as u64);
        let arguments = [self.quic, NUMBER, packet, offset, number_bytes, length];
        let entry = self.entries[case.direction as usize];
        let kept = case::enter(&mut machine, &mut self.world, entry, &arguments)?;
        let mut machines = Vec::new();
        match run(&mut machine, &mut self.world)? {
            Stop::Returned if seals => {
                let mut expected = [header, &message.text, &message.tag].concat();
                self.mask(case, &mut expected);
                machines.push((machine, OK, expected));
            }
            Stop::Verdict(asked) if !seals => {
                let difference: Block = std::array::from_fn(|place| message.tag[place] ^ tag[place]);
                if !case::verdicts(&difference).contains(&asked) {
                    return Err(Refusal::Wrong("the verdict is not on whether the tags are the same".to_owned()));
                }
                for (is_same, code) in [(true, OK), (false, FORGED)] {
                    let mut way: Machine = machine.clone();
                    way.flags.zero = Flag::Bit(is_same.into());
                    let Stop::Returned = run(&mut way, &mut self.world)? else {
                        return Err(Refusal::Secret("a branch"));
                    };
                    let payload = if is_same { message.text.clone() } else { vec![Bit::ZERO; message.text.len()] };
                    machines.push((way, code, [header, &payload, &tag].concat()));
                }
            }
            _ => return Err(Refusal::Secret("whether it returns")),
        }
        for (mut machine, code, expected) in machines {
            case::leave(&mut machine, &mut self.world, &kept, code)?;
            let mut found = vec![Bit::ZERO; expected.len()];
            machine.memory.look(packet, &mut found, &mut self.world.symbols)?;
            if let Some(bit) = (0..expected.len()).find(|&bit| found[bit] != expected[bit]) {
                return Err(Refusal::Wrong(format!("byte {} of the packet is wrong (bit {})", bit / 8, bit % 8)));
            }
        }
        Ok(())
    }

    /// Header protection (RFC 9001 §5.4.1): five bits of a short header's first byte, four of a long one's, and the
    /// packet number.
    fn mask(&mut self, case: &PacketCase, packet: &mut [Bit]) {
        let sample = 8 * (case.number_offset + 4);
        let mut block = [Bit::ZERO; 128];
        block.copy_from_slice(&packet[sample..sample + 128]);
        let mask = self.header_key.encrypt(&block, &mut self.world.symbols);
        let is_short = packet[7].inverted();
        for bit in 0..4 {
            packet[bit] ^= mask[bit];
        }
        packet[4] ^= mask[4].and(is_short);
        let number = 8 * case.number_offset;
        aes::add(&mut packet[number..number + 8 * case.number_bytes], &mask[8..]);
    }
}

impl fmt::Display for PacketCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, number_offset, number_bytes, payload_bytes } = self;
        let verb = if *direction == Direction::Sealing { "protecting" } else { "opening" };
        write!(f, "{verb} a packet of {payload_bytes} bytes with a number of {number_bytes} at {number_offset}")
    }
}
