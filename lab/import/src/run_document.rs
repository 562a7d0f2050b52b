//! Reads run documents of schema [`SCHEMA`] and rejects those of other schemas. Unknown fields are ignored.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{ImportError, Imported, ImportedMachine};
use kasoku_model::document::{Document, Machine, Outcome, Run, SCHEMA, Series};
use kasoku_model::printable::{is_hidden, printable};

/// Maximum number of series in a document. A full run has a tenth of this number; the widest sweep fits.
const MAX_SERIES: usize = 30_000;
/// Maximum number of samples of all series together. A full run has a fifth of this number.
const MAX_SAMPLES: usize = 500_000;
const MAX_ELEMENTS: usize = MAX_SAMPLES;
/// Maximum length of a series' details, in bytes. serde buffers them in up to sixteen times the memory. A web server's
/// details have about 2,000 bytes.
const MAX_DETAILS: usize = 64 << 10;
/// Maximum length of the object `run`, and of `machine`, in bytes. A full run writes a tenth of this length.
const MAX_HEAD: usize = 1 << 20;
/// Maximum length of a text, in bytes.
const MAX_NAME: usize = 1_000;
/// Maximum length of a run's id, in bytes.
const MAX_ID: usize = 100;
const MAX_MEMBERS: usize = 1_000;

/// Reads a run document. Fails if it is not JSON or has another schema, a duplicate key, a missing field or an
/// impossible value.
pub(super) fn read(text: &str) -> Result<Imported, ImportError> {
    let wrong = |error: &serde_json::Error| ImportError::document(error.line(), without_place(error));
    serde_json::from_str::<Checked>(text).map_err(|error| wrong(&error))?;
    let Form { schema } = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    if schema != SCHEMA {
        return Err(ImportError::OtherSchema { schema });
    }
    let outer: Outer = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    let [run_line, machine_line] = [outer.run, outer.machine].map(|part| line_after(text, (0, 1), part).1);
    let refused = |line, what: String| ImportError::document(line, what);
    for (part, line) in [(outer.run, run_line), (outer.machine, machine_line)] {
        if part.get().len() > MAX_HEAD {
            let what = format!("what it says of its run or machine is longer than {} MiB", MAX_HEAD >> 20);
            return Err(refused(line, what));
        }
    }
    let mut run: Run = parse(outer.run, run_line)?;
    check_run(&run).map_err(|what| refused(run_line, what))?;
    let machine: Machine = parse(outer.machine, machine_line)?;
    check_machine(&machine).map_err(|what| refused(machine_line, what))?;
    // Mark runs on emulators as incomplete, because only complete runs are ranked.
    run.complete &= machine.is_genuine();
    if outer.series.len() > MAX_SERIES {
        let what = format!("it has {} series; at most {MAX_SERIES} are imported", outer.series.len());
        return Err(refused(run_line, what));
    }
    let (mut series, mut samples, mut counted) = (Vec::new(), 0, (0, 1));
    for (index, raw) in outer.series.iter().enumerate() {
        counted = line_after(text, counted, raw);
        let line = counted.1;
        let RawDetails { details } = parse(raw, line)?;
        if details.is_some_and(|details| details.get().len() > MAX_DETAILS) {
            let what = format!("series {}: its details are longer than {} KiB", index + 1, MAX_DETAILS >> 10);
            return Err(refused(line, what));
        }
        let mut one: Series = parse(raw, line)?;
        one.samples.shrink_to_fit();
        samples += one.samples.len();
        check_series(&one, samples)
            .map_err(|what| refused(line, format!("series {} ({}): {what}", index + 1, one.workload())))?;
        series.push(one);
    }
    let document = Document { schema: SCHEMA, run, machine, series };
    let machine = ImportedMachine { document, lines: (1, text.lines().count()) };
    Ok(Imported { machines: vec![machine], ..Imported::default() })
}

/// Only the field `schema` of a document. In a document of an unknown schema, all other fields may have any type.
#[derive(Deserialize)]
struct Form {
    schema: u32,
}

#[derive(Deserialize)]
struct Outer<'t> {
    #[serde(borrow)]
    run: &'t RawValue,
    #[serde(borrow)]
    machine: &'t RawValue,
    #[serde(borrow)]
    series: Vec<&'t RawValue>,
}

/// The unparsed details of a series, to check their length.
#[derive(Deserialize)]
struct RawDetails<'t> {
    #[serde(borrow, default)]
    details: Option<&'t RawValue>,
}

/// Parses a part that begins on `line`.
fn parse<'t, T: Deserialize<'t>>(raw: &'t RawValue, line: usize) -> Result<T, ImportError> {
    serde_json::from_str(raw.get())
        .map_err(|error| ImportError::document(line + error.line().saturating_sub(1), without_place(&error)))
}

/// Returns the position of `part` in `text` and its line number, counted from an earlier position with its line number.
fn line_after(text: &str, (from, line): (usize, usize), part: &RawValue) -> (usize, usize) {
    let at = (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let between = text.as_bytes().get(from..at).unwrap_or_default();
    (at, line + between.iter().filter(|byte| **byte == b'\n').count())
}

/// Returns serde's message without line and column.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    printable(text)
}

fn check_run(run: &Run) -> Result<(), String> {
    let is_shown = |character: char| !character.is_whitespace() && !is_hidden(character);
    if run.id.is_empty() || run.id.len() > MAX_ID || !run.id.chars().all(is_shown) {
        return Err(format!("the run's id is no name of up to {MAX_ID} characters without spaces"));
    }
    let texts = [&run.started, &run.kasoku, &run.command].into_iter().chain(&run.notes);
    let of_libraries = run.libraries.iter().flat_map(|found| [&found.library, &found.version]);
    let of_omissions = run.omissions.iter().flat_map(|omission| [&omission.library, &omission.why]);
    check_lengths(texts.chain(of_libraries).chain(of_omissions))?;
    let method = &run.method;
    let figures = [run.seconds, Some(method.slice_ms), method.core_hz, method.noise_floor, method.loop_ns];
    let are_sound = figures.into_iter().flatten().chain(method.noise_floors.values().copied()).all(is_sound);
    if are_sound { Ok(()) } else { Err("a figure of the run is negative or endless".to_owned()) }
}

fn check_machine(machine: &Machine) -> Result<(), String> {
    let texts = [&machine.cpu, &machine.arch, &machine.kernel].into_iter().chain(&machine.features);
    let more = [&machine.name, &machine.hypervisor, &machine.os, &machine.governor, &machine.microarchitecture];
    check_lengths(texts.chain(more.into_iter().flatten()))
}

fn check_lengths<'t>(texts: impl Iterator<Item = &'t String>) -> Result<(), String> {
    for text in texts {
        if text.len() > MAX_NAME {
            let begin: String = printable(text).chars().take(30).collect();
            return Err(format!("\"{begin}…\" is longer than {MAX_NAME} bytes"));
        }
    }
    Ok(())
}

fn check_series(series: &Series, samples: usize) -> Result<(), String> {
    if samples > MAX_SAMPLES {
        return Err(format!("at most {MAX_SAMPLES} samples are imported"));
    }
    let Series { library, library_version, code_path, outcome, note, median, ci95, cycles_per_byte, .. } = series;
    let failure = if let Outcome::Failed(why) = outcome { Some(why) } else { None };
    check_lengths([library, library_version, code_path].into_iter().chain(failure).chain(note))?;
    let figures = [*median, *cycles_per_byte, ci95.map(|[low, _]| low), ci95.map(|[_, high]| high)];
    if !figures.into_iter().flatten().all(is_sound) {
        return Err("a figure is negative or beyond what any machine does".to_owned());
    }
    if ci95.is_some_and(|[low, high]| low > high) {
        return Err("its interval ends before it begins".to_owned());
    }
    if series.bytes > 1 << 40 {
        return Err("a message of that many bytes was never measured".to_owned());
    }
    if !series.samples.iter().filter_map(|sample| sample.core_hz).all(is_sound) {
        return Err("a sample's clock is negative or endless".to_owned());
    }
    Ok(())
}

/// Whether a figure is finite, not negative and possible in some unit.
fn is_sound(figure: f64) -> bool {
    (0.0..=1e18).contains(&figure)
}

/// Any JSON with bounded lists and objects and without duplicate keys. serde_json itself bounds the depth.
struct Checked;

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Checked)
    }
}

macro_rules! accept {
    ($($visit:ident: $value:ty),*) => { $(fn $visit<E>(self, _: $value) -> Result<Checked, E> { Ok(Checked) })* };
}

impl<'de> Visitor<'de> for Checked {
    type Value = Checked;

    accept!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<Checked, E> {
        Ok(Checked)
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Checked, A::Error> {
        let mut count = 0;
        while list.next_element::<Checked>()?.is_some() {
            count += 1;
            if count > MAX_ELEMENTS {
                return Err(A::Error::custom(format!("a list has more than {MAX_ELEMENTS} elements")));
            }
        }
        Ok(Checked)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Checked, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = object.next_key::<String>()? {
            object.next_value::<Checked>()?;
            if keys.len() >= MAX_MEMBERS {
                return Err(A::Error::custom(format!("an object has more than {MAX_MEMBERS} members")));
            }
            if let Some(twice) = keys.replace(key) {
                let twice: String = printable(&twice).chars().take(40).collect();
                return Err(A::Error::custom(format!("the key \"{twice}\" occurs twice in one object")));
            }
        }
        Ok(Checked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIES: &str = r#"{"level": "primitives", "operation": "seal", "algorithm": "aes-128-gcm", "bytes": 16,
        "library": "openssl", "library_version": "3.0.19", "acceleration": "on", "code_path": "aesni",
        "unit": "bytes/s",
        "samples": [{"process": 0, "round": 0, "iterations": 3, "ns": 5, "cpu_ns": 5, "dropped": false}],
        "median": 1000000.1, "ci95": [999999, 1000001], "cycles_per_byte": 1.5, "outcome": "measured", "note": null}"#;

    fn document(run: &str, series: &str) -> String {
        format!("{{\n\"schema\": 1,\n\"run\": {run},\n\"machine\": {{\"cpu\": \"x\"}},\n\"series\": [\n{series}]\n}}")
    }

    fn refused(text: &str) -> ImportError {
        let result = read(text);
        result.err().unwrap_or_else(|| panic!("accepted: {text}"))
    }

    #[test]
    fn run_document_keeps_series_and_exact_figures() {
        let imported = read(&document("{\"id\": \"a\", \"complete\": true}", SERIES)).unwrap();
        let document = &imported.machines[0].document;
        assert_eq!((document.run.id.as_str(), document.series.len()), ("a", 1));
        assert_eq!(document.series[0].median, Some(1_000_000.1));
        assert!(imported.left_out.is_empty() && imported.notes.is_empty());
    }

    #[test]
    fn import_marks_runs_under_an_emulator_or_wine_as_incomplete() {
        for other in ["emulated_on", "wine"] {
            let text = document("{\"id\": \"a\", \"complete\": true}", SERIES);
            let text = text.replace("\"cpu\": \"x\"", &format!("\"cpu\": \"x\", \"{other}\": \"8.0\""));
            assert!(!read(&text).unwrap().machines[0].document.run.complete, "{other}");
        }
    }

    #[test]
    fn run_document_ignores_unknown_fields() {
        let more = SERIES.replace("\"note\"", "\"later\": {}, \"note\"");
        let text = document("{\"id\": \"a\", \"later\": 1}", &more).replace("\"machine\"", "\"more\": [], \"machine\"");
        assert_eq!(read(&text).unwrap(), read(&document("{\"id\": \"a\"}", SERIES)).unwrap());
    }

    #[test]
    fn run_document_of_another_or_no_schema_is_rejected() {
        let newer = refused("{\"schema\": 2, \"runs\": []}");
        assert_eq!(newer, ImportError::OtherSchema { schema: 2 });
        assert!(newer.to_string().contains("schema 2"), "{newer}");
        let without = refused(&document("{\"id\": \"a\"}", SERIES).replace("\"schema\": 1,", ""));
        assert!(without.to_string().contains("schema"), "{without}");
    }

    #[test]
    fn run_document_error_names_the_line_in_the_last_of_30_000_series() {
        let many: String = (0..29_999).map(|_| format!("{SERIES},\n")).collect();
        let later = SERIES.replace("aes-128-gcm", "aegis-128l");
        let error = refused(&document("{\"id\": \"a\"}", &format!("{many}{later}")));
        assert_eq!(error.line(), Some(6 + 29_999 * SERIES.lines().count()), "{error}");
        assert!(error.to_string().contains("aegis-128l"), "{error}");
    }

    #[test]
    fn run_document_with_impossible_values_is_rejected_with_their_line() {
        for (from, to) in [
            ("1000000.1", "-1"),
            ("1000000.1", "1e300"),
            ("1000000.1", "1e999"),
            ("1000000.1", "NaN"),
            ("1000000.1", "\"fast\""),
            ("[999999, 1000001]", "[1000001, 999999]"),
            ("[999999, 1000001]", "[1]"),
            ("\"bytes\": 16", "\"bytes\": -16"),
            ("\"bytes\": 16", "\"bytes\": 18446744073709551615"),
            ("\"note\": null", "\"note\": null, \"note\": null"),
            ("\"note\": null", "\"details\": {\"a\": {\"b\": 1, \"b\": 2}}"),
            ("\"note\": null", "\"later\": 1, \"later\": 1"),
            ("\"code_path\": \"aesni\",", ""),
        ] {
            let changed = SERIES.replace(from, to);
            assert_ne!(changed, SERIES, "{from}");
            let error = refused(&document("{\"id\": \"a\"}", &changed));
            assert!(error.line().is_some_and(|line| (6..=10).contains(&line)), "{to}: {error}");
        }
        for run in ["{}", "{\"id\": \"\"}", "{\"id\": \"a b\"}", "{\"id\": \"a\\u001b[2J\"}", "{\"id\": 1}", "[]"] {
            assert_eq!(refused(&document(run, SERIES)).line(), Some(3), "{run}");
        }
        let long = format!("{{\"id\": \"a\", \"command\": \"{}\"}}", "x".repeat(MAX_NAME + 1));
        assert!(refused(&document(&long, SERIES)).to_string().contains("longer than"));
        let id = format!("{{\"id\": \"{}\"}}", "x".repeat(MAX_ID + 1));
        assert!(refused(&document(&id, SERIES)).to_string().contains("100 characters"));
    }

    #[test]
    fn run_document_of_truncated_or_deep_json_is_rejected() {
        let whole = document("{\"id\": \"a\"}", SERIES);
        for end in (0..whole.len()).step_by(7) {
            assert!(read(&whole[..end]).is_err(), "cut at {end}");
        }
        let deep = format!("{{\"run\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(refused(&deep).to_string().contains("recursion"), "{}", refused(&deep));
        for text in ["[]", "[1, 2]", "{}", "{\"run\": {}}", "{} {}"] {
            refused(text);
        }
    }
}
