//! Encrypted files.

use super::subject;
use crate::files::Finding;
use kasoku_model::workload::{Files, Operation};

subject! {
    /// Encrypted files.
    FileMessages {
        texts {
            /// A heading.
            title,
            /// What the section shows.
            explained,
            /// A heading: the figures.
            figures,
            /// A heading: which test run.
            test_run,
            /// A heading: the file's size.
            size,
            /// A heading: time to encrypt without acceleration, in milliseconds.
            encrypt_off,
            /// A heading: time to decrypt without acceleration.
            decrypt_off,
            /// A heading: time to encrypt with acceleration.
            encrypt_on,
            /// A heading: time to decrypt with acceleration.
            decrypt_on,
            /// A heading: improvement of encryption in per cent.
            encrypt_improvement,
            /// A heading: improvement of decryption in per cent.
            decrypt_improvement,
            /// A row: the mean of the test runs.
            mean,
            /// How the figures of a table of test runs came about.
            table_note,
            /// How the published figures came about.
            published_note,
            /// The overview's title.
            overview,
            /// What is in the overview.
            overview_note,
            /// A heading.
            stack,
            /// A heading.
            algorithm,
            /// A heading of the overview.
            encrypt,
            /// A heading of the overview.
            decrypt,
            /// A heading of the overview: time saved by acceleration.
            encrypt_saves,
            /// A heading of the overview: time saved by acceleration.
            decrypt_saves,
            /// A heading of the overview.
            encrypt_in_memory,
            /// A row of the overview: a copy without a cipher.
            copy,
            /// Beside a stack: with an empty page cache.
            cold,
            /// A unit.
            milliseconds,
            /// A fold.
            other_stacks,
            /// A table's title: what the system is made of.
            components,
            /// A fold: what the published system was made of.
            published_components,
            /// A heading.
            component,
            /// A heading.
            detail,
            /// A component.
            hardware,
            /// A component.
            operating_system,
            /// A component.
            applications,
            /// A component: what measured.
            measured_by,
            /// A fold: the log.
            log,
        }
        sentences {
            /// The sentence for a finding.
            sentence: fn(&Finding) -> String,
            /// So many threads.
            threads: fn(u64) -> String,
            /// A table's title: algorithm, stack.
            table: fn(&str, &str) -> String,
            /// A table's title: bits of the key.
            published_table: fn(u32) -> String,
            /// A mistake in the source: what is printed, what should stand there, why.
            slip: fn(&str, Option<&str>, &str) -> String,
            /// A figure's title: algorithm, stack; published if there is none.
            figure_times: fn(&str, Option<&str>) -> String,
            /// A figure's title: operation, stack; published if there is none.
            figure_improvement: fn(Operation, Option<&str>) -> String,
            /// Where files are.
            place: fn(Files) -> &'static str,
            /// That only so many lines of so many of the log are shown.
            log_cut: fn(usize, usize) -> String,
        }
    }
}
