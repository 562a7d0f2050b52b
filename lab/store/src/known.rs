//! Queries over all runs: which machines there are, and the figures of one workload.
//!
//! Covering indexes answer them, so that a store of ten thousand runs responds at once.

use std::collections::{BTreeMap, HashSet};

use rusqlite::types::FromSqlError;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::collection::RankingQuestion;
use super::column::{self, Json};
use super::reading::NEWEST_FIRST;
use super::{Store, StoreError};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Machine, Origin, Series};
use kasoku_model::level::Level;
use kasoku_model::workload::Operation;

/// Name and hardware by which runs are assigned to machines: runs with equal values count as runs of one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MachineIdentity {
    pub name: Option<String>,
    pub cpu: String,
    pub arch: String,
    /// Number of logical CPUs of the machine, including those that the run was not allowed to use.
    pub cores: usize,
    pub hypervisor: Option<String>,
}

impl MachineIdentity {
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }

    /// Whether this machine and `other` have the same hardware, even if their names differ.
    pub fn is_same_hardware(&self, other: &MachineIdentity) -> bool {
        (&self.cpu, &self.arch, self.cores, &self.hypervisor)
            == (&other.cpu, &other.arch, other.cores, &other.hypervisor)
    }
}

impl From<&Machine> for MachineIdentity {
    fn from(machine: &Machine) -> Self {
        // The column has an empty string for no name.
        let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        MachineIdentity {
            name: some(&machine.name),
            cpu: machine.cpu.clone(),
            arch: machine.arch.clone(),
            cores: machine.logical_cpus.unwrap_or(machine.cores),
            hypervisor: some(&machine.hypervisor),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRun {
    number: i64,
    pub id: String,
    /// Start time; empty if unknown.
    pub started: String,
    /// Version of Kasoku; empty if Kasoku did not measure the run.
    pub kasoku: String,
    pub complete: bool,
    /// Index in [`KnownRuns::machines`].
    pub machine: usize,
    pub os: Option<String>,
    pub origin: Option<Origin>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownRuns {
    pub machines: Vec<MachineIdentity>,
    /// Measured runs, the newest first, then runs from elsewhere.
    pub runs: Vec<KnownRun>,
    /// Indexes in `runs` by the number of the run in the store.
    places: BTreeMap<i64, usize>,
}

impl KnownRun {
    /// Whether the run is complete and measured, so that rankings and histories may use it.
    pub(crate) fn is_ranked(&self) -> bool {
        self.complete && self.origin.is_none()
    }
}

impl KnownRuns {
    /// Returns the index in [`runs`](Self::runs) of a figure's run.
    pub fn place(&self, figure: &KnownFigure) -> Option<usize> {
        self.places.get(&figure.run).copied()
    }

    pub(crate) fn without(mut self, names: &HashSet<String>) -> KnownRuns {
        self.runs.retain(|run| !names.contains(&run.id));
        self.find_places();
        self
    }

    fn find_places(&mut self) {
        self.places = self.runs.iter().enumerate().map(|(place, run)| (run.number, place)).collect();
    }

    /// Returns the runs that Kasoku measured on the hardware of `machine`, the newest first.
    pub fn measured_on(&self, machine: &Machine) -> impl Iterator<Item = &KnownRun> {
        let identity = MachineIdentity::from(machine);
        self.runs
            .iter()
            .filter(move |run| run.origin.is_none() && self.machines[run.machine].is_same_hardware(&identity))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct KnownFigure {
    run: i64,
    series: i64,
    pub bytes: usize,
    pub library: String,
    pub verified: bool,
    pub median: f64,
}

impl Store {
    /// Returns all runs and their machines. Unreadable runs are left out and added to [`Store::unread`].
    pub fn known(&self) -> Result<KnownRuns, StoreError> {
        // One transaction, because another process may add a run and its machine between the two queries.
        let _view = self.read(|| self.connection.unchecked_transaction())?;
        let mut known = KnownRuns::default();
        let mut numbers = Vec::new();
        self.read(|| {
            let mut statement = self
                .connection
                .prepare("SELECT number, name, cpu, arch, cores, hypervisor FROM device ORDER BY number")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                // Runs of an unreadable machine are found unreadable below.
                let Ok(machine) = identity(row) else { continue };
                numbers.push(row.get::<_, i64>(0)?);
                known.machines.push(machine);
            }
            Ok(())
        })?;
        let columns = "number, id, started, kasoku, complete, device, os, origin";
        let sql = format!("SELECT {columns} FROM run ORDER BY {NEWEST_FIRST}");
        known.runs = self.query_runs(&sql, (), |row| known_run(row, &numbers))?;
        known.find_places();
        Ok(known)
    }

    /// Returns the figures for a question, verified or not, at the size `bytes` or at every size.
    pub(crate) fn figures(
        &self,
        question: &RankingQuestion,
        bytes: Option<usize>,
    ) -> Result<Vec<KnownFigure>, StoreError> {
        let bytes = bytes.map(|bytes| (bytes as u64).cast_signed());
        let library = question.library.as_deref();
        let mut sql = String::from(
            "SELECT run, number, bytes, library, verified, median FROM series INDEXED BY series_by_workload
             WHERE level = 'primitives' AND verified IN (0, 1) AND algorithm = ?1 AND operation = ?2
               AND acceleration = ?3 AND median IS NOT NULL",
        );
        sql.push_str(if bytes.is_some() { " AND bytes = ?4" } else { " AND ?4 IS NULL" });
        sql.push_str(if library.is_some() { " AND library = ?5" } else { " AND ?5 IS NULL" });
        let (algorithm, operation) = (question.algorithm.name(), question.operation.name());
        let parameters = params![algorithm, operation, question.acceleration.name(), bytes, library];
        self.query_runs(&sql, parameters, known_figure)
    }

    /// Returns each algorithm, operation and library with figures at the level `primitives`. Unreadable rows and names
    /// unknown to this version are left out.
    pub fn workloads(&self) -> Result<Vec<(Algorithm, Operation, String)>, StoreError> {
        self.read(|| {
            let mut statement = self.connection.prepare(
                "SELECT DISTINCT algorithm, operation, library FROM series INDEXED BY series_by_workload
                 WHERE level = 'primitives' AND verified IN (0, 1) AND median IS NOT NULL",
            )?;
            let mut rows = statement.query([])?;
            let mut workloads = Vec::new();
            while let Some(row) = rows.next()? {
                let texts = [0, 1, 2].map(|column: usize| row.get::<_, String>(column));
                let [Ok(algorithm), Ok(operation), Ok(library)] = texts else { continue };
                if let (Ok(algorithm), Ok(operation)) = (algorithm.parse(), operation.parse()) {
                    workloads.push((algorithm, operation, library));
                }
            }
            Ok(workloads)
        })
    }

    pub fn has_level(&self, run: &KnownRun, level: Level) -> Result<bool, StoreError> {
        self.read(|| {
            let sql = "SELECT 1 FROM series WHERE run = ? AND level = ? AND median IS NOT NULL";
            self.connection.prepare_cached(sql)?.exists(params![run.number, level.name()])
        })
    }

    /// Whether the runs `first` and `second` measured a common workload on the same library in the same acceleration
    /// state.
    pub fn share_workloads(&self, first: &str, second: &str) -> Result<bool, StoreError> {
        self.read(|| {
            let workloads_of = |name: &str| {
                format!(
                    "SELECT level, operation, algorithm, bytes, library, acceleration FROM series
                     WHERE run = (SELECT number FROM run WHERE id = {name}) AND failure IS NULL AND role = 'library'"
                )
            };
            let sql = format!("{} INTERSECT {}", workloads_of("?1"), workloads_of("?2"));
            self.connection.prepare_cached(&sql)?.exists([first, second])
        })
    }

    /// Returns the machine of a run. If it is unreadable, returns `None` and adds the run to [`Store::unread`].
    pub fn machine_of(&self, run: &KnownRun) -> Result<Option<Machine>, StoreError> {
        self.read(|| {
            let sql = "SELECT machine FROM run WHERE number = ?";
            let mut statement = self.connection.prepare_cached(sql)?;
            let machine = statement.query_row([run.number], |row| Ok(row.get::<_, Json<_>>(0)?.0));
            self.readable(run.number, machine)
        })
    }

    /// Returns the series without samples. If unreadable, returns `None` and adds the run to [`Store::unread`].
    pub fn series_of(&self, figure: &KnownFigure) -> Result<Option<Series>, StoreError> {
        self.read(|| {
            let sql = format!("SELECT {} FROM series WHERE number = ?", column::SERIES);
            let mut statement = self.connection.prepare_cached(&sql)?;
            let series = statement.query_row([figure.series], |row| column::series(row, 0));
            self.readable(figure.run, series)
        })
    }
}

fn identity(row: &Row<'_>) -> rusqlite::Result<MachineIdentity> {
    let some = |column: usize| row.get::<_, String>(column).map(|text| Some(text).filter(|text| !text.is_empty()));
    Ok(MachineIdentity {
        name: some(1)?,
        cpu: row.get(2)?,
        arch: row.get(3)?,
        cores: column::size(row, 4)?,
        hypervisor: some(5)?,
    })
}

/// Reads a run. `devices` holds the numbers of the known machines, ascending.
fn known_run(row: &Row<'_>, devices: &[i64]) -> rusqlite::Result<KnownRun> {
    let machine = devices.binary_search(&row.get(5)?);
    Ok(KnownRun {
        number: row.get(0)?,
        id: row.get(1)?,
        started: row.get(2)?,
        kasoku: row.get(3)?,
        complete: row.get(4)?,
        machine: machine.map_err(|_| FromSqlError::Other("its machine cannot be read".into()))?,
        os: row.get(6)?,
        origin: row.get::<_, Json<_>>(7)?.0,
    })
}

fn known_figure(row: &Row<'_>) -> rusqlite::Result<KnownFigure> {
    Ok(KnownFigure {
        run: row.get(0)?,
        series: row.get(1)?,
        bytes: column::size(row, 2)?,
        library: row.get(3)?,
        verified: row.get(4)?,
        median: row.get(5)?,
    })
}

/// Returns the number of a machine in the table `device`; adds it if it is new.
pub(super) fn device(transaction: &Transaction<'_>, identity: &MachineIdentity) -> rusqlite::Result<i64> {
    let MachineIdentity { name, cpu, arch, cores, hypervisor } = identity;
    let values = params![
        name.as_deref().unwrap_or_default(),
        cpu,
        arch,
        (*cores as u64).cast_signed(),
        hypervisor.as_deref().unwrap_or_default()
    ];
    let mut find = transaction
        .prepare_cached("SELECT number FROM device WHERE (name, cpu, arch, cores, hypervisor) = (?, ?, ?, ?, ?)")?;
    if let Some(number) = find.query_row(values, |row| row.get(0)).optional()? {
        return Ok(number);
    }
    transaction.execute("INSERT INTO device (name, cpu, arch, cores, hypervisor) VALUES (?, ?, ?, ?, ?)", values)?;
    Ok(transaction.last_insert_rowid())
}
