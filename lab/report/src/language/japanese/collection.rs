//! Rankings and histories in Japanese.

use super::words::and;
use crate::language::CollectionMessages;
use kasoku_model::acceleration::Acceleration;

pub(super) const COLLECTION: CollectionMessages = CollectionMessages {
    place: "順位",
    machine: "マシン",
    os: "OS",
    times_this: "このマシン比",
    stack: "実装",
    known: "出典",
    this_machine: "このマシン",
    imported: "取り込み",
    published: "公表値",
    any_stack: "マシンごとに最速の実装",
    quoted: "取り込みと公表値は出典に載っている値です。信頼区間はなく、出力の検証もしていません。",
    running_stream: "取り込みと公表値のうち認証付き暗号の値は、ひと続きのデータを処理し続けたときのものです。openssl speed \
                     -evpはメッセージごとのナンス設定もタグ生成も行わないため、小さいサイズでは、メッセージ単位で測定する\
                     Kasokuの値より速くなります。",
    no_run_and_not_measured: "このマシンの完了した測定が保存されておらず、Kasokuはこのアルゴリズムを測定しません。ほかの\
                              マシンだけを表示します",
    interval: "95 %信頼区間",
    change: "前回比",
    versions_differ: "途中で実装のバージョンが変わっています。",
    state: |state| match state {
        Acceleration::On => "加速オン".to_owned(),
        Acceleration::Off => "加速オフ".to_owned(),
        other => format!("加速{other}"),
    },
    behind: |text| format!("（{text}）"),
    measured: |day| format!("測定 {day}"),
    imported_from: |file| format!("取り込み: {file}"),
    left_out: |machines, wanted, sizes| {
        format!("{wanted}の値がない{machines}台は含めていません（値があるのは{}）。補間はしません。", and(sizes))
    },
    no_run: |command| {
        format!("このマシンの完了した測定が保存されていないため、順位に含まれていません。`{command}`で測定できます")
    },
    no_figure: |what, command| {
        format!("このマシンの完了した測定に、{what}の検証済みの値がありません。`{command}`で測定できます")
    },
    not_measured: |algorithm| format!("Kasokuは{algorithm}を測定しないため、このマシンは順位に含まれていません"),
    nothing_known: |what, sizes| match sizes {
        [] => format!("{what}の値は、測定にも取り込みにも公表値にもありません"),
        sizes => format!("{what}の値はありません。値があるのは{}です", and(sizes)),
    },
    without_interval: |ratio| format!("{ratio}（信頼区間なし）"),
    rule: |percent| {
        format!("前回からの変化は、両方の95 %信頼区間が重ならず、値の差が{percent:.0} %を超えるときだけ示しています。")
    },
};
