//! The terminal and exports around their tables.

use super::subject;

subject! {
    /// The terminal and exports around their tables.
    TerminalMessages {
        texts {
            /// That the run is incomplete.
            incomplete,
            /// The same over exported tables.
            incomplete_export,
            /// Before a note.
            note,
            /// A heading.
            verdict,
        }
        sentences {
            /// A row of a list: what, and the rest.
            item: fn(&str, &[&str]) -> String,
            /// Over exported tables: run.
            run: fn(&str) -> String,
            /// The same in a document: run, and the start unless it is empty.
            run_sentence: fn(&str, &str) -> String,
        }
    }
}
