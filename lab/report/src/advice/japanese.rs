//! Advice in Japanese.

use super::Messages;
use crate::language::messages;
use crate::quantity::{self, digits, percent, size, times};
use crate::selection::join;
use crate::visible::short;
use kasoku_advice::figure::{Comparison, Figure};
use kasoku_advice::{Evidence, Topic, Value};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Kind;
use kasoku_model::document::{Origin, OriginKind, Unit};
use kasoku_model::language::Language;
use kasoku_model::workload::Operation;

pub(super) const JAPANESE: Messages = Messages {
    topic,
    wording: |rule| rule.japanese,
    value,
    evidence,
    title: |machine| format!("{machine} への助言"),
    unnamed: "名前のない機器",
    origin,
    library: |library| format!("選択は {library} の値（1 スレッド）によります。"),
    incomplete: "この測定は最後まで終わっていないため、値は使いません。",
    nothing: "判断の材料がありません。助言につながる値も CPU の機能もありません。",
    nothing_on_topic: "指定された項目については判断の材料がありません。",
    short: "要約",
    figures: "値",
    why: "理由",
    columns: ["項目", "規則", "助言", "値", "理由", "場所", "設定"],
};

fn topic(topic: Topic) -> &'static str {
    match topic {
        Topic::Acceleration => "使われていない加速と古いライブラリ",
        Topic::Tls => "TLS",
        Topic::Quic => "QUIC",
        Topic::WebServer => "Webサーバー",
        Topic::Ssh => "SSH",
        Topic::Openvpn => "OpenVPN",
        Topic::Wireguard => "WireGuard",
        Topic::Ipsec => "IPsec",
        Topic::Disk => "ディスク",
        Topic::Java => "Java",
        Topic::Modes => "暗号利用モードと古い暗号",
        Topic::Hashes => "ハッシュ",
        Topic::Curves => "鍵交換と署名",
        Topic::Machine => "機器",
    }
}

fn origin(origin: &Origin) -> String {
    let source = short(&origin.source, 100);
    match origin.kind {
        OriginKind::Published => format!("値は「{source}」からの引用で、Kasoku が測ったものではありません。"),
        OriginKind::Transcript => format!("値は測定記録「{source}」のもので、Kasoku が測ったものではありません。"),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Algorithm(algorithm) => algorithm.title().to_owned(),
        Value::Times(ratio) => times(*ratio),
        Value::Percent(share) => percent(*share),
        Value::Speed(figure) => quantity(figure.value, figure.unit),
        Value::Name(name) => short(name, 100),
        Value::Library(library, version) => join(library, version, ""),
        Value::Words { japanese, .. } => (*japanese).to_owned(),
    }
}

fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Figure(figure) => {
            let quoted = if figure.is_quoted { "、引用" } else { "" };
            format!("{} {}（{}{}{quoted}）", task(figure), quantity(figure.value, figure.unit), at(figure), who(figure))
        }
        Evidence::Comparison(comparison) => held(comparison),
        Evidence::ServerCpu(comparison) => cost(comparison),
        Evidence::Limit { limit, taken } => format!(
            "{} = {}: 同時接続 {} まで、最高のスループットでの同時接続は {taken}",
            short(&limit.name, 40),
            short(&limit.value, 60),
            limit.connections.unwrap_or_default()
        ),
        Evidence::Features(features) => format!("CPU の機能: {}", short(&features.join(" "), 200)),
        Evidence::CodePath(algorithm, path) => format!("{} で動いていた命令: {}", algorithm.title(), short(path, 60)),
        Evidence::Settings(settings) => format!("ライブラリの報告: {}", short(settings, 120)),
        Evidence::Cpu(arch, name) => format!("アーキテクチャ {}: {}", short(arch, 40), short(name, 80)),
        Evidence::NoFigure => "値なし: それによる損失を示す値はこの測定にありません".to_owned(),
    }
}

fn held(comparison: &Comparison) -> String {
    let Comparison { first, second, ratio, is_shown, .. } = comparison;
    let are_two_libraries = are_two_libraries(comparison);
    let name = |figure: &Figure| {
        if are_two_libraries {
            join(&figure.library, &figure.version, "")
        } else if first.acceleration != second.acceleration && first.algorithm == second.algorithm {
            let state = match figure.acceleration {
                Acceleration::On => "加速オン".to_owned(),
                Acceleration::Off => "加速オフ".to_owned(),
                other => other.to_string(),
            };
            format!("{} {state}", task(figure))
        } else {
            task(figure)
        }
    };
    let speed = |figure: &Figure| format!("{} {}", name(figure), quantity(figure.value, figure.unit));
    let times = if *is_shown { format!("{} 倍", times(*ratio)) } else { "差は認められない".to_owned() };
    format!(
        "{}、{}: {times}（{}、{}{}）",
        speed(first),
        speed(second),
        interval(comparison),
        at_and(first),
        on(comparison)
    )
}

/// What two ways to serve the same files cost the server's CPU: the second against the first, which is the cheaper.
fn cost(comparison: &Comparison) -> String {
    let Comparison { first, second, ratio, is_shown, .. } = comparison;
    let name = |figure: &Figure| match are_two_libraries(comparison) {
        true => join(&figure.library, &figure.version, ""),
        false => task(figure),
    };
    let seconds = |figure: &Figure| format!("{} {} 秒", name(figure), digits(1e9 / figure.value));
    let times = if *is_shown { format!("{} 倍", times(*ratio)) } else { "差は認められない".to_owned() };
    format!(
        "1 GB あたりのサーバーの CPU 時間: {}、{}: {times}（{}、{}{}）",
        seconds(second),
        seconds(first),
        interval(comparison),
        at_and(first),
        on(comparison)
    )
}

fn are_two_libraries(Comparison { first, second, .. }: &Comparison) -> bool {
    (&first.library, &first.version) != (&second.library, &second.version)
}

fn interval(comparison: &Comparison) -> String {
    match comparison.ci95 {
        Some([low, high]) => format!("95 % 区間 {low:.2}～{high:.2}"),
        None if comparison.first.is_quoted => "引用値のため区間なし".to_owned(),
        None => "区間なし".to_owned(),
    }
}

/// What both of a comparison have in common.
fn on(comparison: &Comparison) -> String {
    match are_two_libraries(comparison) {
        true => task(&comparison.first),
        false => who(&comparison.first).trim_start_matches('、').to_owned(),
    }
}

/// `AES-128-GCM`, `Ed25519 署名`.
fn task(figure: &Figure) -> String {
    let title = figure.algorithm.title();
    match figure.algorithm.kind() {
        Kind::Signature | Kind::Kem => {
            let operation = match figure.operation {
                Operation::Sign => "署名",
                Operation::Verify => "検証",
                Operation::Encapsulate => "カプセル化",
                Operation::Decapsulate => "カプセル化解除",
                other => other.name(),
            };
            format!("{title} {operation}")
        }
        _ => title.to_owned(),
    }
}

fn at(figure: &Figure) -> String {
    if figure.algorithm.kind().is_bulk() { size(figure.bytes) } else { String::new() }
}

fn at_and(figure: &Figure) -> String {
    match at(figure) {
        size if size.is_empty() => size,
        size => format!("{size}、"),
    }
}

fn who(figure: &Figure) -> String {
    let comma = if figure.algorithm.kind().is_bulk() { "、" } else { "" };
    format!("{comma}{}", join(&figure.library, &figure.version, ""))
}

fn quantity(value: f64, unit: Unit) -> String {
    quantity::figure(value, unit, &messages(Language::Japanese).words)
}
