//! Checks the files in `published/` against their sources, which are parsed here again.

mod aes_ni_story;
mod form;
mod intel_aes_ni_java;
mod openssl_perf;
mod stated;

use std::path::PathBuf;

use super::*;

/// Reads a file of the shared test data. If it is missing, fails in CI and otherwise prints a line and returns `None`.
fn shared(name: &str) -> Option<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("KASOKU_SHARED").map_or_else(beside, PathBuf::from).join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{} cannot be read: {error}", path.display());
            eprintln!("left out: {} cannot be read: {error}", path.display());
            None
        }
    }
}

/// Returns the publication called `id` and the text of its source.
fn with_text(id: &str, seed: &str) -> Option<(&'static Publication, String)> {
    Some((find(id).unwrap(), shared(seed)?))
}

/// Returns the headings and rows of a table.
fn printed(table: &PublishedTable) -> Vec<Vec<String>> {
    let headings = table.columns.iter().map(|column| column.printed.clone()).collect();
    std::iter::once(headings).chain(table.rows.iter().map(|row| row.cells.clone())).collect()
}

/// Asserts that the text contains the quotes of all statements and slips.
fn assert_quotes_stand_in(source: &Publication, text: &str) {
    for statement in &source.statements {
        assert!(text.contains(&statement.printed), "{:?} is not in the source", statement.printed);
    }
    for slip in &source.slips {
        assert!(text.contains(&slip.printed), "{:?} is not in the source", slip.printed);
    }
}
