//! What results say, in each language: typed messages, so that a sentence that a language lacks does not compile.
//!
//! [`Messages`] nests one struct for each subject, declared in a file here (`words.rs`, `page.rs`, `packets.rs`…) and
//! filled in by a file of the same name in `english/` and in `japanese/`. A text is a `&'static str`; a sentence with
//! something in it is a function that gets the parts and puts them where its language wants them. Numbers, units, names of
//! algorithms and stacks, and the words of the command line (`on`, `off`, `no-vaes`…) are the same in every language.
//!
//! To add a section to the report:
//!
//! 1. declare its struct in `language/SECTION.rs` with `subject!`: texts, then sentences;
//! 2. fill it in, in `english/SECTION.rs` and `japanese/SECTION.rs`, as a `pub(super) const`;
//! 3. add it as a field of [`Messages`] and to `Messages::texts` below, and to the two `mod.rs`.
//!
//! Its tables become `Grid`s with headings from there; on the page it is one more
//! `Section` in `html.rs`, which brings its line of the table of contents with it. The
//! tests then hold it to the rest: no text is empty, the Japanese is Japanese, and the Japanese page has no English left.

mod charts;
mod collection;
pub(crate) mod english;
mod facts;
mod files;
mod japanese;
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

pub(crate) use charts::Charts;
pub(crate) use collection::CollectionMessages;
pub(crate) use facts::Facts;
pub(crate) use files::FileMessages;
pub(crate) use jvm::JvmMessages;
pub(crate) use lists::Lists;
pub(crate) use origin::OriginMessages;
pub(crate) use others::{AroundMessages, HistoryMessages, OthersMessages};
pub(crate) use packets::PacketMessages;
pub(crate) use page::PageMessages;
pub(crate) use tables::Tables;
pub(crate) use terminal::TerminalMessages;
pub(crate) use tls::TlsMessages;
pub(crate) use transfer::TransferMessages;
pub(crate) use verdict::VerdictMessages;
pub(crate) use words::Words;

use kasoku_model::language::Language;

/// Declares the messages of one subject: `texts`, which stand as they are, and `sentences`, which are functions. The texts
/// can be listed, so that a test sees that none is empty and all are in their language.
macro_rules! subject {
    (
        $(#[$about:meta])*
        $name:ident {
            texts { $($(#[$said:meta])* $text:ident,)* }
            sentences { $($(#[$told:meta])* $sentence:ident: $form:ty,)* }
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name {
            $($(#[$said])* pub(crate) $text: &'static str,)*
            $($(#[$told])* pub(crate) $sentence: $form,)*
        }

        impl $name {
            /// Every text with its name.
            #[cfg(test)]
            pub(super) fn texts(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($text), self.$text)),*]
            }
        }
    };
}
use subject;

/// Everything that results say, in one language.
#[derive(Clone, Copy, Debug)]
pub struct Messages {
    /// The language.
    pub language: Language,
    pub(crate) words: Words,
    pub(crate) tables: Tables,
    pub(crate) facts: Facts,
    pub(crate) origin: OriginMessages,
    pub(crate) verdict: VerdictMessages,
    pub(crate) page: PageMessages,
    pub(crate) charts: Charts,
    pub(crate) packets: PacketMessages,
    pub(crate) files: FileMessages,
    pub(crate) jvm: JvmMessages,
    pub(crate) tls: TlsMessages,
    pub(crate) transfer: TransferMessages,
    pub(crate) terminal: TerminalMessages,
    pub(crate) lists: Lists,
    pub(crate) collection: CollectionMessages,
    pub(crate) others: OthersMessages,
    pub(crate) history: HistoryMessages,
    pub(crate) around: AroundMessages,
}

/// What results say in `language`.
pub fn messages(language: Language) -> &'static Messages {
    match language {
        Language::English => &english::MESSAGES,
        Language::Japanese => &japanese::MESSAGES,
    }
}

#[cfg(test)]
impl Messages {
    /// Every text with its name.
    fn texts(&self) -> Vec<(&'static str, &'static str)> {
        [
            self.words.texts(),
            self.tables.texts(),
            self.facts.texts(),
            self.origin.texts(),
            self.verdict.texts(),
            self.page.texts(),
            self.charts.texts(),
            self.packets.texts(),
            self.files.texts(),
            self.jvm.texts(),
            self.tls.texts(),
            self.transfer.texts(),
            self.terminal.texts(),
            self.lists.texts(),
            self.collection.texts(),
            self.others.texts(),
            self.history.texts(),
            self.around.texts(),
        ]
        .concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that are the same in every language: names, units and signs.
    const ALIKE: [&str; 11] = [
        "cpu",
        "kasoku",
        "comma",
        "interval_heading",
        "repeated_run_after",
        "slowest_break",
        "aead",
        "tls_record",
        "on_off",
        "overhead",
        "os",
    ];

    fn is_japanese(character: char) -> bool {
        matches!(character, '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
    }

    #[test]
    fn every_text_is_there_and_in_its_language() {
        for (name, text) in messages(Language::English).texts() {
            assert!(!text.trim().is_empty() && !text.chars().any(is_japanese), "English {name}: {text:?}");
        }
        for (name, text) in messages(Language::Japanese).texts() {
            assert!(!text.trim().is_empty(), "Japanese {name} is empty");
            assert!(ALIKE.contains(&name) || text.chars().any(is_japanese), "Japanese {name}: {text:?}");
        }
    }
}
