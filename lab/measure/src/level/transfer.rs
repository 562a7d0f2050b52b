//! The level `packets`, end to end: what a user of QUIC or TLS gains by one cryptography over another, when all that is around
//! it is there too.

use std::time::Duration;

use super::packets::NAME;
use super::wish::{Pace, Wish};
use crate::transfer::{self, TransferCase, TransferPlan};
use kasoku_libraries::rustls_provider::{ALGORITHMS, ENTRIES};
use kasoku_libraries::{Entry, kasoku, ring};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Omission;
use kasoku_model::workload::transfer::{LARGEST_DATAGRAM, Protection, RECORD_BYTES, SMALLEST_DATAGRAM, Transport};
use kasoku_model::workload::{NonceForm, Operation, Transfer, Workload};

/// Payloads of UDP datagrams that make packets of 1.5 KB and 9 KB with the headers of IPv6 and UDP, as networks carry them.
const DATAGRAMS: [usize; 2] = [1452, 8952];

/// The plan; `None` if nothing of it was asked for, or nothing can be moved here.
pub(super) fn plan(wish: &Wish) -> Option<TransferPlan> {
    if not_asked_for(wish).is_some() || transfer::refused().is_some() {
        return None;
    }
    let cases = cases(wish);
    let (starts, rounds, budget) = match (wish.end_to_end, wish.pace) {
        (true, Pace::Quick) => (3, 3, Duration::from_secs(18)),
        (true, _) => (5, 3, Duration::from_secs(72)),
        (false, Pace::Quick) => (2, 3, Duration::from_millis(5_000)),
        (false, _) => (3, 3, Duration::from_millis(11_500)),
    };
    let (processes, rounds) = match wish.rounds {
        Some(_) => wish.starts_and_rounds(),
        None => (starts, rounds),
    };
    (!cases.is_empty()).then_some(TransferPlan { cases, processes, rounds, budget, duration: wish.slice })
}

/// What keeps data from being moved, where somebody may expect that it is.
pub(super) fn omission(wish: &Wish) -> Option<Omission> {
    let refused = || transfer::refused();
    let why = match not_asked_for(wish) {
        None => refused()?,
        Some(why) if wish.end_to_end || is_all(wish) => why.to_owned(),
        Some(_) => return None,
    };
    Some(Omission { level: NAME.to_owned(), why, ..Omission::default() })
}

/// Whether nothing else of the level was asked for.
pub(super) fn is_all(wish: &Wish) -> bool {
    wish.operations.as_ref().is_some_and(|wanted| wanted.as_slice() == [Operation::Transfer])
}

/// Why nothing is moved.
fn not_asked_for(wish: &Wish) -> Option<&'static str> {
    let is_explicit = wish.end_to_end || is_all(wish);
    if wish.pace == Pace::AsPublished && !is_explicit {
        return Some("nothing was published of it that could be done here");
    }
    if wish.threads.is_some_and(|threads| threads > 1) {
        return Some("data end to end goes from one thread to one");
    }
    if wish.operations.as_ref().is_some_and(|wanted| !wanted.contains(&Operation::Transfer)) {
        return Some("what is done end to end is transfer");
    }
    if wish.algorithms.as_ref().is_some_and(|wanted| wanted.iter().all(|one| !ALGORITHMS.contains(one))) {
        return Some("data end to end is protected with aes-128-gcm or aes-256-gcm");
    }
    if wish.acceleration.as_ref().is_some_and(|wanted| !wanted.contains(&Acceleration::On)) {
        return Some("data end to end is moved with acceleration on");
    }
    if wish.nonces.as_ref().is_some_and(|wanted| !wanted.contains(&NonceForm::Ahead)) {
        return Some("data end to end has nonces of the transport's own");
    }
    if wish
        .stacks
        .as_ref()
        .is_some_and(|wanted| ENTRIES.iter().all(|entry| !wanted.iter().any(|one| one == entry.name)))
    {
        return Some("data end to end is moved by the stacks aws-lc, ring and kasoku");
    }
    // Sizes of packets that are sealed need not be those of datagrams.
    if wish.sizes.is_some() && !is_explicit {
        return Some("sizes were asked for");
    }
    if wish.sizes.as_ref().is_some_and(|sizes| !sizes.iter().any(is_datagram)) {
        return Some("a QUIC datagram has from 1200 to 65507 bytes");
    }
    None
}

fn is_datagram(bytes: &usize) -> bool {
    (SMALLEST_DATAGRAM..=LARGEST_DATAGRAM).contains(bytes)
}

fn cases(wish: &Wish) -> Vec<TransferCase> {
    let is_full = wish.end_to_end || is_all(wish);
    let algorithms: Vec<Algorithm> = match &wish.algorithms {
        Some(wanted) => ALGORITHMS.into_iter().filter(|algorithm| wanted.contains(algorithm)).collect(),
        // rustls prefers the longer key, unless it is told otherwise.
        None if is_full && wish.pace != Pace::Quick => ALGORITHMS.to_vec(),
        None => ALGORITHMS[..1].to_vec(),
    };
    let datagrams: Vec<usize> = match &wish.sizes {
        Some(sizes) => sizes.iter().copied().filter(is_datagram).collect(),
        None if is_full => DATAGRAMS.to_vec(),
        None => DATAGRAMS[..1].to_vec(),
    };
    let quic = datagrams.into_iter().map(|bytes| (Transport::Quic, bytes));
    let sizes: Vec<(Transport, usize)> = quic.chain([(Transport::Tls, RECORD_BYTES)]).collect();
    let mut cases: Vec<TransferCase> = Vec::new();
    for (nth, algorithm) in algorithms.into_iter().enumerate() {
        for &(transport, bytes) in &sizes {
            let mut of_size = Vec::new();
            for entry in ENTRIES.into_iter().filter(|entry| takes_part(wish, entry, nth, is_full)) {
                for protection in protections(transport, entry.name, is_full) {
                    let workload = Workload::new(Operation::Transfer, algorithm, bytes);
                    let workload = workload.with_transfer(Transfer { transport, protection });
                    of_size.push(TransferCase { workload, stack: entry.name, is_twin: false });
                }
            }
            // Where there is little time, one tells what chance does, and not one for each size.
            let has_twin = nth == 0 && (is_full || cases.is_empty());
            let twin = of_size.first().filter(|_| has_twin).map(|case| TransferCase { is_twin: true, ..*case });
            cases.extend(of_size.into_iter().chain(twin));
        }
    }
    cases
}

/// Whether a stack does something with the `nth` cipher. Where there is little time: what rustls has by default, and ours.
fn takes_part(wish: &Wish, entry: &Entry, nth: usize, is_full: bool) -> bool {
    let has_time = if is_full { nth == 0 || wish.algorithms.is_some() } else { wish.pace != Pace::Quick };
    match &wish.stacks {
        Some(names) => names.iter().any(|name| name == entry.name),
        None => has_time || entry.name != ring::ENTRY.name,
    }
}

/// How a stack protects what goes over a transport: ours has two ways for packets.
fn protections(transport: Transport, stack: &str, is_full: bool) -> Vec<Protection> {
    match (transport, stack == kasoku::ENTRY.name) {
        (Transport::Quic, true) if is_full => vec![Protection::Provider, Protection::OnePass],
        (Transport::Quic, true) => vec![Protection::OnePass],
        _ => vec![Protection::Provider],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_libraries::aws_lc;

    fn full() -> Wish {
        Wish { end_to_end: true, ..Wish::default() }
    }

    fn count(wish: &Wish) -> usize {
        plan(wish).map_or(0, |plan| plan.cases.len())
    }

    #[test]
    fn the_full_form_has_both_sizes_all_stacks_and_both_of_our_ways() {
        let twins = 3;
        let plan = plan(&full()).unwrap();
        assert_eq!(plan.cases.len(), (4 + 4 + 3 + twins) + (3 + 3 + 2), "with the longer key without ring");
        assert!(plan.time() <= Duration::from_secs(75) && plan.all_rounds() >= 5, "intervals need five rounds");
        assert_eq!(plan.cases[0].stack, aws_lc::ENTRY.name, "what the others are held against comes first");
        let all: Vec<&TransferCase> = plan.cases.iter().filter(|case| case.is_twin).collect();
        assert!(
            all.len() == twins
                && all.iter().all(|twin| plan.cases.contains(&TransferCase { is_twin: false, ..**twin }))
        );
        assert_eq!(count(&Wish { pace: Pace::Quick, ..full() }), 4 + 4 + 3 + twins);
        assert_eq!(count(&Wish { algorithms: Some(ALGORITHMS.to_vec()), ..full() }), 22 + twins);
        assert_eq!(count(&Wish { algorithms: Some(vec![Algorithm::Aes256Gcm]), ..full() }), 11 + twins);
        let one = Wish { algorithms: Some(vec![Algorithm::Aes128Gcm]), ..full() };
        assert_eq!(count(&Wish { sizes: Some(vec![1200, 4000, 16]), ..one.clone() }), 4 + 4 + 3 + twins);
        assert_eq!(count(&Wish { stacks: Some(vec!["ring".to_owned()]), ..one }), 3 + twins);
    }

    #[test]
    fn the_short_forms_are_short() {
        let short = plan(&Wish::default()).unwrap();
        assert_eq!((short.cases.len(), short.time() <= Duration::from_secs(12)), (6 + 1, true));
        let quick = plan(&Wish { pace: Pace::Quick, ..Wish::default() }).unwrap();
        assert_eq!((quick.cases.len(), quick.time() <= Duration::from_secs(6)), (4 + 1, true));
        assert!(short.all_rounds() >= 5 && quick.all_rounds() >= 5, "intervals need five rounds");
        assert!(plan(&Wish { pace: Pace::AsPublished, ..Wish::default() }).is_none());
    }

    #[test]
    fn what_is_no_wish_for_it_is_said_where_it_was_asked_for() {
        for wish in [
            Wish { algorithms: Some(vec![Algorithm::Sha256]), ..full() },
            Wish { operations: Some(vec![Operation::Seal]), ..full() },
            Wish { sizes: Some(vec![16]), ..full() },
            Wish { stacks: Some(vec!["openssl".to_owned()]), ..full() },
            Wish { acceleration: Some(vec![Acceleration::Off]), ..full() },
            Wish { threads: Some(2), ..full() },
            Wish { nonces: Some(vec![NonceForm::Counted]), ..full() },
        ] {
            assert!(plan(&wish).is_none() && omission(&wish).is_some());
            assert!(omission(&Wish { end_to_end: false, ..wish.clone() }).is_none() || is_all(&wish));
        }
        assert_eq!(omission(&full()), None);
    }
}
