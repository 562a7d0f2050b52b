//! Tables before they take a form: headings, cells and notes as text, made harmless.

use std::collections::BTreeSet;

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};

use crate::acceleration::Acceleration;
use crate::algorithm::{Algorithm, Kind};
use crate::document::{Document, Series, Unit};

use super::quantity::{Scale, percent, size, spread};
use super::selection::{Contender, Selection, Task, sound_figure};
use super::visible::short;

/// The kinds in the order tables show them.
pub(crate) const KINDS: [Kind; 6] =
    [Kind::Cipher, Kind::Aead, Kind::Hash, Kind::KeyAgreement, Kind::Signature, Kind::Kem];

/// The longest code path that is shown.
pub(crate) const CODE_PATH: usize = 24;

/// A rule under the headings and nothing else.
const RULED: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─'))
    .content_lines(ContentLineStyle::none());

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Grid {
    /// What it shows, with the unit.
    pub(crate) title: String,
    /// The headings.
    pub(crate) headings: Vec<String>,
    /// How many columns from the left hold words; the others hold numbers.
    pub(crate) words: usize,
    /// The cells.
    pub(crate) rows: Vec<Vec<String>>,
    /// What a reader must know.
    pub(crate) notes: Vec<String>,
}

impl Grid {
    /// The table for a terminal, without its title and notes; no line ends in a space.
    pub(crate) fn draw(&self) -> String {
        let mut table = Table::new();
        table
            .load_style(RULED)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(self.headings.clone())
            .add_rows(self.rows.clone());
        let last = self.headings.len().saturating_sub(1);
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, if index == last { 0 } else { 2 }));
            if index >= self.words {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    }
}

/// A line of a table of throughput: one task on one contender in one state.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    /// The task.
    pub(crate) task: Task,
    /// Who.
    pub(crate) who: &'a Contender,
    /// In which state.
    pub(crate) state: Acceleration,
    /// One for each size of the table; `None` where it was not measured.
    pub(crate) cells: Vec<Option<&'a Series>>,
}

impl Line<'_> {
    /// The code paths of the line's series, joined if the size decides.
    pub(crate) fn code_path(&self) -> String {
        let mut paths: Vec<&str> = Vec::new();
        for series in self.cells.iter().flatten() {
            if !series.code_path.is_empty() && !paths.contains(&series.code_path.as_str()) {
                paths.push(&series.code_path);
            }
        }
        short(&paths.join("/"), CODE_PATH)
    }

    /// The widest interval of the line's series, in percent.
    pub(crate) fn widest(&self) -> Option<f64> {
        self.cells.iter().flatten().filter_map(|series| spread(series)).max_by(f64::total_cmp)
    }

    /// Whether all of the line's figures were verified.
    pub(crate) fn is_verified(&self) -> bool {
        self.cells.iter().flatten().filter(|series| sound_figure(series).is_some()).all(|series| series.verified)
    }

    /// Whether the line has a figure at all.
    pub(crate) fn has_figure(&self) -> bool {
        self.cells.iter().flatten().any(|series| sound_figure(series).is_some())
    }
}

/// All lines of one kind at these sizes, by algorithm, contender and state.
pub(crate) fn lines<'a>(selection: &'a Selection<'a>, kind: Kind, sizes: &[usize]) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for task in selection.tasks(kind) {
        for who in selection.contenders() {
            for state in selection.states(who, task) {
                let cells = sizes.iter().map(|bytes| selection.series(who, state, task, *bytes)).collect();
                lines.push(Line { task, who, state, cells });
            }
        }
    }
    lines
}

/// A figure in a table: `–` if the series failed, marked if it was not verified, empty if it was not measured.
pub(crate) fn cell(series: Option<&Series>, scale: Scale) -> String {
    match (series, series.and_then(sound_figure)) {
        (None, _) => String::new(),
        (Some(_), None) => "–".to_owned(),
        (Some(series), Some(figure)) => format!("{}{}", scale.write(figure), if series.verified { "" } else { "!" }),
    }
}

/// The levels that a document has series of, in their own order of appearance.
pub(crate) fn levels(document: &Document) -> Vec<&str> {
    let mut levels: Vec<&str> = Vec::new();
    for series in &document.series {
        if !levels.contains(&series.level.as_str()) {
            levels.push(&series.level);
        }
    }
    levels
}

/// Every figure of a document: a table for each level and kind.
pub(crate) fn full(document: &Document) -> Vec<Grid> {
    let mut grids = Vec::new();
    for level in levels(document) {
        if level == super::packets::PACKETS {
            grids.extend(super::packets::full(document));
            continue;
        }
        let selection = Selection::of_level(document, level);
        let prefix =
            if level == super::selection::PRIMITIVES { String::new() } else { format!("{}: ", short(level, 24)) };
        for kind in KINDS {
            grids.extend(throughput(&selection, kind, &prefix));
        }
    }
    grids
}

fn throughput(selection: &Selection<'_>, kind: Kind, prefix: &str) -> Option<Grid> {
    let sizes = selection.sizes(kind);
    let lines = lines(selection, kind, &sizes);
    let unit = lines.iter().flat_map(|line| line.cells.iter().flatten()).map(|series| series.unit).next()?;
    let scale = Scale::of_table(unit);
    let mut headings: Vec<String> = ["algorithm", "stack", "state", "code path"].map(str::to_owned).into();
    let words = headings.len();
    headings.extend(sizes.iter().map(|bytes| if kind.is_bulk() { size(*bytes) } else { scale.name.to_owned() }));
    headings.push("± at most".to_owned());
    let row = |line: &Line<'_>| {
        let mut row = vec![line.task.title(), selection.full_label(line.who), line.state.to_string(), line.code_path()];
        row.extend(line.cells.iter().map(|series| cell_in(*series, scale, unit)));
        row.push(line.widest().map(percent).unwrap_or_default());
        row
    };
    let rows = lines.iter().map(row).collect();
    let mut grid =
        Grid { title: format!("{prefix}{}, {}", kind.title(), scale.name), headings, words, rows, notes: vec![] };
    grid.notes = marks(&lines);
    Some(grid)
}

/// A figure in a table whose unit is another than the series' own carries its own.
fn cell_in(series: Option<&Series>, scale: Scale, unit: Unit) -> String {
    match series {
        Some(other) if other.unit != unit => {
            let own = Scale::of_table(other.unit);
            format!("{} {}", cell(series, own), own.name)
        }
        _ => cell(series, scale),
    }
}

/// What the marks in these lines mean.
pub(crate) fn marks(lines: &[Line<'_>]) -> Vec<String> {
    let series: Vec<&Series> = lines.iter().flat_map(|line| line.cells.iter().flatten().copied()).collect();
    let mut notes = Vec::new();
    if series.iter().any(|series| sound_figure(series).is_some() && !series.verified) {
        notes.push("! the output was not verified: the figure is not ranked or compared".to_owned());
    }
    if series.iter().any(|series| sound_figure(series).is_none()) {
        notes.push("– failed".to_owned());
    }
    notes
}

/// The series that failed, were not verified or came twice, over all levels.
pub(crate) fn problems(document: &Document) -> Grid {
    let mut rows = Vec::new();
    for level in levels(document) {
        for problem in Selection::of_level(document, level).problems() {
            rows.push(vec![problem.who, problem.what.to_owned(), problem.reason, problem.tasks.join(", ")]);
        }
    }
    let headings = ["stack", "what", "why", "algorithms"].map(str::to_owned).into();
    Grid { title: "Failed or not verified, and so not ranked".to_owned(), headings, words: 4, rows, notes: vec![] }
}

/// What was left out, and what would install it. Algorithms left out for the same reason share a row.
pub(crate) fn omissions(document: &Document) -> Grid {
    let mut groups: Vec<(Vec<String>, BTreeSet<String>)> = Vec::new();
    for omission in &document.run.omissions {
        let stack =
            if omission.stack.is_empty() { format!("level {}", omission.level) } else { omission.stack.clone() };
        let state = omission.acceleration.map(|state| format!(" ({state})")).unwrap_or_default();
        let key = vec![
            format!("{}{state}", short(&stack, 40)),
            short(&omission.why, 400),
            omission.install.as_deref().map(|install| short(install, 200)).unwrap_or_default(),
        ];
        let algorithm = omission.algorithm.as_deref().map(title_of);
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.extend(algorithm),
            None => groups.push((key, algorithm.into_iter().collect())),
        }
    }
    let row = |(mut key, algorithms): (Vec<String>, BTreeSet<String>)| {
        let algorithms: Vec<String> = algorithms.into_iter().collect();
        key.insert(1, if algorithms.is_empty() { "all".to_owned() } else { algorithms.join(", ") });
        key
    };
    let headings = ["stack", "algorithms", "why", "to install it"].map(str::to_owned).into();
    Grid {
        title: "Left out".to_owned(),
        headings,
        words: 4,
        rows: groups.into_iter().map(row).collect(),
        notes: vec![],
    }
}

fn title_of(name: &str) -> String {
    name.parse::<Algorithm>().map_or_else(|_| short(name, 40), |algorithm| algorithm.title().to_owned())
}

/// The machine and the run, as name and value.
pub(crate) fn machine(document: &Document) -> Vec<(&'static str, String)> {
    let machine = &document.machine;
    let mut rows = vec![("CPU", short(&machine.cpu, 100))];
    rows.extend(machine.microarchitecture.as_deref().map(|name| ("Microarchitecture", short(name, 100))));
    rows.push(("Architecture", short(&machine.arch, 40)));
    rows.push(("Features that matter here", short(&machine.features.join(" "), 600)));
    rows.push(("Logical CPUs", machine.cores.to_string()));
    rows.extend(machine.memory.map(|bytes| ("Memory", format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64))));
    rows.extend(machine.os.as_deref().map(|os| ("Operating system", short(os, 100))));
    rows.push(("Kernel", short(&machine.kernel, 100)));
    let hypervisor = machine.hypervisor.as_deref().map_or_else(|| "none seen".to_owned(), |name| short(name, 60));
    rows.push(("Hypervisor", hypervisor));
    rows.extend(machine.governor.as_deref().map(|governor| ("Frequency governor", short(governor, 40))));
    rows.extend(machine.boost.map(|boost| ("Boost", if boost { "allowed" } else { "not allowed" }.to_owned())));
    rows.retain(|(_, value)| !value.is_empty());
    rows
}

/// How the run measured, as name and value.
pub(crate) fn method(document: &Document) -> Vec<(&'static str, String)> {
    let run = &document.run;
    let method = &run.method;
    let mut rows = vec![
        ("Started", short(&run.started, 40)),
        ("Kasoku", short(&run.kasoku, 40)),
        ("Starts of each probe", method.processes.to_string()),
        ("Rounds", method.rounds.to_string()),
        ("Slice", format!("{} ms", method.slice_ms)),
    ];
    rows.extend(run.seconds.map(|seconds| ("Took", format!("{seconds:.0} s"))));
    let clock = match (&method.core_clock, method.core_hz) {
        (Some(source), Some(hz)) => format!("{:.2} GHz, from {}", hz / 1e9, short(source, 100)),
        (Some(source), None) => short(source, 100),
        (None, Some(hz)) => format!("{:.2} GHz", hz / 1e9),
        (None, None) => "could not be had: no cycles per byte".to_owned(),
    };
    rows.push(("Core clock", clock));
    let floor = match (method.noise_floor, &method.noise_floor_stack) {
        (Some(floor), Some(stack)) => {
            format!("{:.2} %, from {} against itself: no finer difference is claimed", floor * 100.0, short(stack, 40))
        }
        (Some(floor), None) => format!("{:.2} %: no finer difference is claimed", floor * 100.0),
        (None, _) => {
            format!("not measured: no difference under {} % is claimed", crate::document::FLOOR_IF_UNKNOWN * 100.0)
        }
    };
    rows.push(("Noise floor", floor));
    let (kept, dropped) = samples(document);
    if kept + dropped > 0 {
        let share = dropped as f64 / (kept + dropped) as f64 * 100.0;
        rows.push(("Slices dropped", format!("{} of {} ({share:.1} %)", dropped, kept + dropped)));
    }
    rows.extend(method.loop_ns.map(|ns| ("Measuring loop", format!("{ns:.2} ns a call, not subtracted"))));
    rows
}

fn samples(document: &Document) -> (usize, usize) {
    let all = || document.series.iter().flat_map(|series| &series.samples);
    let dropped = all().filter(|sample| sample.dropped).count();
    (all().count() - dropped, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_on_the_right_and_no_line_ends_in_a_space() {
        let grid = Grid {
            headings: vec!["name".into(), "16 B".into()],
            words: 1,
            rows: vec![vec!["a".into(), "1".into()], vec!["加速".into(), "12,345".into()]],
            ..Grid::default()
        };
        assert_eq!(grid.draw(), "name    16 B\n────────────\na          1\n加速  12,345");
    }
}
