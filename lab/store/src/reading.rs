//! Reads the list of runs, and whole runs.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Error, OptionalExtension, Params, Row, Transaction};
use serde::Serialize;

use crate::column::{self, Json};
use crate::error::harmless;
use crate::{Store, StoreError, run_number};
use kasoku_model::document::{Document, Origin, OriginKind, Run, SCHEMA};

/// Order of runs: measured ones, the newest first, then those from elsewhere, which often have no date.
pub(crate) const NEWEST_FIRST: &str = "origin <> 'null', started DESC, run.number DESC";

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub started: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub cpu: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginKind>,
    pub kasoku: String,
    pub command: String,
    pub complete: bool,
    pub series: u64,
    /// Number of series that finished without a figure or unverified. Figures from elsewhere, benchmarks with their own
    /// clock, controls and test doubles do not count.
    pub failed: u64,
}

impl RunSummary {
    pub fn machine(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }
}

impl Store {
    pub fn contains(&self, run: &str) -> Result<bool, StoreError> {
        self.read(|| self.connection.prepare_cached("SELECT 1 FROM run WHERE id = ?")?.exists([run]))
    }

    /// Returns all readable runs, in order, and adds unreadable runs to [`Store::unread`].
    pub fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        let sql = format!(
            "SELECT run.number, id, started, kasoku, command, complete, name, cpu, origin,
                 (SELECT count(*) FROM series WHERE series.run = run.number),
                 CASE WHEN origin = 'null'
                     THEN (SELECT count(*) FROM series WHERE series.run = run.number AND finished
                           AND (median IS NULL OR NOT (verified OR role IN ('bound', 'own-clock')))
                           AND NOT (role = 'test-double' OR instr(details, '\"control\":true')))
                     ELSE 0 END,
                 label
             FROM run JOIN device ON device.number = run.device ORDER BY {NEWEST_FIRST}"
        );
        self.query_runs(&sql, (), summary)
    }

    /// Checks the file with `PRAGMA integrity_check` and reads every run. Returns SQLite's findings, up to 100, and
    /// adds unreadable runs to [`Store::unread`].
    pub fn verify(&self) -> Result<Vec<String>, StoreError> {
        self.read(|| {
            let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
            let findings = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
            if findings != ["ok"] {
                return Ok(findings.iter().map(harmless).collect());
            }
            let view = self.connection.unchecked_transaction()?;
            let mut statement = view.prepare("SELECT number FROM run")?;
            for number in statement.query_map([], |row| row.get(0))? {
                let number = number?;
                self.readable(number, load(&view, number))?;
            }
            Ok(Vec::new())
        })
    }

    /// Returns the names of the unreadable runs that queries left out so far, with the reasons.
    pub fn unread(&self) -> BTreeMap<String, String> {
        self.unread.borrow().clone()
    }

    /// Returns the full name of the run that `name` stands for.
    ///
    /// `last` is the newest run, `last-1` the one before, and so on; runs from elsewhere come after all measured ones.
    /// Otherwise `name` is a full name, a label (of the newest run that has it), or the beginning of exactly one name.
    pub fn find(&self, name: &str) -> Result<String, StoreError> {
        let ids = self.ids()?;
        if ids.is_empty() {
            return Err(StoreError::Empty(self.path.clone()));
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

    /// Returns the run with exactly this name. Series that were not finished have samples but no `median`.
    pub fn load(&self, run: &str) -> Result<Document, StoreError> {
        let fail = |error| StoreError::from_sqlite(&self.path, &error);
        // One transaction, because a run may be measuring into the store.
        let transaction = self.connection.unchecked_transaction().map_err(fail)?;
        let Some(number) = run_number(&transaction, run).map_err(fail)? else {
            return Err(self.unknown(run));
        };
        load(&transaction, number)
            .map_err(|error| self.unreadable(number, error).map_or_else(fail, |(_, unreadable)| unreadable))
    }

    fn labelled(&self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = format!("SELECT id FROM run WHERE label = ? ORDER BY {NEWEST_FIRST} LIMIT 1");
        self.read(|| self.connection.query_row(&sql, [name], |row| row.get(0)).optional())
    }

    pub(crate) fn ids(&self) -> Result<Vec<String>, StoreError> {
        self.query_runs(&format!("SELECT number, id FROM run ORDER BY {NEWEST_FIRST}"), (), |row| row.get(1))
    }

    /// Maps the rows of a query with `read`. The first column must be the number of a run. Unreadable rows are left
    /// out, and their runs added to [`Store::unread`].
    pub(crate) fn query_runs<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(|| {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query(parameters)?;
            let mut all = Vec::new();
            while let Some(row) = rows.next()? {
                all.extend(self.readable(row.get(0)?, read(row))?);
            }
            Ok(all)
        })
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce() -> rusqlite::Result<T>) -> Result<T, StoreError> {
        read().map_err(|error| StoreError::from_sqlite(&self.path, &error))
    }

    /// Returns the value that `read` holds. If a column of the run is unreadable, returns `None` and adds the run to
    /// [`Store::unread`]. Other errors are returned.
    pub(crate) fn readable<T>(&self, run: i64, read: rusqlite::Result<T>) -> rusqlite::Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) => {
                let (id, error) = self.unreadable(run, error)?;
                self.unread.borrow_mut().insert(id, error.to_string());
                Ok(None)
            }
        }
    }

    /// Returns the name of run number `run` and [`StoreError::UnreadableRun`] if `error` is about a column of this run.
    /// Returns other errors, which concern the whole store, unchanged.
    fn unreadable(&self, run: i64, error: Error) -> rusqlite::Result<(String, StoreError)> {
        let why = match error {
            Error::FromSqlConversionFailure(_, _, cause) => harmless(&cause),
            Error::InvalidColumnType(..) | Error::IntegralValueOutOfRange(..) | Error::Utf8Error(..) => {
                harmless(&error)
            }
            error => return Err(error),
        };
        let mut statement = self.connection.prepare_cached("SELECT id, kasoku FROM run WHERE number = ?")?;
        statement.query_row([run], |row| {
            let text = |column| -> rusqlite::Result<String> {
                Ok(String::from_utf8_lossy(row.get_ref(column)?.as_bytes()?).into_owned())
            };
            let (id, kasoku) = (text(0)?, text(1)?);
            Ok((id.clone(), StoreError::UnreadableRun { id, why, kasoku }))
        })
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    Ok(RunSummary {
        id: row.get(1)?,
        started: row.get(2)?,
        kasoku: row.get(3)?,
        command: row.get(4)?,
        complete: row.get(5)?,
        name: row.get::<_, Option<String>>(6)?.filter(|name| !name.is_empty()),
        cpu: row.get(7)?,
        origin: row.get::<_, Json<Option<Origin>>>(8)?.0.map(|origin| origin.kind),
        series: row.get::<_, i64>(9)?.cast_unsigned(),
        failed: row.get::<_, i64>(10)?.cast_unsigned(),
        label: row.get(11)?,
    })
}

fn load(transaction: &Transaction<'_>, number: i64) -> rusqlite::Result<Document> {
    let mut document = transaction.query_row(
        "SELECT id, started, kasoku, command, complete, seconds, method, notes, libraries, omissions, origin, label,
                machine
         FROM run WHERE number = ?",
        [number],
        |row| {
            Ok(Document {
                schema: SCHEMA,
                run: Run {
                    id: row.get(0)?,
                    started: row.get(1)?,
                    kasoku: row.get(2)?,
                    command: row.get(3)?,
                    complete: row.get(4)?,
                    seconds: row.get(5)?,
                    method: row.get::<_, Json<_>>(6)?.0,
                    notes: row.get::<_, Json<_>>(7)?.0,
                    libraries: row.get::<_, Json<_>>(8)?.0,
                    omissions: row.get::<_, Json<_>>(9)?.0,
                    origin: row.get::<_, Json<_>>(10)?.0,
                    label: row.get(11)?,
                },
                machine: row.get::<_, Json<_>>(12)?.0,
                series: Vec::new(),
            })
        },
    )?;

    let mut places = HashMap::new();
    let mut statement = transaction
        .prepare(&format!("SELECT number, {} FROM series WHERE run = ? ORDER BY position", column::SERIES))?;
    let mut rows = statement.query([number])?;
    while let Some(row) = rows.next()? {
        places.insert(row.get::<_, i64>(0)?, document.series.len());
        document.series.push(column::series(row, 1)?);
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
    Ok(document)
}
