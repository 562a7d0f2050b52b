//! Rankings of machines, and histories of a workload.

use super::subject;
use kasoku_model::acceleration::Acceleration;

subject! {
    /// Rankings of machines, and histories of a workload.
    CollectionMessages {
        texts {
            /// A heading: the place in a ranking.
            place,
            /// A heading.
            machine,
            /// A heading.
            os,
            /// A heading: the figure as a multiple of this machine's.
            times_this,
            /// A heading: what did the work, and its version.
            stack,
            /// A heading: how a figure is known.
            known,
            /// The mark of this machine.
            this_machine,
            /// How a figure is known.
            imported,
            /// How a figure is known.
            published,
            /// What does the work, where it is the fastest of each machine.
            any_stack,
            /// A note: what figures from elsewhere are.
            quoted,
            /// A note: what figures of `openssl speed` for AEADs are.
            running_stream,
            /// That there is no run of this machine, for an algorithm that is not measured here.
            no_run_and_not_measured,
            /// A heading.
            interval,
            /// A heading: against the run before.
            change,
            /// A note: the version of the stack changes on the way.
            versions_differ,
        }
        sentences {
            /// A state, as titles say it.
            state: fn(Acceleration) -> String,
            /// Text behind a name: `name (text)`.
            behind: fn(&str) -> String,
            /// How a figure is known: measured on that day.
            measured: fn(&str) -> String,
            /// How a figure is known: imported from that file.
            imported_from: fn(&str) -> String,
            /// A note: how many machines have no figure at a size, and what sizes they have.
            left_out: fn(usize, &str, &[String]) -> String,
            /// That there is no run of this machine, and the command that makes one.
            no_run: fn(&str) -> String,
            /// That runs of this machine lack a workload, and the command that measures it.
            no_figure: fn(&str, &str) -> String,
            /// That Kasoku does not measure an algorithm.
            not_measured: fn(&str) -> String,
            /// That nothing is known of a workload, and the sizes at which something is.
            nothing_known: fn(&str, &[String]) -> String,
            /// A change against a run without an interval.
            without_interval: fn(&str) -> String,
            /// A note: when a change is shown, with the least difference in percent.
            rule: fn(f64) -> String,
        }
    }
}
