//! Output of a run: store, report, run document, log and final screen.

use std::path::{Path, PathBuf};

use super::super::report::write_page;
use super::super::{CommandOutcome, Failure, surroundings, tell, view};
use super::measure::CompletedRun;
use super::request::RunRequest;
use kasoku_model::document::Series;
use kasoku_model::library::Role;
use kasoku_report::language::Language;
use kasoku_report::{export, file_log, render};
use kasoku_store::output_file::{self, OutputError, print};
use kasoku_store::{Store, StoreError, location};

/// The store of a run. Creates the file only when there is something to store.
#[derive(Debug)]
pub(super) struct RunStore {
    path: PathBuf,
    opened: Option<Store>,
}

impl RunStore {
    /// Opens the store at `path` if it exists.
    pub(super) fn at(path: PathBuf) -> Result<RunStore, StoreError> {
        let opened = Store::open_if_there(&path)?;
        Ok(RunStore { path, opened })
    }

    /// Returns the store, and creates it if it is missing.
    pub(super) fn open(&mut self) -> Result<&mut Store, StoreError> {
        let store = match self.opened.take() {
            Some(store) => store,
            None => Store::open(&self.path)?,
        };
        Ok(self.opened.insert(store))
    }

    pub(super) fn existing(&mut self) -> Result<&mut Store, StoreError> {
        self.opened.as_mut().ok_or_else(|| StoreError::Missing(self.path.clone()))
    }
}

/// Finds the store, and checks that all other results can be written.
pub(super) fn check_outputs(request: &RunRequest, store: Option<&Path>) -> Result<RunStore, Failure> {
    let report_path = request.report_path("RUN"); // RUN stands for the run's name, which does not exist yet
    let json_path = request.common.json.as_deref().filter(|path| !output_file::is_standard_output(path));
    for path in [Some(report_path.as_path()), json_path, request.files.log.as_deref()].into_iter().flatten() {
        output_file::check_writable(path)?;
    }
    Ok(RunStore::at(location::locate(store)?)?)
}

/// Prints and writes the results. An unwritable file is an error, but the run is already stored.
pub(super) fn deliver_all(
    request: &RunRequest,
    store: &Store,
    completed: &CompletedRun,
    language: Language,
) -> Result<CommandOutcome, Failure> {
    let document = &completed.document;
    let page = surroundings::page(std::slice::from_ref(document), store, language);
    let kept = |error: OutputError| Failure::in_the_middle(format!("{error}; the run is kept as {}", document.run.id));
    let json = || export::json::text(document);
    let (to_output, json_path) = match request.common.json.as_deref() {
        Some(path) if output_file::is_standard_output(path) => (true, None),
        path => (false, path),
    };
    // Writes the other outputs even if one of them fails.
    let page = write_page(&request.report_path(&document.run.id), &page);
    let written = [
        json_path.map_or(Ok(()), |path| output_file::write(path, json().as_bytes())),
        request.files.log.as_ref().map_or(Ok(()), |path| output_file::write(path, file_log(document).as_bytes())),
        print(&if to_output { json() } else { render::screen(document, view(language)) }),
    ];
    let place = page.map_err(kept)?;
    written.into_iter().collect::<Result<(), _>>().map_err(kept)?;
    tell(&format!("\nCharts and every figure: {place}"));
    // Bounds and benchmarks with their own clock have no output to verify.
    let is_expected = |series: &Series| {
        let has_output = !matches!(series.role, Role::OwnClock | Role::Bound);
        series.is_verified() || (!has_output && !series.has_failed())
    };
    let is_whole = !completed.has_failed && document.series.iter().all(is_expected);
    Ok(if is_whole { CommandOutcome::Done } else { CommandOutcome::Partial })
}
