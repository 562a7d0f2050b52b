//! Lists in Japanese.

use crate::language::Lists;

pub(super) const LISTS: Lists = Lists {
    no_runs: "保存された測定はまだありません。",
    run: "測定ID",
    started: "開始日時",
    cpu: "CPU",
    kasoku: "Kasoku",
    command: "コマンド",
    complete: "完了",
    series: "系列数",
    failed: "失敗",
    yes: "はい",
    no: "いいえ",
};
