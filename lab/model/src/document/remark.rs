//! Remarks about a run as data, so that reports in any language can show them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// A remark about a run, by kind. `Display` writes it as one of the run's notes; reports in other languages use the
/// values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Remark {
    /// Slices were dropped because they were disturbed.
    DroppedSlices {
        percent: f64,
    },
    /// Disturbed time slices were kept in series that would otherwise have had too few samples for an interval.
    KeptSlices {
        slices: usize,
        series: usize,
    },
    Restarts {
        libraries: String,
    },
    /// Some samples lie far from the median of their series.
    Outliers {
        percent: f64,
    },
    /// Other programs used the cores of a benchmark suite's threads for a part of the time.
    InterruptedSuites {
        percent: f64,
    },
    /// The core clock became slower during the run.
    SlowerClock {
        from: f64,
        to: f64,
    },
    /// The hypervisor took CPU time from this machine (steal).
    Steal {
        percent: f64,
    },
    Resumed {
        samples: usize,
    },
    /// The system limit that a web server would reach first.
    FirstLimit {
        name: String,
        value: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        published: Option<String>,
        connections: u64,
    },
    /// The code paths of the libraries in a web server are unknown.
    UnknownCodePaths,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::DroppedSlices { percent } => write!(
                f,
                "{percent:.1} % of the slices were dropped because the thread did not have its core to itself: \
                 something else was running on this machine or on its host."
            ),
            Remark::KeptSlices { slices, series } => write!(
                f,
                "The {slices} least disturbed slices of {series} series were kept: too few would be left without \
                 them. Differences that rest on them are claimed only if they exceed the disturbance."
            ),
            Remark::Restarts { libraries } => {
                write!(f, "Workers died and were restarted ({libraries}); no measurement is missing.")
            }
            Remark::Outliers { percent } => write!(
                f,
                "{percent:.1} % of the samples lie far from their series' median. They are kept; they hardly affect \
                 medians."
            ),
            Remark::InterruptedSuites { percent } => write!(
                f,
                "The suite's threads had {percent:.0} % of their cores: something else was running on this machine, or \
                 the virtual machine collected garbage. Its scores are lower accordingly."
            ),
            Remark::SlowerClock { from, to } => {
                write!(f, "The core clock fell from {from:.2} to {to:.2} GHz during the run: heat, or a power limit.")
            }
            Remark::Steal { percent } => {
                write!(f, "The hypervisor took away {percent:.1} % of the CPU time (steal).")
            }
            Remark::Resumed { samples } => {
                write!(f, "The run was interrupted and resumed: {samples} samples are from before the interruption.")
            }
            Remark::FirstLimit { name, value, published, connections } => {
                let published = published.as_ref().map_or_else(String::new, |value| format!(" (published: {value})"));
                write!(
                    f,
                    "the first system limit to be reached would be {name} = {value}{published}, at {connections} \
                     concurrent connections"
                )
            }
            Remark::UnknownCodePaths => f.write_str(
                "code paths are unknown: nginx's processes are not inspected; the counter of Kasoku's provider shows \
                 whether it did the work (provider_share)",
            ),
        }
    }
}

named! {
    /// Kind of reason for an omission. The omission itself holds the reason as text.
    pub enum Reason {
        Unsupported = "unsupported",
        /// The library cannot be switched to the omitted acceleration state.
        NoSwitch = "no-switch",
        NotInstalled = "not-installed",
        /// The time budget was too short.
        NoTime = "no-time",
        /// The user's options exclude the omitted level, library or workload.
        NotAsked = "not-asked",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_survive_a_round_trip_through_json() {
        let all = [
            Remark::DroppedSlices { percent: 10.94 },
            Remark::FirstLimit { name: "a".into(), value: "1".into(), published: None, connections: 7 },
            Remark::UnknownCodePaths,
        ];
        for remark in all {
            let text = serde_json::to_string(&remark).unwrap();
            assert_eq!(serde_json::from_str::<Remark>(&text).unwrap(), remark, "{text}");
        }
        assert!(Remark::DroppedSlices { percent: 10.94 }.to_string().starts_with("10.9 % of the slices"));
    }
}
