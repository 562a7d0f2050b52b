//! The page's section about a web server: what it means in words, the published figures 6 and 7 made again, figure 1
//! beside the published ratios, all numbers, the system's limits.

use maud::{Markup, html};

use crate::chart::{Bar, Group, LegendEntry};
use crate::html::contents::{Section, fold};
use crate::html::gallery::Gallery;
use crate::html::legend::legend;
use crate::html::parts::{bars, told};
use crate::html::table::table;
use crate::language::Messages;
use crate::quantity::{digits, size, times};
use crate::reproduction::NGINX;
use crate::table::Table;
use kasoku_model::document::Document;

use super::finding::{best_a_core, findings, raw_ratio, served_ratios};
use super::selection::{ServerContender, ServerSelection, ServerSeries, who};
use super::tables;

/// Kinds that charts show, and numbers of workers that have one; tables have all.
const MAX_KINDS: usize = 24;
const MAX_WORKERS: usize = 8;

/// The section; `None` if the document has nothing of a web server.
pub(crate) fn section(document: &Document, gallery: &Gallery, messages: &'static Messages) -> Option<Section> {
    let rows = ServerSelection::new(document, messages);
    if rows.all.is_empty() {
        return None;
    }
    let words = &messages.tls;
    let part = Part { rows: &rows, gallery };
    let findings = findings(document, messages);
    let tables = [tables::ratios(&rows), Some(published(&rows)), tables::limits(document, messages)];
    let body = html! {
        p { (words.explained) " " (rows.place()) }
        (told(findings.iter().map(|finding| finding.sentence(messages.language))))
        @if let Some(overview) = tables::overview(&rows) { (table(&overview)) }
        (fold(words.more, html! {
            (part.figures())
            (part.raw(raw_ratio(document)))
            @for grid in tables.iter().flatten() { (table(grid)) }
        }))
    };
    Some(Section::of_class(Some("tls"), gallery.id("tls"), words.title, body))
}

/// What was published, with what there is of it here.
fn published(rows: &ServerSelection<'_>) -> Table {
    let words = &rows.messages.tls;
    let range = |[low, high]: [f64; 2]| match [low, high].map(times) {
        [low, high] if low == high => low,
        [low, high] => format!("{low}–{high}"),
    };
    let ours = |name: &str| match name {
        "raw-ratio" => raw_ratio(rows.document).map(times),
        "served-ratio" => served_ratios(rows, |gcm, cbc| Some(gcm.rate / cbc.rate)).map(range),
        "a-core" => best_a_core(rows).map(|(_, gbit)| digits(gbit)),
        _ => None,
    };
    let headings = [words.what, words.published, words.here];
    NGINX.statements(words.published_title, headings, rows.messages.language, ours)
}

struct Part<'a> {
    rows: &'a ServerSelection<'a>,
    gallery: &'a Gallery,
}

impl Part<'_> {
    /// Throughput and the server's CPU use by file size, a pair of figures for each number of workers.
    fn figures(&self) -> Markup {
        let words = &self.rows.messages.tls;
        let legend_of_kinds = self.legend();
        html! {
            (legend(&legend_of_kinds))
            @for workers in self.rows.workers().into_iter().take(MAX_WORKERS) {
                div.wide {
                    (self.figure("throughput", workers, (words.figure_throughput)(workers), "Gbit/s", |row| row.gbit()))
                    (self.figure("cpu", workers, (words.figure_cpu)(workers), "%", |row| {
                        100.0 * row.details.load.server_cpu_max.unwrap_or(f64::NAN)
                    }))
                }
            }
        }
    }

    /// What the bars of a size are: those of one provider in shades of its colour.
    fn legend(&self) -> Vec<LegendEntry> {
        let mut kinds = self.rows.kinds();
        kinds.truncate(MAX_KINDS);
        let entry = |(index, kind): (usize, &ServerContender<'_>)| {
            let before = kinds[..index].iter().filter(|(_, library, _)| *library == kind.1).count();
            let label = format!("{}{}{}", kind.0.title(), self.rows.messages.words.comma, who(*kind));
            LegendEntry::color(&self.gallery.palette.shade(kind.1, before), label)
        };
        kinds.iter().enumerate().map(entry).collect()
    }

    fn figure(
        &self,
        name: &str,
        workers: usize,
        title: String,
        unit: &str,
        value: fn(&ServerSeries<'_>) -> f64,
    ) -> Markup {
        let legend = self.legend();
        let group = |bytes: usize| Group {
            label: size(bytes),
            bars: self
                .rows
                .kinds()
                .iter()
                .zip(&legend)
                .map(|(kind, entry)| Bar {
                    color: entry.color.clone(),
                    value: self.rows.find(*kind, bytes, workers).map(value).filter(|value| value.is_finite()),
                    interval: None,
                })
                .collect(),
        };
        let has_some = |group: &Group| group.bars.iter().any(|bar| bar.value.is_some());
        let groups: Vec<Group> = self.rows.sizes().into_iter().map(group).filter(has_some).collect();
        bars(self.gallery, &format!("tls-{name}-{workers}"), title, unit, &groups, &legend)
    }

    /// The ciphers without a server: what the published figure 1 shows, and the same of this machine.
    fn raw(&self, here: Option<f64>) -> Markup {
        let words = &self.rows.messages.tls;
        let Some(here) = here else { return html! { p.note { (words.no_raw_ratio) } } };
        let of = |label: String, value: f64, color: &str| Group {
            label,
            bars: vec![Bar { color: color.to_owned(), value: Some(value), interval: None }],
        };
        let mut groups: Vec<Group> =
            NGINX.bars().into_iter().map(|(machine, ratio)| of(machine, ratio, "var(--s7)")).collect();
        groups.push(of(words.this_machine.to_owned(), here, "var(--s0)"));
        let title = words.figure_raw.to_owned();
        html! { div.wide { (bars(self.gallery, "tls-raw", title, words.times, &groups, &[])) } }
    }
}
