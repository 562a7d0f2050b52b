//! Output of `kasoku compare`.

mod lines;

use kasoku_model::comparison::{PairVerdict, RatioEvidence, SeriesPair, TwoRuns, settings};
use kasoku_model::openssl_speed::{AeadRow, COMPARABLE};
use serde_json::{Map, Value, json};

use super::block::Output;
use crate::prelude::*;

/// Returns the comparison of `runs`. Its tables have all pairs of series if `all`, otherwise only pairs with a proven
/// difference.
pub fn comparison(runs: &TwoRuns<'_>, all: bool) -> Output {
    let mut blocks = vec![Block::Pairs(vec![("A".into(), head(runs.first)), ("B".into(), head(runs.second))])];
    blocks.extend(cautions(runs).into_iter().map(Block::Paragraph));
    blocks.extend(lines::tables(runs, all).into_iter().map(Block::Table));
    blocks.extend(Block::list(summary(runs)));
    Output { title: say!("comparison-title"), blocks, csv: lines::csv(runs), objects: objects(runs) }
}

/// Formats the id, label, start, machine and source of a run.
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
    let (slower, faster) = (runs.count(PairVerdict::Slower), runs.count(PairVerdict::Faster));
    let (same, unknown) = (runs.count(PairVerdict::NoDifference), runs.count(PairVerdict::NoInterval));
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
    let firsts = |pairs: &[[&Series; 2]]| (pairs.len(), lines::groups(pairs.iter().map(|pair| pair[0])));
    if let (count @ 1.., what) = firsts(&runs.unlike) {
        lines.push(say!("comparison-apart", bytes = size(COMPARABLE), count = count, what = what));
    }
    if let (count @ 1.., what) = firsts(&runs.unsound) {
        lines.push(say!("comparison-unsound", count = count, what = what));
    }
    for (letter, only) in [("A", &runs.only_first), ("B", &runs.only_second)] {
        if let (count @ 1.., what) = (only.len(), lines::groups(only.iter().copied())) {
            lines.push(say!("comparison-only-in", letter = letter, count = count, what = what));
        }
    }
    lines
}

/// Returns the JSON output. Fields are added, never renamed.
fn objects(runs: &TwoRuns<'_>) -> Value {
    let lone = |series: &[&Series]| -> Value { series.iter().map(|one| workload(one)).collect() };
    let firsts = |pairs: &[[&Series; 2]]| -> Value { pairs.iter().map(|pair| workload(pair[0])).collect() };
    let mut objects = json!({
        "first": run(runs.first),
        "second": run(runs.second),
        "is_one_machine": runs.is_one_machine(),
        "counts": {
            "slower": runs.count(PairVerdict::Slower),
            "faster": runs.count(PairVerdict::Faster),
            "no_difference": runs.count(PairVerdict::NoDifference),
            "no_interval": runs.count(PairVerdict::NoInterval),
            "unsound": runs.unsound.len(),
            "unlike": runs.unlike.len(),
            "only_first": runs.only_first.len(),
            "only_second": runs.only_second.len(),
        },
        "pairs": runs.pairs.iter().map(pair).collect::<Vec<_>>(),
        "unsound": firsts(&runs.unsound),
        "only_first": lone(&runs.only_first),
        "only_second": lone(&runs.only_second),
    });
    if !runs.unlike.is_empty() {
        objects["unlike"] = firsts(&runs.unlike);
    }
    objects
}

fn run(document: &Document) -> Value {
    json!({
        "run": document.run.id,
        "started": document.run.started,
        "kasoku": document.run.kasoku,
        "complete": document.run.complete,
        "machine": document.machine.label(),
        "cpu": document.machine.cpu,
        "origin": document.run.origin,
    })
}

fn pair(pair: &SeriesPair<'_>) -> Value {
    let mut object = workload(pair.first);
    let (ci95, floor, quoted) = match pair.evidence {
        RatioEvidence::Interval { ci95, floor } => (Some(ci95), Some(floor), false),
        RatioEvidence::TooFew => (None, None, false),
        RatioEvidence::Quoted(_) => (None, None, true),
    };
    object["library_versions"] = json!([pair.first.library_version, pair.second.library_version]);
    object["code_paths"] = json!([pair.first.code_path, pair.second.code_path]);
    if pair.is_unlike() {
        object["aead_rows"] = json!([pair.first, pair.second].map(|one| AeadRow::of(one).map(AeadRow::name)));
    }
    object["figures"] = json!(pair.figures);
    object["times_as_fast"] = json!(pair.speed);
    object["ci95"] = json!(ci95);
    object["floor"] = json!(floor);
    object["quoted"] = json!(quoted);
    object["verdict"] = json!(pair.verdict().name());
    object
}

fn workload(series: &Series) -> Value {
    let settings: Map<String, Value> =
        settings(series).into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    json!({
        "level": series.level,
        "operation": series.operation,
        "algorithm": series.algorithm,
        "bytes": series.bytes,
        "library": series.library,
        "acceleration": series.acceleration,
        "settings": settings,
        "unit": series.unit,
    })
}
