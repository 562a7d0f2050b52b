//! HTTPS servers in a virtual machine: throughput and CPU time of each, and against the one with Java's own provider.

use std::collections::BTreeMap;

use crate::claim::{Claim, Figure, Subject};
use crate::effect::Effect;
use crate::quantity::{digits, percent, size};
use crate::selection::{ContenderIndex, Selection, SeriesKey, Variant, is_drawn, sound_figure, times};
use crate::table::{Cell, Table, TableBuilder, or_dash};
use crate::text::say;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Sample, Series};
use kasoku_model::library::SUNJCE;
use kasoku_model::statistics;

use super::name::JvmNames;

/// Servers that send the same file with the same cipher suite, and may be compared.
pub(super) struct HttpsServers<'a> {
    suite: Algorithm,
    bytes: usize,
    rows: Vec<HttpsRow<'a>>,
}

struct HttpsRow<'a> {
    who: ContenderIndex,
    series: &'a Series,
    /// Bytes a second.
    rate: f64,
}

/// Returns the servers of a selection that have figures to show.
pub(super) fn servers<'a>(selection: &Selection<'a>) -> Vec<HttpsServers<'a>> {
    let is_one = |key: &SeriesKey| matches!(key.variant, Variant::Https(_)) && key.state == Acceleration::On;
    let mut alike: BTreeMap<SeriesKey, HttpsServers<'a>> = BTreeMap::new();
    let Some(nobody) = selection.contenders().next() else { return Vec::new() };
    for (key, series) in selection.select(is_one).filter(|(_, series)| is_drawn(selection.document, series)) {
        let Some(rate) = sound_figure(series) else { continue };
        let servers = alike.entry(SeriesKey { who: nobody, ..key }).or_insert_with(|| HttpsServers {
            suite: key.task.algorithm,
            bytes: key.bytes,
            rows: Vec::new(),
        });
        servers.rows.push(HttpsRow { who: key.who, series, rate });
    }
    alike.into_values().collect()
}

impl<'a> HttpsServers<'a> {
    /// Returns the server with Java's own provider.
    fn own(&self, selection: &Selection<'a>) -> Option<&HttpsRow<'a>> {
        self.rows.iter().find(|row| selection.contender(row.who).library == SUNJCE)
    }

    /// Compares each other server with the one of Java's own provider.
    pub(super) fn claims(&self, selection: &Selection<'a>, names: &JvmNames<'_>) -> Vec<Claim> {
        let Some(own) = self.own(selection) else { return Vec::new() };
        let against = |row: &HttpsRow<'a>| {
            let sends = selection.compare(Some(row.series), Some(own.series))?;
            let cpu = Figure::Change(cost(selection.document, row.series, own.series)?);
            let next = names.of(own.who);
            let subject = Subject { next, ..Subject::new(self.suite, names.of(row.who), self.bytes) };
            let claim = match sends.is_shown {
                true => {
                    Claim::new("jvm-serves", subject).with_figure("times", Figure::Times(sends.ratio, Some(sends.ci95)))
                }
                false => Claim::new("jvm-serves-alike", subject),
            };
            Some(claim.with_figure("cpu", cpu))
        };
        self.rows.iter().filter(|row| row.who != own.who).filter_map(against).collect()
    }

    fn table(&self, selection: &Selection<'a>, names: &JvmNames<'_>, has_all: bool) -> Table {
        let own = self.own(selection);
        let other = |row: &HttpsRow<'a>| own.filter(|own| own.who != row.who);
        let sends = |row: &HttpsRow<'a>| {
            let comparison = selection.compare(Some(row.series), Some(other(row)?.series))?;
            Some(if comparison.is_shown { times(comparison.ratio).into() } else { Cell::equal() })
        };
        let costs = |row: &HttpsRow<'a>| {
            let cost = cost(selection.document, row.series, other(row)?.series)?;
            Some(if has_all { cost.text_with_interval() } else { cost.text() })
        };
        let counted = |row: &HttpsRow<'a>| {
            let share = percent(100.0 * row.series.https_server()?.load.provider_share?);
            Some(say!("jvm-https-counted", who = names.of(row.who), share = share))
        };
        let title = say!("jvm-https", suite = self.suite.title(), size = size(self.bytes));
        TableBuilder::new(title, &self.rows)
            .words(say!("jvm-who"), |row| names.of(row.who))
            .figures("GB/s", |row| digits(row.rate * 1e-9))
            .figures(say!("jvm-https-cpu"), |row| or_dash(seconds(row.series).map(digits)))
            .figures(say!("jvm-https-sends"), |row| sends(row).unwrap_or_else(|| "–".into()))
            .figures(say!("jvm-https-costs"), |row| or_dash(costs(row)))
            .notes([say!("jvm-https-note")])
            .notes(self.rows.iter().filter(|_| has_all).filter_map(counted))
            .table()
    }
}

/// Returns a table for each suite and size; with intervals and counts of providers if `has_all`.
pub(super) fn tables(selection: &Selection<'_>, has_all: bool) -> Vec<Table> {
    let names = JvmNames::new(selection);
    servers(selection).iter().map(|servers| servers.table(selection, &names, has_all)).collect()
}

/// Returns the CPU seconds of the server for 10⁹ bytes: the median over the rounds, or what the document states.
fn seconds(series: &Series) -> Option<f64> {
    let mut rounds: Vec<f64> = series.kept().filter_map(|sample| cost_of(series, sample)).collect();
    statistics::median(&mut rounds).or_else(|| series.https_server()?.load.server_cpu_s_per_gb).filter(|it| *it > 0.0)
}

/// Returns how much more CPU time `first` takes for a byte than `second`, by the rounds that they share.
fn cost(document: &Document, first: &Series, second: &Series) -> Option<Effect> {
    let (run, ratios) = (&document.run, || statistics::log_ratios_by(first, second, cost_of));
    run.complete.then(|| Effect::from_log_ratios(&ratios(), run.method.floor(first.algorithm)))?
}

fn cost_of(series: &Series, sample: &Sample) -> Option<f64> {
    series.seconds_a_gigabyte(sample, sample.cpu_ns as f64)
}
