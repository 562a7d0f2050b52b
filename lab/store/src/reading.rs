//! The list of runs, and whole runs as they were stored.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{OptionalExtension, Row, Transaction};
use serde::Serialize;

use crate::column::{self, UnreadableRow};
use crate::error::harmless;
use crate::{Store, StoreError, run_number};
use kasoku_model::document::{Document, Origin, OriginKind, Run};
use kasoku_model::label;

/// The order of runs: what was measured here, the newest first; then what was found elsewhere, often without a date.
pub(crate) const NEWEST_FIRST: &str = "origin <> 'null', started DESC, run.number DESC";

/// A run in a list of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    /// Its name.
    pub id: String,
    /// What somebody calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
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
    /// Series that were finished without a figure or unverified: those that reports call failed or not verified.
    /// Figures from elsewhere are never verified, which is no failure of theirs, nor of cross-checks with a clock of
    /// their own; a control is its original once more, and test doubles are meant to be wrong.
    pub failed: u64,
}

impl RunSummary {
    /// What its machine is listed as: its name, else its CPU's.
    pub fn machine(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }
}

impl Store {
    /// Whether there is a run of exactly that name.
    ///
    /// # Errors
    /// The store's own.
    pub fn contains(&self, run: &str) -> Result<bool, StoreError> {
        let found =
            self.connection.prepare_cached("SELECT 1 FROM run WHERE id = ?").and_then(|mut one| one.exists([run]));
        found.map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// All runs: those that Kasoku measured, the newest first, then what was found elsewhere. Runs that cannot be read
    /// are left out, and [`Store::unread`] tells of them.
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
                               AND (median IS NULL OR NOT (verified OR role IN ('bound', 'own-clock')))
                               AND NOT (role = 'test-double' OR instr(parameters, '\"control\":true')))
                         ELSE 0 END,
                     label, run.number
                 FROM run LEFT JOIN device ON device.number = run.device ORDER BY {NEWEST_FIRST}"
            ))
            .map_err(fail)?;
        let mut rows = statement.query([]).map_err(fail)?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next().map_err(fail)? {
            let number = row.get(11).map_err(fail)?;
            runs.extend(self.readable(number, summary(row)).map_err(fail)?);
        }
        Ok(runs)
    }

    /// The runs that were left out so far of what was asked over all runs, because they cannot be read: why, by name.
    pub fn unread(&self) -> BTreeMap<String, String> {
        self.unread.borrow().clone()
    }

    /// The full name of a run that `name` stands for: `last` is the newest that Kasoku measured, `last-1` the one
    /// before, and so on, with what was found elsewhere after all of these; else it is a full name, a label, of which
    /// the newest run is meant, or a beginning that only one has.
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
        } else if let Some(id) = self.labelled(name)? {
            vec![id]
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
    /// know or a column is damaged; or the store's own.
    pub fn load(&self, run: &str) -> Result<Document, StoreError> {
        let fail = |error| StoreError::from_sqlite(&self.path, &error);
        // One view of the store, though a run may be measuring into it.
        let transaction = self.connection.unchecked_transaction().map_err(fail)?;
        let Some(number) = run_number(&transaction, run).map_err(fail)? else {
            return Err(self.unknown(run));
        };
        let document = load(&transaction, number);
        let document = document.map_err(|error| self.unreadable(number, error).unwrap_or_else(fail))?;
        transaction.commit().map_err(fail)?;
        Ok(document)
    }

    /// The newest run with that label.
    fn labelled(&self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = format!("SELECT id FROM run WHERE label = ? ORDER BY {NEWEST_FIRST} LIMIT 1");
        let found = self.connection.query_row(&sql, [name], |row| row.get(0)).optional();
        found.map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    pub(crate) fn ids(&self) -> Result<Vec<String>, StoreError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare(&format!("SELECT id FROM run ORDER BY {NEWEST_FIRST}"))?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// What was read of the run of that number; `None` if it cannot be read, of which [`Store::unread`] tells then.
    ///
    /// # Errors
    /// If SQLite cannot read on.
    pub(crate) fn readable<T>(&self, run: i64, read: Result<T, UnreadableRow>) -> rusqlite::Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) => {
                let error = self.unreadable(run, error)?;
                if let StoreError::UnreadableRun { id, .. } = &error {
                    self.unread.borrow_mut().insert(id.clone(), error.to_string());
                }
                Ok(None)
            }
        }
    }

    /// That the run of that number cannot be read, with its name.
    ///
    /// # Errors
    /// If SQLite cannot read on.
    fn unreadable(&self, run: i64, error: UnreadableRow) -> rusqlite::Result<StoreError> {
        let why = match error {
            UnreadableRow::Meaning(why) => why,
            // Without a code of SQLite's it is a column that holds what it should not: this run's damage alone.
            UnreadableRow::Sqlite(error) if error.sqlite_error_code().is_none() => harmless(&error),
            UnreadableRow::Sqlite(error) => return Err(error),
        };
        let mut statement = self.connection.prepare_cached("SELECT id, kasoku FROM run WHERE number = ?")?;
        statement.query_row([run], |row| {
            let text = |column: usize| row.get::<_, String>(column).unwrap_or_default();
            Ok(StoreError::UnreadableRun { id: text(0), why, kasoku: text(1) })
        })
    }
}

/// The label in that column, if it can be one: the store may be somebody else's.
fn label(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let text = row.get::<_, Option<String>>(column)?;
    Ok(text.filter(|text| label::label(text).is_ok()))
}

fn summary(row: &Row<'_>) -> Result<RunSummary, UnreadableRow> {
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
        label: label(row, 10)?,
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
fn check_extent(transaction: &Transaction<'_>, number: i64) -> Result<(), UnreadableRow> {
    let found: [usize; 4] = transaction.query_row(
        "SELECT count(*), (SELECT count(*) FROM sample WHERE run = ?1),
                coalesce(sum(length(parameters) + coalesce(length(note), 0) + coalesce(length(failure), 0)
                             + length(level) + length(library) + length(library_version) + length(code_path)), 0),
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
            Err(UnreadableRow::Meaning(format!("it has {found} {what}; at most {most} are read")))
        }
        None => Ok(()),
    }
}

fn load(transaction: &Transaction<'_>, number: i64) -> Result<Document, UnreadableRow> {
    check_extent(transaction, number)?;
    let mut statement = transaction.prepare(
        "SELECT schema, id, started, kasoku, command, complete, seconds, method, notes, libraries, omissions, machine,
                origin, label
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
            seconds: column::figure(row, 6)?,
            method: column::from_json(7, row)?,
            notes: column::from_json(8, row)?,
            libraries: column::from_json(9, row)?,
            omissions: column::from_json(10, row)?,
            origin: column::from_json(12, row)?,
            label: label(row, 13)?,
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
    document.check_extent().map_err(UnreadableRow::Meaning)?;
    Ok(document)
}
