//! Checks the counters of a packet-protection object, and the limits that these counters enforce (RFC 9001 §6.6).

use super::{PacketCase, PacketProver, short_packet_case};
use crate::abi::check_returned_code;
use crate::execution::run_to_return;
use crate::field::Bit;
use crate::machine::Machine;
use crate::reference::Direction;
use crate::refusal::Refusal;
use crate::word::Word;

/// Maximum number of packets that a key may protect (RFC 9001 §6.6).
const MAX_PACKETS: u64 = 1 << 23;
const PACKET_LIMIT_REACHED: u32 = (-18_i32).cast_unsigned();
const NUMBER_TOO_LOW: u32 = (-17_i32).cast_unsigned();
/// Value in place of a first packet number while a key has not protected any packet, as in
/// `engine/src/packet/limits.rs`.
const NO_FIRST_NUMBER: u64 = 1 << 63;
/// Number of packet numbers that the first packet takes from the limit, as in the same file.
const SHARE: u64 = 1 << 16;

impl PacketProver {
    /// Checks that the library rejects two packet numbers without changing the packet: a number below the first one,
    /// and a number beyond the packet limit of the key.
    pub(super) fn expect_limits(&mut self) -> Result<(), Refusal> {
        for (number, refusal) in [(self.number + MAX_PACKETS, PACKET_LIMIT_REACHED), (self.number - 1, NUMBER_TOO_LOW)]
        {
            self.with_temporary_s_box(&short_packet_case(), |prover, case| {
                let (mut machine, prepared, saved) = prover.begin(case, (1, number))?;
                let before = machine.memory.peek_all(&prover.counter_memory, &mut prover.context.symbols)?;
                run_to_return(&mut machine, &mut prover.context)?;
                check_returned_code(&mut machine, &mut prover.context, &saved, refusal)?;
                let packet = [(prepared[0].address, prepared[0].given.len() as u64 / 8)];
                if machine.memory.peek_all(&packet, &mut prover.context.symbols)? != prepared[0].given {
                    return Err(Refusal::wrong("a packet that is refused is changed"));
                }
                if machine.memory.peek_all(&prover.counter_memory, &mut prover.context.symbols)? != before {
                    return Err(Refusal::wrong("a packet that is refused changes what is beside the key"));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Checks that a call changes only counters in the packet-protection object: the number of forged packets, which
    /// must grow by `forged`, and those that only the first protected packet sets. These are the first packet number,
    /// the number of packet numbers taken from the limit, and the rest of the limit.
    pub(super) fn expect_counters(
        &mut self,
        case: &PacketCase,
        machine: &mut Machine,
        before: &[Bit],
        forged: u64,
    ) -> Result<(), Refusal> {
        let after = machine.memory.peek_all(&self.counter_memory, &mut self.context.symbols)?;
        let words = |bits: &[Bit]| bits.chunks(64).map(|bits| Word::from_bits(bits).known()).collect::<Vec<_>>();
        let (known, known_after) = (words(before), words(&after));
        let seals = case.entry.direction() == Direction::Sealing;
        let unused = known.iter().filter(|&&word| word == Some(NO_FIRST_NUMBER)).count();
        let mut expected = match seals && unused > self.idle_objects {
            true => vec![(NO_FIRST_NUMBER, self.number), (0, SHARE), (MAX_PACKETS, MAX_PACKETS - SHARE)],
            false => Vec::new(),
        };
        let mut count = (forged > 0).then_some(forged);
        for (index, (before, after)) in before.chunks(64).zip(after.chunks(64)).enumerate() {
            if before == after {
                continue;
            }
            let change = known[index].zip(known_after[index]).ok_or(Refusal::Secret("what is counted"))?;
            if let Some(place) = expected.iter().position(|&expected| expected == change) {
                expected.remove(place);
            } else if count.is_some_and(|count| change.1 == change.0.wrapping_add(count)) {
                count = None;
            } else {
                let (before, after) = change;
                return Err(Refusal::Wrong(format!("beside the key {before:#x} has become {after:#x}")));
            }
        }
        match (expected.first(), count) {
            (None, None) => Ok(()),
            (Some((before, _)), _) => Err(Refusal::Wrong(format!("beside the key {before:#x} does not change"))),
            (None, Some(count)) => Err(Refusal::Wrong(format!("{count} forged packets are not counted"))),
        }
    }
}
