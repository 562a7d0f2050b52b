//! Gathers the figures for the site's pages from the store and from publications.

use std::collections::{BTreeMap, HashMap};

use super::Failure;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::workload::Operation;
use kasoku_report::collection::{MAX_RUNS, followed};
use kasoku_report::site::{DocumentPaths, LibraryFigures, MAIN, MAX_LIBRARIES, MachinePlaces, OperationFigures, Site};
use kasoku_store::collection::{Collection, History, KnownMachine, Ranking, RankingQuestion};
use kasoku_store::{MachineIdentity, Store, StoreError};

pub(super) fn site<'c>(
    collection: &'c Collection<'_>,
    store: Option<&Store>,
    documents: DocumentPaths,
) -> Result<Site<'c>, StoreError> {
    let mut machines = Vec::new();
    for known in collection.machines() {
        let generation = generation(&known, store);
        machines.push((known, generation));
    }
    Ok(Site::new(machines, collection.workloads()?, documents))
}

/// Returns the name of the CPU's microarchitecture, such as `Zen 4`, from the machine's newest run or else from its
/// publication.
fn generation(known: &KnownMachine<'_>, store: Option<&Store>) -> Option<String> {
    let of_run = known.runs.first().zip(store).and_then(|(run, store)| store.machine_of(run).ok().flatten());
    let published = known.published.map(|document| &document.machine);
    of_run.as_ref().into_iter().chain(published).find_map(|machine| machine.generation()).map(str::to_owned)
}

/// Returns the rank of each machine in the ranking of each workload.
pub(super) fn places(collection: &Collection<'_>, site: &Site<'_>) -> Result<MachinePlaces, StoreError> {
    let mut places = MachinePlaces::default();
    for (algorithm, operation) in site.workloads.keys() {
        site.rank(&fastest(collection, *algorithm, *operation)?, &mut places);
    }
    Ok(places)
}

/// Iterates over the figures of each algorithm by operation, so that only those of one algorithm are in memory.
pub(super) fn algorithms<'s>(
    collection: &'s Collection<'_>,
    site: &'s Site<'_>,
) -> impl Iterator<Item = Result<Vec<OperationFigures>, StoreError>> + 's {
    let mut operations: BTreeMap<Algorithm, Vec<Operation>> = BTreeMap::new();
    for (algorithm, operation) in site.workloads.keys() {
        operations.entry(*algorithm).or_default().push(*operation);
    }
    operations.into_iter().map(move |(algorithm, operations)| {
        operations.into_iter().map(|operation| of_operation(collection, algorithm, operation)).collect()
    })
}

/// Ranks machines by their fastest library, at the size that most machines have.
fn fastest(collection: &Collection<'_>, algorithm: Algorithm, operation: Operation) -> Result<Ranking, StoreError> {
    let any = RankingQuestion { operation, library: None, ..RankingQuestion::new(algorithm) };
    let bytes = collection.usual_bytes(&any)?;
    collection.ranking(&any.at(bytes), None)
}

fn of_operation(
    collection: &Collection<'_>,
    algorithm: Algorithm,
    operation: Operation,
) -> Result<OperationFigures, StoreError> {
    let fastest = fastest(collection, algorithm, operation)?;
    let any = &fastest.question;
    let in_pairs = any.clone().at(collection.usual_bytes_of_pairs(any)?);
    let mut libraries = collection.libraries_by_machines(any)?;
    let library_count = libraries.len();
    libraries.truncate(MAX_LIBRARIES);
    let for_library = |question: &RankingQuestion, library: &String| RankingQuestion {
        library: Some(library.clone()),
        ..question.clone()
    };
    Ok(OperationFigures {
        left_out: collection.left_out(any)?,
        library_count,
        pairs: libraries.iter().map(|one| collection.pairs(&for_library(&in_pairs, one))).collect::<Result<_, _>>()?,
        libraries: libraries
            .iter()
            .map(|one| collection.ranking(&for_library(any, one), None))
            .collect::<Result<_, _>>()?,
        fastest,
    })
}

/// Returns the figures of a library for each of its algorithms: AEADs first, then by kind, with the main algorithms
/// first.
pub(super) fn library(
    collection: &Collection<'_>,
    site: &Site<'_>,
    library: &str,
) -> Result<Vec<LibraryFigures>, StoreError> {
    let mut figures: Vec<LibraryFigures> = Vec::new();
    let of_library = site.workloads.iter().filter(|(_, libraries)| libraries.contains(library));
    let mut algorithms: Vec<Algorithm> = of_library.map(|((algorithm, _), _)| *algorithm).collect();
    algorithms.dedup();
    let rank = |algorithm: &Algorithm| MAIN.iter().position(|main| main == algorithm).unwrap_or(MAIN.len());
    let is_aead = |algorithm: &Algorithm| algorithm.kind() == AlgorithmKind::Aead;
    algorithms.sort_by_key(|one| (!is_aead(one), one.kind(), rank(one)));
    for algorithm in algorithms {
        // Uses the first operation with figures, because some libraries only open or decrypt.
        for operation in Operation::of(algorithm.kind()) {
            let library = Some(library.to_owned());
            let question = RankingQuestion { operation: *operation, library, ..RankingQuestion::new(algorithm) };
            let bytes = collection.usual_bytes(&question)?;
            let on = collection.ranking(&question.clone().at(bytes), None)?;
            if !on.rows.is_empty() {
                let bytes = collection.usual_bytes_of_pairs(&question)?;
                figures.push(LibraryFigures { on, pairs: collection.pairs(&question.at(bytes))? });
                break;
            }
        }
    }
    Ok(figures)
}

/// Returns the history of the main workloads for each measured machine.
pub(super) fn histories<'c>(
    collection: &'c Collection<'_>,
) -> Result<HashMap<&'c MachineIdentity, Vec<History>>, Failure> {
    let mut of_machine: HashMap<&MachineIdentity, Vec<History>> = HashMap::new();
    let identities: HashMap<&MachineIdentity, &MachineIdentity> =
        collection.machines().into_iter().filter_map(|known| known.identity).map(|one| (one, one)).collect();
    for question in followed() {
        for history in collection.histories(&question, MAX_RUNS)? {
            let identity = identities.get(&history.machine).copied();
            if let Some(identity) = identity {
                of_machine.entry(identity).or_default().push(history);
            }
        }
    }
    Ok(of_machine)
}
