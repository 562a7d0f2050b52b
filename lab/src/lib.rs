//! Kasoku's laboratory: measures what cryptographic acceleration is worth on a machine.
//!
//! The command `kasoku` is a thin face over this library. Read [`level`] for what is measured, [`stack`] for what does
//! the work, [`measure`] for how it is timed, [`document`] for what comes out.

pub mod acceleration;
pub mod advice;
pub mod algorithm;
pub mod cli;
pub mod cmd;
pub mod collection;
pub mod comparison;
pub mod cpu;
pub mod document;
pub mod fleet;
pub mod import;
pub mod interruption;
pub mod language;
pub mod level;
pub mod machine;
pub mod material;
pub mod measure;
pub mod output_file;
pub mod own_program;
pub mod printable;
pub mod published;
pub mod report;
pub mod run_name;
pub mod stack;
pub mod steps;
pub mod store;
pub mod vectors;
pub mod workload;
