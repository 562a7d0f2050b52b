//! The page of an algorithm: the machines in order, by each library, and what acceleration is worth.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::layout::{Layout, PageKind};
use super::worth::worth;
use super::{AlgorithmFigures, MAX_ROWS, OperationFigures, Page, Site, StateRankings};
use crate::collection::rank;
use crate::html::table::{table, table_over_notes};
use crate::quantity::{Scale, size};
use crate::table::{Cell, Column, Over};
use crate::visible::short;
use kasoku_model::language::Language;

impl Site<'_> {
    /// The page of an algorithm.
    pub fn algorithm(&self, figures: &AlgorithmFigures, language: Language) -> Page {
        let layout = Layout::new(Some(PageKind::Algorithm), language);
        let messages = layout.messages;
        let title = (messages.site.named)(figures.algorithm.title());
        let main = html! {
            @for operation in &figures.operations {
                @let name = operation.fastest.question.operation.name();
                section aria-labelledby=(name) {
                    h2 id=(name) { (heading(operation, layout)) }
                    (self.ranking(operation, layout))
                    @if let Some(matrix) = self.matrix(&operation.libraries, layout) { (matrix) }
                    @if let Some(worth) = worth(self, &operation.libraries, name, layout) { (worth) }
                }
            }
        };
        layout.titled(figures.algorithm.name(), &title, "", &main)
    }

    fn ranking(&self, figures: &OperationFigures, layout: Layout) -> Markup {
        let OperationFigures { fastest, left_out, .. } = figures;
        let words = &layout.messages.site;
        let rows = &fastest.rows[..fastest.rows.len().min(MAX_ROWS)];
        let link = |row: &_| Some(layout.machine(self, self.machine_of(row)?));
        let mut ranking = rank::linked(fastest, rows, left_out, layout.messages, link);
        ranking.notes.extend((fastest.rows.len() > rows.len()).then(|| (words.most)(rows.len(), fastest.rows.len())));
        html! {
            @if rows.is_empty() {
                p { (words.nothing) }
            } @else {
                div.sorted.searched { (table_over_notes(ranking)) }
            }
        }
    }

    /// The machines with the figure of each library, in the order of the fastest.
    fn matrix(&self, libraries: &[StateRankings], layout: Layout) -> Option<Markup> {
        let (words, messages) = (&layout.messages.site, layout.messages);
        let known: Vec<&StateRankings> = libraries.iter().filter(|one| !one.on.rows.is_empty()).collect();
        let scale = Scale::of_table(known.first()?.on.unit);
        let mut of_machine: BTreeMap<usize, Vec<Option<f64>>> = BTreeMap::new();
        for (column, one) in known.iter().enumerate() {
            for row in &one.on.rows {
                let Some(machine) = self.machine_of(row) else { continue };
                let figures = of_machine.entry(machine).or_insert_with(|| vec![None; known.len()]);
                if figures[column].is_none_or(|best| best < row.figure) {
                    figures[column] = Some(row.figure);
                }
            }
        }
        let fastest = |figures: &[Option<f64>]| figures.iter().flatten().copied().fold(0.0, f64::max);
        let mut rows: Vec<(usize, Vec<Option<f64>>)> = of_machine.into_iter().collect();
        rows.sort_by(|(_, one), (_, other)| fastest(other).total_cmp(&fastest(one)));
        rows.truncate(MAX_ROWS);
        let machine = |machine: usize| {
            let name = self.machines[machine].name(messages.facts.unnamed);
            Cell::linked(name, Some(layout.machine(self, machine)))
        };
        let title = format!("{}{}{}", words.by_library, messages.words.comma, scale.name);
        let figures = Over::new(title, &rows)
            .words(messages.collection.machine, |(place, _)| machine(*place))
            .each(known.iter().enumerate(), |table, (column, one)| {
                table.column(Column::figures(short(&one.library, 24)), move |(_, figures)| {
                    figures[column].map(|figure| scale.write(figure))
                })
            })
            .table();
        Some(html! { h3 { (words.by_library) } div.sorted { (table(&figures)) } })
    }
}

/// `Seal, 16 KiB`.
fn heading(figures: &OperationFigures, layout: Layout) -> String {
    let (question, words) = (&figures.fastest.question, &layout.messages.words);
    let mut parts = vec![(words.operation)(question.operation).to_owned()];
    parts.extend(question.has_sizes().then(|| size(question.bytes)));
    parts.push((layout.messages.collection.state)(question.acceleration));
    parts.join(words.comma)
}
