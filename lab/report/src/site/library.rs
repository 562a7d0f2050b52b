//! The page of a library: on which machines it was measured, how fast it is there, and what acceleration brings it.

use std::collections::BTreeMap;

use maud::html;

use super::layout::{Layout, PageKind};
use super::worth::{Gain, factor, gains};
use super::{LibraryFigures, MAX_ROWS, NAME, Page, Site};
use crate::html::table::table;
use crate::quantity::{Scale, size};
use crate::table::{Cell, Column, Over, Table};
use crate::visible::short;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::language::Language;
use kasoku_model::workload::Operation;
use kasoku_store::collection::{Ranking, RankingQuestion, RankingRow};

impl Site<'_> {
    /// The page of a library, by its figures of several algorithms; none if it has no figures.
    pub fn library(&self, name: &str, figures: &[LibraryFigures], language: Language) -> Option<Page> {
        let layout = Layout::new(Some(PageKind::Library), language);
        let words = &layout.messages.site;
        let (_, address) = self.libraries.iter().find(|(known, _)| known == name)?;
        // A table for each kind of algorithm: all of them would be wider than anybody reads.
        let kinds = || figures.chunk_by(|one, other| one.kind() == other.kind());
        let speeds: Vec<Table> = kinds().filter_map(|of_kind| self.speeds(of_kind, layout)).collect();
        let gains: Vec<Table> = kinds().filter_map(|of_kind| self.gains(of_kind, layout)).collect();
        if speeds.is_empty() {
            return None;
        }
        let main = html! {
            @for speeds in &speeds { div.sorted.searched { (table(speeds)) } }
            @if !gains.is_empty() {
                section aria-labelledby="worth" {
                    h2 id="worth" { (words.worth) }
                    p { (words.worth_explained) }
                    @for gains in &gains { div.sorted { (table(gains)) } }
                }
            }
        };
        Some(layout.titled(address, &(words.named)(&short(name, NAME)), "", &main))
    }

    /// Machines by algorithms: how fast.
    fn speeds(&self, figures: &[LibraryFigures], layout: Layout) -> Option<Table> {
        let known: Vec<&Ranking> = figures.iter().map(|one| &one.on).filter(|one| !one.rows.is_empty()).collect();
        let mut of_machine: BTreeMap<usize, Vec<Option<&RankingRow>>> = BTreeMap::new();
        for (column, ranking) in known.iter().enumerate() {
            for row in &ranking.rows {
                let Some(machine) = self.machine_of(row) else { continue };
                let cells = of_machine.entry(machine).or_insert_with(|| vec![None; known.len()]);
                if cells[column].is_none_or(|best| best.figure < row.figure) {
                    cells[column] = Some(row);
                }
            }
        }
        let rows: Vec<(usize, Vec<Option<&RankingRow>>)> = of_machine.into_iter().collect();
        let version = |(_, cells): &(usize, Vec<Option<&RankingRow>>)| {
            cells.iter().flatten().next().map(|row| short(&row.library_version, 30))
        };
        self.over(figures, &rows, layout)?
            .words(layout.messages.site.version, version)
            .each(known.iter().enumerate(), |table, (column, ranking)| {
                let scale = Scale::of_table(ranking.unit);
                table.column(of_algorithm(&ranking.question, scale.name, layout), move |(_, cells)| {
                    cells[column].map(|row| Cell::figure(scale, row.figure))
                })
            })
            .any()
    }

    /// Machines by algorithms: by how much acceleration makes them faster.
    fn gains(&self, figures: &[LibraryFigures], layout: Layout) -> Option<Table> {
        let all: Vec<(&RankingQuestion, Vec<Gain<'_>>)> =
            figures.iter().map(|one| (&one.pairs.question, gains(self, &one.pairs))).collect();
        let all: Vec<(&RankingQuestion, Vec<Gain<'_>>)> =
            all.into_iter().filter(|(_, gains)| !gains.is_empty()).collect();
        let mut of_machine: BTreeMap<usize, Vec<Option<&Gain<'_>>>> = BTreeMap::new();
        for (column, (_, gains)) in all.iter().enumerate() {
            for gain in gains {
                let cells = of_machine.entry(gain.machine).or_insert_with(|| vec![None; all.len()]);
                cells[column] = cells[column].or(Some(gain));
            }
        }
        let rows: Vec<(usize, Vec<Option<&Gain<'_>>>)> = of_machine.into_iter().collect();
        self.over(figures, &rows, layout)?
            .each(all.iter().enumerate(), |table, (column, (question, _))| {
                table.column(of_algorithm(question, "×", layout), move |(_, cells)| {
                    cells[column].map(|gain| factor(gain, layout.messages))
                })
            })
            .any()
    }

    /// A table of machines with their generations, as many as a page has; it is about a kind of algorithms.
    fn over<'i, T>(
        &self,
        figures: &[LibraryFigures],
        rows: &'i [(usize, T)],
        layout: Layout,
    ) -> Option<Over<'i, (usize, T)>> {
        let messages = layout.messages;
        let shown = &rows[..rows.len().min(MAX_ROWS)];
        let table = Over::new((messages.words.kind)(figures.first()?.kind()), shown)
            .words(messages.collection.machine, |(machine, _)| {
                let name = self.machines[*machine].name(messages.facts.unnamed);
                Cell::linked(name, Some(layout.machine(self, *machine)))
            })
            .words(messages.site.generation, |(machine, _)| self.machines[*machine].generation_or_cpu())
            .notes((rows.len() > shown.len()).then(|| (messages.site.most)(shown.len(), rows.len())));
        Some(table)
    }
}

impl LibraryFigures {
    fn kind(&self) -> AlgorithmKind {
        self.on.question.algorithm.kind()
    }
}

/// A column of figures of an algorithm; the operation is named where it is not the one that goes without saying.
fn of_algorithm(question: &RankingQuestion, unit: &str, layout: Layout) -> Column {
    let is_main = Operation::of(question.algorithm.kind()).first() == Some(&question.operation);
    let operation = (!is_main).then(|| (layout.messages.words.operation)(question.operation).to_owned());
    let bytes = question.has_sizes().then(|| size(question.bytes));
    let beneath: Vec<String> = operation.into_iter().chain(bytes).chain([unit.to_owned()]).collect();
    Column { beneath: Some(beneath.join(" · ")), ..Column::figures(question.algorithm.title()) }
}
