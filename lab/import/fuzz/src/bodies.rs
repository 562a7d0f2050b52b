//! Checks of the fuzz target, which `tests/import_any.rs` also runs, on inputs of its own.

#[path = "../../../model/fuzz/edited.rs"]
pub(crate) mod edited;

use kasoku_import::{ImportRemark, Imported};
use kasoku_model::document::Document;

/// Imports the input as a file. After a NUL, which no text has, the input is a script that edits a run document.
pub(crate) fn import(input: &[u8]) {
    match input.split_first() {
        Some((0, script)) => import_file(edited::edited(script).to_string().as_bytes()),
        _ => import_file(input),
    }
}

/// Imports a file and checks the result or the error.
fn import_file(input: &[u8]) {
    let result = kasoku_import::import("fuzz", input);
    assert_eq!(result, kasoku_import::import("fuzz", input), "a second import of the file gives another result");
    let imported = match result {
        Ok(imported) => imported,
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(';') && text.len() < 2000 && !has_controls(&text), "{text:?}");
            return;
        }
    };
    let Imported { machines, left_out, notes } = &imported;
    for ImportRemark { line, text } in left_out.iter().chain(notes) {
        assert!(*line != Some(0) && text.len() < 2000 && !has_controls(text), "{text:?}");
    }
    for found in machines {
        check(&found.document);
        assert!(1 <= found.lines.0 && found.lines.0 <= found.lines.1, "{:?}", found.lines);
    }
}

/// Checks that a document has an id and possible figures, and that importing its JSON gives it again.
fn check(document: &Document) {
    assert!(!document.run.id.is_empty() && document.run.id.len() <= 100);
    for series in &document.series {
        assert!(series.median.is_none_or(|median| median.is_finite() && median >= 0.0), "{:?}", series.median);
    }
    let text = serde_json::to_string(document).expect("cannot write the document as JSON");
    let back = kasoku_import::import("fuzz", text.as_bytes()).expect("cannot import the written document");
    assert_eq!(back.machines.len(), 1);
    assert_eq!(&back.machines[0].document, document);
    assert!(back.left_out.is_empty(), "{:?}", back.left_out);
}

fn has_controls(text: &str) -> bool {
    text.chars().any(char::is_control)
}
