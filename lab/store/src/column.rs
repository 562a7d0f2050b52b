//! Converts series and samples to columns and back.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Error, Row, Statement};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use kasoku_model::document::{Outcome, Sample, Series};

/// Columns of a series that are written when it is planned and again when it is finished.
pub(super) const SERIES: &str = "level, operation, algorithm, bytes, library, library_version, acceleration, \
    code_path, unit, median, ci95_low, ci95_high, cycles_per_byte, verified, failure, role, note, details";

/// Binds the columns [`SERIES`] to the parameters from `first` on. Samples are stored by [`bind_sample`].
pub(super) fn bind_series(statement: &mut Statement<'_>, first: usize, series: &Series) -> rusqlite::Result<()> {
    // Without `..`: a field that is added to the document does not compile until it is stored.
    let Series {
        level,
        operation,
        algorithm,
        bytes,
        library,
        library_version,
        role,
        acceleration,
        code_path,
        unit,
        samples: _,
        median,
        ci95,
        cycles_per_byte,
        outcome,
        note,
        details,
    } = series;
    let [low, high] = match ci95 {
        Some([low, high]) if low.is_finite() && high.is_finite() => [Some(*low), Some(*high)],
        _ => [None, None],
    };
    let failure = if let Outcome::Failed(why) = outcome { Some(why) } else { None };
    let values: [&dyn ToSql; 18] = [
        &Named(level),
        &Named(operation),
        &Named(algorithm),
        &(*bytes as u64).cast_signed(),
        library,
        library_version,
        &Named(acceleration),
        code_path,
        &Named(unit),
        &finite(*median),
        &low,
        &high,
        &finite(*cycles_per_byte),
        &(*outcome == Outcome::Measured),
        &failure,
        &Named(role),
        note,
        &Json(details),
    ];
    values.into_iter().enumerate().try_for_each(|(index, value)| statement.raw_bind_parameter(first + index, value))
}

/// Reads a series without samples from the columns [`SERIES`], which start at `first`.
pub(super) fn series(row: &Row<'_>, first: usize) -> rusqlite::Result<Series> {
    let ci95: [Option<f64>; 2] = [row.get(first + 10)?, row.get(first + 11)?];
    Ok(Series {
        level: row.get::<_, Named<_>>(first)?.0,
        operation: row.get::<_, Named<_>>(first + 1)?.0,
        algorithm: row.get::<_, Named<_>>(first + 2)?.0,
        bytes: size(row, first + 3)?,
        library: row.get(first + 4)?,
        library_version: row.get(first + 5)?,
        acceleration: row.get::<_, Named<_>>(first + 6)?.0,
        code_path: row.get(first + 7)?,
        unit: row.get::<_, Named<_>>(first + 8)?.0,
        samples: Vec::new(),
        median: row.get(first + 9)?,
        ci95: ci95[0].zip(ci95[1]).map(|(low, high)| [low, high]),
        cycles_per_byte: row.get(first + 12)?,
        outcome: match (row.get(first + 13)?, row.get(first + 14)?) {
            (_, Some(why)) => Outcome::Failed(why),
            (true, None) => Outcome::Measured,
            (false, None) => Outcome::Unverified,
        },
        role: row.get::<_, Named<_>>(first + 15)?.0,
        note: row.get(first + 16)?,
        details: row.get::<_, Json<_>>(first + 17)?.0,
    })
}

pub(super) const SAMPLE: &str = "process, round, iterations, ns, cpu_ns, dropped, core_hz, sides, disturbed";

/// Executes a statement with the columns run, sequence and series (`key`), then [`SAMPLE`].
pub(super) fn bind_sample(statement: &mut Statement<'_>, key: [i64; 3], sample: &Sample) -> rusqlite::Result<()> {
    let Sample { process, round, iterations, ns, cpu_ns, dropped, core_hz, sides, disturbed } = *sample;
    let [run, sequence, series] = key;
    let (iterations, ns, cpu_ns) = (iterations.cast_signed(), ns.cast_signed(), cpu_ns.cast_signed());
    let (core_hz, sides) = (finite(core_hz), sides.map(Json));
    statement
        .execute((run, sequence, series, process, round, iterations, ns, cpu_ns, dropped, core_hz, sides, disturbed))
        .map(drop)
}

/// Reads a sample from the columns [`SAMPLE`], which start at `first`.
pub(super) fn sample(row: &Row<'_>, first: usize) -> rusqlite::Result<Sample> {
    let count = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    Ok(Sample {
        process: row.get(first)?,
        round: row.get(first + 1)?,
        iterations: count(first + 2)?,
        ns: count(first + 3)?,
        cpu_ns: count(first + 4)?,
        dropped: row.get(first + 5)?,
        core_hz: row.get(first + 6)?,
        sides: row.get::<_, Option<Json<_>>>(first + 7)?.map(|Json(sides)| sides),
        disturbed: row.get(first + 8)?,
    })
}

pub(super) fn size(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    row.get::<_, i64>(column).map(|bytes| usize::try_from(bytes.cast_unsigned()).unwrap_or(usize::MAX))
}

/// Returns `figure` if it is finite. JSON cannot hold other figures.
pub(super) fn finite(figure: Option<f64>) -> Option<f64> {
    figure.filter(|figure| figure.is_finite())
}

pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0).map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map(Json).map_err(FromSqlError::other)
    }
}

struct Named<T>(T);

impl<T: Serialize> ToSql for Named<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_value(&self.0).map_err(|error| Error::ToSqlConversionFailure(error.into()))? {
            Value::String(name) => Ok(name.into()),
            other => Err(Error::ToSqlConversionFailure(format!("{other} is no name").into())),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Named<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = Value::from(value.as_str()?);
        serde_json::from_value(name).map(Named).map_err(FromSqlError::other)
    }
}
