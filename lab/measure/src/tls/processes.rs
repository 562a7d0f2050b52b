//! What processes did, as the kernel tells it.

use std::fs;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Times of a process in nanoseconds: on a core, and waiting for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    cpu: u64,
    waited: u64,
}

/// Those of some processes, over their threads; of those that are gone nothing.
fn times_of(ids: &[u32]) -> Times {
    let folders = ids.iter().filter_map(|id| fs::read_dir(format!("/proc/{id}/task")).ok());
    let threads = folders.flatten().filter_map(|thread| of_thread(&thread.ok()?.path()));
    threads.fold(Times::default(), |sum, one| Times { cpu: sum.cpu + one.cpu, waited: sum.waited + one.waited })
}

/// From the scheduler, to the nanosecond; where it does not tell, in ticks, and nothing of waiting.
fn of_thread(folder: &std::path::Path) -> Option<Times> {
    /// `USER_HZ`, which is 100 on every architecture that Linux is measured on here (proc(5)).
    const TICK_NS: u64 = 10_000_000;
    if let Ok(text) = fs::read_to_string(folder.join("schedstat"))
        && let [cpu, waited, ..] =
            text.split_whitespace().map_while(|field| field.parse().ok()).collect::<Vec<u64>>()[..]
        && cpu > 0
    {
        return Some(Times { cpu, waited });
    }
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    ticks_of(&stat).map(|ticks| Times { cpu: ticks * TICK_NS, waited: 0 })
}

/// User and system time out of a line of `/proc/PID/stat`; the name in parentheses may hold anything.
fn ticks_of(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system) = (fields.next()?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some(user.saturating_add(system))
}

/// The children of the process `id`.
pub fn children_of(id: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|&number| parent_of(number) == Some(id)).collect()
}

fn parent_of(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// How busy some processes are, over a time and at most in parts of it.
#[derive(Debug)]
pub(crate) struct Use {
    ids: Vec<u32>,
    begin: (Instant, Times),
    last: (Instant, Times),
    most: f64,
}

/// No part is shorter: what a process that runs has had is counted up to the last tick, some milliseconds ago.
const MIN_PART: Duration = Duration::from_millis(190);

impl Use {
    pub(crate) fn begin(ids: Vec<u32>) -> Use {
        let now = (Instant::now(), times_of(&ids));
        Use { ids, begin: now, last: now, most: 0.0 }
    }

    /// Ends a part.
    pub(crate) fn look(&mut self) {
        let now = (Instant::now(), times_of(&self.ids));
        if now.0 - self.last.0 >= MIN_PART {
            self.most = self.most.max(self.share(self.last, now));
            self.last = now;
        }
    }

    /// The part of a time that they had, in cores; of which a process with one thread has no more than one.
    fn share(&self, from: (Instant, Times), to: (Instant, Times)) -> f64 {
        let share = to.1.cpu.saturating_sub(from.1.cpu) as f64 / nanoseconds(from, to);
        share.min(self.ids.len() as f64)
    }

    /// Mean and maximum, in cores, and the CPU time in nanoseconds.
    pub(crate) fn end(mut self) -> Busy {
        self.look();
        let now = (Instant::now(), times_of(&self.ids));
        let mean = self.share(self.begin, now);
        let waited = now.1.waited.saturating_sub(self.begin.1.waited) as f64 / nanoseconds(self.begin, now);
        Busy { mean, most: self.most.max(mean), waited, cpu_ns: now.1.cpu.saturating_sub(self.begin.1.cpu) }
    }
}

/// How busy some processes were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Busy {
    /// Cores they had, over all the time.
    pub mean: f64,
    /// In the busiest part of it.
    pub most: f64,
    /// Cores they could have used beside that, and that something else had.
    pub waited: f64,
    /// CPU time in nanoseconds.
    pub cpu_ns: u64,
}

fn nanoseconds(from: (Instant, Times), to: (Instant, Times)) -> f64 {
    (to.0 - from.0).as_nanos().max(1) as f64
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A process of its own: of this one's threads, some end meanwhile, and their time with them.
    #[test]
    fn a_process_is_seen_to_work() {
        let mut child = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let mut busy = Use::begin(vec![child.id()]);
        std::thread::sleep(Duration::from_millis(250));
        busy.look();
        std::thread::sleep(Duration::from_millis(250));
        let busy = busy.end();
        child.kill().unwrap();
        child.wait().unwrap();
        // How much it gets of a core is the machine's matter.
        assert!(busy.mean > 0.0 && busy.most >= busy.mean && busy.cpu_ns > 0, "{busy:?}");
    }

    #[test]
    fn a_name_with_parentheses_does_not_confuse() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 12 34 0 0 20 0 1 0 100 0 0";
        assert_eq!(ticks_of(stat), Some(46));
        assert_eq!(ticks_of("7 (a"), None);
    }

    #[test]
    fn children_are_found() {
        let mut child = std::process::Command::new("sleep").arg("10").spawn().unwrap();
        assert!(children_of(std::process::id()).contains(&child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
