//! Measures the CPU use of processes by the kernel's counters.

use std::fs;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// CPU time of some processes at one moment, summed over their threads, in nanoseconds. A process that has ended counts
/// as zero.
#[derive(Clone, Copy, Debug)]
struct Times {
    at: Instant,
    cpu: u64,
    waited: u64,
}

impl Times {
    fn now(ids: &[u32]) -> Times {
        let at = Instant::now();
        let folders = ids.iter().filter_map(|id| fs::read_dir(format!("/proc/{id}/task")).ok());
        let threads = folders.flatten().filter_map(|thread| thread_times(&thread.ok()?.path()));
        let (cpu, waited) = threads.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        Times { at, cpu, waited }
    }

    fn since(&self, before: &Times) -> f64 {
        (self.at - before.at).as_nanos().max(1) as f64
    }
}

/// Returns the CPU time and the waiting time of a thread in nanoseconds, as the scheduler reports them. Without such a
/// report, returns the CPU time from ticks and no waiting time.
pub(crate) fn thread_times(folder: &std::path::Path) -> Option<(u64, u64)> {
    /// `USER_HZ`, which is 100 on every architecture that Linux is measured on here (proc(5)).
    const TICK_NS: u64 = 10_000_000;
    // Time on a core, time waiting for one, and how often (Documentation/scheduler/sched-stats.rst).
    if let Ok(text) = fs::read_to_string(folder.join("schedstat"))
        && let [cpu, waited, ..] =
            text.split_whitespace().map_while(|field| field.parse().ok()).collect::<Vec<u64>>()[..]
        && cpu > 0
    {
        return Some((cpu, waited));
    }
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    cpu_ticks(&stat).map(|ticks| (ticks * TICK_NS, 0))
}

/// Returns the sum of user and system time in ticks from a line of `/proc/PID/stat`. The process name in its
/// parentheses may contain any characters.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system) = (fields.next()?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some(user.saturating_add(system))
}

pub fn children_of(id: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|&number| parent_of(number) == Some(id)).collect()
}

fn parent_of(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Measures the CPU use of some processes, on average and in the busiest interval.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    ids: Vec<u32>,
    begin: Times,
    last: Times,
    most: f64,
}

/// Minimum length of an interval. The kernel counts a running process's time only up to its last tick, some
/// milliseconds ago.
const MIN_PART: Duration = Duration::from_millis(190);

impl CpuMeter {
    pub(crate) fn begin(ids: Vec<u32>) -> CpuMeter {
        let now = Times::now(&ids);
        CpuMeter { ids, begin: now, last: now, most: 0.0 }
    }

    /// Ends the current interval, if it is long enough, and begins another.
    pub(crate) fn sample(&mut self) {
        let now = Times::now(&self.ids);
        if now.at - self.last.at >= MIN_PART {
            self.most = self.most.max(self.share(&self.last, &now));
            self.last = now;
        }
    }

    /// Returns the number of cores that the processes used between two moments. Each process counts as at most one
    /// core, since it has one thread.
    fn share(&self, from: &Times, to: &Times) -> f64 {
        (to.cpu.saturating_sub(from.cpu) as f64 / to.since(from)).min(self.ids.len() as f64)
    }

    pub(crate) fn end(mut self) -> CpuUse {
        self.sample();
        let (begin, now) = (&self.begin, Times::now(&self.ids));
        let mean = self.share(begin, &now);
        let waited = now.waited.saturating_sub(begin.waited) as f64 / now.since(begin);
        CpuUse { mean, most: self.most.max(mean), waited, cpu_ns: now.cpu.saturating_sub(begin.cpu) }
    }
}

/// CPU use of some processes, as a number of cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuUse {
    pub mean: f64,
    /// Number of cores used in the busiest interval.
    pub most: f64,
    /// Number of further cores that the processes were ready to use while other programs had them.
    pub waited: f64,
    pub cpu_ns: u64,
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The measured process is a child: threads of this process may end, and then their CPU time vanishes.
    #[test]
    fn cpu_meter_measures_a_busy_child() {
        let mut child = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        assert!(children_of(std::process::id()).contains(&child.id()));
        let mut busy = CpuMeter::begin(vec![child.id()]);
        std::thread::sleep(Duration::from_millis(250));
        busy.sample();
        std::thread::sleep(Duration::from_millis(250));
        let busy = busy.end();
        child.kill().unwrap();
        child.wait().unwrap();
        // The busy child's share of a core depends on the machine, so it is not checked.
        assert!(busy.mean > 0.0 && busy.most >= busy.mean && busy.cpu_ns > 0, "{busy:?}");
    }

    #[test]
    fn cpu_ticks_handles_names_with_parentheses() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 12 34 0 0 20 0 1 0 100 0 0";
        assert_eq!(cpu_ticks(stat), Some(46));
        assert_eq!(cpu_ticks("7 (a"), None);
    }
}
