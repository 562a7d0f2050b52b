//! CSV and JSON, the formats for other programs.

pub mod csv;
pub mod json;
