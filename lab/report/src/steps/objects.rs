//! Steps as JSON and CSV. Fields are added, never renamed.

use serde_json::{Value, json};

use crate::export::csv::{ListColumn, of_fields};
use kasoku_model::document::Document;
use kasoku_model::steps::{CostForm, CostLine, Curve, DetectionMethod, Piece, Step};

/// The run and every curve.
pub(super) fn objects(document: &Document, curves: &[Curve]) -> Value {
    json!({
        "run": document.run.id,
        "machine": document.machine.label(),
        "complete": document.run.complete,
        "curves": curves.iter().map(curve).collect::<Vec<_>>(),
    })
}

/// A line for each piece of every curve, with the step it begins with.
struct Record<'a> {
    curve: &'a Curve,
    piece: &'a Piece,
    step: Option<&'a Step>,
}

/// The same as CSV.
pub(super) fn csv(curves: &[Curve]) -> String {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let size = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
    let fields: [ListColumn<'_, Record<'_>>; 20] = [
        ("level", &|one| one.curve.level.to_string()),
        ("operation", &|one| one.curve.workload.operation.to_string()),
        ("algorithm", &|one| one.curve.workload.algorithm.to_string()),
        ("library", &|one| one.curve.library.clone()),
        ("library_version", &|one| one.curve.library_version.clone()),
        ("acceleration", &|one| one.curve.acceleration.to_string()),
        ("threads", &|one| one.curve.threads.to_string()),
        ("rule", &|one| rule(one.curve.rule).to_owned()),
        ("first_bytes", &|one| one.piece.first.to_string()),
        ("last_bytes", &|one| one.piece.last.to_string()),
        ("fixed_ns", &|one| number(one.piece.line.map(|line| line.fixed_ns))),
        ("ns_per_byte", &|one| number(one.piece.line.map(|line| line.ns_per_byte))),
        ("cycles_per_byte", &|one| number(one.piece.cycles_per_byte)),
        ("form", &|one| one.piece.line.map(|line| form(&line).0.to_owned()).unwrap_or_default()),
        ("unit_bytes", &|one| size(one.piece.line.and_then(|line| form(&line).1))),
        ("code_paths", &|one| one.piece.code_paths.join(" ")),
        ("after_bytes", &|one| size(one.step.map(|step| step.before))),
        ("jump", &|one| number(one.step.and_then(|step| step.jump))),
        ("support", &|one| number(one.step.and_then(|step| step.support))),
        ("cause", &|one| one.step.and_then(|step| step.cause).map(|cause| cause.name.to_owned()).unwrap_or_default()),
    ];
    let record = |curve, (index, piece): (usize, _)| {
        let curve: &Curve = curve;
        Record { curve, piece, step: index.checked_sub(1).and_then(|index| curve.steps.get(index)) }
    };
    let of_curve = |curve| {
        let curve: &Curve = curve;
        curve.pieces.iter().enumerate().map(move |piece| record(curve, piece))
    };
    of_fields(&fields, curves.iter().flat_map(of_curve))
}

fn curve(curve: &Curve) -> Value {
    let points: Vec<Value> = curve
        .points
        .iter()
        .map(|point| json!({ "bytes": point.bytes, "ns": point.ns, "code_path": point.code_path }))
        .collect();
    json!({
        "level": curve.level,
        "operation": curve.workload.operation,
        "algorithm": curve.workload.algorithm,
        "workload": curve.workload.to_string(),
        "library": curve.library,
        "library_version": curve.library_version,
        "acceleration": curve.acceleration,
        "threads": curve.threads,
        "rule": rule(curve.rule),
        "points": points,
        "pieces": curve.pieces.iter().map(piece).collect::<Vec<_>>(),
        "steps": curve.steps.iter().map(step).collect::<Vec<_>>(),
        "absence": curve.absence.map(|absence| absence.name),
    })
}

fn piece(piece: &Piece) -> Value {
    let (name, unit, more) = piece.line.map_or((None, None, None), |line| {
        let (name, unit, more) = form(&line);
        (Some(name), unit, more)
    });
    json!({
        "first_bytes": piece.first,
        "last_bytes": piece.last,
        "fixed_ns": piece.line.map(|line| line.fixed_ns),
        "ns_per_byte": piece.line.map(|line| line.ns_per_byte),
        "cycles_per_byte": piece.cycles_per_byte,
        "form": name,
        "unit_bytes": unit,
        "rest_ns": more,
        "code_paths": piece.code_paths,
    })
}

fn step(step: &Step) -> Value {
    json!({
        "before_bytes": step.before,
        "at_bytes": step.at,
        "jump": step.jump,
        "support": step.support,
        "cause": step.cause.map(|cause| cause.name),
    })
}

fn rule(rule: DetectionMethod) -> &'static str {
    match rule {
        DetectionMethod::Sweep => "sweep",
        DetectionMethod::Table => "table",
    }
}

/// The name of a line's form, its unit, and what a rest costs more: a byte of it, a byte it lacks, or all of it.
fn form(line: &CostLine) -> (&'static str, Option<usize>, Option<f64>) {
    match line.form {
        CostForm::Bytes => ("bytes", None, None),
        CostForm::Units { unit } => ("units", Some(unit), None),
        CostForm::Rest { unit, more_ns_per_byte } => ("rest", Some(unit), Some(more_ns_per_byte)),
        CostForm::Filled { unit, ns_per_missing_byte } => ("filled", Some(unit), Some(ns_per_missing_byte)),
        CostForm::Ragged { unit, more_ns } => ("ragged", Some(unit), Some(more_ns)),
    }
}
