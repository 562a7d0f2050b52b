//! The machine itself: when it is time for another.

use crate::facts::{AesInstructions, Facts};
use crate::rule::{Evidence, RuleFinding, rules};

rules! {
    "move-to-aarch64": Machine, Act, headline; if |facts| without_aes(facts, is_32_bit_arm_or_mips);
    when "A 32-bit Arm or MIPS CPU, and no sign of AES instructions.";

    "aarch64-without-crypto": Machine, Know, headline; if |facts| without_aes(facts, |arch| arch == "aarch64");
    when "An AArch64 CPU, and no sign of AES instructions.";

    "x86-without-aes": Machine, Know, headline; if |facts| without_aes(facts, |arch| arch == "x86_64" || arch == "x86");
    when "An x86 CPU, and no sign of AES instructions.";
}

/// Whether kernels or Rust name the architecture like this: `arm`, `armv7l`, `mips`, `mipsel`.
fn is_32_bit_arm_or_mips(arch: &str) -> bool {
    arch == "arm" || arch.starts_with("armv") || arch.starts_with("mips")
}

/// Applies if the architecture is meant and nothing shows AES instructions.
fn without_aes(facts: &Facts<'_>, is_meant: fn(&str) -> bool) -> Option<RuleFinding> {
    let machine = &facts.document.machine;
    let evidence = match facts.aes_instructions() {
        AesInstructions::NotListed => Evidence::Features(machine.features.clone()),
        AesInstructions::NoSign(comparison) => Evidence::Comparison(*comparison),
        _ => return None,
    };
    let cpu = || Evidence::Cpu(machine.arch.clone(), machine.label().to_owned());
    is_meant(&machine.arch).then(|| RuleFinding::of([cpu(), evidence]))
}
