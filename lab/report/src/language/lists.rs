//! Lists of runs.

use super::say::subject;

subject! {
    /// Lists of runs.
    Lists {
        texts {
            no_runs: "The store holds no runs yet." | "保存された測定はまだありません。";
            run: "run" | "測定ID";
            started: "started" | "開始日時";
            cpu: "cpu" | "CPU";
            kasoku: "kasoku" | "Kasoku";
            command: "command" | "コマンド";
            complete: "complete" | "完了";
            series: "series" | "系列数";
            failed: "failed" | "失敗";
            label: "label" | "ラベル";
            yes: "yes" | "はい";
            no: "no" | "いいえ";
        }
        sentences {}
        cases {}
    }
}
