//! What to do about instructions that the CPU has and programs cannot use.

use serde::Serialize;

use super::{Cpu, Status};

/// What to do, and about which features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remedy {
    /// The features that it would bring.
    pub features: Vec<&'static str>,
    /// Who keeps them from programs.
    pub cause: &'static str,
    /// What to do, one step after the other.
    pub steps: Vec<&'static str>,
}

/// What would bring back what is hidden, not enabled or not listed; empty where nothing is.
pub fn remedies(cpu: &Cpu) -> Vec<Remedy> {
    let with = |status| -> Vec<&'static str> {
        cpu.features.iter().filter(|feature| feature.status == status).map(|feature| feature.name).collect()
    };
    let mut remedies = Vec::new();
    let hidden = with(Status::Hidden);
    if !hidden.is_empty() {
        let (cause, steps) = match cpu.hypervisor.as_deref() {
            Some(name) => ("the hypervisor", of_hypervisor(name)),
            None => ("the firmware", FIRMWARE.to_vec()),
        };
        remedies.push(Remedy { features: hidden, cause, steps });
    }
    let not_enabled = with(Status::NotEnabled);
    if !not_enabled.is_empty() {
        remedies.push(Remedy { features: not_enabled, cause: "the operating system", steps: SYSTEM.to_vec() });
    }
    let not_listed: Vec<&'static str> = cpu
        .features
        .iter()
        .filter(|feature| feature.is_usable() && feature.listed == Some(false))
        .map(|feature| feature.name)
        .collect();
    if !not_listed.is_empty() {
        remedies.push(Remedy { features: not_listed, cause: "the kernel's list", steps: KERNEL.to_vec() });
    }
    remedies
}

/// The names that firmware gives the switch differ; these are what boards of Intel's and AMD's have.
const FIRMWARE: &[&str] = &[
    "restart, open the firmware's set-up (F2 or Del at power-on)",
    "Advanced, Processor (or CPU) Configuration: set \"AES-NI\" (also \"Intel AES-NI\", \"AES Instructions\") to \
     Enabled",
    "save with F10, switch the power off and on, and see `kasoku cpu` again",
];

const SYSTEM: &[&str] = &[
    "see /proc/cmdline for noxsave, noxsaves, clearcpuid=… and take them out of the boot loader's configuration",
    "a kernel of 2019 or later enables the registers of AVX and AVX-512 by itself",
];

const KERNEL: &[&str] = &[
    "programs that ask the CPU use it all the same; those that read /proc/cpuinfo do not",
    "see /proc/cmdline for clearcpuid=…; a newer kernel lists what it did not know",
];

/// What the hosts of virtual machines call it when a guest gets the CPU as it is.
fn of_hypervisor(name: &str) -> Vec<&'static str> {
    let host: &[&str] = match name {
        "KVM" => &[
            "QEMU: -cpu host; libvirt: <cpu mode='host-passthrough'/>; Proxmox: CPU type host",
            "where guests must move between hosts: name the features (-cpu EPYC-v4,+vaes,+vpclmulqdq and so on)",
        ],
        "VMware" => &[
            "raise the cluster's EVC mode to that of its oldest CPU, and the virtual machine's hardware version",
            "then switch the machine off and on: a restart of the guest is not enough",
        ],
        "Hyper-V" => &["Set-VMProcessor NAME -CompatibilityForMigrationEnabled $false, with the machine off"],
        "Xen" => &["see cpuid= in the guest's configuration, and the pool's CPU mask"],
        "VirtualBox" => &["VBoxManage modifyvm NAME --cpu-profile host, with the machine off"],
        "QEMU (emulated CPU)" => &["the CPU is emulated: start QEMU with -accel kvm -cpu host"],
        _ => &["let the host give the guest its CPU as it is (\"host\" or \"pass-through\")"],
    };
    let mut steps = host.to_vec();
    steps.push("in a cloud: take a machine type of a newer generation; its provider decides the mask");
    steps.push("if the host itself lacks them, its firmware hides them: see there");
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Feature;

    fn cpu(hypervisor: Option<&str>, features: &[(&'static str, Status, Option<bool>)]) -> Cpu {
        let feature = |&(name, status, listed)| Feature { name, status, listed, purpose: "", place: None };
        Cpu {
            hypervisor: hypervisor.map(str::to_owned),
            features: features.iter().map(feature).collect(),
            ..Cpu::default()
        }
    }

    #[test]
    fn each_cause_has_its_own_steps() {
        let hidden = [("aes", Status::Hidden, Some(false)), ("vaes", Status::Absent, None)];
        let of = |hypervisor| remedies(&cpu(hypervisor, &hidden));
        assert_eq!(of(None).len(), 1);
        assert_eq!((of(None)[0].cause, &of(None)[0].features[..]), ("the firmware", &["aes"][..]));
        assert!(of(None)[0].steps[1].contains("AES-NI"));
        assert!(of(Some("KVM"))[0].steps[0].contains("host-passthrough"));
        for name in ["VMware", "Hyper-V", "Xen", "VirtualBox", "QEMU (emulated CPU)", "something else"] {
            assert_eq!(of(Some(name))[0].cause, "the hypervisor");
            assert!(of(Some(name))[0].steps.len() >= 3, "{name}");
        }

        let others = cpu(None, &[("avx", Status::NotEnabled, None), ("gfni", Status::Usable, Some(false))]);
        let causes: Vec<&str> = remedies(&others).iter().map(|remedy| remedy.cause).collect();
        assert_eq!(causes, ["the operating system", "the kernel's list"]);
    }

    #[test]
    fn a_cpu_that_lacks_something_has_no_remedy() {
        let plain = cpu(Some("KVM"), &[("aes", Status::Usable, Some(true)), ("vaes", Status::Absent, Some(false))]);
        assert_eq!(remedies(&plain), []);
    }
}
