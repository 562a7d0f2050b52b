//! What a user names: a stored run, or a published device.

use std::path::Path;

use super::Failure;
use kasoku_model::document::Document;
use kasoku_model::printable::printable;
use kasoku_store::published;
use kasoku_store::{Store, StoreError, location};

/// The run of that name in the store (its name, a beginning that no other has, `last` or `last-N`), else the published
/// device of that name.
///
/// # Errors
/// If there is neither, or the store cannot be read.
pub fn document(name: &str, store: Option<&Path>) -> Result<Document, Failure> {
    let stored = || -> Result<Document, StoreError> {
        let store = Store::open_existing(&location::locate(store)?)?;
        store.load(&store.find(name)?)
    };
    match stored() {
        Ok(document) => Ok(document),
        // A published device can be shown whatever is stored; but a damaged store is reported.
        Err(error) if is_absent(&error) => published_device(name).cloned().ok_or_else(|| {
            Failure::new(format!("{error}; nor is \"{}\" a published device (kasoku rank shows them)", printable(name)))
        }),
        Err(error) => Err(error.into()),
    }
}

/// The published device of that name, CPU or alias, whatever its capitals and spaces.
pub fn published_device(name: &str) -> Option<&'static Document> {
    let wanted = plain(name);
    let is_called = |document: &&&Document| {
        let machine = published::machine(document).map(|(_, machine)| machine);
        let aliases = machine.into_iter().flat_map(|machine| machine.aliases.iter().map(String::as_str));
        let ids = machine.map(|machine| machine.id.as_str());
        let own = [document.run.id.as_str(), document.machine.label()];
        own.into_iter().chain(ids).chain(aliases).any(|other| plain(other) == wanted)
    };
    if wanted.is_empty() {
        None
    } else {
        published::documents().iter().collect::<Vec<_>>().iter().find(is_called).copied()
    }
}

fn is_absent(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Missing { .. } | StoreError::NoPlace | StoreError::Empty { .. } | StoreError::UnknownRun { .. }
    )
}

/// A name without what people write differently.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_devices_go_by_their_names() {
        for document in published::documents() {
            assert!(published_device(&document.run.id).is_some(), "{}", document.run.id);
            assert!(published_device(&document.machine.label().to_uppercase()).is_some());
        }
        assert!(published_device("a machine nobody has").is_none());
        assert!(published_device(" ").is_none());
    }
}
