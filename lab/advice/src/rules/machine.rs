//! The machine itself: when it is time for another.

use crate::facts::{AesInstructions, Facts};
use crate::rule::{Evidence, RuleFinding, rules};

rules! {
    "move-to-aarch64": Machine, Act, headline; if |facts| without_aes(facts, is_32_bit_arm_or_mips);
    when "A 32-bit Arm or MIPS CPU, and no sign of AES instructions.";
    says "For the next device, move to AArch64 with the crypto extensions.",
         "次の機器では、暗号拡張命令を備えたAArch64に移行します。";
    why  "Such CPUs, as in home routers, are slow at every cipher, hash and curve; 64-bit words help the curves and \
          SHA-512, the crypto extensions AES and SHA. Look for “aes pmull sha1 sha2” among the features in \
          /proc/cpuinfo: AArch64 alone does not promise them.",
         "家庭用ルーターなどに使われるこうしたCPUは、共通鍵暗号・ハッシュ・楕円曲線のいずれも遅くなります。64ビット演算\
          は楕円曲線とSHA-512に、暗号拡張命令はAESとSHAに効きます。AArch64でも暗号拡張命令があるとは限らないので、\
          /proc/cpuinfoのFeaturesにaes pmull sha1 sha2があることを確かめてください。";

    "aarch64-without-crypto": Machine, Know, headline; if |facts| without_aes(facts, |arch| arch == "aarch64");
    when "An AArch64 CPU, and no sign of AES instructions.";
    says "This AArch64 CPU works without the crypto extensions: ask for them in the next one.",
         "このAArch64のCPUでは暗号拡張命令が使われていません。次の機種では暗号拡張命令の有無を確かめてください。";
    why  "The extensions are optional, and the Raspberry Pi 4’s chip, for one, leaves them out; with them AES-GCM is \
          many times as fast. Look for “aes pmull sha1 sha2” among the features in /proc/cpuinfo.",
         "暗号拡張命令は省略可能で、Raspberry Pi 4のチップなどは備えていません。あればAES-GCMは何倍も速くなります。\
          /proc/cpuinfoのFeaturesにaes pmull sha1 sha2があるかどうかで分かります。";

    "x86-without-aes": Machine, Know, headline; if |facts| without_aes(facts, |arch| arch == "x86_64" || arch == "x86");
    when "An x86 CPU, and no sign of AES instructions.";
    says "This x86 CPU works without AES instructions; every current one has them.",
         "このx86のCPUではAES命令が使われていません。現在のCPUならどれも備えています。";
    why  "Even the smallest Intel and AMD CPUs of the last years have AES-NI. A guest without them may only be kept \
          from them: see what the host has.",
         "近年のIntelとAMDのCPUは、ローエンドのものでもAES-NIに対応しています。仮想マシンでは隠されているだけのこともあ\
          るので、ホストのCPUを確かめてください。";
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
