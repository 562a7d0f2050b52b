//! CSV: one line a series, safe to open in a spreadsheet.

use crate::selection::sound_figure;
use crate::visible::visible;
use kasoku_model::document::{Document, Series};
use serde_json::{Value, json};

/// Returns one line for each series, after a line of names.
pub fn csv(document: &Document) -> String {
    const COLUMNS: &str = "run,started,complete,cpu,level,operation,algorithm,bytes,library,library_version,\
        acceleration,code_path,unit,median,ci95_low,ci95_high,cycles_per_byte,samples,dropped,verified,ranked,note,\
        details";
    let run = &document.run;
    let row = |series: &Series| {
        let own = json!({
            "run": run.id,
            "started": run.started,
            "complete": run.complete,
            "cpu": document.machine.cpu,
            "samples": series.samples.len(),
            "dropped": series.samples.iter().filter(|sample| sample.dropped).count(),
            "verified": series.is_verified(),
            "ranked": run.complete && series.is_ranked() && sound_figure(series).is_some(),
            "details": serde_json::to_string(&series.details).unwrap_or_default(),
        });
        [own, json!(series)]
    };
    of_objects(COLUMNS, document.series.iter().map(row))
}

/// Returns `rows` of text under `headings`.
pub(crate) fn list(headings: &[&str], rows: &[Vec<String>]) -> String {
    write(headings, rows.iter().map(|row| row.iter().map(|cell| text(cell)).collect()))
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
        Value::Number(value) => match value.as_f64().filter(|_| value.is_f64()) {
            Some(figure) => figure.to_string(),
            None => value.to_string(),
        },
        other => other.to_string(),
    }
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
