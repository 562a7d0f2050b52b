//! The page of an algorithm: ranking of machines, figures by library, gains from acceleration.

use super::worth::worth;
use super::{
    ALGORITHMS, IN_FOLDER, MACHINES, MAX_ROWS, OperationFigures, Site, SitePage, by_machine, link, most, searched,
    sorted,
};
use crate::collection::rank::{self, RankingView};
use crate::collection::{size_of, state};
use crate::prelude::*;
use crate::selection::operation;
use kasoku_store::collection::{Ranking, RankingRow};

impl Site<'_> {
    /// Returns the page of the algorithm that `operations` have figures of; `None` if `operations` have no figures.
    pub fn algorithm(&self, operations: &[OperationFigures]) -> Option<SitePage> {
        let ranked = || operations.iter().filter(|operation| !operation.fastest.rows.is_empty());
        let algorithm = ranked().next()?.fastest.question.algorithm;
        Some(SitePage {
            folder: Some(ALGORITHMS),
            name: algorithm.name().to_owned(),
            title: say!("site-named", name = algorithm.title()),
            sections: ranked().map(|operation| self.operation(operation)).collect(),
            ..SitePage::default()
        })
    }

    fn operation(&self, figures: &OperationFigures) -> Section {
        let question = &figures.fastest.question;
        let title = [operation(question.operation), size_of(question), state(question)];
        let mut blocks = vec![searched(self.ranking(figures))];
        if let Some(matrix) = self.matrix(figures) {
            blocks.extend([Block::Heading(say!("site-by-library")), sorted(matrix)]);
        }
        blocks.extend(worth(self, &figures.pairs, question.operation.name()));
        Section::open(question.operation.name(), Text::list(Separator::Comma, title), blocks)
    }

    fn ranking(&self, figures: &OperationFigures) -> Table {
        let OperationFigures { fastest, left_out, .. } = figures;
        let (all, shown) = (fastest.rows.len(), fastest.rows.len().min(MAX_ROWS));
        let page = |row: &RankingRow| Some(link(IN_FOLDER, MACHINES, &self.machines[self.machine_of(row)?].address));
        let notes = rank::notes(fastest, left_out).into_iter().chain(most(shown, all)).collect();
        let rows = (0..shown).collect();
        rank::table(fastest, RankingView { rows, link: Some(&page), notes, ..RankingView::default() })
    }

    /// Returns a table with a row for each machine, fastest first, and a column for each library.
    fn matrix(&self, operation: &OperationFigures) -> Option<Table> {
        let known: Vec<&Ranking> = operation.libraries.iter().filter(|ranking| !ranking.rows.is_empty()).collect();
        let scale = Scale::of_table(known.first()?.unit);
        let fastest =
            |figures: &[Option<&RankingRow>]| figures.iter().flatten().map(|row| row.figure).fold(0.0, f64::max);
        let mut rows = by_machine(known.iter().map(|ranking| self.rows(ranking)));
        rows.sort_by(|(_, one), (_, other)| fastest(other).total_cmp(&fastest(one)));
        let (machines, libraries) = (rows.len(), operation.libraries.len());
        rows.truncate(MAX_ROWS);
        let few = operation.library_count > libraries;
        TableBuilder::new(Text::list(Separator::Comma, [say!("site-by-library"), scale.name.into()]), &rows)
            .words(say!("collection-machine"), |(machine, _)| self.machine_cell(*machine, IN_FOLDER))
            .each(known.iter().enumerate(), |table, (column, ranking)| {
                let library = ranking.rows.first().map_or("", |row| &row.library);
                table.column(Column::figures(short(library, 24)), move |(_, figures)| {
                    figures[column].map(|row| Cell::figure(scale, row.figure))
                })
            })
            .notes(most(rows.len(), machines))
            .notes(few.then(|| say!("site-most-libraries", shown = libraries, all = operation.library_count)))
            .any()
    }
}
