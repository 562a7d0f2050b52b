//! Headings, titles and notes of tables.

use super::subject;

subject! {
    /// Headings, titles and notes of tables.
    Tables {
        texts {
            /// A heading.
            algorithm,
            /// A heading.
            algorithms,
            /// A heading.
            stack,
            /// A heading: the acceleration state.
            state,
            /// A heading.
            code_path,
            /// The same where space is short.
            path,
            /// A heading: the widest interval of a row.
            at_most,
            /// A heading.
            what,
            /// A heading.
            why,
            /// A heading: the command that installs it.
            to_install,
            /// In the place of algorithms: every one.
            all,
            /// A title.
            problems,
            /// A title.
            left_out,
            /// What is wrong with a series: no figure.
            failed,
            /// What is wrong with a series: nobody checked its output.
            unverified,
            /// What is wrong with a series: there are two of it.
            repeated,
            /// Why a series that came twice is no problem for the tables.
            first_is_shown,
            /// Why a series failed that does not say it.
            no_reason,
            /// Why a series is unverified that does not say it.
            not_checked,
            /// What `!` means.
            unverified_mark,
            /// What `–` means.
            failed_mark,
            /// What `=` means.
            equal_mark,
            /// What stands for both states where they do not differ, and what that means.
            on_off_mark,
            /// A heading: the interval of a ratio.
            interval_heading,
            /// A heading: against the slowest.
            slowest,
            /// A heading: the stacks after the fastest.
            next,
        }
        sentences {
            /// A level, in the place of a stack.
            level: fn(&str) -> String,
            /// The title of a table of one kind: level (if it is not the primitives), kind, unit.
            figures: fn(Option<&str>, &str, &str) -> String,
            /// The same of one stack: kind, stack, unit.
            of_stack: fn(&str, &str, &str) -> String,
            /// The title of a table of public-key operations: unit.
            public_keys: fn(&str) -> String,
            /// The title of the table of ratios: stack.
            gains: fn(&str) -> String,
            /// What the last columns of that are: size.
            gains_note: fn(&str) -> String,
            /// The title of the table of the fastest stacks: sizes.
            fastest: fn(&[String]) -> String,
            /// That not all sizes are shown: how many, of how many.
            sizes_shown: fn(usize, usize) -> String,
            /// A stack and its state.
            with_state: fn(&str, &str) -> String,
            /// Why some algorithms are left out: a library does not have them.
            lacks: fn(&str) -> String,
        }
    }
}
