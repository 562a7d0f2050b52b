//! Checks the final screen, which is short, fits the terminal's width, and agrees with itself in both languages.
use crate::page::{ENGLISH, JAPANESE};
use crate::synthetic;
use kasoku_model::document::Document;
use kasoku_report::language::Language;
use kasoku_report::render::{TerminalView, WIDTH, screen};
use kasoku_report::width::columns_of;

fn drawn(document: &Document, columns: usize, language: Language) -> String {
    screen(document, TerminalView { columns, ..TerminalView::plain(language) })
}

#[test]
fn screen_shows_the_largest_file_size_that_most_libraries_measured() {
    let mut document = synthetic::document();
    document.series.extend(synthetic::files::document().series);
    let text = drawn(&document, WIDTH, ENGLISH);
    assert!(text.contains("1 GiB file"), "{text}");
    document.series.retain(|series| series.library != "kasoku" || series.bytes < 1 << 30);
    let text = drawn(&document, WIDTH, ENGLISH);
    assert!(text.contains("512 MiB file") && !text.contains("1 GiB file"), "{text}");
}

#[test]
fn screen_fits_the_terminal_and_has_at_most_30_lines() {
    let document = synthetic::document();
    for (language, parts) in [
        (ENGLISH, ["What the CPU’s instructions are worth", "AES-128-GCM by library", "kasoku show"]),
        (*JAPANESE, ["CPU命令による加速の効果", "実装別のAES-128-GCM", "kasoku show"]),
    ] {
        for columns in [200, 100, 80, 60] {
            let text = drawn(&document, columns, language);
            let widest = text.lines().map(columns_of).max().unwrap();
            assert!(widest <= columns.min(WIDTH), "{columns}: {widest}: {text}");
        }
        let text = drawn(&document, WIDTH, language);
        assert!(text.lines().count() <= 30, "{text}");
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn screen_rates_the_machine_by_its_fraction_of_disturbed_slices() {
    let mut document = synthetic::document();
    let samples = |document: &mut Document, every: usize| {
        for series in &mut document.series {
            for (place, sample) in series.samples.iter_mut().enumerate() {
                sample.dropped = place.is_multiple_of(every);
            }
        }
    };
    document.series.iter_mut().flat_map(|series| &mut series.samples).for_each(|sample| sample.dropped = false);
    assert!(drawn(&document, WIDTH, ENGLISH).contains("QUIET"));
    samples(&mut document, 3);
    assert!(drawn(&document, WIDTH, ENGLISH).contains("NOISY"));
    assert!(drawn(&document, WIDTH, *JAPANESE).contains("不安定"));
}
