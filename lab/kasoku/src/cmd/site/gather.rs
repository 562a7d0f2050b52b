//! What the pages of the site show, from the store and from publications.

use std::collections::{BTreeMap, HashMap};

use super::Failure;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Machine;
use kasoku_model::workload::Operation;
use kasoku_report::html::{MAX_RUNS, followed};
use kasoku_report::site::{AlgorithmFigures, MAIN, OperationFigures, Site, StateRankings};
use kasoku_store::collection::{Collection, History, KnownMachine, Libraries, RankingQuestion};
use kasoku_store::{MachineIdentity, Store, StoreError};

/// Algorithms that the page of a library has columns for.
const COLUMNS: usize = 12;

/// Every machine, with its CPU's generation.
pub(super) fn site<'c>(collection: &'c Collection<'_>, store: Option<&Store>) -> Result<Site<'c>, StoreError> {
    let mut machines = Vec::new();
    for known in collection.machines() {
        let generation = generation(&known, store);
        machines.push((known, generation));
    }
    Ok(Site::new(machines, collection.workloads()?))
}

/// By its newest run, if that can be read.
fn generation(known: &KnownMachine<'_>, store: Option<&Store>) -> Option<String> {
    let machine = store?.machine_of(known.runs.first()?).ok()?;
    machine.generation().map(str::to_owned)
}

/// The figures of every algorithm, one after the other, so that no more than one is in memory.
pub(super) fn algorithms<'s>(
    collection: &'s Collection<'_>,
    site: &'s Site<'_>,
) -> impl Iterator<Item = Result<AlgorithmFigures, StoreError>> + 's {
    let mut operations: BTreeMap<Algorithm, Vec<Operation>> = BTreeMap::new();
    for (algorithm, operation) in site.workloads().keys() {
        operations.entry(*algorithm).or_default().push(*operation);
    }
    operations.into_iter().map(move |(algorithm, operations)| {
        let operations = operations.into_iter().map(|operation| of_operation(collection, site, algorithm, operation));
        Ok(AlgorithmFigures { algorithm, operations: operations.collect::<Result<_, _>>()? })
    })
}

fn of_operation(
    collection: &Collection<'_>,
    site: &Site<'_>,
    algorithm: Algorithm,
    operation: Operation,
) -> Result<OperationFigures, StoreError> {
    let any = RankingQuestion { operation, libraries: Libraries::Any, ..RankingQuestion::new(algorithm) };
    let bytes = collection.usual_bytes(&any)?;
    let any = any.at(bytes);
    let libraries = site.workloads().get(&(algorithm, operation)).into_iter().flatten();
    Ok(OperationFigures {
        fastest: collection.ranking(&any, &Machine::default())?,
        left_out: if any.has_sizes() { collection.left_out(&any)? } else { Default::default() },
        libraries: libraries.map(|library| by_library(collection, &any, library)).collect::<Result<_, _>>()?,
    })
}

fn by_library(
    collection: &Collection<'_>,
    question: &RankingQuestion,
    library: &str,
) -> Result<StateRankings, StoreError> {
    let of = |acceleration| {
        let libraries = Libraries::Only(library.to_owned());
        collection.ranking(&RankingQuestion { acceleration, libraries, ..question.clone() }, &Machine::default())
    };
    Ok(StateRankings { library: library.to_owned(), on: of(Acceleration::On)?, off: of(Acceleration::Off)? })
}

/// The figures of a library: the main operations of the algorithms it has, those that machines are compared by
/// first, then ciphers and hashes.
pub(super) fn library(
    collection: &Collection<'_>,
    site: &Site<'_>,
    library: &str,
) -> Result<Vec<StateRankings>, StoreError> {
    let mut questions: Vec<RankingQuestion> = Vec::new();
    for ((algorithm, operation), libraries) in site.workloads() {
        let main = RankingQuestion::new(*algorithm);
        if main.operation == *operation && libraries.contains(library) {
            questions.push(main);
        }
    }
    let rank = |question: &RankingQuestion| MAIN.iter().position(|main| *main == question.algorithm);
    questions.sort_by_key(|question| (rank(question).unwrap_or(MAIN.len()), !question.has_sizes()));
    questions.truncate(COLUMNS);
    questions.iter().map(|question| by_library(collection, question, library)).collect()
}

/// The main workloads of every measured machine over its newest runs.
pub(super) fn histories<'c>(
    collection: &'c Collection<'_>,
) -> Result<HashMap<&'c MachineIdentity, Vec<History>>, Failure> {
    let mut of_machine: HashMap<&MachineIdentity, Vec<History>> = HashMap::new();
    let identities: HashMap<&MachineIdentity, &MachineIdentity> =
        collection.machines().into_iter().filter_map(|known| known.identity).map(|one| (one, one)).collect();
    for question in followed() {
        for history in collection.recent_histories(&question, MAX_RUNS)? {
            let identity = history.machine.as_ref().and_then(|machine| identities.get(machine).copied());
            if let Some(identity) = identity {
                of_machine.entry(identity).or_default().push(history);
            }
        }
    }
    Ok(of_machine)
}
