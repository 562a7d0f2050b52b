//! What a plan about whole files has beside its items.

use std::path::PathBuf;

use kasoku_model::document::Series;

/// Whole files, each once a round and not in slices.
#[derive(Clone, Debug, Default)]
pub struct FilesPlan {
    /// The folder whose file system is measured.
    pub dir: PathBuf,
    /// How often each file is encrypted and decrypted in a test run; if it is not said, as often as the time allows,
    /// and at most the plan's rounds times.
    pub repetitions: Option<u32>,
    /// Series of the same run that were begun before it was interrupted: what they have is kept and counted.
    pub before: Vec<Series>,
}
