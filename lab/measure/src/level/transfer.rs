//! Plans the end-to-end transfers of the level `packets`. They show what a user of QUIC or TLS gains by another
//! cryptographic library, everything else included.

use std::time::Duration;

use super::options::{LevelOptions, Pace, excludes, first_reason};
use crate::plan::{TransferCase, TransferPlan};
use crate::transfer;
use kasoku_libraries::rustls_provider::{ALGORITHMS, ENTRIES};
use kasoku_libraries::{LibraryEntry, kasoku, ring};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Omission;
use kasoku_model::level::Level;
use kasoku_model::workload::transfer::{MAX_DATAGRAM, MIN_DATAGRAM, Protection, RECORD_BYTES, Transport};
use kasoku_model::workload::{NonceForm, Operation, Setting, Transfer, Workload};

/// Sizes in bytes of the UDP payload. With the headers of IPv6 and UDP they give packets of 1.5 KB and 9 KB, as
/// networks carry them.
const DATAGRAMS: [usize; 2] = [1452, 8952];

/// Makes the plan. Returns `None` if no transfers are requested, or if none can be measured here.
pub(super) fn plan(options: &LevelOptions) -> Option<TransferPlan> {
    if not_asked_for(options).is_some() || transfer::why_unavailable().is_some() {
        return None;
    }
    let cases = cases(options);
    let (starts, rounds, budget) = match (options.end_to_end == Some(true), options.pace) {
        (true, Pace::Quick) => (3, 3, Duration::from_secs(18)),
        (true, _) => (5, 3, Duration::from_secs(72)),
        (false, Pace::Quick) => (2, 3, Duration::from_millis(5_000)),
        (false, _) => (3, 3, Duration::from_millis(11_500)),
    };
    let (processes, rounds) = options.starts_and_rounds_or((starts, rounds));
    (!cases.is_empty()).then_some(TransferPlan { cases, processes, rounds, budget, duration: options.slice })
}

/// Returns why transfers are not measured, if the user may expect them.
pub(super) fn omission(options: &LevelOptions) -> Option<Omission> {
    let why = match not_asked_for(options) {
        None => transfer::why_unavailable()?,
        Some(why) if is_all(options) => why.to_owned(),
        Some(_) => return None,
    };
    Some(Omission::new(Level::Packets, why))
}

pub(super) fn is_all(options: &LevelOptions) -> bool {
    options.end_to_end == Some(true)
        || options.operations.as_ref().is_some_and(|wanted| wanted.as_slice() == [Operation::Transfer])
}

fn not_asked_for(options: &LevelOptions) -> Option<&'static str> {
    let LevelOptions { operations, algorithms, acceleration, nonces, libraries, sizes, .. } = options;
    first_reason(&[
        (options.threads.is_some_and(|threads| threads > 1), "data end to end goes from one thread to one"),
        (excludes(operations, &[Operation::Transfer]), "what is done end to end is transfer"),
        (excludes(algorithms, &ALGORITHMS), "data end to end is protected with aes-128-gcm or aes-256-gcm"),
        (excludes(acceleration, &[Acceleration::On]), "data end to end is moved with acceleration on"),
        (excludes(nonces, &[NonceForm::Ahead]), "data end to end has nonces of the transport's own"),
        (
            excludes(libraries, &ENTRIES.map(|entry| entry.name)),
            "data end to end is moved by the libraries aws-lc, ring and kasoku",
        ),
        // Named sizes are meant for sealed packets, not for datagrams.
        (sizes.is_some() && !is_all(options), "sizes were asked for"),
        (
            sizes.as_ref().is_some_and(|sizes| !sizes.iter().any(is_datagram)),
            "a QUIC datagram has from 1200 to 65507 bytes",
        ),
    ])
}

fn is_datagram(bytes: &usize) -> bool {
    (MIN_DATAGRAM..=MAX_DATAGRAM).contains(bytes)
}

fn cases(options: &LevelOptions) -> Vec<TransferCase> {
    let is_full = is_all(options);
    let algorithms: Vec<Algorithm> = match &options.algorithms {
        Some(wanted) => ALGORITHMS.into_iter().filter(|algorithm| wanted.contains(algorithm)).collect(),
        // rustls prefers the longer key by default.
        None if is_full && options.pace != Pace::Quick => ALGORITHMS.to_vec(),
        None => ALGORITHMS[..1].to_vec(),
    };
    let datagrams: Vec<usize> = match &options.sizes {
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
            for entry in ENTRIES.into_iter().filter(|entry| takes_part(options, entry, nth, is_full)) {
                for protection in protections(transport, entry.name, is_full) {
                    let workload = Workload::new(Operation::Transfer, algorithm, bytes);
                    let workload = workload.with_setting(Setting::Transfer(Transfer { transport, protection }));
                    of_size.push(TransferCase { workload, library: entry.name, is_control: false });
                }
            }
            // The short form has one A/A control, and not one for each size.
            let has_control = nth == 0 && (is_full || cases.is_empty());
            let control =
                of_size.first().filter(|_| has_control).map(|case| TransferCase { is_control: true, ..*case });
            cases.extend(of_size.into_iter().chain(control));
        }
    }
    cases
}

/// Whether a library is measured with the `nth` cipher. Short plans measure only Kasoku and the default library of
/// rustls.
fn takes_part(options: &LevelOptions, entry: &LibraryEntry, nth: usize, is_full: bool) -> bool {
    let has_time = if is_full { nth == 0 || options.algorithms.is_some() } else { options.pace != Pace::Quick };
    match &options.libraries {
        Some(names) => names.iter().any(|name| name == entry.name),
        None => has_time || entry.name != ring::ENTRY.name,
    }
}

/// Returns the ways in which a library protects data on a transport. Kasoku has two for packets.
fn protections(transport: Transport, library: &str, is_full: bool) -> Vec<Protection> {
    match (transport, library == kasoku::ENTRY.name) {
        (Transport::Quic, true) if is_full => vec![Protection::Provider, Protection::OnePass],
        (Transport::Quic, true) => vec![Protection::OnePass],
        _ => vec![Protection::Provider],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::reproduction::as_published;
    use kasoku_libraries::aws_lc;

    fn full() -> LevelOptions {
        LevelOptions { end_to_end: Some(true), ..LevelOptions::default() }
    }

    fn count(options: &LevelOptions) -> usize {
        plan(options).map_or(0, |plan| plan.cases.len())
    }

    #[test]
    fn full_transfer_plan_has_two_datagram_sizes_tls_records_all_libraries_and_controls() {
        let controls = 3;
        let plan = plan(&full()).unwrap();
        assert_eq!(
            plan.cases.len(),
            (4 + 4 + 3 + controls) + (3 + 3 + 2),
            "AES-128-GCM with ring, and AES-256-GCM without"
        );
        assert!(
            plan.time() <= Duration::from_secs(75) && plan.all_rounds() >= 5,
            "confidence intervals need five rounds"
        );
        assert_eq!(plan.cases[0].library, aws_lc::ENTRY.name, "the baseline of the comparisons comes first");
        let all: Vec<&TransferCase> = plan.cases.iter().filter(|case| case.is_control).collect();
        assert!(
            all.len() == controls
                && all.iter().all(|control| plan.cases.contains(&TransferCase { is_control: false, ..**control }))
        );
        assert_eq!(count(&LevelOptions { pace: Pace::Quick, ..full() }), 4 + 4 + 3 + controls);
        assert_eq!(count(&LevelOptions { algorithms: Some(ALGORITHMS.to_vec()), ..full() }), 22 + controls);
        assert_eq!(count(&LevelOptions { algorithms: Some(vec![Algorithm::Aes256Gcm]), ..full() }), 11 + controls);
        let one = LevelOptions { algorithms: Some(vec![Algorithm::Aes128Gcm]), ..full() };
        assert_eq!(count(&LevelOptions { sizes: Some(vec![1200, 4000, 16]), ..one.clone() }), 4 + 4 + 3 + controls);
        assert_eq!(count(&LevelOptions { libraries: Some(vec!["ring".to_owned()]), ..one }), 3 + controls);
    }

    #[test]
    fn short_transfer_plans_fit_their_time_limits() {
        let short = plan(&LevelOptions::default()).unwrap();
        assert_eq!((short.cases.len(), short.time() <= Duration::from_secs(12)), (6 + 1, true));
        let quick = plan(&LevelOptions { pace: Pace::Quick, ..LevelOptions::default() }).unwrap();
        assert_eq!((quick.cases.len(), quick.time() <= Duration::from_secs(6)), (4 + 1, true));
        assert!(short.all_rounds() >= 5 && quick.all_rounds() >= 5, "confidence intervals need five rounds");
        assert!(plan(&as_published(Level::Packets, LevelOptions::default())).is_none());
    }

    #[test]
    fn transfer_omission_explains_explicit_requests_only() {
        for options in [
            LevelOptions { algorithms: Some(vec![Algorithm::Sha256]), ..full() },
            LevelOptions { operations: Some(vec![Operation::Seal]), ..full() },
            LevelOptions { sizes: Some(vec![16]), ..full() },
            LevelOptions { libraries: Some(vec!["openssl".to_owned()]), ..full() },
            LevelOptions { acceleration: Some(vec![Acceleration::Off]), ..full() },
            LevelOptions { threads: Some(2), ..full() },
            LevelOptions { nonces: Some(vec![NonceForm::Counted]), ..full() },
        ] {
            assert!(plan(&options).is_none() && omission(&options).is_some());
            assert!(omission(&LevelOptions { end_to_end: None, ..options.clone() }).is_none());
        }
        assert_eq!(omission(&full()), None);
    }
}
