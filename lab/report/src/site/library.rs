//! The page of a library: on which machines it was measured, how fast it is there, and what acceleration brings it.

use std::collections::BTreeMap;

use maud::html;

use super::layout::{Layout, PageKind};
use super::worth::{Pair, factor, pairs};
use super::{MAX_ROWS, NAME, Page, Site, StateRankings};
use crate::html::table::table;
use crate::quantity::{Scale, size};
use crate::table::{Cell, Column, Over, Table};
use crate::visible::short;
use kasoku_model::language::Language;
use kasoku_store::collection::{Ranking, RankingRow};

impl Site<'_> {
    /// The page of a library, by its figures of several algorithms.
    pub fn library(&self, name: &str, figures: &[StateRankings], language: Language) -> Option<Page> {
        let layout = Layout::new(Some(PageKind::Library), language);
        let words = &layout.messages.site;
        let (_, address) = self.libraries.iter().find(|(known, _)| known == name)?;
        let speeds = self.speeds(figures, layout);
        let gains = self.gains(figures, layout);
        let main = html! {
            @if let Some(speeds) = &speeds {
                div.sorted.searched { (table(speeds)) }
            } @else {
                p { (words.nothing) }
            }
            @if let Some(gains) = &gains {
                section aria-labelledby="worth" {
                    h2 id="worth" { (words.worth) }
                    p { (words.worth_explained) }
                    div.sorted { (table(gains)) }
                }
            }
        };
        Some(layout.titled(address, &(words.named)(&short(name, NAME)), "", &main))
    }

    /// Machines by algorithms: how fast.
    fn speeds(&self, figures: &[StateRankings], layout: Layout) -> Option<Table> {
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
        let rows: Vec<(usize, Vec<Option<&RankingRow>>)> = of_machine.into_iter().take(MAX_ROWS).collect();
        let version = |(_, cells): &(usize, Vec<Option<&RankingRow>>)| {
            cells.iter().flatten().next().map(|row| short(&row.library_version, 30))
        };
        self.over(layout.messages.site.machines, &rows, layout)
            .words(layout.messages.site.version, version)
            .each(known.iter().enumerate(), |table, (column, ranking)| {
                let scale = Scale::of_table(ranking.unit);
                table.column(of_algorithm(ranking, Some(scale.name)), move |(_, cells)| {
                    cells[column].map(|row| scale.write(row.figure))
                })
            })
            .any()
    }

    /// Machines by algorithms: by how much acceleration makes them faster.
    fn gains(&self, figures: &[StateRankings], layout: Layout) -> Option<Table> {
        let all: Vec<(&Ranking, Vec<Pair<'_>>)> =
            figures.iter().map(|one| (&one.on, pairs(self, one))).filter(|(_, pairs)| !pairs.is_empty()).collect();
        let mut of_machine: BTreeMap<usize, Vec<Option<&Pair<'_>>>> = BTreeMap::new();
        for (column, (_, pairs)) in all.iter().enumerate() {
            for pair in pairs {
                let cells = of_machine.entry(pair.machine).or_insert_with(|| vec![None; all.len()]);
                cells[column] = cells[column].or(Some(pair));
            }
        }
        let rows: Vec<(usize, Vec<Option<&Pair<'_>>>)> = of_machine.into_iter().take(MAX_ROWS).collect();
        let no_difference = layout.messages.words.no_difference;
        self.over(layout.messages.site.worth, &rows, layout)
            .each(all.iter().enumerate(), |table, (column, (ranking, _))| {
                table.column(of_algorithm(ranking, Some("×")), move |(_, cells)| {
                    cells[column].map(|pair| factor(pair, no_difference))
                })
            })
            .any()
    }

    /// A table of machines with their generations.
    fn over<'i, T>(&self, title: &str, rows: &'i [(usize, T)], layout: Layout) -> Over<'i, (usize, T)> {
        let messages = layout.messages;
        Over::new(title, rows)
            .words(messages.collection.machine, |(machine, _)| {
                let name = self.machines[*machine].name(messages.facts.unnamed);
                Cell::linked(name, Some(layout.machine(self, *machine)))
            })
            .words(messages.site.generation, |(machine, _)| self.machines[*machine].generation_or_cpu())
    }
}

/// A column of figures of an algorithm.
fn of_algorithm(ranking: &Ranking, unit: Option<&str>) -> Column {
    let question = &ranking.question;
    let bytes = question.has_sizes().then(|| size(question.bytes));
    let beneath: Vec<&str> = bytes.as_deref().into_iter().chain(unit).collect();
    Column { beneath: Some(beneath.join(" · ")), ..Column::figures(question.algorithm.title()) }
}
