//! History of one workload over the runs of a machine.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::question::RankingQuestion;
use super::{Collection, PlacedFigure, by_run, most_frequent};
use crate::{MachineIdentity, StoreError};
use kasoku_model::document::{FLOOR_IF_UNKNOWN, Machine, Series, Unit};
use kasoku_model::name::plain;

/// Smallest relative difference between two runs that is shown: 3 %. Intervals within a run do not cover changes
/// between runs, such as another day, kernel or neighbour.
pub const SAME_WITHIN: f64 = FLOOR_IF_UNKNOWN;

/// Figures of one workload on one machine, the oldest run first.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    pub question: RankingQuestion,
    pub unit: Unit,
    pub machine: MachineIdentity,
    /// Complete runs in which the workload is verified.
    pub points: Vec<HistoryPoint>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryPoint {
    pub run: String,
    pub started: String,
    pub kasoku: String,
    pub library: String,
    pub library_version: String,
    pub code_path: String,
    pub figure: f64,
    pub ci95: Option<[f64; 2]>,
    #[serde(skip)]
    pub change: HistoryChange,
}

/// Change of a figure from the run before, as their ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HistoryChange {
    First,
    /// The 95 % intervals do not overlap, and the figures differ by more than [`SAME_WITHIN`].
    Shown(f64),
    NotShown(f64),
    /// One of the two figures has no confidence interval, so the change may be noise.
    WithoutInterval(f64),
}

impl Collection<'_> {
    /// Returns the machines with complete runs whose name equals `name` but for case, spaces and punctuation, else
    /// those whose name contains it. An empty name matches all machines.
    pub fn machines_called(&self, name: &str) -> Vec<&MachineIdentity> {
        let name = plain(name);
        let measured: BTreeSet<usize> =
            self.known.runs.iter().filter(|run| run.is_ranked()).map(|run| run.machine).collect();
        let machines: Vec<&MachineIdentity> =
            measured.into_iter().map(|machine| &self.known.machines[machine]).collect();
        let with_label = |is_it: &dyn Fn(String) -> bool| -> Vec<&MachineIdentity> {
            machines.iter().copied().filter(|machine| is_it(plain(machine.label()))).collect()
        };
        let same = with_label(&|label| label == name);
        if same.is_empty() { with_label(&|label| label.contains(&name)) } else { same }
    }

    /// Returns the known machine with the hardware of `this` and with complete runs. Of several such machines, returns
    /// the one with the newest run.
    pub fn identity_of(&self, this: &Machine) -> Option<&MachineIdentity> {
        let newest = self.known.measured_on(this).find(|run| run.complete)?;
        Some(&self.known.machines[newest.machine])
    }

    /// Returns the history over at most the `most` newest runs of `machine`.
    pub fn history(
        &self,
        question: &RankingQuestion,
        machine: &MachineIdentity,
        most: usize,
    ) -> Result<History, StoreError> {
        let mut figures = self.figures(question)?;
        figures.retain(|(place, _)| self.is_measured_of(*place, machine));
        self.history_of(question, machine, &figures, most)
    }

    /// Returns the history of each machine that has the workload, over at most its `most` newest runs.
    pub fn histories(&self, question: &RankingQuestion, most: usize) -> Result<Vec<History>, StoreError> {
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

    /// Returns the history that the figures of one machine make. The newest figures must come first.
    fn history_of(
        &self,
        question: &RankingQuestion,
        machine: &MachineIdentity,
        figures: &[PlacedFigure],
        most: usize,
    ) -> Result<History, StoreError> {
        let mut newest: Vec<(usize, Series)> = Vec::new();
        for of_run in by_run(figures) {
            // One more than `most`, so that the oldest point has a run before it.
            if newest.len() > most {
                break;
            }
            newest.extend(self.best(of_run)?.map(|series| (of_run[0].0, series)));
        }
        let mut points: Vec<HistoryPoint> = Vec::new();
        // Changes are relative to the earlier run, so the oldest comes first.
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
        Ok(History { question: question.clone(), unit: question.unit(), machine: machine.clone(), points })
    }

    /// Returns the message size in bytes that most runs of `machine` have. Among equally common sizes, prefers the
    /// default size, then the largest.
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
    fn change_is_shown_only_for_separate_intervals_over_3_percent() {
        let around = |figure: f64, half: f64| (figure, Some([figure - half, figure + half]));
        assert_eq!(change(around(100.0, 1.0), around(110.0, 1.0)), HistoryChange::Shown(1.1));
        assert_eq!(change(around(100.0, 1.0), around(90.0, 1.0)), HistoryChange::Shown(0.9));
        assert_eq!(change(around(100.0, 6.0), around(110.0, 6.0)), HistoryChange::NotShown(1.1));
        assert_eq!(change(around(100.0, 0.1), around(102.0, 0.1)), HistoryChange::NotShown(1.02));
        assert_eq!(change(around(100.0, 0.1), (200.0, None)), HistoryChange::WithoutInterval(2.0));
    }
}
