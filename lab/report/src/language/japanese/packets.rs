//! Packets in Japanese.

use super::words::WORDS;
use crate::language::PacketMessages;
use crate::packets::finding::{Cost, Effect, Finding, Speed};
use crate::packets::{Form, Way};
use crate::quantity::{digits, figure, percent, points, size};
use crate::verdict;
use kasoku_model::document::Unit;

pub(super) const PACKETS: PacketMessages = PacketMessages {
    title: "パケット",
    explained: "1個のQUICパケットを保護する処理を、サイズごとに3段階で示します。前後処理（ナンス、AAD、タグ）を除いた暗号処理のみ、\
                AEAD全体、そしてパケット番号とヘッダーの一部を暗号化するヘッダー保護まで含めたものです。速さはペイロードの量で\
                数えます。複数のパケットをまとめて渡せる実装については、その場合も示します。",
    header_protection_bar: "＋ヘッダー保護",
    cipher: "暗号のみ",
    header: "＋ヘッダー",
    receive: "受信",
    aes_alone: "AESのみ",
    limit: "上限",
    share_of_limit: "上限比",
    all_that_gcm_needs: "GCMに必要な演算すべて",
    another_part: "その一部",
    limits: "このCPUの上限",
    cipher_above_limit: "暗号処理のみの場合は演算がこれより少ないため、上限を超えることがあります。",
    stack: "実装",
    what: "内容",
    packets_at_once: "一括の個数",
    tls_record: "TLSレコード",
    overhead: "オーバーヘッド",
    limit_heading: "上限",
    header_protection_costs: "ヘッダー保護：時間の増加",
    setup_costs: "前後処理：時間の増加",
    effects_explained: "ヘッダー保護はAEADと、前後処理（ナンス、AAD、タグ）は暗号処理のみと、一括は同じ個数を1個ずつ処理した場合と\
                        比べたものです。値はラウンドごとの比の中央値、その下は95 %信頼区間です。「=」は、差が認められないことを表します。",
    bracket_mark: "括弧内は、このCPUの上限（GCMに必要な演算の組み合わせ）に対する割合",
    summary_note: "括弧内はこのCPUの上限に対する割合。すべてのサイズと鍵長は`kasoku show`で表示できる",
    card_header: "ヘッダー保護の負荷",
    sentence,
    way,
    at_once: |batch| format!("{batch}個"),
    interval,
    direction: |algorithm, is_sending| format!("{algorithm}、{}", if is_sending { "送信" } else { "受信" }),
    figures: |what, unit| format!("{what}（{unit}）"),
    figures_export: |what, unit| format!("パケット：{what}（{unit}）"),
    below: |has_limit, has_aes| match (has_limit, has_aes) {
        (true, true) => "各値の下は、95 %信頼区間の半幅、上限に対する割合、AESのみの場合に対する割合の順です。",
        (true, false) => "各値の下は、95 %信頼区間の半幅、上限に対する割合の順です。",
        (false, true) => "各値の下は、95 %信頼区間の半幅、AESのみの場合に対する割合の順です。",
        (false, false) => "各値の下は、95 %信頼区間の半幅です。",
    },
    effects: |algorithm| format!("{algorithm}：処理ごとの負荷と効果（%）"),
    effects_export: |algorithm| format!("パケット：{algorithm}、処理ごとの負荷と効果"),
    over_tls: |algorithm| format!("{algorithm}：QUICパケットとTLSレコードの比較（1バイトあたりのサイクル数）"),
    limits_export: |algorithm| format!("このCPUの上限（{algorithm}、全サイズ共通）"),
    batches_bring: |batch| format!("{batch}個一括：パケット数の増加"),
    over_tls_costs: |batch| {
        let batches = if batch > 1 { format!("、{batch}個一括") } else { String::new() };
        format!("TLSレコード比{batches}：1バイトあたりのサイクル数の増加")
    },
    at_size: |algorithm, size, unit, limit, aes| {
        let limit = match (limit, aes) {
            (Some(limit), Some(aes)) => format!("、上限{limit}、AESのみ{aes}"),
            (Some(limit), None) => format!("、上限{limit}"),
            _ => String::new(),
        };
        format!("{size}のパケット：{algorithm}（{unit}{limit}）")
    },
    chart: |algorithm, size| format!("{algorithm}、{size}のパケット"),
    chart_described: |unit, blocks, lines| {
        let lines = if lines.is_empty() { String::new() } else { format!("線は{}。", lines.join("、")) };
        format!("棒グラフ、単位は{unit}、括弧内は上限に対する割合。{}。{lines}", blocks.join("。"))
    },
    block_described: |heading, bars| format!("{heading}：{}", bars.join("、")),
    limit_is: |stack| {
        [
            "このCPUの上限は".to_owned(),
            format!(
                "です。GCMに必要な演算の組み合わせだけを実行したときの速さを、同じラウンドの中で測ったものです（{stack}）。"
            ),
        ]
    },
    no_limit: |algorithm| {
        format!("{algorithm}については、このCPUの上限を測定していないため、上限に対する割合は示しません。")
    },
    aes_would_reach: |rate, stack| format!("AESだけであれば{rate}に達します（{stack}）。"),
    narrower: |size, share, rate| {
        [
            "Kasokuのエンジンの".to_owned(),
            format!("は、{size}のパケットを、同じ幅のレジスターでの上限{rate}の{share}の速さで保護します。"),
        ]
    },
    card_packets: |size| format!("{size}のQUICパケット"),
    card_best: |algorithm, best| {
        let limit = best.share.map(|share| format!("、このCPUの上限の{}", percent(share)));
        format!("{algorithm}、{}{}", by(&best.stack, best.batch), limit.unwrap_or_default())
    },
    card_header_detail: |is_shown, size, algorithm, stack| {
        let shown = if is_shown { "" } else { "差は認められず、" };
        format!("{shown}{size}、{algorithm}、{stack}")
    },
};

fn way(way: Way) -> String {
    let form = match way.form {
        Form::Cipher => "暗号処理のみ",
        Form::Aead => "AEAD",
        Form::Packet if way.is_looped => return format!("{}個ループ", way.batch),
        Form::Packet if way.batch > 1 => return format!("{}個一括", way.batch),
        Form::Packet => "AEAD＋ヘッダー保護",
        Form::Record => "TLSレコード",
    };
    if way.batch > 1 { format!("{form}、{}個一括", way.batch) } else { form.to_owned() }
}

/// The line over a run that is about packets alone.
pub(super) fn headline(findings: &[verdict::Finding]) -> Option<String> {
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
    Some(match lead {
        Some((algorithm, bytes, best)) => format!(
            "{}のパケット（{}、ヘッダー保護込み）は、最も速い{}で{}です。",
            size(bytes),
            algorithm.title(),
            by(&best.stack, best.batch),
            amount(&best)
        ),
        None => "この測定には、パケットの速さを評価するための比較対象がありません。".to_owned(),
    })
}

/// The sentence for a finding.
pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Speed { algorithm, bytes, speeds } => {
            let each: Vec<String> =
                speeds.iter().map(|speed| format!("{}は{}", by(&speed.stack, speed.batch), amount(speed))).collect();
            format!(
                "{}のパケット（{}、ヘッダー保護込み）の速さ：{}。",
                size(*bytes),
                algorithm.title(),
                each.join("、")
            )
        }
        Finding::Cost { what: Cost::HeaderProtection, algorithm, stack, effects } => {
            format!("ヘッダー保護（{stack}、{}）の所要時間：AEADと比べて{}。", algorithm.title(), changes(effects))
        }
        Finding::Cost { what: Cost::Setup, algorithm, stack, effects } => {
            format!("前後処理（{stack}、{}）の所要時間：暗号処理のみと比べて{}。", algorithm.title(), changes(effects))
        }
        Finding::Batches { batch, algorithm, stack, effects } => format!(
            "{batch}個一括（{stack}、{}）で同じ時間に処理できるパケット数：1個ずつの場合と比べて{}。",
            algorithm.title(),
            changes(effects)
        ),
        Finding::OverTls { algorithm, stack, batch, record, effects } => {
            let each = |(bytes, effect, per_byte): &(usize, Effect, Option<f64>)| {
                let per_byte =
                    cycles(*per_byte).map(|cycles| format!("1バイトあたり{cycles}サイクル、")).unwrap_or_default();
                format!("{}のパケット{}（{per_byte}{}）", size(*bytes), change(*effect), interval(*effect))
            };
            let of_record =
                cycles(record.cycles).map(|cycles| format!("（1バイトあたり{cycles}サイクル）")).unwrap_or_default();
            format!(
                "TLSに対するQUICの暗号処理のオーバーヘッド（{}、{}）：サイクル数は{}のTLSレコード{of_record}と比べて{}。",
                by(stack, *batch),
                algorithm.title(),
                size(record.bytes),
                effects.iter().map(each).collect::<Vec<_>>().join("、")
            )
        }
        Finding::CipherOnly => {
            "このオーバーヘッドは暗号処理だけのものです。TLSに対して5 %程度という公表値は、カーネルやネットワークも\
                                含むQUIC実装全体で測ったものです。"
                .to_owned()
        }
    }
}

/// The effects by size: `1440 Bで23.3 %増（23.3～23.5 %）`.
fn changes(effects: &[(usize, Effect)]) -> String {
    let each =
        |(bytes, effect): &(usize, Effect)| format!("{}{}（{}）", size(*bytes), change(*effect), interval(*effect));
    effects.iter().map(each).collect::<Vec<_>>().join("、")
}

/// `で23.3 %増`. An interval that does not hold 0 may still lie within what the run cannot tell from noise.
fn change(effect: Effect) -> String {
    let holds_zero = effect.ci95[0] <= 0.0 && 0.0 <= effect.ci95[1];
    match (effect.is_shown, holds_zero) {
        (true, _) => {
            format!("で{} %{}", points(effect.percent.abs()), if effect.percent < 0.0 { "減" } else { "増" })
        }
        (false, true) => "では差が認められず".to_owned(),
        (false, false) => "ではノイズを超える差が認められず".to_owned(),
    }
}

/// `0.9～1.7 %`.
fn interval(effect: Effect) -> String {
    format!("{}～{} %", points(effect.ci95[0]), points(effect.ci95[1]))
}

fn cycles(per_byte: Option<f64>) -> Option<String> {
    per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits)
}

fn by(stack: &str, batch: u64) -> String {
    if batch > 1 { format!("{stack}（{batch}個一括）") } else { stack.to_owned() }
}

fn amount(speed: &Speed) -> String {
    let rate = figure(speed.rate, Unit::BytesPerSecond, &WORDS);
    match speed.share {
        Some(share) => format!("{rate}（このCPUの上限の{}）", percent(share)),
        None => rate,
    }
}
