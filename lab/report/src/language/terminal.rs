//! The terminal and exports around their tables.

use kasoku_model::document::Document;

use super::say::{pick, say, subject};

subject! {
    /// The terminal and exports around their tables.
    TerminalMessages {
        texts {
            incomplete:
                "INCOMPLETE: this run did not reach its end. Nothing in it is ranked; compare uses its samples."
                | "未完了：この測定は最後まで終わっていません。順位付けには使わず、compare では標本を使います。";
            emulated:
                "EMULATED: there is no such CPU here. No figure says anything about one, and nothing is ranked."
                | "エミュレーション：このCPUは実在しません。値はCPUの性能を示さないため、順位付けには使いません。";
            under_wine:
                "UNDER WINE: there was no Windows here. No figure says anything about it, and nothing is ranked."
                | "Wine上の測定：Windowsではありません。値はWindowsでの性能を示さないため、順位付けには使いません。";
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

impl TerminalMessages {
    /// Why nothing in a run is ranked, if that is so of the run as a whole.
    pub(crate) fn unranked(&self, document: &Document) -> Option<&'static str> {
        let machine = &document.machine;
        if machine.emulated_on.is_some() {
            return Some(self.emulated);
        }
        if machine.wine.is_some() {
            return Some(self.under_wine);
        }
        (!document.run.complete).then_some(self.incomplete)
    }
}
