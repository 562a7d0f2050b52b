//! All rules of advice, in a file for each group of topics: a table, then functions that the table calls.

mod acceleration;
mod curves;
mod hashes;
mod java;
mod modes;
mod tls;
pub(crate) mod web_server;

use super::rule::Rule;

pub fn all() -> impl Iterator<Item = &'static Rule> {
    let tables =
        [acceleration::RULES, tls::RULES, web_server::RULES, java::RULES, modes::RULES, hashes::RULES, curves::RULES];
    let mut all: Vec<&Rule> = tables.into_iter().flatten().collect();
    all.sort_by_key(|rule| rule.topic);
    all.into_iter()
}
