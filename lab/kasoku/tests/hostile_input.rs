//! Documents and transcripts that somebody else made to be as much work as they can: what is done with
//! them takes time and memory in proportion to their size, and what is larger than the bounds is refused.
//!
//! Time is CPU time of the command. A neighbour on the core's other hardware thread stretches that too, for seconds: so
//! the two sizes run one after the other, and the median of several such pairs counts.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What doubling the input may multiply the time by.
const GROWTH: f64 = 2.3;
/// Pairs until a growth beyond that is believed.
const TRIES: usize = 15;
/// The most memory that anything takes, in bytes.
const MEMORY: u64 = 500 << 20;
/// The most CPU time that anything takes of the largest input: what is to take five seconds has six times as many here,
/// since the code may be hardly optimised and the machine old.
const SECONDS: f64 = 30.0;

/// What a command took.
#[derive(Clone, Copy, Debug)]
struct Cost {
    seconds: f64,
    memory: u64,
    status: i32,
}

/// Runs `kasoku` with a store of its own in `folder`.
#[allow(clippy::zombie_processes)] // it is waited for by wait4
fn kasoku(folder: &Path, arguments: &[&str]) -> Cost {
    let child = Command::new(env!("CARGO_BIN_EXE_kasoku"))
        .arg("--store")
        .arg(folder.join("store.sqlite"))
        .args(arguments)
        .current_dir(folder)
        .env("LANG", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(folder.join("stderr")).unwrap())
        .spawn()
        .unwrap();
    let id = child.id().cast_signed();
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    let mut memory = 0;
    loop {
        // The peak that the system tells at the end includes that of this process, from which the other one began.
        memory = peak(id).unwrap_or(memory);
        // SAFETY: both places are written by the call and live until after it; nobody else waits for the child.
        #[allow(unsafe_code)]
        let waited = unsafe { libc::wait4(id, &mut status, libc::WNOHANG, usage.as_mut_ptr()) };
        if waited != 0 {
            assert_eq!(waited, id);
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // SAFETY: zeros are a value of it, and the call has written another.
    #[allow(unsafe_code)]
    let usage = unsafe { usage.assume_init() };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Cost {
        seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        memory,
        status: if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { -1 },
    }
}

/// The most memory that a process has had so far, in bytes.
fn peak(id: i32) -> Option<u64> {
    let told = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

fn told(folder: &Path) -> String {
    fs::read_to_string(folder.join("stderr")).unwrap()
}

/// A folder with a file in it, and with that file imported if that is wanted.
fn folder(name: &str, content: &str, is_stored: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    if is_stored {
        let cost = kasoku(folder.path(), &["import", name]);
        println!("  import of {:.1} MB: {cost:?}", content.len() as f64 / 1e6);
        assert_eq!(cost.status, 0, "{}", told(folder.path()));
        check(cost, "import");
    }
    folder
}

fn check(cost: Cost, what: &str) {
    assert!(cost.memory <= MEMORY, "{what}: {} MB", cost.memory >> 20);
    assert!(cost.seconds <= SECONDS, "{what}: {} s", cost.seconds);
}

/// Checks that `arguments` take at most [`GROWTH`] times as long of the second folder as of the first, and as much
/// memory; and of the second no more than anything may.
fn check_growth(folders: [&Path; 2], arguments: &[&str], prepare: impl Fn(&Path)) {
    let cost = |folder| {
        prepare(folder);
        let cost = kasoku(folder, arguments);
        // 1 says that something was left out, or is worse.
        assert!((0..=1).contains(&cost.status), "{arguments:?}: {}", told(folder));
        cost
    };
    let mut pairs = Vec::new();
    // What a process had last may be seen too early, or not at all: the most of several.
    let most = |pairs: &[[Cost; 2]]| [0, 1].map(|size| pairs.iter().map(|pair| pair[size].memory).max().unwrap_or(0));
    let is_more = |[small, large]: [u64; 2]| large as f64 > GROWTH * small as f64;
    while pairs.len() < TRIES && (pairs.is_empty() || growth(&pairs) > GROWTH || is_more(most(&pairs))) {
        pairs.push(folders.map(cost));
    }
    let (least, memory) = (least(&pairs), most(&pairs));
    println!("  {arguments:?}: {least:.3?} s, {} MB, {} MB", memory[0] >> 20, memory[1] >> 20);
    check(Cost { seconds: least[1], memory: memory[1], status: 0 }, &arguments.join(" "));
    assert!(growth(&pairs) <= GROWTH, "{arguments:?}: {pairs:?}");
    assert!(!is_more(memory), "{arguments:?}: {memory:?} bytes");
}

/// How many times as long the larger input takes: by the median of the pairs, or by the least of either size if that is
/// less. What takes the square of the time is beyond by both; what else is done on the machine, seldom.
fn growth(pairs: &[[Cost; 2]]) -> f64 {
    let mut growths: Vec<f64> = pairs.iter().map(|[small, large]| large.seconds / small.seconds).collect();
    growths.sort_by(f64::total_cmp);
    let [small, large] = least(pairs);
    growths[growths.len() / 2].min(large / small)
}

/// The least seconds of either size.
fn least(pairs: &[[Cost; 2]]) -> [f64; 2] {
    [0, 1].map(|size| pairs.iter().map(|pair| pair[size].seconds).fold(f64::MAX, f64::min))
}

/// The same of a file that is imported, into a new store each time.
fn check_growth_of_import(name: &str, contents: [String; 2]) {
    let folders = contents.map(|content| folder(name, &content, false));
    check_growth([folders[0].path(), folders[1].path()], &["import", name], |folder| {
        for suffix in ["", "-wal", "-shm"] {
            _ = fs::remove_file(folder.join(format!("store.sqlite{suffix}")));
        }
    });
}

/// A series; the words that differ from shape to shape.
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

/// This many samples of rounds that rise, ten in a process where there are few.
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

/// `count` libraries, each with one signature at one of many sizes.
fn many_libraries_and_sizes(count: usize) -> String {
    let one = |number: usize| One {
        task: ("sign", "ed25519"),
        bytes: 1 + number % 128,
        library: format!("s{number}"),
        ..One::default()
    };
    document("", (0..count).map(one))
}

/// `libraries` libraries that did everything with acceleration on and off, at 16 sizes.
fn many_rows(libraries: usize, samples_each: usize) -> String {
    let drawn = samples(samples_each);
    let series = (0..libraries).flat_map(|library| {
        let drawn = drawn.clone();
        BULK.into_iter().flat_map(move |task| {
            let drawn = drawn.clone();
            (0..32).map(move |index| One {
                task,
                bytes: 16 << (index / 2),
                library: format!("s{library}"),
                state: STATES[index % 2],
                samples: drawn.clone(),
                ..One::default()
            })
        })
    });
    document("", series)
}

/// Sweeps of 128 sizes.
fn sweeps(count: usize, samples_each: usize) -> String {
    let drawn = samples(samples_each);
    let series = (0..count).flat_map(|library| {
        let drawn = drawn.clone();
        (0..128).map(move |index| One {
            bytes: 16 * (index + 1),
            library: format!("s{library}"),
            samples: drawn.clone(),
            ..One::default()
        })
    });
    document("", series)
}

/// Series with as many samples as there may be.
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

/// Packets of many libraries in many ways, beside limits, and web servers and data from end to end.
fn other_levels(libraries: usize) -> String {
    let drawn = samples(8);
    let packet = |library: usize, index: usize| One {
        level: "packets",
        task: [("protect", "aes-128-gcm"), ("unprotect", "aes-128-gcm")][index % 2],
        bytes: 1_000 + index / 2 % 16 * 100,
        library: if library.is_multiple_of(8) { format!("limit-{library}") } else { format!("s{library}") },
        samples: drawn.clone(),
        details: format!(",\"batch\":{},\"setup\":true", 1 << (index / 32)),
        ..One::default()
    };
    let packets = (0..libraries).flat_map(|library| (0..128).map(move |index| (library, index)));
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
    let series = packets.map(|(library, index)| packet(library, index));
    document("", series.chain((0..libraries * 5).map(served)).chain((0..libraries * 5).map(moved)))
}

/// A run with so many of each of its lists, beside one series.
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

/// A transcript of this many machines, and rows without the head of their table for each.
fn transcript(machines: usize) -> String {
    let mut text = String::new();
    for machine in 0..machines {
        _ = writeln!(text, "OpenSSL 3.0.{machine} 7 Feb 2023\ncompiler: gcc {}{machine}", "-O2 ".repeat(30));
        _ = writeln!(text, "type             16 bytes     64 bytes\naes-256-cbc     2{machine:04}0.02k   341556.71k");
    }
    // What is no line of openssl's ends the table.
    text.push_str("And now to something else.\n");
    for row in 0..machines * 40 {
        _ = writeln!(text, "aes-{row}-cbc     252170.02k   341556.71k");
    }
    text
}

/// Every command that reads a whole document, and what its largest forms may take.
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

/// Imports both documents, the second of which is twice the first and nearly the largest that is imported, and looks at
/// them in every way.
fn check_document(contents: [String; 2]) {
    let folders = contents.map(|content| folder("a.json", &content, true));
    for arguments in COMMANDS {
        check_growth([folders[0].path(), folders[1].path()], arguments, |_| {});
    }
}

#[test]
fn many_libraries_at_many_sizes() {
    check_document([500, 1000].map(many_libraries_and_sizes));
}

#[test]
fn many_rows_of_every_kind() {
    check_document([39, 78].map(|libraries| many_rows(libraries, 1)));
}

#[test]
fn many_samples_in_many_series() {
    check_document([20, 40].map(|libraries| many_rows(libraries, 31)));
}

#[test]
fn sweeps_of_many_sizes() {
    check_document([117, 234].map(|count| sweeps(count, 16)));
}

#[test]
fn long_series() {
    check_document([12, 24].map(few_long_series));
}

#[test]
fn packets_servers_and_transfers() {
    check_document([100, 200].map(other_levels));
}

#[test]
fn long_lists_of_a_run() {
    check_document([2_500, 5_000].map(long_lists));
}

#[test]
fn transcripts_of_many_machines() {
    check_growth_of_import("a.txt", [500, 1000].map(transcript));
}

/// What is larger than the bounds is refused with words and status 2, in little time and memory.
#[test]
fn what_is_too_much_is_refused() {
    let many = |count: usize, one: &dyn Fn(usize) -> One| document("", (0..count).map(one));
    let with = |details: String| document("", [One { details, ..One::default() }]);
    let zeros = |count: usize| format!("[{}0]", "0,".repeat(count));
    let unknown =
        document("", [One::default()]).replace("\"machine\":", &format!("\"later\":{},\"machine\":", zeros(400_000)));
    assert_eq!(kasoku(folder("a.json", &unknown, true).path(), &["show"]).status, 0, "what is unknown is passed over");
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
        (with(format!(",\"a\":{}", zeros(30_000))), ""),
        (with(format!(",\"a\":{}", zeros(450_000))), "details"),
        (with(format!(",\"a\":[{}]", vec!["{\"\":0}"; 400_000].join(","))), "details"),
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
        let folder = folder("a.json", &content, false);
        let cost = kasoku(folder.path(), &["import", "a.json"]);
        check(cost, what);
        let told = told(folder.path());
        println!("  {:.1} MB: {cost:?}: {}", content.len() as f64 / 1e6, told.lines().next().unwrap_or_default());
        if !what.is_empty() {
            assert_eq!(cost.status, 2, "{what}: {told}");
            assert!(told.contains(what), "{what}: {told}");
        }
    }
}

/// Whatever stands in a document, no output steers a terminal or marks up a page.
#[test]
fn every_word_of_a_document_is_escaped_wherever_it_is_told() {
    const HOSTILE: &str = r"=\u001b]0;owned\u0007\u009b2J\u202e|<script>`";
    let hostile = |details: &str, bytes: usize, one: One| One {
        bytes,
        library: HOSTILE.to_owned(),
        details: format!(
            ",\"jdk\":\"{HOSTILE}\",\"flags\":\"{HOSTILE}\",\"server\":\"{HOSTILE}\",\"server_machine\":\"{HOSTILE}\",\
             \"through\":\"{HOSTILE}\"{details}"
        ),
        samples: samples(30),
        ..one
    };
    let series = (4..24).map(|power| hostile("", 1 << power, One::default())).chain([
        hostile(
            ",\"batch\":1,\"setup\":true",
            1440,
            One { level: "packets", task: ("protect", "aes-128-gcm"), ..One::default() },
        ),
        hostile(",\"storage\":\"file\"", 9, One { level: "files", ..One::default() }),
        hostile(",\"workers\":1", 9, One { level: "tls", task: ("serve", "aes128-sha"), ..One::default() }),
        hostile(
            ",\"transport\":\"quic\"",
            9,
            One { level: "packets", task: ("transfer", "aes-128-gcm"), ..One::default() },
        ),
        hostile("", 9, One { level: "jvm", ..One::default() }),
    ]);
    let run = format!(
        ",\"label\":\"{HOSTILE}\",\
         \"started\":\"{HOSTILE}\",\"kasoku\":\"{HOSTILE}\",\"command\":\"{HOSTILE}\",\"notes\":[\"{HOSTILE}\"],\
         \"libraries\":[{{\"library\":\"{HOSTILE}\",\"version\":\"{HOSTILE}\",\"cpu_features\":\"{HOSTILE}\",\
         \"loaded_from\":\"{HOSTILE}\"}}],\"omissions\":[{{\"level\":\"tls\",\"library\":\"{HOSTILE}\",\
         \"algorithm\":\"{HOSTILE}\",\"why\":\"{HOSTILE}\",\"install\":\"{HOSTILE}\"}}],\
         \"method\":{{\"core_clock\":\"{HOSTILE}\",\"noise_floor_library\":\"{HOSTILE}\",\
         \"noise_floors\":{{\"{HOSTILE}\":0.1}},\"limits\":[{{\"name\":\"{HOSTILE}\",\"value\":\"{HOSTILE}\",\
         \"published\":\"{HOSTILE}\"}}]}}"
    );
    let machine = format!(
        "{{\"cpu\":\"{HOSTILE}\",\"arch\":\"{HOSTILE}\",\"kernel\":\"{HOSTILE}\",\"os\":\"{HOSTILE}\",\
         \"hypervisor\":\"{HOSTILE}\",\"governor\":\"{HOSTILE}\",\"features\":[\"{HOSTILE}\"]"
    );
    let words = [("\"code_path\":\"x\"", "code_path"), ("\"library_version\":\"1\"", "library_version")];
    let text = words
        .iter()
        .fold(document(&run, series), |text, (usual, name)| text.replace(usual, &format!("\"{name}\":\"{HOSTILE}\"")));
    let failed = format!("\"outcome\":{{\"failed\":\"{HOSTILE}\"}},\"note\":\"failed: {HOSTILE}\"");
    let text = text.replace("{\"cpu\":\"c\"", &machine).replacen("\"outcome\":\"measured\",\"note\":null", &failed, 3);
    let folder = folder("a.json", &text, false);
    let forms = ["table", "json", "csv", "markdown"];
    let once = "import a.json --name a --name b;import a.json;import a.json;report r;report r --lang ja";
    let in_forms = "runs;show r;rank aes-128-gcm --library any;history aes-128-gcm --machine owned;steps r --all;\
                    advise r;compare r r --all";
    let mut commands: Vec<Vec<&str>> = once.split(';').map(|command| command.split(' ').collect()).collect();
    for command in in_forms.split(';') {
        commands.extend(forms.map(|form| command.split(' ').chain(["--format", form]).collect()));
    }
    for arguments in commands {
        let output = Command::new(env!("CARGO_BIN_EXE_kasoku"))
            .arg("--store")
            .arg(folder.path().join("store.sqlite"))
            .args(&arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let page = fs::read(folder.path().join("kasoku-r.html")).unwrap_or_default();
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
