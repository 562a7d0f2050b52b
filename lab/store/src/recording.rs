//! Stores runs while they measure, stores whole documents, and deletes runs.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::column::{self, Json};
use crate::error::InternalError;
use crate::known::{self, MachineIdentity};
use crate::{Store, StoreError, run_number};
use kasoku_model::document::{Document, Method, Run, Sample, Series};

/// Pages in the write-ahead log that trigger a checkpoint: SQLite's default.
const LOG_PAGES: u32 = 1000;

/// Pages in the write-ahead log that trigger a checkpoint while a run measures: 64 MiB, which only runs of hours reach.
/// A checkpoint waits for the disk, which would delay a round.
pub(crate) const LOG_PAGES_MEASURING: u32 = 16_384;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesId {
    pub(crate) run: i64,
    pub(crate) series: i64,
}

impl Store {
    /// Adds a run that is about to start, as incomplete, with the series of `header`. Returns the keys of these series
    /// in their order, or [`StoreError::DuplicateRun`] if the name is taken.
    pub fn begin_run(&mut self, header: &Document) -> Result<Vec<SeriesId>, StoreError> {
        let run = Run { complete: false, seconds: None, ..header.run.clone() };
        self.set_log_pages(LOG_PAGES_MEASURING)?;
        self.write(|transaction| {
            let number = insert_run(transaction, header, &run)?;
            header.series.iter().map(|series| insert_series(transaction, number, series, false)).collect()
        })
    }

    /// Adds a planned series to a run, without samples.
    pub fn add_series(&mut self, run: &str, series: &Series) -> Result<SeriesId, StoreError> {
        self.write_to(run, |transaction, number| insert_series(transaction, number, series, false))
    }

    /// Prepares to continue a run. Returns the keys of its series in the order of [`Store::load`].
    pub fn resume_run(&mut self, run: &str) -> Result<Vec<SeriesId>, StoreError> {
        self.set_log_pages(LOG_PAGES_MEASURING)?;
        self.write_to(run, |transaction, number| {
            let mut statement = transaction.prepare("SELECT number FROM series WHERE run = ? ORDER BY position")?;
            let ids = statement.query_map([number], |row| Ok(SeriesId { run: number, series: row.get(0)? }))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
    }

    /// Deletes the samples of series, all of one run, that are measured again.
    pub fn forget_samples(&mut self, ids: &[SeriesId]) -> Result<(), StoreError> {
        let Some(SeriesId { run, .. }) = ids.first() else { return Ok(()) };
        let series = ids.iter().map(|id| id.series.to_string()).collect::<Vec<_>>().join(", ");
        self.write(|transaction| {
            // The table is sorted by run, so one statement scans the run once.
            let sql = format!("DELETE FROM sample WHERE run = ? AND series IN ({series})");
            transaction.execute(&sql, [run])?;
            Ok(())
        })
    }

    /// Adds all samples or, on error, none. Once this returns, they survive the death of the process.
    pub fn add_samples(&mut self, samples: &[(SeriesId, Sample)]) -> Result<(), StoreError> {
        self.write(|transaction| Ok(insert_samples(transaction, samples.iter().copied())?))
    }

    /// Updates a series except its samples, and marks it finished if `is_finished`.
    pub fn update_series(&mut self, id: SeriesId, series: &Series, is_finished: bool) -> Result<(), StoreError> {
        self.write(|transaction| {
            let marks = vec!["?"; column::SERIES.split(',').count()].join(", ");
            let sql = format!(
                "UPDATE series SET ({}) = ({marks}), finished = finished OR ? WHERE number = ?",
                column::SERIES
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            column::bind_series(&mut statement, 1, series)?;
            let last = statement.parameter_count();
            statement.raw_bind_parameter(last - 1, is_finished)?;
            statement.raw_bind_parameter(last, id.series)?;
            statement.raw_execute()?;
            Ok(())
        })
    }

    /// Updates a run that has stopped, and records whether the run is complete.
    pub fn end_run(&mut self, run: &Run) -> Result<(), StoreError> {
        self.set_log_pages(LOG_PAGES)?;
        self.write_to(&run.id, |transaction, number| {
            transaction.execute(
                "UPDATE run SET complete = ?2, seconds = ?3, method = ?4, notes = ?5, libraries = ?6,
                            omissions = ?7
                     WHERE number = ?1",
                (
                    number,
                    run.complete,
                    column::finite(run.seconds),
                    Json(stored(&run.method)),
                    Json(&run.notes),
                    Json(&run.libraries),
                    Json(&run.omissions),
                ),
            )?;
            Ok(())
        })
    }

    /// Adds all documents or, on error, such as [`StoreError::DuplicateRun`], none.
    pub fn add_documents<'d>(&mut self, documents: impl IntoIterator<Item = &'d Document>) -> Result<(), StoreError> {
        self.write(|transaction| {
            for document in documents {
                let number = insert_run(transaction, document, &document.run)?;
                for series in &document.series {
                    let id = insert_series(transaction, number, series, true)?;
                    insert_samples(transaction, series.samples.iter().map(|sample| (id, *sample)))?;
                }
            }
            Ok(())
        })
    }

    /// Deletes all runs in `ids` or, on error, no run. Shrinks the file unless another process is using the store.
    pub fn delete_runs(&mut self, ids: &[String]) -> Result<(), StoreError> {
        // For each deleted series SQLite would search all samples of all runs for a reference to it.
        self.set_foreign_keys(false)?;
        let deleted = self.write(|transaction| {
            for id in ids {
                let Some(number) = run_number(transaction, id)? else { continue };
                for sql in [
                    "DELETE FROM sample WHERE run = ?",
                    "DELETE FROM series WHERE run = ?",
                    "DELETE FROM run WHERE number = ?",
                ] {
                    transaction.execute(sql, [number])?;
                }
            }
            transaction.execute("DELETE FROM device WHERE number NOT IN (SELECT device FROM run)", [])?;
            Ok(())
        });
        self.set_foreign_keys(true)?;
        deleted?;
        let _ = self.connection.execute_batch("VACUUM"); // the store is intact without it
        Ok(())
    }

    fn set_foreign_keys(&self, are_checked: bool) -> Result<(), StoreError> {
        self.read(|| self.connection.pragma_update(None, "foreign_keys", are_checked))
    }

    fn write<T>(&mut self, write: impl FnOnce(&Transaction<'_>) -> Result<T, InternalError>) -> Result<T, StoreError> {
        let written = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let written = write(&transaction)?;
            transaction.commit()?;
            Ok(written)
        };
        written(&mut self.connection).map_err(|error: InternalError| error.of(&self.path))
    }

    /// Calls `write` in a transaction with the number of the run called `run`.
    fn write_to<T>(
        &mut self,
        run: &str,
        write: impl FnOnce(&Transaction<'_>, i64) -> Result<T, InternalError>,
    ) -> Result<T, StoreError> {
        let written = self
            .write(|transaction| run_number(transaction, run)?.map(|number| write(transaction, number)).transpose())?;
        written.ok_or_else(|| self.unknown(run))
    }

    pub(crate) fn set_log_pages(&self, pages: u32) -> Result<(), StoreError> {
        // The pragma returns the new value.
        let set = |row: &rusqlite::Row<'_>| row.get::<_, u32>(0).map(drop);
        self.read(|| self.connection.pragma_update_and_check(None, "wal_autocheckpoint", pages, set))
    }
}

/// Returns `method` without noise floors that are not finite, which JSON cannot hold.
fn stored(method: &Method) -> Method {
    let mut method = method.clone();
    method.noise_floors.retain(|_, floor| floor.is_finite());
    method
}

fn insert_run(transaction: &Transaction<'_>, document: &Document, run: &Run) -> Result<i64, InternalError> {
    // Without `..`: a field that is added to the document does not compile until it is stored.
    let Document { schema: _, run: _, machine, series: _ } = document;
    let Run { id, started, kasoku, command, complete, seconds, method, notes, libraries, omissions, origin, label } =
        run;
    if id.is_empty() {
        return Err(StoreError::NamelessRun.into());
    }
    if run_number(transaction, id)?.is_some() {
        return Err(StoreError::DuplicateRun(id.clone()).into());
    }
    let device = known::device(transaction, &MachineIdentity::from(machine))?;
    let mut statement = transaction.prepare_cached(
        "INSERT INTO run (id, started, kasoku, command, complete, seconds, method, notes, libraries, omissions,
                          machine, origin, device, os, label)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    statement.execute((
        id,
        started,
        kasoku,
        command,
        complete,
        column::finite(*seconds),
        Json(stored(method)),
        Json(notes),
        Json(libraries),
        Json(omissions),
        Json(machine),
        Json(origin),
        device,
        &machine.os,
        label,
    ))?;
    Ok(transaction.last_insert_rowid())
}

fn insert_series(
    transaction: &Transaction<'_>,
    run: i64,
    series: &Series,
    finished: bool,
) -> Result<SeriesId, InternalError> {
    let marks = vec!["?"; column::SERIES.split(',').count()].join(", ");
    let sql = format!(
        "INSERT INTO series (run, finished, position, {})
         VALUES (?1, ?2, (SELECT coalesce(max(position) + 1, 0) FROM series WHERE run = ?1), {marks})",
        column::SERIES
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    statement.raw_bind_parameter(1, run)?;
    statement.raw_bind_parameter(2, finished)?;
    column::bind_series(&mut statement, 3, series)?;
    statement.raw_execute()?;
    Ok(SeriesId { run, series: transaction.last_insert_rowid() })
}

fn insert_samples(
    transaction: &Transaction<'_>,
    samples: impl Iterator<Item = (SeriesId, Sample)>,
) -> rusqlite::Result<()> {
    let mut last =
        transaction.prepare_cached("SELECT sequence FROM sample WHERE run = ? ORDER BY sequence DESC LIMIT 1")?;
    let mut insert = transaction.prepare_cached(&format!(
        "INSERT INTO sample (run, sequence, series, {}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        column::SAMPLE
    ))?;
    // Run and sequence number of the previous sample. A caller may mix samples of several runs.
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
