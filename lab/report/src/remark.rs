//! Notes that a run makes about its own measurement, as translatable messages.

use crate::prelude::*;
use kasoku_model::document::Remark;

/// Maximum width of a note without a translation, in columns.
const NOTE: usize = 400;

/// Returns the notes of `document`. Notes that match one of its remarks become translatable messages; all others stay
/// in English.
pub(crate) fn notes(document: &Document) -> Vec<Text> {
    let run = &document.run;
    let remark = |note: &String| run.method.remarks.iter().find_map(|remark| noted(note, remark));
    run.notes.iter().map(|note| remark(note).unwrap_or_else(|| Text::stored(note, NOTE))).collect()
}

/// Returns `note` as a translatable message if it is the English sentence of `remark`. The name of a level may precede
/// the sentence (`tls: ...`).
fn noted(note: &str, remark: &Remark) -> Option<Text> {
    let before = note.strip_suffix(remark.to_string().as_str())?;
    if before.is_empty() {
        return Some(sentence(remark));
    }
    let level: Level = before.strip_suffix(": ")?.parse().ok()?;
    Some(say!("remark-of-level", level = say!("words-level", level = level.name()), remark = sentence(remark)))
}

fn sentence(remark: &Remark) -> Text {
    let tenths = |percent: &f64| fixed(*percent, 1);
    match remark {
        Remark::DroppedSlices { percent } => say!("remark-dropped-slices", percent = tenths(percent)),
        Remark::KeptSlices { slices, series } => {
            say!("remark-kept-slices", slices = slices.to_string(), series = series.to_string())
        }
        Remark::Restarts { libraries } => say!("remark-restarts", libraries = Text::name(libraries, NOTE)),
        Remark::Outliers { percent } => say!("remark-outliers", percent = tenths(percent)),
        Remark::InterruptedSuites { percent } => say!("remark-interrupted-suites", percent = fixed(*percent, 0)),
        Remark::SlowerClock { from, to } => say!("remark-slower-clock", from = fixed(*from, 2), to = fixed(*to, 2)),
        Remark::Steal { percent } => say!("remark-steal", percent = tenths(percent)),
        Remark::Resumed { samples } => say!("remark-resumed", samples = samples.to_string()),
        Remark::FirstLimit { name, value, published, connections } => say!(
            "remark-first-limit",
            name = Text::name(name, 40),
            value = Text::name(value, 60),
            is_published = published.is_some(),
            published = published.as_ref().map(|published| Text::name(published, 60)),
            connections = connections.to_string(),
        ),
        Remark::UnknownCodePaths => say!("remark-unknown-code-paths"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::render::catalogue;
    use kasoku_model::document::{Run, SCHEMA};

    fn document(run: Run) -> Document {
        Document { schema: SCHEMA, run, machine: Default::default(), series: Vec::new() }
    }

    #[test]
    fn english_translation_of_a_note_equals_the_stored_note() {
        let limit =
            |published| Remark::FirstLimit { name: "a".into(), value: "1".into(), published, connections: 7000 };
        let mut run = Run::default();
        for remark in [
            Remark::DroppedSlices { percent: 10.94 },
            Remark::KeptSlices { slices: 1234, series: 5 },
            Remark::Restarts { libraries: "openssl, ring".into() },
            Remark::Outliers { percent: 0.51 },
            Remark::InterruptedSuites { percent: 81.4 },
            Remark::SlowerClock { from: 4.5, to: 3.756 },
            Remark::Steal { percent: 3.0 },
            Remark::Resumed { samples: 12_345 },
            limit(None),
            limit(Some("2".into())),
            Remark::UnknownCodePaths,
        ] {
            run.note(None, remark.clone());
            run.note(Some(Level::Packets), remark);
        }
        let document = document(run);
        for (note, stored) in notes(&document).iter().zip(&document.run.notes) {
            assert!(note.key().is_some(), "{note:?}");
            assert_eq!(catalogue(Language::ENGLISH).write(note), *stored);
            assert_ne!(catalogue(Language::from_tag("ja").unwrap()).write(note), *stored);
        }
    }

    #[test]
    fn notes_of_no_known_kind_stay_untranslated() {
        let mut run = Run::default();
        run.method.remarks.push(Remark::Steal { percent: 3.0 });
        run.notes.push("something else".to_owned());
        assert_eq!(notes(&document(run)), [Text::stored("something else", NOTE)]);
    }
}
