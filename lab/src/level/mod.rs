//! What is measured: one file a level.

pub mod primitives;
