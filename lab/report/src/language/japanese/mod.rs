//! Japanese.
//!
//! Sentences end in です・ます, tables and headings in nouns. There is no space between Japanese and Latin letters; numbers
//! keep the space before their unit. One word per idea, as in the rest of Kasoku:
//!
//! | English | Japanese |
//! |---|---|
//! | acceleration, on, off | 加速、加速オン、加速オフ（コマンドラインの値である`on`、`off`、`no-vaes`はそのまま） |
//! | stack | 実装 |
//! | code path | コードパス |
//! | run | 測定 |
//! | probe, round, slice | プローブ、ラウンド、スライス |
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
//! | the CPU’s limit; share of it | 上限、上限比 |
//! | throughput, overhead, nonce | スループット、オーバーヘッド、ナンス |

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

/// Everything in Japanese.
pub(super) const MESSAGES: Messages = Messages {
    language: Language::Japanese,
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
