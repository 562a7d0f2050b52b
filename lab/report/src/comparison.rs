//! Output of `kasoku compare`: the two runs, cautions, tables of pairs of series, and a summary.

use std::collections::BTreeSet;

use kasoku_model::comparison::{EnvironmentDifference, PairVerdict, RatioEvidence, SeriesPair, TwoRuns, settings};
use kasoku_model::openssl_speed::{AeadRow, COMPARABLE};
use serde_json::{Map, Value, json};

use crate::export::csv::of_objects;
use crate::prelude::*;
use crate::selection::{CODE_PATH, grouped, operation};

/// Maximum number of groups that a sentence lists. A group is the series of one library, algorithm, operation and
/// acceleration state.
const GROUPS: usize = 6;
/// Maximum number of differences between the environments that the table shows by default.
const ENVIRONMENT: usize = 25;
/// Maximum width of a property of the environment on a terminal, in columns.
const VALUE: usize = 44;

/// Returns the comparison of `runs`. Its tables have all pairs of series and all differences between the environments
/// if `all`, otherwise only pairs with a proven difference and the first 25 differences.
pub fn comparison(runs: &TwoRuns<'_>, all: bool) -> Output {
    let mut blocks = vec![Block::Pairs(vec![("A".into(), head(runs.first)), ("B".into(), head(runs.second))])];
    blocks.extend(cautions(runs).into_iter().map(Block::Paragraph));
    blocks.extend(tables(runs, all).into_iter().map(Block::Table));
    blocks.push(environment(&runs.environment, all));
    blocks.extend(Block::list(summary(runs)));
    Output { title: say!("comparison-title"), blocks, csv: csv(runs), objects: objects(runs) }
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
    cautions
}

fn environment(differences: &[EnvironmentDifference], all: bool) -> Block {
    if differences.is_empty() {
        return Block::Paragraph(say!("comparison-same-environment"));
    }
    let shown = &differences[..if all { differences.len() } else { differences.len().min(ENVIRONMENT) }];
    let more = differences.len() - shown.len();
    let value = |one: &EnvironmentDifference, side: usize| {
        let field = one.path.last().map_or("", String::as_str);
        one.values[side].as_deref().map(|value| match (field, value.parse::<u64>()) {
            ("memory", Ok(bytes)) => format!("{} kB", bytes / 1024),
            _ => value.to_owned(),
        })
    };
    let table = TableBuilder::new(say!("comparison-environment"), shown)
        .words(say!("comparison-property"), property)
        .words("A", |one| or_dash(value(one, 0)))
        .words("B", |one| or_dash(value(one, 1)))
        .narrow(VALUE)
        .notes((more > 0).then(|| say!("comparison-environment-more", count = more)));
    Block::Table(table.table())
}

/// Returns the name of a property of the environment: a word for people if there is one, or else the field's name.
fn property(difference: &EnvironmentDifference) -> Text {
    let path: Vec<&str> = difference.path.iter().map(String::as_str).collect();
    let (&field, of) = path.split_last().unwrap_or((&"", &[]));
    let name = match field {
        "arch" => say!("facts-architecture"),
        "boost" => say!("facts-boost"),
        "core_clock" => say!("facts-core-clock"),
        "cores" => say!("facts-logical-cpus"),
        "cpu" => say!("facts-cpu"),
        "features" | "cpu_features" => say!("facts-features"),
        "governor" => say!("facts-governor"),
        "hypervisor" => say!("facts-hypervisor"),
        "kasoku" => say!("facts-kasoku"),
        "kernel" => say!("facts-kernel"),
        "memory" => say!("facts-memory"),
        "microarchitecture" => say!("facts-microarchitecture"),
        "microcode" => say!("facts-microcode"),
        "os" => say!("facts-os"),
        "processes" => say!("facts-starts"),
        "rounds" => say!("facts-rounds"),
        "slice_ms" => say!("comparison-slice"),
        "toolchain" => say!("facts-toolchain"),
        "command" => say!("comparison-command"),
        "loaded_from" => say!("comparison-loaded-from"),
        "program" => say!("comparison-program"),
        "version" => say!("comparison-version"),
        other => Text::name(&other.replace('_', " "), VALUE),
    };
    match of {
        ["libraries", library] => say!("comparison-property-of", of = short(library, 40), property = name),
        ["machine", "mitigations"] => say!("comparison-mitigation", vulnerability = name),
        ["method", "limits", limit] => say!("comparison-property-of", of = short(limit, 40), property = name),
        _ => name,
    }
}

fn summary(runs: &TwoRuns<'_>) -> Vec<Text> {
    let (slower, faster) = (runs.count(PairVerdict::Slower), runs.count(PairVerdict::Faster));
    let (same, unknown) = (runs.count(PairVerdict::NoDifference), runs.count(PairVerdict::NoInterval));
    let all = slower + faster + same + unknown;
    let mut lines = vec![match runs.pairs.len() {
        0 => say!("comparison-nothing-shared"),
        _ => say!("comparison-counts", all = all, slower = slower, faster = faster, same = same, unknown = unknown),
    }];
    let firsts = |pairs: &[[&Series; 2]]| (pairs.len(), groups(pairs.iter().map(|pair| pair[0])));
    if let (count @ 1.., what) = firsts(&runs.unlike) {
        lines.push(say!("comparison-apart", bytes = size(COMPARABLE), count = count, what = what));
    }
    if let (count @ 1.., what) = firsts(&runs.unsound) {
        lines.push(say!("comparison-unsound", count = count, what = what));
    }
    for (letter, only) in [("A", &runs.only_first), ("B", &runs.only_second)] {
        if let (count @ 1.., what) = (only.len(), groups(only.iter().copied())) {
            lines.push(say!("comparison-only-in", letter = letter, count = count, what = what));
        }
    }
    lines
}

/// Returns the JSON output. Fields are added, never renamed.
fn objects(runs: &TwoRuns<'_>) -> Value {
    let lone = |series: &[&Series]| -> Value { series.iter().map(|one| workload_object(one)).collect() };
    let firsts = |pairs: &[[&Series; 2]]| -> Value { pairs.iter().map(|pair| workload_object(pair[0])).collect() };
    let mut objects = json!({
        "first": run_object(runs.first),
        "second": run_object(runs.second),
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
        "environment": runs.environment.iter().map(environment_object).collect::<Vec<_>>(),
        "pairs": runs.pairs.iter().map(pair_object).collect::<Vec<_>>(),
        "unsound": firsts(&runs.unsound),
        "only_first": lone(&runs.only_first),
        "only_second": lone(&runs.only_second),
    });
    if !runs.unlike.is_empty() {
        objects["unlike"] = firsts(&runs.unlike);
    }
    objects
}

fn environment_object(difference: &EnvironmentDifference) -> Value {
    let [first, second] = &difference.values;
    json!({ "property": difference.path, "first": first, "second": second })
}

fn run_object(document: &Document) -> Value {
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

fn pair_object(pair: &SeriesPair<'_>) -> Value {
    let mut object = workload_object(pair.first);
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

fn workload_object(series: &Series) -> Value {
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

fn tables(runs: &TwoRuns<'_>, all: bool) -> Vec<Table> {
    let levels: BTreeSet<Level> = runs.pairs.iter().map(|pair| pair.first.level).collect();
    levels.into_iter().map(|level| table(runs, level, all)).filter(|table| !table.notes.is_empty()).collect()
}

fn csv(runs: &TwoRuns<'_>) -> String {
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
        [own, pair_object(pair)]
    };
    of_objects(COLUMNS, runs.pairs.iter().map(row))
}

/// Lists series by library, algorithm, operation and state, with the number of series if there are several.
fn groups<'s>(series: impl Iterator<Item = &'s Series>) -> Text {
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
