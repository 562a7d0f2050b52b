//! What the fuzz target does with an input; `tests/messages_any.rs` does the same with inputs of its own, without a
//! fuzzer.

use std::time::Duration;

use kasoku_fleet::connection;
use kasoku_fleet::gathering::{self, Gathered};
use kasoku_fleet::lines::{Join, Named, ServerAnswer, ServerQuestion};
use kasoku_fleet::meeting::is_part;
use kasoku_fleet::orders::{
    FollowerAnswer, Introduction, LeaderOrder, StepOrder, check_part, check_start, check_used, shown,
};
use kasoku_measure::tls::host::Part;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::histogram::Histogram;
use kasoku_model::workload::served::LatencyOf;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The run that hosts are gathered for, and the host that is heard.
pub(crate) const RUN: &str = "20261122-001122-ab";
pub(crate) const HOST: &str = "node-2";

/// The input is a message of the kind that its first byte says: whether it is accepted. Then it can be shown, counted
/// and sent on; otherwise it is refused with a reason that can be shown.
pub(crate) fn messages(input: &[u8]) -> bool {
    let Some((kind, message)) = input.split_first() else { return false };
    match kind % 7 {
        0 => heard::<Join>(message).is_some(),
        1 => heard::<ServerQuestion>(message).is_some(),
        2 => match heard::<ServerAnswer>(message) {
            Some(ServerAnswer::Here(description)) if connection::check(&description).is_ok() => {
                let texts = [&description.boot, &description.nginx, &description.openssl, &description.cpu];
                texts.into_iter().chain([&description.folder]).all(|text| is_shown(text))
            }
            Some(ServerAnswer::Used(used)) if check_used(&used, &step()).is_ok() => {
                assert!([used.workers.mean, used.workers.most, used.workers.waited].iter().all(|busy| *busy >= 0.0));
                true
            }
            _ => false,
        },
        3 => {
            let host = heard::<Introduction>(message).filter(|host| host.check().is_ok());
            host.is_some_and(|host| is_shown(&host.name) && is_shown(&shown(&host.error.unwrap_or_default())))
        }
        4 => match heard::<LeaderOrder>(message) {
            Some(LeaderOrder::Begin { part, .. }) if is_part(&part) => {
                assert!(!part.run.contains(['/', '\\', '.']), "{:?} becomes a file's name", part.run);
                true
            }
            Some(LeaderOrder::Step(step)) if step.check(step.headers.len(), step.connections.len()).is_ok() => {
                check(&Part::default(), &step);
                true
            }
            Some(LeaderOrder::Go(start_ns)) => check_start(start_ns, 5_000_000_000).is_ok(),
            Some(LeaderOrder::End(why)) => is_shown(&shown(&why.unwrap_or_default())),
            _ => false,
        },
        5 => match heard::<FollowerAnswer>(message) {
            Some(FollowerAnswer::Part(_, part)) => check(&part, &step()),
            Some(FollowerAnswer::Failed(_, why)) => is_shown(&shown(&why)),
            _ => false,
        },
        _ => match gathering::read(message, HOST, RUN) {
            Gathered::Run(document) => {
                assert!(document.run.id.starts_with(RUN) && document.machine.name.as_deref() == Some(HOST));
                true
            }
            Gathered::Nothing(why) => !is_shown(&why),
        },
    }
}

/// The message, if it is one of the kind: sent on it stays what it is.
fn heard<T: DeserializeOwned + Serialize>(message: &[u8]) -> Option<T> {
    let heard = serde_json::from_slice::<T>(message).ok()?;
    let sent = serde_json::to_vec(&heard).expect("plain values");
    let again = serde_json::from_slice::<T>(&sent).expect("it was sent");
    assert_eq!(sent, serde_json::to_vec(&again).expect("plain values"));
    Some(heard)
}

/// Whether a part is possible: then it can be added up with those of other hosts.
fn check(part: &Part, step: &StepOrder) -> bool {
    if check_part(part, step).is_err() {
        return false;
    }
    let mut all = Histogram::default();
    (0..100).for_each(|_| all.merge(&part.request));
    assert!(all.count() >= part.request.count());
    for times in [&part.connection, &part.request, &all] {
        let quantile = times.quantile_s(0.99);
        assert!(quantile.is_none_or(|quantile| quantile >= 0.0 && Some(quantile) <= times.longest_s()));
    }
    true
}

/// True, or a panic.
fn is_shown(text: &str) -> bool {
    assert!(text.len() < 20_000 && !text.chars().any(char::is_control), "{text:?}");
    true
}

/// The step that answers are held against.
pub(crate) fn step() -> StepOrder {
    StepOrder {
        number: 1,
        server: Named { library: "openssl".to_owned(), acceleration: Acceleration::On, workers: 1 },
        suite: Algorithm::CipherSuite(CipherSuite::Aes128Sha),
        bytes: 1 << 20,
        headers: vec![245],
        connections: vec![1, 1],
        of: 4,
        latency_of: LatencyOf::Connection,
        duration: Duration::from_secs(1),
        patience: Duration::from_secs(20),
        round: Some(0),
    }
}
