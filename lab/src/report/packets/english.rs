//! What is found about packets, in English.

use super::finding::{Cost, Effect, Finding, Speed};
use crate::document::Unit;
use crate::report::quantity::{digits, figure, percent, points, size};
use crate::report::verdict;

/// The line over a run that is about packets alone.
pub(crate) fn headline(findings: &[verdict::Finding]) -> Option<String> {
    let of_packets = |finding: &verdict::Finding| match finding {
        verdict::Finding::Packets(finding) => Some(finding.clone()),
        _ => None,
    };
    let all: Option<Vec<Finding>> = findings.iter().map(of_packets).collect();
    let lead = all?.into_iter().find_map(|finding| match finding {
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
pub(crate) fn sentence(finding: &Finding) -> String {
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
pub(super) fn amount_of(effect: Effect) -> String {
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
pub(super) fn interval(effect: Effect) -> String {
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
    let rate = figure(speed.rate, Unit::BytesPerSecond);
    match speed.share {
        Some(share) => format!("{rate}, {} of this CPU’s limit", percent(share)),
        None => rate,
    }
}
