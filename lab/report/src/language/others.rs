//! What stands around a run: the machine among the others, its earlier runs, its steps, advice.

use super::say::{pick, say, subject};

subject! {
    /// The machine among the others.
    OthersMessages {
        texts {
            title: "This machine among the others" | "ほかのマシンとの比較";
            explained:
                "One thread of openssl with acceleration on, on every machine the same work: messages of 16 KiB for \
                 ciphers and hashes, whole operations for curves. A bar begins at zero and is as long as its figure; \
                 one too short to be seen is drawn as a thin line. Libraries and their versions differ; they stand \
                 below."
                | "どのマシンも、加速オンのopensslを1スレッドで動かした値です。暗号とハッシュは16 KiBのメッセージ、楕\
                   円曲線は1回の演算を単位とします。棒は0から始まり、長さが値に比例します。短すぎて見えないものは細い\
                   線で示します。実装のバージョンはマシンによって異なります（下の表を参照）。";
            quoted:
                "Figures marked * were imported or published: they stand as their sources have them, without \
                 intervals, and nobody verified the output behind them."
                | "*の付いた値は取り込んだもの、または公表されたものです。出典の数値のままで、信頼区間はなく、出力の正\
                   しさも検証していません。";
            this_machine: "this machine" | "このマシン";
            measured: "measured by Kasoku" | "Kasokuによる測定";
            elsewhere: "imported or published*" | "取り込み・公表値*";
            symmetric: "Symmetric ciphers" | "共通鍵暗号";
            hashes: "Hashes" | "ハッシュ";
            curves: "Curves" | "楕円曲線暗号";
            not_here: "This run has no verified figure of it." | "この測定には、検証済みの値がありません。";
            all: "All of them: " | "すべてを表示：";
            more: "Other algorithms, and where the figures come from" | "ほかのアルゴリズムと数値の出典";
            machines: "The machines and where their figures come from" | "マシンと数値の出典";
        }
        sentences {
            unread(why: &str):
                "Other runs could not be read, so only published figures stand here: {why}"
                | "ほかの測定を読み出せなかったため、公表値だけを示します：{why}";
        }
        cases {
            gap(count: usize) in language -> String: say!(language, "… {count} more …", "…ほか{count}台…");
        }
    }
}

subject! {
    /// Earlier runs of the machine.
    HistoryMessages {
        texts {
            title: "History" | "測定の履歴";
            alone:
                "There is one run of this machine so far. From the second on this section shows how its main \
                 workloads go over time, and where a change is shown."
                | "このマシンの測定はまだ1回だけです。2回目からは、主な処理の速さの推移と、差が認められた箇所をここに\
                   示します。";
            quoted:
                "These figures are from elsewhere: there are no runs of that machine to follow."
                | "Kasokuが測定した値ではないため、たどれる履歴はありません。";
            unchanged:
                "No difference is shown between one run and the next in any of the main workloads."
                | "主な処理のいずれにも、前回の測定との有意差はありません。";
            changed: "Changes that are shown, each against the run before:" | "前回の測定との間に認められた変化：";
            legend:
                "“=”: no difference shown. A figure alone has no run before it; “?” marks one that cannot be held \
                 against the run before, since one of them has no interval."
                | "「=」は有意差なし。印のない値には、その前の測定がありません。「?」は、どちらかに信頼区間がなく、前\
                   回と比べられないことを表します。";
            versions_differ:
                "The version of a library is not the same in all of these runs."
                | "実装のバージョンが、測定によって異なります。";
            table: "The main workloads over the runs of this machine" | "このマシンの主な処理の推移";
            this_run: "this run" | "この測定";
            oldest: "oldest" | "最古";
            newest: "newest" | "最新";
        }
        sentences {
            most(count: usize): "The newest {count} runs; all of them: " | "最新の{count}回分です。すべてを表示：";
            rule(percent: f64):
                "A change is shown where the 95 % intervals of both runs do not overlap and the figures differ by \
                 more than {percent:.0} %."
                | "変化があるとみなすのは、前回と今回の95 %信頼区間が重ならず、かつ値の差が{percent:.0} %を超える場合\
                   だけです。";
            change(workload: &str, times: &str, when: &str):
                "{workload}: {times} on {when}"
                | "{workload}：{times}（{when}）";
            line(library: &str, oldest: &str, newest: &str, count: usize):
                "{library}: from {oldest} to {newest} over {count} runs."
                | "{library}は{count}回の測定で{oldest}から{newest}へ。";
        }
        cases {
            chart(unit: &str, lines: &[String]) in language -> String: {
                let lines = lines.join(pick(language, " ", ""));
                say!(
                    language,
                    "A line chart in {unit}, the oldest run on the left. {lines}",
                    "折れ線グラフ（単位：{unit}）。左端が最も古い測定です。{lines}"
                )
            };
        }
    }
}

subject! {
    /// Steps and advice on the page.
    AroundMessages {
        texts {
            steps: "Steps" | "サイズによる段差";
            steps_explained:
                "Where the time of a workload jumps with its size: more than a fixed cost and a cost for each byte can \
                 make. Sweeps come first, then the largest jumps."
                | "サイズを変えたとき、固定費とバイト単価だけでは説明できないほど処理時間が跳ぶ箇所です。掃引したも\
                   の、次いで跳びの大きいものから順に示します。";
            choices: "What to choose" | "このマシンでの選択";
            advice: "Advice, with lines to paste" | "おすすめの設定";
            advice_all: "Why, and lines to paste for each program" | "理由と、各プログラムの設定例";
            advice_short: "In short" | "要点";
            advice_act: "to do" | "要対応";
            advice_paste: "To paste: " | "設定例：";
        }
        sentences {}
        cases {
            steps_more(count: usize) in language -> String: {
                let have = if count == 1 { "workload has" } else { "workloads have" };
                say!(language, "{count} more {have} a step: ", "ほかに{count}件で段差が見つかっています：")
            };
        }
    }
}
