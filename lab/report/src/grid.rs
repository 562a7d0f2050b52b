//! Tables before they take a form: headings, cells and notes as text, made harmless.

use std::collections::{BTreeSet, HashMap};

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Kind};
use kasoku_model::document::{Document, Series, Unit};

use super::language::Messages;
use super::quantity::{Scale, percent, size, spread};
use super::selection::{Contender, Selection, Standing, Task, sound_figure};
use super::visible::short;

/// The kinds in the order tables show them.
pub(crate) const KINDS: [Kind; 8] = [
    Kind::Cipher,
    Kind::Aead,
    Kind::Hash,
    Kind::KeyAgreement,
    Kind::Signature,
    Kind::Kem,
    Kind::Suite,
    Kind::CipherSuite,
];

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

    /// How far the line's figures are to be trusted: as far as the least of them; `None` if it has none.
    pub(crate) fn standing(&self, document: &Document) -> Option<Standing> {
        standing(document, &self.cells)
    }
}

/// All lines of one kind at these sizes, by algorithm, contender and state.
pub(crate) fn lines<'a>(selection: &'a Selection<'a>, kind: Kind, sizes: &[usize]) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for task in selection.tasks(kind) {
        for (who, states) in selection.parties(task) {
            for &state in states {
                let cells = sizes.iter().map(|bytes| selection.series(who, state, task, *bytes)).collect();
                lines.push(Line { task, who, state, cells });
            }
        }
    }
    lines
}

/// How far these figures are to be trusted: as far as the least of them; `None` if there is none.
pub(crate) fn standing(document: &Document, cells: &[Option<&Series>]) -> Option<Standing> {
    let standings = cells.iter().flatten().map(|series| Standing::of(document, series));
    standings.filter(|standing| *standing != Standing::Failed).min()
}

/// Whether anything is known about the code paths of these lines. Of figures that others printed there seldom is, and a
/// column that says so in every row says nothing.
pub(crate) fn has_code_path(selection: &Selection<'_>, lines: &[Line<'_>]) -> bool {
    let is_known = |line: &Line<'_>| !["", "unknown"].contains(&line.code_path().as_str());
    !selection.is_quoted() || lines.iter().any(is_known)
}

/// A figure in a table: `–` if the series failed, marked if it was not verified, empty if it was not measured.
pub(crate) fn cell(document: &Document, series: Option<&Series>, scale: Scale) -> String {
    match (series, series.and_then(sound_figure)) {
        (None, _) => String::new(),
        (Some(_), None) => "–".to_owned(),
        (Some(series), Some(figure)) => {
            let is_unverified = Standing::of(document, series) == Standing::Unverified;
            format!("{}{}", scale.write(figure), if is_unverified { "!" } else { "" })
        }
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

/// All figures of a kind.
pub(crate) fn throughput(selection: &Selection<'_>, kind: Kind, level: Option<&str>) -> Option<Grid> {
    let Messages { words: named, tables, .. } = selection.messages;
    let sizes = selection.sizes(kind);
    let lines = lines(selection, kind, &sizes);
    let unit = lines.iter().flat_map(|line| line.cells.iter().flatten()).map(|series| series.unit).next()?;
    let scale = Scale::of_table(unit);
    let (has_path, has_interval) = (has_code_path(selection, &lines), !selection.is_quoted());
    let mut headings: Vec<String> = [tables.algorithm, tables.library, tables.state].map(str::to_owned).into();
    headings.extend(has_path.then(|| tables.code_path.to_owned()));
    let words = headings.len();
    headings.extend(sizes.iter().map(|bytes| if kind.is_bulk() { size(*bytes) } else { scale.name.to_owned() }));
    headings.extend(has_interval.then(|| tables.at_most.to_owned()));
    let row = |line: &Line<'_>| {
        let mut row = vec![line.task.title(named), selection.full_label(line.who), line.state.to_string()];
        row.extend(has_path.then(|| line.code_path()));
        row.extend(line.cells.iter().map(|series| cell_in(selection.document, *series, scale, unit)));
        row.extend(has_interval.then(|| line.widest().map(percent).unwrap_or_default()));
        row
    };
    let rows = lines.iter().map(row).collect();
    let title = (tables.figures)(level, (named.kind)(kind), scale.name);
    Some(Grid { title, headings, words, rows, notes: marks(selection, &lines) })
}

/// A figure in a table whose unit is another than the series' own carries its own.
fn cell_in(document: &Document, series: Option<&Series>, scale: Scale, unit: Unit) -> String {
    match series {
        Some(other) if other.unit != unit => {
            let own = Scale::of_table(other.unit);
            format!("{} {}", cell(document, series, own), own.name)
        }
        _ => cell(document, series, scale),
    }
}

/// What the marks in these lines mean.
pub(crate) fn marks(selection: &Selection<'_>, lines: &[Line<'_>]) -> Vec<String> {
    let tables = &selection.messages.tables;
    let series: Vec<&Series> = lines.iter().flat_map(|line| line.cells.iter().flatten().copied()).collect();
    let mut notes = Vec::new();
    let is_any = |standing| series.iter().any(|series| Standing::of(selection.document, series) == standing);
    if is_any(Standing::Unverified) {
        notes.push(tables.unverified_mark.to_owned());
    }
    if is_any(Standing::Failed) {
        notes.push(tables.failed_mark.to_owned());
    }
    notes
}

/// The series that failed, were not verified or came twice, over all levels.
pub(crate) fn problems(document: &Document, messages: &'static Messages) -> Grid {
    let tables = &messages.tables;
    let mut rows = Vec::new();
    for level in levels(document) {
        for problem in Selection::of_level(document, level, messages).problems() {
            let tasks = problem.tasks.join(messages.words.comma);
            rows.push(vec![problem.who, problem.what.name(tables).to_owned(), problem.reason, tasks]);
        }
    }
    let headings = [tables.library, tables.what, tables.why, tables.algorithms].map(str::to_owned).into();
    Grid { title: tables.problems.to_owned(), headings, words: 4, rows, notes: vec![] }
}

/// What was left out, and what would install it. Algorithms left out for the same reason share a row.
pub(crate) fn omissions(document: &Document, messages: &Messages) -> Grid {
    let tables = &messages.tables;
    // In the order in which they come first.
    let mut groups: Vec<(Vec<String>, BTreeSet<String>)> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    for omission in &document.run.omissions {
        let library =
            if omission.library.is_empty() { (tables.level)(&omission.level) } else { omission.library.clone() };
        let library = short(&library, 40);
        let algorithm = omission.algorithm.as_deref().map(title_of);
        let key = vec![
            omission.acceleration.map_or_else(|| library.clone(), |state| (tables.with_state)(&library, state.name())),
            short(&reason(&omission.why, algorithm.as_deref(), tables.lacks), 400),
            omission.install.as_deref().map(|install| short(install, 200)).unwrap_or_default(),
        ];
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.1.extend(algorithm),
            None => groups.push((key, algorithm.into_iter().collect())),
        }
    }
    let row = |(mut key, algorithms): (Vec<String>, BTreeSet<String>)| {
        let algorithms: Vec<String> = algorithms.into_iter().collect();
        key.insert(
            1,
            if algorithms.is_empty() { tables.all.to_owned() } else { algorithms.join(messages.words.comma) },
        );
        key
    };
    let headings = [tables.library, tables.algorithms, tables.why, tables.to_install].map(str::to_owned).into();
    Grid {
        title: tables.left_out.to_owned(),
        headings,
        words: 4,
        rows: groups.into_iter().map(row).collect(),
        notes: vec![],
    }
}

/// The reason without the algorithm that it names: a library that lacks ten algorithms lacks them for one reason.
fn reason(why: &str, algorithm: Option<&str>, lacks: fn(&str) -> String) -> String {
    let lacking = algorithm.and_then(|algorithm| why.strip_suffix(algorithm)?.strip_suffix(" has no "));
    lacking.map_or_else(|| why.to_owned(), lacks)
}

fn title_of(name: &str) -> String {
    name.parse::<Algorithm>().map_or_else(|_| short(name, 40), |algorithm| algorithm.title().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_library_does_not_have_is_one_row() {
        let lacks = |library: &str| format!("{library} lacks them");
        assert_eq!(reason("ring has no X448", Some("X448"), lacks), "ring lacks them");
        assert_eq!(reason("ring has no X448", Some("X25519"), lacks), "ring has no X448");
        assert_eq!(reason("no way", None, lacks), "no way");
    }

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
