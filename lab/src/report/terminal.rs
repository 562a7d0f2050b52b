//! The summary on the terminal after a run: what people know from `openssl speed`, with acceleration on and off.
//!
//! It fits 100 columns. Of the stacks it shows one in full (that with most algorithms both on and off) and the fastest
//! for each algorithm; every figure is in the page and in `kasoku show`.

use anstyle::{AnsiColor, Style};

use crate::acceleration::Acceleration;
use crate::algorithm::Kind;
use crate::document::{Document, Unit};
use crate::measure::statistics::Comparison;

use super::english::ENGLISH;
use super::grid::{self, Grid, KINDS, Line};
use super::quantity::{Scale, size, times};
use super::selection::{Contender, Selection, Task};
use super::verdict;
use super::visible::short;

/// The columns that every line keeps to where the stacks' own names allow.
pub const WIDTH: usize = 100;

/// As many sizes as fit.
const SIZES: usize = 7;

const BOLD: Style = Style::new().bold();
const WARNING: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));

/// The summary of `document`; with ANSI colours if `color`.
pub fn summary(document: &Document, color: bool) -> String {
    let mut page = Page { text: String::new(), color };
    page.head(document);
    let selection = Selection::new(document);
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
    for grid in super::packets::summary(document) {
        page.grid(Some(grid));
    }
    page.list(&grid::problems(document));
    page.list(&grid::omissions(document));
    page.verdict(document);
    page.text
}

struct Page {
    text: String,
    color: bool,
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
        let indent = " ".repeat(first.chars().count());
        for (index, line) in wrap(text, WIDTH - indent.len()).iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { first } else { &indent }));
        }
    }

    fn head(&mut self, document: &Document) {
        let machine = &document.machine;
        let mut parts = vec![short(&machine.cpu, 60), format!("{} logical CPUs", machine.cores)];
        parts.push(short(machine.os.as_deref().unwrap_or(&machine.kernel), 40));
        parts.extend(machine.hypervisor.as_deref().map(|name| format!("under {}", short(name, 20))));
        parts.retain(|part| !part.is_empty());
        self.wrapped("", &parts.join(" · "));
        if !document.run.complete {
            self.styled(WARNING, "INCOMPLETE: this run did not reach its end. Nothing is compared or ranked.");
        }
        for note in &document.run.notes {
            self.wrapped("note: ", &short(note, 400));
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
            self.wrapped("  ", &format!("{first}: {}", rest.join("; ")));
        }
    }

    fn verdict(&mut self, document: &Document) {
        let verdict = verdict::verdict(document, &ENGLISH);
        self.line("");
        self.styled(BOLD, "Verdict");
        for sentence in &verdict.sentences {
            self.wrapped("- ", sentence);
        }
    }
}

fn throughput(selection: &Selection<'_>, primary: &Contender, kind: Kind) -> Option<Grid> {
    let all = selection.sizes(kind);
    let sizes = choose(&all, selection.yardstick(kind)?);
    let lines: Vec<Line<'_>> =
        grid::lines(selection, kind, &sizes).into_iter().filter(|line| line.who == primary).collect();
    // Where the states do not differ, one line says it.
    let is_same = |task: Task| {
        let gains: Vec<_> =
            selection.sizes_of(task).iter().map(|bytes| selection.gain(primary, task, *bytes)).collect();
        !gains.is_empty() && gains.iter().all(|gain| gain.is_some_and(|gain| !gain.is_shown))
    };
    let scale = Scale::of_table(Unit::BytesPerSecond);
    let mut headings: Vec<String> = ["algorithm", "state", "path"].map(str::to_owned).into();
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    let mut before = None;
    let row = |line: &Line<'_>| {
        let title = if before.replace(line.task) == Some(line.task) { String::new() } else { line.task.title() };
        let state = if is_same(line.task) { "on, off".to_owned() } else { line.state.to_string() };
        let mut row = vec![title, state, short(&line.code_path(), 11)];
        row.extend(line.cells.iter().map(|series| grid::cell(*series, scale)));
        row
    };
    let is_shown = |line: &&Line<'_>| line.state != Acceleration::Off || !is_same(line.task);
    let rows: Vec<Vec<String>> = lines.iter().filter(is_shown).map(row).collect();
    let mut notes = grid::marks(&lines);
    if rows.iter().any(|row| row.iter().any(|cell| cell == "on, off")) {
        notes.push("on, off: no difference shown at any size; the figures are those with acceleration on".to_owned());
    }
    if sizes.len() < all.len() {
        notes.push(format!("{} of {} sizes; `kasoku show` has all", sizes.len(), all.len()));
    }
    let title =
        format!("{} with {}, {} (1 MB is 1,000,000 bytes)", kind.title(), selection.full_label(primary), scale.name);
    Some(Grid { title, headings, words: 3, rows, notes })
}

fn public_key(selection: &Selection<'_>, primary: &Contender) -> Option<Grid> {
    let peers: Vec<&Contender> = selection.peers(primary).collect();
    let scale = Scale::of_table(Unit::OperationsPerSecond);
    let mut rows = Vec::new();
    let mut shown = vec![false; peers.len()];
    let kinds = KINDS.into_iter().filter(|kind| !kind.is_bulk());
    for task in kinds.flat_map(|kind| selection.tasks(kind)) {
        for bytes in selection.sizes_of(task) {
            let cells: Vec<String> = peers
                .iter()
                .map(|who| grid::cell(selection.series(who, Acceleration::On, task, bytes), scale))
                .collect();
            for (shown, cell) in shown.iter_mut().zip(&cells) {
                *shown |= !cell.is_empty();
            }
            rows.push((task.title(), cells));
        }
    }
    // Only those that have any; and no more than fit, in the order tables keep.
    let columns: Vec<usize> = (0..peers.len()).filter(|index| shown[*index]).take(6).collect();
    let mut headings = vec!["algorithm".to_owned()];
    headings.extend(columns.iter().filter_map(|index| peers.get(*index)).map(|who| short(&selection.label(who), 12)));
    let pick = |(title, cells): (String, Vec<String>)| {
        let mut row = vec![title];
        row.extend(columns.iter().filter_map(|index| cells.get(*index).cloned()));
        row
    };
    let rows = rows.into_iter().map(pick).filter(|row| row.iter().skip(1).any(|cell| !cell.is_empty())).collect();
    let title = format!("Public keys, {}, acceleration on", scale.name);
    Some(Grid { title, headings, words: 1, rows, notes: Vec::new() })
}

/// What acceleration is worth: `on` over `off` at each size; the interval and the distance to the slowest where one
/// figure stands for the algorithm.
fn gains(selection: &Selection<'_>, primary: &Contender) -> Option<Grid> {
    let bulk = [Kind::Cipher, Kind::Aead, Kind::Hash];
    let tasks: Vec<Task> = bulk.iter().flat_map(|kind| selection.tasks(*kind)).collect();
    let mut all: Vec<usize> = bulk.iter().flat_map(|kind| selection.sizes(*kind)).collect();
    all.sort_unstable();
    all.dedup();
    let at = super::selection::yardstick(&all)?;
    let sizes = choose(&all, at);
    let mut headings = vec!["algorithm".to_owned()];
    headings.extend(sizes.iter().map(|bytes| size(*bytes)));
    headings.extend(["95 %", "slowest"].map(str::to_owned));
    let mut rows = Vec::new();
    let mut is_any_equal = false;
    for task in tasks {
        let gains: Vec<Option<Comparison>> = sizes.iter().map(|bytes| selection.gain(primary, task, *bytes)).collect();
        if gains.iter().all(Option::is_none) {
            continue;
        }
        is_any_equal |= gains.iter().flatten().any(|gain| !gain.is_shown);
        let mut row = vec![task.title()];
        row.extend(gains.iter().map(|gain| gain.map(ratio).unwrap_or_default()));
        row.push(selection.gain(primary, task, at).filter(|gain| gain.is_shown).map(interval).unwrap_or_default());
        row.push(against_slowest(selection, primary, task, at).map(|ratio| times(ratio) + "×").unwrap_or_default());
        rows.push(row);
    }
    let mut notes = Vec::new();
    if is_any_equal {
        notes.push("= no difference shown".to_owned());
    }
    notes.push(format!(
        "95 %: the interval at {at}; slowest: times as fast as the slowest of its kind with acceleration on at {at}",
        at = size(at)
    ));
    let title = format!("What acceleration is worth: on over off with {}", selection.full_label(primary));
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
            let standing = |(who, other): &(&Contender, &crate::document::Series)| {
                let label = short(&selection.label(who), 12);
                Some(match selection.compare(Some(other), Some(series))? {
                    lag if lag.is_shown => format!("{label} {:.2}×", lag.ratio),
                    _ => format!("{label} ="),
                })
            };
            let standings: Vec<String> = others.iter().filter_map(standing).take(3).collect();
            let mut row = vec![task.title(), short(&selection.label(best), 14), short(&series.code_path, 11)];
            row.push(grid::cell(Some(series), scale));
            row.push(standings.join(", "));
            rows.push(row);
        }
    }
    sizes.dedup();
    let at: Vec<String> = sizes.iter().map(|bytes| size(*bytes)).collect();
    let headings = ["algorithm", "stack", "path", scale.name, "the next, against it"].map(str::to_owned).into();
    let notes = vec!["= no difference shown".to_owned()];
    let title = format!("Fastest stack at {}, acceleration on", at.join(" or "));
    Some(Grid { title, headings, words: 3, rows, notes }.with_words_last())
}

impl Grid {
    /// Pads the last column on the right so that words in it start at one place.
    fn with_words_last(mut self) -> Self {
        let width = |row: &Vec<String>| row.last().map_or(0, |cell| cell.chars().count());
        let widest = self.rows.iter().map(width).chain(self.headings.last().map(|h| h.chars().count())).max();
        let widest = widest.unwrap_or(0);
        for cell in self.rows.iter_mut().filter_map(|row| row.last_mut()).chain(self.headings.last_mut()) {
            *cell = format!("{cell:<widest$}");
        }
        self
    }
}

/// A ratio in a table: `6.4×`, or `=` where no difference is shown.
pub(crate) fn ratio(comparison: Comparison) -> String {
    if comparison.is_shown { times(comparison.ratio) + "×" } else { "=".to_owned() }
}

/// The 95 % interval of a ratio.
pub(crate) fn interval(comparison: Comparison) -> String {
    let [low, high] = comparison.ci95;
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

/// Breaks text at spaces so that no line is longer than `width` characters, unless a word is.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
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

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("aaaaaaaa b", 5), ["aaaaaaaa", "b"]);
    }
}
