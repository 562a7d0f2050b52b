//! How many instructions a command runs outside the kernel, with all that it starts, where the CPU's counters can be
//! had: few virtual machines show them, and some systems keep them for root.

use perf_event::Builder;
use perf_event::events::Hardware;

/// Counts what a process does, and its children.
pub(super) struct Counter(perf_event::Counter);

impl Counter {
    /// Begins to count.
    pub(super) fn of(process: u32) -> std::io::Result<Counter> {
        let process = i32::try_from(process).map_err(std::io::Error::other)?;
        let mut builder = Builder::new().observe_pid(process).kind(Hardware::INSTRUCTIONS);
        builder.inherit(true);
        let mut counter = builder.build()?;
        counter.enable()?;
        Ok(Counter(counter))
    }

    /// What was counted; `None` if others had the CPU's counters meanwhile.
    pub(super) fn count(mut self) -> Option<u64> {
        let told = self.0.read_count_and_time().ok()?;
        (told.time_running > 0 && told.time_running == told.time_enabled).then_some(told.count)
    }
}

/// Whether they can be had.
pub(super) fn check() -> Result<(), String> {
    let refused = |error| format!("the kernel does not count them here: {error}");
    Counter::of(std::process::id()).map(drop).map_err(refused)
}
