//! The tables of the page's section about packets.

use maud::{Markup, html};

use super::Body;
use crate::grid::standing;
use crate::html::parts::{mark, scroll};
use crate::packets::finding::{Effect, Finding, batches_of, sizes_against_tls};
use crate::packets::grid::{self, Effects};
use crate::packets::selection::Who;
use crate::quantity::{digits, percent, plus_minus, points, size};
use crate::selection::{Standing, sound_figure};
use crate::visible::short;
use crate::way::{Direction, Way, is_aes_bound, is_mixed_bound};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;

impl Body<'_> {
    pub(super) fn figures(&self, algorithm: Algorithm, direction: Direction) -> Markup {
        let (words, tables) = (&self.packets.messages.packets, &self.packets.messages.tables);
        let rows = grid::rows(self.packets, algorithm, direction);
        let sizes = grid::columns(self.packets, algorithm, direction);
        let mut groups: Vec<(Who, Vec<Way>)> = Vec::new();
        for (who, way) in rows {
            match groups.last_mut().filter(|(last, _)| *last == who) {
                Some((_, ways)) => ways.push(way),
                None => groups.push((who, vec![way])),
            }
        }
        if groups.is_empty() {
            return html! {};
        }
        let (limit, aes) = (self.packets.limit(algorithm), self.packets.aes_bound(algorithm));
        let note = (words.below)(limit.is_some(), aes.is_some());
        let shares = |series: &Series| {
            let shares = [limit, aes].map(|of| self.packets.share(series, of).map(percent));
            shares.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        };
        let cell = |series: Option<&Series>| self.cell(series, shares);
        scroll(
            &(words.figures)(&grid::title(self.packets, algorithm, direction), grid::scale().name),
            html! {
                thead {
                    tr {
                        th scope="col" { (words.library) }
                        th scope="col" { (words.what) }
                        th scope="col" { (tables.code_path) }
                        th scope="col" { abbr title=(self.packets.messages.words.verified) { "✓" } }
                        @for bytes in &sizes { th.number scope="col" { (size(*bytes)) } }
                    }
                }
                @if direction == Direction::Send { (self.bound_rows(algorithm, sizes.len())) }
                @for (who, ways) in &groups {
                    tbody {
                        @for (index, way) in ways.iter().enumerate() {
                            @let all: Vec<Option<&Series>> =
                                sizes.iter().map(|bytes| self.packets.series(algorithm, *who, *way, *bytes)).collect();
                            tr {
                                @if index == 0 { th scope="rowgroup" rowspan=(ways.len()) { (self.packets.label(*who)) } }
                                td { ((words.way)(*way)) }
                                td.path { (grid::code_path(&all)) }
                                td { @if let Some(is) = standing(self.packets.document, &all) { (mark(is, &self.packets.messages.words)) } }
                                @for series in &all { (cell(*series)) }
                            }
                        }
                    }
                }
                tfoot { tr { td colspan=(sizes.len() + 4) { (note) } } }
            },
        )
    }

    /// The CPU's limits are the same at every size.
    fn bound_rows(&self, algorithm: Algorithm, sizes: usize) -> Markup {
        let words = &self.packets.messages.packets;
        let limits = self.packets.limits(algorithm);
        let what = |series: &Series| {
            if is_aes_bound(series) {
                words.aes_alone
            } else if is_mixed_bound(series) {
                words.all_that_gcm_needs
            } else {
                words.another_part
            }
        };
        html! {
            @if !limits.is_empty() {
                tbody {
                    @for (index, series) in limits.iter().enumerate() {
                        tr {
                            @if index == 0 { th scope="rowgroup" rowspan=(limits.len()) { (words.limits) } }
                            td { (what(series)) }
                            td.path { (short(&series.library, 24)) }
                            td {}
                            td colspan=(sizes) {
                                (grid::scale().write(series.median.unwrap_or(0.0)))
                                @if let Some(half) = plus_minus(series) { " " small { (half) } }
                            }
                        }
                    }
                }
            }
        }
    }

    pub(super) fn effects(&self, algorithm: Algorithm) -> Markup {
        let words = &self.packets.messages.packets;
        let sizes = self.packets.sizes(algorithm);
        let all = grid::effects(self.packets, algorithm, &sizes);
        // Overheads over TLS have a table of their own, with the cycles.
        let rows: Vec<&Effects> = all.iter().filter(|effects| !effects.is_over_tls).collect();
        let mut groups: Vec<(&str, Vec<&Effects>)> = Vec::new();
        for row in rows {
            match groups.last_mut().filter(|(what, _)| *what == row.what) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((&row.what, vec![row])),
            }
        }
        html! {
            @if !groups.is_empty() {
                (scroll(&(words.effects)(algorithm.title()), html! {
                    thead {
                        tr {
                            th scope="col" { (words.what) }
                            th scope="col" { (words.library) }
                            @for bytes in &sizes { th.number scope="col" { (size(*bytes)) } }
                        }
                    }
                    @for (what, rows) in &groups {
                        tbody {
                            @for (index, row) in rows.iter().enumerate() {
                                tr {
                                    @if index == 0 { th scope="rowgroup" rowspan=(rows.len()) { (what) } }
                                    td { (self.packets.label(row.who)) }
                                    @for effect in &row.cells { td.number { (self.effect_cell(*effect)) } }
                                }
                            }
                        }
                    }
                    tfoot { tr { td colspan=(sizes.len() + 2) {
                        (words.effects_explained)
                    } } }
                }))
            }
        }
    }

    pub(super) fn over_tls(&self, algorithm: Algorithm) -> Markup {
        let words = &self.packets.messages.packets;
        let sizes = sizes_against_tls(self.packets, algorithm);
        let mut rows = Vec::new();
        for who in self.packets.everybody(algorithm, Direction::Send) {
            let Some((bytes, record)) = self.packets.record(algorithm, who) else { continue };
            for batch in std::iter::once(1).chain(batches_of(self.packets, algorithm, who)) {
                let cells: Vec<Option<(Effect, Option<f64>)>> = sizes
                    .iter()
                    .map(|bytes| {
                        let series = self.packets.ranked(algorithm, who, Way::batch_of(batch), *bytes)?;
                        Some((self.packets.effect(Some(record), Some(series))?, series.cycles_per_byte))
                    })
                    .collect();
                if cells.iter().any(Option::is_some) {
                    rows.push((who, batch, bytes, record, cells));
                }
            }
        }
        html! {
            @if !rows.is_empty() {
                (scroll(&(words.over_tls)(algorithm.title()), html! {
                    thead {
                        tr {
                            th scope="col" { (words.library) }
                            th scope="col" { (words.packets_at_once) }
                            th.number scope="col" { (words.tls_record) }
                            @for bytes in &sizes { th.number scope="col" { (size(*bytes)) } th.number scope="col" { (words.overhead) } }
                        }
                    }
                    tbody {
                        @for (who, batch, bytes, record, cells) in &rows {
                            tr {
                                th scope="row" { (self.packets.label(*who)) }
                                td { (batch) }
                                td.number { (cycles(record.cycles_per_byte)) small { (size(*bytes)) } }
                                @for cell in cells {
                                    td.number { @if let Some((_, per_byte)) = cell { (cycles(*per_byte)) } }
                                    td.number { (self.effect_cell(cell.map(|(effect, _)| effect))) }
                                }
                            }
                        }
                    }
                    tfoot { tr { td colspan=(sizes.len() * 2 + 3) {
                        (Finding::CipherOnly.sentence(self.packets.messages.language))
                    } } }
                }))
            }
        }
    }
    fn cell(&self, series: Option<&Series>, shares: impl Fn(&Series) -> String) -> Markup {
        let Some(series) = series else { return html! { td {} } };
        let Some(value) = sound_figure(series) else {
            let note = short(series.note.as_deref().unwrap_or_default(), 200);
            return html! { td.number.none title=(note) { (self.packets.messages.words.failed) } };
        };
        let shares = shares(series);
        html! {
            td.number {
                (grid::scale().write(value))
                @if Standing::of(self.packets.document, series) == Standing::Unverified { span.bad { "!" } }
                @if let Some(half) = plus_minus(series) { small { (half) } }
                @if !shares.is_empty() { small.share { (shares) } }
            }
        }
    }

    fn effect_cell(&self, effect: Option<Effect>) -> Markup {
        let messages = self.packets.messages;
        html! {
            @if let Some(effect) = effect {
                @if effect.is_shown { (points(effect.percent)) " %" }
                @else { abbr title=(messages.words.no_difference) { "=" } }
                small { ((messages.packets.interval)(effect.ci95.map(points))) }
            }
        }
    }
}

fn cycles(per_byte: Option<f64>) -> String {
    per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits).unwrap_or_default()
}
