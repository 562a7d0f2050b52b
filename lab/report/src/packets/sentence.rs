//! What packets show, in words.

use super::finding::{Cost, PacketFinding, Speed};
use crate::effect::Effect;
use crate::language::{messages, pick, say};
use crate::quantity::{digits, figure, percent, points, size};
use kasoku_model::document::Unit;
use kasoku_model::language::Language;

impl PacketFinding {
    /// The finding as a sentence.
    pub(crate) fn sentence(&self, language: Language) -> String {
        match self {
            PacketFinding::Speed { algorithm, bytes, speeds } => {
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
            PacketFinding::Lead { algorithm, library, next, effects } => {
                let title = algorithm.title();
                let costs = costs(effects, PACKETS, "in the same time", language);
                say!(
                    language,
                    "One packet at a time ({title}), {library}, the fastest, against {next}, the next: {costs}.",
                    "1パケットずつの処理で最も速い{library}が同じ時間に処理できるパケットは（{title}）、次点の{next}と\
                     比べて、{costs}。"
                )
            }
            PacketFinding::Cost { what: Cost::HeaderProtection, algorithm, library, effects } => {
                let title = algorithm.title();
                let costs = costs(effects, TIME, "than the AEAD", language);
                say!(
                    language,
                    "Header protection ({library}, {title}): {costs}.",
                    "ヘッダー保護まで含めた時間は（{library}、{title}）、AEADだけの場合と比べて、{costs}。"
                )
            }
            PacketFinding::Cost { what: Cost::Setup, algorithm, library, effects } => {
                let title = algorithm.title();
                let costs = costs(effects, TIME, "than the cipher alone", language);
                say!(
                    language,
                    "Setup, AAD and tag ({library}, {title}): {costs}.",
                    "前後処理まで含めた時間は（{library}、{title}）、暗号処理のみの場合と比べて、{costs}。"
                )
            }
            PacketFinding::Batches { batch, algorithm, library, effects } => {
                let title = algorithm.title();
                let than = "in the same time than one at a time";
                let costs = costs(effects, PACKETS, than, language);
                say!(
                    language,
                    "Batches of {batch} ({library}, {title}): {costs}.",
                    "{batch}個一括で同じ時間に処理できるパケットは（{library}、{title}）、1個ずつの場合と比べ\
                     て、{costs}。"
                )
            }
            PacketFinding::OverTls { algorithm, library, batch, record, effects } => {
                let each = |(index, (bytes, effect, per_byte)): (usize, &(usize, Effect, Option<f64>))| {
                    let per_byte = cycles(*per_byte)
                        .map(|cycles| say!(language, "{cycles} a byte, ", "1バイトあたり{cycles}サイクル、"))
                        .unwrap_or_default();
                    let change = change(*effect, CYCLES, "", index + 1 == effects.len(), language);
                    let (interval, size) =
                        ((messages(language).packets.interval)(effect.ci95.map(points)), size(*bytes));
                    say!(
                        language,
                        "{change} ({per_byte}{interval}) in packets of {size}",
                        "{size}のパケット{change}（{per_byte}{interval}）"
                    )
                };
                let each = list(effects.iter().enumerate().map(each), language);
                let of_record = cycles(record.cycles)
                    .map(|cycles| say!(language, " ({cycles} a byte)", "（1バイトあたり{cycles}サイクル）"))
                    .unwrap_or_default();
                let (by, title, size) = (by(library, *batch, language), algorithm.title(), size(record.bytes));
                say!(
                    language,
                    "QUIC over TLS, the cipher’s share ({by}, {title}), against a TLS record of {size}{of_record}: \
                     {each}.",
                    "QUICの暗号処理のサイクル数は（{by}、{title}）、{size}のTLSレコード{of_record}と比べて、{each}。"
                )
            }
            PacketFinding::CipherOnly => say!(
                language,
                "These overheads are the cipher’s alone. The published figure of some 5 % over TLS is end to end, with \
                 the kernel and the network in it, and belongs to whole QUIC stacks.",
                "このオーバーヘッドは暗号処理だけのものです。TLSに対して5 %程度という公表値は、\
                 カーネルやネットワークも含むQUIC実装全体で測ったものです。"
            ),
        }
    }
}

/// The line over a run that is about packets alone.
pub(crate) fn headline(findings: &[&PacketFinding], language: Language) -> String {
    let lead = findings.iter().find_map(|finding| match finding {
        PacketFinding::Speed { algorithm, bytes, speeds } => Some((algorithm, bytes, speeds.first()?)),
        _ => None,
    });
    let Some((algorithm, bytes, best)) = lead else {
        return say!(
            language,
            "This run compares nothing that its packets could be judged by.",
            "この測定には、パケットの速さを評価するための比較対象がありません。"
        );
    };
    let (size, title) = (size(*bytes), algorithm.title());
    let (amount, by) = (amount(best, language), by(&best.library, best.batch, language));
    say!(
        language,
        "Packets of {size}, {title}, header protection included: {amount} at best, with {by}.",
        "{size}のパケット（{title}、ヘッダー保護込み）は、最も速い{by}で{amount}です。"
    )
}

/// What there is less and more of, in both languages.
type LessAndMore = [(&'static str, &'static str); 2];

const TIME: LessAndMore = [("less time", "短く"), ("more time", "長く")];
const PACKETS: LessAndMore = [("fewer packets", "少なく"), ("more packets", "多く")];
const CYCLES: LessAndMore = [("fewer cycles", "少なく"), ("more cycles", "多く")];

/// The effects by size. In English, what they are of is said with the first that is shown.
fn costs(effects: &[(usize, Effect)], less_and_more: LessAndMore, than: &str, language: Language) -> String {
    let first = effects.iter().position(|(_, effect)| effect.is_shown);
    let each = |(index, (bytes, effect)): (usize, &(usize, Effect))| {
        let than = if first == Some(index) { format!(" {than}") } else { String::new() };
        let change = change(*effect, less_and_more, &than, index + 1 == effects.len(), language);
        let (interval, size) = ((messages(language).packets.interval)(effect.ci95.map(points)), size(*bytes));
        say!(language, "{change} ({interval}) at {size}", "{size}{change}（{interval}）")
    };
    list(effects.iter().enumerate().map(each), language)
}

/// `1.3 % more time`, `で1.3 %長く`; what is last ends the sentence in Japanese. An interval that does not hold 0 may
/// still lie within what the run cannot tell from noise.
fn change(effect: Effect, less_and_more: LessAndMore, than: &str, is_last: bool, language: Language) -> String {
    let holds_zero = effect.ci95[0] <= 0.0 && 0.0 <= effect.ci95[1];
    let percent = points(effect.percent.abs());
    let is_more = effect.percent >= 0.0;
    let end = |japanese: [&'static str; 2]| japanese[usize::from(is_last)];
    match (effect.is_shown, holds_zero) {
        (true, _) => {
            let (english, japanese) = less_and_more[usize::from(is_more)];
            let end = end(["", "なります"]);
            say!(language, "{percent} % {english}{than}", "で{percent} %{japanese}{end}")
        }
        (false, true) => {
            let end = end(["が認められず", "は認められません"]);
            say!(language, "no difference shown", "では差{end}")
        }
        (false, false) => {
            let end = end(["が認められず", "は認められません"]);
            say!(language, "no difference beyond noise shown", "ではノイズを超える差{end}")
        }
    }
}

fn list(items: impl Iterator<Item = String>, language: Language) -> String {
    items.collect::<Vec<_>>().join(pick(language, "; ", "、"))
}

fn cycles(per_byte: Option<f64>) -> Option<String> {
    per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits)
}

fn by(library: &str, batch: usize, language: Language) -> String {
    match batch {
        0 | 1 => library.to_owned(),
        _ => say!(language, "{library} in batches of {batch}", "{library}（{batch}個一括）"),
    }
}

fn amount(speed: &Speed, language: Language) -> String {
    let rate = figure(speed.rate, Unit::BytesPerSecond, &messages(language).words);
    match speed.share.map(percent) {
        Some(share) => say!(language, "{rate}, {share} of this CPU’s bound", "{rate}（このCPUの上限の{share}）"),
        None => rate,
    }
}

impl Speed {
    /// By whom it is reached, and its share of the bound.
    pub(super) fn told(&self, language: Language) -> String {
        let by = by(&self.library, self.batch, language);
        match self.share.map(percent) {
            Some(share) => say!(language, "{by}, {share} of this CPU’s bound", "{by}、このCPUの上限の{share}"),
            None => by,
        }
    }
}
