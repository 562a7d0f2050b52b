//! Figures that Kasoku did not measure, in English.

use crate::language::OriginMessages;
use kasoku_model::document::OriginKind;

pub(super) const ORIGIN: OriginMessages = OriginMessages {
    source: "Source",
    address: "Address",
    note: "Note",
    figures: "The figures as they were printed, in the unit of the table.",
    ratios: "Ratios of the figures as they were printed. There are no intervals, so how sure they are is not known.",
    what: |kind, source| match kind {
        OriginKind::Transcript => {
            format!(
                "Figures that another program printed ({source}), not measured by Kasoku: there are no intervals, and no \
                 output was verified."
            )
        }
        OriginKind::Published => {
            format!(
                "Figures published in {source}, not measured by Kasoku: there are no intervals, and no output was verified."
            )
        }
    },
    headline: |kind| match kind {
        OriginKind::Transcript => "Figures that another program printed.",
        OriginKind::Published => "Published figures.",
    },
    no_verdict: |kind| match kind {
        OriginKind::Transcript => {
            "These figures were printed by another program: without intervals, no difference between them is claimed."
        }
        OriginKind::Published => {
            "These are published figures: without intervals, no difference between them is claimed."
        }
    },
    method: |kind| match kind {
        OriginKind::Transcript => {
            "Another program measured and printed these figures; Kasoku read them. How the machine was disturbed meanwhile, \
             how far the figures scatter and whether the output was right is not known."
        }
        OriginKind::Published => {
            "These figures stand in the publication as they are here, its mistakes included. How far they scatter and whether \
             the output was right is not known."
        }
    },
};
