//! Names of x86 CPU models, and the features that every CPU of a model has.

/// Returns the cryptographic features that every CPU of the model has but that `features` lacks, because a hypervisor
/// or the firmware hides them. `microarchitecture` has the form `AMD family 25 model 17 stepping 1 (Zen 4)`.
pub fn hidden(microarchitecture: &str, features: &[String]) -> Vec<&'static str> {
    let mut words = microarchitecture.split_ascii_whitespace();
    let vendor = match words.next() {
        Some("AMD") => "AuthenticAMD",
        Some("Intel") => "GenuineIntel",
        _ => return Vec::new(),
    };
    let mut number = |key: &str| (words.next() == Some(key)).then(|| words.next()?.parse().ok())?;
    // Machines whose features contradict the model number carry this name.
    let known = if microarchitecture.ends_with(&format!("({GOLDEN_COVE})")) { known_with_fp16 } else { known };
    let Some(model) = number("family").zip(number("model")).and_then(|(family, model)| known(vendor, family, model))
    else {
        return Vec::new();
    };
    let mut hidden: Vec<&str> = Vec::new();
    for name in model.has.iter().copied().flatten().copied() {
        if !hidden.contains(&name) && !features.iter().any(|feature| feature == name) {
            hidden.push(name);
        }
    }
    hidden
}

pub struct CpuModel {
    pub name: &'static str,
    /// Groups of features that every CPU of the model has. They exclude features that are disabled in cheaper CPUs of
    /// the model.
    pub has: &'static [&'static [&'static str]],
}

const ZEN: &[&str] = &["aes", "pclmulqdq", "sha_ni", "ssse3", "avx", "avx2", "bmi2", "adx"];
const VECTOR_AES: &[&str] = &["aes", "pclmulqdq", "vaes", "vpclmulqdq"];
const AVX_512: &[&str] = &["gfni", "avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi"];
const SERVER_2013: &[&str] = &["aes", "pclmulqdq", "ssse3", "avx", "avx2", "bmi2"];
const SKYLAKE_SERVER: &[&str] = &["adx", "avx512f", "avx512bw", "avx512vl"];
const ICE_LAKE: &[&str] = &["sha_ni", "gfni", "ssse3", "bmi2", "adx"];
const ICE_LAKE_SERVER: &[&[&str]] = &[VECTOR_AES, ICE_LAKE, SERVER_2013, SKYLAKE_SERVER, AVX_512];

/// Name for a CPU that has AVX512-FP16 but an older model number.
const GOLDEN_COVE: &str = "Golden Cove or later";

/// Numbers of Intel's models with AVX-512 that are older than Golden Cove.
const BEFORE_GOLDEN_COVE: [u32; 8] = [0x55, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7];

/// Like [`known`], but for a CPU with AVX512-FP16, which Golden Cove introduced. A hypervisor may give such a CPU an
/// older model number. For example, a Granite Rapids was seen as model 0xa7.
pub fn known_with_fp16(vendor: &str, family: u32, model: u32) -> Option<CpuModel> {
    if vendor == "GenuineIntel" && family == 6 && BEFORE_GOLDEN_COVE.contains(&model) {
        return Some(CpuModel { name: GOLDEN_COVE, has: ICE_LAKE_SERVER });
    }
    known(vendor, family, model)
}

/// Returns the model with these CPUID numbers, according to the Linux kernel (intel-family.h, amd.c) and LLVM
/// (Host.cpp).
pub fn known(vendor: &str, family: u32, model: u32) -> Option<CpuModel> {
    let known = |name, has| Some(CpuModel { name, has });
    match (vendor, family, model) {
        ("AuthenticAMD", 0x17, 0x08 | 0x18) => known("Zen+", &[ZEN]),
        ("AuthenticAMD", 0x17, 0x00..=0x2f) => known("Zen", &[ZEN]),
        ("AuthenticAMD", 0x17, 0x30..=0x3f | 0x60..=0x7f | 0x90..=0x9f | 0xa0..=0xaf) => known("Zen 2", &[ZEN]),
        ("AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => known("Zen 4", &[ZEN, VECTOR_AES, AVX_512]),
        ("AuthenticAMD", 0x19, 0x00..=0x0f | 0x20..=0x5f) => known("Zen 3", &[ZEN, VECTOR_AES]),
        ("AuthenticAMD", 0x1a, 0x00..=0x4f | 0x60..=0x77) => known("Zen 5", &[ZEN, VECTOR_AES, AVX_512]),
        // Before Skylake features were fused off part by part, so only the name is certain.
        ("GenuineIntel", 6, 0x25 | 0x2c | 0x2f) => known("Westmere", &[]),
        ("GenuineIntel", 6, 0x2a | 0x2d) => known("Sandy Bridge", &[]),
        ("GenuineIntel", 6, 0x3a | 0x3e) => known("Ivy Bridge", &[]),
        ("GenuineIntel", 6, 0x3f) => known("Haswell", &[SERVER_2013]),
        ("GenuineIntel", 6, 0x3c | 0x45 | 0x46) => known("Haswell", &[]),
        ("GenuineIntel", 6, 0x4f | 0x56) => known("Broadwell", &[SERVER_2013]),
        ("GenuineIntel", 6, 0x3d | 0x47) => known("Broadwell", &[]),
        ("GenuineIntel", 6, 0x4e | 0x5e) => known("Skylake", &[]),
        ("GenuineIntel", 6, 0x55) => {
            known("Skylake, Cascade Lake or Cooper Lake server", &[SERVER_2013, SKYLAKE_SERVER])
        }
        ("GenuineIntel", 6, 0xa5 | 0xa6) => known("Comet Lake", &[]),
        ("GenuineIntel", 6, 0x5c | 0x5f) => known("Goldmont", &[]),
        ("GenuineIntel", 6, 0x7a) => known("Goldmont Plus", &[]),
        ("GenuineIntel", 6, 0x86 | 0x96 | 0x9c) => known("Tremont", &[]),
        ("GenuineIntel", 6, 0x7d | 0x7e) => known("Ice Lake", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0x6a | 0x6c) => known("Ice Lake server", ICE_LAKE_SERVER),
        ("GenuineIntel", 6, 0x8c | 0x8d) => known("Tiger Lake", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0xa7) => known("Rocket Lake", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0x97 | 0x9a) => known("Alder Lake", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0xb7 | 0xba | 0xbf) => known("Raptor Lake", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0xbe) => known("Gracemont", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0xaa | 0xac) => known("Meteor Lake", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0x8f) => known("Sapphire Rapids", ICE_LAKE_SERVER),
        ("GenuineIntel", 6, 0xcf) => known("Emerald Rapids", ICE_LAKE_SERVER),
        ("GenuineIntel", 6, 0xad | 0xae) => known("Granite Rapids", ICE_LAKE_SERVER),
        ("GenuineIntel", 6, 0xaf) => known("Sierra Forest", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0xc5 | 0xc6 | 0xb5) => known("Arrow Lake", &[VECTOR_AES, ICE_LAKE]),
        ("GenuineIntel", 6, 0xbd) => known("Lunar Lake", &[VECTOR_AES, ICE_LAKE]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn hidden_lists_features_of_the_cpu_model_that_a_guest_lacks() {
        let guest = named(&["aes", "pclmulqdq", "sha_ni", "ssse3", "avx", "avx2", "bmi2", "adx"]);
        assert_eq!(hidden("AMD family 25 model 33 stepping 2 (Zen 3)", &guest), ["vaes", "vpclmulqdq"]);
        assert_eq!(hidden("AMD family 23 model 49 stepping 0 (Zen 2)", &guest), [""; 0]);
    }

    #[test]
    fn cpu_with_avx512_fp16_is_not_named_by_an_older_model_number() {
        let name = |known: Option<CpuModel>| known.map(|known| known.name);
        assert_eq!(name(known("GenuineIntel", 6, 0xa7)), Some("Rocket Lake"));
        assert_eq!(name(known_with_fp16("GenuineIntel", 6, 0xa7)), Some("Golden Cove or later"));
        assert_eq!(name(known_with_fp16("GenuineIntel", 6, 0xcf)), Some("Emerald Rapids"));
        let guest = named(&["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "gfni", "ssse3", "bmi2", "adx"]);
        let missing = |text: &str| hidden(&format!("Intel family 6 model 167 stepping 1 ({text})"), &guest);
        assert!(missing("Rocket Lake").is_empty() && missing(GOLDEN_COVE).contains(&"avx512f"));
        assert_eq!(name(known_with_fp16("AuthenticAMD", 0x1a, 0x02)), Some("Zen 5"));
    }

    #[test]
    fn no_feature_counts_as_hidden_for_unknown_cpu_models() {
        for text in
            ["", "AMD", "AMD family", "AMD family x model 1", "Arm implementer 0x41 part 0xd08", "AMD model 1 family 2"]
        {
            assert!(hidden(text, &[]).is_empty(), "{text}");
        }
    }
}
