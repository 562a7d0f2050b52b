//! `kasoku steps`: steps in published tables and in a sweep on this machine.

use kasoku_import::import;
use kasoku_model::document::{Document, Machine};
use kasoku_model::steps;

use crate::support::{Sandbox, error_of, is_there, list, shared, words};
use crate::synthetic;

/// Returns every step in a transcript of `openssl speed`, as measured on a machine of the architecture `arch`: the
/// algorithm, the sizes before and after it, and its cause.
fn find_steps(text: &str, arch: &str) -> Vec<(&'static str, usize, usize, Option<&'static str>)> {
    let machine = Machine { arch: arch.into(), features: vec!["sse2".into()], ..Machine::default() };
    let mut all = Vec::new();
    for imported in import("test", text.as_bytes()).unwrap().machines {
        let document = Document { machine: machine.clone(), ..imported.document };
        for curve in steps::steps(&document, |_| true) {
            let algorithm = curve.workload.algorithm.name();
            all.extend(
                curve.steps.iter().map(|s| (algorithm, s.before_bytes, s.at_bytes, s.cause.map(|cause| cause.name))),
            );
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The i7-950 has no AES instructions, and its bitsliced AES begins at 128 bytes. ChaCha20 uses wider registers if
/// there are enough blocks.
#[test]
fn steps_of_ten_published_devices_have_known_causes() {
    let chacha = |cause| vec![("chacha20-poly1305", 64, 256, Some(cause))];
    let bitsliced = Some("bitsliced-from-128");
    for (file, arch, expected) in [
        ("openwrt_2203_5_bcm4708a0", "arm", vec![]),
        ("openwrt_2203_5_mt7621", "mips", vec![]),
        ("ubuntu_2204_intel_i5_7400", "x86_64", chacha("wider-vectors")),
        ("ubuntu_2204_intel_i7_4790", "x86_64", chacha("wider-vectors")),
        (
            "ubuntu_2204_intel_i7_950",
            "x86_64",
            vec![("aes-128-gcm", 64, 256, bitsliced), ("aes-256-gcm", 64, 256, bitsliced)],
        ),
        ("ubuntu_2204_nanopi_m4", "aarch64", vec![]),
        ("ubuntu_2204_rasberry_pi_4b", "aarch64", chacha("neon-from-192")),
        ("win11_intel_i5_12400", "x86_64", chacha("wider-vectors")),
        ("yocto_4_1_imx6_ultralite", "arm", vec![]),
        ("yocto_4_1_imx8m_plus", "aarch64", vec![]),
    ] {
        let Some(path) = shared(&format!("devices/{file}.txt")) else { return };
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(find_steps(&text, arch), expected, "{file}");
    }
}

#[test]
fn steps_reports_none_for_a_smooth_run() {
    let sandbox = Sandbox::with(&[synthetic::document()]);
    let told = sandbox.text(&["steps"]);
    assert!(told.contains("No steps: ") && told.lines().count() < 5, "{told}");
    let all = sandbox.text(&["steps", "--all", "--algorithm", "aes-128-gcm"]);
    assert!(all.contains("AES-128-GCM") && !all.contains("AES-256-GCM") && all.contains("16 B–16 KiB"), "{all}");
    let told = sandbox.text(&["steps", "--algorithm", "x25519"]);
    assert!(told.contains("nothing can be said of steps") && told.contains("--sizes sweep"), "{told}");
}

#[test]
fn steps_shows_the_jump_in_published_figures_in_every_format_and_language() {
    let sandbox = Sandbox::with(&[synthetic::document()]);
    let told = sandbox.text(&["steps", "opteron 6276"]);
    assert!(told.contains("Between 256 and 1024 bytes") && told.contains("compact tables"), "{told}");
    let told = sandbox.text(&["--lang", "ja", "steps", "opteron 6276"]);
    assert!(told.contains("256バイトと1024バイトの間") && told.contains("512バイト未満"), "{told}");
    let told = sandbox.text(&["steps", "Xeon E5-2620 v2"]);
    assert!(told.contains("No jump at 512 bytes") && told.contains("hyper-threading"), "{told}");
    let told = sandbox.text(&["steps", "opteron 6276", "--format", "markdown"]);
    assert!(told.starts_with("# Steps") && told.contains("| 1 KiB–8 KiB |"), "{told}");
    let csv = sandbox.text(&["steps", "opteron 6276", "--format", "csv"]);
    assert!(csv.lines().any(|line| line.contains("aes-256-cbc") && line.contains("compact-tables-below-512")), "{csv}");
    let json = sandbox.json(&["steps", "opteron 6276", "--format", "json"]);
    let curve = &json["curves"][0];
    assert_eq!((curve["algorithm"].as_str(), curve["rule"].as_str()), (Some("aes-256-cbc"), Some("table")));
    assert_eq!((&curve["steps"][0]["before_bytes"], &curve["steps"][0]["at_bytes"]), (&256.into(), &1024.into()));
    assert_eq!((list(&curve["points"]).len(), list(&curve["pieces"]).len()), (5, 2));
}

/// Without AES instructions, OpenSSL's AES-CTR on x86-64 is bitsliced from 128 bytes on, which is faster on every CPU.
#[test]
#[cfg(target_arch = "x86_64")]
fn steps_finds_bitsliced_aes_ctr_on_this_machine() {
    let sandbox = Sandbox::new();
    let sizes: Vec<String> = (1..=32).map(|blocks| (blocks * 16).to_string()).collect();
    let sizes = sizes.join(",");
    let line = "run primitives --algorithms aes-128-ctr --libraries openssl --acceleration off --rounds 30 --slice 2";
    let output = sandbox.kasoku(&[&words(line)[..], &["--sizes", &sizes]].concat());
    if output.status.code() == Some(2) && error_of(&output).contains("there is nothing to measure") {
        is_there(false, "libcrypto");
        return;
    }
    let json = sandbox.json(&["steps", "--format", "json"]);
    assert_eq!(json["curves"][0]["rule"], "sweep", "{json}");
    let steps = list(&json["curves"][0]["steps"]);
    let step = steps.iter().position(|step| step["at_bytes"] == 128).unwrap_or_else(|| panic!("{json}"));
    assert!(steps[step]["jump"].as_f64().unwrap() > 1.3, "{json}");
    assert_eq!(steps[step]["cause"], "bitsliced-from-128");
    let pieces = list(&json["curves"][0]["pieces"]);
    assert_ne!(
        pieces[step]["code_paths"],
        pieces[step + 1]["code_paths"],
        "the code path changes at this step: {json}"
    );
}
