//! One workload over the runs of a machine.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::question::RankingQuestion;
use super::{Collection, PlacedFigure, by_run, most_frequent};
use crate::{MachineIdentity, StoreError};
use kasoku_model::document::{FLOOR_IF_UNKNOWN, Machine, Series, Unit};
use kasoku_model::name::plain;

/// A difference between two runs that is smaller is not shown: 3 %. What lies between two runs (another day, another
/// kernel, another neighbour) no interval within one run can know.
pub const SAME_WITHIN: f64 = FLOOR_IF_UNKNOWN;

/// One workload over the runs of a machine, the oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// What was asked.
    pub question: RankingQuestion,
    /// What the figures are in.
    pub unit: Unit,
    /// The machine; `None` if there is no complete run of it.
    pub machine: Option<MachineIdentity>,
    /// The complete runs that have the workload, verified.
    pub points: Vec<HistoryPoint>,
}

/// A workload in one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryPoint {
    /// The run.
    pub run: String,
    /// When it started.
    pub started: String,
    /// The version of Kasoku.
    pub kasoku: String,
    /// What did the work.
    pub library: String,
    /// In which version.
    pub library_version: String,
    /// What really ran.
    pub code_path: String,
    /// The figure, in the history's unit.
    pub figure: f64,
    /// Its 95 % interval, if the run supports one.
    pub ci95: Option<[f64; 2]>,
    /// Against the run before.
    #[serde(skip)]
    pub change: HistoryChange,
}

/// A figure against that of the run before, as their ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HistoryChange {
    /// There is no run before.
    First,
    /// The 95 % intervals do not overlap, and the figures differ by more than [`SAME_WITHIN`].
    Shown(f64),
    /// No difference is shown.
    NotShown(f64),
    /// One of the two has no interval: nothing is claimed.
    WithoutInterval(f64),
}

impl Collection<'_> {
    /// The machines with complete runs that go by a name: those that are called so but for case, spaces and signs, else
    /// those whose name holds it; all of them if it is empty.
    pub fn machines_called(&self, name: &str) -> Vec<&MachineIdentity> {
        let name = plain(name);
        let measured: BTreeSet<usize> =
            self.known.runs.iter().filter(|run| run.is_ranked()).map(|run| run.machine).collect();
        let machines: Vec<&MachineIdentity> =
            measured.into_iter().map(|machine| &self.known.machines[machine]).collect();
        let goes_by = |is_it: &dyn Fn(String) -> bool| -> Vec<&MachineIdentity> {
            machines.iter().copied().filter(|machine| is_it(plain(machine.label()))).collect()
        };
        let same = goes_by(&|label| label == name);
        if same.is_empty() { goes_by(&|label| label.contains(&name)) } else { same }
    }

    /// The machine that complete runs are of and that differs from `this` by its name at most: of several the one whose
    /// run is the newest.
    pub fn identity_of(&self, this: &Machine) -> Option<&MachineIdentity> {
        let newest = self.known.measured_on(this).find(|run| run.complete)?;
        Some(&self.known.machines[newest.machine])
    }

    /// The history of a workload over the runs of a machine.
    pub fn history(&self, question: &RankingQuestion, machine: &MachineIdentity) -> Result<History, StoreError> {
        self.recent_history(question, machine, usize::MAX)
    }

    /// The same over the newest runs only, at most so many.
    pub fn recent_history(
        &self,
        question: &RankingQuestion,
        machine: &MachineIdentity,
        most: usize,
    ) -> Result<History, StoreError> {
        let mut figures = self.figures(question)?;
        figures.retain(|(place, _)| self.is_measured_of(*place, machine));
        self.history_of(question, machine, &figures, most)
    }

    /// The same of every machine that has the workload.
    pub fn recent_histories(&self, question: &RankingQuestion, most: usize) -> Result<Vec<History>, StoreError> {
        let mut of_machine: BTreeMap<usize, Vec<PlacedFigure>> = BTreeMap::new();
        for (place, figure) in self.figures(question)? {
            let run = &self.known.runs[place];
            if run.is_ranked() {
                of_machine.entry(run.machine).or_default().push((place, figure));
            }
        }
        let machines = of_machine.into_iter();
        machines
            .map(|(machine, figures)| self.history_of(question, &self.known.machines[machine], &figures, most))
            .collect()
    }

    /// The history that the figures of one machine make, the newest first.
    fn history_of(
        &self,
        question: &RankingQuestion,
        machine: &MachineIdentity,
        figures: &[PlacedFigure],
        most: usize,
    ) -> Result<History, StoreError> {
        let mut newest: Vec<(usize, Series)> = Vec::new();
        for of_run in by_run(figures) {
            // One more than are asked for: the oldest of these has a run before it too.
            if newest.len() > most {
                break;
            }
            newest.extend(self.best(of_run)?.map(|series| (of_run[0].0, series)));
        }
        let mut points: Vec<HistoryPoint> = Vec::new();
        // The newest come first; a change is against the one before in time.
        for (place, series) in newest.into_iter().rev() {
            let Some(figure) = series.median else { continue };
            let run = &self.known.runs[place];
            let before = points.last().map(|point| (point.figure, point.ci95));
            points.push(HistoryPoint {
                run: run.id.clone(),
                started: run.started.clone(),
                kasoku: run.kasoku.clone(),
                library: series.library,
                library_version: series.library_version,
                code_path: series.code_path,
                figure,
                ci95: series.ci95,
                change: before.map_or(HistoryChange::First, |before| change(before, (figure, series.ci95))),
            });
        }
        if points.len() > most {
            points.remove(0);
        }
        Ok(History { question: question.clone(), unit: question.unit(), machine: Some(machine.clone()), points })
    }

    /// The size that most runs of a machine have of this question; of several the usual one, else the largest.
    pub fn usual_bytes_of(&self, question: &RankingQuestion, machine: &MachineIdentity) -> Result<usize, StoreError> {
        let mut sizes: BTreeSet<(usize, usize)> = BTreeSet::new();
        if question.has_sizes() {
            let mut figures = self.figures_at(question, None)?;
            figures.retain(|(place, figure)| figure.verified && self.is_measured_of(*place, machine));
            sizes.extend(figures.iter().map(|(place, figure)| (figure.bytes, *place)));
        }
        Ok(most_frequent(sizes.into_iter().map(|(bytes, _)| bytes)).unwrap_or(question.bytes))
    }

    fn is_measured_of(&self, place: usize, machine: &MachineIdentity) -> bool {
        self.known.runs[place].is_ranked() && self.identity(place) == machine
    }
}

/// A figure with its interval against the one before.
fn change(before: (f64, Option<[f64; 2]>), now: (f64, Option<[f64; 2]>)) -> HistoryChange {
    let ratio = now.0 / before.0;
    let (Some([low_before, high_before]), Some([low, high])) = (before.1, now.1) else {
        return HistoryChange::WithoutInterval(ratio);
    };
    let is_apart = high_before < low || high < low_before;
    if is_apart && (ratio - 1.0).abs() > SAME_WITHIN {
        HistoryChange::Shown(ratio)
    } else {
        HistoryChange::NotShown(ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_claimed_only_where_intervals_are_apart_and_figures_too() {
        let around = |figure: f64, half: f64| (figure, Some([figure - half, figure + half]));
        assert_eq!(change(around(100.0, 1.0), around(110.0, 1.0)), HistoryChange::Shown(1.1));
        assert_eq!(change(around(100.0, 1.0), around(90.0, 1.0)), HistoryChange::Shown(0.9));
        assert_eq!(change(around(100.0, 6.0), around(110.0, 6.0)), HistoryChange::NotShown(1.1));
        assert_eq!(change(around(100.0, 0.1), around(102.0, 0.1)), HistoryChange::NotShown(1.02));
        assert_eq!(change(around(100.0, 0.1), (200.0, None)), HistoryChange::WithoutInterval(2.0));
    }
}
