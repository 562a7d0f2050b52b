//! What is said of a plan before it is carried out.

use std::time::Duration;

use kasoku_measure::files::estimate::{Estimate, estimate};
use kasoku_measure::files::size_name;
use kasoku_measure::plan::{Experiment, Plan};
use kasoku_measure::worker::Worker;

/// What a plan whose repetitions or steps are fixed takes, in a sentence; `None` if the time is bounded.
pub(super) fn time(plan: &Plan, workers: &mut [Worker]) -> Option<String> {
    if let Experiment::Files(files) = &plan.experiment {
        let Estimate { time, bytes, room } = estimate(plan, files, files.repetitions?, workers);
        return Some(format!(
            "about {}: {} of text are encrypted or decrypted, in files of which {} must be free at a time",
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

/// The system's limit that would bind first, in a sentence.
pub(super) fn binding_limit(plan: &Plan) -> Option<String> {
    let limits = plan.tls()?.limits();
    let (limit, connections) = kasoku_model::system_limit::first_to_bind(&limits)?;
    let published = limit.published.as_ref().map(|published| format!(" (published: {published})")).unwrap_or_default();
    Some(format!(
        "of the system's limits {} = {}{published} would bind first, at {connections} connections at once",
        limit.name, limit.value
    ))
}

/// What is to be known of a run of web servers, in sentences.
pub(super) fn notes(plan: &Plan) -> Vec<String> {
    /// The instructions that ran are looked for by a worker in its own process; nginx is none.
    const CODE_PATHS: &str = "code paths are unknown: nginx's processes are not looked into; that Kasoku's provider \
                              did the work is shown by its counter (provider_share)";
    binding_limit(plan).into_iter().chain([CODE_PATHS.to_owned()]).collect()
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
    fn times_and_amounts_are_read_at_a_glance() {
        assert_eq!(duration(Duration::from_secs(45)), "45 s");
        assert_eq!(duration(Duration::from_secs(600)), "10 minutes");
        assert_eq!(duration(Duration::from_secs(3 * 3600 + 61)), "3 h 02 min");
        assert_eq!(amount(3 << 40), "3.0 TiB");
        assert_eq!(amount(200 << 20), "200 MiB");
    }
}
