//! Data from end to end.

use super::say::{say, subject};
use crate::quantity::size;
use crate::visible::short;
use kasoku_model::language::Language::English;
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::{Protection, Transport};

subject! {
    /// Data from end to end.
    TransferMessages {
        texts {
            title: "End to end" | "エンドツーエンド";
            more: "What each side takes, and against TLS" | "送信側と受信側の内訳、TLSとの比較";
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
                "Of the same library, within rounds. Published for another QUIC stack, with segmentation offloaded to \
                 the network card for both: about 5 % more than TLS in packets of 1.5 KB, less in packets of 9 KB. On \
                 the loopback TCP moves up to 64 KB at a time from one socket to the other, and no card takes work off \
                 either."
                | "同じ実装について、ラウンドごとに比べたもの。公開された値は、別のQUIC実装で、両方にネットワークカー\
                   ドのセグメンテーションオフロードがある場合に、1.5 KBのパケットでTLSの約5 %増、9 KBではQUICが優位。\
                   ループバックのTCPは一度に最大64 KBをソケット間で渡し、どちらの処理もカードに任せられません。";
            chart_unit: "CPU s/GB, both sides · the kernel’s share" | "CPU秒/GB（合計）・カーネルの割合";
        }
        sentences {
            again(who: &str): "{who}, again" | "{who}、再測定";
            floor_note(who: &str, cpu: &str, goodput: &str):
                "Noise floor: {who} measured again in the same rounds differs from itself by up to {cpu} in CPU time \
                 and {goodput} in throughput. No smaller difference is claimed."
                | "ノイズフロア：{who}を同じラウンドで再測定した値との差は、CPU時間で最大{cpu}、速度で最大{goodput}で\
                   す。これより小さい差は認めません。";
            disturbed_note(disturbed: usize, all: usize):
                "During {disturbed} of {all} transfers something else had a core for more than 5 % of the time. They \
                 count, and their throughput is lower by that."
                | "転送{all}回のうち{disturbed}回は、5 %を超える時間にわたってほかの処理がコアを使っていました。これ\
                   らも含まれており、その分速度が低くなっています。";
            interval(low: String, high: String): "{low} to {high}" | "{low}～{high}";
            costs(algorithm: &str):
                "End to end with {algorithm}: CPU seconds for a gigabyte"
                | "エンドツーエンド（{algorithm}）：1 GBあたりのCPU秒";
            gains(algorithm: &str):
                "End to end with {algorithm}: CPU time and throughput against aws-lc"
                | "エンドツーエンド（{algorithm}）：CPU時間と速度（aws-lc比）";
            over_tls(algorithm: &str):
                "End to end with {algorithm}: CPU time of QUIC against TLS"
                | "エンドツーエンド（{algorithm}）：QUICのCPU時間（TLS比）";
        }
        cases {
            /// What was moved, in a few words.
            what(transport: Transport, bytes: usize) in language -> String: match (transport, size(bytes)) {
                (Transport::Quic, size) => say!(language, "QUIC, {size}", "QUIC、{size}"),
                (Transport::Tls, size) => say!(language, "TLS, {size}", "TLS、{size}"),
            };
            /// By whom, in a few words.
            who(library: &str, protection: Protection) in language -> String: match (protection, short(library, NAME)) {
                (Protection::Provider, library) => library,
                (Protection::OnePass, library) => say!(language, "{library}, one pass", "{library}、1パス"),
            };
            how(transfer: Transfer) in language -> String: match (language, transfer) {
                (English, transfer) => transfer.to_string(),
                (_, Transfer { transport: Transport::Tls, .. }) => "TLSで転送".to_owned(),
                (_, Transfer { protection: Protection::OnePass, .. }) => "QUICで転送、1パス".to_owned(),
                (_, Transfer { .. }) => "QUICで転送".to_owned(),
            };
        }
    }
}

/// No longer name of a library is shown.
const NAME: usize = 24;
