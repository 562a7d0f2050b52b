//! The level files: time of each test run, gain from acceleration, and the percentage of an encryption's time that
//! plain copying takes.

mod selection;
mod tables;

use std::collections::BTreeSet;

use crate::prelude::*;
use crate::quantity::{mean, points};
use crate::reproduction::JAVA;
use crate::selection::USUAL_FILES;
use kasoku_model::document::Sample;
use kasoku_model::library::{KASOKU, OPENSSL};

use super::LevelReport;
pub(crate) use selection::FileSelection;
use selection::{COLUMNS, FileContender, IN_MEMORY, KEY_BYTES, OPERATIONS};
use tables::time_headings;

/// Maximum number of log lines on the page; `--log` writes all.
const MAX_LINES: usize = 400;
/// Colours of the four bars for each file size, in the order of [`COLUMNS`].
const COLORS: [&str; 4] = ["var(--off)", "var(--s7)", "var(--on)", "var(--s4)"];
/// Colours of the two key lengths, in the order of [`KEY_BYTES`].
const KEY_COLORS: [&str; 2] = ["var(--s0)", "var(--s2)"];

/// Index of the first column with times in a published table, in the order of [`COLUMNS`].
const TIMES: usize = 2;
/// Index of the first column with improvements in a published table.
const IMPROVEMENTS: usize = TIMES + COLUMNS.len();

impl LevelReport for FileSelection<'_> {
    /// Returns no claims for published and imported runs.
    fn claims(&self) -> Vec<Claim> {
        if self.document.run.origin.is_some() {
            return Vec::new();
        }
        // Compare with plain copying for AES-256-GCM only, and only the first contender of each library.
        let copied = [OPENSSL, KASOKU].into_iter().filter_map(|library| {
            let is_meant = |line: &&FileContender<'_>| {
                line.files == USUAL_FILES && line.one.algorithm == Algorithm::Aes256Gcm && line.one.library == library
            };
            self.all.iter().filter(is_meant).find_map(|line| copied(self, line))
        });
        KEY_BYTES.into_iter().filter_map(|key_bytes| saved(self.primary(key_bytes)?)).chain(copied).collect()
    }

    fn summary(&self) -> Vec<Table> {
        tables::overview(self).into_iter().collect()
    }

    fn section(&self, claims: &[Claim], _: &Palette) -> Section {
        let mut more = vec![Block::Paragraph(say!("files-explained"))];
        more.extend(charts(self));
        more.extend(KEY_BYTES.into_iter().flat_map(|key_bytes| tables_of(self, key_bytes)));
        more.extend(components());
        more.extend(log_lines(self.document));
        super::section(["files", "files-title", "files-more"], claims, tables::overview(self).map(Block::Table), more)
    }
}

fn charts(files: &FileSelection<'_>) -> Vec<Block> {
    type Groups = Vec<(String, Vec<Option<f64>>)>;
    let of_keys = KEY_BYTES.map(|key_bytes| files.primary(key_bytes));
    let lines: Vec<&FileContender<'_>> = of_keys.into_iter().flatten().collect();
    let Some(first) = lines.first() else { return Vec::new() };
    let legend = |colors: &[&str], names: Vec<Text>| -> Vec<LegendEntry> {
        colors.iter().zip(names).map(|(color, name)| LegendEntry::color(color, name)).collect()
    };
    let columns = legend(&COLORS, time_headings().into());
    let keys = legend(&KEY_COLORS, KEY_BYTES.map(|key_bytes| key_name(key_bytes).into()).into());
    let pair = |name: String, titles: [Text; 2], unit: &Text, legend: &[LegendEntry], [own, theirs]: [Groups; 2]| {
        let [own_title, their_title] = titles;
        [
            Chart::bars(format!("files-{name}"), own_title, unit, legend, own),
            Chart::bars(format!("files-published-{name}"), their_title, unit, legend, theirs),
        ]
    };
    let times = lines.iter().flat_map(|line| {
        let key_bytes = line.one.algorithm.key_bytes();
        let title =
            |algorithm: &str, library: &Text| say!("files-figure-times", algorithm = algorithm, library = library);
        let titles =
            [title(line.one.algorithm.title(), &line.label), title(&key_name(key_bytes), &say!("files-published"))];
        let time = |bytes| (size(bytes), COLUMNS.map(|column| Some(line.mean(bytes, column, None)? * 1e3)).to_vec());
        let theirs = JAVA.means(&published(key_bytes), TIMES..IMPROVEMENTS);
        let groups = [line.sizes().into_iter().map(time).collect(), theirs];
        pair(format!("times-{}", key_bytes * 8), titles, &say!("files-milliseconds"), &columns, groups)
    });
    let sizes: BTreeSet<usize> = lines.iter().flat_map(|line| line.compared_sizes()).collect();
    let improvements = OPERATIONS.into_iter().zip(IMPROVEMENTS..).flat_map(|(operation, column)| {
        let titles = [first.label.clone(), say!("files-published")]
            .map(|library| say!("files-figure-improvement", operation = operation.name(), library = library));
        let improvement =
            |bytes: &usize| (size(*bytes), of_keys.map(|line| line?.improvement(*bytes, operation, None)).to_vec());
        let [short_keys, long_keys] = KEY_BYTES.map(|key_bytes| JAVA.means(&published(key_bytes), column..column + 1));
        let theirs = short_keys.into_iter().zip(long_keys);
        let theirs = theirs.map(|((label, short_key), (_, long_key))| (label, [short_key, long_key].concat()));
        let groups = [sizes.iter().map(improvement).collect(), theirs.collect()];
        pair(format!("improvement-{operation}"), titles, &"%".into(), &keys, groups)
    });
    let blocks = [Block::charts(columns.clone(), times.collect()), Block::charts(keys.clone(), improvements.collect())];
    [Block::Heading(say!("files-figures"))].into_iter().chain(blocks.into_iter().flatten()).collect()
}

fn key_name(key_bytes: usize) -> String {
    format!("AES-{}", key_bytes * 8)
}

/// Returns the id of the published table for a key length.
fn published(key_bytes: usize) -> String {
    format!("aes-{}", key_bytes * 8)
}

/// Returns the table of a key length with the published table below it. Tables of other contenders follow in a fold.
fn tables_of(files: &FileSelection<'_>, key_bytes: usize) -> Vec<Block> {
    let primary = files.primary(key_bytes);
    let is_other = |line: &&FileContender<'_>| {
        line.one.algorithm.key_bytes() == key_bytes && primary.is_none_or(|primary| !std::ptr::eq(*line, primary))
    };
    let table_of = |line| Block::Table(tables::test_runs(line));
    let others: Vec<Block> = files.all.iter().filter(is_other).map(table_of).collect();
    if primary.is_none() && others.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Heading(key_name(key_bytes).into())];
    blocks.extend(primary.map(table_of));
    blocks.extend(JAVA.table(&published(key_bytes)).map(Block::Table));
    if !others.is_empty() {
        blocks.push(Block::Fold(say!("files-other-libraries"), others));
    }
    blocks
}

/// Returns a fold with the hardware and software of the machine in the published measurement.
fn components() -> Option<Block> {
    JAVA.source.machines.first().map(|machine| {
        let printed = |text: &String| Text::Stored("ja", text.clone());
        let pairs = machine.components.iter().map(|part| (printed(&part.printed), printed(&part.detail))).collect();
        let source =
            Text::list(Separator::Comma, [Text::Stored("en", JAVA.source.title.clone()), JAVA.source.credit().into()]);
        Block::Fold(say!("files-published-components"), vec![Block::Pairs(pairs), Block::Note(source)])
    })
}

/// Returns the log of a run on files, with a line for each repetition as in the published measurement.
pub fn log(document: &Document) -> String {
    let series = document.series.iter().filter(|series| series.level == Level::Files);
    let mut samples: Vec<(&Series, &Sample)> =
        series.flat_map(|series| series.samples.iter().map(move |sample| (series, sample))).collect();
    samples.sort_by_key(|(series, sample)| (series.bytes, sample.process, sample.round));
    samples.into_iter().map(|(series, sample)| line(series, sample) + "\n").collect()
}

fn line(series: &Series, sample: &Sample) -> String {
    let milliseconds = Some(series.figure(sample) * 1e3).filter(|milliseconds| milliseconds.is_finite());
    let milliseconds = milliseconds.map_or_else(|| "–".to_owned(), |milliseconds| fixed(milliseconds, 1));
    let place = series.workload().files().map(|files| files.to_string()).unwrap_or_default();
    format!(
        "test run {}, repetition {}: {} {} of {} bytes, {place}, by {} {} ({}, {} threads): {milliseconds} ms",
        u64::from(sample.process) + 1,
        u64::from(sample.round) + 1,
        series.algorithm,
        series.operation,
        series.bytes,
        short(&series.library, 40),
        short(&series.library_version, 40),
        series.acceleration,
        series.details.threads,
    )
}

fn log_lines(document: &Document) -> Option<Block> {
    let log = log(document);
    let all = log.lines().count();
    let code: String = log.lines().take(MAX_LINES).map(|line| format!("{line}\n")).collect();
    let cut = (all > MAX_LINES).then(|| Block::Note(say!("files-log-cut", shown = MAX_LINES, all = all)));
    let lines = Block::Code { code, is_log: true };
    (all > 0).then(|| Block::Fold(say!("files-log"), cut.into_iter().chain([lines]).collect()))
}

/// Claims the time that acceleration saves, in per cent as the mean over all sizes. Returns `None` unless every
/// repetition with acceleration was faster than every repetition without acceleration.
fn saved(line: &FileContender<'_>) -> Option<Claim> {
    let sizes = line.compared_sizes();
    let saved = |operation| {
        mean(sizes.iter().filter_map(|bytes| line.improvement(*bytes, operation, None)))
            .filter(|_| line.is_clear(operation))
    };
    let [encrypt, decrypt] = [saved(Operation::Encrypt)?, saved(Operation::Decrypt)?].map(|saved| points(saved.abs()));
    let library = Text::name(&line.one.library, 40);
    let subject = Subject { algorithm: Some(line.one.algorithm), library, ..Subject::default() };
    Some(Claim::new("files-saved", subject).with("encrypt", encrypt).with("decrypt", decrypt).leading())
}

/// Claims the percentage of an encryption's time that a plain copy takes, at the largest size that was copied. Adds the
/// time in memory if it is lower, which separates the cipher from the disk.
fn copied(files: &FileSelection<'_>, line: &FileContender<'_>) -> Option<Claim> {
    let milliseconds = |line: &FileContender<'_>, bytes| {
        line.figure(bytes, (Operation::Encrypt, Acceleration::On)).map(|seconds| seconds * 1e3)
    };
    let (bytes, copy) =
        line.sizes().into_iter().rev().find_map(|bytes| Some((bytes, files.copy(USUAL_FILES, bytes)?)))?;
    let (whole, copy) = (milliseconds(line, bytes)?, copy * 1e3);
    let in_memory = files.beside(line, IN_MEMORY).and_then(|line| milliseconds(line, bytes)).filter(|one| *one < whole);
    let in_memory = in_memory.map(|time| say!("claim-files-in-memory", time = digits(time)));
    let mut library = Text::name(&line.one.library, 40);
    if line.threads() == 1 && files.has_several_threads(line, bytes) {
        library = say!("claim-files-one-thread", library = library);
    }
    let kind = if copy < whole { "files-copied" } else { "files-copied-whole" };
    let claim = Claim::new(kind, Subject::new(line.one.algorithm, library, bytes))
        .with("whole", digits(whole))
        .with("copy", digits(copy))
        .with("share", percent(100.0 * copy / whole));
    Some(claim.with("in_memory", Text::from(in_memory)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Documents may contain the largest numbers, and repetitions without operations or time.
    #[test]
    fn file_log_has_a_line_even_for_repetitions_without_operations_or_time() {
        let of_samples = |samples: &serde_json::Value| {
            let document = json!({"schema": 1, "run": {}, "machine": {}, "series": [{"level": "files",
                "operation": "encrypt", "algorithm": "aes-128-cbc", "bytes": 16, "library": "openssl",
                "library_version": "3", "acceleration": "on", "code_path": "", "unit": "s", "samples": samples,
                "outcome": "measured", "details": {"experiment": "files", "storage": "file"}}]});
            log(&serde_json::from_value(document).unwrap())
        };
        let largest = of_samples(&json!([{"process": u32::MAX, "round": u32::MAX, "iterations": 1, "ns": 5_000_000}]));
        assert!(largest.starts_with("test run 4294967296, repetition 4294967296: ") && largest.ends_with(": 5.0 ms\n"));
        let nothing = of_samples(&json!([{"iterations": 0, "ns": 5}, {"iterations": 0, "ns": 0}]));
        assert_eq!(nothing.matches(": – ms\n").count(), 2, "{nothing}");
    }
}
