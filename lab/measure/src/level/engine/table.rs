//! The table of `kasoku engine`: what was measured of each comparison, and whether it is what was meant.

use kasoku_engine::{Backend, CodePath, Schedule};

use super::super::options::LevelOptions;
use super::targets::{TargetKind, Targets};
use super::{COMPARISONS, MIN_OF_MEAN, bounds, own_workers, tasks};
use kasoku_libraries::{bound, kasoku};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Omission, Series};
use kasoku_model::statistics::{self, Nested};
use kasoku_model::workload::{NonceForm, Operation, Workload};

/// What a row is about.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineSubject {
    /// One workload.
    Workload(Workload),
    /// The geometric mean of the rows at these sizes.
    Mean {
        /// What is done.
        operation: Operation,
        /// With which algorithm.
        algorithm: Algorithm,
        /// At which sizes.
        sizes: Vec<usize>,
    },
    /// The whole comparison, which could not be held.
    Comparison,
}

/// One comparison of the engine with a competitor.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineRow {
    /// The competitor.
    pub against: &'static str,
    /// Its state.
    pub state: Acceleration,
    /// The engine's backend, and in which schedule.
    pub path: CodePath,
    /// On what.
    pub subject: EngineSubject,
    /// The engine's bytes a second.
    pub ours: Option<f64>,
    /// The competitor's bytes a second.
    pub theirs: Option<f64>,
    /// How many times as fast the engine is: the median over the rounds.
    pub ratio: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// How many times as fast it is meant to be.
    pub target: Option<f64>,
    /// Why there is no figure, or what must be known of it.
    pub note: Option<String>,
}

impl EngineRow {
    /// Nothing said yet.
    const EMPTY: EngineRow = EngineRow {
        against: "",
        state: Acceleration::On,
        path: CodePath { backend: Backend::Portable, schedule: Schedule::Karatsuba },
        subject: EngineSubject::Comparison,
        ours: None,
        theirs: None,
        ratio: None,
        interval: None,
        target: None,
        note: None,
    };

    /// Whether the target was met; `None` if there is none, or no figure.
    pub fn is_met(&self) -> Option<bool> {
        Some(self.ratio? >= self.target?)
    }
}

/// The table: what `series` and `omissions` say of what was asked for, beside `targets`.
pub fn table(options: &LevelOptions, targets: &Targets, series: &[Series], omissions: &[Omission]) -> Vec<EngineRow> {
    let mut rows = Vec::new();
    for comparison in COMPARISONS.iter().filter(|comparison| comparison.is_wanted(options)) {
        let row = |subject| EngineRow {
            against: comparison.library,
            state: comparison.state,
            path: comparison.backend.into(),
            subject,
            ..EngineRow::EMPTY
        };
        let Some(own_state) = comparison.own_state() else {
            let note = Some(format!("this CPU cannot run the backend {}", comparison.backend));
            rows.push(EngineRow { note, ..row(EngineSubject::Comparison) });
            continue;
        };
        if let Some(why) = missing(comparison.library, comparison.state, omissions) {
            rows.push(EngineRow { note: Some(why), ..row(EngineSubject::Comparison) });
            continue;
        }
        for task in tasks(options) {
            let (operation, algorithm) = task;
            let mut of_mean: Vec<(usize, f64)> = Vec::new();
            let of_task = |workload: &Workload| (workload.operation, workload.algorithm) == task;
            for workload in comparison.workloads(options).into_iter().filter(of_task) {
                let ours = find(series, kasoku::ENTRY.name, own_state, workload);
                let theirs = find(series, comparison.library, comparison.state, workload);
                let compared = compared(verified(ours), verified(theirs), row(EngineSubject::Workload(workload)));
                let is_of_mean =
                    workload.keys == 1 && workload.nonces == NonceForm::Ahead && workload.bytes >= MIN_OF_MEAN;
                if let Some(ratio) = compared.ratio.filter(|_| is_of_mean) {
                    of_mean.push((workload.bytes, ratio));
                }
                let kind = if workload.keys > 1 { TargetKind::ManyKeys } else { TargetKind::Message };
                rows.push(targets.on(compared, kind));
            }
            if of_mean.len() > 1 {
                let (sizes, ratios): (Vec<usize>, Vec<f64>) = of_mean.into_iter().unzip();
                let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
                let subject = EngineSubject::Mean { operation, algorithm, sizes };
                rows.push(targets.on(EngineRow { ratio: Some(mean), ..row(subject) }, TargetKind::Mean));
            }
        }
    }
    rows.extend(limits(options, targets, series, omissions));
    rows
}

/// The engine against the CPU's bounds. The limits are no ciphers, so there is nothing of theirs to verify.
fn limits(options: &LevelOptions, targets: &Targets, series: &[Series], omissions: &[Omission]) -> Vec<EngineRow> {
    let mut rows: Vec<EngineRow> = Vec::new();
    for bound in bounds(options) {
        let row = EngineRow { against: bound.library.name, path: bound.backend.into(), ..EngineRow::EMPTY };
        let all_own = own_workers(bound.backend);
        let why = match all_own[..] {
            [] => Some(format!("this CPU cannot run the backend {}", bound.backend)),
            _ => missing(bound.library.name, Acceleration::On, omissions),
        };
        if why.is_some() {
            rows.push(EngineRow { note: why, ..row });
            continue;
        }
        for own in all_own {
            let ours = find(series, own.library, own.state, bound.workload());
            let theirs = find(series, bound.library.name, Acceleration::On, bound.workload());
            let row = EngineRow { path: own.path, subject: EngineSubject::Workload(bound.workload()), ..row.clone() };
            let row = compared(verified(ours), theirs.ok_or_else(|| "not measured".to_owned()), row);
            // A share is that of the figures beside it, not of the rounds.
            let share = row.ours.zip(row.theirs).map(|(ours, theirs)| ours / theirs);
            let note = row.note.filter(|_| share.is_none());
            rows.push(targets.on(EngineRow { ratio: share, interval: None, note, ..row }, TargetKind::Message));
        }
    }
    let rate = |row: &EngineRow| row.theirs.unwrap_or(f64::MAX);
    let necessary = [bound::ZMM, bound::NEON].map(|limits| [limits.aes.name, limits.clmul.name]);
    let necessary = rows.iter_mut().filter(|row| necessary.as_flattened().contains(&row.against));
    if let Some(bound) = necessary.min_by(|one, other| rate(one).total_cmp(&rate(other))) {
        *bound = targets.on(bound.clone(), TargetKind::Bound);
        bound.note.get_or_insert_with(|| "the CPU's bound".to_owned());
    }
    rows
}

fn find<'a>(series: &'a [Series], library: &str, state: Acceleration, workload: Workload) -> Option<&'a Series> {
    let is_it = |one: &&Series| {
        one.library == library && one.acceleration == state && one.workload() == workload && !one.is_control()
    };
    series.iter().find(is_it)
}

/// A series, if it may be compared; else why not.
fn verified(series: Option<&Series>) -> Result<&Series, String> {
    let one = series.ok_or_else(|| "not measured".to_owned())?;
    if one.is_verified() {
        return Ok(one);
    }
    Err(format!("{}: {}", one.library, one.note.as_deref().unwrap_or("not verified")))
}

/// Why the competitor could not be opened, if it could not.
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

/// `row` with the figures of the engine's series and the competitor's.
fn compared(ours: Result<&Series, String>, theirs: Result<&Series, String>, row: EngineRow) -> EngineRow {
    let (ours, theirs) = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(why), _) | (_, Err(why)) => return EngineRow { note: Some(why), ..row },
    };
    let ratios: Nested = statistics::log_ratios(ours, theirs);
    let ratio = ratios.median().map(f64::exp);
    EngineRow {
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
    use super::super::{NAME, Own};
    use super::*;
    use kasoku_model::document::{Outcome, Sample, Unit};

    /// A series of `library` that does `bytes` a nanosecond in ten rounds.
    fn series(library: &str, state: Acceleration, workload: Workload, rate: f64) -> Series {
        let sample = |round| Sample {
            process: round / 5,
            round,
            iterations: 1000,
            ns: (1000.0 * workload.bytes as f64 / rate) as u64,
            ..Sample::default()
        };
        let mut parameters = serde_json::Map::new();
        parameters.insert("nonces".to_owned(), workload.nonces.name().into());
        parameters.insert("keys".to_owned(), workload.keys.into());
        let mut series = Series {
            samples: (0..10).map(sample).collect(),
            outcome: Outcome::Measured,
            parameters,
            ..Series::empty(NAME, &workload, library, "1".to_owned(), state, Unit::BytesPerSecond)
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
    fn rows_say_what_was_met_and_the_mean_what_it_is_of() {
        let Some(Own { state, .. }) = own_workers(Backend::Vaes512).into_iter().next() else { return };
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
        let verdicts: Vec<Option<bool>> = rows.iter().take(4).map(EngineRow::is_met).collect();
        assert_eq!(verdicts, [Some(false), Some(true), Some(true), Some(true)], "{rows:?}");
        assert!((rows[3].ratio.unwrap() - 2f64.sqrt()).abs() < 1e-2, "{:?}", rows[3]);
        assert!(matches!(&rows[3].subject, EngineSubject::Mean { sizes, .. } if *sizes == [256, 1024]));
        all[0].outcome = Outcome::Unverified;
        assert_eq!(table(&options, &targets(), &all, &[])[0].is_met(), None, "what is not verified is not compared");
    }

    #[test]
    fn a_competitor_that_is_not_here_is_told_in_one_row() {
        if own_workers(Backend::Vaes512).is_empty() {
            return;
        }
        let options = LevelOptions { libraries: Some(vec!["ipsec-mb".to_owned()]), ..LevelOptions::default() };
        let omission = |state| Omission {
            level: NAME.to_owned(),
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
