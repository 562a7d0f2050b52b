//! Packets.

use super::say::{pick, say, subject};
use super::words::and;
use kasoku_model::language::Language::{self, English, Japanese};
use kasoku_model::workload::packets::{PacketOperation, PacketWork};

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
            bound: "bound" | "上限";
            share_of_bound: "share of the bound" | "上限比";
            all_that_gcm_needs: "all that GCM needs" | "GCMに必要な演算すべて";
            another_part: "another part of it" | "その一部";
            cipher_above_bound:
                " The cipher alone does less than that mix, and may lie above it."
                | "暗号処理のみの場合は演算がこれより少ないため、上限を超えることがあります。";
            bound_is: "This CPU’s bound is " | "このCPUの上限は";
            narrower: " The engine’s " | "Kasokuのエンジンの";
            library: "library" | "実装";
            what: "what" | "内容";
            packets_at_once: "packets at once" | "一括の個数";
            tls_record: "TLS record" | "TLSレコード";
            overhead: "overhead" | "オーバーヘッド";
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
                "in brackets: the share of this CPU’s bound, the mix of operations that GCM needs"
                | "括弧内は、このCPUの上限（GCMに必要な演算の組み合わせ）に対する割合";
            summary_note:
                "the share is that of this CPU’s bound; `kasoku show` has every size and key length"
                | "括弧内はこのCPUの上限に対する割合。すべてのサイズと鍵長は`kasoku show`で表示できる";
            more: "Every size and library, what each part costs" | "全サイズと全実装、処理ごとの負荷";
        }
        sentences {
            /// What the bound is, after its figure.
            bound_means(library: &str):
                ": as fast as it does the mix of operations that GCM needs and nothing else, measured in the same \
                 rounds ({library})."
                | "です。GCMに必要な演算の組み合わせだけを実行したときの速さを、同じラウンドの中で測ったものです\
                   （{library}）。";
            /// What narrower registers reach, after the code path.
            narrower_reaches(size: &str, share: &str, rate: &str):
                " protects packets of {size} at {share} of the {rate} that the mix reaches in registers of its width."
                | "は、{size}のパケットを、同じ幅のレジスターでの上限{rate}の{share}の速さで保護します。";
            at_once(batch: usize): "× {batch}" | "{batch}個";
            figures(what: &str, unit: &str): "Packets with {what}, {unit}" | "パケット：{what}（{unit}）";
            effects(algorithm: &str):
                "Packets with {algorithm}: what costs what"
                | "パケット：{algorithm}、処理ごとの負荷と効果";
            over_tls(algorithm: &str):
                "{algorithm}: QUIC packets over TLS records, cycles a byte"
                | "{algorithm}：QUICパケットとTLSレコードの比較（1バイトあたりのサイクル数）";
            bounds(algorithm: &str):
                "This CPU’s bounds of {algorithm}, any size"
                | "このCPUの上限（{algorithm}、全サイズ共通）";
            batches_bring(batch: usize): "batches of {batch}: more packets" | "{batch}個一括：パケット数の増加";
            chart(algorithm: &str, size: &str): "{algorithm} in packets of {size}" | "{algorithm}、{size}のパケット";
            no_bound(algorithm: &str):
                "This CPU’s bound was not measured for {algorithm}, so no share of it is given."
                | "{algorithm}については、このCPUの上限を測定していないため、上限に対する割合は示しません。";
            aes_would_reach(rate: &str, library: &str):
                " AES alone would reach {rate} ({library})."
                | "AESだけであれば{rate}に達します（{library}）。";
            card_packets(size: &str): "QUIC packets of {size}" | "{size}のQUICパケット";
        }
        cases {
            /// A way's name where the direction is said beside it.
            way(one: PacketOperation) in language -> String: way(one, language);
            /// The ends of an interval.
            interval(ends: [String; 2]) in language -> String: {
                let [low, high] = ends;
                say!(language, "{low} to {high} %", "{low}～{high} %")
            };
            direction(algorithm: &str, is_sending: bool) in language -> String: match is_sending {
                true => say!(language, "{algorithm}, sending", "{algorithm}、送信"),
                false => say!(language, "{algorithm}, receiving", "{algorithm}、受信"),
            };
            below(has_bound: bool, has_aes: bool) in language -> &'static str: match (has_bound, has_aes) {
                (true, true) => pick(
                    language,
                    "Below each figure: half its 95 % interval, then its shares of the bound and of AES alone.",
                    "各値の下は、95 %信頼区間の半幅、上限に対する割合、AESのみの場合に対する割合の順です。"
                ),
                (true, false) => pick(
                    language,
                    "Below each figure: half its 95 % interval, then its share of the bound.",
                    "各値の下は、95 %信頼区間の半幅、上限に対する割合の順です。"
                ),
                (false, true) => pick(
                    language,
                    "Below each figure: half its 95 % interval, then its share of AES alone.",
                    "各値の下は、95 %信頼区間の半幅、AESのみの場合に対する割合の順です。"
                ),
                (false, false) => pick(
                    language,
                    "Below each figure: half its 95 % interval.",
                    "各値の下は、95 %信頼区間の半幅です。"
                ),
            };
            /// A table of one size, with its unit, the bound and AES alone.
            at_size(algorithm: &str, size: &str, unit: &str, bounds: [Option<&str>; 2]) in language -> String: {
                let [bound, aes] = bounds;
                let bound = match (bound, aes) {
                    (Some(bound), Some(aes)) => {
                        say!(language, " (bound {bound}, AES alone {aes})", "、上限{bound}、AESのみ{aes}")
                    }
                    (Some(bound), None) => say!(language, " (bound {bound})", "、上限{bound}"),
                    _ => String::new(),
                };
                say!(
                    language,
                    "{algorithm} in packets of {size}, {unit}{bound}",
                    "{size}のパケット：{algorithm}（{unit}{bound}）"
                )
            };
            chart_described(unit: &str, blocks: &[String], lines: &[String]) in language -> String: {
                let (blocks, lines) = (blocks.join(pick(language, "; ", "。")), lines.join(pick(language, ", ", "、")));
                let lines = if lines.is_empty() { lines } else { say!(language, " Lines: {lines}.", "線は{lines}。") };
                say!(
                    language,
                    "Bars in {unit}, in brackets the share of the bound. {blocks}.{lines}",
                    "棒グラフ、単位は{unit}、括弧内は上限に対する割合。{blocks}。{lines}"
                )
            };
            block_described(heading: &str, bars: &[String]) in language -> String: match language {
                English => format!("{heading}: {}", and(bars, language)),
                Japanese => format!("{heading}：{}", bars.join("、")),
            };
        }
    }
}

fn way(way: PacketOperation, language: Language) -> String {
    let batch = way.packets.batch;
    let form = match way.work() {
        PacketWork::Cipher => pick(language, "cipher alone", "暗号処理のみ"),
        PacketWork::Aead => "AEAD",
        PacketWork::Packet if way.packets.looped => return say!(language, "{batch} in a loop", "{batch}個ループ"),
        PacketWork::Packet if batch > 1 => return say!(language, "batches of {batch}", "{batch}個一括"),
        PacketWork::Packet => pick(language, "AEAD + header protection", "AEAD＋ヘッダー保護"),
        PacketWork::Record => pick(language, "TLS record", "TLSレコード"),
    };
    match batch {
        0 | 1 => form.to_owned(),
        _ => say!(language, "{form}, batches of {batch}", "{form}、{batch}個一括"),
    }
}
