//! Imports generated files: valid tables of every form keep their figures; damaged, mixed and random files cause no
//! panic, no hang and no impossible figures.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../../engine/tests/support/random.rs"]
mod random;
#[path = "../../../engine/fuzz/seeds.rs"]
mod seeds;

use std::path::Path;
use std::time::{Duration, Instant};

use kasoku_import::import;
use proptest::prelude::*;
use random::Random;

const LOW_LEVEL: &[&str] =
    &["des ede3", "blowfish cbc", "aes-128 cbc", "aes-256 cbc", "camellia-256 cbc", "rc5-32/12 cbc"];
const EVP: &[&str] = &["aes-256-cbc", "AES-128-GCM", "ChaCha20-Poly1305", "sha256", "BLAKE2s256", "hmac(md5)", "ghash"];
const CURVES: &[&str] = &["nistp256", "nistk571", "brainpoolP512t1", "X25519", "secp160r1"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn import_keeps_throughputs_of_generated_tables(
        sizes in prop::sample::subsequence(vec![2_usize, 16, 64, 256, 1024, 1350, 8192, 16_384, 1 << 20], 1..=6),
        names in prop::sample::subsequence([LOW_LEVEL, EVP].concat(), 1..=8),
        // Throughputs in units of 10 bytes per second, the last printed digit.
        figures in prop::collection::vec(1_001..10_u64.pow(12), 48),
    ) {
        let figure = |row: usize, column: usize| figures[row * 6 + column];
        let mut text = "OpenSSL 1.1.1w  11 Sep 2023\nThe 'numbers' are in 1000s of bytes per second \
            processed.\ntype        ".to_owned();
        for size in &sizes {
            text += &format!("{size:7} bytes");
        }
        for (row, name) in names.iter().enumerate() {
            text += &format!("\n{name:<13}");
            for column in 0..sizes.len() {
                let hundredths = figure(row, column);
                text += &format!(" {:>8}.{:02}k", hundredths / 100, hundredths % 100);
            }
        }
        let imported = import("test", (text.clone() + "\n").as_bytes()).unwrap();
        prop_assert!(imported.left_out.is_empty(), "{:?}\n{text}", imported.left_out);
        let series = &imported.machines[0].document.series;
        prop_assert_eq!(series.len(), names.len() * sizes.len());
        for (row, of_row) in series.chunks(sizes.len()).enumerate() {
            for (column, one) in of_row.iter().enumerate() {
                prop_assert_eq!(one.bytes, sizes[column]);
                prop_assert_eq!(one.median, Some((figure(row, column) * 10) as f64));
                let is_low = names[row].contains(' ');
                prop_assert_eq!(one.quoted().is_some_and(|quoted| quoted.is_low_level), is_low);
                let expected = if is_low && names[row].starts_with("aes") { "off" } else { "on" };
                prop_assert_eq!(one.acceleration.name(), expected);
            }
        }
    }

    #[test]
    fn import_keeps_rates_of_generated_curve_and_rsa_tables(
        curves in prop::sample::subsequence(CURVES.to_vec(), 1..=5),
        bits in prop::sample::select(vec![512_u32, 2048, 4096, 15_360]),
        tenths in prop::collection::vec(1_u64..10_000_000, 12),
        unit in prop::sample::select(vec!["bit", "bits"]),
    ) {
        let rate = |index: usize| format!("{}.{}", tenths[index] / 10, tenths[index] % 10);
        let mut text = "                              op      op/s\n".to_owned();
        for (index, curve) in curves.iter().enumerate() {
            text += &format!(" 256 {unit} ecdh ({curve})   0.0001s {:>8}\n", rate(index));
        }
        text += "                  sign    verify    sign/s verify/s\n";
        text += &format!("rsa {bits:4} bits 0.000080s 0.000004s {:>8} {:>8}\n", rate(10), rate(11));
        let imported = import("test", text.as_bytes()).unwrap();
        let series = &imported.machines[0].document.series;
        let figures: Vec<f64> = series.iter().map(|series| series.median.unwrap()).collect();
        let expected = (0..curves.len()).chain([10, 11]).map(|index| rate(index).parse::<f64>().unwrap());
        prop_assert_eq!(figures, expected.collect::<Vec<_>>());
    }

    #[test]
    fn import_survives_random_mixtures_of_lines(lines in prop::collection::vec(any_line(), 0..40)) {
        bodies::import(lines.join("\n").as_bytes());
    }

    #[test]
    fn import_survives_random_sequences_of_json_tokens(
        text in "(\\{|\\}|\\[|\\]|,|:|\"run\"|\"id\"|\"series\"|\"machine\"|\"a\"|1e9|-1|null|true| ){0,60}",
    ) {
        bodies::import(format!("{{{text}").as_bytes());
    }
}

fn any_line() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "OpenSSL 1.0.1i 6 Aug 2014",
        "version: 3.0.2",
        "LibreSSL 4.1.0",
        "built on: today",
        "compiler: gcc -O2",
        "CPUINFO: OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab env:~0x200000200000000",
        "CPUINFO: OPENSSL_armcap=0xbd",
        "# kasoku collect 1",
        "# name: box",
        "type             16 bytes     64 bytes",
        "aes-128 cbc      1000.10k     2000.20k",
        "aes-128-cbc      1000.10k     2000.20k",
        "aes-128-cbc      1000.10k     2000.21k",
        "blowfish             0.00         0.00",
        " 253 bits ecdh (X25519)   0.0016s    644.4",
        "rsa 2048 bits 0.001523s 0.000043s    656.7  23043.5",
        "                               keygen    encaps    decaps keygens/s  encaps/s  decaps/s",
        "mlkem768 0.000075s 0.000084s 0.000102s   13355.1   11852.0    9770.9",
        "+H:16:64",
        "+F:25:AES-128-GCM:614462208.00:1.00",
        "+F5:22:253:6526.000000:0.000153",
        "Forked child 1",
        "Got: +H:16:64 from 1",
        "$ openssl speed -multi 4 -decrypt -evp aes-128-gcm",
        "OPENSSL_ia32cap=0 openssl speed",
        "speed: x is an unknown cipher or digest",
        "{",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => "\\PC{0,30}", 1 => "[a-z0-9 .:+ks-]{0,40}"]
}

/// Returns the transcripts, their run documents, and a run document with series of every level.
fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut samples = vec![serde_json::to_vec_pretty(&bodies::edited::whole()).unwrap()];
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let content = std::fs::read(file).unwrap();
        let first = import("test", &content).ok().and_then(|imported| imported.machines.into_iter().next());
        samples.extend(first.map(|found| serde_json::to_vec_pretty(&found.document).unwrap()));
        samples.push(content);
    }
    assert!(samples.len() > 20);
    samples
}

/// Returns a function that gives a pseudorandom number below its argument.
fn random() -> impl FnMut(usize) -> usize {
    let mut random = Random::new(1);
    move |below| random.below(below.max(1))
}

#[test]
fn import_survives_randomly_edited_run_documents() {
    let mut random = random();
    for _ in 0..300 {
        let mut script = vec![0];
        script.extend((0..random(60)).map(|_| random(256) as u8));
        bodies::import(&script);
    }
}

#[test]
fn import_survives_changed_inserted_and_removed_bytes() {
    let samples = samples();
    let mut random = random();
    const LIKED: &[u8] = b"0123456789.-+ks:(){}[]\",\n\r\t \0\xFF\xEF~";
    for turn in 0..4_000 {
        let mut content = samples[turn % samples.len()].clone();
        for _ in 0..=random(6) {
            let at = random(content.len());
            match random(7) {
                0 => content[at] = LIKED[random(LIKED.len())],
                1 => content[at] ^= 1 << random(8),
                2 => drop(content.remove(at)),
                3 => content.insert(at, LIKED[random(LIKED.len())]),
                4 => content.truncate(at.max(1)),
                5 => {
                    let end = (at + random(200)).min(content.len());
                    let piece = content[at..end].to_vec();
                    let to = random(content.len());
                    content.splice(to..to, piece);
                }
                _ => {
                    let other = &samples[random(samples.len())];
                    let from = random(other.len());
                    content.truncate(at.max(1));
                    content.extend(&other[from..]);
                }
            }
            if content.is_empty() {
                break;
            }
        }
        bodies::import(&content);
    }
}

/// Time limit for a file of 4 MiB, which only quadratic work exceeds.
const HANG: Duration = Duration::from_secs(60);

#[test]
fn import_of_worst_case_files_takes_linear_time() {
    let fill = |line: &str| line.repeat((4 << 20) / line.len());
    let numbered = |line: &dyn Fn(usize) -> String| (0..90_000).map(line).collect::<String>();
    let head = "type 16 bytes\n";
    let deep = format!("{{\"run\":{}", "[".repeat(1 << 20));
    let keys: String = (0..200_000).map(|key| format!("\"k{key}\":1,")).collect();
    for (name, content) in [
        ("one line", fill("a")),
        ("names of variables", fill(&("OPENSSL_".repeat(500) + "\n"))),
        ("variables", fill(&("export OPENSSL_ia32cap=~0x1; ".repeat(140) + "\n"))),
        ("commands", fill(&("openssl speed;".repeat(290) + "\n"))),
        ("continued commands", fill("openssl speed -evp a \\\n")),
        ("one line of figures", fill("1.00k ")),
        ("empty lines", fill("\n")),
        ("versions", fill("OpenSSL 1.0.1i 6 Aug 2014\n")),
        ("a machine a line", head.to_owned() + &numbered(&|n| format!("LibreSSL 3.{n}.0\n{head}sha1 1.00k\n"))),
        ("a row a line", head.to_owned() + &numbered(&|n| format!("sha1 {n}.00k\n"))),
        ("an unknown name a line", head.to_owned() + &numbered(&|n| format!("cipher{n} 1.00k\n"))),
        ("headless rows", numbered(&|n| format!("cipher{n} 1.00k\n"))),
        ("quotations", fill(">")),
        ("lacking", numbered(&|n| format!("speed: c{n} is an unknown cipher or digest\n"))),
        ("depth", deep),
        ("keys", format!("{{{keys}\"a\":1}}")),
        ("series", format!("{{\"run\":{{\"id\":\"a\"}},\"machine\":{{}},\"series\":[{}1]}}", "1,".repeat(1 << 20))),
    ] {
        let begin = Instant::now();
        let _ = import("test", content.as_bytes());
        assert!(begin.elapsed() < HANG, "{name}: {:?}", begin.elapsed());
    }
}

#[test]
fn import_survives_inputs_that_fuzzing_found() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "import", bodies::import);
}
