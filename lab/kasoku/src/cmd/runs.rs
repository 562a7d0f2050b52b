//! `kasoku runs`: lists, deletes and prunes the runs in the store, and verifies it.

use std::io::{IsTerminal, Write as _, stdin};
use std::path::Path;
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::named::{newest_of, number_of};
use super::{CommandOutcome, Failure, Format, print_output, tell, tell_unread};
use kasoku_measure::machine;
use kasoku_model::document::Machine;
use kasoku_report::language::Language;
use kasoku_report::list;
use kasoku_store::lock::MeasuringLock;
use kasoku_store::output_file;
use kasoku_store::{RunSummary, Store, StoreError, location};

/// List the runs in the store: measured runs, newest first, then imported ones
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
#[command(after_help = "Examples:
  kasoku runs
  kasoku runs --format json
  kasoku runs --store results.sqlite
  kasoku runs --verify                        whether the store is undamaged
  kasoku runs delete last before              these two runs
  kasoku runs prune --keep 20                 all but this machine's newest 20
  kasoku runs prune --older-than 90d --yes    without confirmation, as in a script")]
pub(crate) struct Args {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Check the whole store for damage instead; exit status 1 if there is any
    #[arg(long, conflicts_with = "format")]
    verify: bool,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Action {
    /// Delete runs
    Delete {
        /// The runs: names, labels, unique prefixes, `last`, `last-N`
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<String>,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Delete this machine's old runs
    ///
    /// Imported runs, runs of other machines and labelled runs are never deleted, nor is the newest complete run of
    /// each level, which `kasoku advise` and `kasoku report` use. `kasoku runs delete` deletes these too.
    Prune {
        /// Keep the newest N
        #[arg(long, value_name = "N", required_unless_present = "older_than")]
        #[arg(value_parser = number_of("runs", 0..=usize::MAX))]
        keep: Option<usize>,
        /// Only runs older than this: 12h, 30d, 8w; with --keep, both conditions must hold
        #[arg(long, value_name = "AGE", value_parser = age)]
        older_than: Option<Duration>,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let path = location::locate(store)?;
    if args.verify {
        return verify(&path);
    }
    let store = Store::open_existing(&path)?;
    match &args.action {
        None => {
            let runs = store.runs()?;
            let outcome = tell_unread(&store);
            print_output(&list::runs(&runs), args.format, language)?;
            Ok(outcome)
        }
        Some(Action::Delete { runs, yes }) => {
            let ids = runs.iter().map(|name| store.find(name)).collect::<Result<Vec<_>, _>>()?;
            delete(&path, &store, &ids, *yes, language)
        }
        Some(Action::Prune { keep, older_than, yes }) => {
            let ids = prunable(&store, &machine::this(), keep.unwrap_or(0), *older_than)?;
            delete(&path, &store, &ids, *yes, language)
        }
    }
}

/// Prints whether the store at `path` is damaged, and where.
fn verify(path: &Path) -> Result<CommandOutcome, Failure> {
    let checked = Store::open_existing(path).and_then(|store| store.verify().map(|findings| (store, findings)));
    let (store, findings) = match checked {
        Err(damage @ StoreError::Damaged { .. }) => {
            tell(&damage.to_string());
            return Ok(CommandOutcome::Partial);
        }
        checked => checked?,
    };
    if !findings.is_empty() {
        findings.iter().for_each(|finding| tell(finding));
        tell(&StoreError::Damaged(path.into(), "SQLite's integrity check failed".into()).to_string());
        return Ok(CommandOutcome::Partial);
    }
    let outcome = tell_unread(&store);
    if outcome == CommandOutcome::Done {
        output_file::print(&format!(
            "The store {} is undamaged; its {} runs can be read\n",
            path.display(),
            store.runs()?.len()
        ))?;
    }
    Ok(outcome)
}

/// Lists the runs in `ids`, asks for confirmation, and deletes them.
fn delete(
    path: &Path,
    store: &Store,
    ids: &[String],
    is_sure: bool,
    language: Language,
) -> Result<CommandOutcome, Failure> {
    let going: Vec<RunSummary> = store.runs()?.into_iter().filter(|run| ids.contains(&run.id)).collect();
    // Unreadable runs can also be deleted.
    let mut unread = store.unread();
    unread.retain(|id, _| ids.contains(id));
    let count = going.len() + unread.len();
    if count == 0 {
        tell("Nothing to delete");
        return Ok(CommandOutcome::Done);
    }
    // A run that is being measured is incomplete, and must not be deleted.
    let may_measure = !unread.is_empty() || going.iter().any(|run| !run.complete);
    let _lock = may_measure.then(|| MeasuringLock::acquire(false)).transpose()?;
    if !going.is_empty() {
        print_output(&list::runs(&going), Format::Table, language)?;
    }
    unread.values().for_each(|why| tell(why));
    let many = if count == 1 { "this run".to_owned() } else { format!("these {count} runs") };
    if !is_sure {
        if !stdin().is_terminal() {
            return Err(Failure::new(format!(
                "cannot ask for confirmation to delete {many} without a terminal; use --yes"
            )));
        }
        if !is_agreed(&format!("Delete {many} and all samples? [y/N] "))? {
            tell("Nothing was deleted");
            return Ok(CommandOutcome::Partial);
        }
    }
    let ids: Vec<String> = going.into_iter().map(|run| run.id).chain(unread.into_keys()).collect();
    Store::open(path)?.delete_runs(&ids)?;
    tell(&format!("Deleted: {}", ids.len()));
    Ok(CommandOutcome::Done)
}

/// Asks `question` on the terminal, and returns whether the answer is yes.
fn is_agreed(question: &str) -> Result<bool, Failure> {
    let _ = write!(std::io::stderr(), "{question}");
    let mut answer = String::new();
    match stdin().read_line(&mut answer) {
        Ok(1..) => Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")),
        _ => Err(Failure::new("there was no answer, so nothing was deleted; use --yes to delete without a question")),
    }
}

/// Returns the runs of this machine that pruning deletes. Keeps the newest `keep` runs, runs younger than `older_than`,
/// labelled runs, and the newest complete run of each level.
fn prunable(store: &Store, this: &Machine, keep: usize, older_than: Option<Duration>) -> Result<Vec<String>, Failure> {
    let labelled: Vec<String> = store.runs()?.into_iter().filter(|run| run.label.is_some()).map(|run| run.id).collect();
    let known = store.known()?;
    let newest: Vec<String> = if known.measured_on(this).next().is_some() {
        newest_of(store, this)?.into_iter().map(|document| document.run.id).collect()
    } else {
        Vec::new()
    };
    let oldest_to_stay = older_than.map(|age| OffsetDateTime::now_utc() - age);
    let is_old = |started: &str| match oldest_to_stay {
        None => true,
        Some(limit) => OffsetDateTime::parse(started, &Rfc3339).is_ok_and(|started| started < limit),
    };
    let candidates = known.measured_on(this).skip(keep).filter(|run| is_old(&run.started));
    let stays = |id: &String| labelled.contains(id) || newest.contains(id);
    Ok(candidates.map(|run| run.id.clone()).filter(|id| !stays(id)).collect())
}

fn age(text: &str) -> Result<Duration, String> {
    const HOUR: u64 = 3600;
    let hours = match text.char_indices().next_back() {
        Some((end, 'h')) => Some((end, 1)),
        Some((end, 'd')) => Some((end, 24)),
        Some((end, 'w')) => Some((end, 7 * 24)),
        _ => None,
    };
    let age = hours.and_then(|(end, hours)| Some((text[..end].parse::<u32>().ok()?, hours)));
    match age {
        Some((count @ 0..=100_000, hours)) => Ok(Duration::from_secs(u64::from(count) * hours * HOUR)),
        _ => Err("an age must be a number of hours, days or weeks: 12h, 30d, 8w".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_needs_a_whole_number_and_a_unit() {
        assert_eq!(age("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!((age("12h"), age("1w")), (Ok(Duration::from_secs(43_200)), age("7d")));
        for odd in ["30", "d", "-1d", "1.5d", "1000000d", "30日", ""] {
            assert!(age(odd).is_err(), "{odd}");
        }
    }
}
