//! Time that a hypervisor took from this machine's CPUs.

use kasoku_model::document::Remark;

/// Ticks of all CPUs since the machine started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    all: u64,
    stolen: u64,
}

/// The ticks until now; `None` where the kernel does not tell.
pub fn ticks() -> Option<Ticks> {
    parse(&std::fs::read_to_string("/proc/stat").ok()?)
}

/// The same of some cores only.
pub fn ticks_of(cores: &[usize]) -> Option<Ticks> {
    parse_cores(&std::fs::read_to_string("/proc/stat").ok()?, cores)
}

impl Ticks {
    /// The part of the time since `before` that was stolen, from 0 to 1. One tick does not count: it may be what came
    /// together of smaller parts before that.
    pub fn stolen_since(self, before: Ticks) -> f64 {
        let all = self.all.saturating_sub(before.all);
        self.stolen.saturating_sub(before.stolen).saturating_sub(1) as f64 / all.max(1) as f64
    }
}

/// What a run should say about the time since `before`, if the hypervisor took more than one part in a hundred of it.
pub fn remark(before: Option<Ticks>) -> Option<Remark> {
    compared(before?, ticks()?)
}

fn compared(before: Ticks, after: Ticks) -> Option<Remark> {
    let all = after.all.saturating_sub(before.all);
    let share = after.stolen.saturating_sub(before.stolen) as f64 / all.max(1) as f64;
    (share > 0.01).then_some(Remark::Steal { percent: share * 100.0 })
}

/// The first line of `/proc/stat`.
fn parse(text: &str) -> Option<Ticks> {
    fields(text.lines().next()?.strip_prefix("cpu ")?)
}

/// The sum of the lines of these cores; `None` if one has none.
fn parse_cores(text: &str, cores: &[usize]) -> Option<Ticks> {
    cores.iter().try_fold(Ticks { all: 0, stolen: 0 }, |sum, core| {
        let name = format!("cpu{core} ");
        let one = fields(text.lines().find_map(|line| line.strip_prefix(&name))?)?;
        Some(Ticks { all: sum.all + one.all, stolen: sum.stolen + one.stolen })
    })
}

/// User, nice, system, idle, iowait, irq, softirq, steal… in ticks (proc(5)).
fn fields(line: &str) -> Option<Ticks> {
    let fields: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
    let all = fields.iter().take(8).fold(0u64, |sum, field| sum.saturating_add(*field));
    Some(Ticks { all, stolen: *fields.get(7)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_told_from_one_percent_on() {
        let at = |line: &str| parse(line).unwrap();
        let before = at("cpu  100 0 100 800 0 0 0 10 5 5\ncpu0 …");
        assert_eq!(before, Ticks { all: 1010, stolen: 10 });
        let little = at("cpu  600 0 100 1300 0 0 0 15 5 5");
        let much = at("cpu  600 0 100 1300 0 0 0 60 5 5");
        assert_eq!(compared(before, little), None);
        assert!(compared(before, much).unwrap().to_string().contains("4.8 %"));
        assert_eq!(parse("nonsense"), None);
        assert_eq!(parse("cpu  1 2 3"), None);
    }

    #[test]
    fn what_some_cores_lost_is_told_without_the_others() {
        let text = "cpu  9 9 9 9 9 9 9 9\ncpu0 10 0 0 0 0 0 0 1\ncpu1 20 0 0 0 0 0 0 2\ncpu11 500 0 0 0 0 0 0 500\n";
        let before = parse_cores(text, &[0, 1]).unwrap();
        assert_eq!(before, Ticks { all: 33, stolen: 3 });
        assert_eq!(parse_cores(text, &[0, 2]), None);
        let after = |stolen| Ticks { all: before.all + 40, stolen: before.stolen + stolen };
        assert_eq!((after(0).stolen_since(before), after(1).stolen_since(before)), (0.0, 0.0));
        assert!((after(5).stolen_since(before) - 0.1).abs() < 1e-9);
    }
}
