//! Errors of a store, in words that say what, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::schema::VERSION;

/// A store cannot do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no place for it.
    #[error(
        "there is no place for the store: neither --store nor KASOKU_STORE names a file, and this user has no home \
         folder; use --store FILE"
    )]
    NoPlace,
    /// There is none yet.
    #[error("there is no store at {} yet; make one with `kasoku run`, or name another with --store FILE or \
        KASOKU_STORE", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The path exists and is no file, or the system refuses access.
    #[error("cannot use the store {}: {why}", path.display())]
    Unusable {
        /// The store.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// A file of somebody else.
    #[error(
        "{} is not a Kasoku store: {why}; it was left unchanged: move it aside, or use another file with --store FILE",
        path.display()
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        why: String,
    },
    /// The file is broken.
    #[error(
        "the store {} is damaged: {why}; it was left unchanged: move it aside, with the files \
         beside it that end in -wal and -shm (Kasoku keeps nothing else in it, and the next run makes a new one), or \
         save what is in it with `sqlite3 FILE .recover | sqlite3 NEW-FILE`",
        path.display()
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The tables are of another version.
    #[error(
        "the store {} has format {found}, and this version of Kasoku uses format {VERSION}: move it aside, or use \
         another file with --store FILE or KASOKU_STORE; the version that wrote it can still read it",
        path.display()
    )]
    OtherVersion {
        /// The store.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// It may be read only.
    #[error(
        "cannot write to the store {}: {why}; make it and its folder writable, or name another file, such as a copy, \
         with --store FILE",
        path.display()
    )]
    NotWritable {
        /// The store.
        path: PathBuf,
        /// The system's error.
        why: String,
    },
    /// No room.
    #[error(
        "the store {} cannot grow because the disk or the user's quota is full: free some space, or use a file on \
         another disk with --store FILE; everything stored before is kept",
        path.display()
    )]
    Full {
        /// The store.
        path: PathBuf,
    },
    /// Another process holds it.
    #[error("the store {} is busy: another process has been writing to it for over 5 seconds; try \
        again", path.display())]
    Busy {
        /// The store.
        path: PathBuf,
    },
    /// There are no runs in it.
    #[error("the store {} holds no runs yet; make one with `kasoku run`", path.display())]
    Empty {
        /// The store.
        path: PathBuf,
    },
    /// No run is called so.
    #[error("there is no run {name:?}; {}", known(newest, *more))]
    UnknownRun {
        /// What was asked for.
        name: String,
        /// The newest runs.
        newest: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// Several runs begin so.
    #[error("{name:?} matches several runs: {}; give more of the name", quoted(candidates))]
    AmbiguousRun {
        /// What was asked for.
        name: String,
        /// What begins so.
        candidates: Vec<String>,
    },
    /// The name is taken.
    #[error("the store already has a run {id:?}; it was left unchanged")]
    DuplicateRun {
        /// The name.
        id: String,
    },
    /// A column of the run is damaged, or holds a word unknown to this version; other runs can be read.
    #[error(
        "this version of Kasoku cannot read the run {id:?}: {why}; it was written by Kasoku {kasoku:?}: use that \
         version if it is newer, or delete the run with `kasoku runs delete`"
    )]
    UnreadableRun {
        /// The run.
        id: String,
        /// What is not understood.
        why: String,
        /// The version that wrote it.
        kasoku: String,
    },
    /// A run has an empty name.
    #[error("cannot store a run without an id")]
    NamelessRun,
}

impl StoreError {
    /// The error of SQLite as one of ours.
    pub(super) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        let why = harmless(error);
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                StoreError::NotAStore { path, why: "it is not an SQLite file, or its header is damaged".into() }
            }
            // SQL here is fixed, so an error in it means that the tables in the file are not those it was written for.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::TypeMismatch) => {
                StoreError::Damaged { path, why }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                StoreError::Busy { path }
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::NotWritable { path, why },
            Some(ErrorCode::CannotOpen) => StoreError::Unusable {
                path,
                why: format!(
                    "{why}; check that you can read and write it and its folder, or copy it to a folder of yours"
                ),
            },
            // A column holds what its type in the schema cannot be.
            None => StoreError::Damaged { path, why },
            Some(_) => {
                StoreError::Unusable { path, why: format!("{why}; try again, or use another with --store FILE") }
            }
        }
    }

    /// The operating system's error as one of ours.
    pub(super) fn from_system(path: &Path, error: &io::Error) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::NotWritable { path, why: error.to_string() }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { path },
            _ => StoreError::Unusable { path, why: format!("{error}; use another file with --store FILE") },
        }
    }
}

/// An error before the path of the store is added.
pub(super) enum InternalError {
    Sqlite(rusqlite::Error),
    Ours(StoreError),
}

impl InternalError {
    /// Returns the error of the store at `path`.
    pub(super) fn of(self, path: &Path) -> StoreError {
        match self {
            InternalError::Sqlite(error) => StoreError::from_sqlite(path, &error),
            InternalError::Ours(error) => error,
        }
    }
}

impl From<rusqlite::Error> for InternalError {
    fn from(error: rusqlite::Error) -> Self {
        InternalError::Sqlite(error)
    }
}

impl From<StoreError> for InternalError {
    fn from(error: StoreError) -> Self {
        InternalError::Ours(error)
    }
}

/// Returns the message of `error`, which may quote the file, with control characters escaped.
pub(super) fn harmless(error: &impl std::fmt::Display) -> String {
    error.to_string().escape_debug().to_string()
}

fn known(newest: &[String], more: usize) -> String {
    let more = if more > 0 { format!(" and {more} older (`kasoku runs` lists all)") } else { String::new() };
    format!("the store holds {}{more}; `last` is the newest", quoted(newest))
}

/// Names in quotation marks, with what would control a terminal escaped: they may come from somebody else's document.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
