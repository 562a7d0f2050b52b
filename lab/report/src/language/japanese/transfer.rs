//! Data from end to end in Japanese.

use crate::language::TransferMessages;
use crate::packets::finding::Effect;
use crate::quantity::{percent, points, size};
use crate::transfer::{Finding, What, Who};
use crate::visible::short;
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::{Protection, Transport};

pub(super) const TRANSFER: TransferMessages = TransferMessages {
    title: "エンドツーエンド",
    explained: "クライアントからサーバーへ、ループバックでデータを送ります。それぞれ専用のコアで動く別のプロセスです。QUIC（quinn）と\
                TCP上のTLS 1.3（rustls）を、各実装の暗号処理で順に測定します。CPU時間は、カーネルの処理を含めて両方のプロセスが使った\
                時間です。処理の一部を引き受けるネットワークカードは含まれません。",
    moved: "方式",
    stack: "実装",
    goodput: "速度（GB/s）",
    sender: "送信側",
    receiver: "受信側",
    both: "合計",
    kernel: "カーネル",
    against_usual: "合計（aws-lc比）",
    packets: "千パケット/秒",
    packets_a_call: "一括の個数",
    lost: "損失",
    costs_note: "アプリケーションのデータ10⁹バイトあたりのCPU秒（ラウンドの中央値）。カーネルは、そのうちカーネルで使われた割合。aws-lc比は\
                 ラウンドごとの比の中央値と95 %信頼区間。「=」は、差が認められないことを表します。",
    shared_note: "コアが1つしかないため、送信側と受信側が同じコアを使っています。",
    no_offload_note: "パケットを1個ずつ送信しています。このシステムにはUDPのセグメンテーションオフロードがありません。",
    effects_note: "ラウンドごとの比の中央値と、括弧内は95 %信頼区間。「=」は、差が認められないことを表します。",
    over_tls_note: "同じ実装について、ラウンドごとに比べたもの。公開された値は、別のQUIC実装で、両方にネットワークカードのセグメンテーション\
                    オフロードがある場合に、1.5 KBのパケットでTLSの約5 %増、9 KBではQUICが優位。ループバックのTCPは一度に最大64 KBを\
                    ソケット間で渡し、どちらの処理もカードに任せられません。",
    chart_unit: "CPU秒/GB（合計）・カーネルの割合",
    sentence,
    what,
    who,
    how,
    again: |who| format!("{who}、再測定"),
    floor_note: |who, cpu, goodput| {
        format!(
            "ノイズフロア：{who}を同じラウンドで再測定した値との差は、CPU時間で最大{cpu}、速度で最大{goodput}です。\
             これより小さい差は認めません。"
        )
    },
    disturbed_note: |disturbed, all| {
        format!(
            "転送{all}回のうち{disturbed}回は、5 %を超える時間にわたってほかの処理がコアを使っていました。\
             これらも含まれており、その分速度が低くなっています。"
        )
    },
    interval: |low, high| format!("{low}～{high}"),
    costs: |algorithm| format!("エンドツーエンド（{algorithm}）：1 GBあたりのCPU秒"),
    gains: |algorithm| format!("エンドツーエンド（{algorithm}）：CPU時間と速度（aws-lc比）"),
    over_tls: |algorithm| format!("エンドツーエンド（{algorithm}）：QUICのCPU時間（TLS比）"),
};

/// No longer name of a stack is shown.
const NAME: usize = 24;

fn what(what: What) -> String {
    match what.transport {
        Transport::Quic => format!("QUIC、{}", size(what.bytes)),
        Transport::Tls => format!("TLS、{}", size(what.bytes)),
    }
}

fn how(transfer: Transfer) -> String {
    match transfer {
        Transfer { transport: Transport::Tls, .. } => "TLSで転送".to_owned(),
        Transfer { protection: Protection::OnePass, .. } => "QUICで転送、1パス".to_owned(),
        Transfer { .. } => "QUICで転送".to_owned(),
    }
}

fn who(who: &Who) -> String {
    match who.protection {
        Protection::Provider => short(&who.stack, NAME),
        Protection::OnePass => format!("{}、1パス", short(&who.stack, NAME)),
    }
}

/// `15.2 %減（12.0～18.1 %）`
fn more(effect: Effect) -> String {
    let [low, high] = effect.ci95;
    if !effect.is_shown {
        return format!("差は認められない（{}～{} %）", points(low), points(high));
    }
    let (word, ends) = if effect.percent < 0.0 { ("減", [-high, -low]) } else { ("増", [low, high]) };
    format!("{} %{word}（{}～{} %）", points(effect.percent.abs()), points(ends[0]), points(ends[1]))
}

fn by(what: What) -> String {
    match what.transport {
        Transport::Quic => format!("{}のパケットのQUIC（{}）", size(what.bytes), what.algorithm.title()),
        Transport::Tls => format!("{}のレコードのTLS 1.3（{}）", size(what.bytes), what.algorithm.title()),
    }
}

pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Cost { what, who: ours, against } => {
            let each: Vec<String> =
                against.iter().map(|(stack, effect)| format!("{}比で{}", short(stack, NAME), more(*effect))).collect();
            format!("{}でデータを送るCPU時間（{}）は、{}です。", by(*what), who(ours), each.join("、"))
        }
        Finding::OverTls { who: whose, sizes } => {
            let each: Vec<String> = sizes
                .iter()
                .map(|(bytes, sender, both)| {
                    format!("{}のパケットでは送信側で{}、合計で{}", size(*bytes), more(*sender), more(*both))
                })
                .collect();
            format!("ループバックでのQUICのCPU時間（{}、TLS比）は、{}です。", who(whose), each.join("、"))
        }
        Finding::Published => {
            "公開された値は、別のQUIC実装で、両方にネットワークカードのオフロードがある場合に、1.5 KBのパケットで\
                               TLSの約5 %増、9 KBではQUICが優位です。ループバックにはそのようなカードがありません。"
                .to_owned()
        }
        Finding::Kernel { shares } => {
            let each: Vec<String> =
                shares.iter().map(|(of, share)| format!("{}は{}", what(*of), percent(100.0 * share))).collect();
            format!("暗号処理では減らせないカーネルのCPU時間の割合（kasoku）：{}。", each.join("；"))
        }
        Finding::Lost { lost, packets } => {
            format!("{packets}個のパケットのうち{lost}個が失われたと判断され、再送されました。")
        }
    }
}
