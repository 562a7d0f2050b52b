//! The parts of a document as columns, and back.

use rusqlite::types::Type;
use rusqlite::{Error, Row, Statement};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::StoreError;
use super::error::{Fault, harmless};
use kasoku_model::document::{Method, Outcome, Sample, Series, Sides};

/// The columns of a series that are written when it is planned and again when it is finished.
pub(super) const SERIES: &str = "level, operation, algorithm, bytes, library, library_version, acceleration, \
    code_path, unit, median, ci95_low, ci95_high, cycles_per_byte, verified, failure, role, note, parameters";

/// Binds the columns [`SERIES`] from the parameter `first` on. The samples are not among them.
pub(super) fn bind_series(statement: &mut Statement<'_>, first: usize, series: &Series) -> Result<(), Fault> {
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
        parameters,
    } = series;
    let [low, high] = match ci95 {
        Some([low, high]) if low.is_finite() && high.is_finite() => [Some(*low), Some(*high)],
        _ => [None, None],
    };
    let mut next = first;
    let mut bind = |value: &dyn rusqlite::ToSql| {
        next += 1;
        statement.raw_bind_parameter(next - 1, value)
    };
    bind(level)?;
    bind(&name("an operation", operation)?)?;
    bind(&name("an algorithm", algorithm)?)?;
    bind(&(*bytes as u64).cast_signed())?;
    bind(library)?;
    bind(library_version)?;
    bind(&name("an acceleration state", acceleration)?)?;
    bind(code_path)?;
    bind(&name("a unit", unit)?)?;
    bind(&finite(*median))?;
    bind(&low)?;
    bind(&high)?;
    bind(&finite(*cycles_per_byte))?;
    bind(&(*outcome == Outcome::Measured))?;
    bind(&if let Outcome::Failed(why) = outcome { Some(why) } else { None })?;
    bind(&name("a role", role)?)?;
    bind(note)?;
    bind(&json("the parameters of a series", parameters)?)?;
    Ok(())
}

/// The series in a row that has the columns [`SERIES`] from `first` on, without samples.
pub(super) fn series(row: &Row<'_>, first: usize) -> Result<Series, UnreadableRow> {
    let mut next = first;
    let mut column = || {
        next += 1;
        next - 1
    };
    Ok(Series {
        level: row.get(column())?,
        operation: named("operation", row.get(column())?)?,
        algorithm: named("algorithm", row.get(column())?)?,
        bytes: {
            let bytes = row.get::<_, i64>(column())?.cast_unsigned();
            usize::try_from(bytes).map_err(|_| UnreadableRow::Meaning(format!("{bytes} bytes are too many")))?
        },
        library: row.get(column())?,
        library_version: row.get(column())?,
        acceleration: named("acceleration state", row.get(column())?)?,
        code_path: row.get(column())?,
        unit: named("unit", row.get(column())?)?,
        samples: Vec::new(),
        median: figure(row, column())?,
        ci95: {
            let interval = [figure(row, column())?, figure(row, column())?];
            interval[0].zip(interval[1]).map(|(low, high)| [low, high])
        },
        cycles_per_byte: figure(row, column())?,
        outcome: match (row.get(column())?, row.get(column())?) {
            (_, Some(why)) => Outcome::Failed(why),
            (true, None) => Outcome::Measured,
            (false, None) => Outcome::Unverified,
        },
        role: named("role", row.get(column())?)?,
        note: row.get(column())?,
        parameters: from_json(column(), row)?,
    })
}

/// The columns of a sample.
pub(super) const SAMPLE: &str = "process, round, iterations, ns, cpu_ns, dropped, core_hz, sides, disturbed";

/// The values of the columns [`SAMPLE`], for parameters after `before`.
pub(super) fn bind_sample(statement: &mut Statement<'_>, before: [i64; 3], sample: &Sample) -> rusqlite::Result<()> {
    let Sample { process, round, iterations, ns, cpu_ns, dropped, core_hz, sides, disturbed } = *sample;
    let [run, sequence, series] = before;
    let (iterations, ns, cpu_ns) = (iterations.cast_signed(), ns.cast_signed(), cpu_ns.cast_signed());
    let written = |sides| serde_json::to_string(&sides).map_err(|error| Error::ToSqlConversionFailure(error.into()));
    let sides = sides.map(written).transpose()?;
    let core_hz = finite(core_hz);
    statement
        .execute((run, sequence, series, process, round, iterations, ns, cpu_ns, dropped, core_hz, sides, disturbed))
        .map(drop)
}

/// The sample in a row that has the columns [`SAMPLE`] from `first` on.
pub(super) fn sample(row: &Row<'_>, first: usize) -> rusqlite::Result<Sample> {
    let count = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    Ok(Sample {
        process: row.get(first)?,
        round: row.get(first + 1)?,
        iterations: count(first + 2)?,
        ns: count(first + 3)?,
        cpu_ns: count(first + 4)?,
        dropped: row.get(first + 5)?,
        core_hz: figure(row, first + 6)?,
        sides: row.get::<_, Option<String>>(first + 7)?.map(|text| sides(&text, first + 7)).transpose()?,
        disturbed: row.get(first + 8)?,
    })
}

fn sides(text: &str, column: usize) -> rusqlite::Result<Sides> {
    serde_json::from_str(text).map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}

/// A figure that is one. What is not finite says nothing, and JSON has no word for it.
pub(super) fn finite(figure: Option<f64>) -> Option<f64> {
    figure.filter(|figure| figure.is_finite())
}

/// The figure in that column: the store may be somebody else's.
pub(super) fn figure(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<f64>> {
    row.get(column).map(finite)
}

/// `method` without figures that are not finite.
pub(super) fn finite_method(method: &Method) -> Method {
    let Method {
        processes,
        rounds,
        slice_ms,
        core_clock,
        core_hz,
        noise_floor,
        noise_floors,
        noise_floor_library,
        loop_ns,
        limits,
        remarks,
    } = method.clone();
    Method {
        processes,
        rounds,
        slice_ms: finite(Some(slice_ms)).unwrap_or_default(),
        core_clock,
        core_hz: finite(core_hz),
        noise_floor: finite(noise_floor),
        noise_floors: noise_floors.into_iter().filter(|(_, floor)| floor.is_finite()).collect(),
        noise_floor_library,
        loop_ns: finite(loop_ns),
        limits,
        remarks,
    }
}

/// `value` as JSON that is read back as the same value; `what` names it.
pub(super) fn json<T: Serialize + DeserializeOwned + PartialEq>(
    what: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    let text = serde_json::to_string(value).map_err(|error| not_storable(what, &error))?;
    // What cannot be read back (too long, nested too deeply) is refused now, and not when somebody needs it.
    if text.len() > MAX_JSON {
        return Err(not_storable(what, &format!("it has {} bytes; at most {MAX_JSON} are stored", text.len())));
    }
    match serde_json::from_str::<T>(&text) {
        Ok(back) if back == *value => Ok(text),
        Ok(_) => Err(not_storable(what, &"it is not read back as it was written")),
        Err(error) => Err(not_storable(what, &error)),
    }
}

/// The most bytes of JSON in one column: values take up to a hundred times as much memory as their text.
const MAX_JSON: usize = 1 << 20;

/// The value of a JSON column.
pub(super) fn from_json<T: DeserializeOwned>(column: usize, row: &Row<'_>) -> Result<T, UnreadableRow> {
    let text: String = row.get(column)?;
    if text.len() > MAX_JSON {
        return Err(UnreadableRow::Meaning(format!(
            "it has {} bytes in one place; at most {MAX_JSON} are read",
            text.len()
        )));
    }
    serde_json::from_str(&text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => UnreadableRow::Meaning(harmless(&error)),
        _ => UnreadableRow::Sqlite(rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))),
    })
}

/// Why a row could not be read.
pub(super) enum UnreadableRow {
    /// SQLite could not.
    Sqlite(rusqlite::Error),
    /// It says something that this version has no word for.
    Meaning(String),
}

impl From<rusqlite::Error> for UnreadableRow {
    fn from(error: rusqlite::Error) -> Self {
        UnreadableRow::Sqlite(error)
    }
}

/// The name that a value has in documents.
fn name<T: Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => Ok(name),
        Ok(_) => Err(not_storable(what, &"it has no name")),
        Err(error) => Err(not_storable(what, &error)),
    }
}

/// The value that has this name in documents.
fn named<T: DeserializeOwned>(what: &str, name: String) -> Result<T, UnreadableRow> {
    let value = Value::String(name.clone());
    serde_json::from_value(value).map_err(|_| UnreadableRow::Meaning(format!("it does not know the {what} {name:?}")))
}

fn not_storable(what: &'static str, why: &dyn std::fmt::Display) -> StoreError {
    StoreError::NotStorable { what, why: why.to_string() }
}
