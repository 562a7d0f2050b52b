//! The page's section about encrypted files: what it means in words, the published tables and figures made again beside
//! the published ones, the parts of the system, the log.

use std::ops::Range;

use maud::{Markup, html};

use crate::chart::{Bar, Group, LegendEntry};
use crate::html::contents::{Section, fold};
use crate::html::gallery::Gallery;
use crate::html::legend::legend;
use crate::html::parts::{self, told};
use crate::html::table::table;
use crate::language::Messages;
use crate::quantity::size;
use crate::reproduction::JAVA;
use crate::table::{Over, Table};
use crate::visible::short;
use kasoku_model::document::Document;
use kasoku_model::workload::Operation;

use super::finding::findings;
use super::log::log;
use super::selection::{COLUMNS, FileContender, FileSelection};
use super::tables;

/// Lines of the log on the page; all of them are written with `--log`.
const MAX_LINES: usize = 400;
/// Colours of the four bars of a size: those of [`COLUMNS`].
const COLORS: [&str; 4] = ["var(--off)", "var(--s7)", "var(--on)", "var(--s4)"];
/// Colours of the two key lengths.
const KEY_COLORS: [&str; 2] = ["var(--s0)", "var(--s2)"];

/// The columns of the published tables that hold times, in the order of [`COLUMNS`], and those of improvements.
const TIMES: Range<usize> = 2..6;
const IMPROVEMENTS: Range<usize> = 6..8;

/// The section; `None` if the document has no files.
pub(crate) fn section(document: &Document, gallery: &Gallery, messages: &'static Messages) -> Option<Section> {
    let lines = FileSelection::new(document, messages);
    if lines.all.is_empty() {
        return None;
    }
    let words = &messages.files;
    let part = Part { document, lines: &lines, gallery, messages };
    let findings = findings(document, messages);
    let body = html! {
        (told(findings.iter().map(|finding| finding.sentence(messages.language))))
        @if let Some(grid) = tables::overview(&lines, messages) { (table(&grid)) }
        (fold(words.more, html! {
            p { (words.explained) }
            (part.figures())
            @for key_bytes in [16, 32] { (part.tables(key_bytes)) }
            (part.components())
            (part.log())
        }))
    };
    Some(Section::of_class(Some("files"), gallery.id("files"), words.title, body))
}

struct Part<'a> {
    document: &'a Document,
    lines: &'a FileSelection<'a>,
    gallery: &'a Gallery,
    messages: &'static Messages,
}

impl Part<'_> {
    /// The four figures, each beside the published one.
    fn figures(&self) -> Markup {
        let words = &self.messages.files;
        let (columns, lengths) = (self.columns(), key_lengths());
        let keys = [(16, 128), (32, 256)];
        let improvements = [(0, Operation::Encrypt), (1, Operation::Decrypt)];
        html! {
            @if keys.iter().any(|(key_bytes, _)| self.lines.primary(*key_bytes).is_some()) {
                h3 { (words.figures) }
                (legend(&columns))
                @for (key_bytes, bits) in keys {
                    @if let Some(line) = self.lines.primary(key_bytes) {
                        div.wide {
                            (self.times(line, bits))
                            (self.published_times(bits))
                        }
                    }
                }
                (legend(&lengths))
                @for (index, operation) in improvements {
                    div.wide {
                        (self.improvements(operation))
                        (self.published_improvements(index, operation))
                    }
                }
            }
        }
    }

    /// What the four bars of a size are.
    fn columns(&self) -> Vec<LegendEntry> {
        let words = &self.messages.files;
        let names = [words.encrypt_off, words.decrypt_off, words.encrypt_on, words.decrypt_on];
        COLORS.iter().zip(names).map(|(color, name)| LegendEntry::color(color, name)).collect()
    }

    fn times(&self, line: &FileContender<'_>, bits: u32) -> Markup {
        let words = &self.messages.files;
        let groups = line.sizes().into_iter().map(|bytes| Group {
            label: size(bytes),
            bars: bars(COLUMNS.map(|(operation, state)| line.mean(bytes, operation, state, None)).map(in_ms), &COLORS),
        });
        let title = (words.figure_times)(line.algorithm.title(), &line.who(words.threads));
        self.figure(&format!("times-{bits}"), title, words.milliseconds, groups.collect(), &self.columns())
    }

    fn published_times(&self, bits: u32) -> Markup {
        let words = &self.messages.files;
        let groups = JAVA
            .means(&format!("aes-{bits}"), TIMES)
            .into_iter()
            .map(|(label, times)| Group { label, bars: bars(times, &COLORS) })
            .collect();
        let title = (words.figure_times)(&format!("AES-{bits}"), words.published);
        self.figure(&format!("published-times-{bits}"), title, words.milliseconds, groups, &self.columns())
    }

    fn improvements(&self, operation: Operation) -> Markup {
        let words = &self.messages.files;
        let of_keys = [16, 32].map(|key_bytes| self.lines.primary(key_bytes));
        let sizes: std::collections::BTreeSet<usize> =
            of_keys.iter().flatten().flat_map(|line| line.compared_sizes()).collect();
        let groups = sizes.into_iter().map(|bytes| Group {
            label: size(bytes),
            bars: bars(of_keys.map(|line| line?.improvement(bytes, operation, None)), &KEY_COLORS),
        });
        let who = of_keys.into_iter().flatten().next().map(|line| line.who(words.threads));
        let title = (words.figure_improvement)(operation, who.as_deref().unwrap_or(words.published));
        self.figure(&format!("improvement-{operation}"), title, "%", groups.collect(), &key_lengths())
    }

    fn published_improvements(&self, index: usize, operation: Operation) -> Markup {
        let words = &self.messages.files;
        let [short_keys, long_keys] =
            ["aes-128", "aes-256"].map(|id| JAVA.means(id, IMPROVEMENTS.start + index..IMPROVEMENTS.start + index + 1));
        let groups = short_keys
            .into_iter()
            .zip(long_keys)
            .map(|((label, one), (_, other))| Group { label, bars: bars([one, other].concat(), &KEY_COLORS) })
            .collect();
        let title = (words.figure_improvement)(operation, words.published);
        self.figure(&format!("published-improvement-{operation}"), title, "%", groups, &key_lengths())
    }

    fn figure(&self, name: &str, title: String, unit: &str, groups: Vec<Group>, legend: &[LegendEntry]) -> Markup {
        parts::bars(self.gallery, &format!("files-{name}"), title, unit, &groups, legend)
    }

    /// The table of a key length, beside the published one; those of other libraries behind a fold.
    fn tables(&self, key_bytes: usize) -> Markup {
        let words = &self.messages.files;
        let primary = self.lines.primary(key_bytes);
        let is_other = |line: &&FileContender<'_>| {
            line.algorithm.key_bytes() == key_bytes && primary.is_none_or(|primary| !std::ptr::eq(*line, primary))
        };
        let others: Vec<Table> = self.lines.all.iter().filter(is_other).map(|line| self.test_runs(line)).collect();
        html! {
            @if primary.is_some() || !others.is_empty() {
                h3 { "AES-" (key_bytes * 8) }
                @if let Some(line) = primary { (table(&self.test_runs(line))) }
                @if let Some(theirs) = JAVA.table(&format!("aes-{}", key_bytes * 8), self.messages) { (table(&theirs)) }
                @if !others.is_empty() {
                    details { summary { (words.other_libraries) } @for grid in &others { (table(grid)) } }
                }
            }
        }
    }

    fn test_runs(&self, line: &FileContender<'_>) -> Table {
        let mut grid = tables::test_runs(line, self.messages);
        if line.files != super::selection::USUAL {
            grid.title = format!("{} ({})", grid.title, (self.messages.files.place)(line.files));
        }
        grid
    }

    /// What the system is made of, beside that of the published measurement.
    fn components(&self) -> Markup {
        let words = &self.messages.files;
        let machine = &self.document.machine;
        let memory = machine.memory.map(|bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1u32 << 30)));
        let hardware: Vec<String> =
            [Some(short(&machine.cpu, 100)), Some((self.messages.facts.cores)(machine.cores)), memory]
                .into_iter()
                .flatten()
                .collect();
        let system =
            format!("{} ({})", short(machine.os.as_deref().unwrap_or_default(), 80), short(&machine.kernel, 80));
        let mut applications: Vec<String> = Vec::new();
        for line in &self.lines.all {
            let name = format!("{} {}", short(line.library, 40), short(line.version, 60));
            if !applications.contains(&name) {
                applications.push(name);
            }
        }
        let kasoku = format!("kasoku {}", short(&self.document.run.kasoku, 40));
        let joined = |parts: &[String]| parts.join(self.messages.words.comma);
        let parts = [
            (words.hardware, joined(&hardware)),
            (words.operating_system, system),
            (words.applications, joined(&applications)),
            (words.measured_by, kasoku),
        ];
        let own = Over::new(words.components, &parts)
            .words(words.component, |(part, _)| *part)
            .words(words.detail, |(_, detail)| detail.as_str())
            .table();
        html! {
            (table(&own))
            @if let Some(machine) = JAVA.source.machines.first() {
                details {
                    summary { (words.published_components) }
                    // Its words are the source's own.
                    div lang="ja" {
                        dl { @for part in &machine.components { div { dt { (part.printed) } dd { (part.detail) } } } }
                    }
                    p.note { (short(&JAVA.source.title, 200)) ", " (JAVA.source.credit()) }
                }
            }
        }
    }

    fn log(&self) -> Markup {
        let words = &self.messages.files;
        let log = log(self.document);
        let all = log.lines().count();
        let shown: String = log.lines().take(MAX_LINES).map(|line| format!("{line}\n")).collect();
        html! {
            @if all > 0 {
                details {
                    summary { (words.log) }
                    @if all > MAX_LINES { p.note { ((words.log_cut)(MAX_LINES, all)) } }
                    pre lang="en" { (shown) }
                }
            }
        }
    }
}

/// What the two bars of a size are.
fn key_lengths() -> Vec<LegendEntry> {
    KEY_COLORS.iter().zip([128, 256]).map(|(color, bits)| LegendEntry::color(color, format!("AES-{bits}"))).collect()
}

fn in_ms(seconds: Option<f64>) -> Option<f64> {
    seconds.map(|seconds| seconds * 1e3)
}

fn bars(values: impl IntoIterator<Item = Option<f64>>, colors: &[&str]) -> Vec<Bar> {
    let bar = |(value, color): (Option<f64>, &&str)| Bar { color: (*color).to_owned(), value, interval: None };
    values.into_iter().zip(colors).map(bar).collect()
}
