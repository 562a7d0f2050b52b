//! What advice is about and what it rests on, in words.

use crate::language::{messages, pick, say};
use crate::quantity::{self, digits, percent, size, times};
use crate::selection::join;
use crate::visible::short;
use kasoku_advice::figure::{Figure, FigureComparison};
use kasoku_advice::{Evidence, Topic, Value};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::AlgorithmKind;
use kasoku_model::language::Language;
use kasoku_model::workload::Operation;

/// The heading of a topic.
pub fn topic_heading(topic: Topic, language: Language) -> &'static str {
    let (english, japanese) = match topic {
        Topic::Acceleration => ("Missed acceleration and old libraries", "使われていない加速と古いライブラリ"),
        Topic::Tls => ("TLS", "TLS"),
        Topic::Quic => ("QUIC", "QUIC"),
        Topic::WebServer => ("Web servers", "Webサーバー"),
        Topic::Ssh => ("SSH", "SSH"),
        Topic::Openvpn => ("OpenVPN", "OpenVPN"),
        Topic::Wireguard => ("WireGuard", "WireGuard"),
        Topic::Ipsec => ("IPsec", "IPsec"),
        Topic::Disk => ("Disks", "ディスク"),
        Topic::Java => ("Java", "Java"),
        Topic::Modes => ("Modes and old ciphers", "暗号利用モードと古い暗号"),
        Topic::Hashes => ("Hashes", "ハッシュ"),
        Topic::Curves => ("Key agreement and signatures", "鍵共有と署名"),
        Topic::Machine => ("The machine", "機器"),
    };
    pick(language, english, japanese)
}

/// Fills each `{name}` of a pattern of ours with the value of that name; a name without a value stays.
pub(super) fn fill(pattern: &str, values: &[(&'static str, Value)], language: Language) -> String {
    let filled = |gap: &str| {
        let found = values.iter().find(|(name, _)| *name == gap);
        found.map_or_else(|| format!("{{{gap}}}"), |(_, found)| value(found, language))
    };
    let pieces = pattern.split(['{', '}']).enumerate();
    pieces.map(|(index, piece)| if index % 2 == 0 { piece.to_owned() } else { filled(piece) }).collect()
}

fn value(value: &Value, language: Language) -> String {
    match value {
        Value::Algorithm(algorithm) => algorithm.title().to_owned(),
        Value::Times(ratio) => times(*ratio),
        Value::Percent(share) => percent(*share),
        Value::Speed(figure) => speed(figure, language),
        Value::Name(name) => short(name, 100),
        Value::Library(library, version) => join(library, version, ""),
        Value::Words(words) => words.of(language).to_owned(),
    }
}

/// A line of figures.
pub(super) fn evidence(evidence: &Evidence, language: Language) -> String {
    match evidence {
        Evidence::Figure(figure) => {
            let quoted = if figure.is_quoted { pick(language, "; quoted", "、引用") } else { "" };
            let (task, speed) = (task(figure, language), speed(figure, language));
            let (at, who) = (at(figure, language), who(figure));
            say!(language, "{task} {speed} ({at}{who}{quoted})", "{task} {speed}（{at}{who}{quoted}）")
        }
        Evidence::Comparison(comparison) => held(comparison, language),
        Evidence::ServerCpu(comparison) => cost(comparison, language),
        Evidence::Limit { limit, taken } => {
            let (name, value) = (short(&limit.name, 40), short(&limit.value, 60));
            let connections = limit.connections.unwrap_or_default();
            say!(
                language,
                "{name} = {value}: {connections} connections at once; the highest throughput took {taken}",
                "{name} = {value}：同時接続{connections}まで、最高のスループットでの同時接続は{taken}"
            )
        }
        Evidence::Features(features) => {
            let features = short(&features.join(" "), 200);
            say!(language, "the CPU lists: {features}", "CPUの機能：{features}")
        }
        Evidence::CodePath(algorithm, path) => {
            let (title, path) = (algorithm.title(), short(path, 60));
            say!(language, "seen running for {title}: {path}", "{title}で動いていた命令：{path}")
        }
        Evidence::Settings(settings) => {
            let settings = short(settings, 120);
            say!(language, "the library reports {settings}", "ライブラリの報告：{settings}")
        }
        Evidence::Cpu(arch, name) => {
            let (arch, name) = (short(arch, 40), short(name, 80));
            say!(language, "architecture {arch}: {name}", "アーキテクチャ{arch}：{name}")
        }
        Evidence::NoFigure => say!(
            language,
            "no figure: nothing in this run shows what it costs",
            "値なし：それによる損失を示す値はこの測定にありません"
        ),
    }
}

fn held(comparison: &FigureComparison, language: Language) -> String {
    let one = |figure| format!("{} {}", name(figure, comparison, language), speed(figure, language));
    let (first, second, outcome) = (one(&comparison.first), one(&comparison.second), outcome(comparison, language));
    say!(language, "{first}, {second}: {outcome}", "{first}、{second}: {outcome}")
}

/// What two ways to serve the same files cost the server's CPU: the second against the first, which is the cheaper.
fn cost(comparison: &FigureComparison, language: Language) -> String {
    let one = |figure: &Figure| {
        let (name, seconds) = (name(figure, comparison, language), digits(1e9 / figure.value));
        say!(language, "{name} {seconds} s", "{name} {seconds}秒")
    };
    let (first, second, outcome) = (one(&comparison.first), one(&comparison.second), outcome(comparison, language));
    say!(
        language,
        "the server’s CPU for a gigabyte: {second}, {first}: {outcome}",
        "1 GBあたりのサーバーのCPU時間：{second}、{first}：{outcome}"
    )
}

/// What tells a figure from the other one of a comparison: the library, the state or the algorithm.
fn name(figure: &Figure, comparison: &FigureComparison, language: Language) -> String {
    let FigureComparison { first, second, .. } = comparison;
    let is_by_state = first.acceleration != second.acceleration && first.algorithm == second.algorithm;
    match are_two_libraries(comparison) {
        true => who(figure),
        false if is_by_state => format!("{} {}", task(figure, language), state(figure.acceleration, language)),
        false => task(figure, language),
    }
}

/// How two figures compare, by which interval, and what both have in common.
fn outcome(comparison: &FigureComparison, language: Language) -> String {
    let times = times(comparison.ratio);
    let times = match comparison.is_shown {
        true => say!(language, "{times} times", "{times}倍"),
        false => say!(language, "no difference shown", "差は認められない"),
    };
    let interval = match comparison.ci95 {
        Some([low, high]) => say!(language, "95 %: {low:.2}–{high:.2}", "95 %区間：{low:.2}～{high:.2}"),
        None if comparison.first.is_quoted => say!(language, "no interval: quoted figures", "引用値のため区間なし"),
        None => say!(language, "no interval", "区間なし"),
    };
    let unlike = match comparison.is_unlike {
        true => pick(
            language,
            "; not quite alike: openssl speed sets up the key for each message of one, and streams the other",
            "、openssl speedが一方は鍵の設定を毎回含め、他方は含めずに測った値",
        ),
        false => "",
    };
    let at = at(&comparison.first, language);
    let on = if are_two_libraries(comparison) { task(&comparison.first, language) } else { who(&comparison.first) };
    say!(language, "{times} ({interval}; {at}{on}{unlike})", "{times}（{interval}、{at}{on}{unlike}）")
}

fn are_two_libraries(FigureComparison { first, second, .. }: &FigureComparison) -> bool {
    (&first.library, &first.version) != (&second.library, &second.version)
}

fn state(state: Acceleration, language: Language) -> String {
    match state {
        Acceleration::On => say!(language, "on", "加速オン"),
        Acceleration::Off => say!(language, "off", "加速オフ"),
        other => other.to_string(),
    }
}

/// `AES-128-GCM`, `Ed25519 sign`.
fn task(figure: &Figure, language: Language) -> String {
    let title = figure.algorithm.title();
    if !matches!(figure.algorithm.kind(), AlgorithmKind::Signature | AlgorithmKind::Kem) {
        return title.to_owned();
    }
    let japanese = match figure.operation {
        Operation::Sign => "署名",
        Operation::Verify => "検証",
        Operation::Encapsulate => "カプセル化",
        Operation::Decapsulate => "カプセル化解除",
        other => other.name(),
    };
    format!("{title} {}", pick(language, figure.operation.name(), japanese))
}

/// `16 KiB, `; nothing for operations that take no bytes.
fn at(figure: &Figure, language: Language) -> String {
    let is_bulk = figure.algorithm.kind().is_bulk();
    if is_bulk { size(figure.bytes) + pick(language, ", ", "、") } else { String::new() }
}

fn who(figure: &Figure) -> String {
    join(&figure.library, &figure.version, "")
}

fn speed(figure: &Figure, language: Language) -> String {
    quantity::figure(figure.value, figure.unit, &messages(language).words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_does_not_read_a_value_as_a_pattern() {
        let values = [("a", Value::Name("{b}".to_owned())), ("b", Value::Name("x".to_owned()))];
        assert_eq!(fill("{a}-{b}-{c}", &values, Language::English), "{b}-x-{c}");
        assert_eq!(fill("", &values, Language::English), "");
    }
}
