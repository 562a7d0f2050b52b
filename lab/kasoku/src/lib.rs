//! The command `kasoku`.

pub mod cli;
pub mod cmd;
