//! The level packets: the cost of protecting a packet beyond its cipher, and the percentage of the CPU's upper bound.
//! Compares this cost with the cost of a TLS record.

mod claims;
mod selection;
mod tables;

use kasoku_model::workload::packets::{PacketOperation, PacketWork};

use super::LevelReport;
use crate::chart::{Plot, ReferenceLine};
use crate::prelude::*;
use crate::quantity::figure;
use crate::selection::packet_operation_name;
use selection::is_throughput;
pub(crate) use selection::{PacketSelection, bound};

/// Maximum number of charts of an algorithm, one for each packet size; tables have all sizes.
const MAX_CHARTS: usize = 8;
/// Maximum number of contenders in a chart.
const MAX_BLOCKS: usize = 14;
/// Maximum number of bars of a contender.
const MAX_BARS: usize = 8;

impl LevelReport for PacketSelection<'_> {
    fn claims(&self) -> Vec<Claim> {
        claims::claims(self)
    }

    fn summary(&self) -> Vec<Table> {
        tables::summary(self)
    }

    fn section(&self, claims: &[Claim], _: &Palette) -> Section {
        let (leading, others): (Vec<&Claim>, Vec<&Claim>) = claims.iter().partition(|claim| claim.leads);
        let mut open: Vec<Chart> = Vec::new();
        let mut folded = vec![Block::Paragraph(say!("packets-explained"))];
        folded.extend(Block::sentences(others));
        for algorithm in self.algorithms() {
            let [mut charts, others] = charts(self, algorithm);
            // Charts of the first algorithm's main sizes are shown outside the fold.
            if open.is_empty() {
                open = std::mem::take(&mut charts);
            }
            charts.extend(others);
            folded.extend([Block::Heading(algorithm.title().into()), Block::Paragraph(bounds(self, algorithm))]);
            folded.extend(Block::charts(Vec::new(), charts));
            folded.extend(self.tables_of(algorithm).into_iter().map(Block::Table));
        }
        super::section(["packets", "packets-title", "packets-more"], leading, Block::charts(Vec::new(), open), folded)
    }
}

fn bounds(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Text {
    let rate = |series: &Series| figure(series.median.unwrap_or(0.0), series.unit);
    let library = |series: &Series| Text::name(&series.library, 40);
    let bound = packets.bound(algorithm).map_or_else(
        || say!("packets-no-bound", algorithm = algorithm.title()),
        |bound| say!("packets-bound-is", rate = rate(bound), library = library(bound)),
    );
    let aes = packets.aes_bound(algorithm);
    let aes = aes.map(|aes| say!("packets-aes-would-reach", rate = rate(aes), library = library(aes)));
    let narrower = packets.narrower(algorithm).into_iter().map(|(path, bytes, bound, share)| {
        let (path, share) = (Text::name(path, 20), percent(share));
        say!("packets-narrower-reaches", path = path, size = size(bytes), share = share, rate = rate(bound))
    });
    Text::list(Separator::Sentence, [bound].into_iter().chain(aes).chain(narrower))
}

fn charts(packets: &PacketSelection<'_>, algorithm: Algorithm) -> [Vec<Chart>; 2] {
    let main = packets.main_sizes(algorithm);
    let others = packets.sizes(algorithm).into_iter().filter(|bytes| !main.contains(bytes));
    let others: Vec<usize> = others.take(MAX_CHARTS.saturating_sub(main.len())).collect();
    [main, others].map(|sizes| sizes.into_iter().filter_map(|bytes| chart(packets, algorithm, bytes)).collect())
}

fn chart(packets: &PacketSelection<'_>, algorithm: Algorithm, bytes: usize) -> Option<Chart> {
    let bound = packets.bound(algorithm);
    let bar = |who: SeriesKey, operation: PacketOperation| {
        let key = who.for_packets(operation, bytes);
        let series = packets.selection.drawn(key).filter(|series| is_throughput(series))?;
        let (label, share) = (Some(bar_name(operation).cut(24)), packets.share(series, bound));
        series.median.map(|_| Bar { label, share, ..Bar::of_series(Some(series), color(operation)) })
    };
    let block = |who: SeriesKey| {
        let has_cipher = packets.has_comparable_cipher(who);
        let is_shown = |operation: &PacketOperation| {
            operation.work() != PacketWork::Record
                && !operation.packets.looped
                && (*operation != PacketOperation::CIPHER || has_cipher)
        };
        let operations = packets.operations(who, true).into_iter().filter(is_shown);
        let bars: Vec<Bar> = operations.filter_map(|operation| bar(who, operation)).take(MAX_BARS).collect();
        (!bars.is_empty()).then(|| BarGroup { label: packets.label(who, false).cut(44), bars })
    };
    let groups: Vec<BarGroup> = packets.accelerated(algorithm).into_iter().filter_map(block).take(MAX_BLOCKS).collect();
    let mark =
        |series: Option<&Series>, label: Text, is_main| Some(ReferenceLine { label, value: series?.median?, is_main });
    let aes = mark(packets.aes_bound(algorithm), say!("packets-aes-alone"), false);
    let marks = aes.into_iter().chain(mark(bound, say!("packets-bound"), true)).collect();
    let shares = bound.map(|_| say!("packets-share-of-bound"));
    (!groups.is_empty()).then(|| {
        let title = say!("packets-chart", algorithm = algorithm.title(), size = size(bytes));
        let (name, plot) = (format!("packets-{algorithm}-{bytes}"), Plot::Bars { groups, marks });
        Chart::scaled(name, title, tables::scale(), plot).with_shares(shares)
    })
}

fn bar_name(operation: PacketOperation) -> Text {
    match operation.work() {
        PacketWork::Packet if operation.packets.batch == 1 => say!("packets-header-protection-bar"),
        _ => packet_operation_name(operation),
    }
}

/// Returns a colour similar to the published chart's, within the limits of light and dark mode.
fn color(operation: PacketOperation) -> &'static str {
    match operation.work() {
        PacketWork::Cipher => "var(--s4)",
        PacketWork::Aead => "var(--s1)",
        PacketWork::Packet if operation.packets.batch == 1 => "var(--s0)",
        PacketWork::Packet => "var(--s2)",
        PacketWork::Record => "var(--s6)",
    }
}
