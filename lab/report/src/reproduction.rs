//! Published measurements that are made again, beside ours: the figures of `published/` as they are printed, called
//! what the files in `reproductions/` call them.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::language::{Messages, say};
use crate::table::{Column, Over, Table};
use kasoku_model::language::Language;
use kasoku_store::published::{self, LocalizedText, Publication, Statement};

/// Intel's test of AES on Linux and Java.
pub(crate) static JAVA: LazyLock<Reproduction> =
    LazyLock::new(|| Reproduction::new("intel-aes-ni-java", include_str!("../reproductions/intel-aes-ni-java.toml")));

/// Intel's test of an nginx server.
pub(crate) static NGINX: LazyLock<Reproduction> = LazyLock::new(|| {
    Reproduction::new("intel-aes-gcm-nginx", include_str!("../reproductions/intel-aes-gcm-nginx.toml"))
});

/// How many columns of a published table say which row it is.
const NAMES: usize = 2;

/// A publication with what a report calls its parts.
pub(crate) struct Reproduction {
    pub(crate) source: &'static Publication,
    called: Called,
}

/// A file in `reproductions/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Called {
    #[serde(default)]
    columns: Vec<LocalizedText>,
    #[serde(default)]
    notes: Vec<LocalizedText>,
    #[serde(default, rename = "word")]
    words: Vec<Word>,
    #[serde(default, rename = "unit")]
    units: Vec<Word>,
    #[serde(default, rename = "table")]
    tables: Vec<Titled>,
    #[serde(default, rename = "figure")]
    figures: Vec<Figure>,
    /// What is measured, which is not the report's to read.
    #[serde(default, rename = "measure")]
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
struct Titled {
    id: String,
    title: LocalizedText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    /// The words it stands in.
    printed: String,
    /// The figure of ours that stands beside it.
    ours: Option<String>,
    /// Its name in a chart.
    bar: Option<String>,
}

impl Reproduction {
    fn new(id: &str, text: &str) -> Self {
        let called = toml::from_str(text).unwrap_or_else(|error| panic!("reproductions/{id}.toml: {error}"));
        let source = published::find(id).unwrap_or_else(|| panic!("there is no published/{id}.toml"));
        Reproduction { source, called }
    }

    /// What a table is called.
    pub(crate) fn title<'a>(&'a self, id: &'a str, language: Language) -> &'a str {
        self.called.tables.iter().find(|table| table.id == id).map_or(id, |table| table.title.of(language))
    }

    /// The cells of a table in our words; what is a slip has a mark.
    pub(crate) fn rows(&self, id: &str, language: Language) -> Vec<Vec<String>> {
        let row = |(row, line): (usize, &published::PublishedRow)| {
            let cell = |(column, printed): (usize, &String)| match self.slip(id, row, column) {
                Some(_) => format!("{printed} †"),
                None => says(&self.called.words, printed, language).to_owned(),
            };
            line.cells.iter().enumerate().map(cell).collect()
        };
        self.source.table(id).map(|table| table.rows.iter().enumerate().map(row).collect()).unwrap_or_default()
    }

    /// A table, with its slips told.
    pub(crate) fn table(&self, id: &str, messages: &Messages) -> Option<Table> {
        let language = messages.language;
        let of_table = self.source.slips.iter().filter(|slip| slip.table.as_deref() == Some(id));
        let slip = |slip: &published::Slip| {
            (messages.origin.slip)(&slip.printed, slip.follows.as_deref(), slip.what.of(language))
        };
        Over::new(self.title(id, language), &self.rows(id, language))
            .each(self.called.columns.iter().enumerate(), |table, (index, heading)| {
                let column = if index < NAMES { Column::words } else { Column::figures }(heading.of(language));
                table.column(column, |row| row.get(index).cloned())
            })
            .notes(self.called.notes.iter().map(|note| note.of(language)))
            .notes(of_table.map(slip))
            .any()
    }

    /// The means of these columns over the rows that have the same name in the second; what a slip should be is taken
    /// in its place.
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
        let mean = |rows: &[usize], column: usize| {
            let values: Vec<f64> = rows.iter().filter_map(|row| value(*row, column)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let group = |rows: &[usize]| {
            let name = named(*rows.first()?)?.clone();
            Some((name, columns.clone().map(|column| mean(rows, column)).collect()))
        };
        rows.chunk_by(|one, other| named(*one) == named(*other)).filter_map(group).collect()
    }

    /// What the source states, in its order, with what there is of it here.
    pub(crate) fn statements(
        &self,
        title: &str,
        [what, stated, here]: [&str; 3],
        language: Language,
        ours: impl Fn(&str) -> Option<String>,
    ) -> Table {
        Over::new(title, &self.source.statements)
            .words(what, |statement| statement.about.of(language))
            .figures(stated, |statement| self.value(statement, language))
            .figures(here, |statement| ours(self.figure(statement)?.ours.as_deref()?))
            .notes([self.source.credit()])
            .table()
    }

    /// The stated figures that a chart shows, by their names there.
    pub(crate) fn bars(&self) -> Vec<(String, f64)> {
        let bar = |statement: &Statement| Some((self.figure(statement)?.bar.clone()?, statement.value.parse().ok()?));
        self.source.statements.iter().filter_map(bar).collect()
    }

    fn value(&self, Statement { value, to, unit, .. }: &Statement, language: Language) -> String {
        let to = to.as_ref().map(|to| say!(language, "–{to}", "～{to}")).unwrap_or_default();
        format!("{value}{to}{}", says(&self.called.units, unit, language))
    }

    fn figure(&self, statement: &Statement) -> Option<&Figure> {
        self.called.figures.iter().find(|figure| figure.printed == statement.printed)
    }

    fn slip(&self, id: &str, row: usize, column: usize) -> Option<&published::Slip> {
        let is_it = |slip: &&published::Slip| {
            (slip.table.as_deref(), slip.row, slip.column) == (Some(id), Some(row), Some(column))
        };
        self.source.slips.iter().find(is_it)
    }
}

/// What we say for something printed; what we have no word for stays as it is.
fn says<'s>(words: &'s [Word], printed: &'s str, language: Language) -> &'s str {
    words.iter().find(|word| word.printed == printed).map_or(printed, |word| word.says.of(language))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::messages;

    #[test]
    fn the_slips_are_shown_as_printed_and_counted_as_they_follow() {
        let table = JAVA.table("aes-128", messages(Language::English)).unwrap();
        assert!(table.texts().iter().flatten().any(|cell| cell == "333.13 †"));
        assert!(table.notes.iter().any(|note| note.contains("33.13")), "{:?}", table.notes);
        let last = JAVA.means("aes-128", 6..8).pop().unwrap();
        assert_eq!(last.0, "1GB");
        assert!((last.1[1].unwrap() - 33.31).abs() < 0.01);
        let third = &JAVA.means("aes-128", 2..6)[2];
        assert_eq!((third.0.as_str(), third.1[2]), ("200MB", Some(2882.0)));
    }

    #[test]
    fn every_published_unit_is_said_in_japanese() {
        for statement in &NGINX.source.statements {
            let value = NGINX.value(statement, Language::Japanese);
            let english = ["times", "core", "least", "more", "before", "minutes", "most"];
            assert!(!english.iter().any(|word| value.contains(word)), "{value}");
        }
    }

    #[test]
    fn both_published_ratios_of_the_ciphers_are_there() {
        let ratios: Vec<f64> = NGINX.bars().into_iter().map(|(_, ratio)| ratio).collect();
        assert_eq!(ratios, [2.5, 4.5]);
    }

    #[test]
    fn every_file_has_a_source_and_no_unknown_key() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("reproductions");
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "toml") {
                let id = path.file_stem().unwrap().to_str().unwrap();
                Reproduction::new(id, &std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn what_a_file_names_is_in_its_source() {
        for one in [&*JAVA, &*NGINX] {
            let is_stated = |printed: &str| one.source.statements.iter().any(|statement| statement.printed == printed);
            let lost: Vec<&str> = one.called.figures.iter().map(|figure| figure.printed.as_str()).collect();
            assert!(lost.iter().all(|printed| is_stated(printed)), "{lost:?}");
            assert!(one.called.tables.iter().all(|table| one.source.table(&table.id).is_some()));
            let cells = || one.source.tables.iter().flat_map(|table| table.rows.iter().flat_map(|row| &row.cells));
            assert!(one.called.words.iter().all(|word| cells().any(|cell| *cell == word.printed)));
        }
    }
}
