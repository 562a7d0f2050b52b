//! Differences between the environments of two runs: machine, system, libraries, Kasoku and its options.
//!
//! The serialised records are walked without a list of fields, so that new fields are compared, too.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::document::Document;
use crate::printable::printable;

/// Maximum number of differences that are kept.
const MAX_DIFFERENCES: usize = 200;
/// Maximum number of values of one property that are listed.
const MAX_VALUES: usize = 20;
/// Fields that identify a run or hold its results, and so do not describe its environment.
const RESULT_FIELDS: [&str; 8] = ["id", "started", "complete", "seconds", "notes", "omissions", "origin", "label"];
/// Fields of a run's method that the run measured.
const MEASURED_METHOD_FIELDS: [&str; 6] =
    ["core_hz", "noise_floor", "noise_floors", "noise_floor_library", "loop_ns", "remarks"];

/// A property of the environment that differs between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentDifference {
    /// Names of the fields from the document down to the property, such as `["machine", "kernel"]`. In a list, the name
    /// of an entry takes the place of its index.
    pub path: Vec<String>,
    /// Values in the first and the second run. For a property with several values, only the values that the other run
    /// lacks. `None` if the run does not state the property.
    pub values: [Option<String>; 2],
}

/// Properties of a record, by path. A list without named entries is one property with several values.
type Properties = BTreeMap<Vec<String>, BTreeSet<String>>;

/// Returns the differences between the environments of `first` and `second`, at most [`MAX_DIFFERENCES`]. If a run has
/// quoted figures, which state little, returns only differences between properties that both runs state.
pub(super) fn differences(first: &Document, second: &Document) -> Vec<EnvironmentDifference> {
    let is_quoted = first.run.origin.is_some() || second.run.origin.is_some();
    let [first, second] = [properties(first), properties(second)];
    let is_compared = |path: &&Vec<String>| {
        let [one, other] = [&first, &second];
        let has_entry = |all: &Properties| all.keys().any(|known| known.starts_with(&path[..path.len() - 1]));
        // For a library that only one run has, keeps only the version.
        let is_detail = path[0] == "libraries" && path.last().is_some_and(|field| field != "version");
        match is_quoted {
            true => one.contains_key(*path) && other.contains_key(*path),
            false => !is_detail || (has_entry(one) && has_entry(other)),
        }
    };
    let paths: BTreeSet<&Vec<String>> = first.keys().chain(second.keys()).filter(is_compared).collect();
    let difference = |path: &Vec<String>| {
        let none = BTreeSet::new();
        let [one, other] = [&first, &second].map(|all| all.get(path).unwrap_or(&none));
        let only = |own: &BTreeSet<String>, others| (!own.is_empty()).then(|| listed(own.difference(others)));
        let values = [only(one, other), only(other, one)];
        (one != other).then(|| EnvironmentDifference { path: path.clone(), values })
    };
    paths.into_iter().filter_map(difference).take(MAX_DIFFERENCES).collect()
}

fn listed<'a>(values: impl Iterator<Item = &'a String>) -> String {
    let values: Vec<&str> = values.take(MAX_VALUES).map(String::as_str).collect();
    printable(&values.join(", "))
}

fn properties(document: &Document) -> Properties {
    let mut properties = Properties::new();
    let record = |value: Result<Value, serde_json::Error>| value.unwrap_or_default();
    let mut run = record(serde_json::to_value(&document.run));
    remove(&mut run, &RESULT_FIELDS);
    if let Some(method) = run.get_mut("method") {
        remove(method, &MEASURED_METHOD_FIELDS);
    }
    collect(&run, &mut Vec::new(), &mut properties);
    collect(&record(serde_json::to_value(&document.machine)), &mut vec!["machine".to_owned()], &mut properties);
    properties
}

fn remove(record: &mut Value, fields: &[&str]) {
    if let Some(record) = record.as_object_mut() {
        record.retain(|name, _| !fields.contains(&name.as_str()));
    }
}

/// Adds the properties of `value`, which is at `path`. The types of a document bound the depth of the recursion.
fn collect(value: &Value, path: &mut Vec<String>, properties: &mut Properties) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            for (name, field) in fields {
                path.push(name.clone());
                collect(field, path, properties);
                path.pop();
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                // Entries are named by their library or by their own name.
                let name = ["library", "name"].into_iter().find_map(|field| entry.get(field)?.as_str());
                path.extend(name.map(str::to_owned));
                let mut entry = entry.clone();
                remove(&mut entry, &["library", "name"]);
                collect(&entry, path, properties);
                path.truncate(path.len() - usize::from(name.is_some()));
            }
        }
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => drop(properties.entry(path.clone()).or_default().insert(text.clone())),
        other => drop(properties.entry(path.clone()).or_default().insert(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceleration::Acceleration;
    use crate::document::{FoundLibrary, Limit, Machine, Method, Origin, OriginKind, Run, SCHEMA};

    fn document() -> Document {
        let library = |name: &str, version: &str, acceleration| FoundLibrary {
            library: name.into(),
            version: version.into(),
            acceleration: Some(acceleration),
            loaded_from: Some("/usr/lib/libcrypto.so.3".into()),
            ..FoundLibrary::default()
        };
        let limit = Limit { name: "nofile".into(), value: "1024".into(), ..Limit::default() };
        let run = Run {
            id: "a".into(),
            kasoku: "0.1.0".into(),
            method: Method { limits: vec![limit], noise_floor: Some(0.01), ..Method::default() },
            libraries: [Acceleration::On, Acceleration::Off].map(|state| library("openssl", "3.0.13", state)).into(),
            ..Run::default()
        };
        let machine = Machine {
            kernel: "Linux 6.1".into(),
            features: ["aes", "avx2"].map(str::to_owned).into(),
            boost: Some(true),
            ..Machine::default()
        };
        Document { schema: SCHEMA, run, machine, series: Vec::new() }
    }

    fn shown(first: &Document, second: &Document) -> Vec<String> {
        let line = |one: EnvironmentDifference| {
            let [first, second] = one.values.map(|value| value.unwrap_or_else(|| "–".to_owned()));
            format!("{}: {first} → {second}", one.path.join("."))
        };
        differences(first, second).into_iter().map(line).collect()
    }

    #[test]
    fn differences_name_every_changed_property_and_no_result() {
        let first = document();
        let mut second = document();
        assert_eq!(differences(&first, &second), []);
        (second.run.id, second.run.method.noise_floor) = ("b".into(), Some(0.02));
        assert_eq!(differences(&first, &second), [], "results are no environment");

        second.run.kasoku = "0.2.0".into();
        second.run.method.limits[0].value = "65536".into();
        second.run.libraries[0].version = "3.5.0".into();
        second.run.libraries[1].version = "3.5.0".into();
        second.run.libraries.push(FoundLibrary {
            library: "nettle".into(),
            version: "3.9".into(),
            loaded_from: Some("/usr/lib/libnettle.so.8".into()),
            ..FoundLibrary::default()
        });
        second.machine.features = ["aes", "avx512f", "vaes"].map(str::to_owned).into();
        second.machine.boost = Some(false);
        second.machine.kernel = "Linux \u{1b}[31m6.8".into();
        assert_eq!(
            shown(&first, &second),
            [
                "kasoku: 0.1.0 → 0.2.0",
                "libraries.nettle.version: – → 3.9",
                "libraries.openssl.version: 3.0.13 → 3.5.0",
                "machine.boost: true → false",
                "machine.features: avx2 → avx512f, vaes",
                "machine.kernel: Linux 6.1 → Linux \\u{1b}[31m6.8",
                "method.limits.nofile.value: 1024 → 65536",
            ]
        );
    }

    #[test]
    fn differences_skip_properties_that_quoted_figures_do_not_state() {
        let mut quoted = document();
        let origin = Origin { kind: OriginKind::Published, source: "a book".into(), address: None, note: None };
        quoted.run.origin = Some(origin);
        quoted.run.libraries.clear();
        (quoted.machine.boost, quoted.machine.kernel) = (None, "Linux 2.6".into());
        assert_eq!(shown(&quoted, &document()), ["machine.kernel: Linux 2.6 → Linux 6.1"]);
    }

    #[test]
    fn differences_are_bounded_in_number_and_length() {
        let mut many = document();
        let entry = |index: usize| FoundLibrary {
            library: format!("library-{index}"),
            version: "x".repeat(10_000),
            ..FoundLibrary::default()
        };
        many.run.libraries = (0..5_000).map(entry).collect();
        let found = differences(&document(), &many);
        assert_eq!(found.len(), MAX_DIFFERENCES);
        assert!(found.iter().flat_map(|one| one.values.iter().flatten()).all(|value| value.chars().count() <= 201));
    }
}
