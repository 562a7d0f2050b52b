//! Lists the calls that are proven, as jobs.

use super::{Extent, Job, JobCalls, KeyOwner};
use crate::case::{BYTES_FOR_ALL_POWERS, CODE_PATHS, Case, CodePath, KeySetup, StreamCase, VectoredCase};
use crate::induction::LongCase;
use crate::packet::{EntryPoint, FIRST_NUMBERS, PacketCase, PacketShape};
use crate::reference::Direction;

/// Text length in bytes up to which every text length is proven with every AAD length and every key size.
pub const EXHAUSTIVE_TEXT_BYTES: usize = 1500;
/// AAD length in bytes up to which every AAD length is proven.
pub const EXHAUSTIVE_AAD_BYTES: usize = 48;

/// Text lengths in bytes above [`EXHAUSTIVE_TEXT_BYTES`]. Around some of them, the library's loops reload counters,
/// powers of H, or the table of AES states after two rounds; others are much longer.
pub const LONG_TEXT_BYTES: [usize; 20] = [
    1504, 1999, 2048, 2081, 4063, 4096, 4097, 6100, 8159, 8160, 8161, 8192, 8224, 8225, 12_287, 12_800, 13_317, 16_384,
    17_003, 20_513,
];
pub const LONG_AAD_BYTES: [usize; 8] = [49, 63, 64, 65, 128, 255, 512, 1001];

/// Sizes of the batches that are proven, in packets. The library interleaves two or four packets, so some sizes are
/// multiples of four, and others leave a remainder. It seals the packets of small batches one at a time.
const BATCH_SIZES: [usize; 11] = [2, 3, 4, 5, 6, 7, 8, 11, 16, 32, 64];
/// Maximum number of packets in a batch proven for opening. It is small, because the number of execution paths grows
/// with each packet that may be genuine or forged.
const MAX_OPENED_BATCH: usize = 11;

/// Lengths in bytes of the message that the library seals with a key before the calls to be proven; 0 means no message.
/// The library does not need all powers of H for any of these lengths.
const SEALED_BEFORE: [usize; 3] = [0, 300, 900];

pub const KEY_SIZES: [usize; 3] = [16, 24, 32];

/// Returns all jobs (groups of calls to prove) in order of increasing work. Threads take jobs from the end of the list.
pub(super) fn jobs(extent: Extent) -> Vec<Job> {
    let keys = || CODE_PATHS.into_iter().flat_map(|path| KEY_SIZES.map(|key_bytes| (path, key_bytes)));
    let mut jobs = Vec::new();
    for (path, key_bytes) in keys() {
        let job = |calls: JobCalls| Job { setup: path.into(), key_bytes, calls, number: 0 };
        let mut messages = |cases: Vec<Case>| jobs.push(job(JobCalls::Messages(cases)));
        match extent {
            Extent::Sample => {
                let lengths = (0..=EXHAUSTIVE_TEXT_BYTES).filter(|length| KEY_SIZES[length % 3] == key_bytes);
                let mut cases: Vec<Case> =
                    lengths.flat_map(|bytes| both_directions(bytes, varied_aad_bytes(bytes))).collect();
                // The reference caches the hash of one AAD, so calls with the same AAD are adjacent.
                cases.sort_by_key(|case| case.aad_bytes);
                messages(cases);
                if key_bytes == 16 {
                    messages([8161, 13_317].into_iter().flat_map(|bytes| both_directions(bytes, 13)).collect());
                }
            }
            Extent::Everything | Extent::Induction => {
                for aad in (0..=EXHAUSTIVE_AAD_BYTES).collect::<Vec<_>>().chunks(5) {
                    let lengths = |aad| (0..=EXHAUSTIVE_TEXT_BYTES).flat_map(move |bytes| both_directions(bytes, aad));
                    messages(aad.iter().copied().flat_map(lengths).collect());
                }
                let long_aad = LONG_AAD_BYTES
                    .into_iter()
                    .flat_map(|aad| (0..100).flat_map(move |bytes| both_directions(bytes, aad)));
                messages(long_aad.collect());
                messages(LONG_TEXT_BYTES.into_iter().flat_map(|bytes| both_directions(bytes, bytes % 33)).collect());
                // Lengths before the induction begins, each with one key size.
                let between: Vec<usize> = (EXHAUSTIVE_TEXT_BYTES + 1..first_inductive_length(path)).collect();
                for (index, lengths) in
                    between.chunks(128).enumerate().filter(|(index, _)| KEY_SIZES[index % 3] == key_bytes)
                {
                    let aad_bytes = varied_aad_bytes(index);
                    messages(lengths.iter().flat_map(|&bytes| both_directions(bytes, aad_bytes)).collect());
                }
            }
        }
        let long = long_messages(path).enumerate().filter(|(index, _)| match extent {
            // Lengths with different remainders modulo vectors and iterations.
            Extent::Sample => key_bytes == 16 && index % 139 == 0,
            // Each length with one key size.
            Extent::Everything | Extent::Induction => KEY_SIZES[index / 2 % 3] == key_bytes,
        });
        let long: Vec<LongCase> = long.map(|(_, case)| case).collect();
        jobs.extend(long.chunks(64).map(|cases| job(JobCalls::Long(cases.to_vec()))));
        let lengths: Vec<usize> = (0..=EXHAUSTIVE_TEXT_BYTES)
            .filter(|length| extent == Extent::Everything || length % 37 == key_bytes / 8)
            .collect();
        jobs.push(job(JobCalls::Streams(lengths.iter().copied().flat_map(stream_cases).collect())));
        jobs.push(job(JobCalls::Vectored(lengths.iter().copied().flat_map(vectored_cases).collect())));
        if extent == Extent::Everything {
            jobs.push(job(JobCalls::Vectored(LONG_TEXT_BYTES.into_iter().flat_map(vectored_cases).collect())));
        }
        if key_bytes == 32 {
            let lengths = (0..=EXHAUSTIVE_TEXT_BYTES).filter(|length| extent == Extent::Everything || length % 37 == 0);
            let mut cases: Vec<Case> =
                lengths.flat_map(|bytes| both_directions(bytes, varied_aad_bytes(bytes))).collect();
            cases.sort_by_key(|case| case.aad_bytes);
            jobs.push(job(JobCalls::Xaes(cases)));
            if extent == Extent::Everything {
                jobs.push(job(JobCalls::Xaes(
                    LONG_TEXT_BYTES.into_iter().flat_map(|bytes| both_directions(bytes, 13)).collect(),
                )));
            }
        }
        let with_aad =
            |aad: fn(usize) -> usize| lengths.iter().flat_map(move |&bytes| both_directions(bytes, aad(bytes)));
        // Each text length with AAD that fits the kernel and with longer AAD.
        let mut cases: Vec<Case> =
            with_aad(varied_aad_bytes).chain(with_aad(|bytes| LONG_AAD_BYTES[bytes % 8])).collect();
        cases.sort_by_key(|case| case.aad_bytes);
        let long: Vec<Case> = LONG_TEXT_BYTES.into_iter().flat_map(|bytes| both_directions(bytes, 13)).collect();
        for sealed_bytes in SEALED_BEFORE {
            let setup = KeySetup { sealed_bytes, ..path.into() };
            jobs.push(Job { setup, ..job(JobCalls::Messages(cases.clone())) });
            if extent == Extent::Everything {
                jobs.push(Job { setup, ..job(JobCalls::Messages(long.clone())) });
            }
        }
        jobs.push(job(JobCalls::Once(cases)));
        if extent == Extent::Everything {
            jobs.push(job(JobCalls::Once(long)));
        }
        // QUIC has no AES-192.
        if key_bytes != 24 {
            let lengths = (0..=EXHAUSTIVE_TEXT_BYTES)
                .filter(|length| extent == Extent::Everything || length % 6 == key_bytes / 16);
            // Of every eight lengths, four use each packet number, so that each number occurs with all headers and
            // number lengths.
            for number in 0..FIRST_NUMBERS.len() {
                let lengths = lengths.clone().filter(|bytes| bytes / 4 % FIRST_NUMBERS.len() == number);
                let cases = lengths.flat_map(|bytes| packet_cases(extent, bytes)).collect();
                jobs.push(Job { number, ..job(JobCalls::Packets(cases)) });
            }
            for count in BATCH_SIZES {
                let payloads = batch_payloads(extent, path, count).into_iter();
                jobs.push(job(JobCalls::Batches(payloads.flat_map(|bytes| batch_cases(count, bytes)).collect())));
            }
        }
    }
    jobs.extend(keys().flat_map(|(path, key_bytes)| alternative_key_jobs(extent, path, key_bytes)));
    jobs.extend(keys().flat_map(|(path, key_bytes)| wiping_jobs(path, key_bytes)));
    if extent == Extent::Induction {
        jobs.retain(|job| matches!(job.calls, JobCalls::Long(_)));
    }
    // Threads take jobs from the end, so the longest jobs run first.
    jobs.sort_by_key(Job::estimated_work);
    jobs
}

/// Returns jobs with a few calls of every kind for unusual keys:
///
/// * the second key of a process
/// * a key for which the library chooses its code path by CPUID
/// * a key in memory that the caller supplies
/// * packet keys for another network path
fn alternative_key_jobs(extent: Extent, path: CodePath, key_bytes: usize) -> Vec<Job> {
    let lengths: Vec<usize> = match extent {
        Extent::Sample => vec![0, 1, 100, 613, 1500],
        Extent::Everything | Extent::Induction => (0..=EXHAUSTIVE_TEXT_BYTES).step_by(20).collect(),
    };
    let mut jobs = Vec::new();
    for (is_default, is_second, is_lent) in
        [(false, true, false), (true, false, false), (true, true, false), (false, false, true)]
    {
        let setup = KeySetup { is_default, is_second, is_lent, ..path.into() };
        let mut add = |calls| jobs.push(Job { setup, key_bytes, calls, number: usize::from(is_second) });
        let messages = || lengths.iter().flat_map(|&bytes| both_directions(bytes, varied_aad_bytes(bytes))).collect();
        let first_of = |direction| long_messages(path).find(|case| case.direction == direction);
        add(JobCalls::Messages(messages()));
        add(JobCalls::Long(Direction::BOTH.into_iter().filter_map(first_of).collect()));
        add(JobCalls::Streams(lengths.iter().copied().flat_map(stream_cases).collect()));
        add(JobCalls::Vectored(lengths.iter().copied().flat_map(vectored_cases).collect()));
        if is_lent {
            continue; // only AES-GCM has such keys
        }
        if key_bytes == 32 {
            add(JobCalls::Xaes(messages()));
        }
        few_packet_calls(&lengths, key_bytes).for_each(add);
    }
    let setup = KeySetup { is_on_path: true, ..path.into() };
    for number in 0..FIRST_NUMBERS.len() {
        jobs.extend(few_packet_calls(&lengths, key_bytes).map(|calls| Job { setup, key_bytes, calls, number }));
    }
    jobs
}

/// Returns jobs that wipe or free a key: with the powers of H that a new key has, and with all of them; in memory of
/// the library, and in memory that the caller supplies.
fn wiping_jobs(path: CodePath, key_bytes: usize) -> Vec<Job> {
    let job = |owner, setup| Job { setup, key_bytes, calls: JobCalls::Wiping(owner), number: 0 };
    let gcm = [(0, false), (0, true), (BYTES_FOR_ALL_POWERS, false), (BYTES_FOR_ALL_POWERS, true)]
        .map(|(sealed_bytes, is_lent)| job(KeyOwner::AesGcm, KeySetup { sealed_bytes, is_lent, ..path.into() }));
    // XAES has keys of 32 bytes, and QUIC has no AES-192.
    let others = [(KeyOwner::Xaes, key_bytes == 32), (KeyOwner::Packets, key_bytes != 24)];
    gcm.into_iter()
        .chain(others.into_iter().filter(|(_, is_possible)| *is_possible).map(|(owner, _)| job(owner, path.into())))
        .collect()
}

/// Returns calls for a key size that QUIC has: one packet of each payload length in bytes, and batches of packets.
fn few_packet_calls(payload_bytes: &[usize], key_bytes: usize) -> impl Iterator<Item = JobCalls> + use<> {
    let packets = payload_bytes.iter().flat_map(|&bytes| packet_cases(Extent::Sample, bytes)).collect();
    let batches = [17, 200].into_iter().flat_map(|bytes| batch_cases(4, bytes)).collect();
    [JobCalls::Packets(packets), JobCalls::Batches(batches)].into_iter().filter(move |_| key_bytes != 24)
}

/// Returns the number of text bytes in a loop period (one pass of the main loop over its table of powers of H).
fn period(path: CodePath) -> usize {
    match path.backend {
        "vaes512" => 8192,
        "vaes256" => 4096,
        _ => 2048,
    }
}

/// Returns the shortest text length in bytes that is proven by induction. It is two loop periods (passes of the main
/// loop over its table of powers of H) and two blocks.
fn first_inductive_length(path: CodePath) -> usize {
    2 * period(path) + 32
}

/// Returns the cases that are proven by induction for a code path. For all text lengths of one case, the code from the
/// start of the call to the main loop is the same.
pub fn long_messages(path: CodePath) -> impl Iterator<Item = LongCase> {
    let period = period(path);
    // Lengths within one vector share the path to the loop.
    let vector = if path.backend == "vaes512" { 64 } else { 16 };
    Direction::BOTH.into_iter().flat_map(move |direction| {
        (0..period / vector).flat_map(move |index| {
            // With the two blocks before the data, the last vector is full in the first case, and has one or more bytes
            // in the second.
            let whole = first_inductive_length(path) + vector * index;
            [(whole, 1), (whole + 1, vector - 1)].map(|(shortest, endings)| {
                // Several consecutive cases share their AAD, because the reference caches the hash of one AAD.
                let aad_bytes = [13, 0, 20, 48, 5, 33][index / 32 % 6];
                let is_in_place = index / 2 % 2 == 1;
                LongCase { direction, shortest, aad_bytes, is_in_place, period, vector, endings }
            })
        })
    })
}

/// Returns cases that pass a text in parts: in two parts, or in up to thirty equal parts and a remainder.
fn stream_cases(bytes: usize) -> Vec<StreamCase> {
    let (first, piece) = (bytes * 3 / 7, 1 + bytes * 5 % 67);
    let many = (bytes / piece).min(30);
    let aad = varied_aad_bytes(bytes);
    let splits = [vec![first, bytes - first], [vec![piece; many], vec![bytes - many * piece]].concat()];
    let cases = splits.into_iter().flat_map(|pieces| {
        Direction::BOTH.map(|direction| StreamCase {
            direction,
            pieces: pieces.clone(),
            aad_pieces: vec![aad / 3, aad - aad / 3],
            is_in_place: bytes % 2 == 1,
        })
    });
    cases.collect()
}

/// Returns cases that pass a text as a list of slices. AAD is passed in zero, one or three slices. There are two lists
/// of text slices:
///
/// * five bytes (the header of a TLS record), and the rest
/// * for even text lengths ten equal slices and a remainder; for odd lengths unequal slices, some of zero or one byte
fn vectored_cases(bytes: usize) -> Vec<VectoredCase> {
    let (head, odd) = (bytes.min(5), bytes * 3 / 7);
    let aad = varied_aad_bytes(bytes);
    let other = if bytes.is_multiple_of(2) {
        [vec![bytes / 10; 10], vec![bytes % 10]].concat()
    } else {
        vec![0, 1, odd, 0, bytes - 1 - odd]
    };
    let aad_pieces = match bytes % 5 {
        0 => vec![],
        1 | 2 => vec![aad / 3, 0, aad - aad / 3],
        _ => vec![aad],
    };
    let cases = [vec![head, bytes - head], other].into_iter().flat_map(|pieces| {
        Direction::BOTH.map(|direction| VectoredCase {
            direction,
            pieces: pieces.clone(),
            aad_pieces: aad_pieces.clone(),
        })
    });
    cases.collect()
}

/// Returns cases with one packet each: for every fourth header length from 2 to 32 bytes, or for one header length if
/// `extent` is [`Extent::Sample`].
fn packet_cases(extent: Extent, payload_bytes: usize) -> impl Iterator<Item = PacketCase> {
    let headers = (2..=32).filter(move |header| (header + payload_bytes).is_multiple_of(4));
    let one = match extent {
        Extent::Sample => Some(payload_bytes / 6 % 8),
        Extent::Everything | Extent::Induction => None,
    };
    let chosen = headers.enumerate().filter(move |(index, _)| one.is_none_or(|one| one == index % 8));
    chosen.filter_map(move |(_, header_bytes)| packet_shape(header_bytes, payload_bytes)).flat_map(|shape| {
        [EntryPoint::Protect, EntryPoint::Open, EntryPoint::Unprotect]
            .map(|entry| PacketCase { entry, packets: vec![shape] })
    })
}

/// Returns a packet shape with the given lengths of header and payload. Its packet-number length varies with these
/// lengths. Returns `None` if the packet number does not fit in the header, or the packet is too short for header
/// protection.
fn packet_shape(header_bytes: usize, payload_bytes: usize) -> Option<PacketShape> {
    let number_bytes = (1 + (payload_bytes + header_bytes / 4) % 4).max(4_usize.saturating_sub(payload_bytes));
    let number_bytes = number_bytes.min(header_bytes - 1);
    let is_possible = number_bytes + payload_bytes >= 4;
    is_possible.then_some(PacketShape { number_offset: header_bytes - number_bytes, number_bytes, payload_bytes })
}

/// Returns payload lengths in bytes for batches of `count` packets: short lengths, lengths around the ends of vectors,
/// and common packet sizes. For large batches, there are fewer lengths, and few or none for which the library seals
/// packets one at a time.
fn batch_payloads(extent: Extent, path: CodePath, count: usize) -> Vec<usize> {
    let ends_of_vectors = [383, 384, 385, 448, 479, 480, 481, 512];
    let long = [639, 641, 1000, 1023, 1025, 1162, 1200, 1214, 1350, 1424, 1452, 1500];
    match (extent, count) {
        (Extent::Sample, ..=8) => vec![0, 17, 95, 200, 1200],
        (Extent::Sample, _) => vec![0, 17, 95, 200],
        (_, ..=8) => (0..=300).step_by(7).chain(ends_of_vectors).chain(long).collect(),
        // This path seals all lengths side by side: every number of vector pairs at the end of an iteration, and an odd
        // vector.
        (_, 64) if (path.backend, path.schedule) == ("vaes512", "schoolbook") => {
            (0..=300).step_by(21).chain(ends_of_vectors).chain([545, 641, 769, 1000, 1200, 1452, 1500]).collect()
        }
        _ => (0..=300).step_by(21).chain(ends_of_vectors).collect(),
    }
}

/// Returns three kinds of batches: equal packets, equal packets with a shorter last packet, and different packets.
/// Batches of different packets have [`MAX_OPENED_BATCH`] packets or fewer.
fn batch_cases(count: usize, payload_bytes: usize) -> Vec<PacketCase> {
    let header_bytes = 2 + (payload_bytes * 5 + count) % 31;
    // A short payload needs a longer packet number, and hence a longer header.
    let possible =
        |header: usize, payload: usize| packet_shape(header.max(1 + 4_usize.saturating_sub(payload)), payload);
    let same: Vec<PacketShape> = std::iter::repeat_n(possible(header_bytes, payload_bytes), count).flatten().collect();
    let mut last = same.clone();
    if let Some(last) = last.last_mut() {
        last.payload_bytes = (4 + payload_bytes / 3).min(payload_bytes);
    }
    let each =
        (0..count).filter_map(|index| possible(2 + (header_bytes + 7 * index) % 31, payload_bytes / (index + 1)));
    let (mut shapes, mut entries) = (vec![same, last], vec![EntryPoint::ProtectBatch]);
    if count <= MAX_OPENED_BATCH {
        shapes.push(each.collect());
        entries.extend([EntryPoint::OpenBatch, EntryPoint::UnprotectBatch]);
    }
    let of_entry = |entry| shapes.iter().map(move |packets| PacketCase { entry, packets: packets.clone() });
    entries.into_iter().flat_map(of_entry).collect()
}

/// Returns an AAD length that differs for consecutive values of `number`.
fn varied_aad_bytes(number: usize) -> usize {
    number * 5 % (EXHAUSTIVE_AAD_BYTES + 1)
}

/// Returns two cases with the given lengths of text and AAD in bytes: one that seals and one that opens. Both cases
/// work in place if `bytes / 2 + aad_bytes` is odd.
#[must_use]
pub fn both_directions(bytes: usize, aad_bytes: usize) -> [Case; 2] {
    let is_in_place = (bytes / 2 + aad_bytes) % 2 == 1;
    Direction::BOTH.map(|direction| Case { direction, bytes, aad_bytes, is_in_place })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn jobs_cover_every_text_length_on_each_code_path_in_both_directions() {
        let jobs = jobs(Extent::Everything);
        for (path, direction) in CODE_PATHS.into_iter().flat_map(|path| Direction::BOTH.map(|way| (path, way))) {
            let mut lengths = BTreeSet::new();
            for job in jobs.iter().filter(|job| job.setup == KeySetup::from(path)) {
                match &job.calls {
                    JobCalls::Messages(cases) => {
                        let these = cases.iter().filter(|case| case.direction == direction);
                        lengths
                            .extend(these.map(|case| case.bytes).filter(|&bytes| bytes < first_inductive_length(path)));
                    }
                    JobCalls::Long(cases) => {
                        let these = cases.iter().filter(|case| case.direction == direction);
                        lengths.extend(these.flat_map(|case| case.shortest..case.shortest + case.endings));
                    }
                    _ => {}
                }
            }
            assert!(lengths.into_iter().eq(0..first_inductive_length(path) + period(path)), "{path}, {direction:?}");
        }
    }

    #[test]
    fn batch_cases_have_requested_packet_count_and_valid_lengths() {
        for (count, payload) in
            BATCH_SIZES.into_iter().flat_map(|count| (0..=1500).map(move |payload| (count, payload)))
        {
            let batches = batch_cases(count, payload);
            assert_eq!(batches.len(), if count > MAX_OPENED_BATCH { 2 } else { 9 });
            for packet in
                batches.iter().inspect(|batch| assert_eq!(batch.packets.len(), count)).flat_map(|b| &b.packets)
            {
                assert!(packet.number_bytes + packet.payload_bytes >= 4 && packet.payload_bytes <= payload);
            }
        }
    }

    #[test]
    fn calls_with_long_texts_are_proven_at_two_random_points() {
        for job in jobs(Extent::Everything) {
            let longest = match &job.calls {
                JobCalls::Messages(cases) | JobCalls::Once(cases) | JobCalls::Xaes(cases) => {
                    cases.iter().map(|case| case.bytes).max()
                }
                JobCalls::Long(cases) => cases.iter().map(|case| case.shortest).max(),
                JobCalls::Streams(cases) => cases.iter().map(|case| case.pieces.iter().sum()).max(),
                JobCalls::Vectored(cases) => cases.iter().map(|case| case.pieces.iter().sum()).max(),
                JobCalls::Packets(cases) | JobCalls::Batches(cases) => {
                    cases.iter().map(|case| case.packets.iter().map(|packet| packet.payload_bytes).sum()).max()
                }
                JobCalls::Wiping(_) => None,
            };
            assert!(longest.unwrap_or(0) <= EXHAUSTIVE_TEXT_BYTES || job.calls.need_two_points(), "{}", job.calls);
        }
    }
}
