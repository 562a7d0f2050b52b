//! Steps as JSON and CSV. Fields are added, never renamed.

use serde_json::{Value, json};

use kasoku_model::document::Document;
use kasoku_model::steps::{Curve, Form, Line, Piece, Rule, Step};

/// The columns of CSV, in order: a line for each piece, with the step it begins with.
pub(super) const COLUMNS: [&str; 20] = [
    "level",
    "operation",
    "algorithm",
    "library",
    "library_version",
    "acceleration",
    "threads",
    "rule",
    "first_bytes",
    "last_bytes",
    "fixed_ns",
    "ns_per_byte",
    "cycles_per_byte",
    "form",
    "unit_bytes",
    "code_paths",
    "after_bytes",
    "jump",
    "support",
    "cause",
];

/// The run and every curve.
pub(super) fn objects(document: &Document, curves: &[Curve]) -> Value {
    json!({
        "run": document.run.id,
        "machine": document.machine.label(),
        "complete": document.run.complete,
        "curves": curves.iter().map(curve).collect::<Vec<_>>(),
    })
}

/// A line for each piece of every curve.
pub(super) fn records(curves: &[Curve]) -> Vec<Vec<String>> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let record = |curve: &Curve, (index, piece): (usize, &Piece)| {
        let step = index.checked_sub(1).and_then(|index| curve.steps.get(index));
        vec![
            curve.level.clone(),
            curve.workload.operation.to_string(),
            curve.workload.algorithm.to_string(),
            curve.library.clone(),
            curve.library_version.clone(),
            curve.acceleration.to_string(),
            curve.threads.to_string(),
            rule(curve.rule).to_owned(),
            piece.first.to_string(),
            piece.last.to_string(),
            number(piece.line.map(|line| line.fixed_ns)),
            number(piece.line.map(|line| line.ns_per_byte)),
            number(piece.cycles_per_byte),
            piece.line.map(|line| form(&line).0.to_owned()).unwrap_or_default(),
            piece.line.and_then(|line| form(&line).1).map(|unit| unit.to_string()).unwrap_or_default(),
            piece.code_paths.join(" "),
            step.map(|step| step.before.to_string()).unwrap_or_default(),
            number(step.and_then(|step| step.jump)),
            number(step.and_then(|step| step.support)),
            step.and_then(|step| step.cause).map(|cause| cause.name.to_owned()).unwrap_or_default(),
        ]
    };
    curves.iter().flat_map(|curve| curve.pieces.iter().enumerate().map(move |piece| record(curve, piece))).collect()
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

fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Sweep => "sweep",
        Rule::Table => "table",
    }
}

/// The name of a line's form, its unit, and what a rest costs more: a byte of it, a byte it lacks, or all of it.
fn form(line: &Line) -> (&'static str, Option<usize>, Option<f64>) {
    match line.form {
        Form::Bytes => ("bytes", None, None),
        Form::Units { unit } => ("units", Some(unit), None),
        Form::Rest { unit, more_ns_per_byte } => ("rest", Some(unit), Some(more_ns_per_byte)),
        Form::Filled { unit, ns_per_missing_byte } => ("filled", Some(unit), Some(ns_per_missing_byte)),
        Form::Ragged { unit, more_ns } => ("ragged", Some(unit), Some(more_ns)),
    }
}
