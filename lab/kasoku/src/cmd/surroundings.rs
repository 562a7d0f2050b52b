//! Rankings and histories that a report page shows beside its runs.

use std::path::Path;

use kasoku_model::document::Document;
use kasoku_report::collection::{MAX_RUNS, Surroundings, followed, questions};
use kasoku_report::language::Language;
use kasoku_report::page::Shown;
use kasoku_report::render;
use kasoku_store::collection::Collection;
use kasoku_store::{Store, StoreError};

use super::named::open_store;
use super::tell_unread;

/// Returns rankings and histories for each of `documents`. If the store cannot be read, returns only rankings of
/// published figures. Prints the names of unreadable runs.
pub(crate) fn gather(documents: &[Document], store: Option<&Path>) -> Vec<Surroundings> {
    match open_store(store) {
        Ok(store) => gather_from(documents, &store),
        Err(StoreError::Missing(_) | StoreError::NoPlace) => without_store(documents, None),
        Err(error) => without_store(documents, Some(&error)),
    }
}

/// Like [`gather`], but from an open store.
fn gather_from(documents: &[Document], store: &Store) -> Vec<Surroundings> {
    match around_all(documents, Some(store)) {
        Ok(surroundings) => {
            tell_unread(store);
            surroundings
        }
        Err(error) => without_store(documents, Some(&error)),
    }
}

/// Returns the page of runs that `store` has.
pub(crate) fn page(documents: &[Document], store: &Store, language: Language) -> String {
    render::page(&shown(documents, &gather_from(documents, store)), language)
}

/// Pairs each run in `documents` with the rankings and histories that its page shows (`around`).
pub(crate) fn shown<'a>(documents: &'a [Document], around: &'a [Surroundings]) -> Vec<Shown<'a>> {
    let shown = |(document, around)| Shown { document, surroundings: Some(around) };
    documents.iter().zip(around).map(shown).collect()
}

/// Returns rankings of published figures. `error` is the reason why the store cannot be read.
fn without_store(documents: &[Document], error: Option<&StoreError>) -> Vec<Surroundings> {
    let all = around_all(documents, None).unwrap_or_else(|_| vec![Surroundings::default(); documents.len()]);
    let unread = error.map(ToString::to_string);
    all.into_iter().map(|around| Surroundings { unread: unread.clone(), ..around }).collect()
}

fn around_all(documents: &[Document], store: Option<&Store>) -> Result<Vec<Surroundings>, StoreError> {
    let collection = Collection::open(store)?;
    documents.iter().map(|document| around(document, &collection)).collect()
}

fn around(document: &Document, collection: &Collection<'_>) -> Result<Surroundings, StoreError> {
    let mut around = Surroundings::default();
    for question in questions() {
        around.rankings.push(collection.ranking_around(&question, document)?);
    }
    let machine = collection.identity_of(&document.machine).filter(|_| document.run.origin.is_none());
    if let Some(machine) = machine {
        for question in followed() {
            around.histories.push(collection.history(&question, machine, MAX_RUNS)?);
        }
    }
    Ok(around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_store::published;

    #[test]
    fn published_figures_are_shown_without_a_readable_store() {
        let folder = tempfile::tempdir().unwrap();
        let document = published::documents().iter().find(|one| one.machine.label() == "i7-950").unwrap().clone();
        let documents = std::slice::from_ref(&document);
        let missing = gather(documents, Some(&folder.path().join("none.sqlite")));
        assert_eq!(missing.len(), 1);
        assert_eq!(missing[0].unread, None);
        assert!(missing[0].rankings.iter().all(|ranking| ranking.rows.iter().any(|row| row.is_this)));
        assert!(missing[0].histories.is_empty());

        let damaged = folder.path().join("damaged.sqlite");
        std::fs::write(&damaged, "this is no database").unwrap();
        let read = gather(documents, Some(&damaged));
        assert!(read[0].unread.as_ref().is_some_and(|why| why.contains("damaged.sqlite")), "{:?}", read[0].unread);
        assert_eq!(read[0].rankings, missing[0].rankings);
    }
}
