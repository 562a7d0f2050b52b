//! The terminal and exports around their tables.

use super::say::{pick, say, subject};

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
            run(run: &str): "Run {run}" | "測定ID：{run}";
        }
        cases {
            item(first: &str, rest: &[&str]) in language -> String: {
                let rest = rest.join(pick(language, "; ", " · "));
                say!(language, "{first}: {rest}", "{first}：{rest}")
            };
            run_sentence(run: &str, started: &str) in language -> String: match started {
                "" => say!(language, "Run {run}.", "測定ID：{run}"),
                started => say!(language, "Run {run}, {started}.", "測定ID：{run}、開始日時：{started}"),
            };
        }
    }
}
