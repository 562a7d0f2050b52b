//! Scores of crypto.aes without and with acceleration, and the percentage of the time that AES takes.

use crate::prelude::*;
use crate::quantity::mean;
use kasoku_model::algorithm::Suite;
use kasoku_model::library::{SPECJVM, SUNJCE};

use super::JvmSelection;

const WHOLE: Algorithm = Algorithm::Suite(Suite::CryptoAes);
const AES: Algorithm = Algorithm::Suite(Suite::CryptoAesAes);
const DES: Algorithm = Algorithm::Suite(Suite::CryptoAesDes);

pub(super) struct Score<'a> {
    pub(super) who: Text,
    pub(super) is_of_java: bool,
    /// Scores without acceleration, if measured.
    pub(super) off: Option<ScoreState<'a>>,
    pub(super) on: ScoreState<'a>,
}

/// Series of crypto.aes and of its parts AES and 3DES alone, in one acceleration state.
#[derive(Clone, Copy)]
pub(super) struct ScoreState<'a> {
    whole: &'a Series,
    aes: Option<&'a Series>,
    des: Option<&'a Series>,
}

/// Time of one operation of crypto.aes and of its parts, in seconds summed over all threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seconds {
    pub(super) whole: f64,
    pub(super) aes: f64,
    /// Time of 3DES, measured alone, or else the time that AES leaves.
    pub(super) des: f64,
}

pub(super) fn scores<'a>(java: &'a JvmSelection<'_>) -> Vec<Score<'a>> {
    let selection = &java.selection;
    let score = |who: ContenderIndex| {
        let library = &selection.contender(who).library;
        let state = |state| {
            let series = |algorithm| {
                let key = SeriesKey::new(who, state, Task::main(algorithm), 0);
                // The output of the original benchmark cannot be verified, so its series are never ranked.
                match library == SPECJVM {
                    true => selection.series(key).filter(|series| series.median.is_some()),
                    false => selection.ranked(key),
                }
            };
            Some(ScoreState { whole: series(WHOLE)?, aes: series(AES), des: series(DES) })
        };
        let (off, on) = (state(Acceleration::Off), state(Acceleration::On)?);
        Some(Score { who: java.name(who), is_of_java: library == SUNJCE, off, on })
    };
    selection.contenders().filter_map(score).collect()
}

impl ScoreState<'_> {
    /// Returns the operations per minute of each start of the virtual machine.
    pub(super) fn runs(&self) -> Vec<f64> {
        let mut runs: Vec<(u32, f64)> =
            self.whole.kept().map(|sample| (sample.process, self.whole.figure(sample))).collect();
        runs.sort_by_key(|(process, _)| *process);
        runs.into_iter().map(|(_, figure)| figure).filter(|figure| figure.is_finite()).collect()
    }

    pub(super) fn mean(&self) -> Option<f64> {
        mean(self.runs().into_iter())
    }

    /// Returns the time of an operation; `None` if AES was not measured alone.
    pub(super) fn seconds(&self) -> Option<Seconds> {
        let seconds = |series: &Series| {
            Some(60.0 / series.median.filter(|median| *median > 0.0)? * series.details.threads as f64)
        };
        let (whole, aes) = (seconds(self.whole)?, seconds(self.aes?)?);
        let des = self.des.and_then(seconds).unwrap_or((whole - aes).max(0.0));
        // A document may state 0 threads, which makes the total time 0.
        let are_sound = whole > 0.0 && whole.is_finite() && aes.is_finite() && des.is_finite();
        are_sound.then_some(Seconds { whole, aes, des })
    }
}

impl Score<'_> {
    /// Returns the improvement of the mean score through acceleration, in per cent.
    pub(super) fn improvement(&self) -> Option<f64> {
        improvement(self.off?.mean()?, self.on.mean()?)
    }

    pub(super) fn aes_ratio(&self) -> Option<f64> {
        Some(self.off?.seconds()?.aes / self.on.seconds()?.aes).filter(|ratio| ratio.is_finite())
    }
}

/// Returns (on − off) / off in per cent.
pub(super) fn improvement(off: f64, on: f64) -> Option<f64> {
    let percent = (on - off) / off * 100.0;
    percent.is_finite().then_some(percent)
}
