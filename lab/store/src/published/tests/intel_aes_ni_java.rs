//! Checks `intel-aes-ni-java.toml` against its source, and recomputes its improvements and means.

use std::collections::BTreeSet;

use super::*;

const SEED: &str = "seeds/001_687c56d1f2119a32.txt";

/// Returns the cells of a line, without empty cells at the end of the line.
fn cells(line: &str) -> Vec<String> {
    let mut cells: Vec<String> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
    while cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    cells
}

/// Returns the lines of the table above its title. The table of contents has the title too.
fn lines_above<'t>(text: &'t str, title: &str) -> Vec<&'t str> {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().rposition(|line| *line == title).unwrap();
    let start = lines[..end].iter().rposition(|line| !line.contains('|')).unwrap() + 1;
    lines[start..end].to_vec()
}

#[test]
fn intel_java_cells_match_the_source() {
    let Some((source, text)) = with_text("intel-aes-ni-java", SEED) else { return };
    let mut compared = 0;
    for (table, above) in source.tables.iter().zip([2, 2, 2, 2]) {
        let lines = lines_above(&text, &table.title);
        let rows: Vec<Vec<String>> = lines[above..].iter().map(|line| cells(line)).collect();
        // In a row of means, one cell spans six columns.
        let ours = table.rows.iter().map(|row| {
            let is_mean = row.cells[0] == "平均" && row.cells[1].is_empty();
            row.cells.iter().filter(|cell| !is_mean || !cell.is_empty()).cloned().collect::<Vec<_>>()
        });
        assert_eq!(ours.collect::<Vec<_>>(), rows, "{}", table.title);
        let mut headings = cells(lines[above - 1]);
        let ours: Vec<&String> = table.columns.iter().map(|column| &column.printed).filter(|h| !h.is_empty()).collect();
        headings.retain(|heading| !heading.is_empty());
        assert_eq!(ours, headings.iter().collect::<Vec<_>>(), "{}", table.title);
        let mut groups: Vec<&str> = table.columns.iter().filter_map(|column| column.group.as_deref()).collect();
        groups.dedup();
        assert!(groups.is_empty() || groups == cells(lines[above - 2]), "{groups:?}");
        compared += rows.iter().map(Vec::len).sum::<usize>();
    }
    assert_eq!(compared, 4 * 4 + (10 * 8 + 4 * 3) + (10 * 8 + 5 * 3) + 5 * 3);
}

#[test]
fn intel_java_publication_has_the_title_and_machine_of_its_source() {
    let Some((source, text)) = with_text("intel-aes-ni-java", SEED) else { return };
    let parts = &source.machines[0].components;
    let lines = lines_above(&text, "表 2 – システム・コンポーネント");
    let ours: Vec<Vec<String>> = parts.iter().map(|part| vec![part.printed.clone(), part.detail.clone()]).collect();
    assert_eq!(ours, lines[1..].iter().map(|line| cells(line)).collect::<Vec<_>>());
    assert_eq!(source.machines[0].printed, parts[0].detail);
    assert!(text.contains(source.address.as_deref().unwrap()) && text.contains(&source.title));
    assert!(text.contains("© 2012 Intel Corporation") && text.contains(source.command.as_deref().unwrap()));
    assert_quotes_stand_in(source, &text);
}

/// Parses a cell up to stray markup: `2881/td>` is 2881.
fn leading(cell: &str) -> f64 {
    cell.split('/').next().unwrap().parse().unwrap()
}

/// Rounding error of a printed figure: half of its last digit, and a margin.
const ROUNDING: f64 = 0.0051;

/// Returns rows and columns of the cells that do not follow from the other cells or contain markup, and the recomputed
/// means.
fn wrong_cells(table: &PublishedTable) -> (BTreeSet<(usize, usize)>, Vec<[f64; 2]>) {
    let mut wrong = BTreeSet::new();
    let (mut runs, mut means): (Vec<[f64; 2]>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
    for (number, row) in table.rows.iter().enumerate() {
        let first = if row.cells[0] == "平均" { 6 } else { 2 };
        for column in first..8 {
            if figure(&row.cells[column]).is_none() {
                wrong.insert((number, column));
            }
        }
        let printed = [leading(&row.cells[6]), leading(&row.cells[7])];
        let computed = if first == 6 {
            [0, 1].map(|which| runs.iter().map(|run| run[which]).sum::<f64>() / runs.len() as f64)
        } else {
            let time = |column: usize| leading(&row.cells[column]);
            [(time(2) - time(4)) / time(2) * 100.0, (time(3) - time(5)) / time(3) * 100.0]
        };
        for which in [0, 1] {
            if (printed[which] - computed[which]).abs() > ROUNDING {
                wrong.insert((number, 6 + which));
            }
        }
        runs.push(computed);
        if first == 6 {
            means.push(computed);
            runs.clear();
        }
    }
    if !runs.is_empty() {
        means.push([0, 1].map(|which| runs.iter().map(|run| run[which]).sum::<f64>() / runs.len() as f64));
    }
    (wrong, means)
}

#[test]
fn intel_java_slips_are_exactly_the_wrong_cells() {
    let source = find("intel-aes-ni-java").unwrap();
    for table in ["aes-128", "aes-256"] {
        let slips = source.slips.iter().filter(|slip| slip.table.as_deref() == Some(table));
        let flagged: BTreeSet<_> = slips.filter_map(|slip| slip.row.zip(slip.column)).collect();
        assert_eq!(wrong_cells(source.table(table).unwrap()).0, flagged, "{table}");
    }
    let rows: Vec<Vec<f64>> = source
        .table("specjvm2008")
        .unwrap()
        .rows
        .iter()
        .map(|row| row.cells[1..].iter().map(|cell| leading(cell)).collect())
        .collect();
    for row in &rows {
        assert!(((row[1] - row[0]) / row[0] * 100.0 - row[2]).abs() <= ROUNDING, "{row:?}");
    }
    for column in 0..3 {
        let mean = rows[..3].iter().map(|row| row[column]).sum::<f64>() / 3.0;
        assert!((mean - rows[3][column]).abs() <= ROUNDING, "{mean}");
    }
}

#[test]
fn intel_java_missing_mean_is_flagged() {
    let source = find("intel-aes-ni-java").unwrap();
    let means = |table: &str| source.table(table).unwrap().rows.iter().filter(|row| row.cells[0] == "平均").count();
    assert_eq!((means("aes-128"), means("aes-256")), (4, 5));
    let slip = source.slips.iter().find(|slip| slip.printed.is_empty()).unwrap();
    let (_, computed) = wrong_cells(source.table("aes-128").unwrap());
    assert_eq!(slip.follows.as_deref(), Some(format!("{:.2} / {:.2}", computed[4][0], computed[4][1]).as_str()));
}

/// The percentages in the conclusions are means of the tables' recomputed means.
#[test]
fn intel_java_stated_percentages_follow_from_its_tables() {
    let source = find("intel-aes-ni-java").unwrap();
    let all = |table: &str| {
        let (_, means) = wrong_cells(source.table(table).unwrap());
        [0, 1].map(|which| means.iter().map(|mean| mean[which]).sum::<f64>() / means.len() as f64)
    };
    let (short, long) = (all("aes-128"), all("aes-256"));
    let stated = |about: &str| {
        let found = source.statements.iter().find(|statement| statement.about.en.starts_with(about));
        found.unwrap_or_else(|| panic!("{about}")).value.parse::<f64>().unwrap()
    };
    assert_eq!(short[0].round(), stated("files, AES-128: less time to encrypt"));
    assert_eq!(short[1].round(), stated("files, AES-128: less time to decrypt"));
    assert_eq!(long[0].round(), stated("files, AES-256: less time to encrypt"));
    assert_eq!(long[1].round(), stated("files, AES-256: less time to decrypt"));
    assert_eq!(((short[0] + long[0]) / 2.0).round(), stated("files, both key sizes: less time to encrypt"));
    assert_eq!((short[1].round() + long[1].round()) / 2.0, stated("files, both key sizes: less time to decrypt"));
    assert!(((short[1] + long[1]) / 2.0 - 37.6).abs() < 0.05);
}
