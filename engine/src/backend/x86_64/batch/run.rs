//! Runs of packets: consecutive packets with equal lengths. A group is a part of a run with one packet for each lane of
//! a vector. The tags and header masks of a group are computed together.

use core::arch::asm;

use super::Direction;
use super::ends::{Lane, MAX_LANES, mask_headers, tags};
use crate::backend::x86_64::aesni::Lanes1;
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

/// Seals or opens a run: consecutive packets of equal lengths, with short payloads, from index `from` on. The caller
/// has checked the first packets, one for each lane of a vector; their lengths are in `shape`. Returns the number of
/// packets processed, or `None` if the payloads are too long for this function.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn short<V: OnePacket, const ROUNDS: usize, const SEAL: bool, T: Packet, D: Direction<V, T>>(
    key: &ExpandedPacket<V>,
    packets: &mut [T],
    from: usize,
    shape: &Shape,
    direction: &mut D,
) -> Option<usize> {
    let vectors = (shape.payload_bytes() + HEADER_BYTES).div_ceil(V::BYTES);
    // (The conditions are constants, so excluded arms are not compiled.)
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

/// Seals or opens a run: consecutive packets of equal lengths, from index `from` on. Their payloads have more than
/// [`max_short_bytes`](message::max_short_bytes) bytes. Returns the number of packets processed.
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

/// Value of the constant parameter `N` of [`run`] for long payloads, whose number of vectors is not fixed at compile
/// time. (Other values of `N` are at least 1.)
const LONG: usize = 0;

/// Seals or opens a run of packets with equal lengths, and returns the number of packets. Each payload, with two more
/// blocks for counter 0 (unused) and J0, fills `N` vectors. Interleaves `P` packets, since one short packet does not
/// keep the AES units busy. Sealing hashes a ciphertext while it encrypts the next packets; opening hashes and decrypts
/// a packet at the same time.
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
    // Number of groups by which the masking of headers is delayed. The sample of a short packet may extend over payload
    // and tag, and could not be read soon after both were written.
    let lag = if N == LONG { 1 } else { 2 };
    let mut wide = WideKeys::new::<ROUNDS>(expanded);
    // The product of the lengths is the same for all packets.
    let mut lengths = Accumulator::zero(proof);
    let block = message::lengths(expanded, header_bytes, payload_bytes);
    lengths.add_one(V::broadcast(proof, block).reverse(), V::broadcast(proof, expanded.first_power()));

    // State of two groups: the current group and the previous or next one.
    let mut lanes = [[Lane::new(proof); MAX_LANES]; 2];
    let mut starts = [Starts::new(proof), Starts::new(proof)];
    starts[0].load::<V>(proof, &packets[from..from + V::BLOCKS], shape);
    // Ciphertext that is not hashed yet.
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
                // Encrypts the next packet's first pairs while this packet's last pairs are processed.
                let meanwhile = || after.map(|number| begin_long(key, number));
                let Some(this) = begun else { break };
                // SAFETY: the payload has the length of a long message.
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
            // SAFETY: each payload, with the two blocks before it, fills N vectors.
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
            // The hash of the previous group is complete now.
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
        // SAFETY: only the length of these lines is used.
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

#[cfg_attr(not(unoptimised), inline(always))]
fn begin_long<V: Schedule, const ROUNDS: usize>(key: &ExpandedPacket<V>, number: u64) -> Begun<V, ROUNDS> {
    let mut begun = Begun::new(key.key(), &key.counters(number), 0);
    // The assembly keeps the compiler from delaying this work until its first use, which is much later.
    // SAFETY: the assembly is empty; `begun` stays in memory during it.
    unsafe { asm!("/* {0} */", in(reg) &raw mut begun, options(nostack, preserves_flags)) };
    begun
}

#[cfg_attr(not(unoptimised), inline(always))]
fn products<V: Schedule, const N: usize>(key: &ExpandedPacket<V>, hashed: &[V; N], lines: &Lines) -> Accumulator<V> {
    let mut sum = Accumulator::zero(key.key().proof);
    add_consecutive::<V, N, false>(key.key(), &mut sum, hashed, unrolled::highest_power(lines));
    sum
}

/// Computes the tags of several packets, one in each lane of a vector. Writes the tags of outgoing packets, and
/// verifies the tags of received packets.
#[cfg_attr(not(unoptimised), inline(always))]
fn end_tags<V: OnePacket, T: Packet, D: Direction<V, T>>(
    key: &ExpandedPacket<V>,
    group: &mut [T],
    lanes: &[Lane<V>; MAX_LANES],
    starts: &Starts,
    lengths: &Accumulator<V>,
    shape: &Shape,
    direction: &D,
) {
    let tags = tags(key, lanes, lengths);
    unroll!(place < V::BLOCKS, of 4, {
        direction.finish(&mut group[place], shape, tags[place], starts.tags[place]);
    });
}

/// Header blocks and received tags of several packets, one for each lane of a vector. They are loaded in advance,
/// because a load just after the partial store of the previous payload would wait for that store. (Each kind of block
/// has its own array, so that the compiler does not load two blocks with one instruction.)
struct Starts {
    /// First block of each header that has two blocks; zero for headers of one block.
    first: [Lanes1; MAX_LANES],
    /// Last block of each header.
    last: [Lanes1; MAX_LANES],
    /// Received tags, which are compared with the computed tags when opening.
    tags: [Lanes1; MAX_LANES],
}

impl Starts {
    #[inline(always)]
    fn new(proof: impl Into<proof::Aesni>) -> Self {
        let zero = [Lanes1::zero(proof.into()); MAX_LANES];
        Self { first: zero, last: zero, tags: zero }
    }

    /// Loads the headers and tags of packets with equal lengths. The headers have at most two blocks.
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
                    Lanes1::load(proof.into(), start.wrapping_add(shape.packet_bytes - TAG_BYTES));
            }
        });
    }

    /// Returns the header of the packet with index `place` as two blocks of AAD.
    #[inline(always)]
    fn aad(&self, place: usize) -> [Lanes1; 2] {
        [self.first[place], self.last[place]]
    }
}
