//! Two runs against each other.

mod lines;
mod objects;

use kasoku_model::comparison::{PairVerdict, SeriesPair, TwoRuns};
use kasoku_model::document::Document;
use kasoku_model::openssl_speed::COMPARABLE;

use super::block::Block;
use super::output::Output;
use super::quantity::size;
use super::text::{Separator, Text, say};
use super::visible::short;

/// Returns the comparison of `runs`. If not `all`, tables leave out pairs that show nothing.
pub fn comparison(runs: &TwoRuns<'_>, all: bool) -> Output {
    let mut blocks = vec![Block::Pairs(vec![("A".into(), head(runs.first)), ("B".into(), head(runs.second))])];
    blocks.extend(cautions(runs).into_iter().map(Block::Paragraph));
    blocks.extend(lines::tables(runs, all).into_iter().map(Block::Table));
    blocks.extend(Block::list(summary(runs)));
    Output { title: say!("comparison-title"), blocks, csv: lines::csv(runs), objects: objects::objects(runs) }
}

/// Returns the run's name, label, start, machine and source.
fn head(document: &Document) -> Text {
    let run = &document.run;
    let label = short(run.label.as_deref().unwrap_or_default(), 60);
    let mut parts = vec![short(&run.id, 60), label, short(&run.started, 40), short(document.machine.label(), 100)];
    parts.retain(|part| !part.is_empty());
    parts.dedup();
    let source = run
        .origin
        .as_ref()
        .map(|origin| say!("comparison-source", kind = origin.kind.name(), source = short(&origin.source, 120)));
    Text::list(Separator::Dot, parts.into_iter().map(Text::from).chain(source))
}

/// Returns what the reader must know before any figure.
fn cautions(runs: &TwoRuns<'_>) -> Vec<Text> {
    let documents = [("A", runs.first), ("B", runs.second)];
    let incomplete = documents.iter().filter(|(_, document)| !document.run.complete);
    let mut cautions: Vec<Text> =
        incomplete.map(|(letter, _)| say!("comparison-incomplete", letter = *letter)).collect();
    if !runs.is_one_machine() {
        let [first, second] = [runs.first, runs.second].map(|document| short(document.machine.label(), 100));
        cautions.push(say!("comparison-two-machines", first = first, second = second));
    }
    if runs.pairs.iter().any(SeriesPair::is_unlike) {
        cautions.push(say!("comparison-unlike"));
    }
    let [first, second] = [&runs.first.run.kasoku, &runs.second.run.kasoku];
    if first != second && !first.is_empty() && !second.is_empty() {
        cautions.push(say!("comparison-two-versions", first = short(first, 40), second = short(second, 40)));
    }
    cautions
}

fn summary(runs: &TwoRuns<'_>) -> Vec<Text> {
    let count = |verdict| runs.count(verdict);
    let (slower, faster) = (count(PairVerdict::Slower), count(PairVerdict::Faster));
    let (same, unknown) = (count(PairVerdict::NoDifference), count(PairVerdict::NoInterval));
    let all = slower + faster + same + unknown;
    let mut lines = vec![match (runs.pairs.len(), unknown) {
        (0, _) => say!("comparison-nothing-shared"),
        (_, 0) => say!("comparison-counts", all = all, slower = slower, faster = faster, same = same),
        _ => say!(
            "comparison-counts-with-unknown",
            all = all,
            slower = slower,
            faster = faster,
            same = same,
            unknown = unknown
        ),
    }];
    if !runs.unlike.is_empty() {
        let (count, what) = (runs.unlike.len(), lines::groups(runs.unlike.iter().map(|pair| pair[0])));
        lines.push(say!("comparison-apart", bytes = size(COMPARABLE), count = count, what = what));
    }
    if !runs.unsound.is_empty() {
        let (count, what) = (runs.unsound.len(), lines::groups(runs.unsound.iter().map(|pair| pair[0])));
        lines.push(say!("comparison-unsound", count = count, what = what));
    }
    for (letter, only) in [("A", &runs.only_first), ("B", &runs.only_second)] {
        if !only.is_empty() {
            let (count, what) = (only.len(), lines::groups(only.iter().copied()));
            lines.push(say!("comparison-only-in", letter = letter, count = count, what = what));
        }
    }
    lines
}
