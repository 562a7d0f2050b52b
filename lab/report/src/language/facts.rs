//! The machine and how a run measured, as names and values.

use super::subject;

subject! {
    /// The machine and how a run measured, as names and values.
    Facts {
        texts {
            /// A name.
            cpu,
            /// A name: what people call the machine.
            name,
            /// A name.
            microarchitecture,
            /// A name.
            architecture,
            /// A name.
            features,
            /// A name.
            logical_cpus,
            /// A name.
            memory,
            /// A name.
            os,
            /// A name.
            kernel,
            /// A name.
            hypervisor,
            /// That there is no hypervisor, as far as can be seen.
            none_seen,
            /// A name.
            governor,
            /// A name.
            boost,
            /// Of boost.
            allowed,
            /// Of boost.
            not_allowed,
            /// A name: when the run started.
            started,
            /// A name: the version of Kasoku.
            kasoku,
            /// A name: how often each probe was started.
            starts,
            /// A name.
            rounds,
            /// A name.
            slice,
            /// A name: how long the run took.
            took,
            /// A name.
            core_clock,
            /// That there is no core clock.
            no_clock,
            /// A name.
            noise_floor,
            /// A name.
            dropped,
            /// A name.
            measuring_loop,
            /// Of a CPU whose name is not known.
            unnamed,
        }
        sentences {
            /// So many logical CPUs.
            cores: fn(usize) -> String,
            /// A hypervisor.
            under: fn(&str) -> String,
            /// A clock in GHz and where it comes from.
            clock_from: fn(&str, &str) -> String,
            /// A noise floor, and which stack it was measured with.
            floor_from: fn(&str, &str) -> String,
            /// A noise floor alone.
            floor_alone: fn(&str) -> String,
            /// No noise floor; the one taken instead.
            floor_unknown: fn(&str) -> String,
            /// How many slices of how many were dropped, and the share.
            dropped_of: fn(usize, usize, &str) -> String,
            /// What the loop takes for a call.
            loop_takes: fn(&str) -> String,
        }
    }
}
