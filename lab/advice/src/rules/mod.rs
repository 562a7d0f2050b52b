//! Every rule, a file for each group of topics: a table of rules, then the functions of those that need one.

mod acceleration;
mod curves;
mod disk;
mod hashes;
mod java;
mod machine;
mod modes;
mod tls;
mod vpn;
pub(crate) mod web_server;

use super::rule::Rule;

/// Every rule, in the order of the topics.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [
        acceleration::RULES,
        tls::RULES,
        web_server::RULES,
        vpn::RULES,
        disk::RULES,
        java::RULES,
        modes::RULES,
        hashes::RULES,
        curves::RULES,
        machine::RULES,
    ]
    .into_iter()
    .flatten()
}
