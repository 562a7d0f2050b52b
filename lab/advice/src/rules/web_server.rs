//! nginx: whose code does its ciphers, which suites, and the limits of the system around it.

use crate::facts::{Aead, Facts};
use crate::figure::Comparison;
use crate::lines;
use crate::rule::{Evidence, Found, Rule, Topic, Value, Weight, Wording};
use crate::web_server::{self, FirstLimit};
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::system_limit as limits;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "nginx-kasoku-provider",
        topic: Topic::WebServer,
        weight: Weight::Choose,
        is_headline: true,
        applies: |facts| {
            let comparisons = web_server::providers(facts);
            let best = comparisons.first().filter(|comparison| is_much(comparison))?;
            let found = Found::new()
                .with("suite", Value::Algorithm(best.first.algorithm))
                .with("saved", Value::Percent((1.0 - 1.0 / best.ratio) * 100.0));
            Some(found.behind_all(comparisons.into_iter().map(Evidence::ServerCpu)))
        },
        english: Wording {
            when: "With Kasoku’s provider nginx is shown to take at least 10 % less CPU time for the same files than with \
                   OpenSSL’s own code.",
            says: "Give nginx Kasoku’s provider: with {suite} it takes {saved} less CPU time for the same files than with \
                   OpenSSL’s own code.",
            reason: "OpenSSL 3 takes a provider by configuration: nginx stays as it is, and other programs do not notice. \
                     OpenSSL passes over a module that it cannot load and says nothing, so look whether it is used. Where \
                     the server’s CPU is not the limit, it sends no more, but more of its CPU is left.",
        },
        japanese: Wording {
            when: "Kasoku のプロバイダを使う nginx が、OpenSSL 自身の実装より、同じファイルの送信に使う CPU 時間が 10 % 以上少ないと示されたとき。",
            says: "nginx に Kasoku のプロバイダを使わせます。{suite} では、同じファイルの送信に使う CPU 時間が OpenSSL 自身の実装より {saved} 少なくなります。",
            reason: "OpenSSL 3 のプロバイダは設定だけで加わり、nginx はそのままで、ほかのプログラムにも影響しません。\
                     OpenSSL は読み込めないモジュールを黙って無視するので、使われていることを確かめてください。サーバーの CPU が限界でない場合、送る量は増えませんが CPU に余裕ができます。",
        },
        lines: lines::nginx_provider,
    },
    Rule {
        id: "nginx-aeads-only",
        topic: Topic::WebServer,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = web_server::suites(facts, CipherSuite::Aes128GcmSha256, CipherSuite::Aes128Sha)?;
            let comparison = Some(comparison).filter(is_much)?;
            let found = Found::new()
                .with("winner", Value::Algorithm(comparison.first.algorithm))
                .with("loser", Value::Algorithm(comparison.second.algorithm))
                .with("times", Value::Times(comparison.ratio));
            Some(found.behind(Evidence::ServerCpu(comparison)))
        },
        english: Wording {
            when: "nginx is shown to take at least 1.1 times the CPU time with AES-CBC and HMAC as with AES-GCM, by OpenSSL’s own code.",
            says: "Take the suites with AES-CBC out of nginx’s ssl_ciphers: {loser} costs {times} times the CPU time of {winner}.",
            reason: "In CBC each block waits for the one before, and an HMAC goes over all of it again; its padding has been \
                     attacked again and again in TLS (Lucky Thirteen, POODLE). The lines leave out key exchange by RSA too, \
                     with which both were measured as published: it keeps no past traffic secret.",
        },
        japanese: Wording {
            when: "OpenSSL 自身の実装で、AES-CBC と HMAC を使う nginx の CPU 時間が AES-GCM の 1.1 倍以上と示されたとき。",
            says: "nginx の ssl_ciphers から AES-CBC の暗号スイートを外します。{loser} は {winner} の {times} 倍の CPU 時間を使います。",
            reason: "CBC では各ブロックが前のブロックの結果を待ち、さらに全体に HMAC の計算が加わります。TLS では CBC のパディングが何度も攻撃されています\
                     （Lucky Thirteen、POODLE）。下の行では RSA 鍵交換も外しています。測定は公表値に合わせて RSA 鍵交換で行いましたが、過去の通信の秘密を守れないためです。",
        },
        lines: lines::nginx_aeads,
    },
    Rule {
        id: "nginx-aes-gcm-first",
        topic: Topic::WebServer,
        weight: Weight::Choose,
        is_headline: false,
        applies: |facts| {
            let comparison = web_server::suites(facts, CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13ChaCha20)?;
            let comparison = Some(comparison).filter(|comparison| comparison.is_first_faster())?;
            if facts.aead() == Some(Aead::ChaCha20) {
                return None;
            }
            let found = Found::new()
                .with("loser", Value::Algorithm(comparison.second.algorithm))
                .with("cost", Value::Percent((comparison.ratio - 1.0) * 100.0));
            Some(found.behind(Evidence::ServerCpu(comparison)))
        },
        english: Wording {
            when: "nginx is shown to take more CPU time with ChaCha20-Poly1305 than with AES-GCM under TLS 1.3, by OpenSSL’s own code.",
            says: "Have nginx put AES-GCM first: {loser} takes {cost} more CPU time for the same files.",
            reason: "Left to clients, the choice is made by what is fast for them. PrioritizeChaCha still gives ChaCha20 to \
                     those that put it first, which have no AES instructions, and to nobody else.",
        },
        japanese: Wording {
            when: "OpenSSL 自身の実装で、TLS 1.3 の ChaCha20-Poly1305 を使う nginx の CPU 時間が AES-GCM より多いと示されたとき。",
            says: "nginx では AES-GCM を先頭にします。同じファイルの送信に、{loser} は CPU 時間を {cost} 多く使います。",
            reason: "クライアントに任せると、クライアント側で速い暗号が選ばれます。PrioritizeChaCha を使えば、\
                     AES 命令を持たず ChaCha20 を先頭に挙げるクライアントにだけ ChaCha20 を使います。",
        },
        lines: lines::quic,
    },
    Rule {
        id: "limit-reached",
        topic: Topic::WebServer,
        weight: Weight::Act,
        is_headline: true,
        applies: |facts| limit(facts, |first| first.taken >= first.allows),
        english: Wording {
            when: "A web server was measured with as many connections at once as a limit of the system allows.",
            says: "Raise {limit}: it allows {connections} connections at once, and the measurement took as many.",
            reason: "With more connections this server might have sent more. What is over a limit is refused or waits, and \
                     no figure of throughput shows that.",
        },
        japanese: Wording {
            when: "Webサーバーの測定で、同時接続数がシステムの上限に達したとき。",
            says: "{limit} を引き上げます。同時接続数は {connections} までで、測定はそこに達しました。",
            reason: "接続数を増やせば、さらに多く送れた可能性があります。上限を超えた接続は拒まれるか待たされますが、スループットの値には現れません。",
        },
        lines: lines::limit,
    },
    Rule {
        id: "limit-first",
        topic: Topic::WebServer,
        weight: Weight::Know,
        is_headline: false,
        applies: |facts| {
            let is_systems = |first: &FirstLimit<'_>| first.limit.name != limits::WORKER_CONNECTIONS;
            limit(facts, |first| first.taken < first.allows && is_systems(first))
        },
        english: Wording {
            when: "A limit of the system allows fewer connections at once than nginx itself (8,192 a worker here), and the \
                   measurement took fewer still.",
            says: "Before this server holds more than {connections} connections at once, raise {limit}: of the system’s limits \
                   it is the first to bind.",
            reason: "Nothing here was slower for it: few connections keep a core busy where the clients are fast. Slow ones \
                     hold theirs for long, and there are many of them.",
        },
        japanese: Wording {
            when: "同時接続数の上限が nginx 自身の設定（ここではワーカーあたり 8,192）より小さいシステムの制限があり、測定ではそこまで使わなかったとき。",
            says: "同時接続数が {connections} を超える前に {limit} を引き上げます。システムの制限のうち最初に効くのはこれです。",
            reason: "この測定は遅くなっていません。速いクライアントなら少ない接続でコアを使い切るためです。遅いクライアントは接続を長く占めるので、数が多くなります。",
        },
        lines: lines::limit,
    },
];

/// Less is no reason to change what runs.
const MUCH: f64 = 1.1;

fn is_much(comparison: &Comparison) -> bool {
    comparison.is_first_faster() && comparison.ratio >= MUCH
}

fn limit(facts: &Facts<'_>, is_meant: impl Fn(&FirstLimit<'_>) -> bool) -> Option<Found> {
    let first = web_server::first_limit(facts).filter(is_meant)?;
    let (english, japanese) = match first.limit.name.as_str() {
        limits::OPEN_FILES => ("the limit of open files", "開けるファイル数の上限"),
        limits::WORKER_CONNECTIONS => ("nginx’s worker_connections", "nginx の worker_connections"),
        limits::PORT_RANGE => ("net.ipv4.ip_local_port_range", "net.ipv4.ip_local_port_range"),
        limits::BACKLOG => ("net.core.somaxconn", "net.core.somaxconn"),
        limits::TCP_MEMORY => ("net.ipv4.tcp_mem", "net.ipv4.tcp_mem"),
        _ => return None,
    };
    let found = Found::new()
        .with("limit", Value::Words { english, japanese })
        .with("connections", Value::Name(first.allows.to_string()));
    Some(found.behind(Evidence::Limit { limit: first.limit.clone(), taken: first.taken }))
}
