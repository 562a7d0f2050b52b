//! HTTPS servers in a virtual machine: what each sends, at what cost, and against the one with Java's own provider.

use std::collections::BTreeMap;

use crate::effect::Effect;
use crate::language::Messages;
use crate::quantity::{digits, percent, size, times};
use crate::selection::{ContenderIndex, Selection, SeriesKey, Variant, is_drawn, sound_figure};
use crate::table::{Over, Table, or_dash};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Sample, Series};
use kasoku_model::level::Level;
use kasoku_model::library::SUNJCE;
use kasoku_model::statistics;

use super::finding::JvmFinding;
use super::name::JvmNames;

/// Servers that have one thing to send, and may be compared.
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

/// All that may be relied on.
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
    /// The one with Java's own provider.
    fn own(&self, selection: &Selection<'a>) -> Option<&HttpsRow<'a>> {
        self.rows.iter().find(|row| selection.contender(row.who).library == SUNJCE)
    }

    /// Each other one against it.
    pub(super) fn findings(&self, selection: &Selection<'a>, names: &JvmNames<'_>) -> Vec<JvmFinding> {
        let Some(own) = self.own(selection) else { return Vec::new() };
        let against = |row: &HttpsRow<'a>| {
            let sends = selection.compare(Some(row.series), Some(own.series))?;
            Some(JvmFinding::Serves {
                suite: self.suite,
                who: names.of(row.who),
                own: names.of(own.who),
                sends: sends.is_shown.then_some(sends.ratio),
                cpu: cost(selection.document, row.series, own.series)?,
            })
        };
        self.rows.iter().filter(|row| row.who != own.who).filter_map(against).collect()
    }

    fn table(&self, selection: &Selection<'a>, names: &JvmNames<'_>, has_all: bool) -> Table {
        let words = &selection.messages.jvm;
        let own = self.own(selection);
        let other = |row: &HttpsRow<'a>| own.filter(|own| own.who != row.who);
        let sends = |row: &HttpsRow<'a>| {
            let comparison = selection.compare(Some(row.series), Some(other(row)?.series))?;
            let ratio = (selection.messages.words.times)(&times(comparison.ratio));
            Some(if comparison.is_shown { ratio } else { "=".to_owned() })
        };
        let costs = |row: &HttpsRow<'a>| {
            let cost = cost(selection.document, row.series, other(row)?.series)?;
            Some(if has_all { cost.write_with_interval(selection.messages) } else { cost.write() })
        };
        let counted = |row: &HttpsRow<'a>| {
            let share = percent(100.0 * row.series.https_server()?.load.provider_share?);
            Some((words.https_counted)(&names.of(row.who), &share))
        };
        let title = (words.https)(self.suite.title(), &size(self.bytes));
        Over::new(title, &self.rows)
            .words(words.who, |row| names.of(row.who))
            .figures("GB/s", |row| digits(row.rate * 1e-9))
            .figures(words.https_cpu, |row| or_dash(seconds(row.series).map(digits)))
            .figures(words.https_sends, |row| or_dash(sends(row)))
            .figures(words.https_costs, |row| or_dash(costs(row)))
            .notes([words.https_note])
            .notes(self.rows.iter().filter(|_| has_all).filter_map(counted))
            .table()
    }
}

/// A table for each thing that is sent; with all columns if `has_all`.
pub(super) fn tables(selection: &Selection<'_>, has_all: bool) -> Vec<Table> {
    let names = JvmNames::new(selection);
    servers(selection).iter().map(|servers| servers.table(selection, &names, has_all)).collect()
}

/// The same of a document.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    tables(&Selection::of_level(document, Level::Jvm, messages), true)
}

/// CPU seconds of the server for 10⁹ bytes, as the median over the rounds; where these are not told, what the document
/// says.
fn seconds(series: &Series) -> Option<f64> {
    let mut rounds: Vec<f64> = series.kept().filter_map(|sample| cost_of(series, sample)).collect();
    statistics::median(&mut rounds).or_else(|| series.https_server()?.load.server_cpu_s_per_gb).filter(|it| *it > 0.0)
}

/// How much more CPU time `first` takes for a byte than `second`, within the rounds that they share.
fn cost(document: &Document, first: &Series, second: &Series) -> Option<Effect> {
    let (run, ratios) = (&document.run, || statistics::log_ratios_by(first, second, cost_of));
    run.complete.then(|| Effect::of_log_ratios(&ratios(), run.method.floor(first.algorithm)))?
}

fn cost_of(series: &Series, sample: &Sample) -> Option<f64> {
    series.seconds_a_gigabyte(sample, sample.cpu_ns as f64)
}
