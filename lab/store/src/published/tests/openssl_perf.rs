//! Checks `openssl-perf.toml` (twelve devices) against its source.

use super::*;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::openssl_speed::AeadRow;
use kasoku_model::workload::Operation;

const SEED: &str = "seeds/004_92c08b4ab967beb1.txt";

/// Returns the Markdown tables in `text`, without the rules under their headings.
fn markdown_tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut is_in_table = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('|') {
            let cells = line.split('|').map(|cell| cell.trim().to_owned());
            let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
            if !is_in_table {
                tables.push(Vec::new());
            }
            if !cells.iter().all(|cell| cell.chars().all(|character| "-:".contains(character))) {
                tables.last_mut().unwrap().push(cells);
            }
        }
        is_in_table = line.starts_with('|');
    }
    tables
}

#[test]
fn openssl_perf_cells_match_the_source() {
    let Some((source, text)) = with_text("openssl-perf", SEED) else { return };
    let expected = markdown_tables(&text);
    assert_eq!(expected.len(), 3);
    assert!(expected.iter().all(|table| table.len() == 13));
    let ours: Vec<_> = source.tables.iter().map(printed).collect();
    assert_eq!(ours, expected);
    for table in &source.tables {
        assert!(text.contains(&format!("・{}\n", table.title)), "{}", table.title);
    }
}

#[test]
fn openssl_perf_devices_match_the_source() {
    let Some((source, text)) = with_text("openssl-perf", SEED) else { return };
    assert_eq!(source.machines.len(), 12);
    for machine in &source.machines {
        assert!(text.lines().any(|line| line.trim_end() == machine.printed), "{}", machine.printed);
        for part in [Some(&machine.cpu), machine.frequency.as_ref()].into_iter().flatten() {
            assert!(machine.printed.contains(part.as_str()), "{part} in {}", machine.printed);
        }
        let counts = [machine.cores.unwrap(), machine.threads.unwrap()];
        let written = [format!("{}C{}T", counts[0], counts[1]), format!("{}C/{}T", counts[0], counts[1])];
        assert!(written.iter().any(|counts| machine.printed.contains(counts)), "{}", machine.printed);
        let row = format!("| {}", machine.name.as_deref().unwrap());
        assert_eq!(text.matches(&row).count(), 3, "{row}");
    }
    assert_quotes_stand_in(source, &text);
}

#[test]
fn openssl_perf_devices_with_two_names_are_flagged() {
    let source = find("openssl-perf").unwrap();
    for machine in &source.machines {
        let listed = machine.printed.split([':', '：']).next().unwrap();
        let is_flagged =
            source.slips.iter().any(|slip| slip.machine.as_deref() == Some(&machine.id) && slip.printed == listed);
        assert_eq!(is_flagged, machine.name.as_deref() != Some(listed), "{listed}");
    }
}

#[test]
fn openssl_perf_documents_hold_every_figure_with_its_operation() {
    let ours = documents().iter().filter(|document| document.run.id.starts_with("published-openssl-perf-"));
    let (mut devices, mut figures) = (0, 0);
    for document in ours {
        devices += 1;
        figures += document.series.len();
        let is_old = document.machine.os.as_deref() == Some("OpenWrt");
        assert_eq!(document.series.len(), if is_old { 14 } else { 16 }, "{}", document.run.id);
        // Before 2025 `openssl speed` measured AEADs in one way only.
        let rows: Vec<AeadRow> = document.series.iter().filter_map(AeadRow::of).collect();
        assert_eq!(rows, [AeadRow::Updates; 3], "{}", document.run.id);
        assert!(document.run.notes[0].contains("AES-128-GCM, AES-256-GCM, ChaCha20-Poly1305: updates"));
    }
    assert_eq!((devices, figures), (12, 12 * 16 - 4));
    let pi = documents().iter().find(|document| document.run.id == "published-openssl-perf-raspberry-pi4").unwrap();
    let figure = |operation, algorithm, bytes| {
        let is_it = |series: &&kasoku_model::document::Series| {
            (series.operation, series.algorithm, series.bytes) == (operation, algorithm, bytes)
        };
        pi.series.iter().find(is_it).unwrap().median.unwrap()
    };
    assert_eq!(figure(Operation::Seal, Algorithm::ChaCha20Poly1305, 16384), 321_115_480.0);
    assert_eq!(figure(Operation::Verify, Algorithm::Ed448, 32), 934.8);
    assert_eq!(figure(Operation::Derive, Algorithm::X25519, 0), 4184.7);
}

/// Published figures are those of the devices' transcripts at 16384 bytes.
#[test]
fn openssl_perf_figures_match_transcripts() {
    let source = find("openssl-perf").unwrap();
    // Transcripts have `(X25519)` for the heading `op/s(X25519)`.
    let label = |heading: &str| match heading {
        "ChaPoly" => "ChaCha20-Poly1305".to_owned(),
        _ => heading.split_once("/s").map_or(heading, |(_, label)| label).to_owned(),
    };
    let (mut transcripts, mut figures) = (0, 0);
    for machine in &source.machines {
        let stems = machine.aliases.iter().filter(|alias| alias.contains('_'));
        let folder =
            stems.filter(|stem| !["ubuntu_2304_intel_i7_13700", "win10_intel_i7_10750h"].contains(&stem.as_str()));
        for stem in folder {
            let Some(transcript) = shared(&format!("devices/{stem}.txt")) else { return };
            transcripts += 1;
            let version = machine.version_printed.as_deref().unwrap();
            assert!(transcript.lines().any(|line| line.trim_end() == version), "{stem}: {version}");
            let number = machine.library_version.as_deref().unwrap().strip_prefix("OpenSSL ").unwrap();
            assert!(version.split_whitespace().any(|word| word == number), "{stem}: {number}");
            let cells = source.tables.iter().flat_map(|table| table.cells().map(move |cell| (table, cell)));
            for (table, cell) in cells {
                let heading = table.columns[cell.column].printed.as_str();
                let label = label(heading);
                if cell.about.machine.as_deref() != Some(&machine.id) || figure(cell.printed).is_none() {
                    continue;
                }
                let is_line = |line: &&str| {
                    let result = line.trim_end().ends_with(|c: char| c == 'k' || c.is_ascii_digit());
                    let named = line.to_ascii_lowercase().starts_with(&format!("{} ", label.to_ascii_lowercase()));
                    result && (named || label.starts_with('(') && line.contains(&label))
                };
                let line = transcript.lines().rfind(is_line).unwrap_or_else(|| panic!("{stem}: no line {label}"));
                let words: Vec<&str> = line.split_whitespace().collect();
                let back = if heading.starts_with("sign/s") { 2 } else { 1 };
                assert_eq!(words[words.len() - back], cell.printed, "{stem}: {heading}");
                figures += 1;
            }
        }
    }
    assert_eq!((transcripts, figures), (10, 10 * 16 - 4));
}
