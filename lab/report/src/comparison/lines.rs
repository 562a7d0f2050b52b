//! The pairs of two runs as lines of tables and of CSV.

use std::collections::HashMap;

use crate::export::csv::{ListColumn, number, of_fields, unit};
use crate::quantity::{Scale, digits, size};
use crate::selection::join;
use crate::table::{Over, Table};
use crate::visible::short;
use kasoku_model::comparison::{PairVerdict, RatioEvidence, SeriesPair, TwoRuns, settings};
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::openssl_speed::AeadRow;

use crate::language::Messages;

/// The longest code path that is shown.
const CODE_PATH: usize = 24;
/// Groups of series that are listed before the rest is counted.
const GROUPS: usize = 6;

/// A table for each level.
pub(super) fn grids(runs: &TwoRuns<'_>, messages: &Messages, all: bool) -> Vec<Table> {
    let mut levels: Vec<Level> = Vec::new();
    for pair in &runs.pairs {
        if !levels.contains(&pair.first.level) {
            levels.push(pair.first.level);
        }
    }
    levels.sort_unstable();
    levels.into_iter().map(|level| grid(runs, level, messages, all)).filter(|grid| !grid.notes.is_empty()).collect()
}

/// One line for each pair.
pub(super) fn csv(runs: &TwoRuns<'_>) -> String {
    let settings = |series: &Series| {
        let all = settings(series).into_iter().map(|(name, value)| format!("{name}={value}"));
        all.collect::<Vec<_>>().join(" ")
    };
    let evidence = |pair: &SeriesPair<'_>| match pair.evidence {
        RatioEvidence::Interval { ci95: [low, high], floor } => [low, high, floor].map(Some),
        RatioEvidence::TooFew | RatioEvidence::Quoted(_) => [None; 3],
    };
    let row = |series: &Series| AeadRow::of(series).map(AeadRow::name).unwrap_or_default().to_owned();
    let fields: [ListColumn<'_, &SeriesPair<'_>>; 21] = [
        ("verdict", &|pair| pair.verdict().name().to_owned()),
        ("level", &|pair| pair.first.level.to_string()),
        ("operation", &|pair| pair.first.operation.to_string()),
        ("algorithm", &|pair| pair.first.algorithm.to_string()),
        ("bytes", &|pair| pair.first.bytes.to_string()),
        ("library", &|pair| pair.first.library.clone()),
        ("acceleration", &|pair| pair.first.acceleration.to_string()),
        ("settings", &|pair| settings(pair.first)),
        ("unit", &|pair| unit(pair.first.unit)),
        ("first_version", &|pair| pair.first.library_version.clone()),
        ("second_version", &|pair| pair.second.library_version.clone()),
        ("first_code_path", &|pair| pair.first.code_path.clone()),
        ("second_code_path", &|pair| pair.second.code_path.clone()),
        ("first", &|pair| pair.figures[0].to_string()),
        ("second", &|pair| pair.figures[1].to_string()),
        ("times_as_fast", &|pair| pair.speed.to_string()),
        ("ci95_low", &|pair| number(evidence(pair)[0])),
        ("ci95_high", &|pair| number(evidence(pair)[1])),
        ("floor", &|pair| number(evidence(pair)[2])),
        ("first_aead_row", &|pair| row(pair.first)),
        ("second_aead_row", &|pair| row(pair.second)),
    ];
    of_fields(&fields, runs.pairs.iter())
}

/// Series by level, library, state and algorithm, the most important first; how many sizes where there are several.
pub(super) fn groups(series: &[&Series], messages: &Messages) -> String {
    let mut groups: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for one in series {
        let name = format!("{} {} {} ({})", short(&one.library, 40), one.algorithm, one.operation, one.acceleration);
        match places.get(&name) {
            Some(place) => groups[*place].1 += 1,
            None => {
                places.insert(name.clone(), groups.len());
                groups.push((name, 1));
            }
        }
    }
    let more = groups.len().saturating_sub(GROUPS);
    let several = |(name, count): (String, usize)| if count > 1 { format!("{name} ×{count}") } else { name };
    let mut names: Vec<String> = groups.into_iter().take(GROUPS).map(several).collect();
    if more > 0 {
        names.push((messages.comparison.more)(more));
    }
    names.join(", ")
}

fn grid(runs: &TwoRuns<'_>, level: Level, messages: &Messages, all: bool) -> Table {
    let of_level: Vec<&SeriesPair<'_>> = runs.pairs.iter().filter(|pair| pair.first.level == level).collect();
    let is_shown = |pair: &&&SeriesPair<'_>| all || !is_folded(pair);
    let shown: Vec<&SeriesPair<'_>> = of_level.iter().filter(is_shown).copied().collect();
    let folded: Vec<&SeriesPair<'_>> = of_level.into_iter().filter(|pair| !all && is_folded(pair)).collect();
    let too_few = folded.iter().filter(|pair| pair.evidence == RatioEvidence::TooFew).count();
    let counts = [(messages.comparison.folded, folded.len() - too_few), (messages.comparison.folded_too_few, too_few)];
    let words = &messages.comparison;
    let tables = &messages.tables;
    let scale = |pair: &SeriesPair<'_>| Scale::of_table(pair.first.unit);
    Over::new((words.table)(level), &shown)
        .words(words.is, |pair| (words.verdict)(pair.verdict()))
        .words(tables.algorithm, |pair| pair.first.algorithm.title())
        .words(words.operation, |pair| (messages.words.operation)(pair.first.operation))
        .words(tables.library, |pair| self::library(pair.first, pair.second))
        .words(tables.state, |pair| pair.first.acceleration.to_string())
        .when(shown.iter().any(|pair| paths(pair).is_some()), |table| table.words(tables.code_path, |pair| paths(pair)))
        .words(words.unit, |pair| scale(pair).name)
        .figures(words.size, |pair| pair.first.algorithm.kind().is_bulk().then(|| size(pair.first.bytes)))
        .figures("A", |pair| scale(pair).write(pair.figures[0]))
        .figures("B", |pair| scale(pair).write(pair.figures[1]))
        .figures("B/A", |pair| format!("{}{}", ratio(pair.speed), if pair.is_unlike() { "†" } else { "" }))
        .figures(words.interval, |pair| match pair.evidence {
            RatioEvidence::Interval { ci95: [low, high], .. } => format!("{}–{}", ratio(low), ratio(high)),
            RatioEvidence::TooFew => words.too_few.to_owned(),
            RatioEvidence::Quoted(kind) => (words.quoted)(kind).to_owned(),
        })
        .notes(counts.into_iter().filter(|(_, count)| *count > 0).map(|(say, count)| say(count)))
        .notes((!shown.is_empty()).then_some(words.reading))
        .table()
}

/// Whether a table is easier to read without the pair: samples on both sides, and nothing to say.
fn is_folded(pair: &SeriesPair<'_>) -> bool {
    pair.evidence == RatioEvidence::TooFew || pair.verdict() == PairVerdict::NoDifference
}

/// The code paths, where they differ.
fn paths(pair: &SeriesPair<'_>) -> Option<String> {
    let [first, second] = [pair.first, pair.second].map(|series| short(&series.code_path, CODE_PATH));
    (pair.first.code_path != pair.second.code_path).then(|| format!("{first} → {second}"))
}

/// The library with its version, with both if they differ, and with what is unusual in how it was measured.
fn library(first: &Series, second: &Series) -> String {
    let setting: Vec<String> = settings(first)
        .into_iter()
        .filter(|(name, _)| *name != "aad")
        .map(|(name, value)| format!("{name} {}", short(&value, 20)))
        .collect();
    if first.library_version == second.library_version {
        return join(&first.library, &first.library_version, &setting.join(", "));
    }
    let second = join(&second.library, &second.library_version, &setting.join(", "));
    let second = second.strip_prefix(&short(&first.library, 40)).unwrap_or(&second).trim_start();
    format!("{} → {second}", join(&first.library, &first.library_version, ""))
}

/// A ratio with as many digits as tell something.
fn ratio(value: f64) -> String {
    if (0.1..9.995).contains(&value) { format!("{value:.3}") } else { digits(value) }
}
