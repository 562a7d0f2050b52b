//! Checks all outputs of synthetic runs. Sentences follow the figures, and hostile text in a document cannot change the
//! page, the terminal or the spreadsheet.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

mod files;
mod forms;
mod jvm;
mod packets;
#[path = "../page/mod.rs"]
mod page;
mod primitives;
mod quoted;
mod screen;
#[path = "../synthetic/mod.rs"]
mod synthetic;
mod tls;
mod transfers;

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from:?} in\n{text}")).1;
    rest.split_once(to).map_or(rest, |(inside, _)| inside)
}
