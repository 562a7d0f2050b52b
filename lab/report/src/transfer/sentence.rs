//! What a run shows of data from end to end, in words.

use super::finding::TransferFinding;
use super::selection::What;
use crate::effect::Effect;
use crate::language::{messages, pick, say};
use crate::quantity::{percent, points, size};
use crate::visible::short;
use kasoku_model::language::Language;
use kasoku_model::workload::transfer::Transport;

impl TransferFinding {
    /// The finding as a sentence.
    pub(crate) fn sentence(&self, language: Language) -> String {
        match self {
            TransferFinding::Cost { what, who: ours, against } => {
                let each = |(index, (library, effect)): (usize, &(String, Effect))| {
                    let library = short(library, NAME);
                    let [than, from] = [format!(" than with {library}"), format!(" from {library}")];
                    let more = more(*effect, [&than, &from], index + 1 == against.len(), language);
                    say!(language, "{more}", "{library}と比べて{more}")
                };
                let each: Vec<String> = against.iter().enumerate().map(each).collect();
                let each = each.join(pick(language, "; ", "、"));
                let (by, who) = (by(*what, language), ours.name(messages(language)));
                say!(
                    language,
                    "CPU time to move data {by}, with {who}: {each}.",
                    "{by}でデータを送るCPU時間は（{who}）、{each}。"
                )
            }
            TransferFinding::OverTls { who: whose, sizes } => {
                let each = |(index, (bytes, sender, both)): (usize, &(usize, Effect, Effect))| {
                    let sender = more(*sender, ["", ""], false, language);
                    let both = more(*both, ["", ""], index + 1 == sizes.len(), language);
                    let size = size(*bytes);
                    say!(
                        language,
                        "in packets of {size} the sender’s {sender}, both sides’ {both}",
                        "{size}のパケットでは送信側で{sender}、合計で{both}"
                    )
                };
                let each: Vec<String> = sizes.iter().enumerate().map(each).collect();
                let (each, who) = (each.join(pick(language, "; ", "、")), whose.name(messages(language)));
                say!(
                    language,
                    "CPU time of QUIC against TLS, end to end over the loopback, with {who}: {each}.",
                    "ループバックでのQUICのCPU時間は（{who}）、TLSと比べて、{each}。"
                )
            }
            TransferFinding::Published => say!(
                language,
                "Published for another QUIC stack, with segmentation offloaded to the network card for both: about 5 % \
                 more than TLS in packets of 1.5 KB, less in packets of 9 KB. The loopback has no such card.",
                "公開された値は、別のQUIC実装で、両方にネットワークカードのオフロードがある場合に、1.5 KBのパケット\
                 でTLSの約5 %増、9 KBではQUICが優位です。ループバックにはそのようなカードがありません。"
            ),
            TransferFinding::Kernel { shares } => {
                let each = |(of, share): &(What, f64)| {
                    let share = percent(100.0 * share);
                    match language {
                        Language::English => format!("{} {share}", of.name(messages(language))),
                        Language::Japanese => {
                            let transport = match of.transport {
                                Transport::Quic => "QUIC",
                                Transport::Tls => "TLS",
                            };
                            format!("{transport}（{}）は{share}", size(of.bytes))
                        }
                    }
                };
                let each: Vec<String> = shares.iter().map(each).collect();
                let each = each.join(pick(language, "; ", "、"));
                say!(
                    language,
                    "The kernel’s share of the CPU time, which no cipher can reduce, with kasoku: {each}.",
                    "暗号処理では減らせないカーネルのCPU時間の割合は（kasoku）、{each}です。"
                )
            }
            TransferFinding::Lost { lost, packets } => say!(
                language,
                "Of {packets} packets, {lost} were taken for lost and sent again.",
                "{packets}個のパケットのうち{lost}個が失われたと判断され、再送されました。"
            ),
        }
    }
}

/// No longer name of a library is shown.
const NAME: usize = 24;

/// `15.2 % less than with ring (12.0 to 18.1 %)`; of what is less, the interval too. `than` and `from` are English
/// only; what is last ends the sentence in Japanese.
pub(crate) fn more(effect: Effect, [than, from]: [&str; 2], is_last: bool, language: Language) -> String {
    let [low, high] = effect.ci95;
    if !effect.is_shown {
        let [low, high] = [low, high].map(points);
        let end = if is_last { "は認められません" } else { "が認められず" };
        return say!(language, "no difference shown{from} ({low} to {high} %)", "差{end}（{low}～{high} %）");
    }
    let is_less = effect.percent < 0.0;
    let [low, high] = if is_less { [-high, -low] } else { [low, high] }.map(points);
    let word = if is_less { pick(language, "less", "少なく") } else { pick(language, "more", "多く") };
    let end = if is_last { "なります" } else { "" };
    let percent = points(effect.percent.abs());
    say!(language, "{percent} % {word}{than} ({low} to {high} %)", "{percent} %{word}{end}（{low}～{high} %）")
}

fn by(what: What, language: Language) -> String {
    let (size, title) = (size(what.bytes), what.algorithm.title());
    match what.transport {
        Transport::Quic => {
            say!(language, "over QUIC in packets of {size} ({title})", "{size}のパケットのQUIC（{title}）")
        }
        Transport::Tls => {
            say!(language, "over TLS 1.3 in records of {size} ({title})", "{size}のレコードのTLS 1.3（{title}）")
        }
    }
}
