//! What the CPU has of the instructions that cryptography uses, and what of them a program can use here.

#[cfg(any(target_arch = "aarch64", target_arch = "arm", test))]
mod arm;
pub mod remedy;
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod x86;

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};

/// The CPU this process runs on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cpu {
    /// Its name as it states it; empty where it states none.
    pub name: String,
    /// Family, model and stepping, or the Arm part, with the microarchitecture's name where that is certain.
    pub microarchitecture: Option<String>,
    /// The hypervisor, if the CPU says there is one.
    pub hypervisor: Option<String>,
    /// The features that matter for cryptography, in a fixed order, whether it has them or not. Empty on architectures
    /// Kasoku knows nothing of.
    pub features: Vec<Feature>,
    /// What CPUID answered, as it is: the leaves that the rest is read from. Empty where there is no CPUID.
    pub leaves: Vec<RawLeaf>,
}

/// What CPUID answered for one leaf and subleaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RawLeaf {
    /// EAX before.
    pub leaf: u32,
    /// ECX before.
    pub subleaf: u32,
    /// EAX, EBX, ECX and EDX after.
    pub registers: [u32; 4],
}

/// An instruction-set extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its usual name: that of the kernel.
    pub name: &'static str,
    /// Whether it is there.
    pub status: Status,
    /// Whether the kernel lists it; `None` where the kernel gives no list, or never lists this one.
    pub listed: Option<bool>,
    /// What it is good for, in a line.
    pub purpose: &'static str,
    /// Where the CPU says it, as its maker's manual writes it: `CPUID.(EAX=7,ECX=0):ECX[9]`.
    pub place: Option<String>,
}

/// Whether a feature is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The CPU has it and the operating system lets programs use it.
    Usable,
    /// The CPU has it, but the operating system has not enabled the registers it needs.
    NotEnabled,
    /// This model of CPU has it, but it says it has not: the hypervisor or the firmware masks it.
    Hidden,
    /// The CPU has it not, as far as it can be known.
    Absent,
}

impl Cpu {
    /// The feature of that name.
    pub fn feature(&self, name: &str) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.name == name)
    }

    /// Whether programs can use the feature of that name.
    pub fn can_use(&self, name: &str) -> bool {
        self.feature(name).is_some_and(Feature::is_usable)
    }

    /// Why programs cannot use a feature, or what is odd about it; `None` for one that is simply there.
    pub fn explanation(&self, feature: &Feature) -> Option<String> {
        match feature.status {
            Status::Absent => Some("the CPU lacks it".to_owned()),
            Status::NotEnabled => Some("the operating system has not enabled its registers".to_owned()),
            Status::Hidden => Some(match &self.hypervisor {
                Some(hypervisor) => {
                    format!("this CPU model has it: the hypervisor ({hypervisor}) or the firmware hides it")
                }
                None => "this CPU model has it: the firmware hides it".to_owned(),
            }),
            Status::Usable if feature.listed == Some(false) => {
                Some("the CPU has it, but the kernel does not list it".to_owned())
            }
            Status::Usable => None,
        }
    }
}

impl Feature {
    /// Whether the CPU says it has it.
    pub fn is_present(&self) -> bool {
        matches!(self.status, Status::Usable | Status::NotEnabled)
    }

    /// Whether programs can use it.
    pub fn is_usable(&self) -> bool {
        self.status == Status::Usable
    }
}

impl Serialize for Feature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            name: &'static str,
            present: bool,
            usable: bool,
            status: Status,
            #[serde(skip_serializing_if = "Option::is_none")]
            listed_by_kernel: Option<bool>,
            purpose: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            place: Option<&'a str>,
        }
        Form {
            name: self.name,
            present: self.is_present(),
            usable: self.is_usable(),
            status: self.status,
            listed_by_kernel: self.listed,
            purpose: self.purpose,
            place: self.place.as_deref(),
        }
        .serialize(serializer)
    }
}

/// Asks the CPU, and the kernel for comparison. Never fails: what cannot be had is left out.
pub fn detect() -> Cpu {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    {
        x86::detect(&cpuinfo)
    }
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    {
        arm::detect(&cpuinfo)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64", target_arch = "arm")))]
    {
        let keys = ["model name", "cpu model", "uarch", "cpu", "machine", "system type"];
        let name = keys.iter().find_map(|key| field(&cpuinfo, key)).unwrap_or_default();
        Cpu { name: kasoku_model::printable::printable(name), ..Cpu::default() }
    }
}

/// The value of the first line `key : value` of /proc/cpuinfo.
pub(crate) fn field<'a>(cpuinfo: &'a str, key: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// The features that the kernel lists for the first CPU; `None` if it gives no list.
fn listed<'a>(cpuinfo: &'a str, key: &str) -> Option<BTreeSet<&'a str>> {
    Some(field(cpuinfo, key)?.split_ascii_whitespace().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_list_is_read_from_the_first_cpu() {
        let cpuinfo = "processor\t: 0\nmodel name\t: X\nflags\t\t: fpu aes sha_ni\n\nprocessor\t: 1\nflags\t\t: fpu\n";
        assert_eq!(listed(cpuinfo, "flags").unwrap(), BTreeSet::from(["fpu", "aes", "sha_ni"]));
        assert_eq!(field(cpuinfo, "model name"), Some("X"));
        assert_eq!(listed("", "flags"), None);
        assert_eq!(field("nonsense\n::\n\u{0}", "flags"), None);
    }

    #[test]
    fn every_status_but_usable_is_explained() {
        let cpu = Cpu { hypervisor: Some("KVM".to_owned()), ..Cpu::default() };
        let feature = |status, listed| Feature { name: "vaes", status, listed, purpose: "", place: None };
        assert_eq!(cpu.explanation(&feature(Status::Usable, Some(true))), None);
        assert_eq!(cpu.explanation(&feature(Status::Usable, None)), None);
        assert!(cpu.explanation(&feature(Status::Usable, Some(false))).unwrap().contains("kernel"));
        assert!(cpu.explanation(&feature(Status::Hidden, None)).unwrap().contains("KVM"));
        assert!(cpu.explanation(&feature(Status::NotEnabled, None)).unwrap().contains("operating system"));
        assert!(cpu.explanation(&feature(Status::Absent, None)).unwrap().contains("lacks"));
        assert!(Cpu::default().explanation(&feature(Status::Hidden, None)).unwrap().contains("firmware"));
    }

    #[test]
    fn names_are_unique_and_each_has_a_purpose() {
        let features = detect().features;
        for (index, feature) in features.iter().enumerate() {
            assert!(features[index + 1..].iter().all(|other| other.name != feature.name), "{}", feature.name);
            assert!(!feature.purpose.is_empty());
        }
    }

    #[test]
    fn a_feature_in_json_says_present_and_usable() {
        let feature = Feature { name: "aes", status: Status::NotEnabled, listed: None, purpose: "p", place: None };
        assert_eq!(
            serde_json::to_string(&feature).unwrap(),
            r#"{"name":"aes","present":true,"usable":false,"status":"not-enabled","purpose":"p"}"#
        );
    }
}
