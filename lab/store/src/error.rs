//! Errors of a store. Messages say what failed, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::schema::VERSION;

/// Error of a store. In tuple variants the path comes first, then the reason.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Neither the user nor the system names a place for the store.
    #[error(
        "there is no place for the store: neither --store nor KASOKU_STORE names a file, and this user has no home \
         folder; use --store FILE"
    )]
    NoPlace,
    #[error("there is no store at {} yet; make one with `kasoku run`, or name another with --store FILE or \
        KASOKU_STORE", .0.display())]
    Missing(PathBuf),
    /// The path exists and is no file, or the system refuses access.
    #[error("cannot use the store {}: {}", .0.display(), .1)]
    Unusable(PathBuf, String),
    #[error(
        "{} is not a Kasoku store: {}; it was left unchanged: move it aside, or use another file with --store FILE",
        .0.display(), .1
    )]
    NotAStore(PathBuf, String),
    #[error(
        "the store {} is damaged: {}; it was left unchanged: move it aside, with the files \
         beside it that end in -wal and -shm (Kasoku keeps nothing else in it, and the next run makes a new one), or \
         save what is in it with `sqlite3 FILE .recover | sqlite3 NEW-FILE`",
        .0.display(), .1
    )]
    Damaged(PathBuf, String),
    #[error(
        "the store {} has format {}, and this version of Kasoku uses format {VERSION}: move it aside, or use \
         another file with --store FILE or KASOKU_STORE; the version that wrote it can still read it",
        .0.display(), .1
    )]
    OtherVersion(PathBuf, i64),
    #[error(
        "cannot write to the store {}: {}; make it and its folder writable, or name another file, such as a copy, \
         with --store FILE",
        .0.display(), .1
    )]
    NotWritable(PathBuf, String),
    /// The disk or the user's quota is full.
    #[error(
        "the store {} cannot grow because the disk or the user's quota is full: free some space, or use a file on \
         another disk with --store FILE; everything stored before is kept",
        .0.display()
    )]
    Full(PathBuf),
    #[error("the store {} is busy: another process has been writing to it for over 5 seconds; try \
        again", .0.display())]
    Busy(PathBuf),
    #[error("the store {} holds no runs yet; make one with `kasoku run`", .0.display())]
    Empty(PathBuf),
    #[error("there is no run {name:?}; {}", known(newest, *more))]
    UnknownRun { name: String, newest: Vec<String>, more: usize },
    #[error("{name:?} matches several runs: {}; give more of the name", quoted(candidates))]
    AmbiguousRun { name: String, candidates: Vec<String> },
    #[error("the store already has a run {0:?}; it was left unchanged")]
    DuplicateRun(String),
    /// A column of the run is damaged, or holds a word unknown to this version; other runs can be read.
    #[error(
        "this version of Kasoku cannot read the run {id:?}: {why}; it was written by Kasoku {kasoku:?}: use that \
         version if it is newer, or delete the run with `kasoku runs delete`"
    )]
    UnreadableRun { id: String, why: String, kasoku: String },
    #[error("cannot store a run without an id")]
    NamelessRun,
}

impl StoreError {
    pub(super) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        let why = harmless(error);
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                StoreError::NotAStore(path, "it is not an SQLite file, or its header is damaged".into())
            }
            // The statements are constant, so an SQL error means that the tables do not match this schema.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::TypeMismatch) => {
                StoreError::Damaged(path, why)
            }
            Some(ErrorCode::DiskFull) => StoreError::Full(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                StoreError::Busy(path)
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::NotWritable(path, why),
            Some(ErrorCode::CannotOpen) => {
                let next = "check that you can read and write it and its folder, or copy it to a folder of yours";
                StoreError::Unusable(path, format!("{why}; {next}"))
            }
            // A column has a value that its type in the schema excludes.
            None => StoreError::Damaged(path, why),
            Some(_) => StoreError::Unusable(path, format!("{why}; try again, or use another with --store FILE")),
        }
    }

    pub(super) fn from_system(path: &Path, error: &io::Error) -> StoreError {
        let path = path.to_path_buf();
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::NotWritable(path, error.to_string())
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full(path),
            _ => StoreError::Unusable(path, format!("{error}; use another file with --store FILE")),
        }
    }
}

/// An error without the path of the store, which the caller adds.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum InternalError {
    Sqlite(#[from] rusqlite::Error),
    Ours(#[from] StoreError),
}

impl InternalError {
    pub(super) fn of(self, path: &Path) -> StoreError {
        match self {
            InternalError::Sqlite(error) => StoreError::from_sqlite(path, &error),
            InternalError::Ours(error) => error,
        }
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

/// Quotes names and escapes control characters, because names may come from hostile documents.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
