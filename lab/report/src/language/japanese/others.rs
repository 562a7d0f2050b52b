//! The machine among the others, its history, its steps and advice on it, in Japanese.

use crate::language::{AroundMessages, HistoryMessages, OthersMessages};

pub(super) const OTHERS: OthersMessages = OthersMessages {
    title: "ほかのマシンとの比較",
    explained: "どのマシンも、加速オンのopensslを1スレッドで動かした値です。暗号とハッシュは16 KiBのメッセージ、楕円曲線は1回の演算を\
                単位とします。棒は0から始まり、長さが値に比例します。短すぎて見えないものは細い線で示します。実装のバージョンは\
                マシンによって異なります（下の表を参照）。",
    quoted: "*の付いた値は取り込んだもの、または公表されたものです。出典の数値のままで、信頼区間はなく、出力の正しさも検証していません。",
    this_machine: "このマシン",
    measured: "Kasokuによる測定",
    elsewhere: "取り込み・公表値*",
    symmetric: "共通鍵暗号",
    hashes: "ハッシュ",
    curves: "楕円曲線暗号",
    not_here: "この測定には、検証済みの値がありません。",
    machines: "マシンと数値の出典",
    gap: |count| format!("…ほか{count}台…"),
    all: |command| ("すべてを表示：", command.to_owned(), ""),
    unread: |why| format!("ほかの測定を読み出せなかったため、公表値だけを示します：{why}"),
};

pub(super) const HISTORY: HistoryMessages = HistoryMessages {
    title: "測定の履歴",
    alone: "このマシンの測定はまだ1回だけです。2回目からは、主な処理の速さの推移と、差が認められた箇所をここに示します。",
    quoted: "Kasokuが測定した値ではないため、たどれる履歴はありません。",
    unchanged: "主な処理のいずれにも、前回の測定との有意差はありません。",
    changed: "前回の測定との間に認められた変化：",
    legend: "「=」は有意差なし。印のない値には、その前の測定がありません。「?」は、どちらかに信頼区間がなく、前回と比べられないことを\
             表します。",
    versions_differ: "実装のバージョンが、測定によって異なります。",
    table: "このマシンの主な処理の推移",
    this_run: "この測定",
    oldest: "最古",
    newest: "最新",
    rule: |percent| {
        format!(
            "変化があるとみなすのは、前回と今回の95 %信頼区間が重ならず、かつ値の差が{percent:.0} %を超える場合だけです。"
        )
    },
    most: |count, command| (format!("最新の{count}回分です。すべてを表示："), command.to_owned(), ""),
    change: |workload, times, when| format!("{workload}：{times}（{when}）"),
    chart: |unit, lines| format!("折れ線グラフ（単位：{unit}）。左端が最も古い測定です。{}", lines.concat()),
    line: |stack, oldest, newest, count| format!("{stack}は{count}回の測定で{oldest}から{newest}へ。"),
};

pub(super) const AROUND: AroundMessages = AroundMessages {
    steps: "段差",
    steps_explained: "サイズを変えたとき、固定費とバイト単価だけでは説明できないほど処理時間が跳ぶ箇所です。掃引したもの、次いで跳びの大きいものから順に示します。",
    steps_legend: "点は測定値、線はそれに当てはめた固定費とバイト単価です。",
    advice: "助言",
    advice_short: "要点",
    advice_act: "要対応",
    advice_paste: "設定例：",
    steps_more: |count, command| (format!("ほかに{count}件で段差が見つかっています："), command.to_owned(), ""),
    steps_chart: |size| format!("{size}付近の処理時間"),
    steps_seen: |count, before, at, size| {
        format!("{count}サイズ。1回の処理時間は、段差の直前のサイズで{before}、{size}で{at}です。")
    },
};
