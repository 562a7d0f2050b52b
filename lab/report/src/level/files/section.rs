//! The page's section about encrypted files: claims, the published tables and charts made again beside the published
//! ones, the parts of the system, the log.

use std::collections::BTreeSet;

use crate::block::{Block, Section};
use crate::chart::{Chart, LegendEntry};
use crate::claim::Claim;
use crate::palette::Palette;
use crate::quantity::size;
use crate::reproduction::JAVA;
use crate::selection::join;
use crate::table::{Table, TableBuilder};
use crate::text::{Separator, Text, say};
use crate::visible::short;
use kasoku_model::document::Document;

use super::claims::claims;
use super::log::log;
use super::selection::{COLUMNS, FileContender, FileSelection, KEY_BYTES};
use super::tables::{self, OPERATIONS, time_headings};

/// Maximum number of lines of the log on the page; `--log` writes all of them.
const MAX_LINES: usize = 400;
/// Colours of the four bars of a size, those of [`COLUMNS`].
const COLORS: [&str; 4] = ["var(--off)", "var(--s7)", "var(--on)", "var(--s4)"];
/// Colours of the two key lengths.
const KEY_COLORS: [&str; 2] = ["var(--s0)", "var(--s2)"];

/// Index of the first column of a published table with the times of [`COLUMNS`], and of the first with improvements.
const TIMES: usize = 2;
const IMPROVEMENTS: usize = TIMES + COLUMNS.len();

/// Returns the section; `None` if the document has no files.
pub(super) fn section(document: &Document, _: &Palette) -> Option<Section> {
    let files = FileSelection::new(document);
    if files.all.is_empty() {
        return None;
    }
    let mut more = vec![Block::Paragraph(say!("files-explained"))];
    more.extend(charts(&files));
    more.extend(KEY_BYTES.into_iter().flat_map(|key_bytes| tables_of(&files, key_bytes)));
    more.extend(components(document, &files));
    more.extend(log_lines(document));
    let claims = Block::list(claims(document).iter().map(Claim::sentence));
    let blocks = claims.into_iter().chain(tables::overview(&files).map(Block::Table));
    let blocks = blocks.chain([Block::fold(say!("files-more"), more)]).collect();
    Some(Section::open("files", say!("files-title"), blocks))
}

/// Returns the charts of times and improvements, each beside the published one.
fn charts(files: &FileSelection<'_>) -> Vec<Block> {
    let of_keys = KEY_BYTES.map(|key_bytes| files.primary(key_bytes));
    let lines: Vec<&FileContender<'_>> = of_keys.into_iter().flatten().collect();
    let Some(first) = lines.first() else { return Vec::new() };
    let legend = |colors: &[&str], names: Vec<Text>| -> Vec<LegendEntry> {
        colors.iter().zip(names).map(|(color, name)| LegendEntry::color(color, name)).collect()
    };
    let columns = legend(&COLORS, time_headings().into());
    let keys = legend(&KEY_COLORS, KEY_BYTES.map(|key_bytes| key_name(key_bytes).into()).into());

    let times = lines.iter().flat_map(|line| {
        let (key_bytes, unit) = (line.algorithm.key_bytes(), say!("files-milliseconds"));
        let title =
            |algorithm: &str, library: &Text| say!("files-figure-times", algorithm = algorithm, library = library);
        let time = |bytes| {
            let mean = |(operation, state)| Some(line.mean(bytes, operation, state, None)? * 1e3);
            (size(bytes), COLUMNS.map(mean).to_vec())
        };
        let own_title = title(line.algorithm.title(), &line.label);
        let own = line.sizes().into_iter().map(time);
        let their_title = title(&key_name(key_bytes), &say!("files-published"));
        let theirs = JAVA.means(&published(key_bytes), TIMES..IMPROVEMENTS);
        let bits = key_bytes * 8;
        [
            Chart::bars(format!("files-times-{bits}"), own_title, &unit, &columns, own),
            Chart::bars(format!("files-published-times-{bits}"), their_title, &unit, &columns, theirs),
        ]
    });
    let sizes: BTreeSet<usize> = lines.iter().flat_map(|line| line.compared_sizes()).collect();
    let improvements = OPERATIONS.into_iter().zip(IMPROVEMENTS..).flat_map(|(operation, column)| {
        let title = |library: &Text| say!("files-figure-improvement", operation = operation.name(), library = library);
        let improvement =
            |bytes: &usize| (size(*bytes), of_keys.map(|line| line?.improvement(*bytes, operation, None)).to_vec());
        let [short_keys, long_keys] = KEY_BYTES.map(|key_bytes| JAVA.means(&published(key_bytes), column..column + 1));
        let theirs = short_keys.into_iter().zip(long_keys);
        let theirs = theirs.map(|((label, short_key), (_, long_key))| (label, [short_key, long_key].concat()));
        let own = sizes.iter().map(improvement);
        [
            Chart::bars(format!("files-improvement-{operation}"), title(&first.label), "%", &keys, own),
            Chart::bars(
                format!("files-published-improvement-{operation}"),
                title(&say!("files-published")),
                "%",
                &keys,
                theirs,
            ),
        ]
    });
    let blocks = [Block::charts(columns.clone(), times.collect()), Block::charts(keys.clone(), improvements.collect())];
    [Block::Heading(say!("files-figures"))].into_iter().chain(blocks.into_iter().flatten()).collect()
}

fn key_name(key_bytes: usize) -> String {
    format!("AES-{}", key_bytes * 8)
}

/// Returns the id of the published table of a key length.
fn published(key_bytes: usize) -> String {
    format!("aes-{}", key_bytes * 8)
}

/// Returns the table of a key length and the published one; the tables of other contenders behind a fold.
fn tables_of(files: &FileSelection<'_>, key_bytes: usize) -> Vec<Block> {
    let primary = files.primary(key_bytes);
    let is_other = |line: &&FileContender<'_>| {
        line.algorithm.key_bytes() == key_bytes && primary.is_none_or(|primary| !std::ptr::eq(*line, primary))
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
        blocks.push(Block::fold(say!("files-other-libraries"), others));
    }
    blocks
}

/// Returns the parts of the system, and those of the published measurement.
fn components(document: &Document, files: &FileSelection<'_>) -> Vec<Block> {
    let machine = &document.machine;
    let memory = machine.memory.map(|bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1u32 << 30)));
    let hardware = [Text::name(&machine.cpu, 100), say!("facts-cores", cores = machine.cores), memory.into()];
    let system = format!("{} ({})", short(machine.os.as_deref().unwrap_or_default(), 80), short(&machine.kernel, 80));
    let mut libraries: Vec<String> = Vec::new();
    for library in files.all.iter().map(|line| join(line.library, line.version)) {
        if !libraries.contains(&library) {
            libraries.push(library);
        }
    }
    let parts = [
        (say!("files-hardware"), Text::list(Separator::Comma, hardware)),
        (say!("files-operating-system"), system.into()),
        (say!("files-applications"), Text::list(Separator::Comma, libraries)),
        (say!("files-measured-by"), format!("kasoku {}", short(&document.run.kasoku, 40)).into()),
    ];
    let own: Table = TableBuilder::new(say!("files-components"), &parts)
        .words(say!("files-component"), |(part, _)| part.clone())
        .words(say!("files-detail"), |(_, detail)| detail.clone())
        .table();
    let published = JAVA.source.machines.first().map(|machine| {
        let printed = |text: &String| Text::Stored("ja", text.clone());
        let pairs = machine.components.iter().map(|part| (printed(&part.printed), printed(&part.detail))).collect();
        let source =
            Text::list(Separator::Comma, [Text::Stored("en", JAVA.source.title.clone()), JAVA.source.credit().into()]);
        Block::fold(say!("files-published-components"), vec![Block::Pairs(pairs), Block::Note(source)])
    });
    [Block::Table(own)].into_iter().chain(published).collect()
}

/// Returns the first lines of the log behind a fold.
fn log_lines(document: &Document) -> Option<Block> {
    let log = log(document);
    let all = log.lines().count();
    let code: String = log.lines().take(MAX_LINES).map(|line| format!("{line}\n")).collect();
    let cut = (all > MAX_LINES).then(|| Block::Note(say!("files-log-cut", shown = MAX_LINES, all = all)));
    let lines = Block::Code { place: Text::EMPTY, code, is_log: true };
    (all > 0).then(|| Block::fold(say!("files-log"), cut.into_iter().chain([lines]).collect()))
}
