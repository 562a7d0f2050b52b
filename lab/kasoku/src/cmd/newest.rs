//! What is known of this machine where nobody names a run: of each level the newest complete run that has it, so that
//! a run of one level hides nothing.

use super::Failure;
use kasoku_measure::machine;
use kasoku_model::document::{Document, Machine};
use kasoku_model::level::Level;
use kasoku_store::{KnownRun, Store};

/// The newest complete runs of this machine, the newest first, each with the levels that no newer one has; the newest
/// run of all if there is none.
///
/// # Errors
/// The store's.
pub(super) fn by_level(store: &Store) -> Result<Vec<Document>, Failure> {
    of(store, &machine::this())
}

/// The same of any machine.
pub(super) fn of(store: &Store, machine: &Machine) -> Result<Vec<Document>, Failure> {
    let known = store.known()?;
    let documents = among(store, known.measured_on(machine))?;
    if !documents.is_empty() {
        return Ok(documents);
    }
    let id = known
        .measured_on(machine)
        .find(|run| run.complete)
        .map_or_else(|| store.find("last"), |run| Ok(run.id.clone()))?;
    Ok(vec![store.load(&id)?])
}

/// Of these runs, the newest first, the complete ones, each with the levels that no newer one has.
pub(super) fn among<'r>(store: &Store, runs: impl Iterator<Item = &'r KnownRun>) -> Result<Vec<Document>, Failure> {
    let mut missing = Level::ALL.to_vec();
    let mut documents = Vec::new();
    for run in runs.filter(|run| run.complete) {
        let mut found = Vec::new();
        for &level in &missing {
            if store.has_level(run, level)? {
                found.push(level);
            }
        }
        if !found.is_empty() {
            documents.push(only(store.load(&run.id)?, &found));
            missing.retain(|level| !found.contains(level));
        }
        if missing.is_empty() {
            break;
        }
    }
    Ok(documents)
}

/// What `document` says of these levels.
fn only(mut document: Document, levels: &[Level]) -> Document {
    document.series.retain(|series| levels.contains(&series.level));
    document.run.omissions.retain(|omission| levels.contains(&omission.level));
    let level_of = |note: &str| Level::ALL.iter().find(|level| note.split(": ").next() == Some(level.name()));
    document.run.notes.retain(|note| level_of(note).is_none_or(|level| levels.contains(level)));
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::document::{Omission, Run, SCHEMA, Series};
    use serde_json::json;

    fn series(level: Level) -> Series {
        serde_json::from_value(json!({
            "level": level, "operation": "seal", "algorithm": "aes-128-gcm", "bytes": 16384, "library": "openssl",
            "library_version": "3", "acceleration": "on", "code_path": "aesni", "unit": "bytes/s", "samples": [],
            "median": 1e9, "ci95": null, "cycles_per_byte": null, "outcome": "measured",
        }))
        .unwrap()
    }

    fn run(id: &str, day: u32, levels: &[Level]) -> Document {
        let run = Run {
            id: id.into(),
            started: format!("2026-11-{day:02}T09:00:00Z"),
            complete: true,
            notes: levels.iter().map(|level| format!("{level}: noisy")).chain(["of all".to_owned()]).collect(),
            omissions: levels.iter().map(|&level| Omission { level, ..Omission::default() }).collect(),
            ..Run::default()
        };
        let machine = Machine { cpu: "here".into(), cores: 2, logical_cpus: Some(2), ..Machine::default() };
        Document { schema: SCHEMA, run, machine, series: levels.iter().map(|level| series(*level)).collect() }
    }

    #[test]
    fn a_run_of_one_level_hides_nothing_of_those_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("kasoku.sqlite")).unwrap();
        let mut elsewhere = run("elsewhere", 25, &[Level::Jvm]);
        elsewhere.machine.cpu = "another CPU".into();
        let mut interrupted = run("interrupted", 24, &[Level::Files]);
        interrupted.run.complete = false;
        // One CPU of two, as under `taskset`: the machine is the same.
        let mut narrow = run("narrow", 23, &[Level::Tls]);
        narrow.machine.cores = 1;
        let all = run("all", 22, &[Level::Primitives, Level::Packets, Level::Tls]);
        for document in [run("old", 21, &[Level::Primitives, Level::Files]), all, narrow, interrupted, elsewhere] {
            store.add_document(&document).unwrap();
        }
        let here = Machine { cpu: "here".into(), cores: 1, logical_cpus: Some(2), ..Machine::default() };
        let told: Vec<(String, Vec<Level>, usize, usize)> = of(&store, &here)
            .unwrap()
            .into_iter()
            .map(|one| {
                let levels = one.series.into_iter().map(|series| series.level).collect();
                (one.run.id, levels, one.run.omissions.len(), one.run.notes.len())
            })
            .collect();
        let expected = [
            ("narrow", &[Level::Tls][..], 1, 2),
            ("all", &[Level::Primitives, Level::Packets], 2, 3),
            ("old", &[Level::Files], 1, 2),
        ];
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, (id, levels, omissions, notes)) in told.iter().zip(expected) {
            assert_eq!((told.0.as_str(), told.2, told.3), (id, omissions, notes));
            assert_eq!(told.1, levels);
        }
        for (id, day, is_complete) in [("whole", 26, true), ("half", 27, false)] {
            let mut document = run(id, day, &[]);
            document.machine.cpu = "without figures".into();
            document.run.complete = is_complete;
            store.add_document(&document).unwrap();
        }
        let without = Machine { cpu: "without figures".into(), ..here.clone() };
        assert_eq!(of(&store, &without).unwrap()[0].run.id, "whole");
        let nowhere = Machine { cpu: "nowhere".into(), ..here };
        assert_eq!(of(&store, &nowhere).unwrap()[0].run.id, "half", "the newest of all");
    }
}
