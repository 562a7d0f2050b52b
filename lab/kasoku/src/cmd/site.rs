//! `kasoku site`: writes a static site of all stored runs and published figures.

mod folder;
mod gather;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{CommandOutcome, Failure, named, tell};
use folder::SiteFolder;
use kasoku_report::collection::runs_left_out;
use kasoku_report::export::json;
use kasoku_report::language::Language;
use kasoku_report::render::{self, site_page};
use kasoku_report::site::{DocumentPaths, LibraryCounts, MachinePlaces, Site, SitePage};
use kasoku_store::collection::{Collection, History, RunsLeftOut};
use kasoku_store::{MachineIdentity, Store, published};

/// Maximum number of threads. Each thread holds a document in memory, and the disk limits the speed.
const MAX_THREADS: usize = 8;

/// Write a site of all machines: rankings, gains from acceleration, history, each run for download
///
/// The site shows all runs of the store and all published figures, in English and Japanese. It is a folder of files
/// that need no server: open index.html, or copy the folder to a web server. To update the site, run the command again
/// with the same folder: addresses stay the same, and the pages of deleted runs are removed.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku site --out site                        then open site/index.html
  kasoku site --out site --store results.sqlite")]
pub(crate) struct Args {
    /// Folder for the site: a new or empty folder, or an existing site to update
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Writes the site: documents first, because pages link only to written documents, and the first page last.
pub(crate) fn run(args: &Args, store: Option<&Path>) -> Result<CommandOutcome, Failure> {
    let store = named::store_if_there(store)?;
    let collection = Collection::open(store.as_ref())?;
    let folder = SiteFolder::open(&args.out)?;
    if store.is_none() && folder.has_runs()? {
        let out = args.out.display();
        let message = format!("{out} has runs that would be lost without their store: name it with --store");
        return Err(Failure::new(format!("{message}, or name another folder")));
    }
    let path = store.as_ref().map(Store::path);
    let paths = DocumentPaths::new(&collection);
    let mut absent = write_documents(&collection, path, &paths, &folder)?;
    for (run, why) in store.as_ref().map(Store::unread).unwrap_or_default() {
        absent.entry(run).or_insert(Absence::Unread(why));
    }
    let left_out = left_out(&absent);
    let collection = collection.without(&absent.keys().cloned().collect());
    let site = gather::site(&collection, store.as_ref(), paths)?;
    let places = gather::places(&collection, &site)?;
    write_machines(&site, &places, &gather::histories(&collection)?, path, &folder)?;
    for figures in gather::algorithms(&collection, &site) {
        let figures = figures?;
        site.algorithm(&figures).map_or(Ok(()), |page| write_page(&folder, &page))?;
    }
    let mut libraries = LibraryCounts::default();
    for library in site.libraries() {
        let figures = gather::library(&collection, &site, library)?;
        if let Some(page) = site.library(library, &figures) {
            libraries.insert(library.to_owned(), figures.len());
            write_page(&folder, &page)?;
        }
    }
    write_page(&folder, &site.index(&places, &libraries, left_out))?;
    let count = folder.finish()?;
    let others = runs_left_out(RunsLeftOut { unread: 0, ..left_out });
    others.iter().for_each(|others| tell(&render::words(others, Language::ENGLISH)));
    tell(&format!("Site: {} ({count} files)", args.out.join("index.html").display()));
    Ok(if left_out.unread == 0 { CommandOutcome::Done } else { CommandOutcome::Partial })
}

fn write_page(folder: &SiteFolder, page: &SitePage) -> Result<(), Failure> {
    Language::all().try_for_each(|language| folder.page(&site_page(page, language)))
}

/// Reason why a run is not on the site.
enum Absence {
    Unread(String),
    /// The run was made by an emulator or under Wine.
    NotGenuine,
    /// The run was imported and is not complete.
    Incomplete,
}

/// Counts the runs that the site lacks, by reason, and prints the names of unreadable runs.
fn left_out(absent: &BTreeMap<String, Absence>) -> RunsLeftOut {
    let mut left_out = RunsLeftOut::default();
    for absence in absent.values() {
        *match absence {
            Absence::Unread(why) => {
                tell(&format!("Left out: {why}"));
                &mut left_out.unread
            }
            Absence::NotGenuine => &mut left_out.not_genuine,
            Absence::Incomplete => &mut left_out.incomplete_imports,
        } += 1;
    }
    left_out
}

/// Writes the documents of runs and publications. Returns the ids of the runs whose document was not written, each with
/// the reason.
fn write_documents(
    collection: &Collection<'_>,
    store: Option<&Path>,
    paths: &DocumentPaths,
    folder: &SiteFolder,
) -> Result<BTreeMap<String, Absence>, Failure> {
    for document in published::documents() {
        if let Some(path) = paths.published.get(&document.run.id) {
            folder.write(path, |file| json::write_compact(document, file))?;
        }
    }
    let absent = in_parallel(collection.runs(), store, |_, run, store| {
        let (Some(store), Some(path)) = (store, paths.runs.get(&run.id)) else { return Ok(None) };
        let absence = match store.load(&run.id) {
            Err(why) => Absence::Unread(why.to_string()),
            Ok(document) if !document.machine.is_genuine() => Absence::NotGenuine,
            Ok(_) if run.origin.is_some() && !run.complete => Absence::Incomplete,
            Ok(document) => return folder.write(path, |file| json::write_compact(&document, file)).map(|()| None),
        };
        Ok(Some((run.id.clone(), absence)))
    })?;
    Ok(absent.into_iter().collect())
}

fn write_machines(
    site: &Site<'_>,
    places: &MachinePlaces,
    histories: &HashMap<&MachineIdentity, Vec<History>>,
    store: Option<&Path>,
    folder: &SiteFolder,
) -> Result<(), Failure> {
    let page = |place: usize, store: Option<&Store>| -> Result<(), Failure> {
        let known = &site.machines[place].known;
        let documents = match (known.published, store) {
            (Some(published), _) => vec![published.clone()],
            (None, None) => Vec::new(),
            (None, Some(store)) => named::newest_among(store, known.runs.iter().copied())?,
        };
        let histories = known.identity.and_then(|identity| histories.get(identity)).map_or(&[][..], Vec::as_slice);
        let places = places.get(place).map_or(&[][..], Vec::as_slice);
        write_page(folder, &site.machine(place, &documents, histories, places))
    };
    in_parallel(&site.machines, store, |place, _, store| page(place, store).map(|()| None::<()>)).map(drop)
}

/// Calls `work` for each of `items` on several threads, each with its own connection to the store. Returns the results
/// in any order.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    store: Option<&Path>,
    work: impl Fn(usize, &T, Option<&Store>) -> Result<Option<R>, Failure> + Sync,
) -> Result<Vec<R>, Failure> {
    let next = AtomicUsize::new(0);
    let until_done = || -> Result<Vec<R>, Failure> {
        let store = store.map(Store::open_existing).transpose()?;
        let mut results = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return Ok(results) };
            results.extend(work(place, item, store.as_ref())?);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len()).min(MAX_THREADS);
    thread::scope(|scope| {
        // If the system refuses more threads, the existing ones do all the work.
        let others: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, until_done).ok()).collect();
        let mut results = until_done()?;
        for thread in others {
            results.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(results)
    })
}
