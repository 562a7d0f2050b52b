//! The summary on the terminal after a run: what people know from `openssl speed`, with acceleration on and off.
//!
//! It fits 100 columns. Of the libraries it shows one in full (that with most algorithms both on and off) and the fastest
//! for each algorithm; every figure is in the page and in `kasoku show`.

use anstyle::{AnsiColor, Style};

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Kind;
use kasoku_model::document::{Document, Unit};
use kasoku_model::language::Language;

use super::grid::{self, Grid, KINDS, Line};
use super::language::{Messages, Words, messages};
use super::quantity::{Scale, size, times};
use super::selection::{Contender, Selection, Task, Worth};
use super::verdict;
use super::visible::short;
use super::width::{columns_of, wrap};

/// The columns that every line keeps to where the libraries' own names allow.
pub const WIDTH: usize = 100;

/// As many sizes as fit.
const SIZES: usize = 7;

const BOLD: Style = Style::new().bold();
const WARNING: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// The summary of `document` in `language`; with ANSI colours if `color`.
pub fn summary(document: &Document, color: bool, language: Language) -> String {
    let messages = messages(language);
    let mut page = Page { text: String::new(), color, messages };
    page.head(document);
    let selection = Selection::new(document, messages);
    if let Some(primary) = selection.primary() {
        for kind in [Kind::Cipher, Kind::Aead, Kind::Hash] {
            page.grid(throughput(&selection, primary, kind));
        }
        page.grid(public_key(&selection, primary));
        if document.run.complete {
            page.grid(gains(&selection, primary));
            page.grid(fastest(&selection, primary));
        }
    }
    for grid in super::packets::summary(document, messages) {
        page.grid(Some(grid));
    }
    for grid in super::transfer::summary(document, messages) {
        page.grid(Some(grid));
    }
    for grid in super::files::summary(document, messages) {
        page.grid(Some(grid));
    }
    for grid in super::jvm::summary(document, messages) {
        page.grid(Some(grid));
    }
    for grid in super::tls::summary(document, messages) {
        page.grid(Some(grid));
    }
    page.list(&grid::problems(document, messages));
    page.list(&grid::omissions(document, messages));
    page.verdict(document);
    page.text
}

struct Page {
    text: String,
    color: bool,
    messages: &'static Messages,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn styled(&mut self, style: Style, line: &str) {
        if self.color {
            self.line(&format!("{style}{line}{style:#}"));
        } else {
            self.line(line);
        }
    }

    fn wrapped(&mut self, first: &str, text: &str) {
        let indent = " ".repeat(columns_of(first));
        for (index, line) in wrap(text, WIDTH - indent.len()).iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { first } else { &indent }));
        }
    }

    fn head(&mut self, document: &Document) {
        let machine = &document.machine;
        let (facts, words) = (&self.messages.facts, &self.messages.terminal);
        let mut parts = vec![short(machine.label(), 60)];
        parts.extend(machine.name.is_some().then(|| short(&machine.cpu, 60)));
        parts.extend((machine.cores > 0).then(|| (facts.cores)(machine.cores)));
        parts.push(short(machine.os.as_deref().unwrap_or(&machine.kernel), 40));
        parts.extend(machine.hypervisor.as_deref().map(|name| (facts.under)(&short(name, 20))));
        parts.retain(|part| !part.is_empty());
        self.wrapped("", &parts.join(" · "));
        if let Some(origin) = &document.run.origin {
            self.wrapped("", &(self.messages.origin.what)(origin.kind, &short(&origin.source, 200)));
        }
        if !document.run.complete {
            self.styled(WARNING, words.incomplete);
        }
        for note in &document.run.notes {
            self.wrapped(words.note, &short(note, 400));
        }
    }

    fn grid(&mut self, grid: Option<Grid>) {
        let Some(grid) = grid.filter(|grid| !grid.rows.is_empty()) else { return };
        self.line("");
        self.styled(BOLD, &grid.title);
        self.line(&grid.draw());
        for note in &grid.notes {
            self.wrapped("  ", note);
        }
    }

    /// A table whose cells are sentences, as a list.
    fn list(&mut self, grid: &Grid) {
        if grid.rows.is_empty() {
            return;
        }
        self.line("");
        self.styled(WARNING, &grid.title);
        for row in &grid.rows {
            let [first, rest @ ..] = row.as_slice() else { continue };
            let rest: Vec<&str> = rest.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
            self.wrapped("  ", &(self.messages.terminal.item)(first, &rest));
        }
    }

    fn verdict(&mut self, document: &Document) {
        let verdict = verdict::verdict(document, self.messages);
        self.line("");
        self.styled(BOLD, self.messages.terminal.verdict);
        for sentence in &verdict.sentences {
            self.wrapped("- ", sentence);
        }
    }
}

fn throughput(selection: &Selection<'_>, primary: &Contender, kind: Kind) -> Option<Grid> {
    let Messages { words, tables, .. } = selection.messages;
    let all = selection.sizes(kind);
    let sizes = choose(&all, selection.yardstick(kind)?);
    let lines: Vec<Line<'_>> =
        grid::lines(selection, kind, &sizes).into_iter().filter(|line| line.who == primary).collect();
    // Where the states do not differ, one line says it.
    let is_same = |task: Task| {
        let gains: Vec<_> =
            selection.sizes_of(task).iter().map(|bytes| selection.worth(primary, task, *bytes)).collect();
        !gains.is_empty() && gains.iter().all(|gain| gain.is_some_and(|gain| !gain.is_shown))
    };
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let has_path = grid::has_code_path(selection, &lines);
    let mut headings: Vec<String> = [tables.algorithm, tables.state].map(str::to_owned).into();
    headings.extend(has_path.then(|| tables.path.to_owned()));
    let named = headings.len();
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    let mut before = None;
    let row = |line: &Line<'_>| {
        let title = if before.replace(line.task) == Some(line.task) { String::new() } else { line.task.title(words) };
        let state = if is_same(line.task) { "on, off".to_owned() } else { line.state.to_string() };
        let mut row = vec![title, state];
        row.extend(has_path.then(|| short(&line.code_path(), 11)));
        row.extend(line.cells.iter().map(|series| grid::cell(selection.document, *series, scale)));
        row
    };
    let is_shown = |line: &&Line<'_>| line.state != Acceleration::Off || !is_same(line.task);
    let rows: Vec<Vec<String>> = lines.iter().filter(is_shown).map(row).collect();
    let mut notes = grid::marks(selection, &lines);
    if rows.iter().any(|row| row.iter().any(|cell| cell == "on, off")) {
        notes.push(tables.on_off_mark.to_owned());
    }
    if sizes.len() < all.len() {
        notes.push((tables.sizes_shown)(sizes.len(), all.len()));
    }
    let title = (tables.of_library)((words.kind)(kind), &selection.full_label(primary), scale.name);
    Some(Grid { title, headings, words: named, rows, notes })
}

fn public_key(selection: &Selection<'_>, primary: &Contender) -> Option<Grid> {
    let Messages { words, tables, .. } = selection.messages;
    let scale = Scale::of_table(Unit::OperationsPerSecond);
    let kinds = KINDS.into_iter().filter(|kind| !kind.is_bulk());
    let tasks: Vec<Task> = kinds.flat_map(|kind| selection.tasks(kind)).collect();
    // Only those that have any; and no more than fit, in the order tables keep.
    let has_any = |who: &&Contender, task: Task| {
        let is_at = |bytes| selection.series(who, Acceleration::On, task, bytes).is_some();
        selection.sizes_of(task).into_iter().any(is_at)
    };
    let columns: Vec<&Contender> =
        selection.peers(primary).filter(|who| tasks.iter().any(|task| has_any(who, *task))).take(6).collect();
    let mut headings = vec![tables.algorithm.to_owned()];
    headings.extend(columns.iter().map(|who| short(&selection.label(who), 12)));
    let mut rows = Vec::new();
    for task in tasks {
        for bytes in selection.sizes_of(task) {
            let cell = |who: &&Contender| {
                grid::cell(selection.document, selection.series(who, Acceleration::On, task, bytes), scale)
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push(std::iter::once(task.title(words)).chain(cells).collect());
            }
        }
    }
    let title = (tables.public_keys)(scale.name);
    Some(Grid { title, headings, words: 1, rows, notes: Vec::new() })
}

/// What acceleration is worth: `on` over `off` at each size; the interval and the distance to the slowest where one
/// figure stands for the algorithm.
fn gains(selection: &Selection<'_>, primary: &Contender) -> Option<Grid> {
    let Messages { words, tables, .. } = selection.messages;
    let bulk = [Kind::Cipher, Kind::Aead, Kind::Hash];
    let tasks: Vec<Task> = bulk.iter().flat_map(|kind| selection.tasks(*kind)).collect();
    let mut all: Vec<usize> = bulk.iter().flat_map(|kind| selection.sizes(*kind)).collect();
    all.sort_unstable();
    all.dedup();
    let at = super::selection::yardstick(&all)?;
    let sizes = choose(&all, at);
    let mut headings = vec![tables.algorithm.to_owned()];
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    // Figures that others printed have no intervals, and are not held against each other.
    let is_measured = !selection.is_quoted();
    if is_measured {
        headings.extend([tables.interval_heading, tables.slowest].map(str::to_owned));
    }
    let mut rows = Vec::new();
    let mut is_any_equal = false;
    for task in tasks {
        let gains: Vec<Option<Worth>> = sizes.iter().map(|bytes| selection.worth(primary, task, *bytes)).collect();
        if gains.iter().all(Option::is_none) {
            continue;
        }
        is_any_equal |= gains.iter().flatten().any(|gain| !gain.is_shown);
        let mut row = vec![task.title(words)];
        row.extend(gains.iter().map(|gain| gain.map(|gain| ratio(gain, words)).unwrap_or_default()));
        if is_measured {
            let gain = selection.gain(primary, task, at).filter(|gain| gain.is_shown);
            row.push(gain.map(|gain| interval(gain.ci95)).unwrap_or_default());
            let lead = against_slowest(selection, primary, task, at);
            row.push(lead.map(|ratio| (words.times)(&times(ratio))).unwrap_or_default());
        }
        rows.push(row);
    }
    let mut notes = Vec::new();
    if is_any_equal {
        notes.push(tables.equal_mark.to_owned());
    }
    notes.push(if is_measured { (tables.gains_note)(&size(at)) } else { selection.messages.origin.ratios.to_owned() });
    let title = (tables.gains)(&selection.full_label(primary));
    Some(Grid { title, headings, words: 1, rows, notes })
}

/// How many times as fast a task is as the slowest of its kind; `None` for the slowest itself and where no difference
/// is shown.
pub(crate) fn against_slowest(selection: &Selection<'_>, who: &Contender, task: Task, bytes: usize) -> Option<f64> {
    let series = |task| selection.ranked(who, Acceleration::On, task, bytes);
    let slowest = selection
        .tasks(task.kind())
        .into_iter()
        .filter_map(series)
        .min_by(|a, b| a.median.unwrap_or(0.0).total_cmp(&b.median.unwrap_or(0.0)))?;
    selection
        .compare(series(task), Some(slowest))
        .filter(|lead| lead.is_shown && lead.ratio > 1.0)
        .map(|lead| lead.ratio)
}

pub(crate) fn fastest(selection: &Selection<'_>, primary: &Contender) -> Option<Grid> {
    let Messages { words, tables, .. } = selection.messages;
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let mut rows = Vec::new();
    let mut sizes = Vec::new();
    for kind in [Kind::Cipher, Kind::Aead, Kind::Hash] {
        let Some(bytes) = selection.yardstick(kind) else { continue };
        for task in selection.tasks(kind) {
            let ranking = selection.ranking(primary, task, bytes);
            let [(best, series), others @ ..] = ranking.as_slice() else { continue };
            if others.is_empty() {
                continue;
            }
            sizes.push(bytes);
            let standing = |(who, other): &(&Contender, &kasoku_model::document::Series)| {
                let label = short(&selection.label(who), 12);
                Some(match selection.compare(Some(other), Some(series))? {
                    lag if lag.is_shown => format!("{label} {}", (words.times)(&format!("{:.2}", lag.ratio))),
                    _ => format!("{label} ="),
                })
            };
            let standings: Vec<String> = others.iter().filter_map(standing).take(3).collect();
            let mut row = vec![task.title(words), short(&selection.label(best), 14), short(&series.code_path, 11)];
            row.push(grid::cell(selection.document, Some(series), scale));
            row.push(standings.join(words.comma));
            rows.push(row);
        }
    }
    sizes.dedup();
    let at: Vec<String> = sizes.iter().map(|bytes| size(*bytes)).collect();
    let headings = [tables.algorithm, tables.library, tables.path, scale.name, tables.next].map(str::to_owned).into();
    let notes = vec![tables.equal_mark.to_owned()];
    let title = (tables.fastest)(&at);
    Some(Grid { title, headings, words: 3, rows, notes }.with_words_last())
}

impl Grid {
    /// Pads the last column on the right so that words in it start at one place.
    fn with_words_last(mut self) -> Self {
        let width = |row: &Vec<String>| row.last().map_or(0, |cell| columns_of(cell));
        let widest = self.rows.iter().map(width).chain(self.headings.last().map(|h| columns_of(h))).max();
        let widest = widest.unwrap_or(0);
        for cell in self.rows.iter_mut().filter_map(|row| row.last_mut()).chain(self.headings.last_mut()) {
            cell.push_str(&" ".repeat(widest.saturating_sub(columns_of(cell))));
        }
        self
    }
}

/// A ratio in a table: `6.4×`, or `=` where no difference is shown.
fn ratio(worth: Worth, words: &Words) -> String {
    if worth.is_shown { (words.times)(&times(worth.ratio)) } else { "=".to_owned() }
}

/// The 95 % interval of a ratio.
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    if low >= 10.0 { format!("{low:.1}–{high:.1}") } else { format!("{low:.2}–{high:.2}") }
}

/// At most [`SIZES`] of `all`, evenly, with the first, the last and `wanted` among them.
fn choose(all: &[usize], wanted: usize) -> Vec<usize> {
    if all.len() <= SIZES {
        return all.to_vec();
    }
    let last = all.len() - 1;
    let mut chosen: Vec<usize> = (0..SIZES).filter_map(|step| all.get(step * last / (SIZES - 1)).copied()).collect();
    if !chosen.contains(&wanted) {
        // The ends stay: only what lies between may give way.
        let inner = 1..chosen.len() - 1;
        if let Some(nearest) = inner.min_by_key(|index| chosen[*index].abs_diff(wanted)) {
            chosen[nearest] = wanted;
            chosen.sort_unstable();
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_keeps_its_ends_and_the_size_that_counts() {
        let all: Vec<usize> = (1..=40).map(|n| n * 16).collect();
        let chosen = choose(&all, 592);
        assert_eq!((chosen.len(), chosen[0], chosen[6]), (7, 16, 640));
        assert!(chosen.contains(&592) && chosen.is_sorted());
        assert_eq!(choose(&[16, 64], 64), [16, 64]);
    }
}
