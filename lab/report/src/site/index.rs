//! The first page of the site, which lists all machines, algorithms and libraries.

use std::collections::BTreeMap;

use super::{
    LibraryCounts, MachinePlace, MachinePlaces, NAME, Site, SitePage, column, figure_cell, searched, workload_columns,
};
use crate::collection::{day, runs_left_out};
use crate::prelude::*;
use kasoku_model::algorithm::Algorithm::{self, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256};
use kasoku_store::collection::{RankingQuestion, RunsLeftOut};

/// Algorithms by which the first page compares machines.
pub const MAIN: [Algorithm; 4] = [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256];

/// Prefix of the first page's links, which is empty because the page is at the root.
const ROOT: &str = "";

impl Site<'_> {
    /// Returns the first page. It links `libraries` and states how many runs are left out.
    pub fn index(&self, places: &MachinePlaces, libraries: &LibraryCounts, left_out: RunsLeftOut) -> SitePage {
        let runs: usize = self.machines.iter().map(|machine| machine.known.runs.len()).sum();
        let (machines, count) = (self.machines.len(), libraries.len());
        let section = |id, title, table: Option<Table>| Some(Section::open(id, title, vec![searched(table?)]));
        let sections = [
            section("machines", say!("site-machines"), self.all_machines(places)),
            section("algorithms", say!("site-algorithms"), self.all_algorithms(places)),
            section("libraries", say!("site-libraries"), self.all_libraries(libraries)),
        ];
        SitePage {
            name: "index".to_owned(),
            title: say!("site-title"),
            about: say!("site-about", machines = machines, runs = runs, libraries = count),
            blocks: runs_left_out(left_out).into_iter().map(Block::Note).collect(),
            sections: sections.into_iter().flatten().collect(),
            ..SitePage::default()
        }
    }

    fn all_machines(&self, places: &MachinePlaces) -> Option<Table> {
        let all: Vec<usize> = (0..self.machines.len()).collect();
        let listed = |machine: &usize| &self.machines[*machine];
        let place_in = |machine: usize, algorithm: Algorithm| {
            let main = RankingQuestion::new(algorithm).operation;
            places
                .get(machine)?
                .iter()
                .find(|one| (one.question.algorithm, one.question.operation) == (algorithm, main))
        };
        let first_in = |algorithm: Algorithm| {
            let first = all.iter().find_map(|machine| place_in(*machine, algorithm))?;
            Some((algorithm, &first.question, Scale::of_table(first.question.unit())))
        };
        TableBuilder::new(say!("site-machines"), &all)
            .words(say!("collection-machine"), |machine| self.machine_cell(*machine, ROOT))
            .words(say!("site-cpu"), |machine| short(listed(machine).cpu(), NAME))
            .words(say!("site-generation"), |machine| {
                listed(machine).generation.as_deref().map(|name| short(name, NAME))
            })
            .words(say!("site-architecture"), |machine| short(listed(machine).arch(), 20))
            .words(say!("site-known"), |machine| match listed(machine) {
                one if one.known.is_measured() => say!("site-measured"),
                one if one.known.published.is_some() => say!("collection-published"),
                _ => say!("collection-imported"),
            })
            .each(MAIN.into_iter().filter_map(first_in), |table, (algorithm, question, scale)| {
                let heading =
                    Column { beneath: Some(column(question, scale.name)), ..Column::figures(algorithm.title()) };
                table.column(heading, move |machine| {
                    place_in(*machine, algorithm).map(|one| Cell::figure(scale, one.figure))
                })
            })
            .figures(say!("site-run-count"), |machine| listed(machine).known.runs.len().to_string())
            .words(say!("site-newest"), |machine| {
                let newest = listed(machine).known.runs.first();
                newest.map(|run| Cell::from(day(&run.started)).sorted_by(short(&run.started, 40)))
            })
            .any()
            .map(Table::without_empty_columns)
    }

    fn all_algorithms(&self, places: &MachinePlaces) -> Option<Table> {
        let mut fastest: BTreeMap<_, (usize, &MachinePlace)> = BTreeMap::new();
        let all = places.iter().enumerate().flat_map(|(machine, all)| all.iter().map(move |one| (machine, one)));
        for (machine, one) in all {
            let best = fastest.entry((one.question.algorithm, one.question.operation)).or_insert((machine, one));
            if best.1.figure < one.figure {
                *best = (machine, one);
            }
        }
        let rows: Vec<(usize, &MachinePlace)> = fastest.into_values().collect();
        workload_columns(TableBuilder::new(say!("site-algorithms"), &rows), ROOT, |(_, one)| one)
            .figures(say!("site-machine-count"), |(_, one)| one.count.to_string())
            .figures(say!("site-fastest"), |(_, one)| figure_cell(one))
            .words(say!("collection-machine"), |(machine, _)| self.machine_cell(*machine, ROOT))
            .words(say!("collection-library"), |(_, one)| self.library_cell(&one.library, ROOT))
            .any()
    }

    fn all_libraries(&self, libraries: &LibraryCounts) -> Option<Table> {
        let libraries: Vec<(&String, &usize)> = libraries.iter().collect();
        TableBuilder::new(say!("site-libraries"), &libraries)
            .words(say!("collection-library"), |(name, _)| Cell {
                value: Text::name(name, NAME),
                ..self.library_cell(name, ROOT)
            })
            .figures(say!("site-algorithms"), |(_, algorithms)| algorithms.to_string())
            .any()
    }
}
