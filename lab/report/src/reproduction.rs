//! Published measurements that Kasoku repeats: the printed figures from `published/`, with names and translations from
//! `reproductions/`.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::prelude::*;
use crate::quantity::mean;
use kasoku_store::published::{self, LocalizedText, Publication, Slip, Statement};

/// Intel's measurement of AES on Linux and Java.
pub(crate) static JAVA: LazyLock<Reproduction> =
    LazyLock::new(|| Reproduction::new("intel-aes-ni-java", include_str!("../reproductions/intel-aes-ni-java.toml")));

/// Intel's measurement of an nginx server.
pub(crate) static NGINX: LazyLock<Reproduction> = LazyLock::new(|| {
    Reproduction::new("intel-aes-gcm-nginx", include_str!("../reproductions/intel-aes-gcm-nginx.toml"))
});

/// Number of leading columns of a published table that name the row.
const NAMES: usize = 2;

pub(crate) struct Reproduction {
    pub(crate) source: &'static Publication,
    names: Names,
}

/// Content of a file in `reproductions/`: names and translations for printed words, tables and figures.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Names {
    /// Headings of the tables, in their order.
    columns: Vec<LocalizedText>,
    /// Sentences below every table.
    notes: Vec<LocalizedText>,
    /// Words as the source prints them, each with what a report says for it.
    #[serde(rename = "word")]
    words: Vec<Word>,
    /// Units as the source prints them.
    #[serde(rename = "unit")]
    units: Vec<Word>,
    /// Titles of the tables. A mistake of the source is marked `†` and explained below its table.
    #[serde(rename = "table")]
    tables: Vec<TableName>,
    /// Figures that a sentence of the source states.
    #[serde(rename = "figure")]
    figures: Vec<FigureName>,
    /// Plan of the measurement, which `lab/measure` reads.
    #[serde(rename = "measure")]
    _measure: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    printed: String,
    says: LocalizedText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableName {
    id: String,
    title: LocalizedText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureName {
    /// Printed sentence that contains the figure.
    printed: String,
    /// Name of the figure from Kasoku's run that the table shows beside the published figure; `None` if Kasoku has no
    /// such figure.
    ours: Option<String>,
    /// Name of this figure's bar in a chart; `None` if it has no bar.
    bar: Option<String>,
}

impl Reproduction {
    fn new(id: &str, text: &str) -> Self {
        let names = toml::from_str(text).unwrap_or_else(|error| panic!("reproductions/{id}.toml: {error}"));
        let source = published::find(id).unwrap_or_else(|| panic!("there is no published/{id}.toml"));
        Reproduction { source, names }
    }

    pub(crate) fn title(&self, id: &str) -> Text {
        self.names.tables.iter().find(|table| table.id == id).map_or_else(|| id.into(), |table| (&table.title).into())
    }

    /// Returns the cells of a published table, translated, with a mark at each misprint.
    pub(crate) fn rows(&self, id: &str) -> Vec<Vec<Text>> {
        let row = |(row, line): (usize, &published::PublishedRow)| {
            let cell = |(column, printed): (usize, &String)| match self.slip(id, row, column) {
                Some(_) => format!("{printed} †").into(),
                None => says(&self.names.words, printed),
            };
            line.cells.iter().enumerate().map(cell).collect()
        };
        self.source.table(id).map(|table| table.rows.iter().enumerate().map(row).collect()).unwrap_or_default()
    }

    /// Returns a published table with notes on its misprints.
    pub(crate) fn table(&self, id: &str) -> Option<Table> {
        let of_table = self.source.slips.iter().filter(|slip| slip.table.as_deref() == Some(id));
        TableBuilder::new(self.title(id), &self.rows(id))
            .each(self.names.columns.iter().enumerate(), |table, (index, heading)| {
                let column = if index < NAMES { Column::words(heading) } else { Column::figures(heading) };
                table.column(column, |row| row.get(index).cloned())
            })
            .notes(&self.names.notes)
            .notes(of_table.map(slip_note))
            .any()
    }

    /// Returns the means of `columns` over consecutive rows with equal names in the second column. Misprints are
    /// corrected.
    pub(crate) fn means(&self, id: &str, columns: Range<usize>) -> Vec<(String, Vec<Option<f64>>)> {
        let Some(table) = self.source.table(id) else { return Vec::new() };
        let named = |row: usize| table.rows[row].cells.get(1).filter(|name| !name.is_empty());
        let rows: Vec<usize> = (0..table.rows.len()).filter(|row| named(*row).is_some()).collect();
        let value = |row: usize, column: usize| -> Option<f64> {
            let printed = match self.slip(id, row, column) {
                Some(slip) => slip.follows.as_ref()?,
                None => table.rows[row].cells.get(column)?,
            };
            printed.parse().ok()
        };
        let mean = |rows: &[usize], column: usize| mean(rows.iter().filter_map(|row| value(*row, column)));
        let group = |rows: &[usize]| {
            let name = named(*rows.first()?)?.clone();
            Some((name, columns.clone().map(|column| mean(rows, column)).collect()))
        };
        rows.chunk_by(|one, other| named(*one) == named(*other)).filter_map(group).collect()
    }

    /// Returns a table of the published statements in their original order, beside figures from Kasoku's run.
    pub(crate) fn statements(&self, ours: impl Fn(&str) -> Option<Text>) -> Table {
        TableBuilder::new(say!("tls-published-title"), &self.source.statements)
            .words(say!("tls-what"), |statement| Text::from(&statement.about))
            .figures(say!("tls-published"), |statement| self.value(statement))
            .figures(say!("tls-here"), |statement| ours(self.figure(statement)?.ours.as_deref()?))
            .notes([self.source.credit()])
            .table()
    }

    /// Returns the published figures that have a bar in the chart, with the names of their bars.
    pub(crate) fn bars(&self) -> Vec<(String, f64)> {
        let bar = |statement: &Statement| Some((self.figure(statement)?.bar.clone()?, statement.value.parse().ok()?));
        self.source.statements.iter().filter_map(bar).collect()
    }

    fn value(&self, Statement { value, to, unit, .. }: &Statement) -> Text {
        let value = match to {
            Some(to) => say!("reproduction-range", from = value, to = to),
            None => value.into(),
        };
        Text::list(Separator::None, [value, says(&self.names.units, unit)])
    }

    fn figure(&self, statement: &Statement) -> Option<&FigureName> {
        self.names.figures.iter().find(|figure| figure.printed == statement.printed)
    }

    fn slip(&self, id: &str, row: usize, column: usize) -> Option<&Slip> {
        let is_it =
            |slip: &&Slip| (slip.table.as_deref(), slip.row, slip.column) == (Some(id), Some(row), Some(column));
        self.source.slips.iter().find(is_it)
    }
}

fn slip_note(slip: &Slip) -> Text {
    let (printed, what) = (&slip.printed, Text::from(&slip.what));
    match (printed.is_empty(), &slip.follows) {
        (true, None) => say!("origin-slip", what = what),
        (true, Some(follows)) => say!("origin-slip-with-follows", follows = follows, what = what),
        (false, None) => say!("origin-slip-with-printed", printed = printed, what = what),
        (false, Some(follows)) => {
            say!("origin-slip-with-printed-and-follows", printed = printed, follows = follows, what = what)
        }
    }
}

/// Returns the translation of a printed text, or the text itself if there is none.
fn says(words: &[Word], printed: &str) -> Text {
    words.iter().find(|word| word.printed == printed).map_or_else(|| printed.into(), |word| (&word.says).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::{catalogue, terminal};

    #[test]
    fn published_tables_show_misprints_as_printed_but_means_use_corrected_figures() {
        let table = JAVA.table("aes-128").unwrap();
        let english = catalogue(Language::ENGLISH);
        assert!(terminal::cells(&table, english).iter().flatten().any(|cell| cell == "333.13 †"));
        let notes: Vec<String> = table.notes.iter().map(|note| english.write(note)).collect();
        assert!(notes.iter().any(|note| note.contains("33.13")), "{notes:?}");
        let last = JAVA.means("aes-128", 6..8).pop().unwrap();
        assert_eq!(last.0, "1GB");
        assert!((last.1[1].unwrap() - 33.31).abs() < 0.01);
        let third = &JAVA.means("aes-128", 2..6)[2];
        assert_eq!((third.0.as_str(), third.1[2]), ("200MB", Some(2882.0)));
    }

    #[test]
    fn every_unit_of_a_published_figure_is_translated_to_japanese() {
        for statement in &NGINX.source.statements {
            let value = catalogue(Language::from_tag("ja").unwrap()).write(&NGINX.value(statement));
            let english = ["times", "core", "least", "more", "before", "minutes", "most"];
            assert!(!english.iter().any(|word| value.contains(word)), "{value}");
        }
    }

    #[test]
    fn nginx_chart_has_both_published_ratios_of_gcm_to_cbc() {
        let ratios: Vec<f64> = NGINX.bars().into_iter().map(|(_, ratio)| ratio).collect();
        assert_eq!(ratios, [2.5, 4.5]);
    }

    #[test]
    fn every_reproduction_file_names_a_source_and_has_no_unknown_key() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("reproductions");
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "toml") {
                let id = path.file_stem().unwrap().to_str().unwrap();
                Reproduction::new(id, &std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn every_name_in_a_reproduction_file_is_in_its_source() {
        for one in [&*JAVA, &*NGINX] {
            let is_stated = |printed: &str| one.source.statements.iter().any(|statement| statement.printed == printed);
            let lost: Vec<&str> = one.names.figures.iter().map(|figure| figure.printed.as_str()).collect();
            assert!(lost.iter().all(|printed| is_stated(printed)), "{lost:?}");
            assert!(one.names.tables.iter().all(|table| one.source.table(&table.id).is_some()));
            let cells = || one.source.tables.iter().flat_map(|table| table.rows.iter().flat_map(|row| &row.cells));
            assert!(one.names.words.iter().all(|word| cells().any(|cell| *cell == word.printed)));
        }
    }
}
