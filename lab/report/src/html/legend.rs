//! What colours and lines of charts mean, above the charts that share them.

use maud::{Markup, html};

use crate::chart::LegendEntry;

/// The legend; each name stays with its piece of a line.
pub(crate) fn legend(entries: &[LegendEntry]) -> Markup {
    html! {
        p.legend {
            @for entry in entries {
                span class=(if entry.is_apart { "apart" } else { "entry" }) {
                    @let color = format!("color:{}", entry.color);
                    span.swatch.dashed[entry.is_dashed] style=(color) aria-hidden="true" {}
                    @if let Some(symbol) = entry.marker.symbol() {
                        span style=(color) aria-hidden="true" { (symbol) }
                    }
                    span { (entry.label) }
                }
            }
        }
    }
}
