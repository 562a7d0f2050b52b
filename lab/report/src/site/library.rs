//! The page of a library, with its speed and its gains from acceleration on each machine.

use super::worth::{Gain, factor, gains};
use super::{
    IN_FOLDER, LIBRARIES, LibraryFigures, MAX_ROWS, NAME, Site, SitePage, by_machine, column, most, searched, sorted,
};
use crate::prelude::*;
use crate::selection::{kind_title, operation};
use kasoku_store::collection::{Ranking, RankingQuestion};

impl Site<'_> {
    /// Returns the page of a library from its figures for several algorithms; `None` without such figures.
    pub fn library(&self, name: &str, figures: &[LibraryFigures]) -> Option<SitePage> {
        let address = self.libraries.get(name)?;
        // A table for each kind of algorithm, since one table would be too wide.
        let kinds = || figures.chunk_by(|one, other| kind(one) == kind(other));
        let speeds: Vec<Block> = kinds().filter_map(|of_kind| self.speeds(of_kind)).map(searched).collect();
        let gains: Vec<Block> = kinds().filter_map(|of_kind| self.gains(of_kind)).map(sorted).collect();
        if speeds.is_empty() {
            return None;
        }
        let worth = [vec![Block::Paragraph(say!("site-worth-explained"))], gains.clone()].concat();
        let worth = Section::open("worth", say!("site-worth"), worth);
        Some(SitePage {
            folder: Some(LIBRARIES),
            name: address.clone(),
            title: say!("site-named", name = short(name, NAME)),
            blocks: speeds,
            sections: if gains.is_empty() { Vec::new() } else { vec![worth] },
            ..SitePage::default()
        })
    }

    fn speeds(&self, figures: &[LibraryFigures]) -> Option<Table> {
        let known: Vec<&Ranking> = figures.iter().map(|one| &one.on).filter(|one| !one.rows.is_empty()).collect();
        let rows = by_machine(known.iter().map(|ranking| self.rows(ranking)));
        self.table_of_machines(figures, &rows)?
            .words(say!("site-version"), |(_, cells)| {
                cells.iter().flatten().next().map(|row| short(&row.library_version, 30))
            })
            .each(known.iter().enumerate(), |table, (index, ranking)| {
                let scale = Scale::of_table(ranking.unit);
                table.column(of_algorithm(&ranking.question, scale.name), move |(_, cells)| {
                    cells[index].map(|row| Cell::figure(scale, row.figure))
                })
            })
            .any()
    }

    fn gains(&self, figures: &[LibraryFigures]) -> Option<Table> {
        let all = figures.iter().map(|one| (&one.pairs.question, gains(self, &one.pairs)));
        let all: Vec<(&RankingQuestion, Vec<Gain<'_>>)> = all.filter(|(_, gains)| !gains.is_empty()).collect();
        let rows = by_machine(all.iter().map(|(_, gains)| gains.iter().map(|gain| (gain.machine, gain))));
        self.table_of_machines(figures, &rows)?
            .each(all.iter().enumerate(), |table, (index, (question, _))| {
                table.column(of_algorithm(question, "×"), move |(_, cells)| cells[index].map(factor))
            })
            .any()
    }

    /// Starts a table with a row for each machine and its microarchitecture. The title names the kind of algorithm that
    /// `figures` measure.
    fn table_of_machines<'i, T>(
        &self,
        figures: &[LibraryFigures],
        rows: &'i [(usize, T)],
    ) -> Option<TableBuilder<'i, (usize, T)>> {
        let shown = &rows[..rows.len().min(MAX_ROWS)];
        let table = TableBuilder::new(kind_title(kind(figures.first()?)), shown)
            .words(say!("collection-machine"), |(machine, _)| self.machine_cell(*machine, IN_FOLDER))
            .words(say!("site-generation"), |(machine, _)| self.machines[*machine].generation_or_cpu())
            .notes(most(shown.len(), rows.len()));
        Some(table)
    }
}

fn kind(figures: &LibraryFigures) -> AlgorithmKind {
    figures.on.question.algorithm.kind()
}

/// Returns a column for figures of an algorithm. The heading names the operation unless it is the algorithm's main
/// operation.
fn of_algorithm(question: &RankingQuestion, unit: &str) -> Column {
    let is_main = Operation::of(question.algorithm.kind()).first() == Some(&question.operation);
    let operation = (!is_main).then(|| operation(question.operation));
    let beneath = Text::list(Separator::Dot, operation.into_iter().chain([column(question, unit)]));
    Column { beneath: Some(beneath), ..Column::figures(question.algorithm.title()) }
}
