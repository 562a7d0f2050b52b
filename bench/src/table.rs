//! Rows of the table: the figures of each comparison, and whether its target is met.

use kasoku_engine::{Backend, CodePath, Schedule};

use kasoku_libraries::{bound, kasoku};
use kasoku_measure::level::options::LevelOptions;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Omission, Series};
use kasoku_model::statistics::{self, Nested};
use kasoku_model::workload::{NonceForm, Operation, Workload};

use crate::comparisons::{COMPARISONS, MIN_OF_MEAN, bounds, engine_workers, tasks};
use crate::targets::{TargetKind, Targets};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    Workload(Workload),
    /// The geometric mean of the rows at the message sizes in `sizes`.
    Mean {
        operation: Operation,
        algorithm: Algorithm,
        sizes: Vec<usize>,
    },
    /// A whole comparison that could not be measured.
    Comparison,
}

/// One comparison of the engine with a competitor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) against: &'static str,
    pub(crate) state: Acceleration,
    pub(crate) path: CodePath,
    pub(crate) subject: Subject,
    /// The engine's rate in bytes per second.
    pub(crate) ours: Option<f64>,
    /// The competitor's rate in bytes per second.
    pub(crate) theirs: Option<f64>,
    /// Median over the rounds of the engine's rate over the competitor's; for a bound, the ratio of `ours` to `theirs`.
    pub(crate) ratio: Option<f64>,
    pub(crate) interval: Option<[f64; 2]>,
    /// Minimum ratio to reach.
    pub(crate) target: Option<f64>,
    /// Reason for a missing figure, or a remark on it.
    pub(crate) note: Option<String>,
}

impl Row {
    const EMPTY: Row = Row {
        against: "",
        state: Acceleration::On,
        path: CodePath { backend: Backend::Portable, schedule: Schedule::Karatsuba },
        subject: Subject::Comparison,
        ours: None,
        theirs: None,
        ratio: None,
        interval: None,
        target: None,
        note: None,
    };

    /// Whether the target was met; `None` without a target or a figure.
    pub(crate) fn is_met(&self) -> Option<bool> {
        Some(self.ratio? >= self.target?)
    }
}

/// Returns the rows of the measured `series`, with their `targets`. Comparisons in `omissions` become one row each.
pub(crate) fn table(options: &LevelOptions, targets: &Targets, series: &[Series], omissions: &[Omission]) -> Vec<Row> {
    let mut rows = Vec::new();
    for comparison in COMPARISONS.iter().filter(|comparison| comparison.is_wanted(options)) {
        let row = |subject| Row {
            against: comparison.library,
            state: comparison.state,
            path: comparison.backend.into(),
            subject,
            ..Row::EMPTY
        };
        let Some(own_state) = comparison.own_state() else {
            let note = Some(format!("this CPU cannot run the backend {}", comparison.backend));
            rows.push(Row { note, ..row(Subject::Comparison) });
            continue;
        };
        if let Some(why) = missing(comparison.library, comparison.state, omissions) {
            rows.push(Row { note: Some(why), ..row(Subject::Comparison) });
            continue;
        }
        for task in tasks(options) {
            let (operation, algorithm) = task;
            let mut of_mean: Vec<(usize, f64)> = Vec::new();
            let of_task = |workload: &Workload| (workload.operation, workload.algorithm) == task;
            for workload in comparison.workloads(options).into_iter().filter(of_task) {
                let ours = find(series, kasoku::ENTRY.name, own_state, workload);
                let theirs = find(series, comparison.library, comparison.state, workload);
                let compared = compared(verified(ours), verified(theirs), row(Subject::Workload(workload)));
                let is_of_mean =
                    workload.keys == 1 && workload.nonces == NonceForm::Ahead && workload.bytes >= MIN_OF_MEAN;
                if let Some(ratio) = compared.ratio.filter(|_| is_of_mean) {
                    of_mean.push((workload.bytes, ratio));
                }
                let kind = if workload.keys > 1 { TargetKind::ManyKeys } else { TargetKind::Message };
                rows.push(targets.apply(compared, kind));
            }
            if of_mean.len() > 1 {
                let (sizes, ratios): (Vec<usize>, Vec<f64>) = of_mean.into_iter().unzip();
                let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
                let subject = Subject::Mean { operation, algorithm, sizes };
                rows.push(targets.apply(Row { ratio: Some(mean), ..row(subject) }, TargetKind::Mean));
            }
        }
    }
    rows.extend(bound_rows(options, targets, series, omissions));
    rows
}

/// Returns the rows that compare the engine with the CPU's speed bounds. A bound encrypts nothing, so only the engine's
/// series must be verified.
fn bound_rows(options: &LevelOptions, targets: &Targets, series: &[Series], omissions: &[Omission]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for bound in bounds(options) {
        let row = Row { against: bound.library.name, path: bound.backend.into(), ..Row::EMPTY };
        let all_own = engine_workers(bound.backend);
        let why = match all_own[..] {
            [] => Some(format!("this CPU cannot run the backend {}", bound.backend)),
            _ => missing(bound.library.name, Acceleration::On, omissions),
        };
        if why.is_some() {
            rows.push(Row { note: why, ..row });
            continue;
        }
        for own in all_own {
            let ours = find(series, own.library, own.state, bound.workload());
            let theirs = find(series, bound.library.name, Acceleration::On, bound.workload());
            let row = Row { path: own.path, subject: Subject::Workload(bound.workload()), ..row.clone() };
            let row = compared(verified(ours), theirs.ok_or_else(|| "not measured".to_owned()), row);
            // The ratio of the two figures shown, not the median over the rounds.
            let share = row.ours.zip(row.theirs).map(|(ours, theirs)| ours / theirs);
            let note = row.note.filter(|_| share.is_none());
            rows.push(targets.apply(Row { ratio: share, interval: None, note, ..row }, TargetKind::Message));
        }
    }
    let rate = |row: &Row| row.theirs.unwrap_or(f64::MAX);
    let necessary = [bound::ZMM, bound::NEON].map(|bounds| [bounds.aes.name, bounds.clmul.name]);
    let necessary = rows.iter_mut().filter(|row| necessary.as_flattened().contains(&row.against));
    if let Some(bound) = necessary.min_by(|one, other| rate(one).total_cmp(&rate(other))) {
        *bound = targets.apply(bound.clone(), TargetKind::Bound);
        bound.note.get_or_insert_with(|| "the CPU's bound".to_owned());
    }
    rows
}

fn find<'a>(series: &'a [Series], library: &str, state: Acceleration, workload: Workload) -> Option<&'a Series> {
    let is_it = |one: &&Series| {
        one.library == library && one.acceleration == state && one.workload() == workload && !one.details.control
    };
    series.iter().find(is_it)
}

/// Returns a verified series, or why it must not be compared.
fn verified(series: Option<&Series>) -> Result<&Series, String> {
    let one = series.ok_or_else(|| "not measured".to_owned())?;
    if one.is_verified() {
        return Ok(one);
    }
    Err(format!("{}: {}", one.library, one.note.as_deref().unwrap_or("not verified")))
}

/// Returns why the competitor could not be opened.
fn missing(library: &str, state: Acceleration, omissions: &[Omission]) -> Option<String> {
    let is_it = |one: &&Omission| {
        one.library == library && one.algorithm.is_none() && one.acceleration.is_none_or(|other| other == state)
    };
    let omission = omissions.iter().find(is_it)?;
    Some(match &omission.install {
        Some(install) => format!("{}; install it with: {install}", omission.why),
        None => omission.why.clone(),
    })
}

/// Adds the figures of two series to `row`, or the reason why one is missing.
fn compared(ours: Result<&Series, String>, theirs: Result<&Series, String>, row: Row) -> Row {
    let (ours, theirs) = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(why), _) | (_, Err(why)) => return Row { note: Some(why), ..row },
    };
    let ratios: Nested = statistics::log_ratios(ours, theirs);
    let ratio = ratios.median().map(f64::exp);
    Row {
        note: ratio.is_none().then(|| "in no round did both have a core to themselves".to_owned()),
        ours: ours.median,
        theirs: theirs.median,
        ratio,
        interval: statistics::compare(ours, theirs, 0.0).map(|one| one.ci95),
        ..row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparisons::EngineWorker;
    use kasoku_model::document::{Outcome, Sample, Unit};
    use kasoku_model::level::Level;

    /// Returns a series of ten rounds at `rate` bytes per nanosecond.
    fn series(library: &str, state: Acceleration, workload: Workload, rate: f64) -> Series {
        let sample = |round| Sample {
            process: round / 5,
            round,
            iterations: 1000,
            ns: (1000.0 * workload.bytes as f64 / rate) as u64,
            ..Sample::default()
        };
        let mut series = Series {
            samples: (0..10).map(sample).collect(),
            outcome: Outcome::Measured,
            ..Series::empty(Level::Packets, &workload, library, "1".to_owned(), state, Unit::BytesPerSecond)
        };
        statistics::summarize(&mut series);
        series
    }

    fn targets() -> Targets {
        serde_json::from_value(serde_json::json!({"target": [
            {"against": ["ipsec-mb"], "backend": "vaes512", "max_bytes": 64, "ratio": 1.4},
            {"against": ["ipsec-mb"], "backend": "vaes512", "ratio": 1.2},
            {"against": ["ipsec-mb"], "backend": "vaes512", "kind": "mean", "ratio": 1.3},
        ]}))
        .unwrap()
    }

    #[test]
    fn rows_show_met_targets_and_which_sizes_the_mean_covers() {
        let Some(EngineWorker { state, .. }) = engine_workers(Backend::Vaes512).into_iter().next() else { return };
        let options = LevelOptions {
            libraries: Some(vec!["ipsec-mb".to_owned()]),
            operations: Some(vec![Operation::Seal]),
            algorithms: Some(vec![Algorithm::Aes128Gcm]),
            sizes: Some(vec![64, 256, 1024]),
            nonces: Some(vec![NonceForm::Ahead]),
            ..LevelOptions::default()
        };
        let mut all = Vec::new();
        for (bytes, faster) in [(64, 1.3), (256, 1.25), (1024, 1.6)] {
            let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, bytes);
            all.push(series("kasoku", state, workload, 10.0 * faster));
            all.push(series("ipsec-mb", Acceleration::On, workload, 10.0));
        }
        let rows = table(&options, &targets(), &all, &[]);
        let verdicts: Vec<Option<bool>> = rows.iter().take(4).map(Row::is_met).collect();
        assert_eq!(verdicts, [Some(false), Some(true), Some(true), Some(true)], "{rows:?}");
        assert!((rows[3].ratio.unwrap() - 2f64.sqrt()).abs() < 1e-2, "{:?}", rows[3]);
        assert!(matches!(&rows[3].subject, Subject::Mean { sizes, .. } if *sizes == [256, 1024]));
        all[0].outcome = Outcome::Unverified;
        assert_eq!(table(&options, &targets(), &all, &[])[0].is_met(), None, "an unverified series has no verdict");
    }

    #[test]
    fn missing_competitor_has_one_row_with_the_install_command() {
        if engine_workers(Backend::Vaes512).is_empty() {
            return;
        }
        let options = LevelOptions { libraries: Some(vec!["ipsec-mb".to_owned()]), ..LevelOptions::default() };
        let omission = |state| Omission {
            level: Level::Packets,
            library: "ipsec-mb".to_owned(),
            acceleration: Some(state),
            why: "no such file".to_owned(),
            install: Some("apt install libipsec-mb1".to_owned()),
            ..Omission::default()
        };
        let rows = table(&options, &targets(), &[], &[omission(Acceleration::On), omission(Acceleration::NoVaes)]);
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| row.note.as_deref().is_some_and(|note| note.contains("apt install"))));
    }
}
