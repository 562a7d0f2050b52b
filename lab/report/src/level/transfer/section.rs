//! The page's section about data from end to end: the claims, a chart of the cost of a gigabyte, the tables.

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;

use super::claims::claims;
use super::selection::{TransferSelection, TransferSeries, TransferSide, TransferTask};
use super::tables;
use crate::block::{Block, Section};
use crate::chart::{Bar, BarGroup, Chart};
use crate::claim::Claim;
use crate::palette::Palette;
use crate::text::say;

/// Returns the section; `None` if no data was moved.
pub(super) fn section(document: &Document, palette: &Palette) -> Option<Section> {
    let transfers = &TransferSelection::new(document);
    if transfers.all.is_empty() {
        return None;
    }
    let algorithms = transfers.algorithms();
    let charts = algorithms.iter().filter_map(|algorithm| chart(transfers, *algorithm, palette)).collect();
    let mut folded = vec![Block::Paragraph(say!("transfer-explained"))];
    for mut table in algorithms.iter().flat_map(|algorithm| tables::of_algorithm(transfers, *algorithm)) {
        // The notes are longer than a table is wide.
        let notes = std::mem::take(&mut table.notes);
        folded.push(Block::Table(table));
        folded.extend(notes.into_iter().map(Block::Note));
    }
    let mut blocks: Vec<Block> = Block::list(claims(document).iter().map(Claim::sentence)).into_iter().collect();
    blocks.extend(Block::charts(Vec::new(), charts));
    blocks.push(Block::fold(say!("transfer-more"), folded));
    Some(Section::open("transfer", say!("transfer-title"), blocks))
}

/// CPU seconds for a gigabyte, with the kernel's share; `None` if they are not known.
fn chart(transfers: &TransferSelection<'_>, algorithm: Algorithm, palette: &Palette) -> Option<Chart> {
    let bar = |row: &TransferSeries<'_>| {
        Some(Bar {
            label: Some(row.who.name().cut(24)),
            color: palette.color(&row.who.library).to_owned(),
            value: Some(row.seconds(TransferSide::Both)?),
            interval: None,
            share: row.kernel().map(|share| 100.0 * share),
        })
    };
    let block = |task: TransferTask| {
        let bars: Vec<Bar> = transfers.all.iter().filter(|row| row.task == task).filter_map(bar).collect();
        (!bars.is_empty()).then(|| BarGroup { label: task.name(), bars })
    };
    let tasks = transfers.tasks().into_iter().filter(|task| task.algorithm == algorithm);
    let groups: Vec<BarGroup> = tasks.filter_map(block).collect();
    let title = || say!("transfer-costs", algorithm = algorithm.title());
    (!groups.is_empty()).then(|| Chart {
        heading: Some(algorithm.title().into()),
        beside: say!("transfer-chart-unit"),
        ..Chart::new(format!("transfer-{algorithm}"), title(), "CPU s/GB", groups)
    })
}
