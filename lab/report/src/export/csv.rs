//! CSV that is safe to open in a spreadsheet.

use crate::prelude::*;
use crate::text::visible;
use serde_json::{Value, json};

/// Returns the CSV of `document`: a line of column names, then one line for each series.
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

pub(crate) fn list(headings: &[&str], rows: &[Vec<String>]) -> String {
    write(headings, rows.iter().map(|row| row.iter().map(|cell| text(cell)).collect()))
}

/// Returns the CSV of `rows` with the comma-separated column names `names`. A row has several objects; the first object
/// with a field gives its value.
pub fn of_objects<R: AsRef<[Value]>>(names: &str, rows: impl Iterator<Item = R>) -> String {
    let names: Vec<&str> = names.split(',').collect();
    write(&names, rows.map(|row| names.iter().map(|name| text(&field(row.as_ref(), name))).collect()))
}

/// Returns a field of a row as text. The names `x_low` and `x_high` stand for the ends of the interval `x`.
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
    // Writing to memory cannot fail, and every record has as many fields as the first.
    debug_assert!(is_written);
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Returns a cell that spreadsheets read as text. Formulas get an apostrophe in front (OWASP, CSV Injection), also
/// behind full-width signs or spaces. Negative numbers stay numbers.
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
    use crate::comparison::comparison;
    use kasoku_model::algorithm::Algorithm;
    use kasoku_model::comparison::compare;
    use kasoku_model::document::{Details, Outcome, Sample};
    use kasoku_model::level::Level;
    use kasoku_model::steps;
    use kasoku_model::workload::Operation;
    use kasoku_store::published;

    #[test]
    fn csv_cells_that_start_a_formula_get_an_apostrophe() {
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

    /// Covers the CSV of a document, of the steps in its cost curves, and of a comparison.
    #[test]
    fn csv_lines_have_each_field_in_its_column() {
        let published = published::documents().iter().find(|one| one.run.id.ends_with("opteron-6276")).unwrap();
        let mut first = Document { series: vec![published.series[0].clone()], ..published.clone() };
        let series = &mut first.series[0];
        let samples = |ns| {
            let all = (0..5).map(|process| Sample { process, iterations: 1000, ns, ..Sample::default() });
            all.chain([Sample { dropped: true, ..Sample::default() }]).collect()
        };
        (series.level, series.algorithm, series.operation) = (Level::Primitives, Algorithm::Aes128Gcm, Operation::Seal);
        (series.median, series.ci95, series.cycles_per_byte) = (Some(2e9), Some([1.9e9, 2.1e9]), Some(1.5));
        series.details = Details::default();
        (series.outcome, series.samples) = (Outcome::Measured, samples(8000));
        series.note = Some("=a note".into());
        (first.run.started, first.run.origin) = ("2026-11-21".into(), None);
        let line = |csv: &str, number: usize| csv.lines().nth(number).unwrap_or_default().to_owned();
        let document = "published-aes-ni-story-opteron-6276,2026-11-21,true,AMD Opteron(R) 6276,primitives,seal,\
            aes-128-gcm,16,openssl,OpenSSL 1.0.1i,on,unknown,bytes/s,2000000000,1900000000,2100000000,1.5,6,1,true,true,\
            '=a note,\"{\"\"threads\"\":1,\"\"experiment\"\":\"\"memory\"\"}\"";
        assert_eq!(line(&csv(&first), 1), document);

        let steps = crate::steps::steps(published, &steps::steps(published, |_| true), true).csv;
        let names = "level,operation,algorithm,library,library_version,acceleration,threads,first_bytes,last_bytes,\
            fixed_ns,ns_per_byte,cycles_per_byte,unit_bytes,rest_ns,code_paths,after_bytes,jump,cause";
        let step = "primitives,encrypt,aes-256-cbc,openssl,OpenSSL 1.0.1i,off,1,1024,8192,102.11373575512305,\
            6.990417470871373,,1,0,unknown,256,2.357826623316354,compact-tables-below-512";
        assert_eq!([line(&steps, 0), line(&steps, 2)], [names, step]);

        let mut second = first.clone();
        let series = &mut second.series[0];
        (series.samples, series.library_version, series.code_path) = (samples(4000), "3.5.4".into(), "vaes512".into());
        let compared = comparison(&compare(&first, &second, 0.0), true).csv;
        let pair = line(&compared, 1);
        let cells: Vec<&str> = pair.split(',').collect();
        let words = "faster,primitives,seal,aes-128-gcm,16,openssl,on,,bytes/s,OpenSSL 1.0.1i,3.5.4,unknown,vaes512";
        assert_eq!((cells[..13].join(","), &cells[19..]), (words.to_owned(), &["messages"; 2][..]));
        for (cell, figure) in cells[13..19].iter().zip([2e9, 4e9, 2.0, 2.0, 2.0, 0.03]) {
            assert!((cell.parse::<f64>().unwrap() / figure - 1.0).abs() < 1e-9, "{cell} is not {figure}");
        }
    }
}
