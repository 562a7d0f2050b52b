//! Every rule, a file for each group of topics: a table of rules, then the functions of those that need one.

mod acceleration;
mod curves;
mod hashes;
mod java;
mod modes;
mod tls;
pub(crate) mod web_server;

use super::rule::Rule;

/// Every rule, in the order of the topics.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let tables =
        [acceleration::RULES, tls::RULES, web_server::RULES, java::RULES, modes::RULES, hashes::RULES, curves::RULES];
    let mut all: Vec<&Rule> = tables.into_iter().flatten().collect();
    all.sort_by_key(|rule| rule.topic);
    all.into_iter()
}
