//! CSV and JSON, the forms for other programs.

pub mod csv;
pub mod json;
