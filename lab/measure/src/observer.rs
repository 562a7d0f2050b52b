//! What the measuring tells while it goes on.

use kasoku_model::document::{Sample, Series};

/// Who wants to know what happens while it happens: the store, the progress bar.
pub trait Observer {
    /// A series begins: it is number `index` from now on.
    fn begins(&mut self, _index: usize, _series: &Series) -> Result<(), String> {
        Ok(())
    }

    /// The samples of the series of these numbers are as if they had never been taken.
    fn forgotten(&mut self, _indices: &[usize]) -> Result<(), String> {
        Ok(())
    }

    /// Samples were taken, each with its series' number.
    fn sampled(&mut self, _samples: &[(usize, Sample)]) -> Result<(), String> {
        Ok(())
    }

    /// What is known of series number `index` beside its samples has changed. Most levels know it at their end only.
    fn described(&mut self, _index: usize, _series: &Series) -> Result<(), String> {
        Ok(())
    }

    /// What is being done, and how far that is: `done` of `total` steps.
    fn progress(&mut self, _what: &str, _done: u64, _total: u64) {}
}

/// Nobody wants to know.
impl Observer for () {}
