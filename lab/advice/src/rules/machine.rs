//! The machine itself: when it is time for another.

use crate::facts::Facts;
use crate::instructions::AesInstructions;
use crate::rule::{Evidence, Rule, RuleFinding, Topic, Weight, rule};
use crate::words::machine as words;

pub(super) const RULES: &[Rule] = &[
    rule(&words::MOVE_TO_AARCH64, Topic::Machine, Weight::Act, |facts| {
        without_aes(facts, |arch| is_32_bit_arm(arch) || arch.starts_with("mips"))
    })
    .in_headline(),
    rule(&words::AARCH64_WITHOUT_CRYPTO, Topic::Machine, Weight::Know, |facts| {
        without_aes(facts, |arch| arch == "aarch64")
    })
    .in_headline(),
    rule(&words::X86_WITHOUT_AES, Topic::Machine, Weight::Know, |facts| {
        without_aes(facts, |arch| arch == "x86_64" || arch == "x86")
    })
    .in_headline(),
];

/// 32-bit Arm, as Rust and as kernels name it.
fn is_32_bit_arm(arch: &str) -> bool {
    arch == "arm" || arch.starts_with("armv")
}

fn without_aes(facts: &Facts<'_>, is_meant: fn(&str) -> bool) -> Option<RuleFinding> {
    let machine = facts.machine();
    if !is_meant(&machine.arch) {
        return None;
    }
    let evidence = match facts.aes_instructions() {
        AesInstructions::NotListed => Evidence::Features(machine.features.clone()),
        AesInstructions::NoSign(comparison) => Evidence::Comparison(*comparison),
        _ => return None,
    };
    Some(RuleFinding::new().behind(Evidence::Cpu(machine.arch.clone(), machine.label().to_owned())).behind(evidence))
}
