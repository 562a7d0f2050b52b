//! What a run notes about itself, as data: the same in every language.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A note of a known kind. The notes of a run have it in English, as it is written here; whoever tells it in another
/// language finds in it what it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Remark {
    /// So much of the slices was dropped.
    DroppedSlices {
        /// In per cent.
        percent: f64,
    },
    /// Disturbed slices count all the same, where too few would be left.
    KeptSlices {
        /// So many.
        slices: usize,
        /// Of so many series.
        series: usize,
    },
    /// Workers died in the middle and were started again.
    Restarts {
        /// Whose they were.
        libraries: String,
    },
    /// So much of the samples lies far from the median of their series.
    Outliers {
        /// In per cent.
        percent: f64,
    },
    /// The threads of a suite had so much of their cores.
    InterruptedSuites {
        /// In per cent.
        percent: f64,
    },
    /// The core clock fell during the run.
    SlowerClock {
        /// From so many GHz.
        from: f64,
        /// To so many.
        to: f64,
    },
    /// The hypervisor took so much of the CPU time.
    Steal {
        /// In per cent.
        percent: f64,
    },
    /// The run was interrupted and resumed.
    Resumed {
        /// So many samples are from before.
        samples: usize,
    },
    /// A limit of the system would bind a web server first.
    FirstLimit {
        /// As the system names it.
        name: String,
        /// As the system writes it.
        value: String,
        /// What the published measurement set it to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        published: Option<String>,
        /// At so many connections.
        connections: u64,
    },
    /// What ran in a web server is not known.
    UnknownCodePaths,
    /// Something that a newer version notes.
    #[serde(other)]
    Other,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::DroppedSlices { percent } => write!(
                f,
                "{percent:.1} % of the slices were dropped: the thread did not have its core to itself. Something else \
                 runs on this machine, or beside it on its host."
            ),
            Remark::KeptSlices { slices, series } => write!(
                f,
                "{slices} disturbed slices of {series} series count all the same, the least disturbed ones: too few \
                 would be left without them. What rests on them is claimed only if it is more than they were \
                 disturbed by."
            ),
            Remark::Restarts { libraries } => {
                write!(f, "Workers died and were started again ({libraries}); nothing is missing for that.")
            }
            Remark::Outliers { percent } => write!(
                f,
                "{percent:.1} % of the samples lie far from their series' median. They are kept; medians are hardly \
                 affected by them."
            ),
            Remark::InterruptedSuites { percent } => write!(
                f,
                "The suite's threads had {percent:.0} % of their cores: something else ran on this machine, or the \
                 virtual machine collected garbage. Its scores are lower by that."
            ),
            Remark::SlowerClock { from, to } => {
                write!(f, "The core clock fell from {from:.2} to {to:.2} GHz during the run: heat, or a power limit.")
            }
            Remark::Steal { percent } => {
                write!(f, "The hypervisor took {percent:.1} % of the CPU time away (steal).")
            }
            Remark::Resumed { samples } => {
                write!(f, "The run was broken off and gone on with: {samples} samples are from before.")
            }
            Remark::FirstLimit { name, value, published, connections } => {
                let published = published.as_ref().map(|published| format!(" (published: {published})"));
                let published = published.unwrap_or_default();
                write!(
                    f,
                    "of the system's limits {name} = {value}{published} would bind first, at {connections} connections \
                     at once"
                )
            }
            Remark::UnknownCodePaths => f.write_str(
                "code paths are unknown: nginx's processes are not looked into; that Kasoku's provider did the work is \
                 shown by its counter (provider_share)",
            ),
            Remark::Other => Ok(()),
        }
    }
}

/// Why something was left out, where the kind of reason is known; the words are in the omission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The library does not have it.
    Unsupported,
    /// Nothing brings the library into that acceleration state.
    NoSwitch,
    /// It is not installed.
    NotInstalled,
    /// The time was not enough.
    NoTime,
    /// What was asked for excludes it.
    NotAsked,
    /// Something that a newer version gives.
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_come_back_and_newer_ones_are_passed_over() {
        let all = [
            Remark::DroppedSlices { percent: 10.94 },
            Remark::FirstLimit { name: "a".into(), value: "1".into(), published: None, connections: 7 },
            Remark::UnknownCodePaths,
        ];
        for remark in all {
            let text = serde_json::to_string(&remark).unwrap();
            assert_eq!(serde_json::from_str::<Remark>(&text).unwrap(), remark, "{text}");
        }
        assert_eq!(serde_json::from_str::<Remark>(r#"{"kind":"newer","what":1}"#).unwrap(), Remark::Other);
        assert_eq!(serde_json::from_str::<Reason>("\"newer\"").unwrap(), Reason::Other);
        assert!(Remark::DroppedSlices { percent: 10.94 }.to_string().starts_with("10.9 % of the slices"));
    }
}
