//! Two runs as JSON. Fields are added, never renamed.

use serde_json::{Map, Value, json};

use kasoku_model::comparison::{PairVerdict, RatioEvidence, SeriesPair, TwoRuns, settings};
use kasoku_model::document::{Document, Series};
use kasoku_model::openssl_speed::AeadRow;

/// Returns both runs, counts, every pair, and the series without a partner.
pub(super) fn objects(runs: &TwoRuns<'_>) -> Value {
    let lone = |series: &[&Series]| series.iter().map(|one| Value::Object(workload(one))).collect::<Vec<_>>();
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
        "unsound": lone(&runs.unsound.iter().map(|pair| pair[0]).collect::<Vec<_>>()),
        "only_first": lone(&runs.only_first),
        "only_second": lone(&runs.only_second),
    });
    if !runs.unlike.is_empty() {
        objects["unlike"] = json!(lone(&runs.unlike.iter().map(|pair| pair[0]).collect::<Vec<_>>()));
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
    object.insert("library_versions".into(), json!([pair.first.library_version, pair.second.library_version]));
    object.insert("code_paths".into(), json!([pair.first.code_path, pair.second.code_path]));
    if pair.is_unlike() {
        let rows = [pair.first, pair.second].map(|one| AeadRow::of(one).map(AeadRow::name));
        object.insert("aead_rows".into(), json!(rows));
    }
    object.insert("figures".into(), json!(pair.figures));
    object.insert("times_as_fast".into(), json!(pair.speed));
    object.insert("ci95".into(), json!(ci95));
    object.insert("floor".into(), json!(floor));
    object.insert("quoted".into(), json!(quoted));
    object.insert("verdict".into(), json!(pair.verdict().name()));
    object.into_iter().collect::<Map<String, Value>>().into()
}

fn workload(series: &Series) -> Map<String, Value> {
    let settings: Map<String, Value> =
        settings(series).into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    let object = json!({
        "level": series.level,
        "operation": series.operation,
        "algorithm": series.algorithm,
        "bytes": series.bytes,
        "library": series.library,
        "acceleration": series.acceleration,
        "settings": settings,
        "unit": series.unit,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
