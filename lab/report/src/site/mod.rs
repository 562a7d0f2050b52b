//! A site of every known machine: pages that need no server, with links that last. [`crate::render::site_page`] makes
//! them files.
//!
//! English stands at the root, other languages in folders of their tags with the same paths; the runs' documents are in
//! `run` and the published ones in `published`, once.

mod address;
mod algorithm;
mod index;
mod library;
mod machine;
mod worth;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Machine, Unit};
use kasoku_store::collection::{
    FigureSource, KnownMachine, LeftOut, MachineIdentity, Ranking, RankingQuestion, RankingRow, StatePairs, Workloads,
};

use crate::block::{Block, Section};
use crate::collection::{device, size_of};
use crate::page::RunReport;
use crate::quantity::figure;
use crate::selection::operation;
use crate::table::{Cell, Table, TableBuilder};
use crate::text::{Separator, Text, say};
use crate::visible::short;
use address::Addresses;
pub use address::DocumentPaths;
pub use index::MAIN;

/// Maximum number of rows of a table: a page with more is slow on a telephone.
const MAX_ROWS: usize = 500;

/// Maximum number of libraries in a table: anybody can send a run with thousands of names.
pub const MAX_LIBRARIES: usize = 24;

/// Columns of a name.
const NAME: usize = 48;

/// First part of a link to a document, whose path begins at the site's root. The root is elsewhere in each language.
pub(crate) const DOCUMENT: &str = "document:";

/// A page of the site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SitePage {
    /// Its folder; `None` for the first page.
    pub(crate) folder: Option<Folder>,
    /// Its file, without ending.
    pub(crate) name: String,
    /// Its heading.
    pub(crate) title: Text,
    /// Text below the heading.
    pub(crate) about: Text,
    /// Runs with their headers and sections; the header of a single run is that of the page.
    pub(crate) runs: Vec<RunReport>,
    /// Blocks outside sections.
    pub(crate) blocks: Vec<Block>,
    /// Sections behind those of the runs.
    pub(crate) sections: Vec<Section>,
}

/// A folder of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folder {
    Machine,
    Algorithm,
    Library,
}

impl Folder {
    pub(crate) const ALL: [Folder; 3] = [Folder::Machine, Folder::Algorithm, Folder::Library];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Folder::Machine => "machine",
            Folder::Algorithm => "algorithm",
            Folder::Library => "library",
        }
    }
}

/// First part of the links of pages in folders; the first page has none.
const IN_FOLDER: &str = "../";

/// Every machine, algorithm and library, with the addresses of their pages.
#[derive(Debug)]
pub struct Site<'c> {
    machines: Vec<SiteMachine<'c>>,
    workloads: Workloads,
    libraries: Vec<(String, String)>,
    /// The machine of each run.
    runs: HashMap<String, usize>,
    /// The machine of each published document.
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

/// Number of algorithms of each library that has a page.
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
        let first: Vec<(usize, &RankingRow)> =
            self.rows(fastest).filter(|(machine, _)| done.insert(*machine)).collect();
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

    /// Returns a cell with a machine's name, linked to its page.
    fn machine_cell(&self, machine: usize, root: &str) -> Cell {
        let machine = &self.machines[machine];
        Cell::linked(machine.name(), Some(link(root, Folder::Machine, &machine.address)))
    }

    /// Returns a cell with a library's name, linked to its page if it has one.
    fn library_cell(&self, library: &str, root: &str) -> Cell {
        let page = self.libraries.iter().find(|(name, _)| name == library);
        Cell::linked(short(library, 30), page.map(|(_, address)| link(root, Folder::Library, address)))
    }

    /// Returns the rows of a ranking with their machines, the fastest first.
    fn rows<'r>(&self, ranking: &'r Ranking) -> impl Iterator<Item = (usize, &'r RankingRow)> {
        ranking.rows.iter().filter_map(|row| Some((self.machine_of(row)?, row)))
    }

    /// Returns the machine whose figure a row has.
    fn machine_of(&self, row: &RankingRow) -> Option<usize> {
        let document = |source: &FigureSource| match source {
            FigureSource::Published { run, .. } => self.published.get(run),
            FigureSource::Measured { run, .. } | FigureSource::Imported { run, .. } => self.runs.get(run),
        };
        row.sources.iter().find_map(document).copied()
    }
}

/// Returns a row for each machine, with its first item of each of `columns`.
fn by_machine<T: Copy>(
    columns: impl ExactSizeIterator<Item = impl Iterator<Item = (usize, T)>>,
) -> Vec<(usize, Vec<Option<T>>)> {
    let count = columns.len();
    let mut rows: BTreeMap<usize, Vec<Option<T>>> = BTreeMap::new();
    for (index, column) in columns.enumerate() {
        for (machine, item) in column {
            rows.entry(machine).or_insert_with(|| vec![None; count])[index].get_or_insert(item);
        }
    }
    rows.into_iter().collect()
}

/// Returns a table that readers can sort.
fn sorted(table: Table) -> Block {
    Block::Class("sorted", vec![Block::Table(table)])
}

/// Returns a table that readers can sort and search.
fn searched(table: Table) -> Block {
    Block::Class("sorted searched", vec![Block::Table(table)])
}

/// Returns that a table has only the first `shown` of `all` rows; `None` if it has all.
fn most(shown: usize, all: usize) -> Option<Text> {
    (all > shown).then(|| say!("site-most", shown = shown, all = all))
}

/// Adds algorithm, operation and size, which `place` finds in a row.
fn workload_columns<'i, I>(
    table: TableBuilder<'i, I>,
    root: &str,
    place: impl Fn(&'i I) -> &'i MachinePlace + Copy,
) -> TableBuilder<'i, I> {
    table
        .words(say!("site-algorithm"), |row| {
            let algorithm = place(row).question.algorithm;
            Cell::linked(algorithm.title(), Some(link(root, Folder::Algorithm, algorithm.name())))
        })
        .words(say!("site-operation"), |row| operation(place(row).question.operation))
        .words(say!("site-size"), |row| {
            let question = &place(row).question;
            let size = Cell::from(size_of(question));
            if size.value.is_empty() { size } else { size.sorted_by(question.bytes) }
        })
}

/// Returns the size and the unit of a column of figures.
fn column(question: &RankingQuestion, unit: &str) -> Text {
    Text::list(Separator::Dot, [size_of(question), unit.into()])
}

/// Returns the figure of a place, in a unit of its own.
fn figure_cell(place: &MachinePlace) -> Cell {
    Cell::from(figure(place.figure, place.unit)).sorted_by(place.figure)
}

fn link(root: &str, folder: Folder, name: &str) -> String {
    format!("{root}{}/{name}.html", folder.name())
}

/// Returns a text that tells a machine from others of its name, and stays the same while the machine is in the store.
fn identity(known: &KnownMachine<'_>) -> String {
    let kind = if known.is_measured() { "measured" } else { "imported" };
    let Some(identity) = known.identity else { return kind.to_owned() };
    let MachineIdentity { name, cpu, arch, cores, hypervisor } = identity;
    let some = |text: &Option<String>| text.clone().unwrap_or_default();
    // Line breaks keep the fields apart.
    [kind, &some(name), cpu, arch, &cores.to_string(), &some(hypervisor)].join("\n")
}

impl SiteMachine<'_> {
    fn name(&self) -> Text {
        device(self.known.label())
    }

    /// Returns its generation, or else its CPU's name.
    fn generation_or_cpu(&self) -> String {
        short(self.generation.as_deref().unwrap_or(self.cpu()), NAME)
    }

    fn cpu(&self) -> &str {
        self.told(|identity| &identity.cpu, |machine| &machine.cpu)
    }

    fn arch(&self) -> &str {
        self.told(|identity| &identity.arch, |machine| &machine.arch)
    }

    /// Returns what its runs say, or else what was published.
    fn told(&self, runs: fn(&MachineIdentity) -> &str, published: fn(&Machine) -> &str) -> &str {
        let KnownMachine { identity, published: document, .. } = &self.known;
        let told = identity.map(runs).filter(|told| !told.is_empty());
        told.or_else(|| document.map(|document| published(&document.machine))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
