//! Figures that Kasoku did not measure.

use super::subject;
use kasoku_model::document::OriginKind;

subject! {
    /// Figures that Kasoku did not measure.
    OriginMessages {
        texts {
            /// A name: what they were found in.
            source,
            /// A name: where a publication is found.
            address,
            /// A name: what whoever brought them wants to be known.
            note,
            /// What the tables of such figures hold.
            figures,
            /// What ratios of such figures have to say.
            ratios,
        }
        sentences {
            /// What they are: source.
            what: fn(OriginKind, &str) -> String,
            /// The line over all.
            headline: fn(OriginKind) -> &'static str,
            /// The sentence of the verdict.
            no_verdict: fn(OriginKind) -> &'static str,
            /// How they were measured.
            method: fn(OriginKind) -> &'static str,
        }
    }
}
