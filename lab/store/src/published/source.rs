//! The form of a file in `published/`. Its README says how to write one.

use serde::Deserialize;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

/// A publication with figures.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Its name here: that of its file.
    #[serde(skip)]
    pub id: String,
    /// Its title, as printed.
    pub title: String,
    /// Who wrote or published it, where it says so.
    pub publisher: Option<String>,
    /// The year it is from, where it says so.
    pub year: Option<u16>,
    /// Where it is found, where it says so.
    pub address: Option<String>,
    /// The title that it is a translation of.
    pub original: Option<String>,
    /// Under which terms its figures are repeated here.
    pub licence: String,
    /// The command its figures come from.
    pub command: Option<String>,
    /// What a reader must know of it.
    pub note: Option<LocalizedText>,
    /// The machines it is about.
    #[serde(default, rename = "machine")]
    pub machines: Vec<PublishedMachine>,
    /// Its tables of figures.
    #[serde(default, rename = "table")]
    pub tables: Vec<PublishedTable>,
    /// Figures that stand in its sentences.
    #[serde(default, rename = "statement")]
    pub statements: Vec<Statement>,
    /// Its mistakes, which are kept as printed.
    #[serde(default, rename = "slip")]
    pub slips: Vec<Slip>,
}

/// A machine that a source is about.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedMachine {
    /// Its name within the source, in lower case with hyphens.
    pub id: String,
    /// What the source's tables call it, where that is not its CPU.
    pub name: Option<String>,
    /// The line or words that describe it, as printed.
    pub printed: String,
    /// Other names it goes by, so that it is known again in an import.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Its CPU, as printed.
    pub cpu: String,
    /// The clock, as printed.
    pub frequency: Option<String>,
    /// Cores, as printed.
    pub cores: Option<usize>,
    /// Hardware threads, as printed.
    pub threads: Option<usize>,
    /// The operating system, as printed.
    pub os: Option<String>,
    /// The architecture as Rust names it, which is known from the CPU.
    pub arch: String,
    /// The version of the library that did the work, as documents write it.
    pub library_version: Option<String>,
    /// The line the version is taken from, as printed.
    pub version_printed: Option<String>,
    /// When that library was built, as printed.
    pub built: Option<String>,
    /// What else the source says of it.
    #[serde(default, rename = "component")]
    pub components: Vec<Component>,
}

/// A line of a table of parts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Which part, as printed.
    pub printed: String,
    /// What it is, as printed.
    pub detail: String,
}

/// A table as printed, and what its cells are about in our words.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    /// Its name within the source.
    pub id: String,
    /// Its title, as printed; else the command that printed it.
    pub title: String,
    /// What its figures are in, as printed, where one unit is for the whole table.
    pub unit: Option<String>,
    /// What all its cells are about.
    #[serde(default)]
    pub about: About,
    /// Its columns.
    pub columns: Vec<PublishedColumn>,
    /// Its rows.
    pub rows: Vec<PublishedRow>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedColumn {
    /// The heading over several columns that it stands under, as printed.
    pub group: Option<String>,
    /// Its heading, as printed.
    pub printed: String,
    /// What its cells are about.
    #[serde(default)]
    pub about: About,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// What its cells are about.
    #[serde(default)]
    pub about: About,
    /// Its cells, as printed; an empty one is missing in the source.
    pub cells: Vec<String>,
}

/// What a cell is about in our words. What the table says is for all of its cells, what a row or column says is for
/// those of that row or column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The machine, by its name within the source.
    pub machine: Option<String>,
    /// The library.
    pub library: Option<String>,
    /// The operation.
    pub operation: Option<Operation>,
    /// The algorithm.
    pub algorithm: Option<Algorithm>,
    /// The size.
    pub bytes: Option<usize>,
    /// The state.
    pub acceleration: Option<Acceleration>,
}

/// A figure that stands in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The machine, by its name within the source.
    pub machine: Option<String>,
    /// The words it stands in, as printed.
    pub printed: String,
    /// The figure, as printed.
    pub value: String,
    /// Where it is a range, its other end, as printed.
    pub to: Option<String>,
    /// What it is in, and whether it is a bound: `GB/s`, `% at most`, `times`.
    pub unit: String,
    /// What it is a figure of.
    pub about: LocalizedText,
    /// What follows from it that the source does not say, and how.
    pub derived: Option<LocalizedText>,
}

/// A mistake in a source, kept as printed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slip {
    /// The machine, by its name within the source, where it is about one.
    pub machine: Option<String>,
    /// The table it stands in, by its name within the source.
    pub table: Option<String>,
    /// The row of that table, from 0.
    pub row: Option<usize>,
    /// The column of that table, from 0.
    pub column: Option<usize>,
    /// What stands there; empty where something is missing.
    pub printed: String,
    /// What is wrong.
    pub what: LocalizedText,
    /// What should stand there, where that follows from the rest.
    pub follows: Option<String>,
}

/// A sentence in every language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalizedText {
    /// English.
    pub en: String,
    /// Japanese.
    pub ja: String,
}

/// A cell with what it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedCell<'a> {
    /// The row, from 0.
    pub row: usize,
    /// The column, from 0.
    pub column: usize,
    /// As printed.
    pub printed: &'a str,
    /// What it is about, by table, row and column together.
    pub about: About,
}

impl Publication {
    /// The machine of that name within the source.
    pub fn machine(&self, id: &str) -> Option<&PublishedMachine> {
        self.machines.iter().find(|machine| machine.id == id)
    }

    /// The table of that name within the source.
    pub fn table(&self, id: &str) -> Option<&PublishedTable> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// The name of the document of a machine of this source.
    pub fn document_id(&self, machine: &PublishedMachine) -> String {
        format!("published-{}-{}", self.id, machine.id)
    }

    /// Who and when: `chromabox, 2023`; empty where neither is known.
    pub fn credit(&self) -> String {
        let year = self.year.map(|year| year.to_string());
        self.publisher.iter().chain(&year).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

impl PublishedMachine {
    /// What it is listed as: its name, else its CPU's.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }
}

impl PublishedTable {
    /// Every cell with what it is about.
    pub fn cells(&self) -> impl Iterator<Item = PublishedCell<'_>> {
        self.rows.iter().enumerate().flat_map(move |(row, line)| {
            line.cells.iter().zip(&self.columns).enumerate().map(move |(column, (printed, heading))| {
                let about = self.about.with(&line.about).with(&heading.about);
                PublishedCell { row, column, printed, about }
            })
        })
    }
}

impl PublishedCell<'_> {
    /// The figure in it, scaled by its suffix; `None` where there is no figure.
    pub fn figure(&self) -> Option<f64> {
        figure(self.printed).ok().flatten()
    }
}

impl About {
    /// This, and what `other` adds or says otherwise.
    fn with(&self, other: &About) -> About {
        About {
            machine: other.machine.clone().or_else(|| self.machine.clone()),
            library: other.library.clone().or_else(|| self.library.clone()),
            operation: other.operation.or(self.operation),
            algorithm: other.algorithm.or(self.algorithm),
            bytes: other.bytes.or(self.bytes),
            acceleration: other.acceleration.or(self.acceleration),
        }
    }
}

impl LocalizedText {
    /// Returns the sentence in the language of that tag; in English if there is none.
    pub fn of(&self, tag: &str) -> &str {
        if tag == "ja" { &self.ja } else { &self.en }
    }
}

/// Text that is neither a figure nor a way to say that there is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no figure as published tables print them: digits with one point, and `k` for thousands")]
pub struct UnreadableFigure(pub String);

/// The figure in a cell: `12225.40k` is 12225400. `None` where the source says that it knows none, or leaves it out.
///
/// # Errors
/// [`UnreadableFigure`] if it is something else.
///
/// ```
/// # use kasoku_store::published::figure;
/// assert_eq!(figure("12225.40k"), Ok(Some(12_225_400.0)));
/// assert_eq!(figure("602.1"), Ok(Some(602.1)));
/// assert_eq!(figure("unknown"), Ok(None));
/// assert!(figure("2881/td>").is_err());
/// ```
pub fn figure(printed: &str) -> Result<Option<f64>, UnreadableFigure> {
    if printed.is_empty() || printed == "unknown" {
        return Ok(None);
    }
    // The exponent is read with the digits, so that nothing is rounded twice.
    let (digits, exponent) = printed.strip_suffix('k').map_or((printed, "e0"), |digits| (digits, "e3"));
    let is_plain = digits.chars().all(|character| character.is_ascii_digit() || character == '.');
    let value = format!("{digits}{exponent}").parse::<f64>().ok().filter(|value| is_plain && value.is_finite());
    value.map(Some).ok_or_else(|| UnreadableFigure(printed.to_owned()))
}
