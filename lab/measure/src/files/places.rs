//! The places that a plan needs, and the texts in them.

use std::collections::BTreeMap;

use super::cache;
use super::omission_of_place;
use super::pair::FilePair;
use super::place::ScratchFiles;
use super::size_name;
use crate::plan::{FilesPlan, Plan};
use kasoku_model::document::Omission;
use kasoku_model::workload::files::Storage;

/// The places that could be had.
pub(super) struct Places(BTreeMap<Storage, ScratchFiles>);

impl Places {
    /// Opens those that `plan` needs; and says why some cannot be had.
    pub(super) fn open(plan: &Plan, files: &FilesPlan) -> (Places, Vec<Omission>) {
        let (mut places, mut omissions) = (BTreeMap::new(), Vec::new());
        for storage in [Storage::File, Storage::Memory] {
            let is_needed =
                |item: &crate::plan::Item| item.workload.files().is_some_and(|files| files.storage == storage);
            if !plan.items.iter().any(is_needed) {
                continue;
            }
            let place = match storage {
                Storage::File => ScratchFiles::on(&files.dir),
                Storage::Memory => ScratchFiles::in_memory(),
            };
            match place {
                Ok(place) => {
                    places.insert(storage, place);
                }
                Err(error) => {
                    let place = match storage {
                        Storage::File => files.dir.display().to_string(),
                        Storage::Memory => "memory".to_owned(),
                    };
                    omissions.push(omission_of_place(format!("cannot create files in {place}: {error}")));
                }
            }
        }
        (Places(places), omissions)
    }

    /// That of `storage`.
    pub(super) fn get(&self, storage: Storage) -> Option<&ScratchFiles> {
        self.0.get(&storage)
    }

    /// Makes the texts of `bytes` that `pairs` work on; without the pairs for which there is no place, and why.
    pub(super) fn make_texts(&self, bytes: usize, mut pairs: Vec<FilePair>) -> (Vec<FilePair>, Vec<Omission>) {
        let mut omissions = Vec::new();
        for storage in [Storage::File, Storage::Memory] {
            if !pairs.iter().any(|pair| pair.files.storage == storage) {
                continue;
            }
            let is_there = self.get(storage).is_some_and(|place| match place.lacks_room(bytes) {
                Some(why) => {
                    omissions.push(omission_of_place(format!("files of {} do not fit: {why}", size_name(bytes))));
                    false
                }
                None => match place.make_text(bytes) {
                    Ok(()) => true,
                    Err(error) => {
                        place.clear();
                        omissions.push(omission_of_place(format!(
                            "cannot create files of {} in {}: {error}",
                            size_name(bytes),
                            place.storage().name()
                        )));
                        false
                    }
                },
            });
            pairs.retain(|pair| is_there || pair.files.storage != storage);
        }
        (pairs, omissions)
    }

    /// Brings the texts into the page cache.
    pub(super) fn warm(&self) {
        for place in self.0.values() {
            let _ = cache::warm(&place.text.file); // what cannot be read fails when it is measured, and is told there
        }
    }

    /// Lets go of what the files hold.
    pub(super) fn clear(&self) {
        self.0.values().for_each(ScratchFiles::clear);
    }
}
