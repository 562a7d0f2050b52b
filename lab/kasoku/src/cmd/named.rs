//! Resolves names on the command line (stored runs, published devices, libraries, numbers), and chooses the default
//! runs.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use super::{Failure, tell};
use kasoku_libraries::LibraryEntry;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Machine};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::name::{self, UnknownName, plain};
use kasoku_model::printable::printable;
use kasoku_store::published;
use kasoku_store::{KnownRun, Store, StoreError, location};

/// Maximum number of characters in the name of a user-written worker.
const MAX_WORKER_NAME: usize = 32;

/// Returns the document called `name`: a stored run (by name, label, unique prefix, `last` or `last-N`), otherwise the
/// newest stored run of a machine with that name, otherwise a published device. A damaged store is an error.
pub(crate) fn document(name: &str, store: Option<&Path>) -> Result<Document, Failure> {
    let stored = || -> Result<Document, StoreError> {
        let store = open_store(store)?;
        let id = match store.find(name) {
            Err(error @ StoreError::UnknownRun { .. }) => newest_of_machine(&store, name)?.ok_or(error)?,
            found => found?,
        };
        store.load(&id)
    };
    match stored() {
        Ok(document) => Ok(document),
        // A published device needs no store.
        Err(error) if is_absent(&error) => published_device(name).cloned().ok_or_else(|| {
            Failure::new(format!(
                "{error}; and \"{}\" is not a published device (kasoku rank lists them)",
                printable(name)
            ))
        }),
        Err(error) => Err(error.into()),
    }
}

/// Opens the store. A missing store is an error.
pub(super) fn open_store(store: Option<&Path>) -> Result<Store, StoreError> {
    Store::open_existing(&location::locate(store)?)
}

/// Returns a parser of numbers of `what` within `range`, for the command line.
pub fn number_of<T>(what: &str, range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + use<T>
where
    T: FromStr + PartialOrd + Display + Clone,
{
    let wrong = format!("the number of {what} must be from {} to {}", range.start(), range.end());
    move |text| text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| wrong.clone())
}

/// Opens the store if it exists. A missing store that the user named is an error.
pub(crate) fn store_if_there(named: Option<&Path>) -> Result<Option<Store>, Failure> {
    match open_store(named) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Missing(path)) if !location::is_named(named) => {
            tell(&format!("No store at {}: published figures only", path.display()));
            Ok(None)
        }
        Err(StoreError::NoPlace) => {
            tell("No home folder to have a store in: published figures only");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the name of the newest stored run of the machine called `name`, such as an imported machine.
fn newest_of_machine(store: &Store, name: &str) -> Result<Option<String>, StoreError> {
    let wanted = plain(name);
    let is_wanted = |called: &str| !wanted.is_empty() && plain(called) == wanted;
    Ok(store.runs()?.into_iter().find(|run| run.name.as_deref().is_some_and(is_wanted)).map(|run| run.id))
}

/// Finds a published device by its name, CPU or alias, ignoring case, spaces and hyphens.
pub(crate) fn published_device(name: &str) -> Option<&'static Document> {
    published::documents().iter().find(|document| published::names(document).contains(&plain(name)))
}

fn is_absent(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Missing { .. } | StoreError::NoPlace | StoreError::Empty { .. } | StoreError::UnknownRun { .. }
    )
}

/// Returns a suggestion for the error about an algorithm that only published tables have: for `chacha20`, the question
/// whether the user meant `chacha20-poly1305`. Empty if no measurable algorithm's name contains the given name.
pub(crate) fn suggestion(algorithm: Algorithm) -> String {
    if !algorithm.is_quoted() {
        return String::new();
    }
    let mut measured = Algorithm::ALL.iter().map(|algorithm| algorithm.name());
    let longer = measured.find(|name| name.len() > algorithm.name().len() && name.contains(algorithm.name()));
    longer.map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

/// Returns the exact name of a measurable library from any spelling.
pub(crate) fn library(typed: &str) -> Result<String, UnknownName> {
    // Test doubles are found, but not suggested.
    if kasoku_libraries::find(typed).is_some() {
        return Ok(typed.to_owned());
    }
    let users = kasoku_libraries::LIBRARIES.iter().filter(|entry| entry.is_listed).map(|entry| entry.name);
    name::find("library", typed, users.map(|name| (name, name))).map(str::to_owned)
}

/// Parses a user-written worker: `NAME=COMMAND`.
pub(crate) fn named_worker(text: &str) -> Result<&'static LibraryEntry, String> {
    let (name, command) = text.split_once('=').ok_or("a worker is given as NAME=COMMAND")?;
    let is_plain = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || "-.".contains(one);
    if !(1..=MAX_WORKER_NAME).contains(&name.len()) || !name.starts_with(|one: char| one.is_ascii_lowercase()) {
        return Err(format!("a worker's name has 1 to {MAX_WORKER_NAME} characters and begins with a small letter"));
    }
    if !name.chars().all(is_plain) {
        return Err("a worker's name has small letters, digits, hyphens and dots only".to_owned());
    }
    if kasoku_libraries::find(name).is_some() || Role::of(name) != Role::Library {
        return Err(format!("a library is called {name}; give the worker another name"));
    }
    worker(name, command)
}

/// Parses the command of a user-written worker.
pub(crate) fn worker_command(command: &str) -> Result<&'static LibraryEntry, String> {
    worker("worker", command)
}

fn worker(name: &str, command: &str) -> Result<&'static LibraryEntry, String> {
    let words = shell_words::split(command).map_err(|_| "unclosed quote".to_owned())?;
    if words.is_empty() {
        return Err("the worker's command is empty".to_owned());
    }
    Ok(LibraryEntry::foreign(name.to_owned(), words))
}

/// Returns the complete runs of `machine`, the newest first, each with only the levels that no newer run has. Falls
/// back to the newest run of the store.
pub(super) fn newest_of(store: &Store, machine: &Machine) -> Result<Vec<Document>, Failure> {
    let known = store.known()?;
    let documents = newest_among(store, known.measured_on(machine))?;
    if !documents.is_empty() {
        return Ok(documents);
    }
    let id = known
        .measured_on(machine)
        .find(|run| run.complete)
        .map_or_else(|| store.find("last"), |run| Ok(run.id.clone()))?;
    Ok(vec![store.load(&id)?])
}

/// Returns the complete runs among `runs` (newest first), each with only the levels that no newer run has.
pub(super) fn newest_among<'r>(
    store: &Store,
    runs: impl Iterator<Item = &'r KnownRun>,
) -> Result<Vec<Document>, Failure> {
    let mut missing = Level::ALL.to_vec();
    let mut documents = Vec::new();
    for run in runs.filter(|run| run.complete) {
        let mut found = Vec::new();
        for &level in &missing {
            if store.has_level(run, level)? {
                found.push(level);
            }
        }
        if !found.is_empty() {
            documents.push(retain_levels(store.load(&run.id)?, &found));
            missing.retain(|level| !found.contains(level));
        }
        if missing.is_empty() {
            break;
        }
    }
    Ok(documents)
}

/// Returns `document` with only the series, omissions and notes of `levels`.
fn retain_levels(mut document: Document, levels: &[Level]) -> Document {
    document.series.retain(|series| levels.contains(&series.level));
    document.run.omissions.retain(|omission| levels.contains(&omission.level));
    let level_of = |note: &str| Level::ALL.iter().find(|level| note.split(": ").next() == Some(level.name()));
    document.run.notes.retain(|note| level_of(note).is_none_or(|level| levels.contains(level)));
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::document::{Omission, Origin, OriginKind, Outcome, Run, SCHEMA, Series, Unit};
    use kasoku_model::workload::{Operation, Workload};

    /// Returns a complete run with a series, a note and an omission of each level.
    fn run(id: &str, day: u32, levels: &[Level]) -> Document {
        let run = Run {
            id: id.into(),
            started: format!("2026-11-{day:02}T09:00:00Z"),
            complete: true,
            notes: levels.iter().map(|level| format!("{level}: noisy")).chain(["of all".to_owned()]).collect(),
            omissions: levels.iter().map(|&level| Omission { level, ..Omission::default() }).collect(),
            ..Run::default()
        };
        let machine = Machine { cpu: "here".into(), cores: 2, logical_cpus: Some(2), ..Machine::default() };
        let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16_384);
        let series = |&level: &Level| Series {
            median: Some(1e9),
            outcome: Outcome::Measured,
            ..Series::empty(level, &workload, "openssl", "3".into(), Acceleration::On, Unit::BytesPerSecond)
        };
        Document { schema: SCHEMA, run, machine, series: levels.iter().map(series).collect() }
    }

    fn store(documents: &[Document]) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("kasoku.sqlite")).unwrap();
        store.add_documents(documents).unwrap();
        (folder, store)
    }

    #[test]
    fn named_worker_rejects_names_of_libraries_and_empty_commands() {
        let entry = named_worker("my-aes.2=python3 'my worker.py' --fast").unwrap();
        assert_eq!(
            (entry.name, entry.command),
            ("my-aes.2", &["python3", "my worker.py", "--fast"].map(String::from)[..])
        );
        let long = format!("{}=x", "a".repeat(33));
        for wrong in ["x", "=x", "Big=x", "-a=x", "a b=x", "openssl=x", "limit-mine=x", "test-a=x", "a=", "a='", &long]
        {
            assert!(named_worker(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn published_device_is_found_by_name_and_alias() {
        for document in published::documents() {
            assert!(published_device(&document.run.id).is_some(), "{}", document.run.id);
            assert!(published_device(&document.machine.label().to_uppercase()).is_some());
        }
        for name in ["Raspberry Pi4", "raspberry pi 4", "published-openssl-perf-mt7621", "mt7612", "I7-13700"] {
            assert!(published_device(name).is_some(), "{name}");
        }
        for name in ["a machine nobody has", "raspberry", "pi", "-", " ", ""] {
            assert!(published_device(name).is_none(), "{name}");
        }
    }

    #[test]
    fn document_is_found_by_run_name_label_and_machine() {
        let mut documents = [run("here", 21, &[]), run("imported", 22, &[])];
        documents[0].run.label = Some("before".to_owned());
        documents[1].machine.name = Some("My Router 2".into());
        documents[1].run.origin =
            Some(Origin { kind: OriginKind::Transcript, source: "x.txt".into(), address: None, note: None });
        let (_folder, store) = store(&documents);
        for (name, id) in [("my-router2", "imported"), ("last", "here"), ("her", "here"), ("before", "here")] {
            assert_eq!(document(name, Some(store.path())).unwrap().run.id, id, "{name}");
        }
    }

    #[test]
    fn document_without_a_store_finds_published_devices_and_rejects_unknown_names() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.sqlite");
        let failure = document("\u{1b}[31mx", Some(&missing)).unwrap_err().to_string();
        assert!(failure.contains("there is no store") && failure.contains("published device"), "{failure}");
        assert!(!failure.contains('\u{1b}'), "{failure}");
        assert_eq!(document("i7-950", Some(&missing)).unwrap().machine.label(), "i7-950");
    }

    #[test]
    fn suggestion_completes_the_name_of_an_algorithm_that_only_published_tables_have() {
        assert_eq!(suggestion("ChaCha20".parse().unwrap()), "; did you mean chacha20-poly1305?");
        for whole in ["sm3", "aes-128-gcm"] {
            assert_eq!(suggestion(whole.parse().unwrap()), "", "{whole}");
        }
    }

    #[test]
    fn newest_of_takes_each_level_from_its_newest_complete_run() {
        let mut elsewhere = run("elsewhere", 25, &[Level::Jvm]);
        elsewhere.machine.cpu = "another CPU".into();
        let mut interrupted = run("interrupted", 24, &[Level::Files]);
        interrupted.run.complete = false;
        // With one CPU of two, as under `taskset`, it is still the same machine.
        let mut narrow = run("narrow", 23, &[Level::Tls]);
        narrow.machine.cores = 1;
        let all = run("all", 22, &[Level::Primitives, Level::Packets, Level::Tls]);
        let old = run("old", 21, &[Level::Primitives, Level::Files]);
        let mut without = [run("whole", 26, &[]), run("half", 27, &[])];
        without.iter_mut().for_each(|document| document.machine.cpu = "without figures".into());
        without[1].run.complete = false;
        let (_folder, store) = store(&[&[old, all, narrow, interrupted, elsewhere][..], &without].concat());
        let here = Machine { cpu: "here".into(), cores: 1, logical_cpus: Some(2), ..Machine::default() };
        let newest = newest_of(&store, &here).unwrap();
        let told: Vec<_> = newest
            .iter()
            .map(|Document { run, series, .. }| {
                let levels: Vec<Level> = series.iter().map(|one| one.level).collect();
                (run.id.as_str(), levels, run.omissions.len(), run.notes.len())
            })
            .collect();
        let expected = [
            ("narrow", vec![Level::Tls], 1, 2),
            ("all", vec![Level::Primitives, Level::Packets], 2, 3),
            ("old", vec![Level::Files], 1, 2),
        ];
        assert_eq!(told, expected);
        let without = Machine { cpu: "without figures".into(), ..here.clone() };
        assert_eq!(newest_of(&store, &without).unwrap()[0].run.id, "whole");
        let nowhere = Machine { cpu: "nowhere".into(), ..here };
        assert_eq!(
            newest_of(&store, &nowhere).unwrap()[0].run.id,
            "half",
            "without runs of this machine: the newest run of any machine"
        );
    }
}
