//! The verdict in words.

use super::subject;
use crate::verdict::Finding;

subject! {
    /// The verdict in words.
    VerdictMessages {
        texts {}
        sentences {
            /// The one line over all: of several gains at most three are named.
            headline: fn(&[Finding]) -> String,
            /// The sentence for a finding.
            sentence: fn(&Finding) -> String,
        }
    }
}
