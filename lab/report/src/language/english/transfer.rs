//! Data from end to end in English.

use crate::language::TransferMessages;
use crate::packets::finding::Effect;
use crate::quantity::{percent, points, size};
use crate::transfer::{Finding, What, Who};
use crate::visible::short;
use kasoku_model::workload::transfer::{Protection, Transport};

pub(super) const TRANSFER: TransferMessages = TransferMessages {
    title: "End to end",
    explained: "A client sends data to a server over the loopback, each a process on a core of its own: by QUIC with quinn, and \
                by TLS 1.3 over TCP with rustls, with each library’s cryptography in turn. CPU time is what the system charges \
                both processes for, its own work included. A network card, which would do a part of that work, is not in it.",
    moved: "by",
    stack: "stack",
    goodput: "GB/s",
    sender: "sender",
    receiver: "receiver",
    both: "both",
    kernel: "kernel",
    against_usual: "both, against aws-lc",
    packets: "10³ packets/s",
    packets_a_call: "a call",
    lost: "lost",
    costs_note: "CPU seconds for 10⁹ bytes of the application’s data: medians over the rounds; kernel: the part of it that was spent \
                 there; against aws-lc: the median of the ratios within rounds and its 95 % interval. “=”: no difference shown.",
    shared_note: "Sender and receiver shared a core: there is only one.",
    no_offload_note: "Each packet was a call of its own: this system has no segmentation offload for UDP.",
    effects_note: "Medians of the ratios within rounds, in brackets the 95 % interval. “=”: no difference shown.",
    over_tls_note: "Of the same stack, within rounds. Published of another QUIC stack, with segmentation in the network card for \
                    both: some 5 % more than TLS in packets of 1.5 KB, less in packets of 9 KB. On the loopback TCP moves up to \
                    64 KB at a time from one socket to the other, and no card takes any work from either.",
    chart_unit: "CPU s/GB, both sides · the kernel’s share",
    sentence,
    what,
    who,
    how: |transfer| transfer.to_string(),
    again: |who| format!("{who}, again"),
    floor_note: |who, cpu, goodput| {
        format!(
            "Noise floor: {who} measured again in the same rounds differs from itself by up to {cpu} in CPU time and {goodput} \
             in throughput. No smaller difference is claimed."
        )
    },
    disturbed_note: |disturbed, all| {
        format!(
            "During {disturbed} of {all} transfers something else had a core for more than 5 % of the time. They count, and \
             their throughput is lower by that."
        )
    },
    interval: |low, high| format!("{low} to {high}"),
    costs: |algorithm| format!("End to end with {algorithm}: CPU seconds for a gigabyte"),
    gains: |algorithm| format!("End to end with {algorithm}: CPU time and throughput against aws-lc"),
    over_tls: |algorithm| format!("End to end with {algorithm}: CPU time of QUIC against TLS"),
};

/// No longer name of a stack is shown.
const NAME: usize = 24;

fn what(what: What) -> String {
    match what.transport {
        Transport::Quic => format!("QUIC, {}", size(what.bytes)),
        Transport::Tls => format!("TLS, {}", size(what.bytes)),
    }
}

fn who(who: &Who) -> String {
    match who.protection {
        Protection::Provider => short(&who.stack, NAME),
        Protection::OnePass => format!("{}, one pass", short(&who.stack, NAME)),
    }
}

/// `15.2 % less than with ring (12.0 to 18.1 %)`; of what is less, the interval too.
fn more(effect: Effect, [than, to]: [&str; 2]) -> String {
    let [low, high] = effect.ci95;
    if !effect.is_shown {
        return format!("no difference shown{to} ({} to {} %)", points(low), points(high));
    }
    let (word, ends) = if effect.percent < 0.0 { ("less", [-high, -low]) } else { ("more", [low, high]) };
    format!("{} % {word}{than} ({} to {} %)", points(effect.percent.abs()), points(ends[0]), points(ends[1]))
}

fn by(what: What) -> String {
    match what.transport {
        Transport::Quic => format!("by QUIC in packets of {} ({})", size(what.bytes), what.algorithm.title()),
        Transport::Tls => format!("by TLS 1.3 in records of {} ({})", size(what.bytes), what.algorithm.title()),
    }
}

pub(super) fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Cost { what, who: ours, against } => {
            let each = |(stack, effect): &(String, Effect)| {
                let stack = short(stack, NAME);
                more(*effect, [&format!(" than with {stack}"), &format!(" to {stack}")])
            };
            let each: Vec<String> = against.iter().map(each).collect();
            format!("CPU time of data that is moved {}, with {}: {}.", by(*what), who(ours), each.join("; "))
        }
        Finding::OverTls { who: whose, sizes } => {
            let each: Vec<String> = sizes
                .iter()
                .map(|(bytes, sender, both)| {
                    let [sender, both] = [sender, both].map(|effect| more(*effect, ["", ""]));
                    format!("in packets of {} the sender’s {sender}, both sides’ {both}", size(*bytes))
                })
                .collect();
            let each = each.join("; ");
            format!("CPU time of QUIC against TLS, end to end over the loopback, with {}: {each}.", who(whose))
        }
        Finding::Published => "Published of another QUIC stack, with segmentation in the network card for both: some 5 % more than \
                               TLS in packets of 1.5 KB, less in packets of 9 KB. On the loopback there is no such card."
            .to_owned(),
        Finding::Kernel { shares } => {
            let each: Vec<String> =
                shares.iter().map(|(of, share)| format!("{} {}", what(*of), percent(100.0 * share))).collect();
            format!("What no cipher can save is the kernel’s share of the CPU time, with kasoku: {}.", each.join("; "))
        }
        Finding::Lost { lost, packets } => format!("Of {packets} packets, {lost} were taken for lost and sent again."),
    }
}
