//! The command `kasoku`: a laboratory that measures what cryptographic acceleration is worth.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod cli;
pub mod cmd;
