//! What the fuzz target does with an input; `tests/shown_any.rs` does the same with inputs of its own, without a
//! fuzzer.

#[path = "checks.rs"]
mod checks;
#[path = "collected.rs"]
mod collected;
#[path = "../../../model/fuzz/edited.rs"]
mod edited;

use kasoku_model::comparison::compare;
use kasoku_model::document::Document;
use kasoku_model::language::Language::{self, English, Japanese};
use kasoku_model::steps::steps;
use kasoku_report::export::export;
use kasoku_report::screen::{ScreenView, left_out, screen};
use kasoku_report::{Format, TableView, advice, comparison, files, html, steps as told_steps, terminal};

const FORMATS: [Format; 4] = [Format::Table, Format::Json, Format::Csv, Format::Markdown];

/// Shows a document, or two, in one of the ways there are: the first byte says in which, and how many of the series are
/// left, since few are shown sooner; the second where the script of the second document begins; the rest is how they
/// are edited.
pub(crate) fn shown(input: &[u8]) {
    let [what, cut, scripts @ ..] = input else { return };
    let (first, second) = scripts.split_at(scripts.len() * usize::from(*cut) / 256);
    let every = 1 + usize::from(what >> 3);
    let Some(first) = imported(first, every) else { return };
    let language = if what & 4 == 0 { English } else { Japanese };
    match what % 4 {
        0 => page(&first, language),
        1 => texts(&first, language),
        2 => imported(second, every).iter().for_each(|second| pair(&first, second, language)),
        _ => collected::shown([Some(first), imported(second, every)], language),
    }
}

/// The edited document as an importer takes it, with one of so many series; `None` if it is refused.
fn imported(script: &[u8], every: usize) -> Option<Document> {
    let text = edited::edited(script).to_string();
    let machines = kasoku_import::import("fuzz", text.as_bytes()).ok()?.machines;
    let mut document = machines.into_iter().next()?.document;
    document.series = document.series.into_iter().step_by(every).collect();
    Some(document)
}

/// The page, and its charts as files.
fn page(document: &Document, language: Language) {
    let page = html::render(&[document], language);
    checks::page(&page);
    assert!(page == html::render(&[document], language), "the same document gives the same page");
    let source = html::source(document, language);
    for chart in html::charts(html::Shown { document, surroundings: None }, language) {
        assert!(chart.is_called(chart.name()), "{}", chart.name());
        checks::drawing(&chart.file(&source));
    }
}

/// What is printed of it.
fn texts(document: &Document, language: Language) {
    for format in FORMATS {
        let text = export(document, format, language);
        checks::text(format, &text);
        if format == Format::Json {
            let back: Document = serde_json::from_str(&text).expect("an export can be read");
            assert_eq!(&back, document);
        }
        checks::text(format, &advice::render(document, &[], format, language, false));
    }
    for columns in [40, 100] {
        let view = ScreenView { columns, color: false, language };
        checks::told(&screen(document, view));
        checks::told(&left_out(document, view));
    }
    checks::told(&terminal::summary(document, false, language));
    checks::told(&files::log(document));
}

/// What is shown of two together, and of the steps of the first.
fn pair(first: &Document, second: &Document, language: Language) {
    let both = [first, second];
    checks::page(&html::render(&both, language));
    let curves = steps(first, |_| true);
    let runs = compare(first, second, 0.0);
    for format in FORMATS {
        checks::text(format, &advice::render_runs(&both, &[], format, language, false));
        let view = TableView { format, language, all: true };
        checks::text(format, &told_steps::render(first, &curves, view));
        checks::text(format, &comparison::render(&runs, view));
    }
    let some = TableView { format: Format::Table, language, all: false };
    checks::told(&told_steps::render(first, &curves, some));
    checks::told(&comparison::render(&runs, some));
}
