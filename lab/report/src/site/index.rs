//! The first page: all machines, algorithms and libraries.

use std::collections::BTreeMap;

use maud::html;

use super::layout::Layout;
use super::{LibraryCounts, MachinePlace, MachinePlaces, NAME, Page, Site, size_of};
use crate::html::table::table;
use crate::quantity::{Scale, figure, size};
use crate::table::{Cell, Column, Over, Table};
use crate::visible::short;
use kasoku_model::algorithm::Algorithm::{self, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256};
use kasoku_model::language::Language;
use kasoku_store::collection::{RankingQuestion, RunsLeftOut};

/// What machines are compared by at first sight.
pub const MAIN: [Algorithm; 4] = [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305, Sha256];

impl Site<'_> {
    /// The first page, with the libraries that have one and what the site is without.
    pub fn index(
        &self,
        places: &MachinePlaces,
        libraries: &LibraryCounts,
        left_out: RunsLeftOut,
        language: Language,
    ) -> Page {
        let layout = Layout::new(None, language);
        let words = &layout.messages.site;
        let runs = self.machines.iter().map(|machine| machine.known.runs.len()).sum();
        let about = (words.about)(self.machines.len(), runs, libraries.len());
        let section = |id: &'static str, title: &str, table_of: Option<Table>| {
            html! {
                @if let Some(rows) = table_of {
                    section aria-labelledby=(id) { h2 id=(id) { (title) } div.sorted.searched { (table(&rows)) } }
                }
            }
        };
        let main = html! {
            @if let Some(left_out) = (layout.messages.collection.runs_left_out)(left_out) { p.note { (left_out) } }
            (section("machines", words.machines, self.all_machines(places, layout)))
            (section("algorithms", words.algorithms, self.all_algorithms(places, layout)))
            (section("libraries", words.libraries, self.all_libraries(libraries, layout)))
        };
        layout.titled("index", words.title, &about, &main)
    }

    fn all_machines(&self, places: &MachinePlaces, layout: Layout) -> Option<Table> {
        let (words, messages) = (&layout.messages.site, layout.messages);
        let all: Vec<usize> = (0..self.machines.len()).collect();
        let of = |machine: usize| &self.machines[machine];
        let place_in = |machine: usize, algorithm: Algorithm| {
            let main = RankingQuestion::new(algorithm).operation;
            places
                .get(machine)?
                .iter()
                .find(|one| (one.question.algorithm, one.question.operation) == (algorithm, main))
        };
        let is_there = |algorithm: &Algorithm| all.iter().any(|machine| place_in(*machine, *algorithm).is_some());
        let known = |machine: &usize| match of(*machine) {
            one if one.known.is_measured() => words.measured,
            one if one.known.published.is_some() => messages.collection.published,
            _ => messages.collection.imported,
        };
        Over::new(words.machines, &all)
            .words(messages.collection.machine, |machine| {
                Cell::linked(of(*machine).name(messages.facts.unnamed), Some(layout.machine(self, *machine)))
            })
            .words(words.cpu, |machine| short(of(*machine).cpu(), NAME))
            .words(words.generation, |machine| of(*machine).generation.as_deref().map(|name| short(name, NAME)))
            .words(words.architecture, |machine| short(of(*machine).arch(), 20))
            .words(words.known, known)
            .each(MAIN.into_iter().filter(is_there), |table, algorithm| {
                let first = all.iter().find_map(|machine| place_in(*machine, algorithm));
                let scale = first.map(|one| Scale::of_table(one.unit));
                table.column(column(algorithm, first), move |machine| {
                    scale.zip(place_in(*machine, algorithm)).map(|(scale, one)| Cell::figure(scale, one.figure))
                })
            })
            .figures(words.run_count, |machine| of(*machine).known.runs.len().to_string())
            .words(words.newest, |machine| {
                let newest = of(*machine).known.runs.first();
                let day = |started: &str| short(started.split('T').next().unwrap_or_default(), 24);
                newest.map(|run| Cell::from(day(&run.started)).sorted_by(short(&run.started, 40)))
            })
            .any()
            .map(Table::without_empty_columns)
    }

    fn all_algorithms(&self, places: &MachinePlaces, layout: Layout) -> Option<Table> {
        let (words, messages) = (&layout.messages.site, layout.messages);
        let mut fastest: BTreeMap<_, (usize, &MachinePlace)> = BTreeMap::new();
        for (machine, one) in places.iter().enumerate().flat_map(|(place, all)| all.iter().map(move |one| (place, one)))
        {
            let key = (one.question.algorithm, one.question.operation);
            let best = fastest.entry(key).or_insert((machine, one));
            if best.1.figure < one.figure {
                *best = (machine, one);
            }
        }
        let rows: Vec<(usize, &MachinePlace)> = fastest.into_values().collect();
        Over::new(words.algorithms, &rows)
            .words(words.algorithm, |(_, one)| {
                let algorithm = one.question.algorithm;
                Cell::linked(algorithm.title(), Some(layout.algorithm(algorithm)))
            })
            .words(words.operation, |(_, one)| (messages.words.operation)(one.question.operation))
            .words(words.size, |(_, one)| size_of(&one.question))
            .figures(words.machine_count, |(_, one)| one.count.to_string())
            .figures(words.fastest, |(_, one)| {
                Cell::from(figure(one.figure, one.unit, &messages.words)).sorted_by(one.figure)
            })
            .words(messages.collection.machine, |(machine, _)| {
                let name = self.machines[*machine].name(messages.facts.unnamed);
                Cell::linked(name, Some(layout.machine(self, *machine)))
            })
            .words(messages.collection.library, |(_, one)| {
                Cell::linked(short(&one.library, 30), layout.library(self, &one.library))
            })
            .any()
    }

    fn all_libraries(&self, libraries: &LibraryCounts, layout: Layout) -> Option<Table> {
        let words = &layout.messages.site;
        let libraries: Vec<(&String, &usize)> = libraries.iter().collect();
        Over::new(words.libraries, &libraries)
            .words(layout.messages.collection.library, |(name, _)| {
                Cell::linked(short(name, NAME), layout.library(self, name))
            })
            .figures(words.algorithms, |(_, algorithms)| algorithms.to_string())
            .any()
    }
}

/// The column of an algorithm.
fn column(algorithm: Algorithm, place_in: Option<&MachinePlace>) -> Column {
    let beneath = place_in.map(|one| {
        let bytes = one.question.has_sizes().then(|| size(one.question.bytes));
        let parts: Vec<&str> = bytes.as_deref().into_iter().chain([Scale::of_table(one.unit).name]).collect();
        parts.join(" · ")
    });
    Column { beneath, ..Column::figures(algorithm.title()) }
}
