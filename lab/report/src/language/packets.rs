//! Packets.

use super::words::and;
use super::{messages, pick, say, subject};
use crate::packets::finding::{Cost, Effect, Finding, Speed};
use crate::packets::{Form, Way};
use crate::quantity::{digits, figure, percent, points, size};
use crate::verdict;
use kasoku_model::document::Unit;
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
            limits: "this CPU’s limits" | "このCPUの上限";
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
            /// The sentence for a finding.
            sentence: fn(&Finding) -> String =
                |finding| sentence(finding, English),
                |finding| sentence(finding, Japanese);
            /// A way's name where the direction is said beside it.
            way: fn(Way) -> String =
                |one| way(one, English),
                |one| way(one, Japanese);
            at_once: fn(u64) -> String =
                |batch| format!("× {batch}"),
                |batch| format!("{batch}個");
            /// The ends of an interval.
            interval: fn(Effect) -> String =
                |effect| interval(effect, English),
                |effect| interval(effect, Japanese);
            direction: fn(&str, bool) -> String =
                |algorithm, is_sending| format!("{algorithm}, {}", if is_sending { "sending" } else { "receiving" }),
                |algorithm, is_sending| format!("{algorithm}、{}", if is_sending { "送信" } else { "受信" });
            figures: fn(&str, &str) -> String =
                |what, unit| format!("{what}, {unit}"),
                |what, unit| format!("{what}（{unit}）");
            figures_export: fn(&str, &str) -> String =
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
                |algorithm| format!("{algorithm}: what costs what, in per cent"),
                |algorithm| format!("{algorithm}：処理ごとの負荷と効果（%）");
            effects_export: fn(&str) -> String =
                |algorithm| format!("Packets with {algorithm}: what costs what"),
                |algorithm| format!("パケット：{algorithm}、処理ごとの負荷と効果");
            over_tls: fn(&str) -> String =
                |algorithm| format!("{algorithm}: QUIC packets over TLS records, cycles a byte"),
                |algorithm| format!("{algorithm}：QUICパケットとTLSレコードの比較（1バイトあたりのサイクル数）");
            limits_export: fn(&str) -> String =
                |algorithm| format!("This CPU’s limits of {algorithm}, any size"),
                |algorithm| format!("このCPUの上限（{algorithm}、全サイズ共通）");
            batches_bring: fn(u64) -> String =
                |batch| format!("batches of {batch}: more packets"),
                |batch| format!("{batch}個一括：パケット数の増加");
            over_tls_costs: fn(u64) -> String =
                |batch| {
                    let batches = if batch > 1 { format!(", batches of {batch}") } else { String::new() };
                    format!("over a TLS record{batches}: more cycles a byte")
                },
                |batch| {
                    let batches = if batch > 1 { format!("、{batch}個一括") } else { String::new() };
                    format!("TLSレコード比{batches}：1バイトあたりのサイクル数の増加")
                };
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
            card_best: fn(&str, &Speed) -> String =
                |algorithm, best| {
                    let limit = best.share.map(|share| format!(", {} of this CPU’s limit", percent(share)));
                    format!("{algorithm}, {}{}", by(&best.library, best.batch, English), limit.unwrap_or_default())
                },
                |algorithm, best| {
                    let limit = best.share.map(|share| format!("、このCPUの上限の{}", percent(share)));
                    format!("{algorithm}、{}{}", by(&best.library, best.batch, Japanese), limit.unwrap_or_default())
                };
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

/// The line over a run that is about packets alone.
pub(super) fn headline(findings: &[verdict::Finding], language: Language) -> Option<String> {
    let of_packets = |finding: &verdict::Finding| match finding {
        verdict::Finding::Packets(finding) => Some(finding.clone()),
        _ => None,
    };
    // What was moved end to end is told with the packets.
    let others = findings.iter().filter(|finding| !matches!(finding, verdict::Finding::Transfer(_)));
    let all: Option<Vec<Finding>> = others.map(of_packets).collect();
    let lead =
        all.filter(|all| !all.is_empty() || findings.is_empty())?.into_iter().find_map(|finding| match finding {
            Finding::Speed { algorithm, bytes, speeds } => Some((algorithm, bytes, speeds.first()?.clone())),
            _ => None,
        });
    let Some((algorithm, bytes, best)) = lead else {
        return Some(say!(
            language,
            "This run compares nothing that its packets could be judged by.",
            "この測定には、パケットの速さを評価するための比較対象がありません。"
        ));
    };
    let (size, title) = (size(bytes), algorithm.title());
    let (amount, by) = (amount(&best, language), by(&best.library, best.batch, language));
    Some(say!(
        language,
        "Packets of {size}, {title}, header protection included: {amount} at best, with {by}.",
        "{size}のパケット（{title}、ヘッダー保護込み）は、最も速い{by}で{amount}です。"
    ))
}

pub(super) fn sentence(finding: &Finding, language: Language) -> String {
    match finding {
        Finding::Speed { algorithm, bytes, speeds } => {
            let each = |speed: &Speed| {
                let (by, amount) = (by(&speed.library, speed.batch, language), amount(speed, language));
                say!(language, "{by} {amount}", "{by}は{amount}")
            };
            let each = list(speeds.iter().map(each), language);
            let (size, title) = (size(*bytes), algorithm.title());
            say!(
                language,
                "Packets of {size} with {title}, header protection included: {each}.",
                "{size}のパケット（{title}、ヘッダー保護込み）の速さ：{each}。"
            )
        }
        Finding::Cost { what: Cost::HeaderProtection, algorithm, library, effects } => {
            let title = algorithm.title();
            let costs = costs(effects, ["less time", "more time"], "than the AEAD", language);
            say!(
                language,
                "Header protection ({library}, {title}): {costs}.",
                "ヘッダー保護（{library}、{title}）の所要時間：AEADと比べて{costs}。"
            )
        }
        Finding::Cost { what: Cost::Setup, algorithm, library, effects } => {
            let title = algorithm.title();
            let costs = costs(effects, ["less time", "more time"], "than that", language);
            say!(
                language,
                "Set-up, AAD and tag, which the cipher alone does without ({library}, {title}): {costs}.",
                "前後処理（{library}、{title}）の所要時間：暗号処理のみと比べて{costs}。"
            )
        }
        Finding::Batches { batch, algorithm, library, effects } => {
            let title = algorithm.title();
            let than = "in the same time than one at a time";
            let costs = costs(effects, ["fewer packets", "more packets"], than, language);
            say!(
                language,
                "Batches of {batch} ({library}, {title}): {costs}.",
                "{batch}個一括（{library}、{title}）で同じ時間に処理できるパケット数：1個ずつの場合と比べて{costs}。"
            )
        }
        Finding::OverTls { algorithm, library, batch, record, effects } => {
            let each = |(bytes, effect, per_byte): &(usize, Effect, Option<f64>)| {
                let per_byte = cycles(*per_byte)
                    .map(|cycles| say!(language, "{cycles} a byte, ", "1バイトあたり{cycles}サイクル、"))
                    .unwrap_or_default();
                let change = change(*effect, ["fewer cycles", "more cycles"], "", language);
                let (interval, size) = (interval(*effect, language), size(*bytes));
                say!(
                    language,
                    "{change} ({per_byte}{interval}) in packets of {size}",
                    "{size}のパケット{change}（{per_byte}{interval}）"
                )
            };
            let each = list(effects.iter().map(each), language);
            let of_record = cycles(record.cycles)
                .map(|cycles| say!(language, " ({cycles} a byte)", "（1バイトあたり{cycles}サイクル）"))
                .unwrap_or_default();
            let (by, title, size) = (by(library, *batch, language), algorithm.title(), size(record.bytes));
            say!(
                language,
                "QUIC over TLS, the cipher’s share ({by}, {title}), against a TLS record of {size}{of_record}: {each}.",
                "TLSに対するQUICの暗号処理のオーバーヘッド（{by}、{title}）：サイクル数は{size}のTLSレコー\
                 ド{of_record}と比べて{each}。"
            )
        }
        Finding::CipherOnly => say!(
            language,
            "These overheads are the cipher’s alone. The published figure of some 5 % over TLS is end to end, with \
             the kernel and the network in it, and belongs to whole QUIC stacks.",
            "このオーバーヘッドは暗号処理だけのものです。TLSに対して5 %程度という公表値は、カーネルやネットワークも含\
             むQUIC実装全体で測ったものです。"
        ),
    }
}

/// `0.9 to 1.7 %`.
fn interval(effect: Effect, language: Language) -> String {
    let [low, high] = effect.ci95.map(points);
    say!(language, "{low} to {high} %", "{low}～{high} %")
}

/// The effects by size. In English, what they are of is said with the first that is shown.
fn costs(effects: &[(usize, Effect)], less_and_more: [&str; 2], than: &str, language: Language) -> String {
    let first = effects.iter().position(|(_, effect)| effect.is_shown);
    let each = |(index, (bytes, effect)): (usize, &(usize, Effect))| {
        let than = if first == Some(index) { format!(" {than}") } else { String::new() };
        let change = change(*effect, less_and_more, &than, language);
        let (interval, size) = (interval(*effect, language), size(*bytes));
        say!(language, "{change} ({interval}) at {size}", "{size}{change}（{interval}）")
    };
    list(effects.iter().enumerate().map(each), language)
}

/// `1.3 % more time`, `で1.3 %増`. An interval that does not hold 0 may still lie within what the run cannot tell from noise.
fn change(effect: Effect, less_and_more: [&str; 2], than: &str, language: Language) -> String {
    let holds_zero = effect.ci95[0] <= 0.0 && 0.0 <= effect.ci95[1];
    let percent = points(effect.percent.abs());
    let is_more = effect.percent >= 0.0;
    match (effect.is_shown, holds_zero) {
        (true, _) => {
            let (english, japanese) = (less_and_more[usize::from(is_more)], if is_more { "増" } else { "減" });
            say!(language, "{percent} % {english}{than}", "で{percent} %{japanese}")
        }
        (false, true) => say!(language, "no difference shown", "では差が認められず"),
        (false, false) => say!(language, "no difference beyond noise shown", "ではノイズを超える差が認められず"),
    }
}

fn list(items: impl Iterator<Item = String>, language: Language) -> String {
    items.collect::<Vec<_>>().join(pick(language, "; ", "、"))
}

fn cycles(per_byte: Option<f64>) -> Option<String> {
    per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits)
}

fn by(library: &str, batch: u64, language: Language) -> String {
    match batch {
        0 | 1 => library.to_owned(),
        _ => say!(language, "{library} in batches of {batch}", "{library}（{batch}個一括）"),
    }
}

fn amount(speed: &Speed, language: Language) -> String {
    let rate = figure(speed.rate, Unit::BytesPerSecond, &messages(language).words);
    match speed.share.map(percent) {
        Some(share) => say!(language, "{rate}, {share} of this CPU’s limit", "{rate}（このCPUの上限の{share}）"),
        None => rate,
    }
}
