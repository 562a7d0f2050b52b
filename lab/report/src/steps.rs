//! Steps in the cost of an operation as its size grows, for `kasoku steps` and the page of a run.

use serde_json::{Value, json};

use super::block::Output;
use super::export::csv::of_objects;
use super::quantity::times;
use super::selection::{Task, join};
use super::text::name_in_documents;
use crate::prelude::*;
use kasoku_model::steps::{self, CostLine, Curve, DetectionMethod, Piece, Rest, Step};

/// Maximum width of a list of code paths, in columns.
const CODE_PATHS: usize = 40;
/// Maximum number of cost curves without steps that the output names.
const NAMED: usize = 40;
/// Maximum number of cost curves on a page.
const ON_PAGE: usize = 8;

/// Returns the output of `kasoku steps` for the cost curves of `document`. Curves without steps have a table only if
/// `all`.
pub fn steps(document: &Document, curves: &[Curve<'_>], all: bool) -> Output {
    let objects = json!({
        "run": document.run.id,
        "machine": document.machine.label(),
        "complete": document.run.complete,
        "curves": curves.iter().map(object).collect::<Vec<_>>(),
    });
    Output { title: say!("steps-title"), blocks: blocks(document, curves, all), csv: csv(curves), objects }
}

fn blocks(document: &Document, curves: &[Curve<'_>], all: bool) -> Vec<Block> {
    let run = &document.run;
    let mut head = vec![short(&run.id, 60), short(&run.started, 40), short(document.machine.label(), 100)];
    head.dedup();
    let mut blocks = vec![Block::Paragraph(Text::list(Separator::Dot, head))];
    if !run.complete {
        blocks.push(Block::Paragraph(say!("steps-incomplete")));
    }
    let (with, without): (Vec<&Curve<'_>>, Vec<&Curve<'_>>) = curves.iter().partition(|curve| !curve.steps.is_empty());
    blocks.extend(with.iter().chain(without.iter().filter(|_| all)).flat_map(|curve| curve_blocks(curve)));
    if with.is_empty() {
        blocks.push(Block::Paragraph(none(curves)));
    } else if !without.is_empty() && !all {
        let mut names: Vec<Text> = without.iter().take(NAMED).map(|curve| name(curve)).collect();
        if without.len() > NAMED {
            names.push(format!("… (+{})", without.len() - NAMED).into());
        }
        blocks.push(Block::Paragraph(say!("steps-none", names = Text::list(Separator::Comma, names))));
    }
    blocks.extend(absences(curves));
    blocks
}

/// Returns the page's section on steps; `None` for interrupted runs.
pub(crate) fn section(document: &Document) -> Option<Section> {
    if !document.run.complete {
        return None;
    }
    let curves = steps::steps(document, |_| true);
    let mut with: Vec<&Curve<'_>> = curves.iter().filter(|curve| !curve.steps.is_empty()).collect();
    // Explained steps come first, then steps in sweeps, which prove more.
    let is_unexplained = |curve: &Curve<'_>| curve.steps.iter().any(|step| step.cause.is_none());
    with.sort_by_key(|curve| (is_unexplained(curve), curve.rule != DetectionMethod::Sweep));
    let mut blocks = Vec::new();
    if with.is_empty() {
        blocks.push(Block::Paragraph(none(&curves)));
    } else {
        blocks.push(Block::Paragraph(say!("around-steps-explained")));
        blocks.extend(with.iter().take(ON_PAGE).flat_map(|curve| curve_blocks(curve)));
    }
    if with.len() > ON_PAGE {
        let more = say!("around-steps-more", count = with.len() - ON_PAGE, command = "kasoku steps");
        blocks.push(Block::Paragraph(more));
    }
    blocks.extend(absences(&curves));
    Some(Section::folded("steps", say!("around-steps"), blocks))
}

fn object(curve: &Curve<'_>) -> Value {
    json!({
        "level": curve.series.level,
        "operation": curve.workload.operation,
        "algorithm": curve.workload.algorithm,
        "workload": curve.workload.to_string(),
        "library": curve.series.library,
        "library_version": curve.series.library_version,
        "acceleration": curve.series.acceleration,
        "threads": curve.series.details.threads,
        "rule": curve.rule,
        "points": curve.points,
        "pieces": curve.pieces,
        "steps": curve.steps,
        "absence": curve.absence,
    })
}

/// Returns a CSV line for each piece of every cost curve, with the step at the beginning of the piece.
fn csv(curves: &[Curve<'_>]) -> String {
    const COLUMNS: &str = "level,operation,algorithm,library,library_version,acceleration,threads,first_bytes,\
        last_bytes,fixed_ns,ns_per_byte,cycles_per_byte,unit_bytes,rest_ns,code_paths,after_bytes,jump,cause";
    let rows = curves.iter().flat_map(|curve| {
        let steps = std::iter::once(None).chain(curve.steps.iter().map(Some));
        curve.pieces.iter().zip(steps).map(|(piece, step)| {
            let after_bytes = step.map(|step| step.before_bytes);
            let own = json!({ "code_paths": piece.code_paths.join(" "), "after_bytes": after_bytes });
            [own, json!(piece), json!(step), object(curve)]
        })
    });
    of_objects(COLUMNS, rows)
}

fn curve_blocks(curve: &Curve<'_>) -> Vec<Block> {
    let steps = curve.steps.iter().zip(curve.pieces.windows(2)).map(|(step, sides)| told(step, sides));
    [Block::Table(table(curve))].into_iter().chain(Block::list(steps)).collect()
}

fn table(curve: &Curve<'_>) -> Table {
    let sizes = say!("steps-sizes", count = curve.points.len(), rule = name_in_documents(curve.rule));
    TableBuilder::new(Text::list(Separator::Dot, [name(curve), sizes]), &curve.pieces)
        .words(say!("steps-sizes-heading"), |piece| format!("{}–{}", size(piece.first_bytes), size(piece.last_bytes)))
        .words(say!("tables-code-path"), code_paths)
        .words(say!("steps-counted"), |piece| form(piece.line))
        .figures(say!("steps-fixed"), |piece| digits(piece.line.fixed_ns))
        .figures(say!("steps-per-byte"), |piece| digits(piece.line.ns_per_byte))
        .figures(say!("steps-cycles"), |piece| piece.cycles_per_byte.map(digits))
        .notes(curve.pieces.iter().any(|piece| piece.line.fixed_ns < 0.0).then(|| say!("steps-reading")))
        .table()
        .without_empty_columns()
}

/// Describes the unit in which cost grows with size, such as blocks of 16 bytes; empty if it grows byte by byte.
fn form(line: CostLine) -> Text {
    if line.rest == Rest::Whole && line.unit_bytes == 1 {
        return Text::EMPTY;
    }
    let rest = name_in_documents(line.rest);
    say!("steps-form", rest = rest, unit = line.unit_bytes, more = digits(line.rest_ns))
}

fn code_paths(piece: &Piece) -> Option<String> {
    let known: Vec<&str> = piece.code_paths.iter().map(String::as_str).filter(|path| *path != "unknown").collect();
    (!known.is_empty()).then(|| short(&known.join("/"), CODE_PATHS))
}

fn told(step: &Step, sides: &[Piece]) -> Text {
    let [before, after] = [&sides[0], &sides[1]].map(|piece| digits(piece.line.ns_per_byte));
    let at = step.at_bytes;
    let mut changes = vec![
        match step.jump >= 1.0 {
            true => say!("steps-jump-faster", faster = times(step.jump), at = at.to_string()),
            false => say!("steps-jump-slower", slower = times(1.0 / step.jump), at = at.to_string()),
        },
        say!("steps-costs", before = before, after = after),
    ];
    if let [Some(before), Some(after)] = [&sides[0], &sides[1]].map(code_paths)
        && before != after
    {
        changes.push(say!("steps-code-paths", before = before, after = after));
    }
    let place = match step.is_placed() {
        true => say!("steps-place", at = at.to_string()),
        false => say!("steps-place-between", before = step.before_bytes.to_string(), at = at.to_string()),
    };
    let cause = match &step.cause {
        Some(cause) => say!("steps-cause", reason = say!(format!("steps-cause-{}", cause.name))),
        None => say!("steps-cause-unknown"),
    };
    let step = say!("steps-sentence", about = place, what = Text::list(Separator::Semicolon, changes));
    Text::list(Separator::Sentence, [step, cause])
}

/// Returns the message that no cost curve has a step, or that there is no curve.
fn none(curves: &[Curve<'_>]) -> Text {
    if curves.is_empty() { say!("steps-nothing") } else { say!("steps-none-at-all", curves = curves.len()) }
}

/// Explains why cost curves lack a step that the same code has on other machines.
fn absences(curves: &[Curve<'_>]) -> Option<Block> {
    let absence_sentence = |curve: &Curve<'_>| {
        let absence = curve.absence?;
        let (from, reason) = (absence.from[0].to_string(), say!(format!("steps-cause-{}", absence.name)));
        Some(say!("steps-absence", name = name(curve), from = from, reason = reason))
    };
    Block::list(curves.iter().filter_map(absence_sentence).take(NAMED))
}

/// Names a cost curve by task, library, acceleration state and unusual settings.
fn name(curve: &Curve<'_>) -> Text {
    let (series, workload) = (curve.series, &curve.workload);
    let task = Task { algorithm: workload.algorithm, operation: workload.operation };
    let threads = series.details.threads;
    let has_more = workload.keys > 1 || workload.packets().is_some() || workload.nonces != Default::default();
    let settings = [
        (threads != 1).then(|| say!("steps-threads", threads = threads)),
        has_more.then(|| workload.to_string().into()),
    ];
    let settings = Text::list(Separator::Comma, settings.into_iter().flatten());
    let library = Text::list(Separator::Space, [join(&series.library, &series.library_version).into(), settings]);
    Text::list(Separator::Dot, [task.title(), library, series.acceleration.name().into()])
}
