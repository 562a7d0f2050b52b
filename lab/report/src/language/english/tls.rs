//! A TLS web server in English.

use crate::language::TlsMessages;
use crate::quantity::{digits, points, times};
use crate::tls::Finding;

pub(super) const TLS: TlsMessages = TlsMessages {
    title: "Web server",
    explained: "nginx sends files over TLS, each over a connection of its own. The number of connections is the one with the \
                highest throughput at which nobody waits longer than the limit for the first byte.",
    explained_here: "Server and clients are on this machine, so what a network adds is missing, and the work of receiving is \
                     partly on the server’s core.",
    explained_elsewhere: "The servers were kept by kasoku serve, and the clients fetched from there: the figures hold what is \
                          between them.",
    overview: "Web server: throughput in Gbit/s, and what it took",
    overview_note: "Longest wait: seconds, over all connections. CPU: per cent of the cores; s/GB: the server’s CPU seconds \
                    for 10⁹ bytes. A core’s figure is the server’s own where its CPU is the limit.",
    shared_note: "* Server and clients share cores: there were not enough for both.",
    workers: "workers",
    size: "file",
    suite: "suite",
    provider: "provider",
    gbit: "Gbit/s",
    gbit_a_core: "a core",
    connections: "connections",
    longest_wait: "longest wait",
    server_cpu: "server CPU",
    server_cpu_max: "max",
    client_cpu: "client CPU",
    seconds_a_gigabyte: "s/GB",
    limit: "limit",
    ratio: "AES128-GCM-SHA256 against AES128-SHA: times the throughput",
    ratio_note: "AES128-SHA is OpenSSL’s own in all columns. It is measured without Encrypt-then-MAC, as when the published \
                 figures were made: with it OpenSSL does AES-CBC and SHA-1 one after the other.",
    limits: "Limits of the system that the published measurement tuned",
    limits_note: "Connections: how many at once a limit allows, where that can be said; for the fewest workers measured.",
    limit_name: "limit",
    allows: "connections",
    binds_first: "(first)",
    here: "here",
    published: "published",
    what: "what",
    published_title: "The published figures",
    figure_raw: "AES-128-GCM against AES-128-CBC-HMAC-SHA1 without a server, OpenSSL",
    no_raw_ratio: "Without a server the two ciphers are measured by: kasoku run primitives --algorithms \
                   aes-128-gcm,aes-128-cbc-hmac-sha1 --stacks openssl; in one run with this level they are shown here.",
    this_machine: "this machine",
    times: "times",
    served_by: |cpu| format!("Served by: {cpu}. The machine of this run is that of the clients."),
    sentence,
    bottleneck: |name| match name {
        "server-cpu" => "server’s CPU".to_owned(),
        "client-cpu" => "clients’ CPU".to_owned(),
        "shared-cpu" => "CPU, shared".to_owned(),
        "memory" => "memory of TCP".to_owned(),
        "network" => "network".to_owned(),
        _ => "–".to_owned(),
    },
    figure_throughput: |workers| format!("Throughput with {}", of_workers(workers)),
    figure_cpu: |workers| format!("The server’s highest CPU use with {}", of_workers(workers)),
    published_value: |value, to, unit| match to {
        Some(to) => format!("{value}–{to} {unit}"),
        None => format!("{value} {unit}"),
    },
    in_step: |hosts, seconds| {
        format!(
            "{hosts} hosts put load on the server together; they began at most {} ms apart in any step.",
            digits(1e3 * seconds)
        )
    },
    served: |served| served.to_string(),
};

fn of_workers(workers: usize) -> String {
    format!("{workers} worker{}", if workers == 1 { "" } else { "s" })
}

fn range([low, high]: [f64; 2]) -> String {
    if times(low) == times(high) { times(low) } else { format!("{} to {}", times(low), times(high)) }
}

pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::GcmOverCbc { ratios } => format!(
            "A web server with OpenSSL’s own code sends files of more than 1 MiB {} times as fast with AES128-GCM-SHA256 as \
             with AES128-SHA (published in 2014: 2 to 2.4 times).",
            range(*ratios)
        ),
        Finding::Provider { suite, ratios, saved, of: (shown, all) } => {
            let than = if *saved < Some(0.0) { "more" } else { "less" };
            let saved =
                saved.map(|saved| format!(", and takes {} % {than} CPU time for the same files", points(saved.abs())));
            let others = match all - shown {
                0 => String::new(),
                others => format!(" In {others} of {all} cases no difference is shown."),
            };
            format!(
                "With Kasoku’s provider nginx sends {} times as much with {suite} as with OpenSSL’s own code{}.{others}",
                range(*ratios),
                saved.unwrap_or_default()
            )
        }
        Finding::ACore { stack, suite, gbit, cpu } => {
            let on = cpu.as_ref().map(|cpu| format!(", on {cpu}")).unwrap_or_default();
            format!("A core of the server sends up to {} Gbit/s ({suite}, {stack}{on}).", digits(*gbit))
        }
        Finding::OtherLimits { others, all } => format!(
            "In {others} of {all} cases the server was not what limited the throughput, or shared its cores with the clients: \
             there it could do more."
        ),
    }
}
