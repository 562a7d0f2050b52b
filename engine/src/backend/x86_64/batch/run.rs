//! Packets of one shape, one after the other.

use core::arch::asm;

use super::Direction;
use super::ends::{Lane, MAX_PLACES, mask_headers, tags};
use crate::backend::x86_64::aesni::One;
use crate::backend::x86_64::cipher::WideKeys;
use crate::backend::x86_64::hash::{Accumulator, add_consecutive};
use crate::backend::x86_64::lines::{HEADER_BYTES, Lines};
use crate::backend::x86_64::message;
use crate::backend::x86_64::packet::{ExpandedPacket, OnePacket};
use crate::backend::x86_64::parts::OnePlace;
use crate::backend::x86_64::pipeline::Begun;
use crate::backend::x86_64::schedule::{GROUP, Schedule};
use crate::backend::x86_64::unrolled;
use crate::backend::x86_64::vector::Vector;
use crate::backend::{Admission, Packet, Shape, wipe};
use crate::cpu::proof;
use crate::tag::TAG_BYTES;

/// A run of packets with short payloads that begins with packet `from`, whose group is admitted and has the shape; how
/// many packets it has. `None` if the payloads are more vectors than go in runs.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn short<V: OnePacket, const ROUNDS: usize, const SEAL: bool, T: Packet, D: Direction<V, T>>(
    key: &ExpandedPacket<V>,
    packets: &mut [T],
    from: usize,
    shape: &Shape,
    direction: &mut D,
) -> Option<usize> {
    let vectors = (shape.payload_bytes() + HEADER_BYTES).div_ceil(V::BYTES);
    // (Constants: what they leave out is not compiled.)
    if V::SIDE_BY_SIDE == 4 {
        return Some(match vectors {
            1 => run::<V, ROUNDS, SEAL, 4, 1, T, D>(key, packets, from, shape, direction),
            2 => run::<V, ROUNDS, SEAL, 4, 2, T, D>(key, packets, from, shape, direction),
            3 => run::<V, ROUNDS, SEAL, 2, 3, T, D>(key, packets, from, shape, direction),
            4 => run::<V, ROUNDS, SEAL, 2, 4, T, D>(key, packets, from, shape, direction),
            5 => run::<V, ROUNDS, SEAL, 2, 5, T, D>(key, packets, from, shape, direction),
            6 => run::<V, ROUNDS, SEAL, 1, 6, T, D>(key, packets, from, shape, direction),
            7 => run::<V, ROUNDS, SEAL, 1, 7, T, D>(key, packets, from, shape, direction),
            GROUP => run::<V, ROUNDS, SEAL, 1, GROUP, T, D>(key, packets, from, shape, direction),
            _ => return None,
        });
    }
    if V::SIDE_BY_SIDE == 2 {
        return Some(match vectors {
            1 => run::<V, ROUNDS, SEAL, 2, 1, T, D>(key, packets, from, shape, direction),
            2 => run::<V, ROUNDS, SEAL, 2, 2, T, D>(key, packets, from, shape, direction),
            3 => run::<V, ROUNDS, SEAL, 2, 3, T, D>(key, packets, from, shape, direction),
            _ => return None,
        });
    }
    Some(match vectors {
        2 => run::<V, ROUNDS, SEAL, 1, 2, T, D>(key, packets, from, shape, direction),
        3 => run::<V, ROUNDS, SEAL, 1, 3, T, D>(key, packets, from, shape, direction),
        4 => run::<V, ROUNDS, SEAL, 1, 4, T, D>(key, packets, from, shape, direction),
        5 => run::<V, ROUNDS, SEAL, 1, 5, T, D>(key, packets, from, shape, direction),
        6 => run::<V, ROUNDS, SEAL, 1, 6, T, D>(key, packets, from, shape, direction),
        _ => return None,
    })
}

/// The same for payloads that are not short.
#[cfg_attr(not(unoptimised), inline(always))]
pub(crate) fn long<V: OnePacket, const ROUNDS: usize, const SEAL: bool, T: Packet, D: Direction<V, T>>(
    key: &ExpandedPacket<V>,
    packets: &mut [T],
    from: usize,
    shape: &Shape,
    direction: &mut D,
) -> usize {
    run::<V, ROUNDS, SEAL, 1, LONG, T, D>(key, packets, from, shape, direction)
}

/// In place of a number of vectors: more than a group.
const LONG: usize = 0;

/// A run of packets whose payloads, with the places before them, are `N` vectors. `P` packets are encrypted side by
/// side, since one alone does not keep AES busy. Sealing, a short ciphertext is hashed while the next packets are
/// encrypted; opening, hash and AES need not wait for each other.
#[cfg_attr(not(unoptimised), inline(always))]
fn run<
    V: OnePacket,
    const ROUNDS: usize,
    const SEAL: bool,
    const P: usize,
    const N: usize,
    T: Packet,
    D: Direction<V, T>,
>(
    key: &ExpandedPacket<V>,
    packets: &mut [T],
    from: usize,
    shape: &Shape,
    direction: &mut D,
) -> usize {
    let expanded = key.key();
    let (proof, header_bytes, payload_bytes) = (expanded.proof, shape.header_bytes(), shape.payload_bytes());
    let numbers = direction.admission().numbers();
    // Headers are masked so many groups later: the sample of a short packet may extend over payload and tag, and could
    // not be read at once.
    let lag = if N == LONG { 1 } else { 2 };
    let mut wide = WideKeys::new::<ROUNDS>(expanded);
    // The products of the lengths are the same for all.
    let mut lengths = Accumulator::zero(proof);
    let block = message::lengths(expanded, header_bytes, payload_bytes);
    lengths.add_one(V::broadcast(proof, block).reverse(), V::broadcast(proof, expanded.first_power()));

    // Of two groups: the current one, and the one before or behind it.
    let mut lanes = [[Lane::new(proof); MAX_PLACES]; 2];
    let mut starts = [Starts::new(proof), Starts::new(proof)];
    starts[0].load::<V>(proof, &packets[from..from + V::BLOCKS], shape);
    // The ciphertext that is to be hashed.
    let mut hashed = [[V::zero(proof); N]; P];
    let mut begun: Option<Begun<V, ROUNDS>> = None;
    if N == LONG {
        begun = Some(begin_long(key, packets[from].number()));
    }
    let mut begin = from;
    let mut now = 0;
    loop {
        let next = begin + V::BLOCKS;
        direction.prepare::<ROUNDS>(key, packets, next + 2 * V::BLOCKS);
        let mut goes_on = false;
        if let Some(packets) = packets.get_mut(next..next + V::BLOCKS) {
            goes_on = true;
            unroll!(place < V::BLOCKS, of 4, {
                goes_on &= direction.admission().admit_as(&mut packets[place], shape, &numbers);
            });
            if goes_on {
                starts[1 - now].load::<V>(proof, packets, shape);
            }
        }
        for first in (0..V::BLOCKS).step_by(P) {
            let number = |packets: &[T], place: usize| packets[begin + first + place].number();
            let line = |packets: &mut [T], place: usize| {
                let payload = packets[begin + first + place].bytes_mut().as_mut_ptr().wrapping_add(header_bytes);
                // SAFETY: the payload is inside the packet.
                unsafe { Lines::new(payload, payload, payload_bytes) }
            };
            if N == LONG {
                let after = begin + first + 1;
                let after = if after < next || goes_on { Some(packets[after].number()) } else { None };
                // The first pairs of the next packet go into AES beside the last ones of this.
                let meanwhile = || after.map(|number| begin_long(key, number));
                let Some(this) = begun else { break };
                // SAFETY: the payload is long.
                let (tail, mask, other) = unsafe {
                    this.go_on::<SEAL, true, _>(expanded, starts[now].aad(first), line(packets, 0), OnePlace, meanwhile)
                };
                lanes[now][first] = Lane { sum: tail.hash(expanded), mask };
                begun = other;
                continue;
            }
            let (mut lines, mut counters) = ([line(packets, 0); P], [key.counters(number(packets, 0)); P]);
            unroll!(place < P, of 4, {
                (lines[place], counters[place]) = (line(packets, place), key.counters(number(packets, place)));
            });
            // SAFETY: payloads and the places before them are N vectors.
            let (states, payloads) =
                unsafe { unrolled::encrypt::<V, ROUNDS, P, N>(expanded, wide.hidden(), &counters, &lines) };
            if SEAL {
                let lanes =
                    if first == 0 { &mut lanes[1 - now][V::BLOCKS - P..] } else { &mut lanes[now][first - P..] };
                unroll!(place < P, of 4, {
                    lanes[place].sum = products(key, &hashed[place], &lines[0]);
                });
            }
            unroll!(place < P, of 4, {
                lanes[now][first + place].mask = V::second_block(&states[place]);
                hashed[place] = if SEAL { states[place] } else { payloads[place] };
                if SEAL && let Some(last) = hashed[place].last_mut() {
                    *last = lines[0].cut::<V, true>(*last, N.wrapping_sub(1));
                }
                let aad = starts[now].aad(first + place);
                V::set_first_two(&mut hashed[place], aad[0], aad[1]);
                if !SEAL {
                    lanes[now][first + place].sum = products(key, &hashed[place], &lines[0]);
                }
            });
        }
        if !SEAL {
            end_tags(key, &mut packets[begin..next], &lanes[now], &starts[now], &lengths, shape, direction);
        } else if begin > from {
            // Nothing of the previous group is in flight any more.
            let group = &mut packets[begin - V::BLOCKS..begin];
            end_tags(key, group, &lanes[1 - now], &starts[1 - now], &lengths, shape, direction);
        }
        begin = next;
        if SEAL && begin > from + lag * V::BLOCKS {
            let masked = begin - lag * V::BLOCKS;
            mask_headers::<V, ROUNDS>(key, &mut packets[masked - V::BLOCKS..masked], shape);
        }
        if !goes_on {
            break;
        }
        now = 1 - now;
    }
    if N != LONG {
        wipe(&mut wide);
    }
    if SEAL && N != LONG {
        // SAFETY: only the length is asked for.
        let lines = unsafe { Lines::new(core::ptr::null(), core::ptr::null_mut(), payload_bytes) };
        unroll!(place < P, of 4, {
            lanes[now][V::BLOCKS - P + place].sum = products(key, &hashed[place], &lines);
        });
    }
    if SEAL {
        let group = &mut packets[begin - V::BLOCKS..begin];
        end_tags(key, group, &lanes[now], &starts[now], &lengths, shape, direction);
        let unmasked = from.max(begin.saturating_sub(lag * V::BLOCKS));
        for group in packets[unmasked..begin].chunks_exact_mut(V::BLOCKS) {
            mask_headers::<V, ROUNDS>(key, group, shape);
        }
    }
    begin - from
}

/// Begins a payload that is not short.
#[cfg_attr(not(unoptimised), inline(always))]
fn begin_long<V: Schedule, const ROUNDS: usize>(key: &ExpandedPacket<V>, number: u64) -> Begun<V, ROUNDS> {
    let mut begun = Begun::new(key.key(), &key.counters(number), 0);
    // The compiler would compute it at its first use, much later.
    // SAFETY: nothing is done to it; it is in memory meanwhile.
    unsafe { asm!("/* {0} */", in(reg) &raw mut begun, options(nostack, preserves_flags)) };
    begun
}

/// The products of a short ciphertext.
#[cfg_attr(not(unoptimised), inline(always))]
fn products<V: Schedule, const N: usize>(key: &ExpandedPacket<V>, hashed: &[V; N], lines: &Lines) -> Accumulator<V> {
    let mut sum = Accumulator::zero(key.key().proof);
    add_consecutive::<V, N, false>(key.key(), &mut sum, hashed, unrolled::highest_power(lines));
    sum
}

/// Ends packets of a group whose sums are all there.
#[cfg_attr(not(unoptimised), inline(always))]
fn end_tags<V: OnePacket, T: Packet, D: Direction<V, T>>(
    key: &ExpandedPacket<V>,
    group: &mut [T],
    lanes: &[Lane<V>; MAX_PLACES],
    starts: &Starts,
    lengths: &Accumulator<V>,
    shape: &Shape,
    direction: &D,
) {
    let tags = tags(key, lanes, lengths);
    unroll!(place < V::BLOCKS, of 4, {
        direction.end(&mut group[place], shape, tags[place], starts.tags[place]);
    });
}

/// The beginnings of a group's packets, loaded a group ahead: right after the partial store of the previous payload, a
/// header could not be read at once. (Each block has its own array, so that no two of them are loaded as one.)
struct Starts {
    first: [One; MAX_PLACES],
    last: [One; MAX_PLACES],
    /// The tags of received packets. (They are compared before those of the next group but one are loaded.)
    tags: [One; MAX_PLACES],
}

impl Starts {
    #[inline(always)]
    fn new(proof: impl Into<proof::Aesni>) -> Self {
        let zero = [One::zero(proof.into()); MAX_PLACES];
        Self { first: zero, last: zero, tags: zero }
    }

    /// Loads those of packets of a shape, whose headers are two blocks at most.
    #[inline(always)]
    fn load<V: Schedule>(&mut self, proof: V::Proof, group: &[impl Packet], shape: &Shape) {
        let header_bytes = shape.header_bytes();
        let before = if header_bytes > 16 { 16 } else { 0 };
        unroll!(place < V::BLOCKS, of 4, {
            let start = group[place].bytes().as_ptr();
            // SAFETY: header and tag are inside the packet.
            unsafe {
                self.first[place] = V::load_block(proof, start, before);
                self.last[place] = V::load_block(proof, start.wrapping_add(before), header_bytes - before);
                self.tags[place] =
                    One::load(proof.into(), start.wrapping_add(shape.packet_bytes - TAG_BYTES));
            }
        });
    }

    /// The header of a packet as AAD.
    #[inline(always)]
    fn aad(&self, place: usize) -> [One; 2] {
        [self.first[place], self.last[place]]
    }
}
