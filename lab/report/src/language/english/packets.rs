//! Packets in English.

use super::words::{WORDS, and};
use crate::language::PacketMessages;
use crate::packets::finding::{Cost, Effect, Finding, Speed};
use crate::packets::{Form, Way};
use crate::quantity::{digits, figure, percent, points, size};
use crate::verdict;
use kasoku_model::document::Unit;

pub(super) const PACKETS: PacketMessages = PacketMessages {
    title: "Packets",
    explained: "What protects a QUIC packet of a given size: the cipher alone, without set-up, additional data and tag; the whole \
                AEAD; and that with the encryption of the packet’s number and header bits. Speeds count the payload. Where a \
                library takes several packets at once, those too.",
    header_protection_bar: "+ header protection",
    cipher: "cipher",
    header: "+ header",
    receive: "receive",
    aes_alone: "AES alone",
    limit: "limit",
    share_of_limit: "share of the limit",
    all_that_gcm_needs: "all that GCM needs",
    another_part: "another part of it",
    limits: "this CPU’s limits",
    cipher_above_limit: " The cipher alone does less than that mix, and may lie above it.",
    stack: "stack",
    what: "what",
    packets_at_once: "packets at once",
    tls_record: "TLS record",
    overhead: "overhead",
    limit_heading: "limit",
    header_protection_costs: "header protection: more time",
    setup_costs: "set-up: more time",
    effects_explained: "Header protection is held against the AEAD, set-up (nonce, additional data, tag) is what the AEAD takes beyond \
                        the cipher alone, batches are held against as many packets one by one. Medians of the ratios within rounds, below \
                        each its 95 % interval. “=”: no difference shown.",
    bracket_mark: "in brackets: the share of this CPU’s limit, the mix of operations that GCM needs",
    summary_note: "the share is that of this CPU’s limit; `kasoku show` has every size and key length",
    card_header: "for header protection",
    sentence,
    way,
    at_once: |batch| format!("× {batch}"),
    interval,
    direction: |algorithm, is_sending| format!("{algorithm}, {}", if is_sending { "sending" } else { "receiving" }),
    figures: |what, unit| format!("{what}, {unit}"),
    figures_export: |what, unit| format!("Packets with {what}, {unit}"),
    below: |has_limit, has_aes| match (has_limit, has_aes) {
        (true, true) => "Below each figure: half its 95 % interval, then its shares of the limit and of AES alone.",
        (true, false) => "Below each figure: half its 95 % interval, then its share of the limit.",
        (false, true) => "Below each figure: half its 95 % interval, then its share of AES alone.",
        (false, false) => "Below each figure: half its 95 % interval.",
    },
    effects: |algorithm| format!("{algorithm}: what costs what, in per cent"),
    effects_export: |algorithm| format!("Packets with {algorithm}: what costs what"),
    over_tls: |algorithm| format!("{algorithm}: QUIC packets over TLS records, cycles a byte"),
    limits_export: |algorithm| format!("This CPU’s limits of {algorithm}, any size"),
    batches_bring: |batch| format!("batches of {batch}: more packets"),
    over_tls_costs: |batch| {
        let batches = if batch > 1 { format!(", batches of {batch}") } else { String::new() };
        format!("over a TLS record{batches}: more cycles a byte")
    },
    at_size: |algorithm, size, unit, limit, aes| {
        let limit = match (limit, aes) {
            (Some(limit), Some(aes)) => format!(" (limit {limit}, AES alone {aes})"),
            (Some(limit), None) => format!(" (limit {limit})"),
            _ => String::new(),
        };
        format!("{algorithm} in packets of {size}, {unit}{limit}")
    },
    chart: |algorithm, size| format!("{algorithm} in packets of {size}"),
    chart_described: |unit, blocks, lines| {
        let lines = if lines.is_empty() { String::new() } else { format!(" Lines: {}.", lines.join(", ")) };
        format!("Bars in {unit}, in brackets the share of the limit. {}.{lines}", blocks.join("; "))
    },
    block_described: |heading, bars| format!("{heading}: {}", and(bars)),
    limit_is: |stack| {
        [
            "This CPU’s limit is ".to_owned(),
            format!(
                ": as fast as it does the mix of operations that GCM needs and nothing else, measured in the same rounds ({stack})."
            ),
        ]
    },
    no_limit: |algorithm| format!("This CPU’s limit was not measured for {algorithm}, so no share of it is given."),
    aes_would_reach: |rate, stack| format!(" AES alone would reach {rate} ({stack})."),
    narrower: |size, share, rate| {
        [
            " The engine’s ".to_owned(),
            format!(
                " protects packets of {size} at {share} of the {rate} that the mix reaches in registers of its width."
            ),
        ]
    },
    card_packets: |size| format!("QUIC packets of {size}"),
    card_best: |algorithm, best| {
        let limit = best.share.map(|share| format!(", {} of this CPU’s limit", percent(share)));
        format!("{algorithm}, {}{}", by(&best.stack, best.batch), limit.unwrap_or_default())
    },
    card_header_detail: |is_shown, size, algorithm, stack| {
        let shown = if is_shown { "" } else { "no difference shown, " };
        format!("{shown}{size}, {algorithm}, {stack}")
    },
};

fn way(way: Way) -> String {
    let form = match way.form {
        Form::Cipher => "cipher alone",
        Form::Aead => "AEAD",
        Form::Packet if way.is_looped => return format!("{} in a loop", way.batch),
        Form::Packet if way.batch > 1 => return format!("batches of {}", way.batch),
        Form::Packet => "AEAD + header protection",
        Form::Record => "TLS record",
    };
    if way.batch > 1 { format!("{form}, batches of {}", way.batch) } else { form.to_owned() }
}

/// The line over a run that is about packets alone.
pub(super) fn headline(findings: &[verdict::Finding]) -> Option<String> {
    let of_packets = |finding: &verdict::Finding| match finding {
        verdict::Finding::Packets(finding) => Some(finding.clone()),
        _ => None,
    };
    // What was moved end to end is told with the packets.
    let others = findings.iter().filter(|finding| !matches!(finding, verdict::Finding::Transfer(_)));
    let all: Option<Vec<Finding>> = others.map(of_packets).collect();
    let lead =
        all.filter(|all| !all.is_empty() || findings.is_empty())?.into_iter().find_map(|finding| match finding {
            Finding::Speed { algorithm, bytes, speeds } => Some((algorithm, bytes, speeds.first()?.clone())),
            _ => None,
        });
    Some(match lead {
        Some((algorithm, bytes, best)) => format!(
            "Packets of {}, {}, header protection included: {} at best, with {}.",
            size(bytes),
            algorithm.title(),
            amount(&best),
            by(&best.stack, best.batch)
        ),
        None => "This run compares nothing that its packets could be judged by.".to_owned(),
    })
}

/// The sentence for a finding.
pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Speed { algorithm, bytes, speeds } => {
            let each: Vec<String> =
                speeds.iter().map(|speed| format!("{} {}", by(&speed.stack, speed.batch), amount(speed))).collect();
            format!(
                "Packets of {} with {}, header protection included: {}.",
                size(*bytes),
                algorithm.title(),
                each.join("; ")
            )
        }
        Finding::Cost { what: Cost::HeaderProtection, algorithm, stack, effects } => {
            format!(
                "Header protection ({stack}, {}): {}.",
                algorithm.title(),
                costs(effects, ["less time", "more time"], "than the AEAD")
            )
        }
        Finding::Cost { what: Cost::Setup, algorithm, stack, effects } => format!(
            "Set-up, AAD and tag, which the cipher alone does without ({stack}, {}): {}.",
            algorithm.title(),
            costs(effects, ["less time", "more time"], "than that")
        ),
        Finding::Batches { batch, algorithm, stack, effects } => format!(
            "Batches of {batch} ({stack}, {}): {}.",
            algorithm.title(),
            costs(effects, ["fewer packets", "more packets"], "in the same time than one at a time")
        ),
        Finding::OverTls { algorithm, stack, batch, record, effects } => {
            let each = |(bytes, effect, per_byte): &(usize, Effect, Option<f64>)| {
                let per_byte = cycles(*per_byte).map(|cycles| format!("{cycles} a byte, ")).unwrap_or_default();
                let amount = if effect.is_shown {
                    let word = if effect.percent < 0.0 { "fewer" } else { "more" };
                    format!("{} % {word} cycles", points(effect.percent.abs()))
                } else {
                    nothing_shown(*effect).to_owned()
                };
                format!("{amount} ({per_byte}{}) in packets of {}", interval(*effect), size(*bytes))
            };
            let of_record = cycles(record.cycles).map(|cycles| format!(" ({cycles} a byte)")).unwrap_or_default();
            format!(
                "QUIC over TLS, the cipher’s share ({}, {}), against a TLS record of {}{of_record}: {}.",
                by(stack, *batch),
                algorithm.title(),
                size(record.bytes),
                effects.iter().map(each).collect::<Vec<_>>().join("; ")
            )
        }
        Finding::CipherOnly => {
            "These overheads are the cipher’s alone. The published figure of some 5 % over TLS is end to \
                                end, with the kernel and the network in it, and belongs to whole QUIC stacks."
                .to_owned()
        }
    }
}

/// `1.3 % (0.9 to 1.7 %)`, or that no difference is shown.
fn amount_of(effect: Effect) -> String {
    if effect.is_shown {
        format!("{} % ({})", points(effect.percent), interval(effect))
    } else {
        format!("{} ({})", nothing_shown(effect), interval(effect))
    }
}

/// An interval that does not hold 0 may still lie within what the run cannot tell from noise.
fn nothing_shown(effect: Effect) -> &'static str {
    let holds_zero = effect.ci95[0] <= 0.0 && 0.0 <= effect.ci95[1];
    if holds_zero { "no difference shown" } else { "no difference beyond noise shown" }
}

/// `0.9 to 1.7 %`.
fn interval(effect: Effect) -> String {
    format!("{} to {} %", points(effect.ci95[0]), points(effect.ci95[1]))
}

/// The effects by size; what they are of is said with the first that is shown.
fn costs(effects: &[(usize, Effect)], less_and_more: [&str; 2], than: &str) -> String {
    let mut is_said = false;
    let each = |(bytes, effect): &(usize, Effect)| {
        let amount = if effect.is_shown {
            let [less, more] = less_and_more;
            let word = if effect.percent < 0.0 { less } else { more };
            let than = if is_said { String::new() } else { format!(" {than}") };
            is_said = true;
            format!("{} % {word}{than} ({})", points(effect.percent.abs()), interval(*effect))
        } else {
            amount_of(*effect)
        };
        format!("{amount} at {}", size(*bytes))
    };
    effects.iter().map(each).collect::<Vec<_>>().join("; ")
}

fn cycles(per_byte: Option<f64>) -> Option<String> {
    per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits)
}

fn by(stack: &str, batch: u64) -> String {
    if batch > 1 { format!("{stack} in batches of {batch}") } else { stack.to_owned() }
}

fn amount(speed: &Speed) -> String {
    let rate = figure(speed.rate, Unit::BytesPerSecond, &WORDS);
    match speed.share {
        Some(share) => format!("{rate}, {} of this CPU’s limit", percent(share)),
        None => rate,
    }
}
