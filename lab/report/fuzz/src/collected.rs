//! What is shown of documents that are in a store: rankings, histories, the site.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::language::Language;
use kasoku_model::workload::Operation;
use kasoku_report::collection::{history, nothing_in_history, nothing_known, rank, this_machine_is_missing};
use kasoku_report::html::{self, MAX_RUNS, Shown, Surroundings, followed};
use kasoku_report::language::messages;
use kasoku_report::list;
use kasoku_report::site::{
    AlgorithmFigures, DocumentPaths, LibraryCounts, LibraryFigures, MachinePlaces, OperationFigures, Page, Site,
};
use kasoku_store::collection::{Collection, Libraries, RankingQuestion, RunsLeftOut};
use kasoku_store::{Store, StoreError};
use tempfile::TempDir;

use super::{FORMATS, checks};

/// Stores the documents, and shows what there is then.
pub(super) fn shown(documents: [Option<Document>; 2], language: Language) {
    thread_local! {
        static STORE: RefCell<(Store, TempDir)> = RefCell::new({
            let folder = tempfile::tempdir().expect("a folder");
            (Store::open(&folder.path().join("store.sqlite")).expect("a store"), folder)
        });
    }
    let mut documents: Vec<Document> = documents.into_iter().flatten().collect();
    if let [first, second] = &mut documents[..]
        && first.run.id == second.run.id
    {
        second.run.id = if first.run.id == "second" { "first" } else { "second" }.to_owned();
    }
    STORE.with_borrow_mut(|(store, _)| {
        let stored: Vec<Document> =
            documents.into_iter().filter(|document| store.add_document(document).is_ok()).collect();
        all(store, &stored, language).expect("what was imported can be read");
        let ids: Vec<String> = stored.into_iter().map(|document| document.run.id).collect();
        store.delete_runs(&ids).expect("they are there");
    });
}

fn all(store: &Store, documents: &[Document], language: Language) -> Result<(), StoreError> {
    let collection = Collection::open(Some(store))?;
    let (questions, libraries) = asked(documents);
    for format in FORMATS {
        checks::text(format, &list::runs(&store.runs()?, format, language));
    }
    for document in documents {
        for question in &questions {
            let question = question.clone().at(collection.usual_bytes(question)?);
            let (ranking, left_out) =
                (collection.ranking(&question, Some(&document.machine))?, collection.left_out(&question)?);
            let messages = messages(language);
            let missing = [nothing_known(&ranking, &left_out, messages), this_machine_is_missing(&ranking, messages)];
            missing.iter().flatten().for_each(|text| checks::told(text));
            for format in FORMATS {
                checks::text(format, &rank(&ranking, &left_out, messages, format));
            }
            let Some(machine) = collection.identity_of(&document.machine) else { continue };
            let told = collection.history(&question, machine)?;
            nothing_in_history(&told, messages).iter().for_each(|text| checks::told(text));
            for format in FORMATS {
                checks::text(format, &history(&told, messages, format));
            }
        }
        let around = around(&collection, document)?;
        checks::page(&html::render_among(&[Shown { document, surroundings: Some(&around) }], language));
    }
    check_site(&pages(&collection, documents, (&questions, &libraries), language)?);
    Ok(())
}

/// What can be asked of these documents' primitives: each workload, of any library; and the libraries.
fn asked(documents: &[Document]) -> (Vec<RankingQuestion>, BTreeSet<&String>) {
    let series = || {
        documents
            .iter()
            .flat_map(|one| &one.series)
            .filter(|series| series.level == kasoku_model::level::Level::Primitives)
    };
    let workloads: BTreeSet<(Algorithm, Operation)> =
        series().map(|series| (series.algorithm, series.operation)).collect();
    let question = |(algorithm, operation)| RankingQuestion {
        operation,
        libraries: Libraries::Any,
        ..RankingQuestion::new(algorithm)
    };
    (workloads.into_iter().map(question).collect(), series().map(|series| &series.library).collect())
}

/// What stands around a run on its page, of the workloads that it may have.
fn around(collection: &Collection<'_>, document: &Document) -> Result<Surroundings, StoreError> {
    let mut around = Surroundings::default();
    for question in html::questions() {
        around.rankings.push(collection.ranking_around(&question, document)?);
    }
    if let Some(machine) = collection.identity_of(&document.machine).filter(|_| document.run.origin.is_none()) {
        for question in followed() {
            around.histories.push(collection.recent_history(&question, machine, MAX_RUNS)?);
        }
    }
    Ok(around)
}

/// The pages of the site that these documents have a part in, as `kasoku site` makes them.
fn pages(
    collection: &Collection<'_>,
    documents: &[Document],
    (questions, libraries): (&[RankingQuestion], &BTreeSet<&String>),
    language: Language,
) -> Result<Vec<Page>, StoreError> {
    let machines = collection.machines().into_iter().map(|known| (known, None)).collect();
    let site = Site::new(machines, collection.workloads()?, DocumentPaths::new(collection));
    let (mut places, mut algorithms) = (MachinePlaces::default(), BTreeMap::<Algorithm, Vec<OperationFigures>>::new());
    for any in questions {
        let any = any.clone().at(collection.usual_bytes(any)?);
        let fastest = collection.ranking(&any, None)?;
        site.rank(&fastest, &mut places);
        let by = |library: &&String| RankingQuestion { libraries: Libraries::Only((*library).clone()), ..any.clone() };
        algorithms.entry(any.algorithm).or_default().push(OperationFigures {
            fastest,
            left_out: collection.left_out(&any)?,
            libraries: libraries.iter().map(|one| collection.ranking(&by(one), None)).collect::<Result<_, _>>()?,
            library_count: libraries.len(),
            pairs: libraries.iter().map(|one| collection.pairs(&by(one))).collect::<Result<_, _>>()?,
        });
    }
    let mut pages = Vec::new();
    for (place, machine) in site.machines().iter().enumerate().filter(|(_, one)| !one.known.runs.is_empty()) {
        let is_its = |one: &&Document| machine.known.runs.iter().any(|run| run.id == one.run.id);
        let runs: Vec<Document> = documents.iter().filter(is_its).cloned().collect();
        let histories = match machine.known.identity {
            Some(identity) => followed()
                .iter()
                .map(|question| collection.recent_history(question, identity, MAX_RUNS))
                .collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let places = places.get(place).map_or(&[][..], Vec::as_slice);
        pages.push(site.machine(place, &runs, &histories, places, language));
    }
    for (algorithm, operations) in &algorithms {
        let figures = AlgorithmFigures { algorithm: *algorithm, operations: operations.clone() };
        pages.extend(site.algorithm(&figures, language));
    }
    let mut counts = LibraryCounts::new();
    for library in libraries {
        let of = |question: &RankingQuestion| {
            let question = RankingQuestion { libraries: Libraries::Only((*library).clone()), ..question.clone() };
            let on = collection.ranking(&question, None)?;
            Ok(LibraryFigures { pairs: collection.pairs(&question)?, on })
        };
        let figures: Vec<LibraryFigures> = questions.iter().map(of).collect::<Result<_, StoreError>>()?;
        if let Some(page) = site.library(library, &figures, language) {
            counts.insert((*library).clone(), figures.len());
            pages.push(page);
        }
    }
    pages.push(site.index(&places, &counts, RunsLeftOut::default(), language));
    Ok(pages)
}

/// Every page has a path of its own, that leads out of no folder and that every system can write.
fn check_site(pages: &[Page]) {
    let mut paths = BTreeSet::new();
    for Page { path, text } in pages {
        let is_plain = |part: &str| {
            let is_kept = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !part.is_empty() && !part.starts_with('.') && part.len() < 100 && part.chars().all(is_kept)
        };
        assert!(path.split('/').all(is_plain), "{path}");
        assert!(paths.insert(path.to_lowercase()), "{path} twice");
        checks::site_page(text);
    }
}
