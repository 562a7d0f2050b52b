//! The page in Japanese.

use crate::language::PageMessages;

pub(super) const PAGE: PageMessages = PageMessages {
    about: " · そのマシンで暗号の加速はどれだけ効くのか",
    skip: "本文へ移動",
    contents: "目次",
    incomplete: "未完了の測定です。",
    incomplete_means: "この測定は最後まで終わっていません。以下は途中までに得られた値で、この測定の中での比較や順位付けは行いません。ほかの測定とは kasoku compare で比べられます。",
    note: "注記：",
    key_figures: "主な数値",
    verdict: "結論",
    throughput: "スループット",
    public_keys: "公開鍵暗号",
    ratios: "加速の効果",
    ratios_explained: "加速オンの速さがオフの何倍かを示します。値はラウンドごとの比の中央値で、その下は95 %信頼区間です。\
                       「=」は、差が認められない（信頼区間がノイズフロアを超えない）ことを表します。",
    on_over_off: "オン／オフ",
    times_the: "最も遅い",
    slowest: "ものとの比",
    fastest: "最速の実装",
    figures: "全測定値",
    figures_explained: "値は中央値、その下は95 %信頼区間の半幅です。",
    verified_means: "は出力が独立した実装または公開テストベクトルと一致したもの、",
    unverified_means: "は未検証のもので、順位付けや比較には使いません。",
    missing: "測定できなかったもの",
    machine: "マシン",
    method: "測定方法",
    method_explained: "どの実装も、加速の状態ごとに別のプロセスで動かします。ラウンドごとに順序を入れ替えて巡回するので、\
                       時間とともに生じる変動はすべてに等しく及びます。スレッドがコアを占有できなかったスライスは捨てます。\
                       比はラウンドの中で求め、信頼区間は、プロセスとその中のラウンドを入れ子に再抽出するブートストラップで求めます。",
    repeat: "同じ測定を行うコマンド",
    run: "測定ID：",
    run_after: "。",
    footer: "Kasokuが作成しました。このページは1つのファイルで完結し、外部から何も読み込まず、何も実行しません。",
    runs: |count| format!("Kasoku：測定{count}件"),
    nowhere_different: |stacks| format!("：どのサイズでも差は認められません（{stacks}）。"),
    ratios_of: |kind| format!("{kind}：加速オンとオフの比"),
    on_at: |size| format!("オン、{size}"),
    with_acceleration: |algorithm| format!("{algorithm}（加速オン）"),
    instead_of: |on, off| format!("オフでは{off}、オンでは{on}"),
    at_best: |algorithm| format!("{algorithm}の最高値"),
    at_with: |size, stack| format!("{size}、{stack}"),
};
