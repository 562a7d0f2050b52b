//! Advice in English.

use super::Messages;
use crate::language::messages;
use crate::quantity::{self, digits, percent, size, times};
use crate::selection::join;
use crate::visible::short;
use kasoku_advice::figure::{Comparison, Figure};
use kasoku_advice::{Evidence, Topic, Value};
use kasoku_model::algorithm::Kind;
use kasoku_model::document::{Origin, OriginKind, Unit};
use kasoku_model::language::Language;

pub(super) const ENGLISH: Messages = Messages {
    topic,
    wording: |rule| rule.english,
    value,
    evidence,
    title: |machine| format!("Advice for {machine}"),
    unnamed: "a machine without a name",
    origin,
    library: |library| format!("Choices are made by the figures of {library}, one thread."),
    incomplete: "This run did not reach its end: its figures are not used.",
    nothing: "There is nothing to go by: no figure and no feature of this machine leads to advice.",
    nothing_on_topic: "There is nothing to go by for what was asked.",
    short: "In short",
    figures: "figures",
    why: "why",
    columns: ["topic", "rule", "advice", "figures", "reason", "place", "lines"],
};

fn topic(topic: Topic) -> &'static str {
    match topic {
        Topic::Acceleration => "Missed acceleration and old libraries",
        Topic::Tls => "TLS",
        Topic::Quic => "QUIC",
        Topic::WebServer => "Web servers",
        Topic::Ssh => "SSH",
        Topic::Openvpn => "OpenVPN",
        Topic::Wireguard => "WireGuard",
        Topic::Ipsec => "IPsec",
        Topic::Disk => "Disks",
        Topic::Java => "Java",
        Topic::Modes => "Modes and old ciphers",
        Topic::Hashes => "Hashes",
        Topic::Curves => "Key agreement and signatures",
        Topic::Machine => "The machine",
    }
}

fn origin(origin: &Origin) -> String {
    let source = short(&origin.source, 100);
    match origin.kind {
        OriginKind::Published => format!("The figures are quoted from {source}; Kasoku did not measure them."),
        OriginKind::Transcript => format!("The figures are from the transcript {source}; Kasoku did not measure them."),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Algorithm(algorithm) => algorithm.title().to_owned(),
        Value::Times(ratio) => times(*ratio),
        Value::Percent(share) => percent(*share),
        Value::Speed(figure) => quantity(figure.value, figure.unit),
        Value::Name(name) => short(name, 100),
        Value::Library(library, version) => join(library, version, ""),
        Value::Words { english, .. } => (*english).to_owned(),
    }
}

fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Figure(figure) => {
            let quoted = if figure.is_quoted { "; quoted" } else { "" };
            format!("{} {} ({}{}{quoted})", task(figure), quantity(figure.value, figure.unit), at(figure), who(figure))
        }
        Evidence::Comparison(comparison) => held(comparison),
        Evidence::ServerCpu(comparison) => cost(comparison),
        Evidence::Limit { limit, taken } => format!(
            "{} = {}: {} connections at once; the highest throughput took {taken}",
            short(&limit.name, 40),
            short(&limit.value, 60),
            limit.connections.unwrap_or_default()
        ),
        Evidence::Features(features) => format!("the CPU lists: {}", short(&features.join(" "), 200)),
        Evidence::CodePath(algorithm, path) => format!("seen running for {}: {}", algorithm.title(), short(path, 60)),
        Evidence::Settings(settings) => format!("the library reports {}", short(settings, 120)),
        Evidence::Cpu(arch, name) => format!("architecture {}: {}", short(arch, 40), short(name, 80)),
        Evidence::NoFigure => "no figure: nothing in this run shows what it costs".to_owned(),
    }
}

fn held(comparison: &Comparison) -> String {
    let Comparison { first, second, ratio, is_shown, .. } = comparison;
    let are_two_libraries = are_two_libraries(comparison);
    let name = |figure: &Figure| {
        if are_two_libraries {
            join(&figure.library, &figure.version, "")
        } else if first.acceleration != second.acceleration && first.algorithm == second.algorithm {
            format!("{} {}", task(figure), figure.acceleration)
        } else {
            task(figure)
        }
    };
    let speed = |figure: &Figure| format!("{} {}", name(figure), quantity(figure.value, figure.unit));
    let times = if *is_shown { format!("{} times", times(*ratio)) } else { "no difference shown".to_owned() };
    format!(
        "{}, {}: {times} ({}; {}{})",
        speed(first),
        speed(second),
        interval(comparison),
        at_and(first),
        on(comparison)
    )
}

/// What two ways to serve the same files cost the server's CPU: the second against the first, which is the cheaper.
fn cost(comparison: &Comparison) -> String {
    let Comparison { first, second, ratio, is_shown, .. } = comparison;
    let name = |figure: &Figure| match are_two_libraries(comparison) {
        true => join(&figure.library, &figure.version, ""),
        false => task(figure),
    };
    let seconds = |figure: &Figure| format!("{} {} s", name(figure), digits(1e9 / figure.value));
    let times = if *is_shown { format!("{} times", times(*ratio)) } else { "no difference shown".to_owned() };
    format!(
        "the server’s CPU for a gigabyte: {}, {}: {times} ({}; {}{})",
        seconds(second),
        seconds(first),
        interval(comparison),
        at_and(first),
        on(comparison)
    )
}

fn are_two_libraries(Comparison { first, second, .. }: &Comparison) -> bool {
    (&first.library, &first.version) != (&second.library, &second.version)
}

fn interval(comparison: &Comparison) -> String {
    match comparison.ci95 {
        Some([low, high]) => format!("95 %: {low:.2}–{high:.2}"),
        None if comparison.first.is_quoted => "no interval: quoted figures".to_owned(),
        None => "no interval".to_owned(),
    }
}

/// What both of a comparison have in common.
fn on(comparison: &Comparison) -> String {
    match are_two_libraries(comparison) {
        true => task(&comparison.first),
        false => who(&comparison.first).trim_start_matches(", ").to_owned(),
    }
}

/// `AES-128-GCM`, `Ed25519 sign`.
fn task(figure: &Figure) -> String {
    let title = figure.algorithm.title();
    match figure.algorithm.kind() {
        Kind::Signature | Kind::Kem => format!("{title} {}", figure.operation),
        _ => title.to_owned(),
    }
}

fn at(figure: &Figure) -> String {
    if figure.algorithm.kind().is_bulk() { size(figure.bytes) } else { String::new() }
}

fn at_and(figure: &Figure) -> String {
    match at(figure) {
        size if size.is_empty() => size,
        size => format!("{size}, "),
    }
}

fn who(figure: &Figure) -> String {
    let comma = if figure.algorithm.kind().is_bulk() { ", " } else { "" };
    format!("{comma}{}", join(&figure.library, &figure.version, ""))
}

fn quantity(value: f64, unit: Unit) -> String {
    quantity::figure(value, unit, &messages(Language::English).words)
}
