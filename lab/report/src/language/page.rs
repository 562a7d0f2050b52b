//! The page around its charts and tables.

use super::subject;

subject! {
    /// The page around its charts and tables.
    PageMessages {
        texts {
            /// Beside the brand.
            about,
            /// The link to the content.
            skip,
            /// The name of the table of contents.
            contents,
            /// That the run is incomplete.
            incomplete,
            /// What that means.
            incomplete_means,
            /// Before a note.
            note,
            /// The name of the cards.
            key_figures,
            /// A heading.
            verdict,
            /// A heading.
            throughput,
            /// A heading.
            public_keys,
            /// A heading.
            ratios,
            /// What that section shows.
            ratios_explained,
            /// A heading of a column.
            on_over_off,
            /// A heading of a column, above `slowest`.
            times_the,
            /// Its second line.
            slowest,
            /// A heading.
            fastest,
            /// A heading.
            figures,
            /// What its figures are.
            figures_explained,
            /// What `✓` means.
            verified_means,
            /// What `!` means.
            unverified_means,
            /// A heading.
            missing,
            /// A heading.
            machine,
            /// A heading.
            method,
            /// How Kasoku measures.
            method_explained,
            /// A heading.
            repeat,
            /// Before the name of the run.
            run,
            /// After it.
            run_after,
            /// At the end of the page.
            footer,
        }
        sentences {
            /// The title of a page of several runs.
            runs: fn(usize) -> String,
            /// That no difference is shown for a kind: stacks. It follows the kind.
            nowhere_different: fn(&str) -> String,
            /// The title of a table of ratios: kind.
            ratios_of: fn(&str) -> String,
            /// With acceleration on, at a size.
            on_at: fn(&str) -> String,
            /// A card: an algorithm.
            with_acceleration: fn(&str) -> String,
            /// A card: a speed, and what it is without acceleration.
            instead_of: fn(&str, &str) -> String,
            /// A card: an algorithm at its best.
            at_best: fn(&str) -> String,
            /// A card: size and stack.
            at_with: fn(&str, &str) -> String,
        }
    }
}
