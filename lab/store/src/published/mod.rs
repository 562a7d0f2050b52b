//! Published figures: the files of the folder `published/`, one for each publication.
//!
//! A [`Publication`] holds machines, tables and stated figures as printed, with the [mistakes](Slip) found in them.
//! What the data model can express is also a [`Document`], one for each machine.

mod documents;
mod source;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use kasoku_model::document::Document;
use kasoku_model::name::plain;

pub use source::{
    About, Component, LocalizedText, Publication, PublishedCell, PublishedColumn, PublishedMachine, PublishedRow,
    PublishedTable, Slip, Statement, figure,
};

const FILES: [(&str, &str); 5] = [
    ("openssl-perf", include_str!("../../published/openssl-perf.toml")),
    ("aes-ni-story", include_str!("../../published/aes-ni-story.toml")),
    ("intel-aes-ni-java", include_str!("../../published/intel-aes-ni-java.toml")),
    ("fusion", include_str!("../../published/fusion.toml")),
    ("intel-aes-gcm-nginx", include_str!("../../published/intel-aes-gcm-nginx.toml")),
];

/// Returns every publication, in a fixed order.
pub fn sources() -> &'static [Publication] {
    static SOURCES: LazyLock<Vec<Publication>> = LazyLock::new(|| FILES.map(|(id, text)| source(id, text)).into());
    &SOURCES
}

pub fn find(id: &str) -> Option<&'static Publication> {
    sources().iter().find(|source| source.id == id)
}

/// Returns the documents of all publications. Their figures have no samples or intervals and are unverified.
pub fn documents() -> &'static [Document] {
    static DOCUMENTS: LazyLock<Vec<Document>> =
        LazyLock::new(|| sources().iter().flat_map(documents::documents).collect());
    &DOCUMENTS
}

/// Returns the machine of a document in [`documents`], with its publication.
pub fn machine(document: &Document) -> Option<(&'static Publication, &'static PublishedMachine)> {
    sources().iter().find_map(|source| {
        let machine = source.machines.iter().find(|machine| source.document_id(machine) == document.run.id)?;
        Some((source, machine))
    })
}

/// Returns all names of a document in [`documents`] in [`plain`] form, none of them empty.
pub fn names(document: &Document) -> BTreeSet<String> {
    let machine = machine(document).map(|(_, machine)| machine);
    let aliases = machine.into_iter().flat_map(|machine| machine.aliases.iter().chain([&machine.id]));
    let own = document.machine.name.iter().chain([&document.machine.cpu, &document.run.id]);
    own.chain(aliases).map(|name| plain(name)).filter(|name| !name.is_empty()).collect()
}

fn source(id: &str, text: &str) -> Publication {
    match toml::from_str::<Publication>(text) {
        Ok(source) => Publication { id: id.to_owned(), ..source },
        Err(error) => panic!("a publication that was compiled in does not parse: {id}: {error}"),
    }
}

#[cfg(test)]
mod tests;
