//! Documents made to cause as much work as possible: time and memory grow in proportion to the size,
//! and input beyond the limits is refused.
//!
//! Time is the command's CPU time. Load on the core's other hardware thread lengthens CPU time too, for seconds. So
//! each command runs first on the smaller and then on the larger document, and the median of several such pairs counts.

use std::fmt::Write as _;
use std::fs;

use crate::support::{Cost, Sandbox, cost_of};

/// Largest accepted ratio of the times of two inputs of which one is twice as large.
const MAX_GROWTH: f64 = 2.3;
/// Number of pairs of measurements after which a larger ratio is a failure.
const MAX_PAIRS: usize = 15;
/// Memory limit of a command, in bytes.
const MAX_MEMORY: u64 = 500 << 20;
/// CPU time limit of a command: six times the five seconds intended, for unoptimised code and old machines.
const MAX_SECONDS: f64 = 30.0;

fn sandbox_with_file(name: &str, content: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path(name), content).unwrap();
    sandbox
}

/// Checks the limits of time and memory.
fn check(cost: Cost, what: &str) {
    assert!(cost.memory <= MAX_MEMORY, "{what}: {} MB", cost.memory >> 20);
    assert!(cost.seconds <= MAX_SECONDS, "{what}: {} s", cost.seconds);
}

/// Checks that a command takes at most [`MAX_GROWTH`] times the time and memory in the second sandbox, and keeps to the
/// limits there.
fn check_growth(sandboxes: &[Sandbox; 2], arguments: &[&str]) {
    let cost = |index: usize| {
        let sandbox = &sandboxes[index];
        let cost = cost_of(sandbox, arguments);
        // Status 1 means that series were left out or became slower.
        assert!((0..=1).contains(&cost.status), "{arguments:?}: {}", sandbox.read("stderr"));
        cost
    };
    let mut pairs = Vec::new();
    // The last memory reading of a process may miss its peak, so use the maximum over several processes.
    let most = |pairs: &[[Cost; 2]]| [0, 1].map(|size| pairs.iter().map(|pair| pair[size].memory).max().unwrap_or(0));
    let grows = |[small, large]: [u64; 2]| large as f64 > MAX_GROWTH * small as f64;
    while pairs.len() < MAX_PAIRS && (pairs.is_empty() || growth(&pairs) > MAX_GROWTH || grows(most(&pairs))) {
        pairs.push([0, 1].map(cost));
    }
    let (least, memory) = (least(&pairs), most(&pairs));
    println!("  {arguments:?}: {least:.3?} s, {} MB, {} MB", memory[0] >> 20, memory[1] >> 20);
    check(Cost { seconds: least[1], memory: memory[1], status: 0 }, &arguments.join(" "));
    assert!(growth(&pairs) <= MAX_GROWTH, "{arguments:?}: {pairs:?}");
    assert!(!grows(memory), "{arguments:?}: {memory:?} bytes");
}

/// Ratio of the times of the larger and the smaller input: the median over the pairs, or the ratio of the minima if
/// that is smaller. Quadratic work exceeds both limits; other load on the machine seldom does.
fn growth(pairs: &[[Cost; 2]]) -> f64 {
    let mut growths: Vec<f64> = pairs.iter().map(|[small, large]| large.seconds / small.seconds).collect();
    growths.sort_by(f64::total_cmp);
    let [small, large] = least(pairs);
    growths[growths.len() / 2].min(large / small)
}

/// Minimum seconds for the smaller and for the larger input.
fn least(pairs: &[[Cost; 2]]) -> [f64; 2] {
    [0, 1].map(|size| pairs.iter().map(|pair| pair[size].seconds).fold(f64::MAX, f64::min))
}

/// The fields of a series that tests vary.
struct One {
    level: &'static str,
    task: (&'static str, &'static str),
    bytes: usize,
    library: String,
    state: &'static str,
    samples: String,
    details: String,
}

impl Default for One {
    fn default() -> Self {
        One {
            level: "primitives",
            task: ("seal", "aes-128-gcm"),
            bytes: 16_384,
            library: "openssl".to_owned(),
            state: "on",
            samples: String::new(),
            details: String::new(),
        }
    }
}

impl One {
    fn text(&self) -> String {
        let One { level, task: (operation, algorithm), bytes, library, state, samples, details } = self;
        let experiment = match (*level, *operation) {
            (_, "serve") => "server",
            (_, "transfer") => "transfer",
            ("packets" | "files", _) => level,
            _ => "memory",
        };
        let unit = if ["sign", "verify", "derive"].contains(operation) { "ops/s" } else { "bytes/s" };
        format!(
            "{{\"level\":\"{level}\",\"operation\":\"{operation}\",\"algorithm\":\"{algorithm}\",\"bytes\":{bytes},\
             \"library\":\"{library}\",\"library_version\":\"1\",\"acceleration\":\"{state}\",\"code_path\":\"x\",\
             \"unit\":\"{unit}\",\"samples\":[{samples}],\"median\":1e9,\"ci95\":[9e8,1.1e9],\"cycles_per_byte\":1.0,\
             \"outcome\":\"measured\",\"note\":null,\"details\":{{\"experiment\":\"{experiment}\"{details}}}}}"
        )
    }
}

/// Returns `count` samples as JSON, at least ten in each process.
fn samples(count: usize) -> String {
    let apart = count.div_ceil(50).max(10);
    let one = |round: usize| {
        let ns = 1_000_000 + round * 7919 % 10_000;
        format!("{{\"process\":{},\"round\":{round},\"iterations\":100,\"ns\":{ns}}}", round / apart)
    };
    (0..count).map(one).collect::<Vec<_>>().join(",")
}

fn document(run: &str, series: impl IntoIterator<Item = One>) -> String {
    let mut text =
        format!("{{\"schema\":1,\"run\":{{\"id\":\"r\",\"complete\":true{run}}},\"machine\":{{\"cpu\":\"c\"}},");
    text.push_str("\"series\":[");
    for (index, one) in series.into_iter().enumerate() {
        _ = write!(text, "{}{}", if index > 0 { "," } else { "" }, one.text());
    }
    text.push_str("]}");
    text
}

const STATES: [&str; 2] = ["on", "off"];
const BULK: [(&str, &str); 12] = [
    ("encrypt", "aes-128-cbc"),
    ("decrypt", "aes-128-cbc"),
    ("encrypt", "aes-256-cbc"),
    ("decrypt", "aes-256-cbc"),
    ("seal", "aes-128-gcm"),
    ("open", "aes-128-gcm"),
    ("seal", "aes-256-gcm"),
    ("open", "aes-256-gcm"),
    ("seal", "chacha20-poly1305"),
    ("open", "chacha20-poly1305"),
    ("hash", "sha-256"),
    ("hash", "sha-512"),
];

/// Returns a document of `count` libraries, each with one signature at one of 128 sizes.
fn many_libraries_and_sizes(count: usize) -> String {
    let one = |number: usize| One {
        task: ("sign", "ed25519"),
        bytes: 1 + number % 128,
        library: format!("s{number}"),
        ..One::default()
    };
    document("", (0..count).map(one))
}

/// Returns a document of libraries with all tasks in [`BULK`], acceleration on and off, and 16 sizes.
fn many_rows(libraries: usize, samples_each: usize) -> String {
    let drawn = samples(samples_each);
    let one = |number: usize| One {
        task: BULK[number / 32 % BULK.len()],
        bytes: 16 << (number % 32 / 2),
        library: format!("s{}", number / 32 / BULK.len()),
        state: STATES[number % 2],
        samples: drawn.clone(),
        ..One::default()
    };
    document("", (0..libraries * BULK.len() * 32).map(one))
}

/// Returns a document of `count` libraries with sweeps of 128 sizes.
fn sweeps(count: usize, samples_each: usize) -> String {
    let drawn = samples(samples_each);
    let one = |number: usize| One {
        bytes: 16 * (number % 128 + 1),
        library: format!("s{}", number / 128),
        samples: drawn.clone(),
        ..One::default()
    };
    document("", (0..count * 128).map(one))
}

/// Returns a document of `count` series with the maximum number of samples.
fn few_long_series(count: usize) -> String {
    let drawn = samples(20_000);
    let one = |number: usize| One {
        bytes: 16 << (number / 2),
        state: STATES[number % 2],
        samples: drawn.clone(),
        ..One::default()
    };
    document("", (0..count).map(one))
}

/// Returns a document of packets in many settings, bounds, web servers and transfers.
fn other_levels(libraries: usize) -> String {
    let drawn = samples(8);
    let packet = |number: usize| One {
        level: "packets",
        task: (["protect", "unprotect"][number % 2], "aes-128-gcm"),
        bytes: 1_000 + number / 2 % 16 * 100,
        library: format!("{}{}", if (number / 128).is_multiple_of(8) { "limit-" } else { "s" }, number / 128),
        samples: drawn.clone(),
        details: format!(",\"batch\":{},\"setup\":true", 1 << (number % 128 / 32)),
        ..One::default()
    };
    let served = |number: usize| One {
        level: "tls",
        task: ("serve", ["aes128-gcm-sha256", "aes128-sha"][number % 2]),
        bytes: 1 << (10 + number / 2 % 16),
        library: ["openssl", "kasoku"][number / 32 % 2].to_owned(),
        samples: drawn.clone(),
        details: format!(",\"workers\":{},\"bottleneck\":\"server-cpu\"", 1 + number / 64),
        ..One::default()
    };
    let moved = |number: usize| One {
        level: "packets",
        task: ("transfer", "aes-128-gcm"),
        bytes: 1 << (10 + number / 2 % 16),
        library: format!("s{}", number / 64),
        samples: drawn.replace("\"ns\"", "\"sides\":{\"sender\":{\"cpu_ns\":5}},\"ns\""),
        details: format!(
            ",\"transport\":\"{}\",\"protection\":\"provider\",\"control\":{}",
            ["quic", "tls"][number / 32 % 2],
            number.is_multiple_of(2)
        ),
        ..One::default()
    };
    let packets = (0..libraries * 128).map(packet);
    document("", packets.chain((0..libraries * 5).map(served)).chain((0..libraries * 5).map(moved)))
}

/// Returns a document with `count` notes, omissions and libraries beside one series.
fn long_lists(count: usize) -> String {
    let list = |one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(",");
    let run = format!(
        ",\"notes\":[{}],\"omissions\":[{}],\"libraries\":[{}]",
        list(&|number| format!("\"note {number}\"")),
        list(&|number| format!("{{\"level\":\"primitives\",\"library\":\"s{number}\",\"why\":\"reason {number}\"}}")),
        list(&|number| format!("{{\"library\":\"s{number}\",\"version\":\"1\"}}")),
    );
    document(&run, [One::default()])
}

/// Commands that read a whole document.
const COMMANDS: [&[&str]; 10] = [
    &["show", "r"],
    &["show", "r", "--format", "markdown"],
    &["export", "r"],
    &["export", "r", "--format", "csv"],
    &["report", "r"],
    &["rank", "aes-128-gcm", "--library", "any"],
    &["history", "aes-128-gcm", "--library", "any", "--machine", "c"],
    &["steps", "r"],
    &["advise", "r"],
    &["compare", "r", "r"],
];

/// Imports two documents and checks the growth of every command. The second document is twice as large as the first,
/// and nearly the largest that can be imported.
fn check_document(contents: [String; 2]) {
    let sandboxes = contents.map(|content| {
        let sandbox = sandbox_with_file("a.json", &content);
        let cost = cost_of(&sandbox, &["import", "a.json"]);
        println!("  import of {:.1} MB: {cost:?}", content.len() as f64 / 1e6);
        assert_eq!(cost.status, 0, "{}", sandbox.read("stderr"));
        check(cost, "import");
        sandbox
    });
    for arguments in COMMANDS {
        check_growth(&sandboxes, arguments);
    }
}

/// Declares a test for each kind of document, so that they run at the same time.
macro_rules! cost_is_linear {
    ($($test:ident: $sizes:expr => $document:expr;)*) => {
        $(#[test]
        fn $test() {
            check_document($sizes.map($document));
        })*
    };
}

cost_is_linear! {
    command_cost_is_linear_in_libraries_at_many_sizes: [500, 1000] => many_libraries_and_sizes;
    command_cost_is_linear_in_rows_of_every_kind: [39, 78] => |libraries| many_rows(libraries, 1);
    command_cost_is_linear_in_samples_of_many_series: [20, 40] => |libraries| many_rows(libraries, 31);
    command_cost_is_linear_in_sweeps: [117, 234] => |count| sweeps(count, 16);
    command_cost_is_linear_in_series_of_maximum_length: [12, 24] => few_long_series;
    command_cost_is_linear_in_packets_servers_and_transfers: [100, 200] => other_levels;
    command_cost_is_linear_in_notes_omissions_and_libraries: [2_500, 5_000] => long_lists;
}

#[test]
fn import_rejects_documents_beyond_the_limits_in_bounded_time() {
    let many = |count: usize, one: &dyn Fn(usize) -> One| document("", (0..count).map(one));
    let with_details = |details: String| document("", [One { details, ..One::default() }]);
    let zeros = |count: usize| format!("[{}0]", "0,".repeat(count));
    let unknown =
        document("", [One::default()]).replace("\"machine\":", &format!("\"later\":{},\"machine\":", zeros(400_000)));
    sandbox_with_file("a.json", &unknown).text(&["import", "a.json"]); // unknown fields are ignored
    let in_run = |member: String| document(&format!(",{member}"), [One::default()]);
    for (content, what) in [
        (many(30_001, &|_| One::default()), "30001 series"),
        (many(129, &|number| One { bytes: number, ..One::default() }), "129 sizes"),
        (many(1_001, &|number| One { library: format!("s{number}"), ..One::default() }), "1001 libraries"),
        (many(26, &|_| One { samples: samples(20_000), ..One::default() }), "500000 samples"),
        (many(1, &|_| One { samples: samples(20_001), ..One::default() }), "20001 samples"),
        (many(1, &|_| One { samples: vec!["{}"; 3_000_000].join(","), ..One::default() }), "more than 500000 elements"),
        (
            many(2_001, &|_| One {
                level: "tls",
                task: ("serve", "aes128-sha"),
                details: ",\"workers\":1".to_owned(),
                ..One::default()
            }),
            "2001 series of",
        ),
        (
            many(30_000, &|number| One {
                bytes: number % 100,
                task: BULK[number % 12],
                library: format!("s{}", number / 30),
                ..One::default()
            }),
            "cells",
        ),
        (with_details(format!(",\"a\":{}", zeros(30_000))), ""),
        (with_details(format!(",\"a\":{}", zeros(450_000))), "details"),
        (with_details(format!(",\"a\":[{}]", vec!["{\"\":0}"; 400_000].join(","))), "details"),
        (
            document("", [One::default()])
                .replace("\"samples\":[]", "\"samples\":[],\"later\":{}")
                .replace("\"later\":{}", &format!("\"later\":{}", zeros(30_000_000))),
            "elements",
        ),
        (in_run(format!("\"later\":{}", zeros(600_000))), "elements"),
        (in_run(format!("\"later\":\"{}\"", "x".repeat(2 << 20))), "longer than 1 MiB"),
        (in_run(format!("\"notes\":[{}\"\"]", "\"\",".repeat(5_000))), "5001 notes"),
    ] {
        let sandbox = sandbox_with_file("a.json", &content);
        let cost = cost_of(&sandbox, &["import", "a.json"]);
        check(cost, what);
        let told = sandbox.read("stderr");
        println!("  {:.1} MB: {cost:?}: {}", content.len() as f64 / 1e6, told.lines().next().unwrap_or_default());
        if !what.is_empty() {
            assert_eq!(cost.status, 2, "{what}: {told}");
            assert!(told.contains(what), "{what}: {told}");
        }
    }
}

/// No text of a document may control a terminal, mark up a page or start a formula.
#[test]
fn every_output_escapes_every_text_of_a_document() {
    const HOSTILE: &str = r"=\u001b]0;owned\u0007\u009b2J\u202e|<script>`";
    // Each question mark is replaced by the hostile text.
    const DETAILS: &str = r#","jdk":"?","flags":"?","server":"?","server_machine":"?","through":"?""#;
    const RUN: &str = r#","label":"?","started":"?","kasoku":"?","command":"?","notes":["?"],
        "libraries":[{"library":"?","version":"?","cpu_features":"?","loaded_from":"?"}],
        "omissions":[{"level":"tls","library":"?","algorithm":"?","why":"?","install":"?"}],
        "method":{"core_clock":"?","noise_floor_library":"?","noise_floors":{"?":0.1},
                  "limits":[{"name":"?","value":"?","published":"?"}]}"#;
    const MACHINE: &str = r#"{"cpu":"?","arch":"?","kernel":"?","os":"?","hypervisor":"?","governor":"?",
        "features":["?"]"#;
    const FAILED: &str = r#""outcome":{"failed":"?"},"note":"failed: ?""#;
    let one = |level, operation, algorithm, bytes, details: &str| One {
        level,
        task: (operation, algorithm),
        bytes,
        library: "?".to_owned(),
        samples: samples(30),
        details: format!("{DETAILS}{details}"),
        ..One::default()
    };
    let sizes = (4..24).map(|power| one("primitives", "seal", "aes-128-gcm", 1 << power, ""));
    let series = sizes.chain([
        one("packets", "protect", "aes-128-gcm", 1440, r#","batch":1,"setup":true"#),
        one("files", "seal", "aes-128-gcm", 9, r#","storage":"file""#),
        one("tls", "serve", "aes128-sha", 9, r#","workers":1"#),
        one("packets", "transfer", "aes-128-gcm", 9, r#","transport":"quic""#),
        one("jvm", "seal", "aes-128-gcm", 9, ""),
    ]);
    let text = document(RUN, series)
        .replace(r#""code_path":"x""#, r#""code_path":"?""#)
        .replace(r#""library_version":"1""#, r#""library_version":"?""#)
        .replace(r#"{"cpu":"c""#, MACHINE)
        .replacen(r#""outcome":"measured","note":null"#, FAILED, 3)
        .replace('?', HOSTILE);
    let sandbox = sandbox_with_file("a.json", &text);
    let origin = r#","origin":{"kind":"transcript","source":"?","address":"?","note":"?"}},"machine""#;
    let quoted =
        text.replacen("},\"machine\"", &origin.replace('?', HOSTILE), 1).replace("\"id\":\"r\"", "\"id\":\"q\"");
    fs::write(sandbox.path("b.json"), quoted).unwrap();
    let forms = ["table", "json", "csv", "markdown"];
    let once = "import a.json --name a --name b;import a.json;import a.json;import b.json;report r;report r --lang ja";
    let in_forms = "runs;show r;rank aes-128-gcm --library any;history aes-128-gcm --machine owned;steps r --all;\
                    advise r;compare r r --all;compare r r --all --lang ja";
    let mut commands: Vec<Vec<&str>> = once.split(';').map(|command| command.split(' ').collect()).collect();
    for command in in_forms.split(';') {
        commands.extend(forms.map(|form| command.split(' ').chain(["--format", form]).collect()));
    }
    for arguments in commands {
        let output = sandbox.kasoku(&arguments);
        let page = fs::read(sandbox.path("kasoku-r.html")).unwrap_or_default();
        for said in [&output.stdout, &output.stderr, &page] {
            let said = String::from_utf8_lossy(said);
            let is_bad = |character: &char| character.is_control() && *character != '\n' || *character == '\u{202e}';
            assert_eq!(said.chars().find(is_bad), None, "{arguments:?}: {said}");
            assert!(!arguments.contains(&"markdown") || !said.contains("<script"), "{arguments:?}: {said}");
            let mut cells = said.split([',', '\n']).map(|cell| cell.trim_matches('"'));
            assert!(!arguments.contains(&"csv") || !cells.any(|cell| cell.starts_with('=')), "{arguments:?}: {said}");
        }
        assert!(!String::from_utf8_lossy(&page).contains("<script"), "{arguments:?}");
    }
}
