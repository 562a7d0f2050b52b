//! Converts a publication to run documents, one for each machine.

use super::source::{About, Publication, PublishedCell, PublishedMachine, figure};
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::document::{
    self, Details, Document, Experiment, Origin, OriginKind, QuotedDetails, Run, SCHEMA, Series, Unit,
};
use kasoku_model::level::Level;
use kasoku_model::openssl_speed::{self, AeadRow};
use kasoku_model::workload::Workload;

pub(super) fn documents(source: &Publication) -> impl Iterator<Item = Document> + '_ {
    source.machines.iter().map(|machine| document(source, machine)).filter(|document| !document.series.is_empty())
}

fn document(source: &Publication, machine: &PublishedMachine) -> Document {
    let built = machine.built.iter().map(|built| format!("OpenSSL was built on: {built}"));
    let cells = source.tables.iter().flat_map(|table| table.cells());
    let mut all: Vec<Series> = cells.filter_map(|cell| series(machine, &cell)).collect();
    // Figures from before 2025 precede the change of `openssl speed`, so their version does not matter.
    let is_older = source.year.is_some_and(|year| year < 2025) && machine.library_version.is_none();
    for one in all.iter_mut().filter(|one| is_older && one.algorithm.kind() == AlgorithmKind::Aead) {
        let details = QuotedDetails { aead_row: Some(AeadRow::Updates), ..QuotedDetails::default() };
        one.details.experiment = Experiment::Quoted(details);
    }
    Document {
        schema: SCHEMA,
        run: Run {
            id: source.document_id(machine),
            command: source.command.clone().unwrap_or_default(),
            complete: true,
            notes: built.chain(openssl_speed::explained(&all)).collect(),
            origin: Some(Origin {
                kind: OriginKind::Published,
                source: source.title.clone(),
                address: source.address.clone(),
                note: Some(source.credit()).filter(|credit| !credit.is_empty()),
            }),
            ..Run::default()
        },
        machine: document::Machine {
            name: machine.name.clone(),
            cpu: machine.cpu.clone(),
            arch: machine.arch.clone(),
            cores: machine.threads.or(machine.cores).unwrap_or_default(),
            os: machine.os.clone(),
            ..document::Machine::default()
        },
        series: all,
    }
}

/// Returns the series of a cell, if it is about this machine and has all that a series needs.
fn series(machine: &PublishedMachine, cell: &PublishedCell<'_>) -> Option<Series> {
    let About { machine: Some(about), library: Some(library), operation, algorithm, bytes, acceleration } = &cell.about
    else {
        return None;
    };
    if *about != machine.id {
        return None;
    }
    let algorithm = (*algorithm)?;
    let is_bulk = algorithm.kind().is_bulk();
    // Public-key operations have a fixed size, which tables do not print.
    let bytes = if is_bulk { (*bytes)? } else { bytes.unwrap_or_default() };
    let workload = Workload::new((*operation)?, algorithm, bytes);
    let version = machine.library_version.clone().unwrap_or_default();
    let unit = if is_bulk { Unit::BytesPerSecond } else { Unit::OperationsPerSecond };
    Some(Series {
        median: Some(figure(cell.printed)?),
        // Publications state neither nonces nor the number of keys.
        details: Details { experiment: Experiment::Quoted(QuotedDetails::default()), ..Details::default() },
        ..Series::empty(Level::Primitives, &workload, library, version, (*acceleration)?, unit)
    })
}
