//! Groups published documents and imports by device.

use std::collections::{BTreeMap, BTreeSet};

use super::question::{Libraries, RankingQuestion};
use crate::published;
use crate::{KnownRun, KnownRuns, Store, StoreError};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Instructions;
use kasoku_model::document::{Document, Series};
use kasoku_model::name::plain;

/// Minimum number of figures that an import must have in common with a published device to count as that device. Its
/// other figures must not differ. So many figures do not agree by chance.
pub const ENOUGH: usize = 3;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Device {
    pub(super) published: Option<&'static Document>,
    pub(super) imports: Vec<Import>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// Index in [`KnownRuns::runs`].
    pub(super) place: usize,
    /// Whether the import is the published measurement: all shared figures are equal.
    pub(super) is_published: bool,
}

/// Returns the published devices, then those that were only imported.
pub(super) fn all(store: Option<&Store>, known: &KnownRuns) -> Result<Vec<Device>, StoreError> {
    let documents = published::documents();
    let mut devices: Vec<Device> =
        documents.iter().map(|document| Device { published: Some(document), imports: Vec::new() }).collect();
    let is_import = |run: &KnownRun| run.origin.is_some() && run.complete;
    let imports: Vec<usize> = (0..known.runs.len()).filter(|place| is_import(&known.runs[*place])).collect();
    if imports.is_empty() {
        return Ok(devices);
    }

    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for (device, document) in documents.iter().enumerate() {
        for name in names(document) {
            by_name.entry(name).or_insert(device);
        }
    }
    let by_figures = match store {
        Some(store) => by_figures(store, known, &imports.iter().copied().collect())?,
        None => BTreeMap::new(),
    };
    for place in imports {
        let name = plain(known.machines[known.runs[place].machine].label());
        let same = by_figures.get(&place).copied();
        let device = same.or_else(|| by_name.get(&name).copied()).unwrap_or(devices.len());
        if device == devices.len() {
            devices.push(Device::default());
            if !name.is_empty() {
                by_name.insert(name, device);
            }
        }
        devices[device].imports.push(Import { place, is_published: same.is_some() });
    }
    Ok(devices)
}

/// Returns all names of a published device in [`plain`] form.
fn names(document: &Document) -> BTreeSet<String> {
    let machine = published::machine(document).map(|(_, machine)| machine);
    let aliases = machine.into_iter().flat_map(|machine| machine.aliases.iter().chain([&machine.id]));
    let own = document.machine.name.iter().chain([&document.machine.cpu]);
    own.chain(aliases).map(|name| plain(name)).filter(|name| !name.is_empty()).collect()
}

/// Whether two figures are equal, apart from rounding errors of floating-point arithmetic.
pub(super) fn is_same(left: f64, right: f64) -> bool {
    (left - right).abs() <= left.abs().max(right.abs()) * 1e-12
}

/// Returns, for each import whose figures equal those of a published device, that device.
fn by_figures(
    store: &Store,
    known: &KnownRuns,
    imports: &BTreeSet<usize>,
) -> Result<BTreeMap<usize, usize>, StoreError> {
    let documents = published::documents();
    let mut workloads: BTreeMap<_, Vec<(usize, f64)>> = BTreeMap::new();
    for (device, document) in documents.iter().enumerate() {
        for Series { algorithm, operation, bytes, library, acceleration, median, .. } in &document.series {
            let workload = (*algorithm, *operation, *bytes, library, *acceleration);
            workloads.entry(workload).or_default().extend(median.map(|median| (device, median)));
        }
    }
    let mut agreed: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for ((algorithm, operation, bytes, library, acceleration), published) in workloads {
        // Without instructions for the algorithm, on and off are the same.
        let is_either = algorithm.instructions() == Instructions::None;
        let states = if is_either { vec![Acceleration::On, Acceleration::Off] } else { vec![acceleration] };
        for acceleration in states {
            let libraries = Libraries::Only(library.clone());
            let question = RankingQuestion { algorithm, operation, bytes, libraries, acceleration };
            for figure in store.figures(&question, Some(bytes))? {
                let Some(place) = known.place(&figure).filter(|place| imports.contains(place)) else { continue };
                for (device, median) in &published {
                    let (same, other) = agreed.entry((place, *device)).or_default();
                    *if is_same(*median, figure.median) { same } else { other } += 1;
                }
            }
        }
    }
    let is_one = |(same, other): (usize, usize)| same >= ENOUGH && other == 0;
    Ok(agreed.into_iter().filter(|(_, counts)| is_one(*counts)).map(|((place, device), _)| (place, device)).collect())
}
