//! Ranks machines by one workload.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::devices::Device;
use super::machines::RunsLeftOut;
use super::question::RankingQuestion;
use super::{Collection, PlacedFigure, is_figure, is_plain, most_frequent, of_run};
use crate::{KnownFigure, MachineIdentity, StoreError};
use kasoku_model::document::{Document, Machine, Origin, OriginKind, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::openssl_speed::AeadRow;

/// Machines ranked by one workload, the fastest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub question: RankingQuestion,
    pub unit: Unit,
    pub rows: Vec<RankingRow>,
    /// Number of rows that are left out because their figures measure another operation, and that operation.
    pub apart: Option<(usize, AeadRow)>,
    pub this: This,
}

/// Whether the machine that asks for the ranking is ranked and, if not, the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum This {
    Ranked,
    /// The machine has complete runs, but none with this workload verified.
    WithoutWorkload,
    /// The machine has no complete run.
    WithoutRun,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankingRow {
    /// Rank, from 1; equal figures share a rank.
    pub place: usize,
    #[serde(rename = "machine")]
    pub device: String,
    pub os: Option<String>,
    /// CPU; empty if unknown.
    pub cpu: String,
    /// Architecture; empty if unknown.
    pub arch: String,
    pub figure: f64,
    pub ci95: Option<[f64; 2]>,
    /// Ratio to this machine's figure; `None` if this machine is not ranked.
    #[serde(rename = "times_this_machine")]
    pub times: Option<f64>,
    pub library: String,
    /// Version of the library; empty if unknown.
    pub library_version: String,
    pub code_path: String,
    pub aead_row: Option<AeadRow>,
    /// Sources of the figure; never empty.
    pub sources: Vec<FigureSource>,
    #[serde(rename = "this_machine")]
    pub is_this: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "known", rename_all = "kebab-case")]
pub enum FigureSource {
    /// Measured and verified by Kasoku.
    Measured {
        run: String,
        started: String,
    },
    Imported {
        run: String,
        origin: Origin,
    },
    /// Published in one of [`sources`](crate::published::sources).
    Published {
        run: String,
        origin: Origin,
    },
}

impl FigureSource {
    pub fn run(&self) -> &str {
        match self {
            FigureSource::Measured { run, .. }
            | FigureSource::Imported { run, .. }
            | FigureSource::Published { run, .. } => run,
        }
    }
}

impl RankingRow {
    /// Whether the figure is quoted: all its sources are imports or publications, so Kasoku did not measure it.
    pub fn is_quoted(&self) -> bool {
        !self.sources.iter().any(|source| matches!(source, FigureSource::Measured { .. }))
    }
}

/// Machines and runs that have the workload but are not in its ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Number of machines whose only figures for the workload are at other message sizes.
    pub machines: usize,
    pub sizes: Vec<usize>,
    /// Incomplete runs that have the workload at this size.
    pub runs: RunsLeftOut,
}

/// Index of a machine that Kasoku measured, or of a device whose figures were imported or published (`Elsewhere`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Whose {
    Measured(usize),
    Elsewhere(usize),
}

pub(super) struct Candidate {
    pub(super) whose: Whose,
    /// Index of the run; `None` for the publication of the device.
    pub(super) run: Option<usize>,
    pub(super) library: String,
    pub(super) bytes: usize,
}

impl Collection<'_> {
    /// Returns the ranking for `question`. `this` is the machine to compare with, if any.
    pub fn ranking(&self, question: &RankingQuestion, this: Option<&Machine>) -> Result<Ranking, StoreError> {
        let mut ranking = self.unordered(question, this)?;
        ranking.put_in_order();
        Ok(ranking)
    }

    /// Returns the ranking in which `document` represents this machine, even if newer runs of the machine exist.
    pub fn ranking_around(&self, question: &RankingQuestion, document: &Document) -> Result<Ranking, StoreError> {
        let mut ranking = self.unordered(question, Some(&document.machine))?;
        let own = own(question, document);
        if document.run.origin.is_some() {
            for row in &mut ranking.rows {
                row.is_this = row.sources.iter().any(|source| source.run() == document.run.id);
            }
            if !ranking.rows.iter().any(|row| row.is_this) {
                ranking.rows.extend(own);
            }
        } else if let Some(own) = own {
            ranking.rows.retain(|row| !row.is_this);
            ranking.rows.push(own);
        }
        ranking.put_in_order();
        ranking.this = match (ranking.rows.iter().any(|row| row.is_this), ranking.this) {
            (true, _) => This::Ranked,
            (false, This::Ranked) => This::WithoutWorkload,
            (false, this) => this,
        };
        Ok(ranking)
    }

    fn unordered(&self, question: &RankingQuestion, this: Option<&Machine>) -> Result<Ranking, StoreError> {
        let figures = self.figures(question)?;
        let mut measured = self.newest(&figures, |place, of_run| self.measured_row(place, of_run))?;
        if let Some(this) = this.map(MachineIdentity::from) {
            // Of machines that differ only by name, the one with the newest run is this machine.
            let mine = measured.iter_mut().filter(|(place, _)| self.identity(*place).is_same_hardware(&this));
            mine.min_by_key(|(place, _)| *place).into_iter().for_each(|(_, row)| row.is_this = true);
        }
        let mut rows: Vec<RankingRow> = measured.into_iter().map(|(_, row)| row).collect();
        rows.extend(self.elsewhere(question, &figures)?);
        let this = match rows.iter().any(|row| row.is_this) {
            true => This::Ranked,
            false if this.is_some_and(|this| self.known.measured_on(this).any(|run| run.complete)) => {
                This::WithoutWorkload
            }
            false => This::WithoutRun,
        };
        Ok(Ranking { question: question.clone(), unit: question.unit(), rows, apart: None, this })
    }

    /// Returns what the ranking for `question` lacks: machines without a figure at its size, and incomplete runs.
    pub fn left_out(&self, question: &RankingQuestion) -> Result<LeftOut, StoreError> {
        let sizes = self.sizes(question)?;
        let missing = || sizes.values().filter(|sizes| !sizes.contains(&question.bytes));
        let all: BTreeSet<usize> = missing().flatten().copied().collect();
        let runs = self.runs_left_out(question)?;
        Ok(LeftOut { machines: missing().count(), sizes: all.into_iter().collect(), runs })
    }

    /// Returns the size in bytes at which most machines have figures. If several sizes have equally many machines,
    /// returns [`DEFAULT_BYTES`](super::DEFAULT_BYTES) if it is one of them, else the largest.
    pub fn usual_bytes(&self, question: &RankingQuestion) -> Result<usize, StoreError> {
        let sizes = self.sizes(question)?.into_values().flatten();
        Ok(most_frequent(sizes).unwrap_or(question.bytes))
    }

    pub(super) fn measured_row(
        &self,
        place: usize,
        figures: &[PlacedFigure],
    ) -> Result<Option<RankingRow>, StoreError> {
        let run = &self.known.runs[place];
        let source = FigureSource::Measured { run: run.id.clone(), started: run.started.clone() };
        Ok(self.best(figures)?.and_then(|series| row(&self.machine(place), &series, source)))
    }

    /// Returns the rows of imported and published figures. Equal figures of one device share a row.
    pub(super) fn elsewhere(
        &self,
        question: &RankingQuestion,
        figures: &[PlacedFigure],
    ) -> Result<Vec<RankingRow>, StoreError> {
        let mut rows = Vec::new();
        for device in &self.devices {
            let published = device.published.and_then(|document| published(document, question));
            let mut own: Vec<RankingRow> = Vec::new();
            for &place in &device.imports {
                let Some(mut row) = self.imported(place, of_run(figures, place))? else { continue };
                if let Some(document) = device.published {
                    let is_published = published.as_ref().is_some_and(|one| is_same(one.figure, row.figure));
                    describe(&mut row, &document.machine, is_published);
                }
                merge(&mut own, row);
            }
            published.into_iter().for_each(|row| merge(&mut own, row));
            rows.extend(own);
        }
        Ok(rows)
    }

    /// Returns the row of an imported run with its best representative figure.
    fn imported(&self, place: usize, figures: &[PlacedFigure]) -> Result<Option<RankingRow>, StoreError> {
        let Some(store) = self.store else { return Ok(None) };
        let run = &self.known.runs[place];
        let Some(origin) = &run.origin else { return Ok(None) };
        let sound = figures.iter().map(|(_, figure)| figure).filter(|figure| is_figure(Some(figure.median)));
        let mut figures: Vec<&KnownFigure> = sound.collect();
        figures.sort_by(|left, right| right.median.total_cmp(&left.median));
        for figure in figures {
            let Some(series) = store.series_of(figure)? else { return Ok(None) };
            if series.is_representative() {
                let source = FigureSource::Imported { run: run.id.clone(), origin: origin.clone() };
                return Ok(row(&self.machine(place), &series, source));
            }
        }
        Ok(None)
    }

    fn machine(&self, place: usize) -> Machine {
        let MachineIdentity { name, cpu, arch, .. } = self.identity(place).clone();
        Machine { name, cpu, arch, os: self.known.runs[place].os.clone(), ..Machine::default() }
    }

    fn sizes(&self, question: &RankingQuestion) -> Result<BTreeMap<Whose, BTreeSet<usize>>, StoreError> {
        let mut sizes: BTreeMap<Whose, BTreeSet<usize>> = BTreeMap::new();
        if question.has_sizes() {
            for one in self.candidates(question)? {
                sizes.entry(one.whose).or_default().insert(one.bytes);
            }
        }
        Ok(sizes)
    }

    /// Returns the libraries with figures at the question's size, the libraries on the most machines first.
    pub fn libraries_by_machines(&self, question: &RankingQuestion) -> Result<Vec<String>, StoreError> {
        let mut machines: BTreeMap<String, BTreeSet<Whose>> = BTreeMap::new();
        let is_ranked = |one: &Candidate| one.bytes == question.bytes && Role::of(&one.library) == Role::Library;
        for one in self.candidates(question)?.into_iter().filter(is_ranked) {
            machines.entry(one.library).or_default().insert(one.whose);
        }
        let mut libraries: Vec<(String, usize)> =
            machines.into_iter().map(|(library, machines)| (library, machines.len())).collect();
        libraries.sort_by_key(|(_, machines)| Reverse(*machines));
        Ok(libraries.into_iter().map(|(library, _)| library).collect())
    }

    /// Returns all figures for a question that may be ranked, at every message size.
    pub(super) fn candidates(&self, question: &RankingQuestion) -> Result<Vec<Candidate>, StoreError> {
        let mut candidates = Vec::new();
        let mut devices: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, Device { published, imports }) in self.devices.iter().enumerate() {
            devices.extend(imports.iter().map(|place| (*place, index)));
            for series in published.iter().flat_map(|document| &document.series) {
                if is_asked(series, question) {
                    let (whose, library, bytes) = (Whose::Elsewhere(index), series.library.clone(), series.bytes);
                    candidates.push(Candidate { whose, run: None, library, bytes });
                }
            }
        }
        for (place, figure) in self.figures_at(question, None)? {
            let run = &self.known.runs[place];
            let whose = match devices.get(&place) {
                Some(device) => Whose::Elsewhere(*device),
                None if run.complete && figure.verified => Whose::Measured(run.machine),
                None => continue,
            };
            let KnownFigure { library, bytes, .. } = figure;
            candidates.push(Candidate { whose, run: Some(place), library, bytes });
        }
        Ok(candidates)
    }
}

impl Ranking {
    /// Removes rows whose operation cannot be compared with that of this machine's row or, without such a row, with
    /// that of most rows. Sorts the rest, the fastest first, and fills in their places and ratios.
    fn put_in_order(&mut self) {
        self.apart = leave_apart(&mut self.rows, self.question.bytes);
        let rows = &mut self.rows;
        let mine = rows.iter().find(|row| row.is_this).map(|row| row.figure);
        rows.sort_by(|left, right| right.figure.total_cmp(&left.figure).then_with(|| left.device.cmp(&right.device)));
        let mut before: Option<(usize, f64)> = None;
        for (index, row) in rows.iter_mut().enumerate() {
            row.place = match before {
                Some((place, figure)) if is_same(figure, row.figure) => place,
                _ => index + 1,
            };
            before = Some((row.place, row.figure));
            row.times = mine.map(|mine| row.figure / mine);
        }
    }
}

/// Removes the rows that measure another operation than this machine's row or, without such a row, than most rows.
/// Keeps them if the two operations are comparable at `bytes`. Returns the number and operation of the removed rows.
fn leave_apart(rows: &mut Vec<RankingRow>, bytes: usize) -> Option<(usize, AeadRow)> {
    let count = |kind| rows.iter().filter(|row| row.aead_row == Some(kind)).count();
    let mine = rows.iter().find(|row| row.is_this).and_then(|row| row.aead_row);
    let two = [AeadRow::Updates, AeadRow::KeyedMessages];
    let apart = match mine {
        Some(mine) if two.contains(&mine) => two.into_iter().find(|kind| *kind != mine)?,
        _ => two.into_iter().min_by_key(|kind| count(*kind))?,
    };
    let before = rows.len();
    let rest = two.into_iter().find(|kind| *kind != apart)?;
    if count(rest) > 0 && !rest.is_comparable(apart, bytes) {
        rows.retain(|row| row.aead_row != Some(apart));
    }
    (rows.len() < before).then_some((before - rows.len(), apart))
}

/// Completes an imported row with the device's properties from its publication. The published name replaces the row's
/// device name, which is the imported file's name. A missing operating system is filled in only if `is_published` (the
/// row's figure is the published one): another measurement may have run on another system.
fn describe(row: &mut RankingRow, published: &Machine, is_published: bool) {
    published.label().clone_into(&mut row.device);
    for (own, more) in [(&mut row.cpu, &published.cpu), (&mut row.arch, &published.arch)] {
        if own.is_empty() {
            own.clone_from(more);
        }
    }
    if is_published {
        row.os = row.os.take().or_else(|| published.os.clone());
    }
}

/// Whether two figures are equal, apart from rounding errors of floating-point arithmetic.
fn is_same(left: f64, right: f64) -> bool {
    (left - right).abs() <= left.abs().max(right.abs()) * 1e-12
}

/// Adds `row` to the `rows` of one device. If a row with an equal figure exists, only adds the sources to that row,
/// since both rows are the same measurement.
fn merge(rows: &mut Vec<RankingRow>, row: RankingRow) {
    match rows.iter_mut().find(|other| is_same(other.figure, row.figure)) {
        Some(other) => {
            if other.library_version.is_empty() {
                other.library_version = row.library_version;
            }
            other.sources.extend(row.sources);
        }
        None => rows.push(row),
    }
}

/// Returns the row of a published device, if it has a figure for the question.
fn published(document: &Document, question: &RankingQuestion) -> Option<RankingRow> {
    let is_it = |series: &&Series| is_asked(series, question) && series.bytes == question.bytes;
    let series = document.series.iter().find(is_it)?;
    let source = FigureSource::Published { run: document.run.id.clone(), origin: document.run.origin.clone()? };
    row(&document.machine, series, source)
}

/// Returns the row of the best figure of `document` that may be ranked.
fn own(question: &RankingQuestion, document: &Document) -> Option<RankingRow> {
    let run = &document.run;
    let may_stand = |series: &&Series| {
        let is_sound = match run.origin {
            Some(_) => series.is_representative() && is_figure(series.median),
            None => is_plain(series),
        };
        series.bytes == question.bytes && is_asked(series, question) && is_sound
    };
    let is_ranked = run.complete && document.machine.is_genuine();
    let candidates = document.series.iter().filter(may_stand).filter(|_| is_ranked);
    let best = candidates.max_by(|left, right| left.median.unwrap_or(0.0).total_cmp(&right.median.unwrap_or(0.0)))?;
    let source = match &run.origin {
        None => FigureSource::Measured { run: run.id.clone(), started: run.started.clone() },
        Some(origin) if origin.kind == OriginKind::Published => {
            FigureSource::Published { run: run.id.clone(), origin: origin.clone() }
        }
        Some(origin) => FigureSource::Imported { run: run.id.clone(), origin: origin.clone() },
    };
    Some(RankingRow { is_this: true, ..row(&document.machine, best, source)? })
}

/// Whether a series matches the question at any size.
fn is_asked(series: &Series, question: &RankingQuestion) -> bool {
    series.level == Level::Primitives
        && series.algorithm == question.algorithm
        && series.operation == question.operation
        && series.acceleration == question.acceleration
        && question.library.as_ref().is_none_or(|only| *only == series.library)
}

/// Returns the row of a series, without a place in the ranking. Returns `None` if the figure is not finite and
/// positive.
fn row(machine: &Machine, series: &Series, source: FigureSource) -> Option<RankingRow> {
    Some(RankingRow {
        place: 0,
        device: machine.label().to_owned(),
        os: machine.os.clone(),
        cpu: machine.cpu.clone(),
        arch: machine.arch.clone(),
        figure: series.median.filter(|median| is_figure(Some(*median)))?,
        ci95: series.ci95,
        times: None,
        library: series.library.clone(),
        library_version: series.library_version.clone(),
        code_path: series.code_path.clone(),
        aead_row: AeadRow::of(series),
        sources: vec![source],
        is_this: false,
    })
}
