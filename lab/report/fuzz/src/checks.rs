//! What holds for everything that is shown, whoever wrote the document.

#[path = "../../tests/page/mod.rs"]
mod page;

use kasoku_report::Format;
use serde_json::Value;

/// A page of a report.
pub(crate) fn page(text: &str) {
    page::well_formed(text);
    told(text);
    drawing(text);
}

/// A page of the site: the same, but that it leads to others, and that a script sorts its tables.
pub(crate) fn site_page(text: &str) {
    let (before, rest) = text.split_once("<script ").expect("each page has the script");
    let (_, after) = rest.split_once("</script>").expect("a script has an end");
    let others = [before, after].concat();
    for link in page::elements(&others).links {
        let path = link.split('#').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        assert!(path.chars().all(is_plain) && !path.starts_with('/'), "{link}");
    }
    drawing(&others);
}

/// Text in that form.
pub(crate) fn text(format: Format, text: &str) {
    told(text);
    match format {
        Format::Table => {}
        Format::Json => drop(serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{error}: {text}"))),
        Format::Csv => csv(text),
        Format::Markdown => {
            // What is between fences is shown as it is.
            let mut prose = text.split("```").step_by(2);
            assert!(!prose.any(|prose| prose.contains('<')), "{text}");
        }
    }
}

/// Nothing steers a terminal, nothing hides, and no figure is none.
pub(crate) fn told(text: &str) {
    assert!(!text.chars().any(page::is_steering), "{text:?}");
    for none in ["NaN", "inf"] {
        let is_in_word = |character: Option<char>| character.is_some_and(|one| one.is_ascii_alphanumeric());
        for (at, _) in text.match_indices(none) {
            let (before, after) = (&text[..at], &text[at + none.len()..]);
            let is_word = !is_in_word(before.chars().next_back()) && !is_in_word(after.chars().next());
            let before: String = before.chars().rev().take(200).collect::<Vec<_>>().into_iter().rev().collect();
            assert!(!is_word, "{before}{none}{}", after.chars().take(100).collect::<String>());
        }
    }
}

/// Every shape is near the chart: what is further out than any chart is wide has a figure that is none.
pub(crate) fn drawing(text: &str) {
    told(text);
    for svg in text.split("<svg ").skip(1) {
        let svg = svg.split("</svg>").next().unwrap_or_default();
        for tag in svg.split('<').map(|tag| tag.split('>').next().unwrap_or_default()) {
            for number in tag.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c))) {
                let far = number.parse::<f64>().is_ok_and(|number| number.abs() >= 20_000.0);
                assert!(!far, "{number} in <{tag}>");
            }
        }
    }
}

/// Every record has as many fields, and no field is a formula to a spreadsheet.
fn csv(text: &str) {
    for record in csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).records() {
        for field in &record.expect("as many fields in each record") {
            let is_number = field.parse::<f64>().is_ok();
            let is_formula = field.trim_start().starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff20}']);
            assert!(is_number || !is_formula, "{field:?}");
        }
    }
}
