//! Captions and descriptions of charts.

use super::subject;
use kasoku_model::acceleration::Acceleration;

subject! {
    /// Captions and descriptions of charts.
    Charts {
        texts {
            /// In a legend.
            acceleration_on,
            /// In a legend.
            acceleration_off,
            /// In a legend.
            on,
            /// In a legend.
            off,
        }
        sentences {
            /// The title of bars of one kind: kind, operation if there are several, stack, size.
            overview: fn(&str, Option<&str>, &str, &str) -> String,
            /// The title of bars by stack: task, size.
            by_stack: fn(&str, &str) -> String,
            /// The title of bars of public-key operations: kind, stack.
            operations: fn(&str, &str) -> String,
            /// What one would see in bars: unit, the groups.
            bars: fn(&str, &[String]) -> String,
            /// A group of bars: label, figures.
            group: fn(&str, &[String]) -> String,
            /// The title of curves: task.
            by_size: fn(&str) -> String,
            /// What one would see in curves: how many, the ends of the main ones.
            curves: fn(usize, &[String]) -> String,
            /// The ends of a curve: stack, state, first, last.
            ends: fn(&str, Acceleration, &str, &str) -> String,
            /// A figure at a size.
            at: fn(&str, &str) -> String,
            /// What acceleration is worth: a ratio.
            worth: fn(&str) -> String,
        }
    }
}
