//! Describes the CPU's instructions for cryptography, and whether programs can use them on this system.

#[cfg(any(target_arch = "aarch64", target_arch = "arm", test))]
mod arm;
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod x86;

use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// Name that the CPU reports; empty if it reports none.
    pub name: String,
    /// Family, model and stepping, or the Arm part number, with the name of the microarchitecture if it is certain.
    pub microarchitecture: Option<String>,
    pub hypervisor: Option<String>,
    /// Features that matter for cryptography, in a fixed order, each with its status. Empty on unknown architectures.
    pub features: Vec<Feature>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feature {
    /// Name of the feature in Linux's `/proc/cpuinfo`.
    pub name: &'static str,
    pub status: Status,
    /// Algorithms that the feature accelerates, in at most 60 characters.
    pub purpose: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The CPU has the feature, and the operating system lets programs use it.
    Usable,
    /// The CPU has the feature, but the operating system has not enabled the registers that it needs.
    NotEnabled,
    /// This CPU model has the feature, but the hypervisor or the firmware hides it.
    Hidden,
    /// The CPU lacks the feature, as far as is known.
    Absent,
}

impl Cpu {
    pub fn feature(&self, name: &str) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.name == name)
    }

    pub fn can_use(&self, name: &str) -> bool {
        self.feature(name).is_some_and(|feature| feature.status == Status::Usable)
    }

    /// Explains why programs cannot use a feature with this status; `None` if they can.
    pub fn explanation(&self, status: Status) -> Option<String> {
        Some(match (status, &self.hypervisor) {
            (Status::Usable, _) => return None,
            (Status::Absent, _) => "the CPU lacks it".to_owned(),
            (Status::NotEnabled, _) => "the operating system has not enabled its registers".to_owned(),
            (Status::Hidden, Some(name)) => {
                format!("this CPU model has it: the hypervisor ({name}) or the firmware hides it")
            }
            (Status::Hidden, None) => "this CPU model has it: the firmware hides it; enable it there".to_owned(),
        })
    }
}

/// Describes this machine's CPU. Never fails: leaves out unknown properties.
pub fn detect() -> Cpu {
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    return x86::detect();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    return arm::detect(&cpuinfo);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64", target_arch = "arm")))]
    {
        let keys = ["model name", "cpu model", "uarch", "cpu", "machine", "system type"];
        let name = keys.iter().find_map(|key| field(&cpuinfo, key)).unwrap_or_default();
        Cpu { name: kasoku_model::printable::printable(name), ..Cpu::default() }
    }
}

/// Returns the value of the first line `key : value` in `cpuinfo`, the text of /proc/cpuinfo.
pub(crate) fn field<'a>(cpuinfo: &'a str, key: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpuinfo_field_returns_the_value_of_the_first_cpu() {
        let cpuinfo = "processor\t: 0\nmodel name\t: X\nflags\t\t: fpu aes\n\nprocessor\t: 1\nflags\t\t: fpu\n";
        assert_eq!((field(cpuinfo, "model name"), field(cpuinfo, "flags")), (Some("X"), Some("fpu aes")));
        assert_eq!(field("nonsense\n::\n\u{0}", "flags"), None);
    }

    #[test]
    fn explanation_exists_for_every_status_but_usable() {
        let cpu = Cpu { hypervisor: Some("KVM".to_owned()), ..Cpu::default() };
        assert_eq!(cpu.explanation(Status::Usable), None);
        for (status, says) in
            [(Status::Hidden, "KVM"), (Status::NotEnabled, "operating system"), (Status::Absent, "lacks")]
        {
            assert!(cpu.explanation(status).unwrap().contains(says));
        }
        assert!(Cpu::default().explanation(Status::Hidden).unwrap().contains("the firmware hides it"));
    }

    #[test]
    fn feature_names_are_unique_and_purposes_fit_a_cell() {
        let features = detect().features;
        for (index, feature) in features.iter().enumerate() {
            assert!(features[index + 1..].iter().all(|other| other.name != feature.name), "{}", feature.name);
            assert!((1..=60).contains(&feature.purpose.len()), "{}: {}", feature.name, feature.purpose);
        }
    }
}
