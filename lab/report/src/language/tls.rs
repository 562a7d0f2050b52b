//! A TLS web server.

use super::say::{pick, say, subject};
use crate::quantity::digits;
use kasoku_model::language::Language::{English, Japanese};
use kasoku_model::workload::Served;
use kasoku_model::workload::served::{Bottleneck, LatencyOf};

subject! {
    /// A TLS web server.
    TlsMessages {
        texts {
            title: "Web server" | "Webサーバー";
            more: "Charts, ratios, published figures, limits of the system" | "図、比、公表値、システムの上限";
            explained:
                "nginx sends files over TLS, each over a connection of its own. The number of connections is the one \
                 with the highest throughput at which nobody waits longer than the limit for the first byte."
                | "nginxがTLSでファイルを送ります。1つの接続で1つのファイルを取得します。同時接続数は、最初のバイトま\
                   での時間が上限を超える接続がない範囲で、スループットが最も高くなる数です。";
            explained_here:
                "Server and clients are on this machine, so what a network adds is missing, and the work of receiving \
                 is partly on the server’s core."
                | "サーバーとクライアントは同じマシンにあるため、ネットワークの影響は含まれず、受信処理の一部はサー\
                   バーのコアで行われます。";
            explained_elsewhere:
                "Server and clients ran on hosts that were reached through a launcher: the figures contain what is \
                 between them."
                | "サーバーとクライアントは、ランチャー経由で起動した別々のホストで動作しました。値には、ホスト間の\
                   経路の影響が含まれます。";
            overview:
                "Web server: throughput in Gbit/s, and what it took"
                | "Webサーバー：スループット（Gbit/s）と負荷";
            overview_note:
                "Longest wait: seconds, over all connections. CPU: per cent of the cores; s/GB: the server’s CPU \
                 seconds for 10⁹ bytes. A core’s figure is the server’s own where its CPU is the limit."
                | "最長待ち時間は全接続の中の最大値（秒）。CPUは割り当てたコアに対する使用率（%）。秒/GBは10⁹バイトあ\
                   たりのサーバーのCPU時間。上限がサーバーのCPUであるとき、コアあたりの値がサーバー本来の性能です。";
            shared_note:
                "* Server and clients share cores: there were not enough for both."
                | "* コアが足りないため、サーバーとクライアントが同じコアを使っています。";
            workers: "workers" | "ワーカー";
            size: "file" | "ファイル";
            suite: "suite" | "暗号スイート";
            provider: "provider" | "プロバイダー";
            gbit: "Gbit/s" | "スループット";
            gbit_a_core: "a core" | "コアあたり";
            connections: "connections" | "同時接続数";
            longest_wait: "longest wait" | "最長待ち時間";
            server_cpu: "server CPU" | "サーバーCPU";
            server_cpu_max: "max" | "最大";
            client_cpu: "client CPU" | "クライアントCPU";
            seconds_a_gigabyte: "s/GB" | "秒/GB";
            limit: "limit" | "制約";
            ratio:
                "AES128-GCM-SHA256 against AES128-SHA: times the throughput"
                | "AES128-GCM-SHA256のスループット（AES128-SHA比、倍）";
            ratio_note:
                "AES128-SHA is OpenSSL’s own in all columns. It is measured without Encrypt-then-MAC, as when the \
                 published figures were made: with it OpenSSL does AES-CBC and SHA-1 one after the other."
                | "AES128-SHAはすべての列でOpenSSL自身の実装。公開された測定と同じくEncrypt-then-MACなしで測定。使う\
                   とOpenSSLはAES-CBCとSHA-1を一度に処理せず、順に処理します。";
            limits:
                "Limits of the system that the published measurement tuned"
                | "公開された測定で調整されたシステムの上限";
            limits_note:
                "Connections: how many at once a limit allows, where that can be said; for the fewest workers measured."
                | "接続数は、その上限が許す同時接続数（わかるもののみ）。測定した中で最も少ないワーカー数の場合。";
            limit_name: "limit" | "項目";
            allows: "connections" | "接続数";
            binds_first: "(first)" | "（最初に到達）";
            here: "here" | "このマシン";
            published: "published" | "公開値";
            what: "what" | "内容";
            published_title: "The published figures" | "公開された値";
            figure_raw:
                "AES-128-GCM against AES-128-CBC-HMAC-SHA1 without a server, OpenSSL"
                | "サーバーを使わない場合のAES-128-GCM（AES-128-CBC-HMAC-SHA1比、OpenSSL）";
            no_raw_ratio:
                "Without a server the two ciphers are measured by: kasoku run primitives --algorithms \
                 aes-128-gcm,aes-128-cbc-hmac-sha1 --libraries openssl; in one run with this level they are shown here."
                | "サーバーを使わない2つの暗号の比は、kasoku run primitives --algorithms \
                   aes-128-gcm,aes-128-cbc-hmac-sha1 --libraries openssl で測定できます。このレベルと同じ実行で測定する\
                   と、ここに表示されます。";
            this_machine: "this machine" | "このマシン";
            times: "times" | "倍";
        }
        sentences {
            served_by(cpu: &str):
                "Served by: {cpu}. The machine of this run is that of the clients."
                | "サーバーのCPU：{cpu}。この実行のマシンはクライアントのものです。";
        }
        cases {
            bottleneck(what: Bottleneck) in language -> &'static str: match what {
                Bottleneck::ServerCpu => pick(language, "server’s CPU", "サーバーのCPU"),
                Bottleneck::ClientCpu => pick(language, "clients’ CPU", "クライアントのCPU"),
                Bottleneck::SharedCpu => pick(language, "CPU, shared", "共有CPU"),
                Bottleneck::Memory => pick(language, "memory of TCP", "TCPのメモリー"),
                Bottleneck::Neither => pick(language, "neither busy", "双方に余裕"),
            };
            figure_throughput(workers: usize) in language -> String: {
                let s = plural(workers);
                say!(language, "Throughput with {workers} worker{s}", "スループット（{workers}ワーカー）")
            };
            figure_cpu(workers: usize) in language -> String: {
                let s = plural(workers);
                say!(
                    language,
                    "The server’s highest CPU use with {workers} worker{s}",
                    "サーバーの最大CPU使用率（{workers}ワーカー）"
                )
            };
            in_step(hosts: usize, seconds: f64) in language -> String: {
                let ms = digits(1e3 * seconds);
                say!(
                    language,
                    "{hosts} hosts put load on the server together; they began at most {ms} ms apart in any step.",
                    "{hosts}台のホストが同時に負荷をかけました。開始時刻のずれは、どの段階でも最大{ms}ミリ秒です。"
                )
            };
            served(served: Served) in language -> String: match language {
                English => served.to_string(),
                Japanese => {
                    let of_request = served.latency_of == LatencyOf::Request;
                    let limited = if of_request { "、リクエスト全体の時間で制限" } else { "" };
                    format!("{}ワーカー{limited}", served.workers)
                }
            };
        }
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
