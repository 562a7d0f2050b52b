//! Making a store, opening it, and refusing what is none or is damaged.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::StoreError;
use super::error::{Fault, harmless};
use super::schema::{self, APPLICATION, Odd, STEPS};

/// A file up to this size is read whole when it is opened, to find damage before anything is done: 32 MiB, which takes
/// some hundredths of a second. Of a larger one SQLite finds that it is cut off, and the damage in what is read of it.
const CHECKED_WHOLE: u64 = 32 << 20;

/// Of what is read, SQLite may take so many steps of its machine, and so many more for each byte of the file: a hundred
/// times what any question here takes. Pages of a large file that lead back to themselves would be read for ever.
const MIN_STEPS: u64 = 100_000_000;
const STEPS_OF_A_BYTE: u64 = 64;
/// How many steps it takes before they are counted.
const BETWEEN_LOOKS: u64 = 100_000;

/// Whether a store that is not there is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To store runs: it is made, and must be writable.
    Write,
    /// To read runs: it must be there; it may be on a medium that cannot be written.
    Read,
}

/// The connection to the store at `path`, which must be absolute: SQLite takes names like `:memory:` and `file:…` for
/// something else.
pub(super) fn connect(path: &Path, purpose: Purpose) -> Result<Connection, StoreError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(unusable(path, "it is a folder; name a file")),
        Ok(metadata) if !metadata.is_file() => return Err(unusable(path, "it is not a regular file; name one")),
        // A store is put in its place only when it is whole, so this is not one that is being made.
        Ok(metadata) if metadata.len() == 0 => {
            return Err(StoreError::NotAStore { path: path.into(), why: "the file is empty".into() });
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(unusable(path, "it is a symbolic link to a missing file"));
            }
            if purpose == Purpose::Read {
                return Err(StoreError::Missing { path: path.into() });
            }
            // A log without its file (somebody moved the file alone) would be poured into the new one.
            if has_log(path) && fs::symlink_metadata(path).is_err() {
                let why = "the file is missing, but its log (the file ending in -wal) is there".into();
                return Err(StoreError::Damaged { path: path.into(), why });
            }
            make(path)?;
        }
        Err(error) => return Err(StoreError::from_system(path, &error)),
    }
    check_beside(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = match examined(path, path, flags, purpose) {
        Err(Fault::Sqlite(error)) if purpose == Purpose::Read && is_refused(&error) && !has_log(path) => {
            immutable(path)?
        }
        Err(error) => return Err(error.of(path)),
        Ok(connection) => connection,
    };
    let fail = |error: rusqlite::Error| StoreError::from_sqlite(path, &error);
    if purpose == Purpose::Write && connection.is_readonly("main").map_err(fail)? {
        return Err(StoreError::NotWritable { path: path.into(), why: "it is read-only".into() });
    }
    if schema::version(&connection).map_err(fail)? < STEPS.len() as i64 {
        schema::migrate(&mut connection, STEPS).map_err(|error| match is_refused(&error) {
            true => StoreError::OlderNotWritable { path: path.into(), why: harmless(&error) },
            false => fail(error),
        })?;
    }
    Ok(connection)
}

/// Whether nothing is at `path`, which must be absolute, that opening it would have to look at.
pub(super) fn is_absent(path: &Path) -> bool {
    let found = fs::symlink_metadata(path);
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) && !has_log(path)
}

/// Sees to it that a store can be made at `path`, which must be absolute: a file is made in the folder where it or the
/// first of its missing folders is to be, and removed.
pub(super) fn check_place(path: &Path) -> Result<(), StoreError> {
    let Some(folder) = path.ancestors().skip(1).find(|folder| folder.exists()) else {
        return Err(unusable(path, "that is no name of a file"));
    };
    // The error's own words would name a file that nobody knows.
    tempfile::tempfile_in(folder).map(drop).map_err(|error| StoreError::from_system(path, &error.kind().into()))
}

/// Whether what lies beside the store are files: SQLite would wait for a pipe.
fn check_beside(path: &Path) -> Result<(), StoreError> {
    for suffix in ["-wal", "-shm", "-journal"] {
        if fs::metadata(with_suffix(path, suffix)).is_ok_and(|metadata| !metadata.is_file()) {
            let why = format!("the file beside it ending in {suffix} is not a regular file; move that aside");
            return Err(unusable(path, &why));
        }
    }
    Ok(())
}

/// Opens `name` and sees whether it is a store, of a form known here, and whole.
fn examined(path: &Path, name: &Path, flags: OpenFlags, purpose: Purpose) -> Result<Connection, Fault> {
    let mut connection = Connection::open_with_flags(name, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    let length = fs::metadata(path).map_or(0, |metadata| metadata.len());
    if purpose == Purpose::Read {
        let mut left = MIN_STEPS + length.saturating_mul(STEPS_OF_A_BYTE);
        let is_spent = move || {
            left = left.saturating_sub(BETWEEN_LOOKS);
            left == 0
        };
        connection.progress_handler(BETWEEN_LOOKS as i32, Some(is_spent))?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // The file may come from somebody else: no function that its schema names is run, and its pages are looked through.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // In WAL mode this loses nothing when the process is killed, and only the last moments when the power fails.
    connection.pragma_update(None, "synchronous", "NORMAL")?;

    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application != APPLICATION {
        let why = "it is an SQLite database of another program".into();
        return Err(StoreError::NotAStore { path: path.into(), why }.into());
    }
    let (found, known) = (schema::version(&connection)?, STEPS.len() as i64);
    if found > known {
        return Err(StoreError::Newer { path: path.into(), found, known }.into());
    }
    let damaged = |why: String| Err(StoreError::Damaged { path: path.into(), why }.into());
    if found < 1 {
        return damaged(format!("its format is {found}"));
    }
    match schema::odd(&connection, found)? {
        Some(Odd::Foreign(what)) => {
            let why = format!("its {what} was not made by Kasoku");
            return Err(StoreError::NotAStore { path: path.into(), why }.into());
        }
        Some(Odd::Missing(what)) => return damaged(format!("its {what} is missing")),
        None => {}
    }
    // SQLite takes what is missing of the last page for zeros.
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    if !length.is_multiple_of(u64::from(page)) && !has_log(path) {
        return damaged(format!("it is truncated ({length} bytes are not whole pages)"));
    }
    if length <= CHECKED_WHOLE {
        let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return damaged(verdict.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    Ok(connection)
}

fn is_refused(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
}

/// Whether there is a write-ahead log with something in it, without which the file alone is not the whole store.
fn has_log(path: &Path) -> bool {
    fs::metadata(with_suffix(path, "-wal")).is_ok_and(|metadata| metadata.len() > 0)
}

/// Opens a store in a folder where SQLite can make no files of its own: nobody else can be writing there either.
fn immutable(path: &Path) -> Result<Connection, StoreError> {
    let mut name = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            name.push(byte as char);
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    name.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    examined(path, Path::new(&name), flags, Purpose::Read).map_err(|error| error.of(path))
}

/// Makes a store under a name of its own and puts it in its place when it is whole, unless another process was faster.
fn make(path: &Path) -> Result<(), StoreError> {
    let system = |error: io::Error| StoreError::from_system(path, &error);
    let sqlite = |error: rusqlite::Error| StoreError::from_sqlite(path, &error);
    let (Some(folder), Some(file_name)) = (path.parent(), path.file_name()) else {
        return Err(unusable(path, "that is no name of a file"));
    };
    make_folder(folder).map_err(system)?;

    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(file_name);
    name.push(format!(".{}-{}.new", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let unfinished = Unfinished(folder.join(name));
    make_file(&unfinished.0).map_err(system)?;
    let mut connection = Connection::open(&unfinished.0).map_err(sqlite)?;
    // Says "delete" where the file system has no shared memory; then the store works, but two processes wait longer.
    let _: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(sqlite)?;
    schema::migrate(&mut connection, STEPS).map_err(sqlite)?;
    connection.close().map_err(|(_, error)| sqlite(error))?;
    match fs::hard_link(&unfinished.0, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        // A file system without hard links.
        Err(_) if fs::symlink_metadata(path).is_err() => fs::rename(&unfinished.0, path).map_err(system)?,
        Err(error) => return Err(system(error)),
    }
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all(); // not every file system can; the store is there all the same
    }
    Ok(())
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn make_file(path: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// A store that is being made; removed with what SQLite lays beside it.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(with_suffix(&self.0, suffix)); // most are not there
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

fn unusable(path: &Path, why: &str) -> StoreError {
    StoreError::Unusable { path: path.into(), why: why.into() }
}
