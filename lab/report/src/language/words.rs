//! Words and small phrases that all of a report shares.

use super::subject;
use kasoku_model::algorithm::Kind;
use kasoku_model::workload::Operation;

subject! {
    /// Words and small phrases that all of a report shares.
    Words {
        texts {
            /// Between the parts of a list.
            comma,
            /// Of a comparison.
            no_difference,
            /// Of a series without a figure.
            failed,
            /// Of an output that was checked.
            verified,
            /// Of one that was not.
            not_verified,
            /// A unit for large numbers of operations.
            thousand_ops,
            /// The next larger one.
            million_ops,
            /// Nonces that are counted and used at once.
            counted_nonces,
        }
        sentences {
            /// The title of a table of algorithms of a kind.
            kind: fn(Kind) -> &'static str,
            /// What is done with an algorithm.
            operation: fn(Operation) -> &'static str,
            /// So many threads.
            threads: fn(u64) -> String,
            /// So many keys.
            keys: fn(usize) -> String,
            /// AAD of that length.
            aad: fn(&str) -> String,
            /// A ratio where it stands alone: `6.4×`.
            times: fn(&str) -> String,
        }
    }
}
