//! Data from end to end.

use super::{pick, say, subject};
use crate::packets::finding::Effect;
use crate::quantity::{percent, points, size};
use crate::transfer::{Finding, What, Who};
use crate::visible::short;
use kasoku_model::language::Language::{self, English, Japanese};
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::{Protection, Transport};

subject! {
    /// Data from end to end.
    TransferMessages {
        texts {
            title: "End to end" | "エンドツーエンド";
            explained:
                "A client sends data to a server over the loopback, each a process on a core of its own: by QUIC with \
                 quinn, and by TLS 1.3 over TCP with rustls, with each library’s cryptography in turn. CPU time is \
                 what the system charges both processes for, its own work included. A network card, which would do a \
                 part of that work, is not in it."
                | "クライアントからサーバーへ、ループバックでデータを送ります。それぞれ専用のコアで動く別のプロセスで\
                   す。QUIC（quinn）とTCP上のTLS 1.3（rustls）を、各実装の暗号処理で順に測定します。CPU時間は、カーネ\
                   ルの処理を含めて両方のプロセスが使った時間です。処理の一部を引き受けるネットワークカードは含まれま\
                   せん。";
            moved: "by" | "方式";
            library: "library" | "実装";
            goodput: "GB/s" | "速度（GB/s）";
            sender: "sender" | "送信側";
            receiver: "receiver" | "受信側";
            both: "both" | "合計";
            kernel: "kernel" | "カーネル";
            against_usual: "both, against aws-lc" | "合計（aws-lc比）";
            packets: "10³ packets/s" | "千パケット/秒";
            packets_a_call: "a call" | "一括の個数";
            lost: "lost" | "損失";
            costs_note:
                "CPU seconds for 10⁹ bytes of the application’s data: medians over the rounds; kernel: the part of it \
                 that was spent there; against aws-lc: the median of the ratios within rounds and its 95 % interval. \
                 “=”: no difference shown."
                | "アプリケーションのデータ10⁹バイトあたりのCPU秒（ラウンドの中央値）。カーネルは、そのうちカーネルで\
                   使われた割合。aws-lc比はラウンドごとの比の中央値と95 %信頼区間。「=」は、差が認められないことを表し\
                   ます。";
            shared_note:
                "Sender and receiver shared a core: there is only one."
                | "コアが1つしかないため、送信側と受信側が同じコアを使っています。";
            no_offload_note:
                "Each packet was a call of its own: this system has no segmentation offload for UDP."
                | "パケットを1個ずつ送信しています。このシステムにはUDPのセグメンテーションオフロードがありません。";
            effects_note:
                "Medians of the ratios within rounds, in brackets the 95 % interval. “=”: no difference shown."
                | "ラウンドごとの比の中央値と、括弧内は95 %信頼区間。「=」は、差が認められないことを表します。";
            over_tls_note:
                "Of the same library, within rounds. Published of another QUIC stack, with segmentation in the network \
                 card for both: some 5 % more than TLS in packets of 1.5 KB, less in packets of 9 KB. On the loopback \
                 TCP moves up to 64 KB at a time from one socket to the other, and no card takes any work from either."
                | "同じ実装について、ラウンドごとに比べたもの。公開された値は、別のQUIC実装で、両方にネットワークカー\
                   ドのセグメンテーションオフロードがある場合に、1.5 KBのパケットでTLSの約5 %増、9 KBではQUICが優位。\
                   ループバックのTCPは一度に最大64 KBをソケット間で渡し、どちらの処理もカードに任せられません。";
            chart_unit: "CPU s/GB, both sides · the kernel’s share" | "CPU秒/GB（合計）・カーネルの割合";
        }
        sentences {
            /// The sentence for a finding.
            sentence: fn(&Finding) -> String =
                |finding| sentence(finding, English),
                |finding| sentence(finding, Japanese);
            /// What was moved, in a few words.
            what: fn(What) -> String =
                |one| what(one, English),
                |one| what(one, Japanese);
            /// By whom, in a few words.
            who: fn(&Who) -> String =
                |one| who(one, English),
                |one| who(one, Japanese);
            how: fn(Transfer) -> String =
                |transfer| transfer.to_string(),
                |transfer| match transfer {
                    Transfer { transport: Transport::Tls, .. } => "TLSで転送".to_owned(),
                    Transfer { protection: Protection::OnePass, .. } => "QUICで転送、1パス".to_owned(),
                    Transfer { .. } => "QUICで転送".to_owned(),
                };
            again: fn(&str) -> String =
                |who| format!("{who}, again"),
                |who| format!("{who}、再測定");
            floor_note: fn(&str, &str, &str) -> String =
                |who, cpu, goodput| {
                    format!(
                        "Noise floor: {who} measured again in the same rounds differs from itself by up to {cpu} in \
                         CPU time and {goodput} in throughput. No smaller difference is claimed."
                    )
                },
                |who, cpu, goodput| {
                    format!(
                        "ノイズフロア：{who}を同じラウンドで再測定した値との差は、CPU時間で最大{cpu}、速度で最\
                         大{goodput}です。これより小さい差は認めません。"
                    )
                };
            disturbed_note: fn(usize, usize) -> String =
                |disturbed, all| {
                    format!(
                        "During {disturbed} of {all} transfers something else had a core for more than 5 % of the \
                         time. They count, and their throughput is lower by that."
                    )
                },
                |disturbed, all| {
                    format!(
                        "転送{all}回のうち{disturbed}回は、5 %を超える時間にわたってほかの処理がコアを使っていました。\
                         これらも含まれており、その分速度が低くなっています。"
                    )
                };
            interval: fn(String, String) -> String =
                |low, high| format!("{low} to {high}"),
                |low, high| format!("{low}～{high}");
            costs: fn(&str) -> String =
                |algorithm| format!("End to end with {algorithm}: CPU seconds for a gigabyte"),
                |algorithm| format!("エンドツーエンド（{algorithm}）：1 GBあたりのCPU秒");
            gains: fn(&str) -> String =
                |algorithm| format!("End to end with {algorithm}: CPU time and throughput against aws-lc"),
                |algorithm| format!("エンドツーエンド（{algorithm}）：CPU時間と速度（aws-lc比）");
            over_tls: fn(&str) -> String =
                |algorithm| format!("End to end with {algorithm}: CPU time of QUIC against TLS"),
                |algorithm| format!("エンドツーエンド（{algorithm}）：QUICのCPU時間（TLS比）");
        }
    }
}

/// No longer name of a library is shown.
const NAME: usize = 24;

fn what(what: What, language: Language) -> String {
    let size = size(what.bytes);
    match what.transport {
        Transport::Quic => say!(language, "QUIC, {size}", "QUIC、{size}"),
        Transport::Tls => say!(language, "TLS, {size}", "TLS、{size}"),
    }
}

fn who(who: &Who, language: Language) -> String {
    let library = short(&who.library, NAME);
    match who.protection {
        Protection::Provider => library,
        Protection::OnePass => say!(language, "{library}, one pass", "{library}、1パス"),
    }
}

/// `15.2 % less than with ring (12.0 to 18.1 %)`; of what is less, the interval too. `than` and `to` are English only.
fn more(effect: Effect, [than, to]: [&str; 2], language: Language) -> String {
    let [low, high] = effect.ci95;
    if !effect.is_shown {
        let [low, high] = [low, high].map(points);
        return say!(language, "no difference shown{to} ({low} to {high} %)", "差は認められない（{low}～{high} %）");
    }
    let is_less = effect.percent < 0.0;
    let [low, high] = if is_less { [-high, -low] } else { [low, high] }.map(points);
    let word = if is_less { pick(language, "less", "減") } else { pick(language, "more", "増") };
    let percent = points(effect.percent.abs());
    say!(language, "{percent} % {word}{than} ({low} to {high} %)", "{percent} %{word}（{low}～{high} %）")
}

fn by(what: What, language: Language) -> String {
    let (size, title) = (size(what.bytes), what.algorithm.title());
    match what.transport {
        Transport::Quic => {
            say!(language, "by QUIC in packets of {size} ({title})", "{size}のパケットのQUIC（{title}）")
        }
        Transport::Tls => {
            say!(language, "by TLS 1.3 in records of {size} ({title})", "{size}のレコードのTLS 1.3（{title}）")
        }
    }
}

pub(super) fn sentence(finding: &Finding, language: Language) -> String {
    match finding {
        Finding::Cost { what, who: ours, against } => {
            let each = |(library, effect): &(String, Effect)| {
                let library = short(library, NAME);
                let more = more(*effect, [&format!(" than with {library}"), &format!(" to {library}")], language);
                say!(language, "{more}", "{library}比で{more}")
            };
            let each: Vec<String> = against.iter().map(each).collect();
            let each = each.join(pick(language, "; ", "、"));
            let (by, who) = (by(*what, language), who(ours, language));
            say!(
                language,
                "CPU time of data that is moved {by}, with {who}: {each}.",
                "{by}でデータを送るCPU時間（{who}）は、{each}です。"
            )
        }
        Finding::OverTls { who: whose, sizes } => {
            let each = |(bytes, sender, both): &(usize, Effect, Effect)| {
                let [sender, both] = [sender, both].map(|effect| more(*effect, ["", ""], language));
                let size = size(*bytes);
                say!(
                    language,
                    "in packets of {size} the sender’s {sender}, both sides’ {both}",
                    "{size}のパケットでは送信側で{sender}、合計で{both}"
                )
            };
            let each: Vec<String> = sizes.iter().map(each).collect();
            let (each, who) = (each.join(pick(language, "; ", "、")), who(whose, language));
            say!(
                language,
                "CPU time of QUIC against TLS, end to end over the loopback, with {who}: {each}.",
                "ループバックでのQUICのCPU時間（{who}、TLS比）は、{each}です。"
            )
        }
        Finding::Published => say!(
            language,
            "Published of another QUIC stack, with segmentation in the network card for both: some 5 % more than TLS \
             in packets of 1.5 KB, less in packets of 9 KB. On the loopback there is no such card.",
            "公開された値は、別のQUIC実装で、両方にネットワークカードのオフロードがある場合に、1.5 KBのパケットでTLSの\
             約5 %増、9 KBではQUICが優位です。ループバックにはそのようなカードがありません。"
        ),
        Finding::Kernel { shares } => {
            let each = |(of, share): &(What, f64)| {
                let (what, share) = (what(*of, language), percent(100.0 * share));
                say!(language, "{what} {share}", "{what}は{share}")
            };
            let each: Vec<String> = shares.iter().map(each).collect();
            let each = each.join(pick(language, "; ", "；"));
            say!(
                language,
                "What no cipher can save is the kernel’s share of the CPU time, with kasoku: {each}.",
                "暗号処理では減らせないカーネルのCPU時間の割合（kasoku）：{each}。"
            )
        }
        Finding::Lost { lost, packets } => say!(
            language,
            "Of {packets} packets, {lost} were taken for lost and sent again.",
            "{packets}個のパケットのうち{lost}個が失われたと判断され、再送されました。"
        ),
    }
}
