//! Packets.

use super::subject;
use crate::packets::Way;
use crate::packets::finding::{Effect, Finding, Speed};

subject! {
    /// Packets.
    PacketMessages {
        texts {
            /// A heading.
            title,
            /// What the section shows.
            explained,
            /// The way that leaves set-up and tag out, at the left of a bar.
            header_protection_bar,
            /// A heading where space is short.
            cipher,
            /// A heading where space is short.
            header,
            /// A heading where space is short.
            receive,
            /// At a line in a chart.
            aes_alone,
            /// At a line in a chart.
            limit,
            /// The unit's companion in a chart's caption.
            share_of_limit,
            /// What a limit is.
            all_that_gcm_needs,
            /// What a limit is.
            another_part,
            /// A group of rows.
            limits,
            /// That the cipher may lie above the limit.
            cipher_above_limit,
            /// A heading.
            stack,
            /// A heading.
            what,
            /// A heading.
            packets_at_once,
            /// A heading.
            tls_record,
            /// A heading.
            overhead,
            /// A heading: a limit.
            limit_heading,
            /// A name of effects.
            header_protection_costs,
            /// A name of effects.
            setup_costs,
            /// How effects came about.
            effects_explained,
            /// What brackets in a table mean.
            bracket_mark,
            /// What the summary's shares are, and what has the rest.
            summary_note,
            /// A card: what header protection costs.
            card_header,
        }
        sentences {
            /// The sentence for a finding.
            sentence: fn(&Finding) -> String,
            /// A way's name where the direction is said beside it.
            way: fn(Way) -> String,
            /// So many packets at once, in a heading where space is short.
            at_once: fn(u64) -> String,
            /// The ends of an interval.
            interval: fn(Effect) -> String,
            /// A table's title: algorithm and whether it is sending.
            direction: fn(&str, bool) -> String,
            /// A table's title: what `direction` says, unit.
            figures: fn(&str, &str) -> String,
            /// A title for exports: what `direction` says, unit.
            figures_export: fn(&str, &str) -> String,
            /// What stands below each figure: whether there is a limit, and one of AES alone.
            below: fn(bool, bool) -> &'static str,
            /// A table's title: algorithm.
            effects: fn(&str) -> String,
            /// A title for exports: algorithm.
            effects_export: fn(&str) -> String,
            /// A table's title: algorithm.
            over_tls: fn(&str) -> String,
            /// A title for exports: algorithm.
            limits_export: fn(&str) -> String,
            /// A name of effects: how many packets at once.
            batches_bring: fn(u64) -> String,
            /// A name of effects: how many packets at once.
            over_tls_costs: fn(u64) -> String,
            /// The summary's title: algorithm, size, unit, limit, AES alone.
            at_size: fn(&str, &str, &str, Option<&str>, Option<&str>) -> String,
            /// A chart's title: algorithm, size.
            chart: fn(&str, &str) -> String,
            /// What one would see in a chart: unit, blocks, lines.
            chart_described: fn(&str, &[String], &[String]) -> String,
            /// A block in that: heading, bars.
            block_described: fn(&str, &[String]) -> String,
            /// What the limit is, around the figure: stack.
            limit_is: fn(&str) -> [String; 2],
            /// That there is none: algorithm.
            no_limit: fn(&str) -> String,
            /// What AES alone would reach: rate, stack.
            aes_would_reach: fn(&str, &str) -> String,
            /// What narrower registers reach, around the code path: size, share, rate.
            narrower: fn(&str, &str, &str) -> [String; 2],
            /// A card: packets of a size.
            card_packets: fn(&str) -> String,
            /// Below it: algorithm, the fastest.
            card_best: fn(&str, &Speed) -> String,
            /// Below the card of header protection: whether a difference is shown, size, algorithm, stack.
            card_header_detail: fn(bool, &str, &str, &str) -> String,
        }
    }
}
