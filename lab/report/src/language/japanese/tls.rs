//! A TLS web server in Japanese.

use crate::language::TlsMessages;
use crate::quantity::{digits, points, times};
use crate::tls::Finding;
use kasoku_model::workload::served::{Client, LatencyOf};

pub(super) const TLS: TlsMessages = TlsMessages {
    title: "Webサーバー",
    explained: "nginxがTLSでファイルを送ります。1つの接続で1つのファイルを取得します。同時接続数は、最初のバイトまでの時間が上限を超える\
                接続がない範囲で、スループットが最も高くなる数です。",
    explained_here: "サーバーとクライアントは同じマシンにあるため、ネットワークの影響は含まれず、受信処理の一部はサーバーのコアで\
                     行われます。",
    explained_elsewhere: "サーバーはkasoku serveが動かし、クライアントは別の場所から取得しました。値には、その間にあるものの影響が含まれます。",
    overview: "Webサーバー：スループット（Gbit/s）と負荷",
    overview_note: "最長待ち時間は全接続の中の最大値（秒）。CPUは割り当てたコアに対する使用率（%）。秒/GBは10⁹バイトあたりの\
                    サーバーのCPU時間。上限がサーバーのCPUであるとき、コアあたりの値がサーバー本来の性能です。",
    shared_note: "* コアが足りないため、サーバーとクライアントが同じコアを使っています。",
    workers: "ワーカー",
    size: "ファイル",
    suite: "暗号スイート",
    provider: "プロバイダー",
    gbit: "スループット",
    gbit_a_core: "コアあたり",
    connections: "同時接続数",
    longest_wait: "最長待ち時間",
    server_cpu: "サーバーCPU",
    server_cpu_max: "最大",
    client_cpu: "クライアントCPU",
    seconds_a_gigabyte: "秒/GB",
    limit: "上限",
    ratio: "AES128-GCM-SHA256のスループット（AES128-SHA比、倍）",
    ratio_note: "AES128-SHAはすべての列でOpenSSL自身の実装。公開された測定と同じくEncrypt-then-MACなしで測定。使うとOpenSSLは\
                 AES-CBCとSHA-1を一度に処理せず、順に処理します。",
    limits: "公開された測定で調整されたシステムの上限",
    limits_note: "接続数は、その上限が許す同時接続数（わかるもののみ）。測定した中で最も少ないワーカー数の場合。",
    limit_name: "項目",
    allows: "接続数",
    binds_first: "（最初に到達）",
    here: "このマシン",
    published: "公開値",
    what: "内容",
    published_title: "公開された値",
    figure_raw: "サーバーを使わない場合のAES-128-GCM（AES-128-CBC-HMAC-SHA1比、OpenSSL）",
    no_raw_ratio: "サーバーを使わない2つの暗号の比は、kasoku run primitives --algorithms aes-128-gcm,aes-128-cbc-hmac-sha1 \
                   --stacks openssl で測定できます。このレベルと同じ実行で測定すると、ここに表示されます。",
    this_machine: "このマシン",
    times: "倍",
    served_by: |cpu| format!("サーバーのCPU：{cpu}。この実行のマシンはクライアントのものです。"),
    sentence,
    bottleneck: |name| {
        match name {
            "server-cpu" => "サーバーのCPU",
            "client-cpu" => "クライアントのCPU",
            "shared-cpu" => "共有CPU",
            "memory" => "TCPのメモリー",
            "network" => "ネットワーク",
            _ => "–",
        }
        .to_owned()
    },
    figure_throughput: |workers| format!("スループット（{workers}ワーカー）"),
    figure_cpu: |workers| format!("サーバーの最大CPU使用率（{workers}ワーカー）"),
    published_value: |value, to, unit| {
        let unit = match unit {
            "times" => "倍",
            "Gbps a core" => " Gbps（コアあたり）",
            "Gbps at least" => " Gbps以上",
            "% and more" => " %以上",
            "%" => " %",
            "each four times the one before" => "（4倍ずつ）",
            "cores" => "コア",
            "minutes" => "分",
            "s" => "秒",
            "hosts at most" => "台まで",
            other => other,
        };
        let to = to.map(|to| format!("～{to}")).unwrap_or_default();
        format!("{value}{to}{unit}")
    },
    in_step: |hosts, seconds| {
        format!(
            "{hosts}台のホストが同時に負荷をかけました。開始時刻のずれは、どの段階でも最大{}ミリ秒です。",
            digits(1e3 * seconds)
        )
    },
    served: |served| {
        let mut text = format!("{}ワーカー", served.workers);
        if served.client == Client::Ab {
            text.push_str("、クライアントはab");
        }
        if served.latency_of == LatencyOf::Request {
            text.push_str("、リクエスト全体の時間で制限");
        }
        text
    },
};

fn range([low, high]: [f64; 2]) -> String {
    if times(low) == times(high) { times(low) } else { format!("{}～{}", times(low), times(high)) }
}

pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::GcmOverCbc { ratios } => format!(
            "OpenSSL自身の実装では、1 MiBより大きいファイルのスループットは、AES128-GCM-SHA256がAES128-SHAの{}倍です（2014年の公開値は2～2.4倍）。",
            range(*ratios)
        ),
        Finding::Provider { suite, ratios, saved, of: (shown, all) } => {
            let saved = saved.map(|saved| {
                let way = if saved < 0.0 { "増えます" } else { "減ります" };
                format!("り、同じファイルを送るCPU時間は{} %{way}", points(saved.abs()))
            });
            let others = match all - shown {
                0 => String::new(),
                others => format!("{all}通りのうち{others}通りでは差があるとは言えません。"),
            };
            format!(
                "Kasokuのプロバイダーを使うと、nginxの{suite}のスループットはOpenSSL自身の実装の{}倍にな{}。{others}",
                range(*ratios),
                saved.unwrap_or_else(|| "ります".to_owned())
            )
        }
        Finding::ACore { stack, suite, gbit, cpu } => {
            let on = cpu.as_ref().map(|cpu| format!("、{cpu}")).unwrap_or_default();
            format!("サーバーのスループットは、コアあたり最大{} Gbit/sです（{suite}、{stack}{on}）。", digits(*gbit))
        }
        Finding::OtherLimits { others, all } => format!(
            "{all}通りのうち{others}通りでは、スループットの上限がサーバーのCPUではないか、サーバーとクライアントがコアを共有しています。\
             サーバーの性能はさらに高い可能性があります。"
        ),
    }
}
