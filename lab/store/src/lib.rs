//! The runs that were ever measured here: one SQLite file. Only in this folder is there any SQL.
//!
//! Everything is stored as soon as it is known: a series when it is planned, samples after each round. A run whose
//! process was killed is in the store with all of these, and is not `complete`. Nothing is ever deleted.

pub mod collection;
mod column;
mod error;
mod known;
pub mod location;
pub mod lock;
mod opening;
pub mod output_file;
pub mod published;
mod resumption;
mod schema;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use serde::Serialize;

use column::{Unbound, Unread};
use kasoku_model::document::{Document, Origin, OriginKind, Run, Sample, Series};
use opening::Purpose;

pub use error::StoreError;
pub use known::{Figure, Identity, Known, KnownRun, Wanted};

/// How long the write-ahead log grows before its pages are carried into the file: SQLite's own default.
const LOG_PAGES: u32 = 1000;

/// The same while a run measures: 64 MiB, which only runs of hours reach. Carrying them over waits for the disk, for
/// milliseconds on a good one, and would come between two rounds.
const LOG_PAGES_MEASURING: u32 = 16_384;

/// The order of runs: what was measured here, the newest first; then what was found elsewhere, often without a date.
const NEWEST_FIRST: &str = "origin <> 'null', started DESC, run.number DESC";

/// A connection to the store. Several processes may have one at once.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// A series in the store it was added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesId {
    run: i64,
    series: i64,
}

/// A run in a list of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// Its name.
    pub id: String,
    /// When it started.
    pub started: String,
    /// What people call the machine, where that is not its CPU's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The CPU's name.
    pub cpu: String,
    /// What its figures were found in, if Kasoku did not measure them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginKind>,
    /// The version of Kasoku.
    pub kasoku: String,
    /// The command as it was typed.
    pub command: String,
    /// Whether it reached its end.
    pub complete: bool,
    /// Series, planned ones included.
    pub series: u64,
    /// Series that were finished without a figure or unverified: those that reports call failed or not verified. Figures from
    /// elsewhere are never verified, which is no failure of theirs, nor of cross-checks with a clock of their own; a control is
    /// its original once more, and test doubles are meant to be wrong.
    pub failed: u64,
}

impl RunSummary {
    /// What its machine is listed as: its name, else its CPU's.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }
}

impl Store {
    /// Opens the store at `path` for writing; makes it, and the folders it is in, if it is not there.
    ///
    /// # Errors
    /// If the file is no store, a damaged one or one of a newer Kasoku, or may not be written. It is left as it is.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Store::connect(path, Purpose::Write)
    }

    /// Opens a store that is there, for reading. It may be on a medium that cannot be written.
    ///
    /// # Errors
    /// As [`Store::open`], and [`StoreError::Missing`] if there is none.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        Store::connect(path, Purpose::Read)
    }

    fn connect(path: &Path, purpose: Purpose) -> Result<Store, StoreError> {
        let path = std::path::absolute(path).map_err(|error| StoreError::from_system(path, &error))?;
        Ok(Store { connection: opening::connect(&path, purpose)?, path })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a run that is about to start, incomplete, with the series that `header` already holds; gives these
    /// series' identities in their order.
    ///
    /// # Errors
    /// [`StoreError::DuplicateRun`] if there is one of that name; or the store's own.
    pub fn begin_run(&mut self, header: &Document) -> Result<Vec<SeriesId>, StoreError> {
        let run = Run { complete: false, seconds: None, ..header.run.clone() };
        self.set_log_pages(LOG_PAGES_MEASURING)?;
        let at = self.path.clone();
        self.write(|transaction| {
            let number = insert_run(transaction, &at, header, &run)?;
            header.series.iter().map(|series| insert_series(transaction, &at, number, series, false)).collect()
        })
    }

    /// Adds a series to a run when it is planned, without its samples.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], or the store's own.
    pub fn add_series(&mut self, run: &str, series: &Series) -> Result<SeriesId, StoreError> {
        let at = self.path.clone();
        let added = self.write(|transaction| match run_number(transaction, &at, run)? {
            Some(number) => insert_series(transaction, &at, number, series, false).map(Some),
            None => Ok(None),
        })?;
        added.map_or_else(|| Err(self.unknown(run)), Ok)
    }

    /// Adds samples: all of them or, if it fails, none. Once this returns they outlive the process.
    ///
    /// # Errors
    /// The store's own.
    pub fn add_samples(&mut self, samples: &[(SeriesId, Sample)]) -> Result<(), StoreError> {
        let at = &self.path;
        let add = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            insert_samples(&transaction, samples.iter().copied())?;
            transaction.commit()
        };
        add(&mut self.connection).map_err(|error| StoreError::from_sqlite(at, &error))
    }

    /// Writes what is known of a series at its end: everything but the samples.
    ///
    /// # Errors
    /// The store's own.
    pub fn finish_series(&mut self, id: SeriesId, series: &Series) -> Result<(), StoreError> {
        self.write_series(id, series, ", finished = 1")
    }

    /// Writes what is known of a series that is not at its end: everything but the samples.
    ///
    /// # Errors
    /// The store's own.
    pub fn describe_series(&mut self, id: SeriesId, series: &Series) -> Result<(), StoreError> {
        self.write_series(id, series, "")
    }

    fn write_series(&mut self, id: SeriesId, series: &Series, and: &str) -> Result<(), StoreError> {
        let at = self.path.clone();
        self.write(|transaction| {
            let fail = |error| StoreError::from_sqlite(&at, &error);
            let marks = vec!["?"; column::SERIES.split(',').count()].join(", ");
            let sql = format!("UPDATE series SET ({}) = ({marks}){and} WHERE number = ?", column::SERIES);
            let mut statement = transaction.prepare_cached(&sql).map_err(fail)?;
            bind_all(&mut statement, 1, series, &at)?;
            let last = statement.parameter_count();
            statement.raw_bind_parameter(last, id.series).map_err(fail)?;
            statement.raw_execute().map_err(fail).map(drop)
        })
    }

    /// Writes what is known of a run at its end, and that it is complete.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], or the store's own.
    pub fn finish_run(&mut self, run: &str, end: &Run) -> Result<(), StoreError> {
        self.update_run(run, &Run { complete: true, ..end.clone() })
    }

    /// Writes what is known of a run that was broken off: it stays incomplete.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], or the store's own.
    pub fn break_off_run(&mut self, run: &str, end: &Run) -> Result<(), StoreError> {
        self.update_run(run, &Run { complete: false, ..end.clone() })
    }

    fn update_run(&mut self, id: &str, run: &Run) -> Result<(), StoreError> {
        self.set_log_pages(LOG_PAGES)?;
        let at = self.path.clone();
        let found = self.write(|transaction| {
            transaction
                .execute(
                    "UPDATE run SET complete = ?2, seconds = ?3, method = ?4, notes = ?5, libraries = ?6,
                            omissions = ?7
                     WHERE id = ?1",
                    (
                        id,
                        run.complete,
                        column::finite(run.seconds),
                        column::json("the method of a run", &column::finite_method(&run.method))?,
                        column::json("the notes of a run", &run.notes)?,
                        column::json("the libraries of a run", &run.libraries)?,
                        column::json("the omissions of a run", &run.omissions)?,
                    ),
                )
                .map_err(|error| StoreError::from_sqlite(&at, &error))
        })?;
        if found == 0 { Err(self.unknown(id)) } else { Ok(()) }
    }

    /// Adds a whole document, from another machine say: all of it or, if it fails, nothing.
    ///
    /// # Errors
    /// [`StoreError::DuplicateRun`] if there is a run of that name; or the store's own.
    pub fn add_document(&mut self, document: &Document) -> Result<(), StoreError> {
        self.add_documents([document])
    }

    /// Adds whole documents that belong together: all of them or, if one fails, none.
    ///
    /// # Errors
    /// [`StoreError::DuplicateRun`] if there is a run of one of their names; or the store's own.
    pub fn add_documents<'d>(&mut self, documents: impl IntoIterator<Item = &'d Document>) -> Result<(), StoreError> {
        let at = self.path.clone();
        self.write(|transaction| {
            for document in documents {
                let number = insert_run(transaction, &at, document, &document.run)?;
                for series in &document.series {
                    let id = insert_series(transaction, &at, number, series, true)?;
                    insert_samples(transaction, series.samples.iter().map(|sample| (id, *sample)))
                        .map_err(|error| StoreError::from_sqlite(&at, &error))?;
                }
            }
            Ok(())
        })
    }

    /// Whether there is a run of exactly that name.
    ///
    /// # Errors
    /// The store's own.
    pub fn contains(&self, run: &str) -> Result<bool, StoreError> {
        let found =
            self.connection.prepare_cached("SELECT 1 FROM run WHERE id = ?").and_then(|mut one| one.exists([run]));
        found.map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// All runs: those that Kasoku measured, the newest first, then what was found elsewhere.
    ///
    /// # Errors
    /// The store's own.
    pub fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        let fail = |error| StoreError::from_sqlite(&self.path, &error);
        let mut statement = self
            .connection
            .prepare(&format!(
                "SELECT id, started, kasoku, command, complete, name, cpu, origin,
                     (SELECT count(*) FROM series WHERE series.run = run.number),
                     CASE WHEN origin = 'null'
                         THEN (SELECT count(*) FROM series WHERE series.run = run.number AND finished
                               AND (median IS NULL OR NOT (verified OR library GLOB 'limit-*'
                                                           OR instr(parameters, '\"clock\":')))
                               AND NOT (library GLOB 'test-*' OR instr(parameters, '\"control\":true')))
                         ELSE 0 END
                 FROM run LEFT JOIN device ON device.number = run.device ORDER BY {NEWEST_FIRST}"
            ))
            .map_err(fail)?;
        let mut rows = statement.query([]).map_err(fail)?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next().map_err(fail)? {
            runs.push(summary(row).map_err(|error| self.unread(error, row.get(0), row.get(2)))?);
        }
        Ok(runs)
    }

    /// The full name of a run that `name` stands for: `last` is the newest that Kasoku measured, `last-1` the one before,
    /// and so on, with what was found elsewhere after all of these; else it is a full name, or a beginning that only one
    /// has.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] and [`StoreError::AmbiguousRun`] with the names there are; [`StoreError::Empty`] if
    /// there are none; or the store's own.
    pub fn find(&self, name: &str) -> Result<String, StoreError> {
        let ids = self.ids()?;
        if ids.is_empty() {
            return Err(StoreError::Empty { path: self.path.clone() });
        }
        let back = if name == "last" { Some(0) } else { name.strip_prefix("last-").and_then(|n| n.parse().ok()) };
        if let Some(id) = back.and_then(|back: usize| ids.get(back)) {
            return Ok(id.clone());
        }
        let mut candidates: Vec<String> = if ids.iter().any(|id| id == name) {
            vec![name.to_string()]
        } else {
            ids.into_iter().filter(|id| !name.is_empty() && id.starts_with(name)).collect()
        };
        match candidates.len() {
            0 => Err(self.unknown(name)),
            1 => Ok(candidates.swap_remove(0)),
            _ => {
                candidates.truncate(10);
                Err(StoreError::AmbiguousRun { name: name.to_string(), candidates })
            }
        }
    }

    /// The run of exactly that name as it was stored. Series that were not finished have samples but no `median`.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::UnreadableRun`] if a newer Kasoku measured what this one does not
    /// know; or the store's own.
    pub fn load(&self, run: &str) -> Result<Document, StoreError> {
        let fail = |error| StoreError::from_sqlite(&self.path, &error);
        // One view of the store, though a run may be measuring into it.
        let transaction = self.connection.unchecked_transaction().map_err(fail)?;
        let Some(number) = run_number(&transaction, &self.path, run)? else {
            return Err(self.unknown(run));
        };
        let kasoku = transaction.query_row("SELECT kasoku FROM run WHERE number = ?", [number], |row| row.get(0));
        let document = load(&transaction, number).map_err(|error| self.unread(error, Ok(run.to_string()), kasoku))?;
        transaction.commit().map_err(fail)?;
        Ok(document)
    }

    fn write<T>(&mut self, write: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let path = &self.path;
        let fail = |error| StoreError::from_sqlite(path, &error);
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
        let written = write(&transaction)?;
        transaction.commit().map_err(fail)?;
        Ok(written)
    }

    fn set_log_pages(&self, pages: u32) -> Result<(), StoreError> {
        // Answers with the new value.
        let set =
            self.connection.pragma_update_and_check(None, "wal_autocheckpoint", pages, |row| row.get::<_, u32>(0));
        set.map(drop).map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    fn ids(&self) -> Result<Vec<String>, StoreError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare(&format!("SELECT id FROM run ORDER BY {NEWEST_FIRST}"))?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    fn unknown(&self, name: &str) -> StoreError {
        const SHOWN: usize = 5;
        match self.ids() {
            Ok(ids) if ids.is_empty() => StoreError::Empty { path: self.path.clone() },
            Ok(mut newest) => {
                let more = newest.len().saturating_sub(SHOWN);
                newest.truncate(SHOWN);
                StoreError::UnknownRun { name: name.to_string(), newest, more }
            }
            Err(error) => error,
        }
    }

    fn unread(&self, error: Unread, id: rusqlite::Result<String>, kasoku: rusqlite::Result<String>) -> StoreError {
        match error {
            Unread::Sqlite(error) => StoreError::from_sqlite(&self.path, &error),
            Unread::Meaning(why) => {
                StoreError::UnreadableRun { id: id.unwrap_or_default(), why, kasoku: kasoku.unwrap_or_default() }
            }
        }
    }
}

fn run_number(transaction: &Transaction<'_>, path: &Path, id: &str) -> Result<Option<i64>, StoreError> {
    transaction
        .query_row("SELECT number FROM run WHERE id = ?", [id], |row| row.get(0))
        .optional()
        .map_err(|error| StoreError::from_sqlite(path, &error))
}

fn insert_run(transaction: &Transaction<'_>, path: &Path, document: &Document, run: &Run) -> Result<i64, StoreError> {
    // Without `..`: a field that is added to the document does not compile until it is stored.
    let Document { schema, run: _, machine, series: _ } = document;
    let Run { id, started, kasoku, command, complete, seconds, method, notes, libraries, omissions, origin } = run;
    if id.is_empty() {
        return Err(StoreError::NotStorable { what: "the run", why: "it has no id".into() });
    }
    if run_number(transaction, path, id)?.is_some() {
        return Err(StoreError::DuplicateRun { id: id.clone() });
    }
    let device = known::device(transaction, &Identity::from(machine));
    let device = device.map_err(|error| StoreError::from_sqlite(path, &error))?;
    transaction
        .execute(
            "INSERT INTO run (id, schema, started, kasoku, command, complete, seconds, method, notes, libraries, omissions,
                              machine, origin, device, os)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                id,
                schema,
                started,
                kasoku,
                command,
                complete,
                column::finite(*seconds),
                column::json("the method of a run", &column::finite_method(method))?,
                column::json("the notes of a run", notes)?,
                column::json("the libraries of a run", libraries)?,
                column::json("the omissions of a run", omissions)?,
                column::json("the machine", machine)?,
                column::json("the origin of a run", origin)?,
                device,
                &machine.os,
            ),
        )
        .map_err(|error| StoreError::from_sqlite(path, &error))?;
    Ok(transaction.last_insert_rowid())
}

fn insert_series(
    transaction: &Transaction<'_>,
    path: &Path,
    run: i64,
    series: &Series,
    finished: bool,
) -> Result<SeriesId, StoreError> {
    let fail = |error| StoreError::from_sqlite(path, &error);
    let marks = vec!["?"; column::SERIES.split(',').count()].join(", ");
    let sql = format!(
        "INSERT INTO series (run, finished, position, {})
         VALUES (?1, ?2, (SELECT coalesce(max(position) + 1, 0) FROM series WHERE run = ?1), {marks})",
        column::SERIES
    );
    let mut statement = transaction.prepare_cached(&sql).map_err(fail)?;
    statement.raw_bind_parameter(1, run).map_err(fail)?;
    statement.raw_bind_parameter(2, finished).map_err(fail)?;
    bind_all(&mut statement, 3, series, path)?;
    statement.raw_execute().map_err(fail)?;
    Ok(SeriesId { run, series: transaction.last_insert_rowid() })
}

fn bind_all(
    statement: &mut rusqlite::Statement<'_>,
    first: usize,
    series: &Series,
    path: &Path,
) -> Result<(), StoreError> {
    column::bind_series(statement, first, series).map_err(|error| match error {
        Unbound::Sqlite(error) => StoreError::from_sqlite(path, &error),
        Unbound::NotStorable(error) => error,
    })
}

fn insert_samples(
    transaction: &Transaction<'_>,
    samples: impl Iterator<Item = (SeriesId, Sample)>,
) -> rusqlite::Result<()> {
    let mut last =
        transaction.prepare_cached("SELECT sequence FROM sample WHERE run = ? ORDER BY sequence DESC LIMIT 1")?;
    let mut insert = transaction.prepare_cached(&format!(
        "INSERT INTO sample (run, sequence, series, {}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        column::SAMPLE
    ))?;
    // The run of the sample before and its sequence: all are of one run, but for a caller who mixes them.
    let mut before: Option<(i64, i64)> = None;
    for (id, sample) in samples {
        let sequence = match before {
            Some((run, sequence)) if run == id.run => sequence + 1,
            _ => last.query_row([id.run], |row| row.get::<_, i64>(0)).optional()?.map_or(0, |last| last + 1),
        };
        column::bind_sample(&mut insert, [id.run, sequence, id.series], &sample)?;
        before = Some((id.run, sequence));
    }
    Ok(())
}

fn summary(row: &rusqlite::Row<'_>) -> Result<RunSummary, Unread> {
    Ok(RunSummary {
        id: row.get(0)?,
        started: row.get(1)?,
        kasoku: row.get(2)?,
        command: row.get(3)?,
        complete: row.get(4)?,
        name: row.get::<_, Option<String>>(5)?.filter(|name| !name.is_empty()),
        cpu: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        origin: column::from_json::<Option<Origin>>(7, row)?.map(|origin| origin.kind),
        series: row.get::<_, i64>(8)?.cast_unsigned(),
        failed: row.get::<_, i64>(9)?.cast_unsigned(),
    })
}

/// The most series of a run that is read: more than any run here writes, since the store may be somebody else's.
pub const MAX_SERIES: usize = 100_000;
/// The same of samples.
pub const MAX_SAMPLES: usize = 2_000_000;
/// The most bytes of text of its series.
const MAX_TEXT: usize = 64 << 20;
/// The most objects in the parameters of all its series.
const MAX_OBJECTS: usize = 500_000;

/// Whether a run is not larger than what is read.
fn check_extent(transaction: &Transaction<'_>, number: i64) -> Result<(), Unread> {
    let found: [usize; 4] = transaction.query_row(
        "SELECT count(*), (SELECT count(*) FROM sample WHERE run = ?1),
                coalesce(sum(length(parameters) + coalesce(length(note), 0) + length(level) + length(library)
                             + length(library_version) + length(code_path)), 0),
                coalesce(sum(length(parameters) - length(replace(parameters, '{', ''))), 0)
         FROM series WHERE run = ?1",
        [number],
        |row| {
            let count = |column| row.get::<_, i64>(column).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
            Ok([count(0)?, count(1)?, count(2)?, count(3)?])
        },
    )?;
    let most = [MAX_SERIES, MAX_SAMPLES, MAX_TEXT, MAX_OBJECTS];
    let what = ["series", "samples", "bytes of text", "objects in its parameters"];
    match (0..4).find(|&index| found[index] > most[index]) {
        Some(index) => {
            let (found, what, most) = (found[index], what[index], most[index]);
            Err(Unread::Meaning(format!("it has {found} {what}; at most {most} are read")))
        }
        None => Ok(()),
    }
}

fn load(transaction: &Transaction<'_>, number: i64) -> Result<Document, Unread> {
    check_extent(transaction, number)?;
    let mut statement = transaction.prepare(
        "SELECT schema, id, started, kasoku, command, complete, seconds, method, notes, libraries, omissions, machine,
                origin
         FROM run WHERE number = ?",
    )?;
    let mut rows = statement.query([number])?;
    let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let mut document = Document {
        schema: row.get(0)?,
        run: Run {
            id: row.get(1)?,
            started: row.get(2)?,
            kasoku: row.get(3)?,
            command: row.get(4)?,
            complete: row.get(5)?,
            seconds: row.get(6)?,
            method: column::from_json(7, row)?,
            notes: column::from_json(8, row)?,
            libraries: column::from_json(9, row)?,
            omissions: column::from_json(10, row)?,
            origin: column::from_json(12, row)?,
        },
        machine: column::from_json(11, row)?,
        series: Vec::new(),
    };

    let mut places = HashMap::new();
    let mut statement = transaction
        .prepare(&format!("SELECT number, {} FROM series WHERE run = ? ORDER BY position", column::SERIES))?;
    let mut rows = statement.query([number])?;
    while let Some(row) = rows.next()? {
        places.insert(row.get::<_, i64>(0)?, document.series.len());
        document.series.push(column::series(row, 1)?);
    }

    // Room for all of them at once: a list that grows takes up to twice what it holds.
    let mut statement = transaction.prepare("SELECT series, count(*) FROM sample WHERE run = ? GROUP BY series")?;
    let mut rows = statement.query([number])?;
    while let Some(row) = rows.next()? {
        let series = places.get(&row.get::<_, i64>(0)?).and_then(|&place| document.series.get_mut(place));
        if let (Some(series), Ok(count)) = (series, usize::try_from(row.get::<_, i64>(1)?)) {
            series.samples.reserve_exact(count);
        }
    }
    let mut statement = transaction
        .prepare(&format!("SELECT series, {} FROM sample WHERE run = ? ORDER BY sequence", column::SAMPLE))?;
    let mut rows = statement.query([number])?;
    while let Some(row) = rows.next()? {
        let series = places.get(&row.get::<_, i64>(0)?).and_then(|&place| document.series.get_mut(place));
        if let Some(series) = series {
            series.samples.push(column::sample(row, 1)?);
        }
    }
    document.check_extent().map_err(Unread::Meaning)?;
    Ok(document)
}

#[cfg(test)]
mod tests;
