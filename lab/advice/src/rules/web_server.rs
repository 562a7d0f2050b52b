//! nginx: whose code does its ciphers, which suites, and the limits of the system around it.

use std::collections::HashMap;

use crate::facts::{Aead, Facts};
use crate::figure::FigureComparison;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, phrase, rules};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Limit, Series};
use kasoku_model::level::Level;
use kasoku_model::library::{KASOKU, OPENSSL};
use kasoku_model::statistics;
use kasoku_model::system_limit as limits;
use kasoku_model::workload::Workload;

rules! {
    "nginx-kasoku-provider": WebServer, Choose, headline; if provider; paste |_| lines::NGINX_PROVIDER;
    when "With Kasoku’s provider nginx is shown to take at least 10 % less CPU time for the same files than with \
          OpenSSL’s own code.";
    says "Give nginx Kasoku’s provider: with {suite} it takes {saved} less CPU time for the same files than with \
          OpenSSL’s own code.",
         "nginxにKasokuのプロバイダーを使わせます。{suite}では、同じファイルの送信に使うCPU時間がOpenSSL自身の実装より\
          {saved}少なくなります。";
    why  "OpenSSL 3 takes a provider by configuration: nginx stays as it is, and other programs do not notice. OpenSSL \
          passes over a module that it cannot load and says nothing, so look whether it is used. Where the server’s \
          CPU is not the limit, it sends no more, but more of its CPU is left.",
         "OpenSSL 3のプロバイダーは設定だけで加わり、nginxはそのままで、ほかのプログラムにも影響しません。OpenSSLは読み\
          込めないモジュールを黙って無視するので、使われていることを確かめてください。サーバーのCPUが限界でない場合、送\
          る量は増えませんがCPUに余裕ができます。";

    "nginx-aeads-only": WebServer, Choose; if cbc; paste |_| lines::NGINX_AEADS;
    when "nginx is shown to take at least 1.1 times the CPU time with AES-CBC and HMAC as with AES-GCM, by OpenSSL’s \
          own code.";
    says "Take the suites with AES-CBC out of nginx’s ssl_ciphers: {loser} costs {times} times the CPU time of \
          {winner}.",
         "nginxのssl_ciphersからAES-CBCの暗号スイートを外します。{loser}は{winner}の{times}倍のCPU時間を使います。";
    why  "In CBC each block waits for the one before, and an HMAC goes over all of it again; its padding has been \
          attacked again and again in TLS (Lucky Thirteen, POODLE). The lines leave out key exchange by RSA too, with \
          which both were measured as published: it keeps no past traffic secret.",
         "CBCでは各ブロックが前のブロックの結果を待ち、さらに全体にHMACの計算が加わります。TLSではCBCのパディングが何度\
          も攻撃されています（Lucky Thirteen、POODLE）。下の行ではRSA鍵共有も外しています。測定は公表値に合わせてRSA鍵\
          共有で行いましたが、過去の通信の秘密を守れないためです。";

    "nginx-aes-gcm-first": WebServer, Choose; if chacha20; paste |_| lines::QUIC;
    when "nginx is shown to take more CPU time with ChaCha20-Poly1305 than with AES-GCM under TLS 1.3, by OpenSSL’s \
          own code.";
    says "Have nginx put AES-GCM first: {loser} takes {cost} more CPU time for the same files.",
         "nginxではAES-GCMを先頭にします。同じファイルの送信に、{loser}はCPU時間を{cost}多く使います。";
    why  "Left to clients, the choice is made by what is fast for them. PrioritizeChaCha still gives ChaCha20 to those \
          that put it first, which have no AES instructions, and to nobody else.",
         "クライアントに任せると、クライアント側で速い暗号が選ばれます。PrioritizeChaChaを使えば、AES命令を持たず\
          ChaCha20を先頭に挙げるクライアントにだけChaCha20を使います。";

    "limit-reached": WebServer, Act, headline; if |facts| limit(facts, |first| first.taken >= first.allows);
        paste lines::limit;
    when "A web server was measured with as many connections at once as a limit of the system allows.";
    says "Raise {limit}: it allows {connections} connections at once, and the measurement took as many.",
         "{limit}を引き上げます。同時接続数は{connections}までで、測定はそこに達しました。";
    why  "With more connections this server might have sent more. What is over a limit is refused or waits, and no \
          figure of throughput shows that.",
         "接続数を増やせば、さらに多く送れた可能性があります。上限を超えた接続は拒まれるか待たされますが、スループット\
          の値には現れません。";

    "limit-first": WebServer, Know; if |facts| limit(facts, is_ahead); paste lines::limit;
    when "A limit of the system allows fewer connections at once than nginx itself (8,192 a worker here), and the \
          measurement took fewer still.";
    says "Before this server holds more than {connections} connections at once, raise {limit}: of the system’s limits \
          it is the first to bind.",
         "同時接続数が{connections}を超える前に{limit}を引き上げます。システムの制限のうち最初に効くのはこれです。";
    why  "Nothing here was slower for it: few connections keep a core busy where the clients are fast. Slow ones hold \
          theirs for long, and there are many of them.",
         "この測定は遅くなっていません。速いクライアントなら少ない接続でコアを使い切るためです。遅いクライアントは接続\
          を長く占めるので、数が多くなります。";
}

/// The size of files whose figure represents a suite, where it was measured: large enough that the handshake counts
/// for little, and the one at which all suites are measured by default.
const YARDSTICK: usize = 16 << 20;
/// The suites with AES-GCM; first what clients of today agree on.
const GCM: [CipherSuite; 3] = [CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13Aes256Gcm, CipherSuite::Aes128GcmSha256];

fn provider(facts: &Facts<'_>) -> Option<RuleFinding> {
    let compared = |suite| by_cpu_time(facts, (suite, KASOKU), (suite, OPENSSL));
    let comparisons: Vec<FigureComparison> = GCM.into_iter().filter_map(compared).collect();
    let best = comparisons.first().filter(|comparison| comparison.is_first_much_faster())?;
    let (suite, saved) = (Value::Algorithm(best.first.algorithm), Value::Percent(best.saved()));
    let found = RuleFinding::of(comparisons.into_iter().map(Evidence::ServerCpu));
    Some(found.with("suite", suite).with("saved", saved))
}

fn cbc(facts: &Facts<'_>) -> Option<RuleFinding> {
    let comparison = by_cpu_time(facts, (CipherSuite::Aes128GcmSha256, OPENSSL), (CipherSuite::Aes128Sha, OPENSSL))?;
    comparison.is_first_much_faster().then(|| RuleFinding::comparing(comparison, Evidence::ServerCpu))
}

fn chacha20(facts: &Facts<'_>) -> Option<RuleFinding> {
    let [gcm, chacha20] = [CipherSuite::Tls13Aes128Gcm, CipherSuite::Tls13ChaCha20];
    let comparison = by_cpu_time(facts, (gcm, OPENSSL), (chacha20, OPENSSL))?;
    let cost = Value::Percent((comparison.ratio - 1.0) * 100.0);
    let is_meant = comparison.is_first_faster() && facts.aead() != Some(Aead::ChaCha20);
    is_meant.then(|| RuleFinding::comparing(comparison, Evidence::ServerCpu).with("cost", cost))
}

/// Compares the bytes that a second of the server's CPU sends with two suites and libraries, for the same files, at the
/// size nearest to 16 MiB that both have, by as few workers as both have.
fn by_cpu_time(facts: &Facts<'_>, first: (CipherSuite, &str), second: (CipherSuite, &str)) -> Option<FigureComparison> {
    let with = |(suite, library): (CipherSuite, &str)| {
        let library = library.to_owned();
        served(facts).filter(move |series| {
            (series.algorithm, series.acceleration) == (Algorithm::CipherSuite(suite), Acceleration::On)
                && series.library == library
        })
    };
    let task = |series: &Series| Workload { algorithm: Algorithm::CipherSuite(first.0), ..series.workload() };
    let mut others: HashMap<Workload, &Series> = HashMap::new();
    with(second).for_each(|other| _ = others.entry(task(other)).or_insert(other));
    let pairs = with(first).filter_map(|one| Some((one, *others.get(&task(one))?)));
    let place = |(series, _): &(&Series, &Series)| {
        (series.bytes.abs_diff(YARDSTICK), series.server().map(|server| server.served.workers))
    };
    let (one, other) = pairs.min_by_key(place)?;
    facts.hold(&of_cpu_time(one)?, &of_cpu_time(other)?)
}

/// Replaces the time of each sample by the server's CPU time; `None` if that was not measured.
fn of_cpu_time(series: &Series) -> Option<Series> {
    let mut series = series.clone();
    series.samples.retain(|sample| !sample.dropped);
    for sample in &mut series.samples {
        sample.ns = Some(sample.cpu_ns).filter(|ns| *ns > 0)?;
    }
    statistics::summarize(&mut series);
    Some(series)
}

fn served<'a>(facts: &Facts<'a>) -> impl Iterator<Item = &'a Series> {
    let document = facts.document;
    document.series.iter().filter(move |one| document.run.complete && one.level == Level::Tls && one.server().is_some())
}

/// The limit of the system that binds first, how many connections at once it allows, and how many the highest
/// throughput took.
pub(crate) struct FirstLimit<'a> {
    pub(crate) limit: &'a Limit,
    allows: u64,
    taken: u64,
}

/// Returns the limit that binds first; `None` if no web server was measured under the limits of this system.
pub(crate) fn first_limit<'a>(facts: &Facts<'a>) -> Option<FirstLimit<'a>> {
    let (limit, allows) = limits::first_to_bind(&facts.document.run.method.limits)?;
    let workers = |series: &Series| series.server().map(|server| server.served.workers);
    // The limits are those for the fewest workers.
    let fewest = served(facts).filter_map(workers).min()?;
    let of_fewest = served(facts).filter(|series| workers(series) == Some(fewest));
    let taken = of_fewest.filter_map(|series| series.server()?.concurrency).max()? as u64;
    Some(FirstLimit { limit, allows, taken })
}

/// Whether a limit of the system, not nginx's own, binds first and was not reached.
fn is_ahead(first: &FirstLimit<'_>) -> bool {
    first.taken < first.allows && first.limit.name != limits::WORKER_CONNECTIONS
}

fn limit(facts: &Facts<'_>, is_meant: fn(&FirstLimit<'_>) -> bool) -> Option<RuleFinding> {
    let first = first_limit(facts).filter(is_meant)?;
    let name = match first.limit.name.as_str() {
        limits::OPEN_FILES => phrase("the limit of open files", "開けるファイル数の上限"),
        limits::WORKER_CONNECTIONS => phrase("nginx’s worker_connections", "nginxのworker_connections"),
        limits::PORT_RANGE => phrase("net.ipv4.ip_local_port_range", "net.ipv4.ip_local_port_range"),
        limits::BACKLOG => phrase("net.core.somaxconn", "net.core.somaxconn"),
        limits::TCP_MEMORY => phrase("net.ipv4.tcp_mem", "net.ipv4.tcp_mem"),
        _ => return None,
    };
    let found = RuleFinding::of([Evidence::Limit { limit: first.limit.clone(), taken: first.taken }]);
    Some(found.with("limit", name).with("connections", Value::Name(first.allows.to_string())))
}
