//! Java.

use super::subject;
use crate::jvm::finding::Finding;

subject! {
    /// Java.
    JvmMessages {
        texts {
            /// A heading.
            title,
            /// What the section shows.
            explained,
            /// A heading: virtual machine or provider.
            who,
            /// A heading: which run.
            run,
            /// A row: the mean of the runs.
            mean,
            /// A heading: without acceleration.
            off,
            /// A heading: with acceleration.
            on,
            /// A heading: (on − off) / off.
            improvement,
            /// A table's title.
            scores,
            /// What a run of it is.
            scores_note,
            /// A table's title.
            parts,
            /// A heading: acceleration.
            state,
            /// A heading: the whole operation.
            whole,
            /// A heading: the share of AES.
            share,
            /// What the score hides.
            trap,
            /// A heading: cipher and direction.
            what,
            /// A heading.
            size,
            /// A heading: what acceleration is worth.
            worth,
            /// What an equals sign means.
            equal_mark,
            /// A heading: the speed with a flag.
            with_flag,
            /// A heading: what is left of the speed.
            left,
            /// What follows for somebody who runs Java.
            choose,
        }
        sentences {
            /// A row: the run of that number.
            run_number: fn(usize) -> String,
            /// A published machine, and the year.
            published: fn(&str, Option<u16>) -> String,
            /// A table's title, with its unit.
            ciphers: fn(&str) -> String,
            /// A table's title, with its unit.
            flags: fn(&str) -> String,
            /// A finding.
            sentence: fn(&Finding) -> String,
        }
    }
}
