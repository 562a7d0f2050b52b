//! The page: `kasoku-report.html`, one file that needs nothing else, for people who were not there.
//!
//! No script and no request: the policy in its head forbids both, so that a run from elsewhere can be opened without
//! thought. It follows the reader's light or dark mode and prints.

pub(crate) mod parts;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::acceleration::Acceleration;
use crate::algorithm::{Algorithm, Kind};
use crate::document::{Document, Series, Unit};
use crate::measure::statistics::Comparison;
use crate::workload::Operation;

use super::chart::{self, Bar, Caption, Curve, Group, Point};
use super::english::ENGLISH;
use super::grid::{self, KINDS, Line};
use super::packets::{self, PACKETS};
use super::quantity::{Scale, figure, plus_minus, size, spread, times};
use super::selection::{Contender, PRIMITIVES, Selection, Task};
use super::terminal;
use super::verdict::{self, Finding};
use super::visible::short;
use parts::{mark, scroll, sentence, swatch, table};

const STYLE: &str = include_str!("report.css");

/// Nothing may be fetched or run; style is the page's own.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Colours for stacks in `report.css`.
const STACK_COLORS: usize = 8;

/// The page for these runs, one after the other.
pub fn render(documents: &[&Document]) -> String {
    let title = match documents {
        [only] => format!("Kasoku: {}", short(&only.machine.cpu, 80)),
        _ => format!("Kasoku: {} runs", documents.len()),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                @for (index, document) in documents.iter().enumerate() {
                    (Page::new(document, index + 1).whole())
                }
                footer { p { "Made by Kasoku. This page is one file: it loads nothing and runs nothing." } }
            }
        }
    };
    page.into_string()
}

struct Page<'a> {
    document: &'a Document,
    selection: Selection<'a>,
    primary: Option<Contender>,
    /// Before every id, so that several runs can share a page.
    prefix: String,
}

impl<'a> Page<'a> {
    fn new(document: &'a Document, number: usize) -> Self {
        let selection = Selection::new(document);
        let primary = selection.primary().cloned();
        Page { document, selection, primary, prefix: format!("r{number}") }
    }

    fn whole(&self) -> Markup {
        let findings = verdict::findings(self.document);
        let headline = (ENGLISH.headline)(&findings);
        // What packets show in detail stands with their figures.
        let is_told = |finding: &&Finding| !matches!(finding, Finding::Packets(finding) if !finding.leads());
        let told: Vec<String> = findings.iter().filter(is_told).map(ENGLISH.sentence).collect();
        let machine = &self.document.machine;
        let cpu = if machine.cpu.is_empty() { "an unnamed CPU".to_owned() } else { short(&machine.cpu, 100) };
        html! {
            header {
                p.brand { "Kasoku" span { " · what cryptographic acceleration is worth on a machine" } }
                h1 { (cpu) }
                @if !self.document.run.complete {
                    p.alert role="alert" {
                        strong { "Incomplete run." }
                        " It did not reach its end. The figures below are what it had; nothing is compared or ranked."
                    }
                }
                p.headline { (sentence(&headline)) }
                p.facts { (self.facts()) }
                @for note in &self.document.run.notes { p.note { (short(note, 400)) } }
            }
            main {
                (self.key_figures())
                section aria-labelledby=(self.id("verdict")) {
                    h2 id=(self.id("verdict")) { "Verdict" }
                    ul.verdict { @for text in &told { li { (sentence(text)) } } }
                }
                (self.charts())
                (self.ratios())
                (self.rankings())
                (packets::section(self.document, &self.prefix))
                (self.tables())
                (self.lists())
                (self.background())
            }
        }
    }

    fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    fn facts(&self) -> String {
        let machine = &self.document.machine;
        let mut facts = vec![format!("{} logical CPUs", machine.cores)];
        facts.extend(machine.os.as_deref().map(|os| short(os, 60)));
        facts.extend(machine.hypervisor.as_deref().map(|name| format!("under {}", short(name, 30))));
        facts.push(short(&self.document.run.started, 40));
        facts.retain(|fact| !fact.is_empty());
        facts.join(" · ")
    }

    fn key_figures(&self) -> Markup {
        let findings = verdict::findings(self.document);
        let mut cards: Vec<(String, String, String)> = Vec::new();
        for finding in &findings {
            if let Finding::Accelerated { algorithm, claim, .. } = finding {
                let task = Task::main(*algorithm);
                let speed = |state| {
                    let series = self.selection.ranked(self.primary.as_ref()?, state, task, claim.bytes)?;
                    Some(figure(series.median?, series.unit))
                };
                let (on, off) = (speed(Acceleration::On), speed(Acceleration::Off));
                let detail = format!("{} instead of {}", on.unwrap_or_default(), off.unwrap_or_default());
                cards.push((
                    format!("{}×", times(claim.ratio)),
                    format!("{} with acceleration", algorithm.title()),
                    detail,
                ));
            }
        }
        for algorithm in [Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305] {
            let Some((primary, bytes)) = self.primary.as_ref().zip(self.selection.yardstick(Kind::Aead)) else {
                continue;
            };
            if let Some((who, series)) = self.selection.ranking(primary, Task::main(algorithm), bytes).first() {
                let speed = figure(series.median.unwrap_or_default(), series.unit);
                let detail = format!("{}, {}", size(bytes), self.selection.full_label(who));
                cards.push((speed, format!("{} at best", algorithm.title()), detail));
            }
        }
        cards.extend(packets::cards(self.document));
        html! {
            @if !cards.is_empty() {
                section.key aria-label="Key figures" {
                    @for (value, name, detail) in &cards {
                        div.card { p.value { (value) } p.name { (name) } p.detail { (detail) } }
                    }
                }
            }
        }
    }

    /// The series, if it may be drawn: verified and with a figure, whether or not the run reached its end.
    fn drawn(&self, who: &Contender, state: Acceleration, task: Task, bytes: usize) -> Option<&'a Series> {
        let series = self.selection.series(who, state, task, bytes)?;
        (series.is_ranked() && super::selection::sound_figure(series).is_some()).then_some(series)
    }

    fn charts(&self) -> Markup {
        let Some(primary) = &self.primary else { return html! {} };
        html! {
            section aria-labelledby=(self.id("charts")) {
                h2 id=(self.id("charts")) { "Throughput" }
                @for kind in [Kind::Cipher, Kind::Aead, Kind::Hash] { (self.kind(primary, kind)) }
                (self.public_key(primary))
            }
        }
    }

    fn kind(&self, primary: &Contender, kind: Kind) -> Markup {
        let tasks = self.selection.tasks(kind);
        let Some(bytes) = self.selection.yardstick(kind) else { return html! {} };
        let label = self.selection.full_label(primary);
        let slug = kind.title().to_lowercase().replace(' ', "-");
        let has_several = tasks.iter().any(|task| *task != Task::main(task.algorithm));
        let of_operation = |operation: &Operation| {
            let groups: Vec<Group> = tasks
                .iter()
                .filter(|task| task.operation == *operation)
                .map(|task| (task.algorithm.title(), self.on_and_off(primary, *task, bytes)))
                .filter(|(_, bars)| bars.iter().any(|bar| bar.value.is_some()))
                .map(|(label, bars)| Group { label: label.to_owned(), bars })
                .collect();
            let what = if has_several { format!("{}, {operation},", kind.title()) } else { kind.title().to_owned() };
            let title = format!("{what} with {label} at {}", size(bytes));
            self.bars(&format!("{slug}-{operation}-bars"), title, groups, Unit::BytesPerSecond)
        };
        let overviews: Vec<Markup> = Operation::of(kind).iter().filter_map(of_operation).collect();
        let stacks: Vec<Markup> = if kind == Kind::Aead {
            let aeads = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305];
            aeads.iter().filter_map(|algorithm| self.stacks(primary, *algorithm, bytes)).collect()
        } else {
            Vec::new()
        };
        let curves: Vec<Markup> = tasks.iter().filter_map(|task| self.curves(primary, *task)).collect();
        html! {
            h3 { (kind.title()) }
            @if !overviews.is_empty() || !stacks.is_empty() {
                p.legend {
                    (swatch("var(--on)", false)) "acceleration on"
                    @if self.has_off(kind) { (swatch("var(--off)", false)) "acceleration off" }
                }
                div.wide { @for chart in overviews.iter().chain(&stacks) { (chart) } }
            }
            @if !curves.is_empty() {
                (self.legend(kind))
                div.small { @for chart in &curves { (chart) } }
            }
        }
    }

    fn on_and_off(&self, who: &Contender, task: Task, bytes: usize) -> Vec<Bar> {
        let bar = |state, color: &str| {
            let series = self.drawn(who, state, task, bytes);
            Bar { color: color.to_owned(), value: series.and_then(|s| s.median), interval: series.and_then(|s| s.ci95) }
        };
        vec![bar(Acceleration::On, "var(--on)"), bar(Acceleration::Off, "var(--off)")]
    }

    fn stacks(&self, primary: &Contender, algorithm: Algorithm, bytes: usize) -> Option<Markup> {
        let task = Task::main(algorithm);
        let groups: Vec<Group> = self
            .selection
            .peers(primary)
            .map(|who| Group { label: self.selection.label(who), bars: self.on_and_off(who, task, bytes) })
            .filter(|group| group.bars.iter().any(|bar| bar.value.is_some()))
            .map(|group| Group { label: short(&group.label, 22), ..group })
            .collect();
        if groups.len() < 2 {
            return None;
        }
        let title = format!("{} by stack at {}", task.title(), size(bytes));
        self.bars(&format!("{algorithm}-stacks"), title, groups, Unit::BytesPerSecond)
    }

    /// A bar chart; its figures come in the series' unit and leave in one that fits.
    fn bars(&self, name: &str, title: String, mut groups: Vec<Group>, unit: Unit) -> Option<Markup> {
        let largest = groups.iter().flat_map(|group| &group.bars).filter_map(|bar| bar.value).fold(0.0, f64::max);
        let scale = Scale::fitting(unit, largest);
        // A state that nothing was measured in takes no room.
        let width = groups.iter().filter_map(|group| group.bars.iter().rposition(|bar| bar.value.is_some())).max()? + 1;
        let mut parts = Vec::new();
        for group in &mut groups {
            group.bars.truncate(width);
            for bar in &mut group.bars {
                bar.value = bar.value.map(|value| scale.apply(value));
                bar.interval = bar.interval.map(|interval| interval.map(|value| scale.apply(value)));
            }
            let values: Vec<String> =
                group.bars.iter().filter_map(|bar| bar.value.map(super::quantity::digits)).collect();
            parts.push(format!("{} {}", group.label, values.join(" and ")));
        }
        let description = format!("Bars in {}: {}.", scale.name, parts.join("; "));
        let caption = Caption { id: self.id(name), title: title.clone(), description };
        let svg = chart::bars(&caption, &groups)?;
        Some(html! { figure { figcaption { strong { (title) } span.worth { (scale.name) } } (PreEscaped(svg)) } })
    }

    fn curves(&self, primary: &Contender, task: Task) -> Option<Markup> {
        let sizes = self.selection.sizes_of(task);
        let lines = || {
            self.selection
                .peers(primary)
                .flat_map(move |who| [Acceleration::Off, Acceleration::On].into_iter().map(move |state| (who, state)))
        };
        let series = |who: &Contender, state| -> Vec<&'a Series> {
            sizes.iter().filter_map(|bytes| self.drawn(who, state, task, *bytes)).collect()
        };
        let largest = lines()
            .flat_map(|(who, state)| series(who, state))
            .filter(|series| series.unit == Unit::BytesPerSecond)
            .filter_map(|series| series.median)
            .fold(0.0, f64::max);
        let scale = Scale::fitting(Unit::BytesPerSecond, largest);
        let point = |series: &&Series| {
            let value = scale.apply(series.median?);
            let interval = series.ci95.map(|interval| interval.map(|value| scale.apply(value)));
            (series.unit == Unit::BytesPerSecond).then_some(Point { bytes: series.bytes, value, interval })
        };
        let curve = |(who, state): (&Contender, Acceleration)| Curve {
            color: self.color(who),
            is_dashed: state == Acceleration::Off,
            is_main: who == primary,
            points: series(who, state).iter().filter_map(point).collect(),
        };
        let curves: Vec<Curve> = lines().map(curve).filter(|curve| !curve.points.is_empty()).collect();
        let end = |state| {
            let series = series(primary, state);
            let (first, last) = (series.first()?, series.last()?);
            let at = |series: &Series| {
                format!("{} at {}", figure(series.median.unwrap_or(0.0), series.unit), size(series.bytes))
            };
            Some(format!(
                "{} with acceleration {state}: {}, {}",
                self.selection.full_label(primary),
                at(first),
                at(last)
            ))
        };
        let ends: Vec<String> = [Acceleration::On, Acceleration::Off].into_iter().filter_map(end).collect();
        let description = format!("Throughput by size, {} lines. {}.", curves.len(), ends.join(". "));
        let title = task.title();
        let id = self.id(&format!("{}-{}", task.algorithm, task.operation));
        let svg = chart::curves(&Caption { id, title: format!("{title} by size"), description }, scale.name, &curves)?;
        let worth = self.worth(primary, task, &sizes);
        Some(html! {
            figure {
                figcaption { strong { (title) } @if let Some(worth) = worth { span.worth { (worth) } } }
                (PreEscaped(svg))
            }
        })
    }

    /// What acceleration is worth at the size that stands for the task.
    fn worth(&self, primary: &Contender, task: Task, sizes: &[usize]) -> Option<String> {
        let bytes = super::selection::yardstick(sizes)?;
        let gain = self.selection.gain(primary, task, bytes)?;
        Some(if gain.is_shown { format!("{}× when on", times(gain.ratio)) } else { "no difference shown".to_owned() })
    }

    fn public_key(&self, primary: &Contender) -> Markup {
        let kinds: Vec<Kind> = KINDS.into_iter().filter(|kind| !kind.is_bulk()).collect();
        let mut charts = Vec::new();
        for kind in kinds {
            let group = |task: &Task| {
                let bytes = self.selection.sizes_of(*task).first().copied()?;
                let series = self.drawn(primary, Acceleration::On, *task, bytes)?;
                let bar = Bar { color: "var(--on)".to_owned(), value: series.median, interval: series.ci95 };
                (series.unit == Unit::OperationsPerSecond).then(|| Group { label: task.title(), bars: vec![bar] })
            };
            let groups: Vec<Group> = self.selection.tasks(kind).iter().filter_map(group).collect();
            let slug = kind.title().to_lowercase().replace(' ', "-");
            let title = format!("{} with {}", kind.title(), self.selection.full_label(primary));
            charts.extend(self.bars(&format!("{slug}-bars"), title, groups, Unit::OperationsPerSecond));
        }
        html! { @if !charts.is_empty() { h3 { "Public keys" } div.wide { @for chart in &charts { (chart) } } } }
    }

    fn color(&self, who: &Contender) -> String {
        let place = self.selection.contenders().iter().position(|other| other == who).unwrap_or(0);
        format!("var(--s{})", place % STACK_COLORS)
    }

    /// Which line is whose, of those that have one in charts of that kind.
    fn legend(&self, kind: Kind) -> Markup {
        let Some(primary) = &self.primary else { return html! {} };
        let has_line = |who: &&Contender| self.is_drawn(who, kind, &[Acceleration::On, Acceleration::Off]);
        html! {
            p.legend {
                @for who in self.selection.peers(primary).filter(has_line) {
                    (swatch(&self.color(who), false)) (self.selection.full_label(who))
                }
                @if self.has_off(kind) {
                    span.apart { (swatch("var(--muted)", false)) "on" (swatch("var(--muted)", true)) "off" }
                }
            }
        }
    }

    fn has_off(&self, kind: Kind) -> bool {
        self.selection.contenders().iter().any(|who| self.is_drawn(who, kind, &[Acceleration::Off]))
    }

    /// Whether anything of that kind is drawn for `who` in one of these states.
    fn is_drawn(&self, who: &Contender, kind: Kind, states: &[Acceleration]) -> bool {
        let at = |task: Task, bytes| states.iter().any(|state| self.drawn(who, *state, task, bytes).is_some());
        self.selection
            .tasks(kind)
            .into_iter()
            .any(|task| self.selection.sizes_of(task).into_iter().any(|b| at(task, b)))
    }

    fn ratios(&self) -> Markup {
        if !self.document.run.complete {
            return html! {};
        }
        let tables: Vec<Markup> = KINDS.into_iter().filter_map(|kind| self.ratio_table(kind)).collect();
        html! {
                   @if !tables.is_empty() {
                       section aria-labelledby=(self.id("ratios")) {
                           h2 id=(self.id("ratios")) { "What acceleration is worth" }
                           p {
                               "How many times as fast with acceleration on as with it off: the median of the ratios within rounds, "
                               "and its 95 % interval. "
        "“=”: no difference shown, since the interval does not lie beyond the noise floor."
                           }
                           @for table in &tables { (table) }
                       }
                   }
               }
    }

    fn ratio_table(&self, kind: Kind) -> Option<Markup> {
        let sizes = self.selection.sizes(kind);
        let mut rows = Vec::new();
        for task in self.selection.tasks(kind) {
            for who in self.selection.contenders() {
                let gains: Vec<_> = sizes.iter().map(|bytes| self.selection.gain(who, task, *bytes)).collect();
                if gains.iter().any(Option::is_some) {
                    rows.push((task, who, gains));
                }
            }
        }
        let is_equal = |gains: &[Option<Comparison>]| gains.iter().all(|gain| gain.is_some_and(|gain| !gain.is_shown));
        if !rows.is_empty() && rows.iter().all(|(_, _, gains)| is_equal(gains)) {
            let mut stacks: Vec<String> = Vec::new();
            for (_, who, _) in &rows {
                let label = self.selection.full_label(who);
                if !stacks.contains(&label) {
                    stacks.push(label);
                }
            }
            return Some(
                html! { p { strong { (kind.title()) } ": no difference shown anywhere (" (stacks.join(", ")) ")." } },
            );
        }
        let at = self.selection.yardstick(kind)?;
        let lead = |who: &Contender, task| terminal::against_slowest(&self.selection, who, task, at);
        (!rows.is_empty()).then(|| {
            scroll(&format!("{}: on over off", kind.title()), html! {
                thead {
                    tr {
                        th scope="col" { "algorithm" }
                        th scope="col" { "stack" }
                        @for bytes in &sizes { th.number scope="col" { (column(kind, *bytes, "on over off")) } }
                        @if kind.is_bulk() { th.number scope="col" { "times the" br; "slowest" small { "on, " (size(at)) } } }
                    }
                }
                tbody {
                    @for (task, who, gains) in &rows {
                        tr {
                            th scope="row" { (task.title()) }
                            td { (self.selection.full_label(who)) }
                            @if is_equal(gains) {
                                td.none colspan=(gains.len()) { "no difference shown" }
                            } @else {
                            @for gain in gains {
                                @match gain {
                                    Some(gain) if gain.is_shown => td.number {
                                        (times(gain.ratio)) "×" small { (terminal::interval(*gain)) }
                                    },
                                    Some(_) => td.number.none { abbr title="no difference shown" { "=" } },
                                    None => td {},
                                }
                            }
                            }
                            @if kind.is_bulk() {
                                td.number { @if let Some(ratio) = lead(who, *task) { (times(ratio)) "×" } }
                            }
                        }
                    }
                }
            })
        })
    }

    fn rankings(&self) -> Markup {
        let Some(primary) = self.primary.as_ref().filter(|_| self.document.run.complete) else { return html! {} };
        let Some(grid) = terminal::fastest(&self.selection, primary).filter(|grid| !grid.rows.is_empty()) else {
            return html! {};
        };
        html! {
            section aria-labelledby=(self.id("fastest")) {
                h2 id=(self.id("fastest")) { "The fastest stack" }
                (table(&grid))
            }
        }
    }

    fn tables(&self) -> Markup {
        // Those of packets stand in their own section.
        let levels: Vec<&str> = grid::levels(self.document).into_iter().filter(|level| *level != PACKETS).collect();
        html! {
            @if !levels.is_empty() { section aria-labelledby=(self.id("figures")) {
                h2 id=(self.id("figures")) { "Every figure" }
                p {
                    "Medians; below each, half its 95 % interval. " span.good { "✓" } " the output agreed with an independent "
                    "implementation or published vectors; " span.bad { "!" } " it was not verified, and is not ranked or compared."
                }
                @for level in &levels {
                    @if *level != PRIMITIVES { h3 { (short(level, 40)) } }
                    @let selection = Selection::of_level(self.document, level);
                    @for kind in KINDS { (figures(&selection, kind)) }
                }
            } }
        }
    }

    fn lists(&self) -> Markup {
        let problems = grid::problems(self.document);
        let omissions = grid::omissions(self.document);
        html! {
            @if !problems.rows.is_empty() || !omissions.rows.is_empty() {
                section aria-labelledby=(self.id("missing")) {
                    h2 id=(self.id("missing")) { "What is missing" }
                    @for grid in [&problems, &omissions] { @if !grid.rows.is_empty() { (table(grid)) } }
                }
            }
        }
    }

    fn background(&self) -> Markup {
        let pairs = |rows: Vec<(&'static str, String)>| {
            html! { dl { @for (name, value) in &rows { div { dt { (name) } dd { (value) } } } } }
        };
        let command = short(&self.document.run.command, 1000);
        html! {
            section.two {
                div { h2 { "Machine" } (pairs(grid::machine(self.document))) }
                div {
                    h2 { "Method" }
                    (pairs(grid::method(self.document)))
                    p {
                        "Every stack runs in a process of its own for each acceleration state. Rounds visit them in shuffled "
                        "order, so that drift hits all alike; slices in which the thread did not have its core to itself are "
                        "dropped. Ratios are taken within rounds, intervals by bootstrap over rounds nested in processes."
                    }
                }
            }
            section {
                h2 { "To repeat it" }
                pre { code { (command) } }
                p { "Run " code { (short(&self.document.run.id, 80)) } "." }
            }
        }
    }
}

/// All figures of a kind.
fn figures(selection: &Selection<'_>, kind: Kind) -> Markup {
    let sizes = selection.sizes(kind);
    let lines = grid::lines(selection, kind, &sizes);
    let Some(unit) = lines.iter().flat_map(|line| line.cells.iter().flatten()).map(|series| series.unit).next() else {
        return html! {};
    };
    let scale = Scale::of_table(unit);
    let mut groups: Vec<Vec<&Line<'_>>> = Vec::new();
    for line in &lines {
        match groups.last_mut().filter(|group| group.first().is_some_and(|first| first.task == line.task)) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    scroll(
        &format!("{}, {}", kind.title(), scale.name),
        html! {
            thead {
                tr {
                    th scope="col" { "algorithm" }
                    th scope="col" { "stack" }
                    th scope="col" { "state" }
                    th scope="col" { "code path" }
                    th scope="col" { abbr title="verified" { "✓" } }
                    @for bytes in &sizes { th.number scope="col" { (column(kind, *bytes, scale.name)) } }
                }
            }
            @for group in &groups {
                tbody {
                    @for (index, line) in group.iter().enumerate() {
                        tr {
                            @if index == 0 { th scope="rowgroup" rowspan=(group.len()) { (line.task.title()) } }
                            td { (selection.full_label(line.who)) }
                            td { (line.state) }
                            td.path { (line.code_path()) }
                            td { @if line.has_figure() { (mark(line.is_verified())) } }
                            @for series in &line.cells { (cell(*series, unit)) }
                        }
                    }
                }
            }
        },
    )
}

fn cell(series: Option<&Series>, unit: Unit) -> Markup {
    let Some(series) = series else { return html! { td {} } };
    let scale = Scale::of_table(series.unit);
    let Some(value) = super::selection::sound_figure(series) else {
        return html! { td.number.none title=(short(series.note.as_deref().unwrap_or_default(), 200)) { "failed" } };
    };
    html! {
        td.number {
            (scale.write(value))
            @if series.unit != unit { " " (scale.name) }
            @if !series.verified { span.bad { "!" } }
            @if let Some(half) = spread(series).map(|_| plus_minus(series)) { small { (half.unwrap_or_default()) } }
        }
    }
}

/// The heading of a column of figures.
fn column(kind: Kind, bytes: usize, otherwise: &str) -> String {
    if kind.is_bulk() { size(bytes) } else { otherwise.to_owned() }
}
