//! The page of a machine, with its report, its places in rankings, and its runs.

use super::{
    DOCUMENT, IN_FOLDER, MACHINES, MachinePlace, Site, SiteMachine, SitePage, figure_cell, sorted, workload_columns,
};
use crate::collection::Surroundings;
use crate::page::{RunReport, Shown};
use crate::prelude::*;
use kasoku_model::document::OriginKind;
use kasoku_store::KnownRun;
use kasoku_store::collection::History;

impl Site<'_> {
    /// Returns the page of the machine with the index `machine`, from the report of `documents`, its histories, and its
    /// places in rankings.
    pub fn machine(
        &self,
        machine: usize,
        documents: &[Document],
        histories: &[History],
        places: &[MachinePlace],
    ) -> SitePage {
        let machine = &self.machines[machine];
        let around = Surroundings { histories: histories.to_vec(), ..Surroundings::default() };
        // The machine has one history, which stands with the newest run.
        let surroundings = |index: usize| (index == 0 && !histories.is_empty()).then_some(&around);
        let run = |(index, document): (usize, &Document)| RunReport {
            name: short(&document.run.id, 40).into(),
            ..RunReport::new(Shown { document, surroundings: surroundings(index) })
        };
        let section = |id, title, explained, table: Option<Table>| {
            Some(Section::open(id, title, vec![Block::Paragraph(explained), sorted(table?)]))
        };
        let places = self.places(places);
        let own = [
            section("places", say!("site-places"), say!("site-places-explained"), places),
            section("runs", say!("site-runs"), say!("site-runs-explained"), self.runs(machine)),
        ];
        SitePage {
            folder: Some(MACHINES),
            name: machine.address.clone(),
            title: machine.name(),
            runs: documents.iter().enumerate().map(run).collect(),
            sections: own.into_iter().flatten().collect(),
            ..SitePage::default()
        }
    }

    fn places(&self, places: &[MachinePlace]) -> Option<Table> {
        workload_columns(TableBuilder::new(say!("site-places"), places), IN_FOLDER, |one| one)
            .figures(say!("site-fastest"), figure_cell)
            .words(say!("collection-library"), |one| self.library_cell(&one.library, IN_FOLDER))
            .figures(say!("site-place"), |one| {
                Cell::from(say!("site-place-of", place = one.place, count = one.count)).sorted_by(one.place)
            })
            .any()
    }

    /// Returns a table of the machine's runs and its published document, with links to the JSON of each.
    fn runs(&self, machine: &SiteMachine<'_>) -> Option<Table> {
        let row = |path: Option<&String>, id: &str, started: &str, kasoku: &str, known: Text| {
            let id = Cell::linked(short(id, 40), path.map(|path| format!("{DOCUMENT}{path}")));
            [id, short(started, 24).into(), short(kasoku, 24).into(), known.into()]
        };
        let of_run = |run: &&KnownRun| {
            let known = match &run.origin {
                None if run.complete => say!("site-measured"),
                None => say!("site-incomplete"),
                Some(origin) if origin.kind == OriginKind::Published => say!("collection-published"),
                Some(_) => say!("collection-imported"),
            };
            row(self.documents.runs.get(&run.id), &run.id, &run.started, &run.kasoku, known)
        };
        let published = machine.known.published.map(|document| {
            let (path, run) = (self.documents.published.get(&document.run.id), &document.run);
            row(path, &run.id, &run.started, "", say!("collection-published"))
        });
        let rows: Vec<[Cell; 4]> = machine.known.runs.iter().map(of_run).chain(published).collect();
        let headings = ["lists-run", "lists-started", "lists-kasoku", "site-known"].map(Text::message);
        TableBuilder::new(say!("site-runs"), &rows)
            .each(headings.into_iter().enumerate(), |table, (index, heading)| {
                table.words(heading, |cells| cells[index].clone())
            })
            .any()
            .map(Table::without_empty_columns)
    }
}
