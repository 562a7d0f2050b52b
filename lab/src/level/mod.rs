//! What is measured: one file a level.

pub mod engine;
pub mod primitives;
