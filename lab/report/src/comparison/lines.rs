//! Formats pairs of series from two runs as tables and CSV.

use std::collections::BTreeSet;

use crate::export::csv::of_objects;
use crate::prelude::*;
use crate::quantity::Scale;
use crate::selection::{CODE_PATH, grouped, join, operation};
use kasoku_model::comparison::{PairVerdict, RatioEvidence, SeriesPair, TwoRuns, settings};
use kasoku_model::openssl_speed::AeadRow;
use serde_json::json;

/// Maximum number of groups that a sentence lists. A group is the series of one library, algorithm, operation and
/// acceleration state.
const GROUPS: usize = 6;

pub(super) fn tables(runs: &TwoRuns<'_>, all: bool) -> Vec<Table> {
    let levels: BTreeSet<Level> = runs.pairs.iter().map(|pair| pair.first.level).collect();
    levels.into_iter().map(|level| table(runs, level, all)).filter(|table| !table.notes.is_empty()).collect()
}

pub(super) fn csv(runs: &TwoRuns<'_>) -> String {
    let settings = |series: &Series| {
        let all = settings(series).into_iter().map(|(name, value)| format!("{name}={value}"));
        all.collect::<Vec<_>>().join(" ")
    };
    const COLUMNS: &str = "verdict,level,operation,algorithm,bytes,library,acceleration,settings,unit,first_version,\
        second_version,first_code_path,second_code_path,first,second,times_as_fast,ci95_low,ci95_high,floor,\
        first_aead_row,second_aead_row";
    let row = |pair: &SeriesPair<'_>| {
        let (first, second) = (pair.first, pair.second);
        let own = json!({
            "settings": settings(first),
            "first_version": first.library_version,
            "second_version": second.library_version,
            "first_code_path": first.code_path,
            "second_code_path": second.code_path,
            "first": pair.figures[0],
            "second": pair.figures[1],
            "first_aead_row": AeadRow::of(first),
            "second_aead_row": AeadRow::of(second),
        });
        [own, super::pair(pair)]
    };
    of_objects(COLUMNS, runs.pairs.iter().map(row))
}

/// Lists series by library, algorithm, operation and state, with the number of series if there are several.
pub(super) fn groups<'s>(series: impl Iterator<Item = &'s Series>) -> Text {
    let name = |one: &Series| {
        format!("{} {} {} ({})", short(&one.library, 40), one.algorithm, one.operation, one.acceleration)
    };
    let groups = grouped(series.map(|one| (name(one), one)));
    let more = groups.len().saturating_sub(GROUPS);
    let several = |(name, all): (String, Vec<_>)| if all.len() > 1 { format!("{name} ×{}", all.len()) } else { name };
    let names = groups.into_iter().take(GROUPS).map(|group| Text::from(several(group)));
    Text::list(Separator::Comma, names.chain((more > 0).then(|| say!("comparison-more", count = more))))
}

fn table(runs: &TwoRuns<'_>, level: Level, all: bool) -> Table {
    let of_level = runs.pairs.iter().filter(|pair| pair.first.level == level);
    // Too few samples, or no shown difference: the table only counts the pair.
    let is_folded = |pair: &&SeriesPair<'_>| {
        !all && (pair.evidence == RatioEvidence::TooFew || pair.verdict() == PairVerdict::NoDifference)
    };
    let (folded, shown): (Vec<_>, Vec<_>) = of_level.partition(is_folded);
    let too_few = folded.iter().filter(|pair| pair.evidence == RatioEvidence::TooFew).count();
    let counts = [("comparison-folded", folded.len() - too_few), ("comparison-folded-too-few", too_few)];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let scale = |pair: &SeriesPair<'_>| Scale::of_table(pair.first.unit);
    TableBuilder::new(say!("comparison-table", level = level.name()), &shown)
        .words(say!("comparison-is"), |pair| say!("comparison-verdict", verdict = pair.verdict().name()))
        .words(say!("tables-algorithm"), |pair| pair.first.algorithm.title())
        .words(say!("comparison-operation"), |pair| operation(pair.first.operation))
        .words(say!("tables-library"), |pair| library(pair.first, pair.second))
        .words(say!("tables-state"), |pair| pair.first.acceleration.name())
        .when(shown.iter().any(|pair| paths(pair).is_some()), |table| {
            table.words(say!("tables-code-path"), |pair| paths(pair))
        })
        .words(say!("comparison-unit"), |pair| scale(pair).name)
        .figures(say!("comparison-size"), |pair| pair.first.algorithm.kind().is_bulk().then(|| size(pair.first.bytes)))
        .figures("A", |pair| scale(pair).write(pair.figures[0]))
        .figures("B", |pair| scale(pair).write(pair.figures[1]))
        .figures("B/A", |pair| format!("{}{}", ratio(pair.speed), if pair.is_unlike() { "†" } else { "" }))
        .figures(say!("comparison-interval"), |pair| match pair.evidence {
            RatioEvidence::Interval { ci95: [low, high], .. } => format!("{}–{}", ratio(low), ratio(high)).into(),
            RatioEvidence::TooFew => say!("comparison-too-few"),
            RatioEvidence::Quoted(Some(kind)) => say!("comparison-quoted", kind = kind.name()),
            RatioEvidence::Quoted(None) => say!("comparison-no-samples"),
        })
        .notes(counts.map(|(key, count)| say!(key, count = count)))
        .notes((!shown.is_empty()).then(|| say!("comparison-reading")))
        .table()
}

fn paths(pair: &SeriesPair<'_>) -> Option<String> {
    let [first, second] = [pair.first, pair.second].map(|series| short(&series.code_path, CODE_PATH));
    (pair.first.code_path != pair.second.code_path).then(|| format!("{first} → {second}"))
}

/// Formats the library of two series with its version, or both versions if they differ, and unusual settings.
fn library(first: &Series, second: &Series) -> String {
    let settings = settings(first).into_iter().filter(|(name, _)| *name != "aad");
    let settings: Vec<String> = settings.map(|(name, value)| format!("{name} {}", short(&value, 20))).collect();
    let with_settings = |name: String| format!("{name} {}", settings.join(", ")).trim_end().to_owned();
    let [one, other] = [first, second].map(|series| join(&series.library, &series.library_version));
    if one == other {
        return with_settings(one);
    }
    let other = with_settings(other);
    let version = other.strip_prefix(&short(&first.library, 40)).unwrap_or(&other).trim_start();
    format!("{one} → {version}")
}

/// Formats a ratio, with three decimals near 1.
fn ratio(value: f64) -> String {
    if (0.1..9.995).contains(&value) { format!("{value:.3}") } else { digits(value) }
}
