//! What a run notes about itself, as data: the same in every language.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// A note of a known kind. A run's notes hold it in English, as it is written here; a report in another language takes
/// the values from here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Remark {
    /// A share of the slices was dropped.
    DroppedSlices {
        /// In per cent.
        percent: f64,
    },
    /// Disturbed slices were kept, where too few would be left.
    KeptSlices {
        /// How many.
        slices: usize,
        /// In how many series.
        series: usize,
    },
    /// Workers died in the middle and were started again.
    Restarts {
        /// Whose they were.
        libraries: String,
    },
    /// A share of the samples lies far from the median of their series.
    Outliers {
        /// In per cent.
        percent: f64,
    },
    /// The threads of a suite had only a share of their cores.
    InterruptedSuites {
        /// In per cent.
        percent: f64,
    },
    /// The core clock fell during the run.
    SlowerClock {
        /// From this many GHz.
        from: f64,
        /// To this many.
        to: f64,
    },
    /// The hypervisor took a share of the CPU time.
    Steal {
        /// In per cent.
        percent: f64,
    },
    /// The run was interrupted and resumed.
    Resumed {
        /// Samples from before the interruption.
        samples: usize,
    },
    /// The limit of the system that a web server would reach first.
    FirstLimit {
        /// As the system names it.
        name: String,
        /// As the system writes it.
        value: String,
        /// What the published measurement set it to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        published: Option<String>,
        /// At how many connections.
        connections: u64,
    },
    /// What ran in a web server is not known.
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
                let published = published.as_ref().map(|published| format!(" (published: {published})"));
                let published = published.unwrap_or_default();
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
    /// Why something was left out, where the kind of reason is known; the words are in the omission.
    pub enum Reason {
        /// The library does not have it.
        Unsupported = "unsupported",
        /// Nothing brings the library into that acceleration state.
        NoSwitch = "no-switch",
        /// It is not installed.
        NotInstalled = "not-installed",
        /// The time was not enough.
        NoTime = "no-time",
        /// What was asked for excludes it.
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
