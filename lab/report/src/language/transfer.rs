//! Data from end to end.

use super::subject;
use crate::transfer::{Finding, What, Who};
use kasoku_model::workload::Transfer;

subject! {
    /// Data from end to end.
    TransferMessages {
        texts {
            /// A heading.
            title,
            /// What the section shows.
            explained,
            /// A heading: over what it was moved.
            moved,
            /// A heading: whose cryptography.
            stack,
            /// A heading: bytes of the application a second, in GB.
            goodput,
            /// A heading: whoever sent.
            sender,
            /// A heading: whoever received.
            receiver,
            /// A heading: both sides together.
            both,
            /// A heading: its share of the CPU time.
            kernel,
            /// A heading: both sides' CPU time against that of aws-lc.
            against_usual,
            /// A heading: thousands of packets a second.
            packets,
            /// A heading: packets that the system was given in one call.
            packets_a_call,
            /// A heading: packets that were lost.
            lost,
            /// What stands in the table of costs.
            costs_note,
            /// That both sides were on one core.
            shared_note,
            /// That the system took packets one by one.
            no_offload_note,
            /// How effects came about.
            effects_note,
            /// What QUIC's cost over TLS is, and what was published of it.
            over_tls_note,
            /// What a chart's figures are.
            chart_unit,
        }
        sentences {
            /// The sentence for a finding.
            sentence: fn(&Finding) -> String,
            /// What was moved, in a few words.
            what: fn(What) -> String,
            /// By whom, in a few words.
            who: fn(&Who) -> String,
            /// How data goes from end to end.
            how: fn(Transfer) -> String,
            /// By whom, measured once more.
            again: fn(&str) -> String,
            /// What the same shows against itself: by whom, in CPU time, in throughput.
            floor_note: fn(&str, &str, &str) -> String,
            /// That something else ran meanwhile: during how many transfers of how many.
            disturbed_note: fn(usize, usize) -> String,
            /// An interval: its ends.
            interval: fn(String, String) -> String,
            /// A table's title: algorithm.
            costs: fn(&str) -> String,
            /// A table's title: algorithm.
            gains: fn(&str) -> String,
            /// A table's title: algorithm.
            over_tls: fn(&str) -> String,
        }
    }
}
