//! Packets.

use super::say::{pick, say, subject};
use super::words::and;
use crate::way::{Form, Way};
use kasoku_model::language::Language::{self, English, Japanese};

subject! {
    /// Packets.
    PacketMessages {
        texts {
            title: "Packets" | "パケット";
            explained:
                "What protects a QUIC packet of a given size: the cipher alone, without set-up, additional data and \
                 tag; the whole AEAD; and that with the encryption of the packet’s number and header bits. Speeds \
                 count the payload. Where a library takes several packets at once, those too."
                | "1個のQUICパケットを保護する処理を、サイズごとに3段階で示します。前後処理（ナンス、AAD、タグ）を除い\
                   た暗号処理のみ、AEAD全体、そしてパケット番号とヘッダーの一部を暗号化するヘッダー保護まで含めたもの\
                   です。速さはペイロードの量で数えます。複数のパケットをまとめて渡せる実装については、その場合も示し\
                   ます。";
            header_protection_bar: "+ header protection" | "＋ヘッダー保護";
            cipher: "cipher" | "暗号のみ";
            header: "+ header" | "＋ヘッダー";
            receive: "receive" | "受信";
            aes_alone: "AES alone" | "AESのみ";
            limit: "limit" | "上限";
            share_of_bound: "share of the limit" | "上限比";
            all_that_gcm_needs: "all that GCM needs" | "GCMに必要な演算すべて";
            another_part: "another part of it" | "その一部";
            cipher_above_bound:
                " The cipher alone does less than that mix, and may lie above it."
                | "暗号処理のみの場合は演算がこれより少ないため、上限を超えることがあります。";
            library: "library" | "実装";
            what: "what" | "内容";
            packets_at_once: "packets at once" | "一括の個数";
            tls_record: "TLS record" | "TLSレコード";
            overhead: "overhead" | "オーバーヘッド";
            limit_heading: "limit" | "上限";
            header_protection_costs: "header protection: more time" | "ヘッダー保護：時間の増加";
            setup_costs: "set-up: more time" | "前後処理：時間の増加";
            effects_explained:
                "Header protection is held against the AEAD, set-up (nonce, additional data, tag) is what the AEAD \
                 takes beyond the cipher alone, batches are held against as many packets one by one. Medians of the \
                 ratios within rounds, below each its 95 % interval. “=”: no difference shown."
                | "ヘッダー保護はAEADと、前後処理（ナンス、AAD、タグ）は暗号処理のみと、一括は同じ個数を1個ずつ処理し\
                   た場合と比べたものです。値はラウンドごとの比の中央値、その下は95 %信頼区間です。「=」は、差が認めら\
                   れないことを表します。";
            bracket_mark:
                "in brackets: the share of this CPU’s limit, the mix of operations that GCM needs"
                | "括弧内は、このCPUの上限（GCMに必要な演算の組み合わせ）に対する割合";
            summary_note:
                "the share is that of this CPU’s limit; `kasoku show` has every size and key length"
                | "括弧内はこのCPUの上限に対する割合。すべてのサイズと鍵長は`kasoku show`で表示できる";
            card_header: "for header protection" | "ヘッダー保護の負荷";
        }
        sentences {
            /// A way's name where the direction is said beside it.
            way: fn(Way) -> String =
                |one| way(one, English),
                |one| way(one, Japanese);
            at_once: fn(u64) -> String =
                |batch| format!("× {batch}"),
                |batch| format!("{batch}個");
            /// The ends of an interval.
            interval: fn([String; 2]) -> String =
                |[low, high]| format!("{low} to {high} %"),
                |[low, high]| format!("{low}～{high} %");
            direction: fn(&str, bool) -> String =
                |algorithm, is_sending| format!("{algorithm}, {}", if is_sending { "sending" } else { "receiving" }),
                |algorithm, is_sending| format!("{algorithm}、{}", if is_sending { "送信" } else { "受信" });
            figures: fn(&str, &str) -> String =
                |what, unit| format!("Packets with {what}, {unit}"),
                |what, unit| format!("パケット：{what}（{unit}）");
            below: fn(bool, bool) -> &'static str =
                |has_limit, has_aes| match (has_limit, has_aes) {
                    (true, true) => "Below each figure: half its 95 % interval, then its shares of the limit and of \
                                     AES alone.",
                    (true, false) => "Below each figure: half its 95 % interval, then its share of the limit.",
                    (false, true) => "Below each figure: half its 95 % interval, then its share of AES alone.",
                    (false, false) => "Below each figure: half its 95 % interval.",
                },
                |has_limit, has_aes| match (has_limit, has_aes) {
                    (true, true) => "各値の下は、95 %信頼区間の半幅、上限に対する割合、AESのみの場合に対する割合の順で\
                                     す。",
                    (true, false) => "各値の下は、95 %信頼区間の半幅、上限に対する割合の順です。",
                    (false, true) => "各値の下は、95 %信頼区間の半幅、AESのみの場合に対する割合の順です。",
                    (false, false) => "各値の下は、95 %信頼区間の半幅です。",
                };
            effects: fn(&str) -> String =
                |algorithm| format!("Packets with {algorithm}: what costs what"),
                |algorithm| format!("パケット：{algorithm}、処理ごとの負荷と効果");
            over_tls: fn(&str) -> String =
                |algorithm| format!("{algorithm}: QUIC packets over TLS records, cycles a byte"),
                |algorithm| format!("{algorithm}：QUICパケットとTLSレコードの比較（1バイトあたりのサイクル数）");
            limits: fn(&str) -> String =
                |algorithm| format!("This CPU’s limits of {algorithm}, any size"),
                |algorithm| format!("このCPUの上限（{algorithm}、全サイズ共通）");
            batches_bring: fn(u64) -> String =
                |batch| format!("batches of {batch}: more packets"),
                |batch| format!("{batch}個一括：パケット数の増加");
            at_size: fn(&str, &str, &str, Option<&str>, Option<&str>) -> String =
                |algorithm, size, unit, limit, aes| {
                    let limit = match (limit, aes) {
                        (Some(limit), Some(aes)) => format!(" (limit {limit}, AES alone {aes})"),
                        (Some(limit), None) => format!(" (limit {limit})"),
                        _ => String::new(),
                    };
                    format!("{algorithm} in packets of {size}, {unit}{limit}")
                },
                |algorithm, size, unit, limit, aes| {
                    let limit = match (limit, aes) {
                        (Some(limit), Some(aes)) => format!("、上限{limit}、AESのみ{aes}"),
                        (Some(limit), None) => format!("、上限{limit}"),
                        _ => String::new(),
                    };
                    format!("{size}のパケット：{algorithm}（{unit}{limit}）")
                };
            chart: fn(&str, &str) -> String =
                |algorithm, size| format!("{algorithm} in packets of {size}"),
                |algorithm, size| format!("{algorithm}、{size}のパケット");
            chart_described: fn(&str, &[String], &[String]) -> String =
                |unit, blocks, lines| {
                    let lines = if lines.is_empty() { String::new() } else { format!(" Lines: {}.", lines.join(", ")) };
                    format!("Bars in {unit}, in brackets the share of the limit. {}.{lines}", blocks.join("; "))
                },
                |unit, blocks, lines| {
                    let lines = if lines.is_empty() { String::new() } else { format!("線は{}。", lines.join("、")) };
                    format!("棒グラフ、単位は{unit}、括弧内は上限に対する割合。{}。{lines}", blocks.join("。"))
                };
            block_described: fn(&str, &[String]) -> String =
                |heading, bars| format!("{heading}: {}", and(bars, English)),
                |heading, bars| format!("{heading}：{}", bars.join("、"));
            limit_is: fn(&str) -> [String; 2] =
                |library| {
                    [
                        "This CPU’s limit is ".to_owned(),
                        format!(
                            ": as fast as it does the mix of operations that GCM needs and nothing else, measured in \
                             the same rounds ({library})."
                        ),
                    ]
                },
                |library| {
                    [
                        "このCPUの上限は".to_owned(),
                        format!(
                            "です。GCMに必要な演算の組み合わせだけを実行したときの速さを、同じラウンドの中で測ったもの\
                             です（{library}）。"
                        ),
                    ]
                };
            no_limit: fn(&str) -> String =
                |algorithm| format!("This CPU’s limit was not measured for {algorithm}, so no share of it is given."),
                |algorithm| {
                    format!("{algorithm}については、このCPUの上限を測定していないため、上限に対する割合は示しません。")
                };
            aes_would_reach: fn(&str, &str) -> String =
                |rate, library| format!(" AES alone would reach {rate} ({library})."),
                |rate, library| format!("AESだけであれば{rate}に達します（{library}）。");
            narrower: fn(&str, &str, &str) -> [String; 2] =
                |size, share, rate| {
                    [
                        " The engine’s ".to_owned(),
                        format!(
                            " protects packets of {size} at {share} of the {rate} that the mix reaches in registers \
                             of its width."
                        ),
                    ]
                },
                |size, share, rate| {
                    [
                        "Kasokuのエンジンの".to_owned(),
                        format!("は、{size}のパケットを、同じ幅のレジスターでの上限{rate}の{share}の速さで保護します。"),
                    ]
                };
            card_packets: fn(&str) -> String =
                |size| format!("QUIC packets of {size}"),
                |size| format!("{size}のQUICパケット");
            card_header_detail: fn(bool, &str, &str, &str) -> String =
                |is_shown, size, algorithm, library| {
                    let shown = if is_shown { "" } else { "no difference shown, " };
                    format!("{shown}{size}, {algorithm}, {library}")
                },
                |is_shown, size, algorithm, library| {
                    let shown = if is_shown { "" } else { "差は認められず、" };
                    format!("{shown}{size}、{algorithm}、{library}")
                };
        }
    }
}

fn way(way: Way, language: Language) -> String {
    let batch = way.batch;
    let form = match way.form {
        Form::Cipher => pick(language, "cipher alone", "暗号処理のみ"),
        Form::Aead => "AEAD",
        Form::Packet if way.is_looped => return say!(language, "{batch} in a loop", "{batch}個ループ"),
        Form::Packet if batch > 1 => return say!(language, "batches of {batch}", "{batch}個一括"),
        Form::Packet => pick(language, "AEAD + header protection", "AEAD＋ヘッダー保護"),
        Form::Record => pick(language, "TLS record", "TLSレコード"),
    };
    match batch {
        0 | 1 => form.to_owned(),
        _ => say!(language, "{form}, batches of {batch}", "{form}、{batch}個一括"),
    }
}
