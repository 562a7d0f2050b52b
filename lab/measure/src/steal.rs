//! Measures the time that a hypervisor took from this machine's CPUs.

use kasoku_model::document::Remark;

/// CPU time since the start of the machine, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    all: u64,
    stolen: u64,
}

/// Returns the CPU time of all CPUs; `None` if the kernel does not report it.
pub fn ticks() -> Option<Ticks> {
    parse(&std::fs::read_to_string("/proc/stat").ok()?, ["cpu".to_owned()])
}

pub fn ticks_of(cores: &[usize]) -> Option<Ticks> {
    parse(&std::fs::read_to_string("/proc/stat").ok()?, cores.iter().map(|core| format!("cpu{core}")))
}

impl Ticks {
    /// Returns the share of the time since `before` that the hypervisor took, from 0 to 1. Ignores one tick, since part
    /// of it may be older than `before`.
    pub fn stolen_since(self, before: Ticks) -> f64 {
        let all = self.all.saturating_sub(before.all);
        self.stolen.saturating_sub(before.stolen).saturating_sub(1) as f64 / all.max(1) as f64
    }
}

/// Returns a remark if the hypervisor took more than 1 % of the time since `before`.
pub fn remark(before: Option<Ticks>) -> Option<Remark> {
    remark_between(before?, ticks()?)
}

fn remark_between(before: Ticks, after: Ticks) -> Option<Remark> {
    let all = after.all.saturating_sub(before.all);
    let share = after.stolen.saturating_sub(before.stolen) as f64 / all.max(1) as f64;
    (share > 0.01).then_some(Remark::Steal { percent: share * 100.0 })
}

/// Sums the lines of `/proc/stat` with these names; `None` if one is missing. A line has the ticks of user, nice,
/// system, idle, iowait, irq, softirq, steal… (proc(5)).
fn parse(text: &str, names: impl IntoIterator<Item = String>) -> Option<Ticks> {
    names.into_iter().try_fold(Ticks { all: 0, stolen: 0 }, |sum, name| {
        let line = text.lines().find_map(|line| line.strip_prefix(&name)?.strip_prefix(' '))?;
        let fields: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
        let all = fields.iter().take(8).fold(sum.all, |all, field| all.saturating_add(*field));
        Some(Ticks { all, stolen: sum.stolen.saturating_add(*fields.get(7)?) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_remark_appears_above_one_percent() {
        let of_all = |text: &str| parse(text, ["cpu".to_owned()]);
        let ticks = |line: &str| of_all(line).unwrap();
        let before = ticks("cpu  100 0 100 800 0 0 0 10 5 5\ncpu0 …");
        assert_eq!(before, Ticks { all: 1010, stolen: 10 });
        let little = ticks("cpu  600 0 100 1300 0 0 0 15 5 5");
        let much = ticks("cpu  600 0 100 1300 0 0 0 60 5 5");
        assert_eq!(remark_between(before, little), None);
        assert!(remark_between(before, much).unwrap().to_string().contains("4.8 %"));
        assert_eq!(of_all("nonsense"), None);
        assert_eq!(of_all("cpu  1 2 3"), None);
    }

    #[test]
    fn stolen_time_of_selected_cores_excludes_other_cores() {
        let text = "cpu  9 9 9 9 9 9 9 9\ncpu0 10 0 0 0 0 0 0 1\ncpu1 20 0 0 0 0 0 0 2\ncpu11 500 0 0 0 0 0 0 500\n";
        let parse = |text, names: [&str; 2]| parse(text, names.map(str::to_owned));
        let before = parse(text, ["cpu0", "cpu1"]).unwrap();
        assert_eq!(before, Ticks { all: 33, stolen: 3 });
        assert_eq!(parse(text, ["cpu0", "cpu2"]), None);
        let after = |stolen| Ticks { all: before.all + 40, stolen: before.stolen + stolen };
        assert_eq!((after(0).stolen_since(before), after(1).stolen_since(before)), (0.0, 0.0));
        assert!((after(5).stolen_since(before) - 0.1).abs() < 1e-9);
    }
}
