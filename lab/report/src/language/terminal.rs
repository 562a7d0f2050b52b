//! The terminal and exports around their tables.

use super::say::subject;

subject! {
    /// The terminal and exports around their tables.
    TerminalMessages {
        texts {
            incomplete:
                "INCOMPLETE: this run did not reach its end. Nothing in it is ranked; compare uses its samples."
                | "未完了：この測定は最後まで終わっていません。順位付けには使わず、compare では標本を使います。";
            incomplete_export:
                "INCOMPLETE: this run did not reach its end. Nothing in it is ranked; compare uses its samples."
                | "未完了：この測定は最後まで終わっていません。順位付けには使わず、compare では標本を使います。";
            note: "note: " | "注記：";
            verdict: "Verdict" | "結論";
        }
        sentences {
            item: fn(&str, &[&str]) -> String =
                |first, rest| format!("{first}: {}", rest.join("; ")),
                |first, rest| format!("{first}：{}", rest.join(" · "));
            run: fn(&str) -> String =
                |run| format!("Run {run}"),
                |run| format!("測定ID：{run}");
            run_sentence: fn(&str, &str) -> String =
                |run, started| match started {
                    "" => format!("Run {run}."),
                    started => format!("Run {run}, {started}."),
                },
                |run, started| match started {
                    "" => format!("測定ID：{run}"),
                    started => format!("測定ID：{run}、開始日時：{started}"),
                };
        }
    }
}
