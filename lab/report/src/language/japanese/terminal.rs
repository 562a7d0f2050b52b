//! The terminal in Japanese.

use crate::language::TerminalMessages;

pub(super) const TERMINAL: TerminalMessages = TerminalMessages {
    incomplete: "未完了：この測定は最後まで終わっていません。順位付けには使わず、compare では標本を使います。",
    incomplete_export: "未完了：この測定は最後まで終わっていません。順位付けには使わず、compare では標本を使います。",
    note: "注記：",
    verdict: "結論",
    item: |first, rest| format!("{first}：{}", rest.join(" · ")),
    run: |run| format!("測定ID：{run}"),
    run_sentence: |run, started| match started {
        "" => format!("測定ID：{run}"),
        started => format!("測定ID：{run}、開始日時：{started}"),
    },
};
