//! Run documents of commands that do not use the store.

use std::path::Path;

use super::Failure;
use kasoku_measure::conclusion::Conclusion;
use kasoku_measure::machine;
use kasoku_measure::plan::Plan;
use kasoku_measure::record::PlanResults;
use kasoku_model::document::{Document, Method, Omission, Run, SCHEMA};
use kasoku_model::run_name;
use kasoku_report::export;
use kasoku_store::output_file;

pub fn write(
    path: &Path,
    command: &str,
    plan: &Plan,
    measured: &PlanResults,
    omissions: &[Omission],
    conclusion: &Conclusion,
) -> Result<(), Failure> {
    let mut method = Method::default();
    conclusion.add_to(&mut method, plan, measured.slice);
    let machine = machine::this();
    let run = Run {
        id: run_name::new(),
        started: run_name::now(),
        kasoku: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
        // Figures of an emulated CPU are never ranked.
        complete: machine.emulated_on.is_none(),
        libraries: measured.libraries.clone(),
        omissions: omissions.to_vec(),
        notes: conclusion.remarks.iter().map(ToString::to_string).collect(),
        method,
        ..Run::default()
    };
    let document = Document { schema: SCHEMA, run, machine, series: measured.series.clone() };
    Ok(output_file::write(path, export::json::text(&document).as_bytes())?)
}
