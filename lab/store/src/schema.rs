//! The tables, and how an older store is brought to them. `PRAGMA user_version` counts the steps taken.

use std::collections::BTreeSet;

use rusqlite::{Connection, TransactionBehavior};

/// Marks the file as Kasoku's (`PRAGMA application_id`): "KASO".
pub(super) const APPLICATION: i64 = 0x4b41_534f;

/// One step a version. A step that was ever released is never changed; add another.
///
/// Samples have no row number of their own: with (run, sequence) as the key of the table itself, the samples of a
/// round are appended to one page, whatever series they belong to. Figures are `ANY` because a `REAL` column forgets
/// the sign of zero; 64-bit counts are stored by their bits.
pub(super) const STEPS: &[&str] = &[
    "
    CREATE TABLE run (
        number    INTEGER PRIMARY KEY,
        id        TEXT    NOT NULL UNIQUE,
        schema    INTEGER NOT NULL,
        started   TEXT    NOT NULL,
        kasoku    TEXT    NOT NULL,
        command   TEXT    NOT NULL,
        complete  INTEGER NOT NULL,
        seconds   ANY,
        method    TEXT    NOT NULL,
        notes     TEXT    NOT NULL,
        stacks    TEXT    NOT NULL,
        omissions TEXT    NOT NULL,
        machine   TEXT    NOT NULL
    ) STRICT;
    CREATE TABLE series (
        number           INTEGER PRIMARY KEY,
        run              INTEGER NOT NULL REFERENCES run (number),
        position         INTEGER NOT NULL,
        finished         INTEGER NOT NULL,
        level            TEXT    NOT NULL,
        operation        TEXT    NOT NULL,
        algorithm        TEXT    NOT NULL,
        bytes            INTEGER NOT NULL,
        stack            TEXT    NOT NULL,
        stack_version    TEXT    NOT NULL,
        acceleration     TEXT    NOT NULL,
        code_path        TEXT    NOT NULL,
        unit             TEXT    NOT NULL,
        median           ANY,
        ci95_low         ANY,
        ci95_high        ANY,
        cycles_per_byte  ANY,
        verified         INTEGER NOT NULL,
        note             TEXT,
        parameters       TEXT    NOT NULL,
        UNIQUE (run, position)
    ) STRICT;
    CREATE TABLE sample (
        run        INTEGER NOT NULL,
        sequence   INTEGER NOT NULL,
        series     INTEGER NOT NULL REFERENCES series (number),
        process    INTEGER NOT NULL,
        round      INTEGER NOT NULL,
        iterations INTEGER NOT NULL,
        ns         INTEGER NOT NULL,
        cpu_ns     INTEGER NOT NULL,
        dropped    INTEGER NOT NULL,
        core_hz    ANY,
        PRIMARY KEY (run, sequence)
    ) STRICT, WITHOUT ROWID;
",
    "
    ALTER TABLE run ADD COLUMN origin TEXT NOT NULL DEFAULT 'null';
",
    // The machines that runs are of, so that runs can be told apart by machine without reading what is known of each;
    // and indexes for every question that is asked over all runs. They hold all columns that such a question needs: a
    // row of `run` is several thousand bytes, and there may be a million series.
    "
    CREATE TABLE device (
        number     INTEGER PRIMARY KEY,
        name       TEXT    NOT NULL,
        cpu        TEXT    NOT NULL,
        arch       TEXT    NOT NULL,
        cores      INTEGER NOT NULL,
        hypervisor TEXT    NOT NULL,
        UNIQUE (name, cpu, arch, cores, hypervisor)
    ) STRICT;
    ALTER TABLE run ADD COLUMN device INTEGER REFERENCES device (number);
    ALTER TABLE run ADD COLUMN os TEXT;
    INSERT OR IGNORE INTO device (name, cpu, arch, cores, hypervisor)
        SELECT coalesce(CAST(machine ->> 'name' AS TEXT), ''), coalesce(CAST(machine ->> 'cpu' AS TEXT), ''),
               coalesce(CAST(machine ->> 'arch' AS TEXT), ''), coalesce(CAST(machine ->> 'cores' AS INTEGER), 0),
               coalesce(CAST(machine ->> 'hypervisor' AS TEXT), '')
        FROM run WHERE json_valid(machine);
    UPDATE run SET device = device.number, os = CAST(machine ->> 'os' AS TEXT) FROM device
        WHERE json_valid(run.machine)
          AND device.name = coalesce(CAST(machine ->> 'name' AS TEXT), '')
          AND device.cpu = coalesce(CAST(machine ->> 'cpu' AS TEXT), '')
          AND device.arch = coalesce(CAST(machine ->> 'arch' AS TEXT), '')
          AND device.cores = coalesce(CAST(machine ->> 'cores' AS INTEGER), 0)
          AND device.hypervisor = coalesce(CAST(machine ->> 'hypervisor' AS TEXT), '');
    CREATE INDEX run_in_order ON run (origin <> 'null', started DESC, number DESC, id, kasoku, command, complete, \
    device,
                                      os, origin);
    CREATE INDEX series_by_workload ON series (level, verified, algorithm, operation, acceleration, bytes, stack, run, \
    median)
        WHERE median IS NOT NULL;
    CREATE INDEX series_without_figure ON series (run)
        WHERE finished AND (median IS NULL OR NOT (verified OR stack GLOB 'limit-*'));
",
    "
    ALTER TABLE sample ADD COLUMN sides TEXT;
",
    // Schema 2 of the run document: a stack became a library, a twin a control. (What is kept as JSON is read in both
    // words.)
    "
    ALTER TABLE run RENAME COLUMN stacks TO libraries;
    ALTER TABLE series RENAME COLUMN stack TO library;
    ALTER TABLE series RENAME COLUMN stack_version TO library_version;
    UPDATE series SET parameters = replace(parameters, '\"twin\":true', '\"control\":true')
        WHERE instr(parameters, '\"twin\":true');
    UPDATE run SET schema = 2;
",
    // What came of a series, and what its library is, were told by the beginnings of notes and names.
    "
    ALTER TABLE series ADD COLUMN failure TEXT;
    ALTER TABLE series ADD COLUMN role TEXT NOT NULL DEFAULT 'library';
    UPDATE series SET failure = substr(note, 9), verified = 0 WHERE note GLOB 'failed: *';
    UPDATE series SET role = CASE WHEN library GLOB 'test-*' THEN 'test-double'
                                  WHEN library GLOB 'limit-*' THEN 'bound' ELSE 'own-clock' END
        WHERE library GLOB 'test-*' OR library GLOB 'limit-*' OR library IN ('openssl-speed', 'specjvm2008');
    DROP INDEX series_without_figure;
    CREATE INDEX series_without_figure ON series (run)
        WHERE finished AND (median IS NULL OR NOT (verified OR role = 'bound'));
",
    // What somebody calls a run; and which levels a run has, so that the newest run of each is found at once.
    "
    ALTER TABLE run ADD COLUMN label TEXT;
    CREATE INDEX run_with_label ON run (label) WHERE label IS NOT NULL;
    CREATE INDEX series_by_level ON series (run, level) WHERE median IS NOT NULL;
 ",
    // Samples that count although something disturbed them.
    "
    ALTER TABLE sample ADD COLUMN disturbed INTEGER NOT NULL DEFAULT 0;
",
    // Runs of an emulator or of Wine, which were imported as complete if their documents said so.
    "
    UPDATE run SET complete = 0
        WHERE json_valid(machine)
          AND coalesce(machine ->> 'emulated_on', machine ->> 'wine') IS NOT NULL;
",
];

/// The store's form: how many steps it has behind it.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Takes the steps that are missing, all or none.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again under the lock: another process may have just done it.
    let taken = usize::try_from(version(&transaction)?).unwrap_or(usize::MAX);
    for step in steps.iter().skip(taken) {
        transaction.execute_batch(step)?;
    }
    if taken < steps.len() {
        transaction.pragma_update(None, "user_version", steps.len() as i64)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()
}

/// What a database has that the steps up to `version` do not make, or the other way round.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Odd {
    /// A table, an index, a view or a trigger that is not ours, or not as we make it.
    Foreign(String),
    /// One of ours is not there.
    Missing(String),
}

/// Compares the schema of a database with the one that the steps up to `version` make. A view, a trigger, a virtual
/// table or a column that is computed would have SQLite run what the file says, so that nothing else may be read
/// before.
pub(super) fn odd(connection: &Connection, version: i64) -> rusqlite::Result<Option<Odd>> {
    let steps = STEPS.get(..usize::try_from(version).unwrap_or(0)).unwrap_or(STEPS);
    let mut made = Connection::open_in_memory()?;
    migrate(&mut made, steps)?;
    let (ours, theirs) = (parts(&made)?, parts(connection)?);
    let named = |(kind, name, ..): &Part| format!("{} {:?}", short(kind), short(name));
    let foreign = theirs.difference(&ours).next().map(|part| Odd::Foreign(named(part)));
    Ok(foreign.or_else(|| ours.difference(&theirs).next().map(|part| Odd::Missing(named(part)))))
}

/// Type, name, table and SQL of what a schema has.
type Part = (String, String, String, String);

/// All of it, or more than we ever make.
fn parts(connection: &Connection) -> rusqlite::Result<BTreeSet<Part>> {
    let mut statement =
        connection.prepare("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema LIMIT 100")?;
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, words(&row.get::<_, String>(3)?))))?;
    rows.collect()
}

fn words(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)";
    const SECOND: &str = "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7";

    #[test]
    fn an_older_store_takes_only_the_steps_it_lacks() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &[FIRST]).unwrap();
        assert_eq!(version(&connection).unwrap(), 1);
        migrate(&mut connection, &[FIRST, SECOND]).unwrap();
        migrate(&mut connection, &[FIRST, SECOND]).unwrap();
        assert_eq!(version(&connection).unwrap(), 2);
        let row: (i64, i64) = connection.query_row("SELECT x, y FROM a", [], |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
        assert_eq!(row, (1, 7));
    }

    #[test]
    fn a_step_that_fails_leaves_the_store_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &[FIRST]).unwrap();
        migrate(&mut connection, &[FIRST, SECOND, "nonsense"]).unwrap_err();
        assert_eq!(version(&connection).unwrap(), 1);
        assert!(connection.prepare("SELECT y FROM a").is_err());
    }

    #[test]
    fn the_first_form_is_what_was_released() {
        // Stores of this form exist: a change here must be a further step instead.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for word in STEPS[0].split_whitespace() {
            for byte in word.bytes().chain([b' ']) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        assert_eq!(hash, 15136107957050456677);
    }
}
