//! English.

mod charts;
mod collection;
mod facts;
mod files;
mod jvm;
mod lists;
mod origin;
mod others;
mod packets;
mod page;
mod tables;
mod terminal;
mod tls;
mod transfer;
mod verdict;
mod words;

use super::Messages;
use kasoku_model::language::Language;

/// Everything in English.
pub(super) const MESSAGES: Messages = Messages {
    language: Language::English,
    words: words::WORDS,
    tables: tables::TABLES,
    facts: facts::FACTS,
    origin: origin::ORIGIN,
    verdict: verdict::VERDICT,
    page: page::PAGE,
    charts: charts::CHARTS,
    packets: packets::PACKETS,
    files: files::FILES,
    jvm: jvm::JVM,
    tls: tls::TLS,
    transfer: transfer::TRANSFER,
    terminal: terminal::TERMINAL,
    lists: lists::LISTS,
    collection: collection::COLLECTION,
    others: others::OTHERS,
    history: others::HISTORY,
    around: others::AROUND,
};
