//! The page of a machine: its report, its places among the others, and its runs.

use maud::html;

use super::layout::{Layout, PageKind};
use super::{MachinePlace, Page, Site, SiteMachine, size_of};
use crate::html::CONTENT;
use crate::html::contents::{self, Section};
use crate::html::page::RunPage;
use crate::html::parts::plain;
use crate::html::table::table;
use crate::html::{Shown, Surroundings};
use crate::quantity::figure;
use crate::table::{Cell, Over, Table};
use crate::visible::short;
use kasoku_model::document::{Document, OriginKind, Run};
use kasoku_model::language::Language;
use kasoku_store::KnownRun;
use kasoku_store::collection::History;

impl Site<'_> {
    /// The page of the machine in that place: the report of `documents`, its main workloads over its runs, and
    /// where it stands.
    pub fn machine(
        &self,
        place: usize,
        documents: &[Document],
        histories: &[History],
        places: &[MachinePlace],
        language: Language,
    ) -> Page {
        let layout = Layout::new(Some(PageKind::Machine), language);
        let (words, messages) = (&layout.messages.site, layout.messages);
        let machine = &self.machines[place];
        let around = Surroundings { histories: histories.to_vec(), ..Surroundings::default() };
        // The history is that of the machine: it stands once, with the newest run.
        let surroundings = |index: usize| (index == 0 && !histories.is_empty()).then_some(&around);
        let pages: Vec<RunPage<'_>> = documents
            .iter()
            .enumerate()
            .map(|(index, document)| Shown { document, surroundings: surroundings(index) })
            .enumerate()
            .map(|(index, shown)| RunPage::new(shown, index + 1, messages))
            .collect();
        let reports: Vec<Vec<Section>> = pages.iter().map(RunPage::sections).collect();
        let mut own = vec![];
        if let Some(places) = self.places(places, layout) {
            let body = html! { p { (words.places_explained) } div.sorted { (table(&places)) } };
            own.push(Section::new("places".to_owned(), words.places, body));
        }
        if let Some(runs) = self.runs(machine, layout) {
            let body = html! { p { (plain(words.runs_explained)) } div.sorted { (table(&runs)) } };
            own.push(Section::new("runs".to_owned(), words.runs, body));
        }
        let name = machine.name(messages.facts.unnamed);
        let of_report = documents.iter().zip(&reports).map(|(document, sections)| {
            let title = (pages.len() > 1).then(|| short(&document.run.id, 40));
            (title, sections.as_slice())
        });
        let contents = html! {
            @match pages.as_slice() {
                [only] => (only.header()),
                _ => header { p.brand { "Kasoku" } h1 { (name) } },
            }
            (contents::list(messages, of_report.chain([(None, own.as_slice())])))
            main id=(CONTENT) {
                @for (page, sections) in pages.iter().zip(&reports) {
                    article {
                        @if pages.len() > 1 { (page.header()) }
                        (page.content(sections))
                    }
                }
                @for section in &own { (section.body) }
            }
        };
        layout.page(&machine.address, &format!("{name} · Kasoku"), &contents)
    }

    fn places(&self, places: &[MachinePlace], layout: Layout) -> Option<Table> {
        let (words, messages) = (&layout.messages.site, layout.messages);
        Over::new(words.places, places)
            .words(words.algorithm, |one| {
                let algorithm = one.question.algorithm;
                Cell::linked(algorithm.title(), Some(layout.algorithm(algorithm)))
            })
            .words(words.operation, |one| (messages.words.operation)(one.question.operation))
            .words(words.size, |one| size_of(&one.question))
            .figures(words.fastest, |one| {
                Cell::from(figure(one.figure, one.unit, &messages.words)).sorted_by(one.figure)
            })
            .words(messages.collection.library, |one| {
                Cell::linked(short(&one.library, 30), layout.library(self, &one.library))
            })
            .figures(words.place, |one| Cell::from((words.place_of)(one.place, one.count)).sorted_by(one.place))
            .any()
    }

    /// Its runs, and what was published of it, each with its document.
    fn runs(&self, machine: &SiteMachine<'_>, layout: Layout) -> Option<Table> {
        let (words, messages) = (&layout.messages.site, layout.messages);
        let of_run = |run: &&KnownRun| {
            let known = match &run.origin {
                None if run.complete => words.measured,
                None => words.incomplete,
                Some(origin) if origin.kind == OriginKind::Published => messages.collection.published,
                Some(_) => messages.collection.imported,
            };
            let document = self.documents.run(&run.id);
            (document, [run.id.clone(), short(&run.started, 24), short(&run.kasoku, 24), known.to_owned()])
        };
        let published = machine.known.published.map(|document| {
            let known = messages.collection.published.to_owned();
            let Run { id, started, .. } = &document.run;
            (self.documents.published(id), [id.clone(), short(started, 24), String::new(), known])
        });
        let all: Vec<(Option<&str>, [String; 4])> = machine.known.runs.iter().map(of_run).chain(published).collect();
        Over::new(words.runs, &all)
            .words(messages.lists.run, |(path, [id, ..])| {
                Cell::linked(short(id, 40), path.map(|path| layout.document(path)))
            })
            .words(messages.lists.started, |(_, [_, started, ..])| started.as_str())
            .words(messages.lists.kasoku, |(_, [_, _, kasoku, _])| kasoku.as_str())
            .words(words.known, |(_, [.., known])| known.as_str())
            .any()
            .map(Table::without_empty_columns)
    }
}
