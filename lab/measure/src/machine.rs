//! Describes the machine on which a run measures.

#[cfg(windows)]
mod windows;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

#[cfg(windows)]
pub(crate) use windows::{free_memory, free_on};

use crate::{cpu, own_program};
use kasoku_model::document::Machine;
use kasoku_model::printable::printable;

/// Describes this machine. Never fails: leaves out unknown properties.
pub fn this() -> Machine {
    #[cfg(windows)]
    return windows::describe(&cpu::detect());
    #[cfg(not(windows))]
    describe(&cpu::detect(), Path::new("/"))
}

/// Whether an emulator executes this program. Under an emulator, interrupts stop at other instructions than on a CPU,
/// so samples of the program counter mean nothing.
pub fn is_emulated() -> bool {
    static IS_EMULATED: LazyLock<bool> =
        LazyLock::new(|| emulated_on(|path| std::fs::read_to_string(Path::new("/").join(path)).ok()).is_some());
    *IS_EMULATED
}

/// Describes a machine with the CPU `cpu`, whose `/proc`, `/sys` and `/etc` are under `root`.
pub fn describe(cpu: &cpu::Cpu, root: &Path) -> Machine {
    let mitigations = mitigations(&root.join("sys/devices/system/cpu/vulnerabilities"));
    Machine { mitigations, ..described(cpu, |path: &str| std::fs::read_to_string(root.join(path)).ok()) }
}

/// Returns the text of each file in `folder` that tells of a vulnerability.
fn mitigations(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let read = |file: std::fs::DirEntry| {
        let text = printable(&std::fs::read_to_string(file.path()).ok()?);
        Some((printable(&file.file_name().to_string_lossy()), text))
    };
    files.filter_map(read).filter(|(_, text)| !text.is_empty() && text != "Not affected").collect()
}

fn described(cpu: &cpu::Cpu, read: impl Fn(&str) -> Option<String>) -> Machine {
    let setting = |path: &str| read(path).map(|text| printable(&text)).filter(|text| !text.is_empty());
    let usable = cpu.features.iter().filter(|feature| feature.status == cpu::Status::Usable);
    let boost = |file: &str, on: &str| {
        let value = setting(&format!("sys/devices/system/cpu/{file}"))?;
        matches!(value.as_str(), "0" | "1").then(|| value == on)
    };
    Machine {
        name: None,
        cpu: if cpu.name.is_empty() { "unknown".to_owned() } else { cpu.name.clone() },
        arch: std::env::consts::ARCH.to_owned(),
        features: usable.map(|feature| feature.name.to_owned()).collect(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        logical_cpus: read("sys/devices/system/cpu/online").as_deref().and_then(listed),
        kernel: kernel(),
        hypervisor: cpu.hypervisor.clone(),
        os: read("etc/os-release").or_else(|| read("usr/lib/os-release")).as_deref().and_then(pretty_name),
        memory: read("proc/meminfo").and_then(|text| memory(&text, "MemTotal")),
        governor: setting("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        boost: boost("cpufreq/boost", "1").or_else(|| boost("intel_pstate/no_turbo", "0")),
        microarchitecture: cpu.microarchitecture.clone(),
        microcode: read("proc/cpuinfo").and_then(|text| cpu::field(&text, "microcode").map(printable)),
        emulated_on: emulated_on(read),
        wine: None,
        mitigations: BTreeMap::new(),
        toolchain: Some(env!("KASOKU_RUSTC").to_owned()).filter(|version| !version.is_empty()),
        program: own_program::hash().map(str::to_owned),
    }
}

/// Returns the kernel's architecture if it differs from this program's, because an emulator then runs this program.
/// Linux reports its architecture since 6.1. On older kernels, only x86 has `vendor_id` in `/proc/cpuinfo`.
fn emulated_on(read: impl Fn(&str) -> Option<String>) -> Option<String> {
    const FAMILIES: [&[&str]; 2] = [&["x86_64", "x86", "i386", "i686"], &["aarch64", "arm64", "arm", "armv7l"]];
    let family = |name: &str| FAMILIES.iter().position(|family| family.contains(&name));
    let is_x86 = || cpu::field(&read("proc/cpuinfo")?, "vendor_id").map(|_| "x86_64".to_owned());
    let kernel = read("proc/sys/kernel/arch").map(|name| name.trim().to_owned()).or_else(is_x86)?;
    let (of_kernel, of_program) = (family(&kernel)?, family(std::env::consts::ARCH)?);
    (of_kernel != of_program).then(|| printable(&kernel))
}

/// Counts the CPUs in a list such as `0-3,6`.
fn listed(list: &str) -> Option<usize> {
    let mut count = 0usize;
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

#[cfg(unix)]
fn kernel() -> String {
    let names = rustix::system::uname();
    printable(&format!("{} {}", names.sysname().to_string_lossy(), names.release().to_string_lossy()))
}

#[cfg(not(unix))]
fn kernel() -> String {
    std::env::consts::OS.to_owned()
}

/// Returns the value of PRETTY_NAME in an os-release(5) file, which may quote values as in a shell.
fn pretty_name(release: &str) -> Option<String> {
    let value = release.lines().find_map(|line| line.trim().strip_prefix("PRETTY_NAME="))?;
    let name = shell_words::split(value).ok()?.join(" ");
    Some(printable(&name)).filter(|name| !name.is_empty())
}

/// Returns the value in bytes of a row of `/proc/meminfo`.
fn memory(meminfo: &str, row: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(':'))?.trim();
    value.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the bytes of memory that are available without swapping; `None` if unknown.
#[cfg(not(windows))]
pub(crate) fn free_memory() -> Option<u64> {
    memory(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable")
}

/// Returns the bytes that this user may still write in the file system of `dir`; `None` if unknown.
#[cfg(unix)]
pub(crate) fn free_on(dir: &Path) -> Option<u64> {
    let state = rustix::fs::statvfs(dir).ok()?;
    state.f_bavail.checked_mul(state.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn machine_description_has_cpu_kernel_and_cores() {
        let machine = this();
        assert!(!machine.cpu.is_empty() && !machine.arch.is_empty() && !machine.kernel.is_empty());
        assert!(machine.cores >= 1);
        #[cfg(target_os = "linux")]
        {
            assert!(machine.kernel.starts_with("Linux "), "{}", machine.kernel);
            assert!(machine.memory.is_some_and(|bytes| bytes > 1 << 20));
        }
    }

    #[test]
    fn machine_settings_are_read_from_proc_and_sys() {
        let root = tree(&[
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            ("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
            ("sys/devices/system/cpu/online", "0-3,6\n"),
            ("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n"),
            ("sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines; IBPB: conditional\n"),
            ("proc/cpuinfo", "processor\t: 0\nvendor_id\t: x\nmicrocode\t: 0xa101148\n"),
        ]);
        let machine = describe(&cpu::Cpu::default(), root.path());
        assert_eq!(machine.os.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(machine.memory, Some(16 << 20));
        assert_eq!(
            machine.logical_cpus,
            Some(5),
            "counts all online CPUs, also those outside the test's affinity mask"
        );
        assert_eq!(machine.governor.as_deref(), Some("powersave"));
        assert_eq!(machine.boost, Some(false));
        assert_eq!(machine.cpu, "unknown");
        assert_eq!(machine.microcode.as_deref(), Some("0xa101148"));
        let mitigations: Vec<(&str, &str)> = machine.mitigations.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(mitigations, [("spectre_v2", "Mitigation: Retpolines; IBPB: conditional")]);
        assert_eq!(machine.program.unwrap().len(), 16);
        assert!(machine.toolchain.unwrap().starts_with("rustc "));
        let generic_driver = tree(&[("sys/devices/system/cpu/cpufreq/boost", "1\n")]);
        assert_eq!(describe(&cpu::Cpu::default(), generic_driver.path()).boost, Some(true));
    }

    #[test]
    fn unreadable_machine_settings_are_none() {
        let root = tree(&[("sys/devices/system/cpu/cpufreq/boost", "maybe\n")]);
        let machine = describe(&cpu::Cpu::default(), root.path());
        assert_eq!((machine.os, machine.memory, machine.governor, machine.boost), (None, None, None, None));
        assert_eq!(machine.logical_cpus, None);
        for odd in ["", "all", "3-1", "0-18446744073709551615", "0,"] {
            assert_eq!(listed(odd), None, "{odd}");
        }
    }

    #[test]
    fn emulation_is_detected_by_the_kernel_architecture() {
        let emulated_on = |files: &[(&str, &str)]| describe(&cpu::Cpu::default(), tree(files).path()).emulated_on;
        let (own, other) =
            if cfg!(target_arch = "aarch64") { ("aarch64\n", "x86_64\n") } else { ("x86_64\n", "aarch64\n") };
        assert_eq!(emulated_on(&[("proc/sys/kernel/arch", own)]), None);
        assert_eq!(emulated_on(&[("proc/sys/kernel/arch", "a new one\n")]), None);
        let is_known = cfg!(any(target_arch = "aarch64", target_arch = "x86_64"));
        assert_eq!(emulated_on(&[("proc/sys/kernel/arch", other)]).as_deref(), is_known.then_some(other.trim()));
        let described = emulated_on(&[("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n")]);
        assert_eq!(described.as_deref(), cfg!(target_arch = "aarch64").then_some("x86_64"));
        assert_eq!(emulated_on(&[]), None);
    }

    #[test]
    fn os_name_and_memory_survive_quoting_and_hostile_values() {
        assert_eq!(pretty_name("PRETTY_NAME='OpenWrt 23.05'").as_deref(), Some("OpenWrt 23.05"));
        assert_eq!(pretty_name("PRETTY_NAME=Alpine").as_deref(), Some("Alpine"));
        assert_eq!(pretty_name(r#"PRETTY_NAME="a \"b\" \\ c""#).as_deref(), Some(r#"a "b" \ c"#));
        assert_eq!(pretty_name("PRETTY_NAME=\"").as_deref(), None);
        assert_eq!(pretty_name("PRETTY_NAME=\"\u{1b}[2J\"").as_deref(), Some("\\u{1b}[2J"));
        assert_eq!(pretty_name("NAME=x"), None);
        assert_eq!(memory("MemTotal: 99999999999999999999 kB", "MemTotal"), None);
        assert_eq!(memory("MemTotal: 18446744073709551615 kB", "MemTotal"), None);
        assert_eq!(memory("MemTotal: many kB", "MemTotal"), None);
    }
}
