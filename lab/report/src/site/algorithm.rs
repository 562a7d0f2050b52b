//! The page of an algorithm: the machines in order, by each library, and what acceleration is worth.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::layout::{Layout, PageKind};
use super::worth::worth;
use super::{AlgorithmFigures, MAX_ROWS, OperationFigures, Page, Site};
use crate::collection::rank;
use crate::html::table::{table, table_over_notes};
use crate::quantity::{Scale, size};
use crate::table::{Cell, Column, Over};
use crate::visible::short;
use kasoku_model::language::Language;
use kasoku_store::collection::Ranking;

impl Site<'_> {
    /// The page of an algorithm, if any machine is ranked by it.
    pub fn algorithm(&self, figures: &AlgorithmFigures, language: Language) -> Option<Page> {
        let layout = Layout::new(Some(PageKind::Algorithm), language);
        let messages = layout.messages;
        let title = (messages.site.named)(figures.algorithm.title());
        let ranked = || figures.operations.iter().filter(|operation| !operation.fastest.rows.is_empty());
        let main = html! {
            @for operation in ranked() {
                @let name = operation.fastest.question.operation.name();
                section aria-labelledby=(name) {
                    h2 id=(name) { (heading(operation, layout)) }
                    (self.ranking(operation, layout))
                    @if let Some(matrix) = self.matrix(operation, layout) { (matrix) }
                    @if let Some(worth) = worth(self, &operation.pairs, name, layout) { (worth) }
                }
            }
        };
        ranked().next()?;
        Some(layout.titled(figures.algorithm.name(), &title, "", &main))
    }

    fn ranking(&self, figures: &OperationFigures, layout: Layout) -> Markup {
        let OperationFigures { fastest, left_out, .. } = figures;
        let words = &layout.messages.site;
        let rows = &fastest.rows[..fastest.rows.len().min(MAX_ROWS)];
        let link = |row: &_| Some(layout.machine(self, self.machine_of(row)?));
        let mut ranking = rank::linked(fastest, rows, left_out, layout.messages, link);
        ranking.notes.extend((fastest.rows.len() > rows.len()).then(|| (words.most)(rows.len(), fastest.rows.len())));
        html! { div.sorted.searched { (table_over_notes(ranking)) } }
    }

    /// The machines with the figure of each library, in the order of the fastest.
    fn matrix(&self, operation: &OperationFigures, layout: Layout) -> Option<Markup> {
        let (words, messages) = (&layout.messages.site, layout.messages);
        let known: Vec<&Ranking> = operation.libraries.iter().filter(|ranking| !ranking.rows.is_empty()).collect();
        let scale = Scale::of_table(known.first()?.unit);
        let mut of_machine: BTreeMap<usize, Vec<Option<f64>>> = BTreeMap::new();
        for (column, ranking) in known.iter().enumerate() {
            for row in &ranking.rows {
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
        let (machines, libraries) = (rows.len(), operation.libraries.len());
        rows.truncate(MAX_ROWS);
        let machine = |machine: usize| {
            let name = self.machines[machine].name(messages.facts.unnamed);
            Cell::linked(name, Some(layout.machine(self, machine)))
        };
        let title = format!("{}{}{}", words.by_library, messages.words.comma, scale.name);
        let figures = Over::new(title, &rows)
            .words(messages.collection.machine, |(place, _)| machine(*place))
            .each(known.iter().enumerate(), |table, (column, ranking)| {
                let library = ranking.rows.first().map_or("", |row| &row.library);
                table.column(Column::figures(short(library, 24)), move |(_, figures)| {
                    figures[column].map(|figure| Cell::figure(scale, figure))
                })
            })
            .notes((machines > rows.len()).then(|| (words.most)(rows.len(), machines)))
            .notes(
                (operation.library_count > libraries)
                    .then(|| (words.most_libraries)(libraries, operation.library_count)),
            )
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
