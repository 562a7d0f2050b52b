//! Opens and creates stores, and rejects other files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::StoreError;
use super::error::InternalError;
use super::schema::{APPLICATION, TABLES, VERSION};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Write,
    Read,
}

/// Connects to the store at `path`, which must be absolute: SQLite gives names like `:memory:` another meaning.
pub(super) fn connect(path: &Path, purpose: Purpose) -> Result<Connection, StoreError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err(unusable(path, "it is not a regular file; name one")),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if purpose == Purpose::Read {
                return Err(StoreError::Missing(path.into()));
            }
            // If the store was moved without its log, the log may hold the last run. SQLite would delete it.
            if has_log(path) {
                let why = "the file is missing, but its log (the file ending in -wal) is there";
                return Err(StoreError::Damaged(path.into(), why.into()));
            }
            create_file(path).map_err(|error| StoreError::from_system(path, &error))?;
        }
        Err(error) => return Err(StoreError::from_system(path, &error)),
    }
    open(path, purpose).map_err(|error| error.of(path))
}

/// Whether neither a store nor its log is at `path`, which must be absolute.
pub(super) fn is_absent(path: &Path) -> bool {
    let found = fs::metadata(path);
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) && !has_log(path)
}

/// Checks that a store can be created at `path`, which must be absolute, by creating and removing a file.
pub(super) fn check_place(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.ancestors().skip(1).find(|folder| folder.exists()) else {
        return Err(unusable(path, "that is no name of a file"));
    };
    // The text of the error would name the temporary file.
    tempfile::tempfile_in(folder).map(drop).map_err(|error| StoreError::from_system(path, &error.kind().into()))
}

fn open(path: &Path, purpose: Purpose) -> Result<Connection, InternalError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // In WAL mode this loses nothing when the process is killed, and only the last moments when the power fails.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let form = form(&mut connection)?;
    if purpose == Purpose::Write && connection.is_readonly("main")? {
        return Err(StoreError::NotWritable(path.into(), "it is read-only".into()).into());
    }
    match form {
        (APPLICATION, VERSION, _) => {}
        (APPLICATION, found, _) => return Err(StoreError::OtherVersion(path.into(), found).into()),
        // An empty file: created by the user or by an interrupted process.
        (0, 0, 0) if purpose == Purpose::Write => create_tables(&mut connection)?,
        (0, 0, 0) => return Err(StoreError::Missing(path.into()).into()),
        _ => {
            let why = "it is an SQLite database of another program";
            return Err(StoreError::NotAStore(path.into(), why.into()).into());
        }
    }
    Ok(connection)
}

/// Returns the database's `application_id`, its `user_version`, and the number of its tables and indexes.
fn form(connection: &mut Connection) -> rusqlite::Result<(i64, i64, i64)> {
    // In one transaction: another process may be creating the tables.
    let transaction = connection.transaction()?;
    let header = |name: &str| transaction.pragma_query_value(None, name, |row| row.get(0));
    let count = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok((header("application_id")?, header("user_version")?, count))
}

fn create_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    // The pragma returns "delete" on file systems without shared memory. Then two processes wait longer for each other.
    let _: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let application: i64 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    // Another process may have created the tables first.
    if application == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()
}

/// Creates an empty file that only the user may read, and the folders above it.
fn create_file(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    path.parent().map_or(Ok(()), |folder| builder.create(folder))?;
    options.open(path).map(drop)
}

/// Whether the store at `path` has a write-ahead log with content, which may hold data that the file lacks.
fn has_log(path: &Path) -> bool {
    let mut name = path.as_os_str().to_os_string();
    name.push("-wal");
    fs::metadata(PathBuf::from(name)).is_ok_and(|metadata| metadata.len() > 0)
}

fn unusable(path: &Path, why: &str) -> StoreError {
    StoreError::Unusable(path.into(), why.into())
}
