//! HTTPS servers in a virtual machine: what each sends, at what cost, and against the one with Java's own provider.

use serde_json::Value;
use std::collections::BTreeMap;

use crate::language::Messages;
use crate::level::JVM;
use crate::packets::Effect;
use crate::quantity::{digits, percent, points, size, times};
use crate::selection::{ContenderIndex, Selection, SeriesKey, Variant, is_drawn, sound_figure};
use crate::table::{Over, Table, or_dash};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Sample, Series};
use kasoku_model::library::SUNJCE;
use kasoku_model::statistics::{self, Nested};

use super::finding::JvmFinding;
use super::name::name;

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
    pub(super) fn findings(&self, selection: &Selection<'a>) -> Vec<JvmFinding> {
        let Some(own) = self.own(selection) else { return Vec::new() };
        let against = |row: &HttpsRow<'a>| {
            let sends = selection.compare(Some(row.series), Some(own.series))?;
            Some(JvmFinding::Serves {
                suite: self.suite,
                who: name(selection, row.who),
                own: name(selection, own.who),
                sends: sends.is_shown.then_some(sends.ratio),
                cpu: cost(selection.document, row.series, own.series)?,
            })
        };
        self.rows.iter().filter(|row| row.who != own.who).filter_map(against).collect()
    }

    fn table(&self, selection: &Selection<'a>, has_all: bool) -> Table {
        let words = &selection.messages.jvm;
        let own = self.own(selection);
        let other = |row: &HttpsRow<'a>| own.filter(|own| own.who != row.who);
        let sends = |row: &HttpsRow<'a>| {
            let comparison = selection.compare(Some(row.series), Some(other(row)?.series))?;
            let ratio = (selection.messages.words.times)(&times(comparison.ratio));
            Some(if comparison.is_shown { ratio } else { "=".to_owned() })
        };
        let costs = |row: &HttpsRow<'a>| {
            let Effect { percent, ci95: [low, high], is_shown } =
                cost(selection.document, row.series, other(row)?.series)?;
            let sign = if percent > 0.0 { "+" } else { "" };
            let shown = if is_shown { format!("{sign}{} %", points(percent)) } else { "=".to_owned() };
            Some(match has_all {
                true => {
                    let interval = (selection.messages.transfer.interval)(points(low), points(high));
                    format!("{shown} ({interval})")
                }
                false => shown,
            })
        };
        let counted = |row: &HttpsRow<'a>| {
            let share = percent(100.0 * number(row.series, "provider_share")?);
            Some((words.https_counted)(&name(selection, row.who), &share))
        };
        let title = (words.https)(self.suite.title(), &size(self.bytes));
        Over::new(title, &self.rows)
            .words(words.who, |row| name(selection, row.who))
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
    servers(selection).iter().map(|servers| servers.table(selection, has_all)).collect()
}

/// The same of a document.
pub(crate) fn full(document: &Document, messages: &'static Messages) -> Vec<Table> {
    tables(&Selection::of_level(document, JVM, messages), true)
}

/// CPU seconds of the server for 10⁹ bytes, as the median over the rounds; where these are not told, what the document
/// says.
fn seconds(series: &Series) -> Option<f64> {
    let mut rounds: Vec<f64> = series.kept().filter_map(|sample| cost_of(series, sample)).collect();
    statistics::median(&mut rounds).or_else(|| number(series, "server_cpu_s_per_gb")).filter(|it| *it > 0.0)
}

/// How much more CPU time `first` takes for a byte than `second`, within the rounds that they share.
fn cost(document: &Document, first: &Series, second: &Series) -> Option<Effect> {
    if !document.run.complete {
        return None;
    }
    let theirs: BTreeMap<(u32, u32), f64> =
        second.kept().filter_map(|sample| Some(((sample.process, sample.round), cost_of(second, sample)?))).collect();
    let nested = Nested::of(first.kept().filter_map(|sample| {
        let other = theirs.get(&(sample.process, sample.round))?;
        Some((sample.process, (cost_of(first, sample)? / other).ln()))
    }));
    let percent = |log: f64| 100.0 * log.exp_m1();
    let ([low, high], floor) = (nested.interval()?, document.run.method.floor(first.algorithm).ln_1p());
    let effect = Effect {
        percent: percent(nested.median()?),
        ci95: [percent(low), percent(high)],
        is_shown: low > floor || high < -floor,
    };
    [effect.percent, effect.ci95[0], effect.ci95[1]].iter().all(|it| it.is_finite()).then_some(effect)
}

fn cost_of(series: &Series, sample: &Sample) -> Option<f64> {
    let seconds = sample.cpu_ns as f64 / (sample.iterations as f64 * series.bytes as f64);
    (seconds.is_finite() && seconds > 0.0).then_some(seconds)
}

fn number(series: &Series, name: &str) -> Option<f64> {
    series.parameters.get(name).and_then(Value::as_f64).filter(|it| it.is_finite())
}
