//! AES-128-GCM by library, as messages and as QUIC packets: the rows of the final screen, drawn.

use maud::{Markup, html};

use super::contents::Section;
use super::gallery::Said;
use super::page::RunPage;
use crate::chart::{self, Block, ReferenceLine, ShareBar};
use crate::packets::bound;
use crate::quantity::{Scale, digits};
use crate::screen::libraries::{RankedRow, messages, packets, unshown};
use crate::selection::join;
use crate::visible::short;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::statistics::Comparison;

impl<'a> RunPage<'a> {
    pub(super) fn libraries(&self) -> Option<Section> {
        let words = &self.messages.page;
        let rows = self.rows();
        let bounds = [None, bound(self.document, Algorithm::Aes128Gcm, self.messages)];
        let each = rows.iter().zip(["libraries", "libraries-in-packets"]).zip(bounds);
        let draw = |((row, name), bound): ((&Option<RankedRow<'_>>, _), _)| self.row(name, row.as_ref()?, bound);
        let charts: Vec<Markup> = each.filter_map(draw).collect();
        let body = html! {
            div.wide { @for chart in &charts { (chart) } }
            @if rows.iter().flatten().any(|row| !row.is_shown) { p.note { (unshown(self.messages.language)) } }
        };
        (!charts.is_empty()).then(|| Section::new(self.id("libraries"), words.libraries, body))
    }

    /// Messages and packets, if there are two libraries to compare.
    fn rows(&self) -> [Option<RankedRow<'a>>; 2] {
        [messages(&self.selection), packets(&self.selection)].map(|row| {
            let is_comparison = |row: &RankedRow<'_>| self.document.run.complete && row.cells.len() > 1;
            row.filter(is_comparison)
        })
    }

    /// By how much the best of a row is ahead of the first that is shown to be slower.
    pub(super) fn leads(&self) -> Vec<Lead<'a>> {
        let lead = |row: RankedRow<'a>| {
            let ((first, fast), others) = row.cells.split_first()?;
            others.iter().find_map(|(second, slow)| {
                let by = self.selection.compare(Some(*first), Some(*second)).filter(|lead| lead.is_shown)?;
                let figures = [fast.clone(), slow.clone()];
                Some(Lead { title: row.title.clone(), first, second, figures, by })
            })
        };
        self.rows().into_iter().flatten().filter_map(lead).collect()
    }

    fn row(&self, name: &str, row: &RankedRow<'_>, bound: Option<&Series>) -> Option<Markup> {
        let figures: Vec<(&Series, f64)> =
            row.cells.iter().filter_map(|(series, _)| Some((*series, series.median?))).collect();
        let scale = Scale::of_bytes(figures.iter().map(|(_, figure)| *figure).fold(0.0, f64::max));
        let bound = bound.and_then(|bound| bound.median).filter(|bound| bound.is_finite() && *bound > 0.0);
        let is_twice =
            |series: &Series| figures.iter().filter(|(other, _)| other.library == series.library).count() > 1;
        let bar = |(series, figure): &(&Series, f64)| {
            let version = if is_twice(series) { series.library_version.as_str() } else { "" };
            ShareBar {
                label: short(&join(&series.library, version, ""), 22),
                color: self.gallery.palette.color(&series.library).to_owned(),
                value: scale.apply(*figure),
                interval: series.ci95.map(|interval| interval.map(|value| scale.apply(value))),
                share: bound.map(|bound| figure / bound * 100.0),
            }
        };
        let bars: Vec<ShareBar> = figures.iter().map(bar).collect();
        let told: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.label, digits(bar.value))).collect();
        let unshown = if row.is_shown { "" } else { "~ " };
        let title = format!("{unshown}AES-128-GCM{}{}", self.messages.words.comma, row.title);
        let said = Said {
            description: (self.messages.charts.bars)(scale.name, &told),
            beside: Some(match bound {
                Some(_) => format!("{} · {}", scale.name, self.messages.packets.share_of_bound),
                None => scale.name.to_owned(),
            }),
            title,
            ..Said::default()
        };
        let label = || self.messages.packets.bound.to_owned();
        let mark = bound.map(|bound| ReferenceLine { label: label(), value: scale.apply(bound), is_main: true });
        let marks: Vec<ReferenceLine> = mark.into_iter().collect();
        self.gallery
            .figure(name, said, |caption| chart::shares(caption, &[Block { heading: String::new(), bars }], &marks))
    }
}

/// What the fastest library is ahead by.
pub(super) struct Lead<'a> {
    pub(super) title: String,
    pub(super) first: &'a Series,
    pub(super) second: &'a Series,
    /// As the final screen has them.
    pub(super) figures: [String; 2],
    pub(super) by: Comparison,
}
