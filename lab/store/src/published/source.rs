//! Format of the files in `published/`, which its README explains. Unless stated otherwise, texts are as printed.

use serde::Deserialize;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Name of the publication's file, without extension.
    #[serde(skip)]
    pub id: String,
    pub title: String,
    pub publisher: Option<String>,
    pub year: Option<u16>,
    pub address: Option<String>,
    /// Title of the original, if this is a translation.
    pub original: Option<String>,
    /// Terms under which the figures are repeated here.
    pub licence: String,
    pub command: Option<String>,
    pub note: Option<LocalizedText>,
    #[serde(default, rename = "machine")]
    pub machines: Vec<PublishedMachine>,
    #[serde(default, rename = "table")]
    pub tables: Vec<PublishedTable>,
    #[serde(default, rename = "statement")]
    pub statements: Vec<Statement>,
    #[serde(default, rename = "slip")]
    pub slips: Vec<Slip>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedMachine {
    /// Name within the publication, in lower case with hyphens.
    pub id: String,
    /// Name in the tables, if not the CPU's.
    pub name: Option<String>,
    pub printed: String,
    /// Other names, by which imports are recognised.
    #[serde(default)]
    pub aliases: Vec<String>,
    pub cpu: String,
    pub frequency: Option<String>,
    pub cores: Option<usize>,
    pub threads: Option<usize>,
    pub os: Option<String>,
    /// Architecture as Rust names it, inferred from the CPU.
    pub arch: String,
    /// Version of the measured library, as documents write it.
    pub library_version: Option<String>,
    pub version_printed: Option<String>,
    pub built: Option<String>,
    #[serde(default, rename = "component")]
    pub components: Vec<Component>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    pub printed: String,
    pub detail: String,
}

/// A table, with the workloads of its cells.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    pub id: String,
    /// Title, or the command that printed the table.
    pub title: String,
    pub unit: Option<String>,
    #[serde(default)]
    pub about: About,
    pub columns: Vec<PublishedColumn>,
    pub rows: Vec<PublishedRow>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedColumn {
    /// Heading above several columns that include this one.
    pub group: Option<String>,
    pub printed: String,
    #[serde(default)]
    pub about: About,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    #[serde(default)]
    pub about: About,
    /// Cells; an empty one is missing in the source.
    pub cells: Vec<String>,
}

/// Machine and workload of cells. A table's entry holds for all its cells, and entries of rows and columns override it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    pub machine: Option<String>,
    pub library: Option<String>,
    pub operation: Option<Operation>,
    pub algorithm: Option<Algorithm>,
    pub bytes: Option<usize>,
    pub acceleration: Option<Acceleration>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    pub machine: Option<String>,
    /// Text that contains the figure.
    pub printed: String,
    pub value: String,
    /// Other end of a range.
    pub to: Option<String>,
    /// Unit, and whether the figure is a bound: `GB/s`, `% at most`, `times`.
    pub unit: String,
    pub about: LocalizedText,
    /// Conclusion that the source does not state, with its derivation.
    pub derived: Option<LocalizedText>,
}

/// Mistake in the publication itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slip {
    /// ID of the [`PublishedMachine`] whose description or figures contain the mistake, if it concerns a single
    /// machine.
    pub machine: Option<String>,
    pub table: Option<String>,
    pub row: Option<usize>,
    pub column: Option<usize>,
    /// Wrong text as the source prints it; empty if the mistake is an omission.
    pub printed: String,
    pub what: LocalizedText,
    /// Correct text, if the rest of the publication implies it.
    pub follows: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalizedText {
    pub en: String,
    pub ja: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PublishedCell<'a> {
    pub column: usize,
    pub printed: &'a str,
    /// Machine and workload of the cell, combined from the entries of its table, row and column.
    pub about: About,
}

impl Publication {
    pub fn table(&self, id: &str) -> Option<&PublishedTable> {
        self.tables.iter().find(|table| table.id == id)
    }

    pub fn document_id(&self, machine: &PublishedMachine) -> String {
        format!("published-{}-{}", self.id, machine.id)
    }

    /// Returns publisher and year, such as `chromabox, 2023`; empty if neither is known.
    pub fn credit(&self) -> String {
        let year = self.year.map(|year| year.to_string());
        self.publisher.iter().chain(&year).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

impl PublishedMachine {
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.cpu)
    }
}

impl PublishedTable {
    pub fn cells(&self) -> impl Iterator<Item = PublishedCell<'_>> {
        self.rows.iter().flat_map(move |row| {
            row.cells.iter().zip(&self.columns).enumerate().map(move |(column, (printed, heading))| {
                let about = self.about.with(&row.about).with(&heading.about);
                PublishedCell { column, printed, about }
            })
        })
    }
}

impl About {
    /// Returns the entries of `self`, overridden by the entries of `other`.
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
    /// Returns the text in the language `tag`, else in English.
    pub fn of(&self, tag: &str) -> &str {
        if tag == "ja" { &self.ja } else { &self.en }
    }
}

/// Parses the figure in a cell, where `12225.40k` is 12225400. Returns `None` for other text, such as `unknown`.
///
/// ```
/// # use kasoku_store::published::figure;
/// assert_eq!(figure("12225.40k"), Some(12_225_400.0));
/// assert_eq!(figure("602.1"), Some(602.1));
/// assert_eq!(figure("2881/td>"), None);
/// ```
pub fn figure(printed: &str) -> Option<f64> {
    // The exponent is parsed with the digits, so that nothing is rounded twice.
    let (digits, exponent) = printed.strip_suffix('k').map_or((printed, "e0"), |digits| (digits, "e3"));
    let is_plain = digits.chars().all(|character| character.is_ascii_digit() || character == '.');
    format!("{digits}{exponent}").parse::<f64>().ok().filter(|value| is_plain && value.is_finite())
}
