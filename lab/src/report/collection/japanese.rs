//! Rankings and histories in Japanese.

use super::messages::Messages;
use crate::acceleration::Acceleration;
use crate::report::quantity::size;
use crate::workload::Operation;

pub(super) const JAPANESE: Messages = Messages {
    operation: |operation| match operation {
        Operation::Encrypt => "暗号化",
        Operation::Decrypt => "復号",
        Operation::Seal => "認証付き暗号化",
        Operation::Open => "検証と復号",
        Operation::Hash => "ハッシュ",
        Operation::Derive => "鍵共有",
        Operation::Sign => "署名",
        Operation::Verify => "署名検証",
        Operation::Encapsulate => "鍵カプセル化",
        Operation::Decapsulate => "カプセル解除",
        Operation::Serve => "配信",
        Operation::Roundtrip => "暗号化と復号",
        Operation::Generate => "鍵生成",
        Operation::Protect => "パケット保護",
        Operation::Unprotect => "パケット保護の解除",
    },
    acceleration: |state| match state {
        Acceleration::On => "加速オン".to_owned(),
        Acceleration::Off => "加速オフ".to_owned(),
        other => format!("加速 {other}"),
    },
    any_stack: "マシンごとに最速の実装",
    comma: "、",
    in_brackets: |text| format!("（{text}）"),

    place: "順位",
    device: "マシン",
    os: "OS",
    times_this: "このマシン比",
    library: "実装",
    known_from: "出典",

    this_machine: "このマシン",
    measured: |date| format!("実測 {date}"),
    imported: |source| format!("取り込み: {source}"),
    published: |source| format!("公表値: {source}"),

    quoted: "取り込みと公表値は出典の数値のままです。出力の正しさは Kasoku では検証しておらず、信頼区間もありません。",
    running_stream: "取り込みと公表値のうち AEAD の数値は、ひと続きのデータを暗号化したときのものです。openssl speed -evp \
                     はメッセージごとのノンス設定もタグ生成も行わないため、小さいサイズでは、メッセージ単位で測る Kasoku \
                     の数値より速く出ます。",
    left_out: |left_out, question| {
        let sizes: Vec<String> = left_out.sizes.iter().map(|bytes| size(*bytes)).collect();
        format!(
            "{} の数値がない {} 台は表に含めていません（あるのは {}）。補間はしません。",
            size(question.bytes),
            left_out.machines,
            sizes.join("、")
        )
    },

    no_run_here: |command| {
        format!("このマシンの完了した測定がストアにないため、順位表に含まれていません。`{command}` で測定できます")
    },
    no_run_here_quoted: "このマシンの完了した測定がストアになく、Kasoku はこのアルゴリズムを測定しません。ほかのマシンだけを表示します",
    not_measured_here: |what, command| {
        format!(
            "このマシンの測定には {what} の検証済みの数値がないため、順位表に含まれていません。`{command}` で測定できます"
        )
    },
    not_measured_here_quoted: |what| format!("Kasoku は {what} を測定しないため、このマシンは順位表に含まれていません"),
    nothing_known: |what, left_out| {
        let sizes: Vec<String> = left_out.sizes.iter().map(|bytes| format!("{bytes}")).collect();
        if sizes.is_empty() {
            format!("{what} の数値は、測定、取り込み、公表値のいずれにもありません")
        } else {
            format!("{what} の数値はありません。数値があるサイズは {} バイトです", sizes.join("、"))
        }
    },

    no_figures: |what, command| {
        format!("このマシンの完了した測定には {what} の検証済みの数値がありません。`{command}` で測定できます")
    },

    started: "開始",
    run: "測定",
    version: "Kasoku",
    interval: "95 % 信頼区間",
    change: "前回比",

    first: "–",
    not_shown: "差は認められない",
    without_interval: |ratio| format!("{ratio}（信頼区間なし）"),

    rule: |percent| {
        format!("前回との差は、両方の 95 % 信頼区間が重ならず、かつ {percent:.0} % を超えて違うときだけ示しています。")
    },
    versions_differ: "実装のバージョンが途中で変わっています。",
};
