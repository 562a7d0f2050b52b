//! Several hosts, or one with servers elsewhere.

use std::path::Path;
use std::time::{Duration, Instant};

use super::super::super::report::write_page;
use super::super::super::{CommandOutcome, Failure, measuring_lock, surroundings, tell};
use super::super::asked::RunRequest;
use super::super::command_line::command_line;
use super::super::files;
use super::super::measure::{Finished, Making, measure};
use super::super::options::options;
use super::super::results::{RunStore, check_places, deliver_all};
use kasoku_fleet::follower;
use kasoku_fleet::gathering::{self, Gathered};
use kasoku_fleet::host_file::{HostFile, Keeping};
use kasoku_fleet::hosts::{Alone, Hosts};
use kasoku_fleet::leader::Leader;
use kasoku_fleet::meeting::{self, Meeting};
use kasoku_fleet::own_host::OwnHost;
use kasoku_fleet::token::Token;
use kasoku_measure::level::options::LevelOptions;
use kasoku_measure::observer::Observer;
use kasoku_measure::plan::Plan;
use kasoku_measure::worker::Worker;
use kasoku_measure::{driver, tls};
use kasoku_model::language::Language;
use kasoku_model::run_name;
use kasoku_report::html::{self, Shown};
use kasoku_report::{Format, list};
use kasoku_store::{location, output_file};

/// How long hosts may need to start.
const TO_MEET: Duration = Duration::from_secs(120);

pub(super) fn with_hosts(
    asked: &RunRequest,
    store: Option<&Path>,
    language: Language,
    is_together: bool,
) -> Result<CommandOutcome, Failure> {
    let mut hosts = hosts(is_together)?;
    let hosts = &mut *hosts;
    // What is wrong here must be known everywhere, or the others would wait.
    let ready = ready(asked);
    let error = ready.as_ref().err().map(ToString::to_string);
    let begun = meeting::meet(hosts, run_name::new(), error, Instant::now() + TO_MEET).map_err(Failure::new);
    let (mut options, token) = ready?;
    let met = begun?;
    let Some(token) = token else { return each_for_itself(asked, &mut options, store, language, hosts, &met) };
    match hosts.own() {
        0 => lead(asked, &mut options, &token, store, language, hosts, &met),
        _ => follow(asked, &token, hosts, &met),
    }
}

/// What was asked for, and the token if it is about servers elsewhere.
fn ready(asked: &RunRequest) -> Result<(LevelOptions, Option<Token>), Failure> {
    let options = options(asked)?;
    if asked.resume()?.is_some() {
        return Err(Failure::new("--resume does not work with --server or on several hosts"));
    }
    if asked.tls.server.is_empty() {
        return Ok((options, None));
    }
    let token = match (&asked.tls.token, std::env::var("KASOKU_TOKEN")) {
        (Some(token), _) => token.clone(),
        (None, Ok(text)) => text.parse().map_err(|error| Failure::new(format!("KASOKU_TOKEN: {error}")))?,
        (None, Err(_)) => {
            return Err(Failure::new("--server needs --token TOKEN, as printed by kasoku serve"));
        }
    };
    Ok((options, Some(token)))
}

#[cfg(feature = "mpi")]
fn hosts(is_together: bool) -> Result<Box<dyn Hosts>, Failure> {
    if is_together {
        return Ok(Box::new(kasoku_fleet::mpi::Mpi::join().map_err(Failure::new)?));
    }
    Ok(Box::new(Alone))
}

#[cfg(not(feature = "mpi"))]
fn hosts(_is_together: bool) -> Result<Box<dyn Hosts>, Failure> {
    Ok(Box::new(Alone))
}

/// Opens what this host needs to put load on the servers.
fn open(asked: &RunRequest, token: &Token, hosts: &dyn Hosts, met: &Meeting) -> Result<OwnHost, String> {
    let mut own = OwnHost::open(&asked.tls.server, token, &met.run)?;
    if hosts.count() > 1 {
        own.file = Some(HostFile::new(
            asked.general.host_results.as_deref().unwrap_or(Path::new(".")),
            met.part.clone(),
            &command_line(),
        )?);
    }
    Ok(own)
}

fn lead(
    asked: &RunRequest,
    options: &mut LevelOptions,
    token: &Token,
    store: Option<&Path>,
    language: Language,
    hosts: &mut dyn Hosts,
    met: &Meeting,
) -> Result<CommandOutcome, Failure> {
    let own = check_places(asked, store)
        .map_err(|failure| failure.to_string())
        .and_then(|store| Ok((store, open(asked, token, hosts, met)?)));
    let (mut store, own) = own.map_err(|why| {
        gathering::end(hosts, &why);
        Failure::new(why)
    })?;
    let mut leader = Leader::new(hosts, own, met.names.clone(), &met.boots).map_err(Failure::new)?;
    options.tls.elsewhere = Some(leader.offer().map_err(Failure::new)?);
    let carried_out = {
        let mut carry_out = |plan: &Plan, workers: Vec<Worker>, observer: &mut dyn Observer| match plan.tls() {
            Some(tls) => tls::run_on(plan, tls, &mut leader, observer),
            None => driver::run(plan, workers, observer),
        };
        let id = Some(met.part.run.clone());
        let is_alone = met.part.hosts == 1;
        let making = Making { id, name: None, is_quiet: false, is_alone, carry_out: &mut carry_out };
        measure(asked, options, &mut store, making)
    };
    let finished = carried_out?;
    leader.gathered().map_err(Failure::in_the_middle)?;
    if let Some(skew_s) = leader.skew_s() {
        let hosts = met.part.hosts;
        tell(&format!(
            "{hosts} hosts ({}) started every step within {:.1} ms of each other",
            met.names.join(", "),
            1e3 * skew_s
        ));
    }
    drop(leader);
    deliver_all(asked, store.open()?, &finished, language)
}

fn follow(asked: &RunRequest, token: &Token, hosts: &mut dyn Hosts, met: &Meeting) -> Result<CommandOutcome, Failure> {
    let lock = measuring_lock(asked.general.wait).map_err(|failure| failure.to_string());
    match lock.and_then(|lock| Ok((lock, open(asked, token, hosts, met)?))) {
        Ok((_lock, own)) => match follower::follow(hosts, own) {
            Ok(None) => Ok(CommandOutcome::Done),
            Ok(Some(why)) => Err(Failure::in_the_middle(why)),
            Err(why) => {
                gathering::fail(hosts, &why);
                Err(Failure::in_the_middle(why))
            }
        },
        Err(why) => {
            gathering::fail(hosts, &why);
            gathering::wait_for_the_end(hosts);
            Err(Failure::new(why))
        }
    }
}

/// Every host measures itself, and the first one gathers all.
fn each_for_itself(
    asked: &RunRequest,
    options: &mut LevelOptions,
    store: Option<&Path>,
    language: Language,
    hosts: &mut dyn Hosts,
    met: &Meeting,
) -> Result<CommandOutcome, Failure> {
    let is_first = hosts.own() == 0;
    let measured = one_of_all(asked, options, store, met, is_first);
    if !is_first {
        return match measured {
            Ok((_, finished, file)) => {
                gathering::hand_over(hosts, file).map_err(Failure::in_the_middle)?;
                Ok(if finished.has_failed { CommandOutcome::Partial } else { CommandOutcome::Done })
            }
            Err(failure) => {
                gathering::fail(hosts, &failure.to_string());
                gathering::wait_for_the_end(hosts);
                Err(failure)
            }
        };
    }
    let gathered = gathering::gather(hosts, met);
    let mut others = Vec::new();
    for (name, one) in met.names.iter().skip(1).zip(gathered) {
        match one {
            Gathered::Run(document) => others.push(*document),
            Gathered::Nothing(why) => tell(&format!("{name}: {why}")),
        }
    }
    // What the others measured is stored before they hear that it is, whatever became of this host's own run.
    let (own_store, measured) = match measured {
        Ok((store, finished, file)) => (Ok(store), Ok((finished, file))),
        Err(failure) => (location::locate(store).and_then(RunStore::at), Err(failure)),
    };
    let stored = own_store.and_then(|mut store| {
        // For nothing, no store is made.
        if !others.is_empty() {
            store.open()?.add_documents(&others)?;
        }
        Ok(store)
    });
    let mut store = stored.map_err(|error| {
        gathering::end(hosts, &error.to_string());
        Failure::from(error)
    })?;
    gathering::end_of_all(hosts);
    let (finished, mut file) = measured?;
    let store = store.open()?;
    file.is_gathered().map_err(Failure::in_the_middle)?;
    let mut has_failed = finished.has_failed || others.len() + 1 < met.names.len();
    let documents: Vec<_> = std::iter::once(finished.document.clone()).chain(others).collect();
    let around = surroundings::of(&documents.iter().collect::<Vec<_>>(), store);
    let shown: Vec<Shown<'_>> = documents
        .iter()
        .zip(&around)
        .map(|(document, around)| Shown { document, surroundings: Some(around) })
        .collect();
    output_file::print(&table(&documents, language))?;
    let place = write_page(&asked.report_path(&met.part.run), &html::render_among(&shown, language))?;
    tell(&format!("\nReport: {place}"));
    has_failed |= documents.iter().flat_map(|document| &document.series).any(|series| series.has_failed());
    Ok(if has_failed { CommandOutcome::Partial } else { CommandOutcome::Done })
}

/// Measures this host; its file holds all of it.
fn one_of_all(
    asked: &RunRequest,
    options: &mut LevelOptions,
    store: Option<&Path>,
    met: &Meeting,
    is_first: bool,
) -> Result<(RunStore, Finished, HostFile), Failure> {
    files::clean(options);
    if asked.general.json.is_some() || asked.files.log.is_some() {
        return Err(Failure::new(
            "--json and --log do not work on several hosts; each host keeps its document in --host-results",
        ));
    }
    // The store of every other host is its own: a folder that hosts share cannot lock a database for them.
    let folder = kasoku_measure::folder::Folder::new(&std::env::temp_dir(), kasoku_measure::folder::FLEET);
    let folder =
        folder.map_err(|error| Failure::new(format!("cannot create a folder for this host's store: {error}")))?;
    let mut store = match is_first {
        true => check_places(asked, store)?,
        false => RunStore::at(folder.path().join("store.sqlite"))?,
    };
    let mut file = HostFile::new(
        asked.general.host_results.as_deref().unwrap_or(Path::new(".")),
        met.part.clone(),
        &command_line(),
    )
    .map_err(Failure::new)?;
    let id = file.document().run.id.clone();
    let finished = {
        let mut carry_out = |plan: &Plan, workers: Vec<Worker>, observer: &mut dyn Observer| {
            driver::run(plan, workers, &mut Keeping::new(&mut file, observer))
        };
        measure(
            asked,
            options,
            &mut store,
            Making {
                id: Some(id),
                name: Some(met.part.host.clone()),
                is_quiet: !is_first,
                is_alone: false,
                carry_out: &mut carry_out,
            },
        )?
    };
    file.hold(finished.document.clone()).map_err(Failure::in_the_middle)?;
    Ok((store, finished, file))
}

/// The runs, one line each.
fn table(documents: &[kasoku_model::document::Document], language: Language) -> String {
    let headings = match language {
        Language::English => ["host", "CPU", "run", "series", "failed", "seconds"],
        Language::Japanese => ["ホスト", "CPU", "実行", "系列数", "失敗", "秒"],
    };
    let cells: Vec<Vec<String>> = documents
        .iter()
        .map(|document| {
            let failed = document.series.iter().filter(|series| series.has_failed()).count();
            vec![
                document.machine.label().to_owned(),
                document.machine.cpu.clone(),
                document.run.id.clone(),
                document.series.len().to_string(),
                failed.to_string(),
                format!("{:.0}", document.run.seconds.unwrap_or(0.0)),
            ]
        })
        .collect();
    list::render(&headings, &cells, &serde_json::Value::Null, Format::Table)
}
