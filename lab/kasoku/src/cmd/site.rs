//! `kasoku site`: a static site of all runs in the store, and of what was published.

mod folder;
mod gather;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{CommandOutcome, Failure, newest, tell};
use folder::SiteFolder;
use kasoku_model::language::Language;
use kasoku_report::export::json;
use kasoku_report::site::{MachinePlaces, Site};
use kasoku_store::collection::{Collection, History};
use kasoku_store::{KnownRun, MachineIdentity, Store, StoreError, location};

const BOTH: [Language; 2] = [Language::English, Language::Japanese];

/// Write a site of all machines: rankings, what acceleration is worth, history, each run for download
///
/// The site is a folder of files in English and Japanese that need no server: open index.html, or copy the folder to
/// where a web server finds it. What the store has and what was published is in it. Written again, it follows the
/// store; addresses stay the same, and pages of what is gone are removed.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku site --out site                        then open site/index.html
  kasoku site --out site --store results.sqlite")]
pub struct Args {
    /// The folder: a new one, an empty one, or a site to be written again
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Writes the site. Without a store it is one of published figures.
///
/// # Errors
/// If the store cannot be read, the folder is something else, or a file cannot be written.
pub fn run(args: &Args, store: Option<&Path>) -> Result<CommandOutcome, Failure> {
    let store = open_if_there(store)?;
    let folder = SiteFolder::open(&args.out)?;
    let collection = Collection::open(store.as_ref())?;
    let site = gather::site(&collection, store.as_ref())?;
    let mut places = MachinePlaces::default();
    for figures in gather::algorithms(&collection, &site) {
        let figures = figures?;
        site.rank(&figures, &mut places);
        for language in BOTH {
            folder.page(&site.algorithm(&figures, language))?;
        }
    }
    for library in site.libraries() {
        let figures = gather::library(&collection, &site, library)?;
        for page in BOTH.into_iter().filter_map(|language| site.library(library, &figures, language)) {
            folder.page(&page)?;
        }
    }
    for language in BOTH {
        folder.page(&site.index(&places, language))?;
    }
    let histories = gather::histories(&collection)?;
    let path = store.as_ref().map(Store::path);
    let mut unread = machines(&site, &places, &histories, path, &folder)?;
    unread.extend(documents(&site, path, &folder)?);
    unread.sort();
    unread.dedup();
    let count = folder.finish()?;
    for why in &unread {
        tell(&format!("Left out: {why}"));
    }
    tell(&format!("Site: {} ({count} files)", args.out.join("index.html").display()));
    Ok(if unread.is_empty() { CommandOutcome::Done } else { CommandOutcome::Partial })
}

/// The machines' pages. Gives why runs are left out that cannot be read.
fn machines(
    site: &Site<'_>,
    places: &MachinePlaces,
    histories: &HashMap<&MachineIdentity, Vec<History>>,
    store: Option<&Path>,
    folder: &SiteFolder,
) -> Result<Vec<String>, Failure> {
    in_parallel(site.machines(), store, |place, machine, store| {
        let known = &machine.known;
        let (documents, unread) = match (known.published, store) {
            (Some(published), _) => (vec![published.clone()], None),
            (None, None) => (Vec::new(), None),
            (None, Some(store)) => match newest::among(store, known.runs.iter().copied()) {
                Ok(documents) => (documents, None),
                Err(why) => (Vec::new(), Some(why.to_string())),
            },
        };
        let histories = known.identity.and_then(|identity| histories.get(identity)).map_or(&[][..], Vec::as_slice);
        let places = places.get(place).map_or(&[][..], Vec::as_slice);
        for language in BOTH {
            folder.page(&site.machine(place, &documents, histories, places, language))?;
        }
        if let Some((document, path)) =
            known.published.zip(known.published.and_then(|one| site.document_path(&one.run.id)))
        {
            folder.write(&path, &json::compact(document))?;
        }
        Ok(unread)
    })
}

/// The runs' documents. Gives why runs are left out that cannot be read.
fn documents(site: &Site<'_>, store: Option<&Path>, folder: &SiteFolder) -> Result<Vec<String>, Failure> {
    let runs: Vec<&KnownRun> = site.machines().iter().flat_map(|machine| machine.known.runs.iter().copied()).collect();
    in_parallel(&runs, store, |_, run, store| {
        let (Some(store), Some(path)) = (store, site.document_path(&run.id)) else { return Ok(None) };
        match store.load(&run.id) {
            Ok(document) => folder.write(&path, &json::compact(&document)).map(|()| None),
            Err(why) => Ok(Some(why.to_string())),
        }
    })
}

/// Does `work` for each of `items`, on every CPU, each thread with the store open for itself. Gives what went unread.
fn in_parallel<T: Sync>(
    items: &[T],
    store: Option<&Path>,
    work: impl Fn(usize, &T, Option<&Store>) -> Result<Option<String>, Failure> + Sync,
) -> Result<Vec<String>, Failure> {
    let next = AtomicUsize::new(0);
    let until_done = || -> Result<Vec<String>, Failure> {
        let store = store.map(Store::open_existing).transpose()?;
        let mut unread = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return Ok(unread) };
            unread.extend(work(place, item, store.as_ref())?);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(until_done)).collect();
        let mut unread = Vec::new();
        for thread in threads {
            unread.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(unread)
    })
}

/// The store, if there is one. One that was named must be there.
fn open_if_there(named: Option<&Path>) -> Result<Option<Store>, Failure> {
    match location::locate(named).and_then(|path| Store::open_existing(&path)) {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Missing { .. } | StoreError::NoPlace) if named.is_none() => Ok(None),
        Err(error) => Err(error.into()),
    }
}
