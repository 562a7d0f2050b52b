//! The page's section about a web server: what it means in words, the published figures 6 and 7 made again, figure 1 beside
//! the published ratios, all numbers, the system's limits.

use maud::{Markup, html};

use crate::chart::{Bar, Group};
use crate::html::contents::Section;
use crate::html::parts::{bars, swatch, told};
use crate::html::table::table;
use crate::language::Messages;
use crate::quantity::{digits, size, times};
use crate::reproduction::NGINX;
use crate::table::Table;
use kasoku_model::document::Document;

use super::finding::{best_a_core, findings, raw_ratio, served_ratios};
use super::selection::{Row, Rows, who};
use super::tables;

/// Colours of suites and providers, in the order of the legend.
const COLORS: [&str; 8] =
    ["var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)"];

/// Kinds that charts show, and numbers of workers that have one; tables have all.
const MAX_KINDS: usize = 24;
const MAX_WORKERS: usize = 8;

/// The section; `None` if the document has nothing of a web server.
pub(crate) fn section(document: &Document, prefix: &str, messages: &'static Messages) -> Option<Section> {
    let rows = Rows::new(document);
    if rows.all.is_empty() {
        return None;
    }
    let id = format!("{prefix}-tls");
    let words = &messages.tls;
    let part = Part { rows: &rows, id: &id, messages };
    let findings = findings(document);
    let tables = [
        tables::overview(&rows, messages),
        tables::ratios(&rows, messages),
        Some(published(document, &rows, messages)),
        tables::limits(document, messages),
    ];
    let body = html! {
        p { (words.explained) " " (rows.place(messages)) }
        (told(findings.iter().map(|finding| finding.sentence(messages.language))))
        (part.figures())
        (part.raw(raw_ratio(document)))
        @for grid in tables.iter().flatten() { (table(grid)) }
    };
    Some(Section::of_class(Some("tls"), id, words.title, body))
}

/// What was published, with what there is of it here.
fn published(document: &Document, rows: &Rows<'_>, messages: &'static Messages) -> Table {
    let words = &messages.tls;
    let range = |[low, high]: [f64; 2]| match [low, high].map(times) {
        [low, high] if low == high => low,
        [low, high] => format!("{low}–{high}"),
    };
    let ours = |name: &str| match name {
        "raw-ratio" => raw_ratio(document).map(times),
        "served-ratio" => served_ratios(rows, |gcm, cbc| Some(gcm.rate / cbc.rate)).map(range),
        "a-core" => best_a_core(rows).map(|(_, gbit)| digits(gbit)),
        _ => None,
    };
    let headings = [words.what, words.published, words.here];
    NGINX.statements(words.published_title, headings, messages.language, ours)
}

struct Part<'a> {
    rows: &'a Rows<'a>,
    id: &'a str,
    messages: &'static Messages,
}

impl Part<'_> {
    /// Throughput and the server's CPU use by file size, a pair of figures for each number of workers.
    fn figures(&self) -> Markup {
        let words = &self.messages.tls;
        let mut kinds = self.rows.kinds();
        kinds.truncate(MAX_KINDS);
        html! {
            p.legend {
                @for (index, kind) in kinds.iter().enumerate() {
                    (swatch(COLORS[index % COLORS.len()], false)) (kind.0.title()) ", " (who(*kind)) " "
                }
            }
            @for workers in self.rows.workers().into_iter().take(MAX_WORKERS) {
                div.wide {
                    (self.figure("throughput", workers, (words.figure_throughput)(workers), "Gbit/s", |row| row.gbit()))
                    (self.figure("cpu", workers, (words.figure_cpu)(workers), "%", |row| {
                        100.0 * row.number("server_cpu_max").unwrap_or(f64::NAN)
                    }))
                }
            }
        }
    }

    fn figure(&self, name: &str, workers: usize, title: String, unit: &str, value: fn(&Row<'_>) -> f64) -> Markup {
        let mut kinds = self.rows.kinds();
        kinds.truncate(MAX_KINDS);
        let group = |bytes: usize| Group {
            label: size(bytes),
            bars: kinds
                .iter()
                .enumerate()
                .map(|(index, kind)| Bar {
                    color: COLORS[index % COLORS.len()].to_owned(),
                    value: self.rows.find(*kind, bytes, workers).map(value).filter(|value| value.is_finite()),
                    interval: None,
                })
                .collect(),
        };
        let has_some = |group: &Group| group.bars.iter().any(|bar| bar.value.is_some());
        let groups: Vec<Group> = self.rows.sizes().into_iter().map(group).filter(has_some).collect();
        self.drawn(&format!("{name}-{workers}"), title, unit, &groups)
    }

    /// The ciphers without a server: what the published figure 1 shows, and the same of this machine.
    fn raw(&self, here: Option<f64>) -> Markup {
        let words = &self.messages.tls;
        let Some(here) = here else { return html! { p.note { (words.no_raw_ratio) } } };
        let of = |label: String, value: f64, color: &str| Group {
            label,
            bars: vec![Bar { color: color.to_owned(), value: Some(value), interval: None }],
        };
        let mut groups: Vec<Group> =
            NGINX.bars().into_iter().map(|(machine, ratio)| of(machine, ratio, "var(--s7)")).collect();
        groups.push(of(words.this_machine.to_owned(), here, "var(--s0)"));
        html! { div.wide { (self.drawn("raw", words.figure_raw.to_owned(), words.times, &groups)) } }
    }

    fn drawn(&self, name: &str, title: String, unit: &str, groups: &[Group]) -> Markup {
        bars(format!("{}-{name}", self.id), title, unit, groups)
    }
}
