//! HTTPS servers in virtual machines: throughput and CPU time, compared with the server that uses Java's own provider.

use std::collections::BTreeMap;

use crate::prelude::*;
use crate::quantity::times;
use crate::selection::{is_drawn, server_cpu_seconds};
use kasoku_model::library::SUNJCE;
use kasoku_model::statistics;
use kasoku_model::workload::Setting;

use super::JvmSelection;

/// HTTPS servers that are comparable because they serve the same file size with the same cipher suite.
pub(super) struct HttpsServers<'a> {
    java: &'a JvmSelection<'a>,
    suite: Algorithm,
    bytes: usize,
    rows: Vec<HttpsRow<'a>>,
}

struct HttpsRow<'a> {
    who: ContenderIndex,
    series: &'a Series,
    /// Throughput in bytes per second.
    rate: f64,
}

impl JvmSelection<'_> {
    pub(super) fn servers(&self) -> Vec<HttpsServers<'_>> {
        let is_one = |key: &SeriesKey| matches!(key.setting, Setting::Https(_)) && key.state == Acceleration::On;
        let mut alike: BTreeMap<_, Vec<HttpsRow<'_>>> = BTreeMap::new();
        for (key, series) in self.selection.select(is_one).filter(|(_, one)| is_drawn(self.selection.document, one)) {
            let Some(rate) = sound_figure(series) else { continue };
            let rows = alike.entry((key.task, key.setting, key.bytes)).or_default();
            rows.push(HttpsRow { who: key.who, series, rate });
        }
        let servers = alike.into_iter().map(|((task, _, bytes), rows)| (task.algorithm, bytes, rows));
        servers.map(|(suite, bytes, rows)| HttpsServers { java: self, suite, bytes, rows }).collect()
    }

    /// Returns a table for each cipher suite and file size. If `has_all`, tables include intervals and provider counts.
    pub(crate) fn server_tables(&self, has_all: bool) -> Vec<Table> {
        self.servers().iter().map(|servers| servers.table(has_all)).collect()
    }
}

impl<'a> HttpsServers<'a> {
    fn own(&self) -> Option<&HttpsRow<'a>> {
        self.rows.iter().find(|row| self.java.selection.contender(row.who).library == SUNJCE)
    }

    /// Compares each server that uses another provider with the server that uses Java's own provider.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let Some(own) = self.own() else { return Vec::new() };
        let against = |row: &HttpsRow<'a>| {
            let sends = self.java.selection.compare(Some(row.series), Some(own.series))?;
            let cpu = self.cost(row, own)?;
            let [library, next] = [row, own].map(|row| self.java.name(row.who));
            let subject = Subject { next, ..Subject::new(self.suite, library, self.bytes) };
            let claim = match sends.is_shown {
                true => Claim::new("jvm-serves", subject).with("times", times(sends.ratio)),
                false => Claim::new("jvm-serves-alike", subject),
            };
            Some(claim.with("cpu", cpu.words()))
        };
        self.rows.iter().filter(|row| row.who != own.who).filter_map(against).collect()
    }

    fn table(&self, has_all: bool) -> Table {
        let own = self.own();
        let other = |row: &HttpsRow<'a>| own.filter(|own| own.who != row.who);
        let sends = |row: &HttpsRow<'a>| {
            let comparison = self.java.selection.compare(Some(row.series), Some(other(row)?.series))?;
            Some(Cell::ratio(comparison.ratio, comparison.is_shown))
        };
        let costs = |row: &HttpsRow<'a>| {
            let cost = self.cost(row, other(row)?)?;
            Some(if has_all { cost.text_with_interval() } else { cost.text() })
        };
        let counted = |row: &HttpsRow<'a>| {
            let share = percent(100.0 * row.series.https_server()?.load.provider_share?);
            Some(say!("jvm-https-counted", who = self.java.name(row.who), share = share))
        };
        let title = say!("jvm-https", suite = self.suite.title(), size = size(self.bytes));
        TableBuilder::new(title, &self.rows)
            .words(say!("jvm-who"), |row| self.java.name(row.who))
            .figures("GB/s", |row| digits(row.rate * 1e-9))
            .figures(say!("jvm-https-cpu"), |row| or_dash(seconds(row.series).map(digits)))
            .figures(say!("jvm-https-sends"), |row| sends(row).unwrap_or_else(|| "–".into()))
            .figures(say!("jvm-https-costs"), |row| or_dash(costs(row)))
            .notes([say!("jvm-https-note")])
            .notes(self.rows.iter().filter(|_| has_all).filter_map(counted))
            .table()
    }

    /// Returns the difference in CPU time per byte, from the rounds that both servers have.
    fn cost(&self, first: &HttpsRow<'_>, second: &HttpsRow<'_>) -> Option<Effect> {
        let run = &self.java.selection.document.run;
        let ratios = || statistics::log_ratios_by(first.series, second.series, server_cpu_seconds);
        run.complete.then(|| Effect::from_log_ratios(&ratios(), run.method.floor(first.series.algorithm)))?
    }
}

/// Returns the server's CPU seconds for 10⁹ bytes: the median over the rounds, or else the figure in the document.
fn seconds(series: &Series) -> Option<f64> {
    let mut rounds: Vec<f64> = series.kept().filter_map(|sample| server_cpu_seconds(series, sample)).collect();
    statistics::median(&mut rounds).or_else(|| series.https_server()?.load.server_cpu_s_per_gb).filter(|it| *it > 0.0)
}
