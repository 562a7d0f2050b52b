//! The page's section about packets: a chart for each size, what it means in words, the tables.

use maud::{Markup, PreEscaped, html};

use crate::algorithm::Algorithm;
use crate::document::{Document, Series};
use crate::report::chart::{self, Block, Caption, Mark, ShareBar};
use crate::report::english;
use crate::report::html::parts::{mark, scroll, sentence};
use crate::report::quantity::{digits, figure, percent, plus_minus, points, size};
use crate::report::selection::sound_figure;
use crate::report::visible::short;

use super::english::interval;
use super::finding::{self, Cost, Effect, Finding, batches_of, sizes_against_tls};
use super::grid::{self, Effects};
use super::selection::{Packets, Who};
use super::way::{Direction, Form, Way};

/// No more sizes get a chart of their own; the tables have all.
const MOST_CHARTS: usize = 8;
/// No more contenders and bars are drawn in one.
const MOST_BLOCKS: usize = 14;
const MOST_BARS: usize = 8;

/// The section; nothing if the document has no packets.
pub(crate) fn section(document: &Document, prefix: &str) -> Markup {
    let Some(packets) = Packets::new(document) else { return html! {} };
    let section = Section { packets: &packets, id: format!("{prefix}-packets") };
    let findings = finding::findings(document);
    html! {
        section.packets aria-labelledby=(section.id) {
            h2 id=(section.id) { "Packets" }
            p {
                "What protects a QUIC packet of a given size: the cipher alone, without set-up, additional data and tag; the whole "
                "AEAD; and that with the encryption of the packet’s number and header bits. Speeds count the payload. Where a "
                "library takes several packets at once, those too."
            }
            @if findings.iter().any(|finding| !finding.leads()) {
                ul.verdict { @for finding in findings.iter().filter(|finding| !finding.leads()) {
                    li { (sentence(&super::sentence(finding))) }
                } }
            }
            @for algorithm in packets.algorithms() { (section.algorithm(algorithm)) }
        }
    }
}

/// Figures that stand at the top of the page: value, name, detail.
pub(crate) fn cards(document: &Document) -> Vec<(String, String, String)> {
    let mut cards = Vec::new();
    for finding in finding::findings(document) {
        match finding {
            Finding::Speed { algorithm, bytes, speeds } => {
                let Some(best) = speeds.first() else { continue };
                let limit = best.share.map(|share| format!(", {} of this CPU’s limit", percent(share)));
                let batch = if best.batch > 1 { format!(" in batches of {}", best.batch) } else { String::new() };
                cards.push((
                    figure(best.rate, crate::document::Unit::BytesPerSecond),
                    format!("QUIC packets of {}", size(bytes)),
                    format!("{}, {}{batch}{}", algorithm.title(), best.stack, limit.unwrap_or_default()),
                ));
            }
            Finding::Cost { what: Cost::HeaderProtection, algorithm, stack, effects } if cards.len() < 2 => {
                let Some((bytes, effect)) = effects.first() else { continue };
                let value =
                    if effect.is_shown { format!("{} %", points(effect.percent)) } else { "≈ 0 %".to_owned() };
                let shown = if effect.is_shown { "" } else { "no difference shown, " };
                cards.push((
                    value,
                    "for header protection".to_owned(),
                    format!("{shown}{}, {}, {stack}", size(*bytes), algorithm.title()),
                ));
            }
            _ => {}
        }
    }
    cards
}

struct Section<'a> {
    packets: &'a Packets<'a>,
    id: String,
}

impl Section<'_> {
    fn algorithm(&self, algorithm: Algorithm) -> Markup {
        let main = self.packets.main_sizes(algorithm);
        let others = self.packets.sizes(algorithm).into_iter().filter(|bytes| !main.contains(bytes));
        let sizes = main.iter().copied().chain(others).take(MOST_CHARTS);
        let charts: Vec<Markup> = sizes.filter_map(|bytes| self.chart(algorithm, bytes)).collect();
        html! {
            h3 { (algorithm.title()) }
            (self.limits(algorithm))
            @if !charts.is_empty() { div.wide { @for chart in &charts { (chart) } } }
            @for direction in [Direction::Send, Direction::Receive] { (self.figures(algorithm, direction)) }
            (self.effects(algorithm))
            (self.over_tls(algorithm))
        }
    }

    fn limits(&self, algorithm: Algorithm) -> Markup {
        let rate = |series: &Series| figure(series.median.unwrap_or(0.0), series.unit);
        let limit = self.packets.limit(algorithm);
        let aes = self.packets.aes_limit(algorithm);
        html! {
            p {
                @match limit {
                    Some(limit) => {
                        "This CPU’s limit is " strong { (rate(limit)) } ": as fast as it does the mix of operations that GCM needs and "
                        "nothing else, measured in the same rounds (" (short(&limit.stack, 40)) ")."
                    },
                    None => { "This CPU’s limit was not measured for " (algorithm.title()) ", so no share of it is given." },
                }
                @if limit.is_some() { " The cipher alone does less than that mix, and may lie above it." }
                @if let Some(aes) = aes {
                    " AES alone would reach " (rate(aes)) " (" (short(&aes.stack, 40)) ")."
                }
                @for (path, bytes, limit, share) in self.packets.narrower(algorithm) {
                    " The engine’s " code { (short(path, 20)) } " protects packets of " (size(bytes)) " at " (percent(share))
                    " of the " (rate(limit)) " that the mix reaches in registers of its width."
                }
            }
        }
    }

    fn chart(&self, algorithm: Algorithm, bytes: usize) -> Option<Markup> {
        let scale = grid::scale();
        let limit = self.packets.limit(algorithm);
        let bar = |who: Who, way: Way| {
            let series = self.packets.drawn(algorithm, who, way, bytes)?;
            Some(ShareBar {
                label: short(&way.short_name(), 24),
                color: color(way).to_owned(),
                value: scale.apply(series.median?),
                interval: series.ci95.map(|interval| interval.map(|value| scale.apply(value))),
                share: self.packets.share(series, limit),
            })
        };
        let block = |who: Who| {
            let ways = self.packets.ways(algorithm, who, Direction::Send).into_iter();
            let ways = ways.filter(|way| way.form != Form::Record && !way.is_looped);
            let bars: Vec<ShareBar> = ways.filter_map(|way| bar(who, way)).take(MOST_BARS).collect();
            (!bars.is_empty()).then(|| Block { heading: short(&self.packets.label(who), 44), bars })
        };
        let everybody = grid::charted(self.packets, algorithm).into_iter();
        let blocks: Vec<Block> = everybody.filter_map(block).take(MOST_BLOCKS).collect();
        let mark = |series: Option<&Series>, label: &str, is_main| {
            Some(Mark { label: label.to_owned(), value: scale.apply(series?.median?), is_main })
        };
        let marks: Vec<Mark> =
            [mark(self.packets.aes_limit(algorithm), "AES alone", false), mark(limit, "limit", true)]
                .into_iter()
                .flatten()
                .collect();
        let description = describe(&blocks, &marks, scale.name);
        let title = format!("{} in packets of {}", algorithm.title(), size(bytes));
        let id = format!("{}-{algorithm}-{bytes}", self.id);
        let svg = chart::shares(&Caption { id, title: title.clone(), description }, &blocks, &marks)?;
        let unit =
            if limit.is_some() { format!("{} · share of the limit", scale.name) } else { scale.name.to_owned() };
        Some(html! { figure { figcaption { strong { (title) } span.worth { (unit) } } (PreEscaped(svg)) } })
    }

    fn figures(&self, algorithm: Algorithm, direction: Direction) -> Markup {
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
        let (limit, aes) = (self.packets.limit(algorithm), self.packets.aes_limit(algorithm));
        let note = match (limit, aes) {
            (Some(_), Some(_)) => {
                "Below each figure: half its 95 % interval, then its shares of the limit and of AES alone."
            }
            (Some(_), None) => "Below each figure: half its 95 % interval, then its share of the limit.",
            (None, Some(_)) => "Below each figure: half its 95 % interval, then its share of AES alone.",
            (None, None) => "Below each figure: half its 95 % interval.",
        };
        let shares = |series: &Series| {
            let shares = [limit, aes].map(|of| self.packets.share(series, of).map(percent));
            shares.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        };
        let cell = |series: Option<&Series>| cell(series, shares);
        scroll(
            &format!("{}, {}", grid::title(algorithm, direction), grid::scale().name),
            html! {
                thead {
                    tr {
                        th scope="col" { "stack" }
                        th scope="col" { "what" }
                        th scope="col" { "code path" }
                        th scope="col" { abbr title="verified" { "✓" } }
                        @for bytes in &sizes { th.number scope="col" { (size(*bytes)) } }
                    }
                }
                @if direction == Direction::Send { (self.limit_rows(algorithm, sizes.len())) }
                @for (who, ways) in &groups {
                    tbody {
                        @for (index, way) in ways.iter().enumerate() {
                            @let all: Vec<Option<&Series>> =
                                sizes.iter().map(|bytes| self.packets.series(algorithm, *who, *way, *bytes)).collect();
                            tr {
                                @if index == 0 { th scope="rowgroup" rowspan=(ways.len()) { (self.packets.label(*who)) } }
                                td { (way.name()) }
                                td.path { (grid::code_path(&all)) }
                                td { @if let Some(is) = verified(&all) { (mark(is)) } }
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
    fn limit_rows(&self, algorithm: Algorithm, sizes: usize) -> Markup {
        let limits = self.packets.limits(algorithm);
        let what = |series: &Series| {
            if super::way::is_aes_limit(series) {
                "AES alone"
            } else if super::way::is_mixed_limit(series) {
                "all that GCM needs"
            } else {
                "another part of it"
            }
        };
        html! {
            @if !limits.is_empty() {
                tbody {
                    @for (index, series) in limits.iter().enumerate() {
                        tr {
                            @if index == 0 { th scope="rowgroup" rowspan=(limits.len()) { "this CPU’s limits" } }
                            td { (what(series)) }
                            td.path { (short(&series.stack, 24)) }
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

    fn effects(&self, algorithm: Algorithm) -> Markup {
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
                (scroll(&format!("{}: what costs what, in per cent", algorithm.title()), html! {
                    thead {
                        tr {
                            th scope="col" { "what" }
                            th scope="col" { "stack" }
                            @for bytes in &sizes { th.number scope="col" { (size(*bytes)) } }
                        }
                    }
                    @for (what, rows) in &groups {
                        tbody {
                            @for (index, row) in rows.iter().enumerate() {
                                tr {
                                    @if index == 0 { th scope="rowgroup" rowspan=(rows.len()) { (what) } }
                                    td { (self.packets.label(row.who)) }
                                    @for effect in &row.cells { td.number { (effect_cell(*effect)) } }
                                }
                            }
                        }
                    }
                    tfoot { tr { td colspan=(sizes.len() + 2) {
                        "Header protection is held against the AEAD, set-up (nonce, additional data, tag) is what the AEAD takes beyond "
                        "the cipher alone, batches are held against as many packets one by one. Medians of the ratios within rounds, below "
                        "each its 95 % interval. “=”: no difference shown."
                    } } }
                }))
            }
        }
    }

    fn over_tls(&self, algorithm: Algorithm) -> Markup {
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
                (scroll(&format!("{}: QUIC packets over TLS records, cycles a byte", algorithm.title()), html! {
                    thead {
                        tr {
                            th scope="col" { "stack" }
                            th scope="col" { "packets at once" }
                            th.number scope="col" { "TLS record" }
                            @for bytes in &sizes { th.number scope="col" { (size(*bytes)) } th.number scope="col" { "overhead" } }
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
                                    td.number { (effect_cell(cell.map(|(effect, _)| effect))) }
                                }
                            }
                        }
                    }
                    tfoot { tr { td colspan=(sizes.len() * 2 + 3) {
                        (super::sentence(&Finding::CipherOnly))
                    } } }
                }))
            }
        }
    }
}

fn cell(series: Option<&Series>, shares: impl Fn(&Series) -> String) -> Markup {
    let Some(series) = series else { return html! { td {} } };
    let Some(value) = sound_figure(series) else {
        return html! { td.number.none title=(short(series.note.as_deref().unwrap_or_default(), 200)) { "failed" } };
    };
    let shares = shares(series);
    html! {
        td.number {
            (grid::scale().write(value))
            @if !series.verified { span.bad { "!" } }
            @if let Some(half) = plus_minus(series) { small { (half) } }
            @if !shares.is_empty() { small.share { (shares) } }
        }
    }
}

fn effect_cell(effect: Option<Effect>) -> Markup {
    html! {
        @if let Some(effect) = effect {
            @if effect.is_shown { (points(effect.percent)) " %" }
            @else { abbr title="no difference shown" { "=" } }
            small { (interval(effect)) }
        }
    }
}

fn cycles(per_byte: Option<f64>) -> String {
    per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0).map(digits).unwrap_or_default()
}

/// Whether all figures of a row were verified; `None` if it has none.
fn verified(series: &[Option<&Series>]) -> Option<bool> {
    let figures: Vec<bool> =
        series.iter().flatten().filter(|series| sound_figure(series).is_some()).map(|series| series.verified).collect();
    (!figures.is_empty()).then(|| figures.iter().all(|is| *is))
}

/// The colours of the published chart, as far as both modes let them be read.
fn color(way: Way) -> &'static str {
    match way.form {
        Form::Cipher => "var(--s4)",
        Form::Aead => "var(--s1)",
        Form::Packet if way.batch == 1 => "var(--s0)",
        Form::Packet => "var(--s2)",
        Form::Record => "var(--s6)",
    }
}

/// What one would see.
fn describe(blocks: &[Block], marks: &[Mark], unit: &str) -> String {
    let bar = |bar: &ShareBar| {
        let share = bar.share.map(|share| format!(" ({share:.0} %)")).unwrap_or_default();
        format!("{} {}{share}", bar.label, digits(bar.value))
    };
    let block = |block: &Block| {
        let bars: Vec<String> = block.bars.iter().map(bar).collect();
        format!("{}: {}", block.heading, english::and(&bars))
    };
    let marks: Vec<String> = marks.iter().map(|mark| format!("{} {}", mark.label, digits(mark.value))).collect();
    let blocks: Vec<String> = blocks.iter().map(block).collect();
    let lines = if marks.is_empty() { String::new() } else { format!(" Lines: {}.", marks.join(", ")) };
    format!("Bars in {unit}, in brackets the share of the limit. {}.{lines}", blocks.join("; "))
}
