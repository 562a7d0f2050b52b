//! CSV: one line a series, safe to open in a spreadsheet.

use crate::selection::sound_figure;
use crate::visible::visible;
use kasoku_model::document::{Document, Series, Unit};
use serde_json::Value;

/// Returns one line for each series, after a line of names.
pub fn csv(document: &Document) -> String {
    let run = &document.run;
    let dropped = |series: &Series| series.samples.iter().filter(|sample| sample.dropped).count();
    let is_ranked = |series: &Series| run.complete && series.is_ranked() && sound_figure(series).is_some();
    let details = |series: &Series| serde_json::to_string(&series.details).unwrap_or_default();
    let fields: [ListColumn<'_, &Series>; 23] = [
        ("run", &|_| run.id.clone()),
        ("started", &|_| run.started.clone()),
        ("complete", &|_| run.complete.to_string()),
        ("cpu", &|_| document.machine.cpu.clone()),
        ("level", &|series| series.level.to_string()),
        ("operation", &|series| series.operation.to_string()),
        ("algorithm", &|series| series.algorithm.to_string()),
        ("bytes", &|series| series.bytes.to_string()),
        ("library", &|series| series.library.clone()),
        ("library_version", &|series| series.library_version.clone()),
        ("acceleration", &|series| series.acceleration.to_string()),
        ("code_path", &|series| series.code_path.clone()),
        ("unit", &|series| unit(series.unit)),
        ("median", &|series| number(series.median)),
        ("ci95_low", &|series| number(series.ci95.map(|[low, _]| low))),
        ("ci95_high", &|series| number(series.ci95.map(|[_, high]| high))),
        ("cycles_per_byte", &|series| number(series.cycles_per_byte)),
        ("samples", &|series| series.samples.len().to_string()),
        ("dropped", &|series| dropped(series).to_string()),
        ("verified", &|series| series.is_verified().to_string()),
        ("ranked", &|series| is_ranked(series).to_string()),
        ("note", &|series| series.note.clone().unwrap_or_default()),
        ("details", &|series| details(series)),
    ];
    of_fields(&fields, document.series.iter())
}

/// Returns `rows` of text under `headings`.
pub(crate) fn list(headings: &[&str], rows: &[Vec<String>]) -> String {
    write(headings, rows.iter().map(|row| row.iter().map(|cell| text(cell)).collect()))
}

/// A column of a list: its name, and its text in a row.
pub(crate) type ListColumn<'f, R> = (&'static str, &'f dyn Fn(&R) -> String);

/// Returns `rows` under the names of `fields`.
pub(crate) fn of_fields<R>(fields: &[ListColumn<'_, R>], rows: impl Iterator<Item = R>) -> String {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    write(&names, rows.map(|row| fields.iter().map(|(_, field)| text(&field(&row))).collect()))
}

/// Returns `rows` under `names`, which are apart by commas. A row is several objects, the first with a field counts.
pub(crate) fn of_objects<R: AsRef<[Value]>>(names: &str, rows: impl Iterator<Item = R>) -> String {
    let names: Vec<&str> = names.split(',').collect();
    write(&names, rows.map(|row| names.iter().map(|name| text(&field(row.as_ref(), name))).collect()))
}

/// Returns a field of a row of objects. The ends of an interval `ci95` are `ci95_low` and `ci95_high`.
pub(crate) fn field(row: &[Value], name: &str) -> String {
    let find = |name: &str| row.iter().find_map(|object| object.get(name)).unwrap_or(&Value::Null);
    let value = match (name.strip_suffix("_low"), name.strip_suffix("_high")) {
        (Some(interval), _) => &find(interval)[0],
        (_, Some(interval)) => &find(interval)[1],
        _ => find(name),
    };
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(value) if value.is_f64() => number(value.as_f64()),
        other => other.to_string(),
    }
}

/// Returns a number as programs read it; empty if there is none.
pub(crate) fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}

/// Returns the name that documents have for a unit.
pub(crate) fn unit(unit: Unit) -> String {
    serde_json::to_value(unit).ok().and_then(|unit| unit.as_str().map(str::to_owned)).unwrap_or_default()
}

fn write(headings: &[&str], records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut is_written = writer.write_record(headings).is_ok();
    for record in records {
        is_written &= writer.write_record(record).is_ok();
    }
    // Writing to memory does not fail, and every record has as many fields as the first.
    debug_assert!(is_written);
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Returns a cell that a spreadsheet reads as text. An apostrophe goes in front of a formula (OWASP, CSV Injection),
/// also behind full-width signs or spaces. A negative number stays as programs read it.
fn text(cell: &str) -> String {
    let starts_a_formula = |text: &str| {
        text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
    };
    let shown = visible(cell);
    let is_negative = |text: &str| text.starts_with('-') && text.ends_with(|end: char| end.is_ascii_digit());
    if is_negative(cell) && cell.parse::<f64>().is_ok_and(f64::is_finite) {
        return shown;
    }
    if starts_a_formula(cell) || starts_a_formula(cell.trim_start()) { format!("'{shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_start_a_formula_get_an_apostrophe() {
        for (cell, written) in [
            ("=cmd()", "'=cmd()"),
            ("+1", "'+1"),
            ("-1", "-1"),
            ("-12.5e-3", "-12.5e-3"),
            ("-1+1", "'-1+1"),
            ("-inf", "'-inf"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\\u{9}=1"),
            ("\r=1", "'\\u{d}=1"),
            (" =1", "' =1"),
            ("openssl", "openssl"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(text(cell), written);
        }
    }
}
