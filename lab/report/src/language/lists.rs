//! Lists of runs.

use super::subject;

subject! {
    /// Lists of runs.
    Lists {
        texts {
            /// That there are none.
            no_runs,
            /// A heading.
            run,
            /// A heading.
            started,
            /// A heading.
            cpu,
            /// A heading.
            kasoku,
            /// A heading.
            command,
            /// A heading.
            complete,
            /// A heading.
            series,
            /// A heading.
            failed,
            /// Whether it is complete.
            yes,
            /// Whether it is complete.
            no,
        }
        sentences {}
    }
}
