//! What a key's object counts beside the expanded keys, and what it refuses by that (RFC 9001 §6.6).

use super::{PacketCase, PacketKeyed, one_packet};
use crate::abi::leave;
use crate::execution::{Stop, run};
use crate::field::Bit;
use crate::machine::Machine;
use crate::reference::Direction;
use crate::refusal::Refusal;
use crate::word::Word;

/// How many packets a key protects, counted by their numbers; the codes behind them, and for a number below the first.
const MOST_PACKETS: u64 = 1 << 23;
const TOO_MANY: u32 = (-18_i32).cast_unsigned();
const FELL: u32 = (-17_i32).cast_unsigned();
/// What the object has in its place before there is a first packet (`engine/src/packet/limits.rs`).
const NO_NUMBER: u64 = 1 << 63;

impl PacketKeyed {
    /// Behind a first packet those that its key may not protect are refused, and left as they were (RFC 9001 §6.6).
    pub(super) fn expect_limits(&mut self) -> Result<(), Refusal> {
        for (number, refusal) in [(self.number + MOST_PACKETS, TOO_MANY), (self.number - 1, FELL)] {
            self.in_passing(&one_packet(), |keyed, case| {
                let (mut machine, laid, kept) = keyed.begin(case, (1, number))?;
                let before = machine.memory.contents(&keyed.small, &mut keyed.world.symbols)?;
                let Stop::Returned = run(&mut machine, &mut keyed.world)? else {
                    return Err(Refusal::Secret("a branch"));
                };
                leave(&mut machine, &mut keyed.world, &kept, refusal)?;
                let packet = [(laid[0].address, laid[0].given.len() as u64 / 8)];
                if machine.memory.contents(&packet, &mut keyed.world.symbols)? != laid[0].given {
                    return Err(Refusal::Wrong("a packet that is refused is changed".to_owned()));
                }
                if machine.memory.contents(&keyed.small, &mut keyed.world.symbols)? != before {
                    return Err(Refusal::Wrong("a packet that is refused changes what is beside the key".to_owned()));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Beside the keys the number of the first packet that is protected is kept, where there was none, and forged
    /// packets are counted; nothing else changes.
    pub(super) fn expect_counts(
        &mut self,
        case: &PacketCase,
        machine: &mut Machine,
        before: &[Bit],
        forged: u64,
    ) -> Result<(), Refusal> {
        let after = machine.memory.contents(&self.small, &mut self.world.symbols)?;
        let words = |bits: &[Bit]| bits.chunks(64).map(|bits| Word::of_bits(bits).known()).collect::<Vec<_>>();
        let (known, known_after) = (words(before), words(&after));
        let seals = case.entry.direction() == Direction::Sealing;
        let mut first = (seals && known.contains(&Some(NO_NUMBER))).then_some((NO_NUMBER, self.number));
        let mut count = (forged > 0).then_some(forged);
        for (index, (before, after)) in before.chunks(64).zip(after.chunks(64)).enumerate() {
            if before == after {
                continue;
            }
            let change = known[index].zip(known_after[index]).ok_or(Refusal::Secret("what is counted"))?;
            if first == Some(change) {
                first = None;
            } else if count.is_some_and(|count| change.1 == change.0.wrapping_add(count)) {
                count = None;
            } else {
                let (before, after) = change;
                return Err(Refusal::Wrong(format!("beside the key {before:#x} has become {after:#x}")));
            }
        }
        match (first, count) {
            (None, None) => Ok(()),
            (Some(_), _) => Err(Refusal::Wrong("the first packet's number is not kept".to_owned())),
            (None, Some(count)) => Err(Refusal::Wrong(format!("{count} forged packets are not counted"))),
        }
    }
}
