//! Invariants of every file in `published/`.

use std::collections::BTreeSet;

use super::*;

#[test]
fn publication_names_are_unique_and_resolve_and_tables_are_rectangles_of_figures() {
    let mut ids = BTreeSet::new();
    for source in sources() {
        assert!(ids.insert(&source.id), "duplicate publication {}", source.id);
        assert!(source.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
        assert!(!source.title.is_empty() && !source.licence.is_empty(), "{}", source.id);
        let mut machines = BTreeSet::new();
        for machine in &source.machines {
            assert!(machines.insert(machine.id.as_str()), "duplicate machine {}", machine.id);
            assert!(!machine.cpu.is_empty() && !machine.arch.is_empty(), "{}", machine.id);
        }
        let tables: BTreeSet<&str> = source.tables.iter().map(|table| table.id.as_str()).collect();
        assert_eq!(tables.len(), source.tables.len(), "{}: duplicate table name", source.id);
        let named = source.statements.iter().map(|statement| &statement.machine);
        for machine in named.chain(source.slips.iter().map(|slip| &slip.machine)).flatten() {
            assert!(machines.contains(machine.as_str()), "{}: no machine {machine}", source.id);
        }
        for cell in source.tables.iter().flat_map(PublishedTable::cells) {
            assert!(cell.about.machine.is_none_or(|machine| machines.contains(machine.as_str())), "{}", source.id);
        }
        for table in &source.tables {
            for row in &table.rows {
                assert_eq!(row.cells.len(), table.columns.len(), "{} {}: {:?}", source.id, table.id, row.cells);
            }
            for cell in table.cells().filter(|cell| cell.about.algorithm.is_some() && cell.about.bytes.is_some()) {
                let is_heading = cell.column == 0 || !cell.printed.contains(|c: char| c.is_ascii_digit());
                assert!(is_heading || figure(cell.printed).is_some(), "{} {}: {:?}", source.id, table.id, cell.printed);
            }
        }
    }
}

#[test]
fn quoted_statements_contain_their_value_and_listed_mistakes_match_their_table_cell() {
    for source in sources() {
        for statement in &source.statements {
            for value in std::iter::once(&statement.value).chain(&statement.to) {
                assert!(statement.printed.contains(value.as_str()), "{}: {value} in {}", source.id, statement.printed);
            }
            assert!(!statement.about.en.is_empty() && !statement.about.ja.is_empty());
        }
        for slip in &source.slips {
            assert!(!slip.what.en.is_empty() && !slip.what.ja.is_empty());
            assert_eq!(slip.row.is_some(), slip.column.is_some(), "{}: {}", source.id, slip.printed);
            let Some(table) = slip.table.as_deref() else { continue };
            let table = source.table(table).unwrap_or_else(|| panic!("{}: no table {table}", source.id));
            if let (Some(row), Some(column)) = (slip.row, slip.column) {
                assert_eq!(table.rows[row].cells[column], slip.printed, "{} {}", source.id, table.id);
            }
        }
    }
}

#[test]
fn published_documents_are_quoted_and_unverified() {
    assert!(documents().len() >= 14, "expected twelve devices and two servers");
    let mut ids = BTreeSet::new();
    for document in documents() {
        assert!(ids.insert(&document.run.id));
        assert!(document.run.complete && document.run.started.is_empty() && document.run.kasoku.is_empty());
        let origin = document.run.origin.as_ref().unwrap();
        assert_eq!(origin.kind, kasoku_model::document::OriginKind::Published);
        let (source, machine) = machine(document).unwrap();
        assert_eq!((&origin.source, document.machine.label()), (&source.title, machine.label()));
        for series in &document.series {
            let is_unverified = !series.is_verified() && series.code_path == "unknown";
            assert!(series.is_quoted() && is_unverified, "{}", document.run.id);
            assert!(series.median.is_some_and(|median| median.is_finite() && median > 0.0));
        }
    }
}

#[test]
fn publication_parser_rejects_unknown_keys() {
    let text =
        "title = \"x\"\nlicence = \"y\"\n[[machine]]\nid = \"a\"\nprinted = \"a\"\ncpu = \"a\"\narch = \"arm\"\n";
    assert!(toml::from_str::<Publication>(text).is_ok());
    assert!(toml::from_str::<Publication>(&format!("{text}colour = \"red\"\n")).is_err());
}
