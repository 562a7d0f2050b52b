//! Rules about missing acceleration, its cost, and machines without any.

use crate::facts::{AesInstructions, Facts, masked_by_environment};
use crate::figure::Figure;
use crate::lines;
use crate::rule::{Evidence, RuleFinding, Value, rules};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm::{self, *};
use kasoku_model::code_path::{uses_aes_instructions, uses_vaes_instructions};
use kasoku_model::cpu_model;

rules! {
    "mask-set": Acceleration, Act, headline; if mask; paste |_| lines::NO_MASK;
    when "OpenSSL reports a mask from its environment while acceleration is on, or AES switched off on a CPU that has \
          it.";

    "library-ignores-aes": Acceleration, Act, headline; if ignored_aes; paste |_| lines::NEWER_LIBRARY;
    when "The CPU has AES instructions, and the library was seen running AES without them.";

    "library-too-old-for-vaes": Acceleration, Act, headline; if old_without_vaes; paste |_| lines::NEWER_LIBRARY;
    when "The CPU has VAES, VPCLMULQDQ and AVX-512, and the OpenSSL that was measured is older than 3.1.";

    "vaes-without-avx512": Acceleration, Know; if vaes_without_avx512;
    when "The CPU has VAES and VPCLMULQDQ but no AVX-512, and OpenSSL was not seen using them.";

    "instructions-hidden": Acceleration, Act, headline; if hidden_instructions; paste |_| lines::HOST_CPU;
    when "This model of CPU always has instructions for cryptography that the machine does not list.";

    "openssl-out-of-support": Acceleration, Act; if end_of_support;
    when "The OpenSSL that was measured is older than 3.0.";

    "move-to-aarch64": Machine, Act, headline; if |facts| without_aes(facts, is_32_bit_arm_or_mips);
    when "A 32-bit Arm or MIPS CPU, and no sign of AES instructions.";

    "aarch64-without-crypto": Machine, Know, headline; if |facts| without_aes(facts, |arch| arch == "aarch64");
    when "An AArch64 CPU, and no sign of AES instructions.";

    "x86-without-aes": Machine, Know, headline; if |facts| without_aes(facts, |arch| arch == "x86_64" || arch == "x86");
    when "An x86 CPU, and no sign of AES instructions.";
}

/// Finds settings that disable instructions of the CPU. No figure shows the cost, because the settings affect all
/// figures of the run.
fn mask(facts: &Facts<'_>) -> Option<RuleFinding> {
    Some(RuleFinding::of([Evidence::Settings(masking_settings(facts)?), Evidence::NoFigure]))
}

/// Returns OpenSSL's reported settings if they disable instructions of the CPU, through an environment variable or by
/// clearing the AES bit. Ignores acceleration states that the user chose, unless a transcript has no other state.
fn masking_settings(facts: &Facts<'_>) -> Option<String> {
    let run = &facts.document.run;
    let is_on = |state: Option<Acceleration>| matches!(state, None | Some(Acceleration::On));
    let is_ever_on = run.libraries.iter().any(|found| is_on(found.acceleration));
    let is_unasked = |state| is_on(state) || (run.origin.is_some() && !is_ever_on);
    run.libraries.iter().filter(|found| is_unasked(found.acceleration)).find_map(|found| {
        let settings = found.cpu_features.as_deref()?;
        let is_cleared = facts.has("aes") == Some(true) && aes_bit(settings) == Some(false);
        (masked_by_environment(settings) || is_cleared).then(|| settings.to_owned())
    })
}

/// Returns the bit of AES-NI in `OPENSSL_ia32cap=0x…`: CPUID.1:ECX\[25\], in the upper half of the first word.
fn aes_bit(settings: &str) -> Option<bool> {
    let words = settings.trim().strip_prefix("OPENSSL_ia32cap=0x")?;
    let digits: String = words.chars().take_while(char::is_ascii_hexdigit).collect();
    let word = u64::from_str_radix(&digits, 16).ok()?;
    Some(word >> (32 + 25) & 1 == 1)
}

fn ignored_aes(facts: &Facts<'_>) -> Option<RuleFinding> {
    let algorithms = [Aes128Gcm, Aes256Gcm, Aes256Cbc, Aes128Cbc];
    let (algorithm, paths) = algorithms.into_iter().find_map(|algorithm| {
        let paths = facts.code_paths(algorithm);
        let is_without = !paths.is_empty() && !paths.iter().any(|path| uses_aes_instructions(path));
        is_without.then(|| (algorithm, Vec::from_iter(paths).join(", ")))
    })?;
    let cost = costs(facts, algorithm, |figure| uses_aes_instructions(&figure.code_path));
    (facts.has("aes") == Some(true)).then(|| library(facts).behind([Evidence::CodePath(algorithm, paths)]).behind(cost))
}

fn old_without_vaes(facts: &Facts<'_>) -> Option<RuleFinding> {
    let is_able = has_all(facts, &["vaes", "vpclmulqdq"])? && has_all(facts, &AVX512)?;
    (is_able && facts.openssl_version()? < (3, 1, 0)).then(|| missed_vaes(facts))
}

fn vaes_without_avx512(facts: &Facts<'_>) -> Option<RuleFinding> {
    let is_half = has_all(facts, &["vaes", "vpclmulqdq"])? && !has_all(facts, &AVX512)?;
    facts.openssl_version()?;
    let is_used = facts.code_paths(Aes128Gcm).into_iter().any(uses_vaes_instructions);
    (is_half && !is_used).then(|| missed_vaes(facts))
}

fn hidden_instructions(facts: &Facts<'_>) -> Option<RuleFinding> {
    const FOR_CRYPTOGRAPHY: [&str; 5] = ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni"];
    let machine = &facts.document.machine;
    let mut hidden = cpu_model::hidden(machine.microarchitecture.as_deref()?, &machine.features);
    hidden.retain(|name| FOR_CRYPTOGRAPHY.contains(name));
    if hidden.is_empty() || machine.features.is_empty() {
        return None;
    }
    let by = machine.hypervisor.clone().map_or(Value::Words("advice-word-firmware"), Value::Name);
    let found = RuleFinding::of([Evidence::Features(machine.features.clone()), Evidence::NoFigure]);
    Some(found.with("hidden", Value::Name(hidden.join(", "))).with("by", by))
}

fn end_of_support(facts: &Facts<'_>) -> Option<RuleFinding> {
    let ended = match facts.openssl_version()? {
        (3.., ..) => return None,
        (1, 1, 1) => "advice-word-ended-1-1-1",
        (1, 1, _) => "advice-word-ended-1-1-0",
        (1, 0, 2) => "advice-word-ended-1-0-2",
        _ => "advice-word-ended-earlier",
    };
    Some(library(facts).with("ended", Value::Words(ended)))
}

/// Parts of AVX-512 that OpenSSL needs for AES with VAES.
const AVX512: [&str; 3] = ["avx512f", "avx512bw", "avx512vl"];

/// Whether the CPU has all `features`; `None` if the features of the CPU are not known.
fn has_all(facts: &Facts<'_>, features: &[&str]) -> Option<bool> {
    let known: Option<Vec<bool>> = features.iter().map(|feature| facts.has(feature)).collect();
    Some(known?.into_iter().all(|has| has))
}

fn library(facts: &Facts<'_>) -> RuleFinding {
    let (library, version) = facts.library.unwrap_or_default();
    RuleFinding::default().with("library", Value::Library(library.to_owned(), version.to_owned()))
}

/// Returns a finding with the library's code path and the speed of libraries with VAES.
fn missed_vaes(facts: &Facts<'_>) -> RuleFinding {
    let paths = Vec::from_iter(facts.code_paths(Aes128Gcm)).join(", ");
    let seen = (!paths.is_empty()).then_some(Evidence::CodePath(Aes128Gcm, paths));
    let costs = costs(facts, Aes128Gcm, |figure| uses_vaes_instructions(&figure.code_path));
    library(facts).behind(seen).behind(costs)
}

/// Compares up to three other libraries of the run, fastest first, with the main library. The figures of the other
/// libraries must satisfy `uses_them`.
fn costs(facts: &Facts<'_>, algorithm: Algorithm, uses_them: fn(&Figure) -> bool) -> Vec<Evidence> {
    let others = facts.elsewhere(algorithm).into_iter().filter(|comparison| uses_them(&comparison.first));
    let costs: Vec<Evidence> = others.take(3).map(Evidence::Comparison).collect();
    if costs.is_empty() { vec![Evidence::NoFigure] } else { costs }
}

/// Whether an architecture, as Rust or a kernel names it, is 32-bit Arm or MIPS.
fn is_32_bit_arm_or_mips(arch: &str) -> bool {
    arch == "arm" || arch.starts_with("armv") || arch.starts_with("mips")
}

/// Returns a finding if `is_meant` holds for the architecture and AES instructions are missing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aes_bit_is_read_from_the_first_word_of_ia32cap() {
        assert_eq!(aes_bit("OPENSSL_ia32cap=0x7ffaf3ffffebffff:0x27ab"), Some(true));
        assert_eq!(aes_bit("OPENSSL_ia32cap=0x98e3bdffebffff:0x0"), Some(false)); // an i7-950
        assert_eq!(aes_bit("OPENSSL_armcap=0x83"), None);
        assert_eq!(aes_bit("OPENSSL_ia32cap=0x"), None);
        assert_eq!(aes_bit("OPENSSL_ia32cap=0xfffffffffffffffffffff"), None);
    }
}
