//! What results say, in each language.
//!
//! A file for each subject. Both languages stand side by side, and a sentence that lacks one does not compile; what is
//! said is decided once, in neutral code. Japanese sentences end in です・ます, tables and headings in nouns. There is
//! no space between Japanese and Latin letters; numbers keep the space before their unit. One word per idea:
//!
//! | English | Japanese |
//! |---|---|
//! | acceleration, on, off | 加速、加速オン、加速オフ（コマンドラインの値である`on`、`off`、`no-vaes`はそのまま） |
//! | library | 実装 |
//! | code path | コードパス |
//! | run | 測定 |
//! | worker, round, slice | ワーカー、ラウンド、スライス |
//! | interval | 信頼区間 |
//! | noise floor | ノイズフロア |
//! | no difference shown | 差は認められない、差は認められません |
//! | verified, not verified | 検証済み、未検証 |
//! | verdict | 結論 |
//! | encrypt, seal; decrypt, open | 暗号化、復号（認証の有無はアルゴリズムの種類で分かる） |
//! | key agreement, signature, key encapsulation | 鍵共有、署名、鍵カプセル化 |
//! | cipher alone; set-up | 暗号処理のみ、前後処理（ナンス、AAD、タグ） |
//! | header protection | ヘッダー保護 |
//! | batch of 64; in a loop | 64個一括、64個ループ |
//! | the CPU’s bound; share of it | 上限、上限比 |
//! | throughput, overhead, nonce | スループット、オーバーヘッド、ナンス |

mod advice;
mod charts;
mod collection;
mod comparison;
mod facts;
mod files;
mod jvm;
mod lists;
mod origin;
mod others;
mod packets;
mod page;
mod say;
mod site;
mod steps;
mod tables;
mod terminal;
mod tls;
mod transfer;
mod words;

pub(crate) use advice::AdviceMessages;
pub(crate) use charts::Charts;
pub(crate) use collection::CollectionMessages;
pub(crate) use comparison::ComparisonMessages;
pub(crate) use facts::Facts;
pub(crate) use files::FileMessages;
pub(crate) use jvm::JvmMessages;
pub(crate) use lists::Lists;
pub(crate) use origin::OriginMessages;
pub(crate) use others::{AroundMessages, HistoryMessages, OthersMessages};
pub(crate) use packets::PacketMessages;
pub(crate) use page::PageMessages;
pub(crate) use say::{pick, say};
pub(crate) use site::SiteMessages;
pub(crate) use steps::StepMessages;
pub(crate) use tables::Tables;
pub(crate) use terminal::TerminalMessages;
pub(crate) use tls::TlsMessages;
pub(crate) use transfer::TransferMessages;
pub(crate) use words::{Words, and};

use kasoku_model::language::Language;

macro_rules! messages {
    ($($subject:ident: $form:ident,)*) => {
        /// Everything that results say, in one language.
        #[derive(Clone, Copy, Debug)]
        pub struct Messages {
            /// The language.
            pub language: Language,
            $(pub(crate) $subject: $form,)*
        }

        /// What results say in `language`.
        pub fn messages(language: Language) -> &'static Messages {
            match language {
                Language::English => &Messages { language: Language::English, $($subject: $form::ENGLISH,)* },
                Language::Japanese => &Messages { language: Language::Japanese, $($subject: $form::JAPANESE,)* },
            }
        }

        #[cfg(test)]
        impl Messages {
            /// Every text with its name.
            fn texts(&self) -> Vec<(&'static str, &'static str)> {
                [$(self.$subject.texts(),)*].concat()
            }
        }
    };
}
messages! {
    words: Words,
    tables: Tables,
    facts: Facts,
    origin: OriginMessages,
    page: PageMessages,
    charts: Charts,
    packets: PacketMessages,
    files: FileMessages,
    jvm: JvmMessages,
    tls: TlsMessages,
    transfer: TransferMessages,
    terminal: TerminalMessages,
    lists: Lists,
    collection: CollectionMessages,
    site: SiteMessages,
    comparison: ComparisonMessages,
    steps: StepMessages,
    others: OthersMessages,
    history: HistoryMessages,
    around: AroundMessages,
    advice: AdviceMessages,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that are the same in every language: names, units and signs.
    const ALIKE: [&str; 10] = [
        "cpu",
        "kasoku",
        "comma",
        "interval_heading",
        "repeated_run_after",
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
