//! Meters for the energy and the instructions of a command.

use std::fs;
use std::path::{Path, PathBuf};

use perf_event::Builder;
use perf_event::events::Hardware;

/// Energy counters of the CPU packages, from the kernel's powercap interface (RAPL). They count whole packages,
/// whichever process uses them. On most systems only root can read them.
#[derive(Debug)]
pub(super) struct Energy {
    packages: Vec<Package>,
}

#[derive(Debug)]
struct Package {
    /// File with the energy so far in microjoules.
    counter: PathBuf,
    /// Value in microjoules at which the counter wraps.
    range: u64,
}

impl Energy {
    pub(super) fn open(folder: &Path) -> Result<Energy, String> {
        let none = || format!("{} shows no CPU package", folder.display());
        let zones = fs::read_dir(folder).map_err(|_| none())?;
        let mut packages = Vec::new();
        for zone in zones.flatten().map(|zone| zone.path()) {
            // Zones that are part of a package have a second number: `intel-rapl:0:0`.
            let name = zone.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_whole = name.strip_prefix("intel-rapl:").is_some_and(|number| number.parse::<u32>().is_ok());
            let is_package = fs::read_to_string(zone.join("name")).is_ok_and(|name| name.starts_with("package"));
            if !is_whole || !is_package {
                continue;
            }
            let counter = zone.join("energy_uj");
            let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
            read(&counter)?;
            let range = number(&zone.join("max_energy_range_uj")).unwrap_or(u64::MAX);
            packages.push(Package { counter, range });
        }
        if packages.is_empty() { Err(none()) } else { Ok(Energy { packages }) }
    }

    pub(super) fn read(&self) -> Option<Vec<u64>> {
        self.packages.iter().map(|package| number(&package.counter)).collect()
    }

    /// Returns the joules since [`read`](Self::read) returned `before`. A counter may have wrapped once.
    pub(super) fn joules_since(&self, before: &[u64]) -> Option<f64> {
        let now = self.read()?;
        let taken = self.packages.iter().zip(before).zip(now).map(|((package, &before), now)| match now >= before {
            true => now - before,
            false => package.range.saturating_sub(before).saturating_add(now),
        });
        Some(taken.map(|microjoules| microjoules as f64 * 1e-6).sum())
    }
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Counts the instructions that a process and its children run in user mode. Few virtual machines offer the CPU's
/// counters, and some systems reserve them for root.
pub(super) struct InstructionCounter(perf_event::Counter);

impl InstructionCounter {
    pub(super) fn attach(process: u32) -> std::io::Result<InstructionCounter> {
        let process = i32::try_from(process).map_err(std::io::Error::other)?;
        let mut builder = Builder::new().observe_pid(process).kind(Hardware::INSTRUCTIONS);
        builder.inherit(true);
        let mut counter = builder.build()?;
        counter.enable()?;
        Ok(InstructionCounter(counter))
    }

    pub(super) fn check() -> Result<(), String> {
        let refused = |error| format!("the kernel does not count them here: {error}");
        InstructionCounter::attach(std::process::id()).map(drop).map_err(refused)
    }

    /// Returns the count; `None` if other programs used the CPU's counters at the same time.
    pub(super) fn count(mut self) -> Option<u64> {
        let told = self.0.read_count_and_time().ok()?;
        (told.time_running > 0 && told.time_running == told.time_enabled).then_some(told.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_sums_whole_packages_and_handles_wraparound() {
        let folder = tempfile::tempdir().unwrap();
        let write = |zone: &str, name: &str, counter: u64| {
            let zone = folder.path().join(zone);
            fs::create_dir_all(&zone).unwrap();
            fs::write(zone.join("name"), format!("{name}\n")).unwrap();
            fs::write(zone.join("energy_uj"), format!("{counter}\n")).unwrap();
            fs::write(zone.join("max_energy_range_uj"), "10000000\n").unwrap();
        };
        assert!(Energy::open(Path::new("/nowhere")).is_err() && Energy::open(folder.path()).is_err());
        write("intel-rapl:0:0", "core", 5);
        write("intel-rapl:1", "psys", 5);
        assert!(Energy::open(folder.path()).unwrap_err().contains("shows no CPU package"));
        write("intel-rapl:0", "package-0", 1_000_000);
        write("intel-rapl:2", "package-1", 9_000_000);
        let energy = Energy::open(folder.path()).unwrap();
        let before = energy.read().unwrap();
        write("intel-rapl:0", "package-0", 3_500_000);
        write("intel-rapl:2", "package-1", 500_000);
        assert_eq!(energy.joules_since(&before), Some(2.5 + 1.5));
        fs::remove_file(folder.path().join("intel-rapl:0/energy_uj")).unwrap();
        assert!(Energy::open(folder.path()).unwrap_err().contains("energy_uj"));
        assert_eq!(energy.joules_since(&before), None);
    }
}
