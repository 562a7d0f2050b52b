//! The level `packets`, end to end: what a user of QUIC or TLS gains by one cryptography over another, when all that is around
//! it is there too.

use std::time::Duration;

use super::packets::NAME;
use super::wish::{Pace, Wish};
use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::Omission;
use crate::measure::transfer::{self, TransferCase, TransferPlan};
use crate::stack::kasoku;
use crate::stack::rustls_provider::{ALGORITHMS, ENTRIES};
use crate::workload::transfer::{LARGEST_DATAGRAM, Protection, RECORD_BYTES, SMALLEST_DATAGRAM, Transport};
use crate::workload::{NonceForm, Operation, Transfer, Workload};

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
        (true, _) => (5, 3, Duration::from_secs(60)),
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
        None => ALGORITHMS[..1].to_vec(),
    };
    let datagrams: Vec<usize> = match &wish.sizes {
        Some(sizes) => sizes.iter().copied().filter(is_datagram).collect(),
        None if is_full => DATAGRAMS.to_vec(),
        None => DATAGRAMS[..1].to_vec(),
    };
    let quic = datagrams.into_iter().map(|bytes| (Transport::Quic, bytes));
    let sizes: Vec<(Transport, usize)> = quic.chain([(Transport::Tls, RECORD_BYTES)]).collect();
    let mut cases = Vec::new();
    for algorithm in algorithms {
        for &(transport, bytes) in &sizes {
            for entry in ENTRIES {
                // What takes part where there is little time: what rustls has by default, and ours.
                let is_short = is_full || wish.pace != Pace::Quick || entry.name != "ring";
                let is_wanted = wish.stacks.as_ref().is_none_or(|names| names.iter().any(|name| name == entry.name));
                if !is_wanted || (wish.stacks.is_none() && !is_short) {
                    continue;
                }
                for protection in protections(transport, entry.name, is_full) {
                    let workload = Workload::new(Operation::Transfer, algorithm, bytes);
                    let workload = workload.with_transfer(Transfer { transport, protection });
                    cases.push(TransferCase { workload, stack: entry.name });
                }
            }
        }
    }
    cases
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
    use crate::stack::aws_lc;

    fn full() -> Wish {
        Wish { end_to_end: true, ..Wish::default() }
    }

    fn count(wish: &Wish) -> usize {
        plan(wish).map_or(0, |plan| plan.cases.len())
    }

    #[test]
    fn the_full_form_has_both_sizes_all_stacks_and_both_of_our_ways() {
        assert_eq!(count(&full()), 4 + 4 + 3);
        let plan = plan(&full()).unwrap();
        assert!(plan.time() <= Duration::from_secs(60) && plan.all_rounds() >= 5, "intervals need five rounds");
        assert_eq!(plan.cases[0].stack, aws_lc::ENTRY.name, "what the others are held against comes first");
        assert_eq!(count(&Wish { algorithms: Some(ALGORITHMS.to_vec()), ..full() }), 22);
        assert_eq!(count(&Wish { sizes: Some(vec![1200, 4000, 16]), ..full() }), 4 + 4 + 3);
        assert_eq!(count(&Wish { stacks: Some(vec!["ring".to_owned()]), ..full() }), 3);
    }

    #[test]
    fn the_short_forms_are_short() {
        let short = plan(&Wish::default()).unwrap();
        assert_eq!((short.cases.len(), short.time() <= Duration::from_secs(12)), (6, true));
        let quick = plan(&Wish { pace: Pace::Quick, ..Wish::default() }).unwrap();
        assert_eq!((quick.cases.len(), quick.time() <= Duration::from_secs(6)), (4, true));
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
