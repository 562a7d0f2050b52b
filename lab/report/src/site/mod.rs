//! A site of all known machines. Its pages need no server, and their addresses are permanent.
//! [`crate::render::site_page`] makes files of them.
//!
//! English is at the root, other languages in folders named by their tags, with the same paths inside. The JSON of runs
//! and published devices is in `run` and `published`, once for all languages.

mod address;
mod algorithm;
mod index;
mod library;
mod machine;
mod worth;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kasoku_model::document::Machine;
use kasoku_store::collection::{
    FigureSource, KnownMachine, LeftOut, MachineIdentity, Ranking, RankingQuestion, RankingRow, StatePairs, Workloads,
};

use crate::collection::{device, size_of};
use crate::page::RunReport;
use crate::prelude::*;
use crate::quantity::figure;
use crate::selection::operation;
use address::Addresses;
pub use address::DocumentPaths;
pub use index::MAIN;

/// Maximum number of rows in a table: longer pages are slow on phones.
const MAX_ROWS: usize = 500;

/// Maximum number of libraries in a table. The limit protects the site from runs with thousands of names.
pub const MAX_LIBRARIES: usize = 24;

/// Maximum width of a name, in columns.
const NAME: usize = 48;

/// Placeholder for the site's root in links to documents, since the path to the root depends on the language.
pub(crate) const DOCUMENT: &str = "document:";

#[derive(Clone, Debug, Default)]
pub struct SitePage {
    /// Folder of the page; `None` for the first page.
    pub(crate) folder: Option<&'static str>,
    pub(crate) name: String,
    pub(crate) title: Text,
    pub(crate) about: Text,
    /// Reports of runs on the page. The header of a single run replaces the page's header.
    pub(crate) runs: Vec<RunReport>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) sections: Vec<Section>,
}

pub(crate) const FOLDERS: [&str; 3] = [MACHINES, ALGORITHMS, LIBRARIES];
const MACHINES: &str = "machine";
const ALGORITHMS: &str = "algorithm";
const LIBRARIES: &str = "library";

/// Prefix of links on pages that are in a folder.
const IN_FOLDER: &str = "../";

#[derive(Debug)]
pub struct Site<'c> {
    /// An index into the machines identifies a machine in other functions.
    pub machines: Vec<SiteMachine<'c>>,
    pub workloads: Workloads,
    /// File name of the page of each library.
    libraries: BTreeMap<String, String>,
    /// Index of a run's machine, by run id.
    runs: HashMap<String, usize>,
    /// Index of a published document's machine, by document id.
    published: HashMap<String, usize>,
    documents: DocumentPaths,
}

#[derive(Clone, Debug)]
pub struct SiteMachine<'c> {
    pub known: KnownMachine<'c>,
    /// Name of the microarchitecture, if a run of the machine states it.
    pub generation: Option<String>,
    address: String,
}

/// Figures of an operation, at the size that most machines have.
#[derive(Clone, Debug)]
pub struct OperationFigures {
    /// Ranking of machines by their fastest library.
    pub fastest: Ranking,
    pub left_out: LeftOut,
    /// Rankings of machines for each library with acceleration on. The library with the most machines comes first.
    pub libraries: Vec<Ranking>,
    /// Number of libraries, including libraries beyond [`MAX_LIBRARIES`].
    pub library_count: usize,
    pub pairs: Vec<StatePairs>,
}

#[derive(Clone, Debug)]
pub struct LibraryFigures {
    pub on: Ranking,
    pub pairs: StatePairs,
}

/// Number of algorithms of each library that has a page.
pub type LibraryCounts = BTreeMap<String, usize>;

#[derive(Clone, Debug)]
pub struct MachinePlace {
    question: RankingQuestion,
    place: usize,
    count: usize,
    figure: f64,
    library: String,
}

/// Places of machines in rankings, in the order of the site's machines.
pub type MachinePlaces = Vec<Vec<MachinePlace>>;

impl<'c> Site<'c> {
    /// Creates a site of `machines`, each with the name of its microarchitecture.
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

    pub fn libraries(&self) -> impl Iterator<Item = &str> {
        self.libraries.keys().map(String::as_str)
    }

    /// Adds to `places` the place of each machine in the ranking `fastest`.
    pub fn rank(&self, fastest: &Ranking, places: &mut MachinePlaces) {
        places.resize_with(self.machines.len(), Vec::new);
        // A device with two measurements has two rows, and one place.
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
                place: place.1,
                count: first.len(),
                figure: row.figure,
                library: row.library.clone(),
            });
        }
    }

    fn machine_cell(&self, machine: usize, root: &str) -> Cell {
        let machine = &self.machines[machine];
        Cell::linked(machine.name(), Some(link(root, MACHINES, &machine.address)))
    }

    fn library_cell(&self, library: &str, root: &str) -> Cell {
        let page = self.libraries.get(library).map(|address| link(root, LIBRARIES, address));
        Cell::linked(short(library, 30), page)
    }

    /// Returns the rows of a ranking with their machines, fastest first.
    fn rows<'r>(&self, ranking: &'r Ranking) -> impl Iterator<Item = (usize, &'r RankingRow)> {
        ranking.rows.iter().filter_map(|row| Some((self.machine_of(row)?, row)))
    }

    fn machine_of(&self, row: &RankingRow) -> Option<usize> {
        let document = |source: &FigureSource| match source {
            FigureSource::Published { run, .. } => self.published.get(run),
            FigureSource::Measured { run, .. } | FigureSource::Imported { run, .. } => self.runs.get(run),
        };
        row.sources.iter().find_map(document).copied()
    }
}

/// Returns a row for each machine with an item. The row has the machine's first item of each column.
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

fn sorted(table: Table) -> Block {
    Block::Class("sorted", vec![Block::Table(table)])
}

fn searched(table: Table) -> Block {
    Block::Class("sorted searched", vec![Block::Table(table)])
}

/// Returns a note that a table has only the first `shown` of `all` rows; `None` if it has all rows.
fn most(shown: usize, all: usize) -> Option<Text> {
    (all > shown).then(|| say!("site-most", shown = shown, all = all))
}

fn workload_columns<'i, I>(
    table: TableBuilder<'i, I>,
    root: &str,
    place: impl Fn(&'i I) -> &'i MachinePlace + Copy,
) -> TableBuilder<'i, I> {
    table
        .words(say!("site-algorithm"), |row| {
            let algorithm = place(row).question.algorithm;
            Cell::linked(algorithm.title(), Some(link(root, ALGORITHMS, algorithm.name())))
        })
        .words(say!("site-operation"), |row| operation(place(row).question.operation))
        .words(say!("site-size"), |row| {
            let question = &place(row).question;
            let size = Cell::from(size_of(question));
            if size.value.is_empty() { size } else { size.sorted_by(question.bytes) }
        })
}

/// Formats the size and the unit for the heading of a column.
fn column(question: &RankingQuestion, unit: &str) -> Text {
    Text::list(Separator::Dot, [size_of(question), unit.into()])
}

fn figure_cell(place: &MachinePlace) -> Cell {
    Cell::from(figure(place.figure, place.question.unit())).sorted_by(place.figure)
}

fn link(root: &str, folder: &str, name: &str) -> String {
    format!("{root}{folder}/{name}.html")
}

/// Returns a text that distinguishes the machine from machines with the same name. The text stays the same while the
/// machine is in the store.
fn identity(known: &KnownMachine<'_>) -> String {
    let kind = if known.is_measured() { "measured" } else { "imported" };
    let Some(identity) = known.identity else { return kind.to_owned() };
    let MachineIdentity { name, cpu, arch, cores, hypervisor } = identity;
    let some = |text: &Option<String>| text.clone().unwrap_or_default();
    // Names cannot contain the line breaks between the fields.
    [kind, &some(name), cpu, arch, &cores.to_string(), &some(hypervisor)].join("\n")
}

impl SiteMachine<'_> {
    fn name(&self) -> Text {
        device(self.known.label())
    }

    fn generation_or_cpu(&self) -> String {
        short(self.generation.as_deref().unwrap_or(self.cpu()), NAME)
    }

    fn cpu(&self) -> &str {
        self.told(|identity| &identity.cpu, |machine| &machine.cpu)
    }

    fn arch(&self) -> &str {
        self.told(|identity| &identity.arch, |machine| &machine.arch)
    }

    /// Returns a property of the machine from its runs, or else from its published document.
    fn told(&self, runs: fn(&MachineIdentity) -> &str, published: fn(&Machine) -> &str) -> &str {
        let KnownMachine { identity, published: document, .. } = &self.known;
        let told = identity.map(runs).filter(|told| !told.is_empty());
        told.or_else(|| document.map(|document| published(&document.machine))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
