//! Orders of the first host to the others, and their answers. Neither is trusted: lengths are bounded before they are
//! read, and what was read is checked before it is used.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lines::{Named, Used};
use super::token::Token;
use kasoku_measure::tls::Busy;
use kasoku_measure::tls::host::Part;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::FleetPart;
use kasoku_model::printable::printable;
use kasoku_model::workload::served::LatencyOf;

/// The longest of these messages.
pub const MAX: usize = 4 << 20;
/// The longest text in one.
const MAX_TEXT: usize = 1000;
/// No start is further ahead.
const MAX_AHEAD: Duration = Duration::from_secs(60);
/// The longest step.
const MAX_STEP: Duration = Duration::from_secs(2 * 86_400);

/// What each host says first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Introduction {
    /// What it calls itself.
    pub name: String,
    /// The start of its kernel.
    pub boot: String,
    /// The version of Kasoku.
    pub kasoku: String,
    /// Why it cannot take part.
    pub error: Option<String>,
}

/// What the first host tells another.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaderOrder {
    /// The run begins.
    Begin {
        /// What the host is in it.
        part: FleetPart,
        /// The run's name on servers.
        run: Token,
    },
    /// A step comes.
    Step(StepOrder),
    /// The leader wants to know the host's time; it asks several times.
    Time,
    /// The step begins at this time of the host's own clock.
    Go(u64),
    /// All is gathered.
    Gathered,
    /// It is over, and why if it went wrong.
    End(Option<String>),
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepOrder {
    /// Its number; answers bear it.
    pub number: u64,
    /// The server, on each of the hosts that serve.
    pub server: Named,
    /// The suite.
    pub suite: Algorithm,
    /// The file's size.
    pub bytes: u64,
    /// The length of the header in front of it, for each address.
    pub headers: Vec<u64>,
    /// Connections at once, for each of the host's clients.
    pub connections: Vec<usize>,
    /// Connections at once, of all hosts together.
    pub of: usize,
    /// Whose time must not be too long.
    pub latency_of: LatencyOf,
    /// How long new ones begin.
    pub duration: Duration,
    /// How long it may take in all.
    pub patience: Duration,
    /// Its round, if it counts.
    pub round: Option<u32>,
}

/// What a host answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FollowerAnswer {
    /// It is ready, with clients on these cores.
    Ready(Vec<usize>),
    /// What its clients saw in the step of that number.
    Part(u64, Part),
    /// What went wrong, in the step of that number if it was in one.
    Failed(Option<u64>, String),
}

impl Introduction {
    /// Whether it is possible.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), String> {
        let is_name = !self.name.is_empty() && self.name.len() <= 255 && printable(&self.name) == self.name;
        let is_short = [&self.boot, &self.kasoku].iter().all(|text| text.len() <= 200)
            && self.error.as_ref().is_none_or(|why| why.len() <= 10 * MAX_TEXT);
        if is_name && is_short { Ok(()) } else { Err("it sent an invalid host name".to_owned()) }
    }
}

impl StepOrder {
    /// Whether it is possible for a host with that number of addresses and clients.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, addresses: usize, clients: usize) -> Result<(), String> {
        let is_step = CipherSuite::of(self.suite).is_some()
            && (super::MIN_FILE..=super::MAX_FILE).contains(&self.bytes)
            && self.headers.len() == addresses
            && self.headers.iter().all(|header| *header < 1 << 20)
            && self.connections.len() == clients
            && self.connections.iter().all(|connections| *connections <= 1 << 16)
            && self.server.library.len() <= 64
            && self.duration <= MAX_STEP
            && self.patience <= MAX_STEP;
        if is_step { Ok(()) } else { Err("invalid step".to_owned()) }
    }

    /// Longer than it and all around it ever take, in nanoseconds.
    fn longest_ns(&self) -> u128 {
        (self.patience.saturating_mul(2) + Duration::from_secs(60)).as_nanos()
    }
}

/// Whether a step may begin at `start_ns` of this host's clock, which shows `now_ns`.
///
/// # Errors
/// If that is too far ahead: it would be slept until then.
pub fn check_start(start_ns: u64, now_ns: u64) -> Result<(), String> {
    let ahead = Duration::from_nanos(start_ns.saturating_sub(now_ns));
    if ahead <= MAX_AHEAD { Ok(()) } else { Err(format!("invalid start time, {} s ahead", ahead.as_secs())) }
}

fn is_busy(busy: &Busy, longest_ns: u128) -> bool {
    [busy.mean, busy.most, busy.waited].iter().all(|share| share.is_finite() && (0.0..=1e4).contains(share))
        && u128::from(busy.cpu_ns) <= longest_ns.saturating_mul(1000)
}

/// Whether what a host says that its servers used can be true of `step`.
///
/// # Errors
/// Why not.
pub fn check_used(used: &Used, step: &StepOrder) -> Result<(), String> {
    let longest_ns = step.longest_ns();
    let what = if !is_busy(&used.workers, longest_ns) {
        "workers"
    } else if used.provided.is_some_and(|bytes| u128::from(bytes) > longest_ns.saturating_mul(1000)) {
        "provider: more than a terabyte a second"
    } else {
        return Ok(());
    };
    Err(format!("it reported impossible values: {what}"))
}

/// Whether the part of a host can be true of `step`.
///
/// # Errors
/// Why not.
pub fn check_part(part: &Part, step: &StepOrder) -> Result<(), String> {
    let asked: usize = step.connections.iter().sum();
    let taking_part = step.connections.iter().filter(|connections| **connections > 0).count();
    let longest = step.longest_ns();
    let are_busy = || part.clients.iter().all(|busy| is_busy(busy, longest));
    let what = if part.clients.len() != taking_part || !are_busy() {
        "clients"
    } else if u128::from(part.ns) > longest || u128::from(part.late_ns) > longest {
        "times"
    } else if part.request.count() != part.files
        || part.connection.count() != part.files
        || !part.connection.is_sound()
        || !part.request.is_sound()
        || part.files < asked as u64
    {
        "files"
    } else if u128::from(part.files) * u128::from(step.bytes) > u128::from(part.ns.max(1)) * 1000 {
        "bytes: more than a terabyte a second"
    } else {
        return Ok(());
    };
    Err(format!("it reported impossible values: {what}"))
}

/// A text of another host, bounded and fit to be shown.
pub fn shown(text: &str) -> String {
    printable(&text.chars().take(MAX_TEXT).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::histogram::Histogram;

    fn step() -> StepOrder {
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

    fn part() -> Part {
        let mut times = Histogram::default();
        (0..10).for_each(|_| times.add(5_000_000));
        let busy = Busy { mean: 0.3, most: 0.9, waited: 0.1, cpu_ns: 300_000_000 };
        Part {
            files: 10,
            ns: 1_100_000_000,
            late_ns: 1_000,
            connection: times.clone(),
            request: times,
            clients: vec![busy; 2],
            pressures: 0,
        }
    }

    #[test]
    fn a_step_that_cannot_be_is_refused() {
        assert_eq!(step().check(1, 2), Ok(()));
        for wrong in [
            StepOrder { suite: Algorithm::Sha256, ..step() },
            StepOrder { bytes: 0, ..step() },
            StepOrder { bytes: u64::MAX, ..step() },
            StepOrder { headers: vec![u64::MAX], ..step() },
            StepOrder { headers: Vec::new(), ..step() },
            StepOrder { connections: vec![1 << 40, 1], ..step() },
            StepOrder { connections: vec![1], ..step() },
            StepOrder { duration: Duration::MAX, ..step() },
            StepOrder { patience: Duration::MAX, ..step() },
        ] {
            assert!(wrong.check(1, 2).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_part_that_cannot_be_true_is_refused() {
        assert_eq!(check_part(&part(), &step()), Ok(()));
        let busy = part().clients[0];
        let mut fewer = part();
        fewer.connection = Histogram::default();
        let unsound: Histogram = serde_json::from_str(r#"{"buckets":[[9,4],[3,6]],"longest":9}"#).unwrap();
        for wrong in [
            Part { files: u64::MAX, ..part() },
            Part { files: 1, ..part() },
            Part { ns: u64::MAX, ..part() },
            Part { ns: 0, ..part() },
            Part { late_ns: u64::MAX, ..part() },
            Part { clients: vec![busy], ..part() },
            Part { clients: vec![busy; 100], ..part() },
            Part { clients: vec![Busy { mean: f64::NAN, ..busy }; 2], ..part() },
            Part { clients: vec![Busy { most: -1.0, ..busy }; 2], ..part() },
            Part { clients: vec![Busy { cpu_ns: u64::MAX, ..busy }; 2], ..part() },
            Part { request: unsound, ..part() },
            fewer,
        ] {
            assert!(check_part(&wrong, &step()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_a_server_cannot_have_used_is_refused() {
        let workers = part().clients[0];
        let used = Used { workers, pressures: 0, provided: Some(10 << 20), is_whole: true };
        assert_eq!(check_used(&used, &step()), Ok(()));
        for wrong in [
            Used { workers: Busy { mean: f64::INFINITY, ..workers }, ..used },
            Used { workers: Busy { waited: -0.1, ..workers }, ..used },
            Used { workers: Busy { cpu_ns: u64::MAX, ..workers }, ..used },
            Used { provided: Some(u64::MAX), ..used },
        ] {
            assert!(check_used(&wrong, &step()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_start_that_would_be_slept_for_ever_is_refused() {
        let now = 5_000_000_000;
        for start in [0, now, now + 15_000_000, now + 60_000_000_000] {
            assert_eq!(check_start(start, now), Ok(()));
        }
        assert!(check_start(now + 61_000_000_000, now).unwrap_err().contains("61 s ahead"));
        assert!(check_start(u64::MAX, now).is_err());
    }

    #[test]
    fn a_name_that_a_terminal_would_obey_is_none() {
        let introduction = |name: &str| Introduction {
            name: name.to_owned(),
            boot: String::new(),
            kasoku: "1".to_owned(),
            error: None,
        };
        assert_eq!(introduction("node-1.example").check(), Ok(()));
        for name in ["", "a\u{1b}[2J", "a\nb", &"x".repeat(300)] {
            assert!(introduction(name).check().is_err(), "{name:?}");
        }
    }
}
