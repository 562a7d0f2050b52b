//! Notes on a plan before it runs: how long it takes, which system limit it reaches first.

use std::time::Duration;

use kasoku_measure::files::estimate::{Estimate, estimate};
use kasoku_measure::files::size_name;
use kasoku_measure::plan::{Experiment, Plan};
use kasoku_measure::worker::Worker;
use kasoku_model::document::{Limit, Remark};

/// Returns a sentence on the time that a plan takes; `None` if the plan has a time limit.
pub(super) fn time(plan: &Plan, workers: &mut [Worker]) -> Option<String> {
    if let Experiment::Files(files) = &plan.experiment {
        let Estimate { time, bytes, room } = estimate(plan, files, files.repetitions?, workers);
        return Some(format!(
            "about {}: {} are encrypted or decrypted; {} of free space is needed",
            duration(time),
            amount(bytes),
            amount(room),
        ));
    }
    let tls = plan.tls()?;
    let time = duration(tls.estimate(plan.rounds)?);
    let (cases, rounds) = (tls.cases.len(), plan.rounds);
    Some(format!("at most about {time}: {cases} cases, each searched and then measured {rounds} times"))
}

/// Returns the system limit that a web server would reach first.
pub(super) fn binding_limit(plan: &Plan) -> Option<Remark> {
    let limits = plan.tls()?.limits();
    let (limit, connections) = kasoku_model::system_limit::first_to_bind(&limits)?;
    let Limit { name, value, published, .. } = limit.clone();
    Some(Remark::FirstLimit { name, value, published, connections })
}

/// Returns the remarks on a run of web servers. Their code paths are unknown, because only a worker can observe the code
/// path, in its own process.
pub(super) fn remarks(plan: &Plan) -> Vec<Remark> {
    binding_limit(plan).into_iter().chain([Remark::UnknownCodePaths]).collect()
}

fn duration(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    match minutes {
        0 | 1 => format!("{} s", time.as_secs().max(1)),
        2..=119 => format!("{minutes} minutes"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

fn amount(bytes: u64) -> String {
    let gib = bytes as f64 / f64::from(1u32 << 30);
    match usize::try_from(bytes) {
        _ if gib >= 1024.0 => format!("{:.1} TiB", gib / 1024.0),
        _ if gib >= 1.0 => format!("{gib:.1} GiB"),
        Ok(bytes) => size_name(bytes.next_multiple_of(1 << 20)),
        Err(_) => format!("{gib:.1} GiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_amounts_have_readable_units() {
        assert_eq!(duration(Duration::from_secs(45)), "45 s");
        assert_eq!(duration(Duration::from_secs(600)), "10 minutes");
        assert_eq!(duration(Duration::from_secs(3 * 3600 + 61)), "3 h 02 min");
        assert_eq!(amount(3 << 40), "3.0 TiB");
        assert_eq!(amount(200 << 20), "200 MiB");
    }
}
