//! What a user names: a stored run, a published device, a library, a number of something.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use super::{Failure, tell};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::name::{self, UnknownName, plain};
use kasoku_model::printable::printable;
use kasoku_store::published;
use kasoku_store::{Store, StoreError, location};

/// The run of that name in the store (its name, its label, a beginning that no other has, `last` or `last-N`), else the
/// newest run of a machine that people call so, else the published device of that name.
///
/// # Errors
/// If there is none of these, or the store cannot be read.
pub fn document(name: &str, store: Option<&Path>) -> Result<Document, Failure> {
    let stored = || -> Result<Document, StoreError> {
        let store = Store::open_existing(&location::locate(store)?)?;
        let id = match store.find(name) {
            Err(error @ StoreError::UnknownRun { .. }) => newest_called(&store, name)?.ok_or(error)?,
            found => found?,
        };
        store.load(&id)
    };
    match stored() {
        Ok(document) => Ok(document),
        // A published device can be shown whatever is stored; but a damaged store is reported.
        Err(error) if is_absent(&error) => published_device(name).cloned().ok_or_else(|| {
            Failure::new(format!(
                "{error}; and \"{}\" is not a published device (kasoku rank lists them)",
                printable(name)
            ))
        }),
        Err(error) => Err(error.into()),
    }
}

/// Parses a number of `what` within `range`, for the command line.
pub fn number_of<T>(what: &str, range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + use<T>
where
    T: FromStr + PartialOrd + Display + Clone,
{
    let wrong = format!("the number of {what} must be from {} to {}", range.start(), range.end());
    move |text| text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| wrong.clone())
}

/// The store, if there is one. One that was named must be there.
///
/// # Errors
/// If it was named and is not there, or cannot be read.
pub fn store_if_there(named: Option<&Path>) -> Result<Option<Store>, Failure> {
    match location::locate(named).and_then(|path| Store::open_existing(&path)) {
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

/// The newest stored run of a machine that people call so, as those of imports.
fn newest_called(store: &Store, name: &str) -> Result<Option<String>, StoreError> {
    let wanted = plain(name);
    let is_wanted = |called: &str| !wanted.is_empty() && plain(called) == wanted;
    Ok(store.runs()?.into_iter().find(|run| run.name.as_deref().is_some_and(is_wanted)).map(|run| run.id))
}

/// The published device of that name, CPU or alias, whatever its capitals and spaces.
pub fn published_device(name: &str) -> Option<&'static Document> {
    let wanted = plain(name);
    let is_called = |document: &&&Document| {
        let machine = published::machine(document).map(|(_, machine)| machine);
        let aliases = machine.into_iter().flat_map(|machine| machine.aliases.iter().map(String::as_str));
        let ids = machine.map(|machine| machine.id.as_str());
        let own = [document.run.id.as_str(), document.machine.label()];
        own.into_iter().chain(ids).chain(aliases).any(|other| plain(other) == wanted)
    };
    if wanted.is_empty() {
        None
    } else {
        published::documents().iter().collect::<Vec<_>>().iter().find(is_called).copied()
    }
}

fn is_absent(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Missing { .. } | StoreError::NoPlace | StoreError::Empty { .. } | StoreError::UnknownRun { .. }
    )
}

/// What to ask of somebody who names an algorithm that is only quoted, by part of the name of one that is measured, as
/// `chacha20`: the end of a sentence.
pub fn instead(algorithm: Algorithm) -> String {
    if !algorithm.is_quoted() {
        return String::new();
    }
    let mut measured = Algorithm::ALL.iter().map(|algorithm| algorithm.name());
    let longer = measured.find(|name| name.len() > algorithm.name().len() && name.contains(algorithm.name()));
    longer.map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

/// The library that can be measured by that name, in whatever spelling.
///
/// # Errors
/// If there is none.
pub fn library(typed: &str) -> Result<String, UnknownName> {
    // Test doubles are found, but not suggested.
    if kasoku_libraries::find(typed).is_some() {
        return Ok(typed.to_owned());
    }
    let users = kasoku_libraries::LIBRARIES.iter().filter(|entry| entry.is_listed).map(|entry| entry.name);
    name::find("library", typed, users.map(|name| (name, name))).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::document::{Machine, Origin, OriginKind, Run, SCHEMA};

    #[test]
    fn published_devices_go_by_their_names() {
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
    fn a_run_goes_by_its_name_its_label_and_its_machine() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kasoku.sqlite");
        let mut store = Store::open(&path).unwrap();
        let mut documents = ["a", "b", "c", "d"].map(|id| {
            let run = Run { id: id.into(), started: format!("2026-11-20T09:00:0{}Z", id.len()), ..Run::default() };
            Document { schema: SCHEMA, run, machine: Machine::default(), series: Vec::new() }
        });
        documents[0].run.label = Some("before".to_owned());
        documents[1].run.label = Some("before".to_owned());
        documents[3].machine.name = Some("My Router 2".into());
        documents[3].run.origin =
            Some(Origin { kind: OriginKind::Transcript, source: "x.txt".into(), address: None, note: None });
        documents.iter().for_each(|document| store.add_document(document).unwrap());
        for (name, id) in [("my-router2", "d"), ("last", "c"), ("last-1", "b"), ("a", "a"), ("before", "b")] {
            assert_eq!(document(name, Some(&path)).unwrap().run.id, id, "{name}");
        }
        assert_eq!(document("before", Some(&path)).unwrap().run.label.as_deref(), Some("before"));
    }

    #[test]
    fn what_is_neither_is_a_failure_in_words_and_a_device_needs_no_store() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.sqlite");
        let failure = document("\u{1b}[31mx", Some(&missing)).unwrap_err().to_string();
        assert!(failure.contains("there is no store") && failure.contains("published device"), "{failure}");
        assert!(!failure.contains('\u{1b}'), "{failure}");
        assert_eq!(document("i7-950", Some(&missing)).unwrap().machine.label(), "i7-950");
    }

    #[test]
    fn part_of_a_name_leads_to_the_whole() {
        assert_eq!(instead("ChaCha20".parse().unwrap()), "; did you mean chacha20-poly1305?");
        for whole in ["sm3", "aes-128-gcm"] {
            assert_eq!(instead(whole.parse().unwrap()), "", "{whole}");
        }
    }

    #[test]
    fn a_library_goes_by_any_spelling() {
        for (typed, found) in [("OpenSSL", "openssl"), ("AWS_LC", "aws-lc"), ("awslc", "aws-lc"), ("ring", "ring")] {
            assert_eq!(library(typed).as_deref(), Ok(found));
        }
        let message = library("opensl").unwrap_err().to_string();
        assert!(message.starts_with("unknown library \"opensl\"; did you mean openssl"), "{message}");
    }
}
