//! A site of every known machine: pages that need no server, with links that last.
//!
//! English stands at the root, Japanese in `ja`, with the same paths in both; the runs' documents are in `run` and the
//! published ones in `published`, once. Each page is one file. It fetches nothing and runs one script, its own, that
//! sorts and searches tables; without it everything is still there.

mod address;
mod algorithm;
mod index;
mod layout;
mod library;
mod machine;
mod worth;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Machine, Unit};
use kasoku_store::collection::{
    FigureSource, KnownMachine, LeftOut, MachineIdentity, Ranking, RankingQuestion, RankingRow, StatePairs, Workloads,
};

use crate::quantity::size;
use crate::table::Cell;
use crate::visible::short;
use address::Addresses;
pub use address::DocumentPaths;
pub use index::MAIN;

/// Rows that one table has at most: a page of more is slow on a telephone.
const MAX_ROWS: usize = 500;

/// Libraries that one table has at most: anybody can send a run with thousands of names.
pub const MAX_LIBRARIES: usize = 24;

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
    /// Whose each run is, and each published document.
    runs: HashMap<String, usize>,
    published: HashMap<String, usize>,
    documents: DocumentPaths,
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
    /// The machines by each library with acceleration on, those of the most machines first.
    pub libraries: Vec<Ranking>,
    /// How many libraries there are, those included that are too many for a page.
    pub library_count: usize,
    /// Each of these libraries with acceleration on and off.
    pub pairs: Vec<StatePairs>,
}

/// The figures of one library in one algorithm.
#[derive(Clone, Debug)]
pub struct LibraryFigures {
    /// The machines by it with acceleration on.
    pub on: Ranking,
    /// With acceleration on and off.
    pub pairs: StatePairs,
}

/// How many algorithms each library has that has a page.
pub type LibraryCounts = BTreeMap<String, usize>;

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
    /// The site of these machines, workloads and documents.
    pub fn new(
        machines: Vec<(KnownMachine<'c>, Option<String>)>,
        workloads: Workloads,
        documents: DocumentPaths,
    ) -> Self {
        let mut names = Addresses::default();
        let (mut runs, mut published) = (HashMap::new(), HashMap::new());
        let mut site = Vec::new();
        for (known, generation) in machines {
            let machine = site.len();
            if let Some(document) = known.published {
                published.insert(document.run.id.clone(), machine);
            }
            runs.extend(known.runs.iter().map(|run| (run.id.clone(), machine)));
            let address = match known.published {
                Some(document) => names.of(&document.run.id, &document.run.id),
                None => names.with_mark(known.label(), &identity(&known)),
            };
            site.push(SiteMachine { known, generation, address });
        }
        let libraries: BTreeSet<&String> = workloads.values().flatten().collect();
        let mut names = Addresses::default();
        let libraries = libraries.into_iter().map(|name| (name.clone(), names.of(name, name))).collect();
        Site { machines: site, workloads, libraries, runs, published, documents }
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

    /// Adds the place of each machine in this ranking.
    pub fn rank(&self, fastest: &Ranking, places: &mut MachinePlaces) {
        places.resize_with(self.machines.len(), Vec::new);
        // A device with two measurements has two rows and one place.
        let mut done = BTreeSet::new();
        let rows = fastest.rows.iter().filter_map(|row| Some((self.machine_of(row)?, row)));
        let first: Vec<(usize, &RankingRow)> = rows.filter(|(machine, _)| done.insert(*machine)).collect();
        let mut place = (0, 0);
        for (index, (machine, row)) in first.iter().enumerate() {
            if row.place != place.0 {
                place = (row.place, index + 1);
            }
            places[*machine].push(MachinePlace {
                question: fastest.question.clone(),
                unit: fastest.unit,
                place: place.1,
                count: first.len(),
                figure: row.figure,
                library: row.library.clone(),
            });
        }
    }

    /// Whose figure a row has.
    fn machine_of(&self, row: &RankingRow) -> Option<usize> {
        let document = |source: &FigureSource| match source {
            FigureSource::Published { run, .. } => self.published.get(run),
            FigureSource::Measured { run, .. } | FigureSource::Imported { run, .. } => self.runs.get(run),
        };
        row.sources.iter().find_map(document).copied()
    }
}

/// The size of what was asked, if there are sizes.
fn size_of(question: &RankingQuestion) -> Option<Cell> {
    question.has_sizes().then(|| Cell::from(size(question.bytes)).sorted_by(question.bytes))
}

/// What tells a machine from others that go by its name, for as long as it is in the store.
fn identity(known: &KnownMachine<'_>) -> String {
    let kind = if known.is_measured() { "measured" } else { "imported" };
    let Some(identity) = known.identity else { return kind.to_owned() };
    let MachineIdentity { name, cpu, arch, cores, hypervisor } = identity;
    let some = |text: &Option<String>| text.clone().unwrap_or_default();
    // Line breaks keep the fields apart.
    [kind, &some(name), cpu, arch, &cores.to_string(), &some(hypervisor)].join("\n")
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
        self.told(|identity| &identity.cpu, |machine| &machine.cpu)
    }

    fn arch(&self) -> &str {
        self.told(|identity| &identity.arch, |machine| &machine.arch)
    }

    /// What its runs say, else what was published.
    fn told(&self, runs: fn(&MachineIdentity) -> &str, published: fn(&Machine) -> &str) -> &str {
        let KnownMachine { identity, published: document, .. } = &self.known;
        let told = identity.map(runs).filter(|told| !told.is_empty());
        told.or_else(|| document.map(|document| published(&document.machine))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
