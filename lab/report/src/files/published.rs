//! The published measurement that the tables are made after, as it was printed.

use crate::language::Messages;
use crate::table::{Column, Over, Table};
use kasoku_store::published::{self, Source};

/// The source.
pub(super) fn source() -> Option<&'static Source> {
    published::find("intel-aes-ni-java")
}

/// Its table for a key length, under our headings; slips are marked and told.
pub(super) fn table(key_bytes: usize, messages: &'static Messages) -> Option<Table> {
    let source = source()?;
    let table = source.table(id(key_bytes)?)?;
    let words = &messages.files;
    let rows: Vec<Vec<String>> =
        table.rows.iter().enumerate().map(|(row, line)| cells(source, table, row, &line.cells, words.mean)).collect();
    let mut notes = vec![words.published_note.to_owned()];
    for slip in source.slips.iter().filter(|slip| slip.table.as_deref() == Some(table.id.as_str())) {
        let told = (words.slip)(&slip.printed, slip.follows.as_deref(), slip.what.of(messages.language));
        notes.push(told);
    }
    let title = (words.published_table)(if key_bytes == 16 { 128 } else { 256 });
    let headings = [
        words.test_run,
        words.size,
        words.encrypt_off,
        words.decrypt_off,
        words.encrypt_on,
        words.decrypt_on,
        words.encrypt_improvement,
        words.decrypt_improvement,
    ];
    let table = Over::new(title, &rows).each(headings.into_iter().enumerate(), |table, (index, heading)| {
        let column = if index < 2 { Column::words(heading) } else { Column::figures(heading) };
        table.column(column, |row| row.get(index).cloned())
    });
    Some(table.notes(notes).table())
}

fn cells(source: &Source, table: &published::Table, row: usize, cells: &[String], mean: &str) -> Vec<String> {
    let is_slip = |column: usize| {
        source
            .slips
            .iter()
            .any(|slip| (slip.table.as_deref(), slip.row, slip.column) == (Some(&table.id), Some(row), Some(column)))
    };
    let write = |(column, cell): (usize, &String)| match cell.as_str() {
        "平均" => mean.to_owned(),
        printed if is_slip(column) => format!("{printed} †"),
        printed => printed.to_owned(),
    };
    cells.iter().enumerate().map(write).collect()
}

/// The published times in milliseconds, a group for each size: its name, and the mean of its runs in the order of the
/// columns; what a slip should be is taken in its place.
pub(super) fn times(key_bytes: usize) -> Vec<(String, [Option<f64>; 4])> {
    by_size(key_bytes, |cells| [2, 3, 4, 5].map(cells))
}

/// The published improvements in per cent: its name, and the mean of its runs of encryption and decryption.
pub(super) fn improvements(key_bytes: usize) -> Vec<(String, [Option<f64>; 2])> {
    by_size(key_bytes, |cells| [6, 7].map(cells))
}

fn by_size<const N: usize>(
    key_bytes: usize,
    pick: impl Fn(&dyn Fn(usize) -> Option<f64>) -> [Option<f64>; N],
) -> Vec<(String, [Option<f64>; N])> {
    let found = source().and_then(|source| Some((source, source.table(id(key_bytes)?)?)));
    let Some((source, table)) = found else { return Vec::new() };
    let mut sizes: Vec<(String, Vec<usize>)> = Vec::new();
    for (row, line) in table.rows.iter().enumerate() {
        let Some(name) = line.cells.get(1).filter(|name| !name.is_empty()) else { continue };
        match sizes.last_mut().filter(|(last, _)| last == name) {
            Some((_, rows)) => rows.push(row),
            None => sizes.push((name.clone(), vec![row])),
        }
    }
    let value = |row: usize, column: usize| -> Option<f64> {
        let slip = source
            .slips
            .iter()
            .find(|slip| (slip.table.as_deref(), slip.row, slip.column) == (Some(&table.id), Some(row), Some(column)));
        let printed = match slip {
            Some(slip) => slip.follows.as_ref()?,
            None => table.rows.get(row)?.cells.get(column)?,
        };
        printed.parse().ok()
    };
    let mean = |rows: &[usize], column: usize| {
        let values: Vec<f64> = rows.iter().filter_map(|&row| value(row, column)).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    sizes.into_iter().map(|(name, rows)| (name, pick(&|column| mean(&rows, column)))).collect()
}

fn id(key_bytes: usize) -> Option<&'static str> {
    match key_bytes {
        16 => Some("aes-128"),
        32 => Some("aes-256"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::messages;
    use kasoku_model::language::Language;

    #[test]
    fn the_slips_are_shown_as_printed_and_counted_as_they_follow() {
        let grid = table(16, messages(Language::English)).unwrap();
        assert!(grid.texts().iter().flatten().any(|cell| cell == "333.13 †"));
        assert!(grid.notes.iter().any(|note| note.contains("33.13")), "{:?}", grid.notes);
        let last = improvements(16).pop().unwrap();
        assert_eq!(last.0, "1GB");
        assert!((last.1[1].unwrap() - 33.31).abs() < 0.01);
        let third = &times(16)[2];
        assert_eq!((third.0.as_str(), third.1[2]), ("200MB", Some(2882.0)));
    }
}
