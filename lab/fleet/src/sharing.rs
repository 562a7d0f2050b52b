//! What the clients of all hosts saw of a step, brought together.

use std::time::Duration;

use super::lines::Used;
use kasoku_measure::tls::host::Part;
use kasoku_measure::tls::{self, Busy};
use kasoku_model::histogram::Histogram;

/// The step that all hosts did together. Times are counted together, never averaged.
pub(super) fn together(
    parts: Vec<Part>,
    used: &[Used],
    watched: Duration,
    clock_error: Duration,
    bytes: u64,
) -> Result<tls::LoadStep, String> {
    if used.iter().any(|used| !used.is_whole) {
        return Err("a worker of nginx has ended".to_owned());
    }
    let hosts = parts.len();
    let taking_part = || parts.iter().filter(|part| !part.clients.is_empty());
    let latest = taking_part().map(|part| part.late_ns).max().unwrap_or(0);
    let earliest = taking_part().map(|part| part.late_ns).min().unwrap_or(0);
    let ns = parts.iter().map(|part| part.ns).max().unwrap_or(0);
    let (mut connection, mut request) = (Histogram::default(), Histogram::default());
    for part in &parts {
        connection.merge(&part.connection);
        request.merge(&part.request);
    }
    // They were watched a little longer than the step was, and did nothing in that time.
    let longer = watched.as_nanos() as f64 / ns.max(1) as f64;
    let server = used.iter().fold(Busy::default(), |sum, used| Busy {
        mean: sum.mean + used.workers.cpu_ns as f64 / ns.max(1) as f64,
        most: sum.most + used.workers.most,
        waited: sum.waited + used.workers.waited * longer,
        cpu_ns: sum.cpu_ns.saturating_add(used.workers.cpu_ns),
    });
    let pressures = used.iter().map(|used| used.pressures).chain(parts.iter().map(|part| part.pressures));
    let mut step = tls::LoadStep {
        files: parts.iter().map(|part| part.files).sum(),
        ns,
        connection,
        request,
        server: Busy { most: server.most.max(server.mean), ..server },
        pressures: pressures.fold(0, u64::saturating_add),
        clients: parts.into_iter().flat_map(|part| part.clients).collect(),
        provided: None,
        skew_s: (hosts > 1).then_some((latest - earliest) as f64 * 1e-9 + clock_error.as_secs_f64()),
    };
    let provided = used.iter().map(|used| used.provided).try_fold(0u64, |sum, one| Some(sum.saturating_add(one?)));
    if let Some(provided) = provided {
        step.set_provided(provided, bytes)?;
    }
    Ok(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_counted_together_and_the_server_was_idle_around_the_step() {
        let part = |times: &[u64], late_ns, ns| {
            let mut part =
                Part { files: times.len() as u64, ns, late_ns, clients: vec![Busy::default()], ..Part::default() };
            times.iter().for_each(|&time| {
                part.connection.add(time);
                part.request.add(2 * time);
            });
            part
        };
        let used = |cpu_ns| Used {
            workers: Busy { mean: 0.1, most: 0.9, waited: 0.1, cpu_ns },
            pressures: 1,
            provided: Some(40),
            is_whole: true,
        };
        let parts = vec![part(&[1_000; 99], 50_000, 1_000_000_000), part(&[9_000_000], 250_000, 900_000_000)];
        let (watched, error) = (Duration::from_secs(2), Duration::from_micros(30));
        let step = together(parts.clone(), &[used(500_000_000), used(250_000_000)], watched, error, 0).unwrap();
        assert_eq!((step.files, step.ns, step.clients.len(), step.pressures), (100, 1_000_000_000, 2, 2));
        assert!((step.server.mean - 0.75).abs() < 1e-9 && (step.server.waited - 0.4).abs() < 1e-9);
        assert!((step.connection.longest_s().unwrap() - 0.009).abs() < 1e-12);
        assert!(step.connection.quantile_s(0.99).unwrap() < 1.1e-6); // not the mean of two percentiles
        assert!((step.skew_s.unwrap() - 230e-6).abs() < 1e-12);
        assert_eq!(step.provided, Some(80));
        let ended = Used { is_whole: false, ..used(1) };
        assert!(together(parts.clone(), &[used(1), ended], watched, error, 0).unwrap_err().contains("worker"));
        assert!(together(parts, &[used(1)], watched, error, 1 << 20).unwrap_err().contains("provider"));
    }
}
