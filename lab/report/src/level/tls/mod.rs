//! The level tls: throughput and CPU time of a web server by file size, suite, provider and number of workers, and the
//! CPU time of its handshakes.

mod claims;
mod selection;
mod tables;

use crate::prelude::*;
use crate::quantity::times;
use crate::reproduction::NGINX;

use super::LevelReport;
use claims::{best_of_a_core, raw_ratio, served_ratios};
pub(crate) use selection::ServerSelection;
use selection::{ServerContender, ServerSeries};

/// Maximum number of contenders in charts; tables have all contenders.
const MAX_CONTENDERS: usize = 24;
/// Maximum number of worker counts that have charts.
const MAX_WORKERS: usize = 8;

impl LevelReport for ServerSelection<'_> {
    fn claims(&self) -> Vec<Claim> {
        claims::claims(self)
    }

    fn summary(&self) -> Vec<Table> {
        [tables::overview(self), tables::handshakes(self), tables::ratios(self)].into_iter().flatten().collect()
    }

    fn section(&self, claims: &[Claim], palette: &Palette) -> Section {
        let tables = [tables::ratios(self), Some(published(self)), tables::limits(self.document)];
        let more = charts(self, palette).into_iter().chain([raw_chart(self.document)]);
        let more = more.chain(tables.into_iter().flatten().map(Block::Table)).collect();
        let open = [tables::overview(self), tables::handshakes(self)].into_iter().flatten().map(Block::Table);
        let mut section = super::section(["tls", "tls-title", "tls-more"], claims, open, more);
        let is_elsewhere = self.all.iter().chain(&self.handshakes).any(|row| row.details.elsewhere);
        let place = if is_elsewhere { say!("tls-explained-elsewhere") } else { say!("tls-explained-here") };
        let explained = Text::list(Separator::Sentence, [say!("tls-explained"), place]);
        section.blocks.insert(0, Block::Paragraph(explained));
        section
    }
}

fn published(servers: &ServerSelection<'_>) -> Table {
    let range = |[low, high]: [f64; 2]| match [low, high].map(times) {
        [low, high] if low == high => low.into(),
        [low, high] => say!("reproduction-range", from = low, to = high),
    };
    NGINX.statements(|name| match name {
        "raw-ratio" => raw_ratio(servers.document).map(|ratio| times(ratio).into()),
        "served-ratio" => served_ratios(servers, |gcm, cbc| Some(gcm.rate / cbc.rate)).map(range),
        "a-core" => best_of_a_core(servers).map(|(_, gbit)| digits(gbit).into()),
        _ => None,
    })
}

fn charts(servers: &ServerSelection<'_>, palette: &Palette) -> Option<Block> {
    let mut contenders = servers.contenders();
    contenders.truncate(MAX_CONTENDERS);
    // The bars of one provider have shades of its colour.
    let entry = |(index, contender): (usize, &ServerContender<'_>)| {
        let before = contenders[..index].iter().filter(|one| one.library == contender.library).count();
        let label = Text::list(Separator::Comma, [contender.algorithm.title().into(), servers.who(*contender)]);
        LegendEntry::color(&palette.shade(contender.library, before), label)
    };
    let legend: Vec<LegendEntry> = contenders.iter().enumerate().map(entry).collect();
    let chart = |name: &str, workers, title: Text, unit: &str, value: fn(&ServerSeries<'_>) -> f64| {
        let group = |bytes| {
            let value = |contender: &ServerContender<'_>| {
                servers.find(*contender, bytes, workers).map(value).filter(|value| value.is_finite())
            };
            (size(bytes), contenders.iter().map(value).collect::<Vec<_>>())
        };
        let groups = servers.sizes().into_iter().map(group).filter(|(_, values)| values.iter().any(Option::is_some));
        Chart::bars(format!("tls-{name}-{workers}"), title, unit, &legend, groups)
    };
    let pair = |workers: usize| {
        let throughput = say!("tls-figure-throughput", workers = workers);
        let cpu = say!("tls-figure-cpu", workers = workers);
        [
            chart("throughput", workers, throughput, "Gbit/s", |row| row.gbit()),
            chart("cpu", workers, cpu, "%", |row| 100.0 * row.details.load.server_cpu_max.unwrap_or(f64::NAN)),
        ]
    };
    Block::charts(legend.clone(), servers.workers().into_iter().take(MAX_WORKERS).flat_map(pair).collect())
}

fn raw_chart(document: &Document) -> Block {
    let Some(here) = raw_ratio(document) else { return Block::Note(say!("tls-no-raw-ratio")) };
    let group = |label: Text, ratio, color: &str| BarGroup { label, bars: vec![Bar::new(color, Some(ratio))] };
    let published = NGINX.bars().into_iter().map(|(machine, ratio)| group(machine.into(), ratio, "var(--s7)"));
    let groups: Vec<BarGroup> = published.chain([group(say!("tls-this-machine"), here, "var(--s0)")]).collect();
    let chart = Chart::new("tls-raw", say!("tls-figure-raw"), say!("tls-times"), groups);
    Block::Charts { legend: Vec::new(), charts: vec![chart], are_small: false }
}
