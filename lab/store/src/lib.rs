//! The store: all runs in one SQLite file. All SQL is in this crate.
//!
//! Series are stored when they are planned and samples after each round, so a run whose process is killed keeps them
//! and stays incomplete. Only [`Store::delete_runs`] deletes runs.
//!
//! Methods fail with a [`StoreError`] if the file is damaged, full, busy or not accessible.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod collection;
mod column;
mod error;
mod known;
pub mod location;
pub mod lock;
mod opening;
pub mod output_file;
pub mod published;
mod reading;
mod recording;
mod schema;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction};

use opening::Purpose;

pub use error::StoreError;
pub use known::{KnownFigure, KnownRun, KnownRuns, MachineIdentity};
pub use reading::RunSummary;
pub use recording::SeriesId;

#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Reasons why runs were left out, by name: see [`Store::unread`].
    unread: RefCell<BTreeMap<String, String>>,
}

impl Store {
    /// Opens or creates the store at `path` for writing. Other files are rejected and stay unchanged.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Store::connect(path, Purpose::Write)
    }

    /// Opens an existing store for reading. SQLite must be able to write to its folder.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        Store::connect(path, Purpose::Read)
    }

    /// Opens the store at `path` if it exists; otherwise checks that [`Store::open`] can create it.
    pub fn open_if_there(path: &Path) -> Result<Option<Store>, StoreError> {
        let path = absolute(path)?;
        if opening::is_absent(&path) {
            opening::check_place(&path)?;
            return Ok(None);
        }
        Store::open(&path).map(Some)
    }

    fn connect(path: &Path, purpose: Purpose) -> Result<Store, StoreError> {
        let path = absolute(path)?;
        Ok(Store { connection: opening::connect(&path, purpose)?, path, unread: RefCell::default() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn unknown(&self, name: &str) -> StoreError {
        const SHOWN: usize = 5;
        match self.ids() {
            Ok(ids) if ids.is_empty() => StoreError::Empty(self.path.clone()),
            Ok(mut newest) => {
                let more = newest.len().saturating_sub(SHOWN);
                newest.truncate(SHOWN);
                StoreError::UnknownRun { name: name.to_string(), newest, more }
            }
            Err(error) => error,
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(|error| StoreError::from_system(path, &error))
}

fn run_number(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<i64>> {
    let mut statement = transaction.prepare_cached("SELECT number FROM run WHERE id = ?")?;
    statement.query_row([id], |row| row.get(0)).optional()
}

#[cfg(test)]
mod tests;
