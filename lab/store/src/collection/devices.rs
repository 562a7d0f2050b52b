//! Groups published documents and imports by device.

use std::collections::BTreeMap;

use crate::published;
use crate::{KnownRun, KnownRuns};
use kasoku_model::document::Document;
use kasoku_model::name::plain;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Device {
    pub(super) published: Option<&'static Document>,
    /// Imported runs of the device, as indices into [`KnownRuns::runs`].
    pub(super) imports: Vec<usize>,
}

/// Returns the published devices, then those that were only imported.
pub(super) fn all(known: &KnownRuns) -> Vec<Device> {
    let documents = published::documents();
    let mut devices: Vec<Device> =
        documents.iter().map(|document| Device { published: Some(document), imports: Vec::new() }).collect();
    let is_import = |run: &KnownRun| run.origin.is_some() && run.complete;
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for (device, document) in documents.iter().enumerate() {
        for name in published::names(document) {
            by_name.entry(name).or_insert(device);
        }
    }
    for (place, run) in known.runs.iter().enumerate().filter(|(_, run)| is_import(run)) {
        let name = plain(known.machines[run.machine].label());
        let device = by_name.get(&name).copied().unwrap_or(devices.len());
        if device == devices.len() {
            devices.push(Device::default());
            if !name.is_empty() {
                by_name.insert(name, device);
            }
        }
        devices[device].imports.push(place);
    }
    devices
}
