//! The command `kasoku`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod cli;
pub mod cmd;
