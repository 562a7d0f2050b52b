//! Resuming an interrupted run of files or web servers, whose published measurements take hours.

use super::super::{Failure, tell};
use kasoku_measure::machine;
use kasoku_model::document::{Document, Remark, Series};
use kasoku_model::level::Level;
use kasoku_store::{SeriesId, Store};

const RESUMABLE: [Level; 2] = [Level::Files, Level::Tls];

/// Prints how to resume the newest run of `command`, if that run was interrupted.
pub(super) fn tell_of_interrupted(store: &Store, command: &str) -> Result<(), Failure> {
    let can_be = command.split(' ').any(|word| RESUMABLE.iter().any(|level| level.name() == word));
    let runs = if can_be { store.runs()? } else { Vec::new() };
    if let Some(run) =
        runs.iter().find(|run| measured_command(&run.command) == measured_command(command) && run.origin.is_none())
        && !run.complete
    {
        tell(&format!("{} of the same command was interrupted; resume it with --resume {}", run.id, run.id));
    }
    Ok(())
}

/// A resumed run, with the store's IDs of its series.
pub(super) struct Resumed {
    pub(super) document: Document,
    ids: Vec<SeriesId>,
}

impl Resumed {
    /// Loads the run called `name`, which must be incomplete, of the same `command` and of this machine.
    pub(super) fn load(store: &mut Store, name: &str, command: &str) -> Result<Resumed, Failure> {
        let id = store.find(name)?;
        let document = store.load(&id)?;
        let run = &document.run;
        if run.complete || run.origin.is_some() {
            return Err(Failure::new(format!("{id} is complete; there is nothing to resume")));
        }
        let asked = measured_command(command);
        if measured_command(&run.command) != asked {
            return Err(Failure::new(format!(
                "{id} was started with \"{}\", not \"{asked}\"; repeat the same arguments with --resume",
                run.command
            )));
        }
        let here = machine::this();
        if (&here.cpu, here.cores, &here.kernel)
            != (&document.machine.cpu, document.machine.cores, &document.machine.kernel)
        {
            return Err(Failure::new(format!("{id} was measured on another machine or kernel")));
        }
        let ids = store.resume_run(&id)?;
        Ok(Resumed { document, ids })
    }

    pub(super) fn known(&self) -> Vec<(Series, SeriesId)> {
        self.document.series.iter().cloned().zip(self.ids.iter().copied()).collect()
    }

    /// Gives `document` the name, start, command and label of the resumed run.
    pub(super) fn apply_to(&self, document: &mut Document) {
        let samples: usize = self.document.series.iter().map(|series| series.samples.len()).sum();
        tell(&format!("resuming {}, which has {samples} samples", self.document.run.id));
        let begun = &self.document.run;
        document.run.id.clone_from(&begun.id);
        document.run.started.clone_from(&begun.started);
        document.run.command.clone_from(&begun.command);
        document.run.label.clone_from(&begun.label);
        document.run.note(None, Remark::Resumed { samples });
    }
}

/// Returns `command` without the options that do not change what it measures: those for resuming, waiting, output,
/// label and store.
fn measured_command(command: &str) -> String {
    const ASIDE: [&str; 7] = ["--resume", "--json", "--report", "--label", "--log", "--store", "--lang"];
    let given = shell_words::split(command).unwrap_or_else(|_| command.split(' ').map(str::to_owned).collect());
    let mut words = without_options(given, &ASIDE);
    words.retain(|word| word != "--wait");
    words.join(" ")
}

/// Returns a command line without `options`, each of which has a value: after it, or after an equals sign.
pub(super) fn without_options(words: impl IntoIterator<Item = String>, options: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if !options.contains(&name) {
            kept.push(word);
        } else if name == word {
            words.next(); // the value
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_differ_only_in_resume_and_output_options_measure_the_same() {
        let plain = "kasoku run files --as-published";
        for command in [
            plain,
            "kasoku run files --as-published --resume last",
            "kasoku run files --resume 20 --as-published",
            "kasoku run files --as-published --resume=20",
            "kasoku run files --json 'my results.json' --as-published '--store=my runs'",
        ] {
            assert_eq!(measured_command(command), plain);
        }
        assert_ne!(measured_command("kasoku run files"), plain);
    }
}
