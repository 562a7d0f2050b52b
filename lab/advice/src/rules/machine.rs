//! The machine itself: when it is time for another.

use crate::facts::Facts;
use crate::instructions::AesInstructions;
use crate::rule::{Evidence, Found, Rule, Topic, Weight, Wording, no_lines};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "move-to-aarch64",
        topic: Topic::Machine,
        weight: Weight::Act,
        is_headline: true,
        applies: |facts| without_aes(facts, |arch| is_32_bit_arm(arch) || arch.starts_with("mips")),
        english: Wording {
            when: "A 32-bit Arm or MIPS CPU, and no sign of AES instructions.",
            says: "For the next device, move to AArch64 with the crypto extensions.",
            reason: "Such CPUs, as in home routers, are slow at every cipher, hash and curve; 64-bit words help the \
                     curves and SHA-512, the crypto extensions AES and SHA. Look for “aes pmull sha1 sha2” among the \
                     features in /proc/cpuinfo: AArch64 alone does not promise them.",
        },
        japanese: Wording {
            when: "32 ビット Arm または MIPS の CPU で、AES 命令の形跡がないとき。",
            says: "次の機器では、暗号拡張命令を備えた AArch64 に移行します。",
            reason: "家庭用ルータなどに使われるこうした CPU は、共通鍵暗号・ハッシュ・楕円曲線のいずれも遅くなります。64 ビット演算は楕円曲線と SHA-512 に、\
                     暗号拡張命令は AES と SHA に効きます。AArch64 でも暗号拡張命令があるとは限らないので、/proc/cpuinfo の Features に aes pmull sha1 sha2 があることを確かめてください。",
        },
        lines: no_lines,
    },
    Rule {
        id: "aarch64-without-crypto",
        topic: Topic::Machine,
        weight: Weight::Know,
        is_headline: true,
        applies: |facts| without_aes(facts, |arch| arch == "aarch64"),
        english: Wording {
            when: "An AArch64 CPU, and no sign of AES instructions.",
            says: "This AArch64 CPU works without the crypto extensions: ask for them in the next one.",
            reason: "The extensions are optional, and the Raspberry Pi 4’s chip, for one, leaves them out; with them AES-GCM \
                     is many times as fast. Look for “aes pmull sha1 sha2” among the features in /proc/cpuinfo.",
        },
        japanese: Wording {
            when: "AArch64 の CPU で、AES 命令の形跡がないとき。",
            says: "この AArch64 の CPU では暗号拡張命令が使われていません。次の機種では暗号拡張命令の有無を確かめてください。",
            reason: "暗号拡張命令は省略可能で、Raspberry Pi 4 のチップなどは備えていません。あれば AES-GCM は何倍も速くなります。\
                     /proc/cpuinfo の Features に aes pmull sha1 sha2 があるかどうかで分かります。",
        },
        lines: no_lines,
    },
    Rule {
        id: "x86-without-aes",
        topic: Topic::Machine,
        weight: Weight::Know,
        is_headline: true,
        applies: |facts| without_aes(facts, |arch| arch == "x86_64" || arch == "x86"),
        english: Wording {
            when: "An x86 CPU, and no sign of AES instructions.",
            says: "This x86 CPU works without AES instructions; every current one has them.",
            reason: "Even the smallest Intel and AMD CPUs of the last years have AES-NI. A guest without them may only be \
                     kept from them: see what the host has.",
        },
        japanese: Wording {
            when: "x86 の CPU で、AES 命令の形跡がないとき。",
            says: "この x86 の CPU では AES 命令が使われていません。現在の CPU ならどれも備えています。",
            reason: "近年の Intel と AMD の CPU は、ローエンドのものでも AES-NI に対応しています。仮想マシンでは隠されているだけのこともあるので、ホストの CPU を確かめてください。",
        },
        lines: no_lines,
    },
];

/// 32-bit Arm, as Rust and as kernels name it.
fn is_32_bit_arm(arch: &str) -> bool {
    arch == "arm" || arch.starts_with("armv")
}

fn without_aes(facts: &Facts<'_>, is_meant: fn(&str) -> bool) -> Option<Found> {
    let machine = facts.machine();
    if !is_meant(&machine.arch) {
        return None;
    }
    let evidence = match facts.aes_instructions() {
        AesInstructions::NotListed => Evidence::Features(machine.features.clone()),
        AesInstructions::NoSign(comparison) => Evidence::Comparison(*comparison),
        _ => return None,
    };
    Some(Found::new().behind(Evidence::Cpu(machine.arch.clone(), machine.label().to_owned())).behind(evidence))
}
