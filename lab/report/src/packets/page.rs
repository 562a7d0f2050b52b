//! The page's section about packets: a chart for each size, what it means in words, the tables.

use maud::{Markup, html};

use crate::chart::{self, Block, ReferenceLine, ShareBar};
use crate::html::contents::{Section, fold};
use crate::html::gallery::{Gallery, Said};
use crate::html::parts::{Card, told};
use crate::html::table::table;
use crate::language::Messages;
use crate::quantity::{digits, figure, percent, size};
use crate::selection::SeriesKey;
use crate::visible::short;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series, Unit};

use super::finding::{self, PacketFinding};
use super::selection::PacketSelection;
use super::tables;
use crate::way::PacketDirection;
use kasoku_model::workload::packets::{PacketOperation, PacketWork};

/// No more sizes get a chart of their own; the tables have all.
const MAX_CHARTS: usize = 8;
/// No more contenders and bars are drawn in one.
const MAX_BLOCKS: usize = 14;
const MAX_BARS: usize = 8;

/// The section; `None` if the document has no packets.
pub(crate) fn section(document: &Document, gallery: &Gallery, messages: &'static Messages) -> Option<Section> {
    let packets = PacketSelection::new(document, messages)?;
    let words = &messages.packets;
    let body = Body { packets: &packets, gallery };
    let findings = finding::findings(document, messages);
    let sentences = |leads: bool| {
        let chosen = findings.iter().filter(move |finding| finding.leads() == leads);
        told(chosen.map(|finding| finding.sentence(messages.language)))
    };
    // The main sizes of the first algorithm are seen at once.
    let mut open: Vec<Markup> = Vec::new();
    let folded: Vec<Markup> = packets
        .algorithms()
        .into_iter()
        .map(|algorithm| {
            let [main, others] = body.charts(algorithm);
            let mut charts = main;
            if open.is_empty() {
                open = std::mem::take(&mut charts);
            }
            charts.extend(others);
            body.algorithm(algorithm, &charts)
        })
        .collect();
    let body = html! {
        (sentences(true))
        @if !open.is_empty() { div.wide { @for chart in &open { (chart) } } }
        (fold(words.more, html! {
            p { (words.explained) }
            (sentences(false))
            @for algorithm in &folded { (algorithm) }
        }))
    };
    Some(Section::of_class(Some("packets"), gallery.id("packets"), words.title, body))
}

/// The figure that stands at the top of the page.
pub(crate) fn card(document: &Document, messages: &'static Messages) -> Option<Card> {
    let words = &messages.packets;
    finding::findings(document, messages).into_iter().find_map(|finding| {
        let PacketFinding::Speed { algorithm, bytes, speeds } = finding else { return None };
        let best = speeds.first()?;
        Some((
            figure(best.rate, Unit::BytesPerSecond, &messages.words),
            (words.card_packets)(&size(bytes)),
            format!("{}{}{}", algorithm.title(), messages.words.comma, best.told(messages.language)),
        ))
    })
}

struct Body<'a> {
    packets: &'a PacketSelection<'a>,
    gallery: &'a Gallery,
}

impl Body<'_> {
    /// Those of the sizes that stand for all, and the others.
    fn charts(&self, algorithm: Algorithm) -> [Vec<Markup>; 2] {
        let main = self.packets.main_sizes(algorithm);
        let others = self.packets.sizes(algorithm).into_iter().filter(|bytes| !main.contains(bytes));
        let others: Vec<usize> = others.take(MAX_CHARTS.saturating_sub(main.len())).collect();
        [main, others].map(|sizes| sizes.into_iter().filter_map(|bytes| self.chart(algorithm, bytes)).collect())
    }

    fn algorithm(&self, algorithm: Algorithm, charts: &[Markup]) -> Markup {
        html! {
            h3 { (algorithm.title()) }
            (self.bounds(algorithm))
            @if !charts.is_empty() { div.wide { @for chart in charts { (chart) } } }
            @for figures in tables::of_algorithm(self.packets, algorithm) { (table(&figures)) }
        }
    }

    fn bounds(&self, algorithm: Algorithm) -> Markup {
        let words = &self.packets.messages.packets;
        let rate = |series: &Series| figure(series.median.unwrap_or(0.0), series.unit, &self.packets.messages.words);
        let bound = self.packets.bound(algorithm);
        let aes = self.packets.aes_bound(algorithm);
        html! {
            p {
                @match bound {
                    Some(bound) => {
                        (words.bound_is) strong { (rate(bound)) } ((words.bound_means)(&short(&bound.library, 40)))
                    },
                    None => { ((words.no_bound)(algorithm.title())) },
                }
                @if bound.is_some() { (words.cipher_above_bound) }
                @if let Some(aes) = aes { ((words.aes_would_reach)(&rate(aes), &short(&aes.library, 40))) }
                @for (path, bytes, bound, share) in self.packets.narrower(algorithm) {
                    (words.narrower) code { (short(path, 20)) }
                    ((words.narrower_reaches)(&size(bytes), &percent(share), &rate(bound)))
                }
            }
        }
    }

    fn chart(&self, algorithm: Algorithm, bytes: usize) -> Option<Markup> {
        let words = &self.packets.messages.packets;
        let scale = tables::scale();
        let bound = self.packets.bound(algorithm);
        let bar = |who: SeriesKey, way: PacketOperation| {
            let series = self.packets.drawn(who.at(way, bytes))?;
            Some(ShareBar {
                label: short(&self.bar_name(way), 24),
                color: color(way).to_owned(),
                value: scale.apply(series.median?),
                interval: series.ci95.map(|interval| interval.map(|value| scale.apply(value))),
                share: self.packets.share(series, bound),
            })
        };
        let block = |who: SeriesKey| {
            let ways = self.packets.ways(who, PacketDirection::Send).into_iter();
            let has_cipher = self.packets.has_comparable_cipher(who);
            let is_shown = |way: &PacketOperation| {
                way.work() != PacketWork::Record
                    && !way.packets.looped
                    && (*way != PacketOperation::CIPHER || has_cipher)
            };
            let ways = ways.filter(is_shown);
            let bars: Vec<ShareBar> = ways.filter_map(|way| bar(who, way)).take(MAX_BARS).collect();
            (!bars.is_empty()).then(|| Block { heading: short(&self.packets.label(who), 44), bars })
        };
        let everybody = tables::charted(self.packets, algorithm).into_iter();
        let blocks: Vec<Block> = everybody.filter_map(block).take(MAX_BLOCKS).collect();
        let mark = |series: Option<&Series>, label: &str, is_main| {
            Some(ReferenceLine { label: label.to_owned(), value: scale.apply(series?.median?), is_main })
        };
        let marks: Vec<ReferenceLine> =
            [mark(self.packets.aes_bound(algorithm), words.aes_alone, false), mark(bound, words.bound, true)]
                .into_iter()
                .flatten()
                .collect();
        let description = self.describe(&blocks, &marks, scale.name);
        let unit = match bound {
            Some(_) => format!("{} · {}", scale.name, words.share_of_bound),
            None => scale.name.to_owned(),
        };
        let title = (words.chart)(algorithm.title(), &size(bytes));
        let said = Said { title, description, beside: Some(unit), ..Said::default() };
        let name = format!("packets-{algorithm}-{bytes}");
        self.gallery.figure(&name, said, |caption| chart::shares(caption, &blocks, &marks))
    }

    /// A way's name at the left of a bar.
    fn bar_name(&self, way: PacketOperation) -> String {
        let words = &self.packets.messages.packets;
        match way.work() {
            PacketWork::Packet if way.packets.batch == 1 => words.header_protection_bar.to_owned(),
            _ => (words.way)(way),
        }
    }

    /// What one would see.
    fn describe(&self, blocks: &[Block], marks: &[ReferenceLine], unit: &str) -> String {
        let words = &self.packets.messages.packets;
        let block = |block: &Block| {
            let bars: Vec<String> = block.bars.iter().map(ShareBar::described).collect();
            (words.block_described)(&block.heading, &bars)
        };
        let marks: Vec<String> = marks.iter().map(|mark| format!("{} {}", mark.label, digits(mark.value))).collect();
        (words.chart_described)(unit, &blocks.iter().map(block).collect::<Vec<_>>(), &marks)
    }
}

/// The colours of the published chart, as far as both modes let them be read.
fn color(way: PacketOperation) -> &'static str {
    match way.work() {
        PacketWork::Cipher => "var(--s4)",
        PacketWork::Aead => "var(--s1)",
        PacketWork::Packet if way.packets.batch == 1 => "var(--s0)",
        PacketWork::Packet => "var(--s2)",
        PacketWork::Record => "var(--s6)",
    }
}
