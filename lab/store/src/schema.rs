//! Tables and indexes of the store's SQLite file.

/// Marks the file as a Kasoku store (`PRAGMA application_id`): "KASO".
pub(super) const APPLICATION: i64 = 0x4b41_534f;

/// Version of the tables (`PRAGMA user_version`). Stores of other versions are rejected.
pub(super) const VERSION: i64 = 1;

/// Tables and indexes.
///
/// The table of samples has the key (run, sequence) instead of a row number, so that the samples of a round are
/// appended to one page, whatever their series. Figures are `ANY` because a `REAL` column loses the sign of zero;
/// unsigned 64-bit counts are stored as signed numbers with the same bits.
///
/// Devices are a table so that machines can be told apart without parsing `run.machine`. Indexes cover the queries over
/// all runs: a row of `run` has several thousand bytes, and there may be a million series.
pub(super) const TABLES: &str = "
    CREATE TABLE device (
        number     INTEGER PRIMARY KEY,
        name       TEXT    NOT NULL,
        cpu        TEXT    NOT NULL,
        arch       TEXT    NOT NULL,
        cores      INTEGER NOT NULL,
        hypervisor TEXT    NOT NULL,
        UNIQUE (name, cpu, arch, cores, hypervisor)
    ) STRICT;
    CREATE TABLE run (
        number    INTEGER PRIMARY KEY,
        id        TEXT    NOT NULL UNIQUE,
        started   TEXT    NOT NULL,
        kasoku    TEXT    NOT NULL,
        command   TEXT    NOT NULL,
        complete  INTEGER NOT NULL,
        seconds   ANY,
        method    TEXT    NOT NULL,
        notes     TEXT    NOT NULL,
        libraries TEXT    NOT NULL,
        omissions TEXT    NOT NULL,
        machine   TEXT    NOT NULL,
        origin    TEXT    NOT NULL,
        device    INTEGER NOT NULL REFERENCES device (number),
        os        TEXT,
        label     TEXT
    ) STRICT;
    CREATE TABLE series (
        number          INTEGER PRIMARY KEY,
        run             INTEGER NOT NULL REFERENCES run (number),
        position        INTEGER NOT NULL,
        finished        INTEGER NOT NULL,
        level           TEXT    NOT NULL,
        operation       TEXT    NOT NULL,
        algorithm       TEXT    NOT NULL,
        bytes           INTEGER NOT NULL,
        library         TEXT    NOT NULL,
        library_version TEXT    NOT NULL,
        acceleration    TEXT    NOT NULL,
        code_path       TEXT    NOT NULL,
        unit            TEXT    NOT NULL,
        median          ANY,
        ci95_low        ANY,
        ci95_high       ANY,
        cycles_per_byte ANY,
        verified        INTEGER NOT NULL,
        failure         TEXT,
        role            TEXT    NOT NULL,
        note            TEXT,
        details         TEXT    NOT NULL,
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
        sides      TEXT,
        disturbed  INTEGER NOT NULL,
        PRIMARY KEY (run, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX run_in_order ON run
        (origin <> 'null', started DESC, number DESC, id, kasoku, command, complete, device, os, origin);
    CREATE INDEX run_with_label ON run (label) WHERE label IS NOT NULL;
    CREATE INDEX series_by_workload ON series
        (level, verified, algorithm, operation, acceleration, bytes, library, run, median)
        WHERE median IS NOT NULL;
    CREATE INDEX series_by_level ON series (run, level) WHERE median IS NOT NULL;
    CREATE INDEX series_without_figure ON series (run)
        WHERE finished AND (median IS NULL OR NOT (verified OR role = 'bound'));
";
