//! A site of every known machine: pages that need no server, with links that last.
//!
//! English stands at the root, Japanese in `ja`, with the same paths in both; the runs' documents are in `run`, once.
//! Each page is one file. It fetches nothing and runs one script, its own, that sorts and searches tables; without it
//! everything is still there.

mod address;
mod algorithm;
mod index;
mod layout;
mod library;
mod machine;
mod worth;

use std::collections::{BTreeSet, HashMap};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Unit;
use kasoku_store::collection::{FigureSource, KnownMachine, LeftOut, Ranking, RankingQuestion, RankingRow, Workloads};

use crate::visible::short;
use address::Addresses;
pub use index::MAIN;

/// Rows that one table has at most: a page of more is slow on a telephone.
const MAX_ROWS: usize = 500;

/// Characters of a name.
const NAME: usize = 48;

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its path from the site's root, with `/` between its parts.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// What the pages have in common: every machine, algorithm and library with its address.
#[derive(Debug)]
pub struct Site<'c> {
    machines: Vec<SiteMachine<'c>>,
    workloads: Workloads,
    libraries: Vec<(String, String)>,
    runs: HashMap<String, Run>,
}

/// A machine of the site.
#[derive(Clone, Debug)]
pub struct SiteMachine<'c> {
    /// What is known of it.
    pub known: KnownMachine<'c>,
    /// The name of its microarchitecture, where a run tells it.
    pub generation: Option<String>,
    address: String,
}

/// A run or a published document, and whose it is.
#[derive(Debug)]
struct Run {
    machine: usize,
    address: String,
}

/// All figures of one algorithm.
#[derive(Clone, Debug)]
pub struct AlgorithmFigures {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Its operations, each at the size that most machines have.
    pub operations: Vec<OperationFigures>,
}

/// All figures of one operation.
#[derive(Clone, Debug)]
pub struct OperationFigures {
    /// The machines by their fastest library.
    pub fastest: Ranking,
    /// Those without a figure at that size.
    pub left_out: LeftOut,
    /// The machines by each library.
    pub libraries: Vec<StateRankings>,
}

/// The machines by one library, with acceleration on and off.
#[derive(Clone, Debug)]
pub struct StateRankings {
    /// The library.
    pub library: String,
    /// With acceleration on.
    pub on: Ranking,
    /// With acceleration off.
    pub off: Ranking,
}

/// The place of a machine in a ranking.
#[derive(Clone, Debug)]
pub struct MachinePlace {
    question: RankingQuestion,
    unit: Unit,
    place: usize,
    count: usize,
    figure: f64,
    library: String,
}

/// The places of each machine, in the order of the site's machines.
pub type MachinePlaces = Vec<Vec<MachinePlace>>;

impl<'c> Site<'c> {
    /// The site of these machines and workloads.
    pub fn new(machines: Vec<(KnownMachine<'c>, Option<String>)>, workloads: Workloads) -> Self {
        let mut names = Addresses::default();
        let mut documents = Addresses::default();
        let mut runs = HashMap::new();
        let mut add = |id: &str, machine: usize| {
            let address = documents.of(id, id);
            runs.insert(id.to_owned(), Run { machine, address });
        };
        let mut site = Vec::new();
        for (known, generation) in machines {
            known.published.iter().for_each(|document| add(&document.run.id, site.len()));
            known.runs.iter().for_each(|run| add(&run.id, site.len()));
            // Two machines that go by one name are told apart by what else they are.
            let address = match (known.published, known.identity) {
                (Some(document), _) => names.of(&document.run.id, &document.run.id),
                (None, identity) => names.with_mark(known.label(), &format!("{identity:?}")),
            };
            site.push(SiteMachine { known, generation, address });
        }
        let libraries: BTreeSet<&String> = workloads.values().flatten().collect();
        let mut names = Addresses::default();
        let libraries = libraries.into_iter().map(|name| (name.clone(), names.of(name, name))).collect();
        Site { machines: site, workloads, libraries, runs }
    }

    /// The machines, in the order of the pages.
    pub fn machines(&self) -> &[SiteMachine<'c>] {
        &self.machines
    }

    /// What has figures.
    pub fn workloads(&self) -> &Workloads {
        &self.workloads
    }

    /// The libraries.
    pub fn libraries(&self) -> impl Iterator<Item = &str> {
        self.libraries.iter().map(|(name, _)| name.as_str())
    }

    /// Where the document of a run stands; `None` of a run that the site does not know.
    pub fn document_path(&self, run: &str) -> Option<String> {
        Some(format!("run/{}.json", self.runs.get(run)?.address))
    }

    /// Adds the place of each machine in these rankings.
    pub fn rank(&self, figures: &AlgorithmFigures, places: &mut MachinePlaces) {
        places.resize_with(self.machines.len(), Vec::new);
        for OperationFigures { fastest, .. } in &figures.operations {
            let mut done = BTreeSet::new();
            for row in &fastest.rows {
                let Some(machine) = self.machine_of(row).filter(|machine| done.insert(*machine)) else { continue };
                places[machine].push(MachinePlace {
                    question: fastest.question.clone(),
                    unit: fastest.unit,
                    place: row.place,
                    count: fastest.rows.len(),
                    figure: row.figure,
                    library: row.library.clone(),
                });
            }
        }
    }

    /// Whose figure a row has.
    fn machine_of(&self, row: &RankingRow) -> Option<usize> {
        row.sources.iter().find_map(|source| Some(self.runs.get(FigureSource::run(source))?.machine))
    }
}

impl SiteMachine<'_> {
    fn name(&self, unnamed: &str) -> String {
        let label = self.known.label();
        if label.is_empty() { unnamed.to_owned() } else { short(label, NAME) }
    }

    /// Its generation, or what is known of its CPU instead.
    fn generation_or_cpu(&self) -> String {
        short(self.generation.as_deref().unwrap_or(self.cpu()), NAME)
    }

    fn cpu(&self) -> &str {
        match (self.known.identity, self.known.published) {
            (Some(identity), _) => &identity.cpu,
            (None, published) => published.map_or("", |document| &document.machine.cpu),
        }
    }

    fn arch(&self) -> &str {
        match (self.known.identity, self.known.published) {
            (Some(identity), _) => &identity.arch,
            (None, published) => published.map_or("", |document| &document.machine.arch),
        }
    }
}
