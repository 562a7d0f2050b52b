//! Two runs against each other, as tables, CSV, JSON and Markdown.

mod lines;
mod objects;

use kasoku_model::comparison::{PairVerdict, SeriesPair, TwoRuns};
use kasoku_model::openssl_speed::COMPARABLE;

use super::Format;
pub use super::TableView;
use super::export::json;
use super::export::sheet::Sheet;
use super::visible::short;
use crate::language::{Messages, messages};
use crate::quantity::size;

/// `runs` as `view` asks for it.
pub fn render(runs: &TwoRuns<'_>, view: TableView) -> String {
    let messages = messages(view.language);
    match view.format {
        Format::Table => people(Sheet::plain(), runs, messages, view.all),
        Format::Markdown => people(Sheet::markdown(messages.comparison.title), runs, messages, view.all),
        Format::Json => json::text(&objects::objects(runs)),
        Format::Csv => lines::csv(runs),
    }
}

fn people(mut sheet: Sheet, runs: &TwoRuns<'_>, messages: &Messages, all: bool) -> String {
    for line in heads(runs, messages).into_iter().chain(cautions(runs, messages)) {
        sheet.item(&line);
    }
    for grid in lines::grids(runs, messages, all) {
        sheet.table(&grid);
    }
    sheet.gap();
    for line in summary(runs, messages) {
        sheet.item(&line);
    }
    sheet.text
}

/// The two runs, named.
fn heads(runs: &TwoRuns<'_>, messages: &Messages) -> Vec<String> {
    let head = |(letter, document): (&str, &kasoku_model::document::Document)| {
        let run = &document.run;
        let label = short(run.label.as_deref().unwrap_or_default(), 60);
        let mut parts = vec![short(&run.id, 60), label, short(&run.started, 40), short(document.machine.label(), 100)];
        parts.extend(
            run.origin.as_ref().map(|origin| (messages.comparison.source)(origin.kind, &short(&origin.source, 120))),
        );
        parts.retain(|part| !part.is_empty());
        parts.dedup();
        format!("{letter}  {}", parts.join(" · "))
    };
    [("A", runs.first), ("B", runs.second)].map(head).to_vec()
}

/// What must be known before any figure is read.
fn cautions(runs: &TwoRuns<'_>, messages: &Messages) -> Vec<String> {
    let mut cautions = Vec::new();
    for (letter, document) in [("A", runs.first), ("B", runs.second)] {
        if !document.run.complete {
            cautions.push((messages.comparison.incomplete)(letter));
        }
    }
    if !runs.is_one_machine() {
        let label = |document: &kasoku_model::document::Document| short(document.machine.label(), 100);
        cautions.push((messages.comparison.two_machines)(&label(runs.first), &label(runs.second)));
    }
    if runs.pairs.iter().any(SeriesPair::is_unlike) {
        cautions.push(messages.comparison.unlike.to_owned());
    }
    let [first, second] = [&runs.first.run.kasoku, &runs.second.run.kasoku];
    if first != second && !first.is_empty() && !second.is_empty() {
        cautions.push((messages.comparison.two_versions)(&short(first, 40), &short(second, 40)));
    }
    cautions
}

fn summary(runs: &TwoRuns<'_>, messages: &Messages) -> Vec<String> {
    let mut lines = Vec::new();
    if runs.pairs.is_empty() {
        lines.push(messages.comparison.nothing_shared.to_owned());
    } else {
        let counts = [PairVerdict::Slower, PairVerdict::Faster, PairVerdict::NoDifference, PairVerdict::NoInterval]
            .map(|verdict| runs.count(verdict));
        lines.push((messages.comparison.counts)(counts));
    }
    if !runs.unlike.is_empty() {
        let firsts: Vec<_> = runs.unlike.iter().map(|pair| pair[0]).collect();
        let (what, bytes) = (lines::groups(&firsts, messages), size(COMPARABLE));
        lines.push((messages.comparison.apart)(runs.unlike.len(), &bytes, &what));
    }
    if !runs.unsound.is_empty() {
        let firsts: Vec<_> = runs.unsound.iter().map(|pair| pair[0]).collect();
        lines.push((messages.comparison.unsound)(runs.unsound.len(), &lines::groups(&firsts, messages)));
    }
    for (letter, only) in [("A", &runs.only_first), ("B", &runs.only_second)] {
        if !only.is_empty() {
            lines.push((messages.comparison.only_in)(letter, only.len(), &lines::groups(only, messages)));
        }
    }
    lines
}
