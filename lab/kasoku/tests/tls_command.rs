//! `kasoku run tls` as a user meets it, with a real nginx: what it measures and proves, what it leaves, and what
//! happens when things go wrong.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use serde_json::{Value, json};
use support::{Sandbox, error_of, has, provider, series, wait_until};

fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Tests that compare what was measured need the cores for themselves, as far as this program has them.
static CORES: RwLock<()> = RwLock::new(());

/// A sandbox with a folder for the server's files, and the cores, together with other tests.
struct ServerSandbox {
    sandbox: Sandbox,
    place: PathBuf,
    _cores: RwLockReadGuard<'static, ()>,
}

impl ServerSandbox {
    /// Returns `None` where nginx or openssl is missing.
    fn new() -> Option<ServerSandbox> {
        let cores = CORES.read().unwrap_or_else(PoisonError::into_inner);
        let sandbox = Sandbox::new();
        let place = sandbox.open_folder("place");
        has(&["nginx", "openssl"]).then_some(ServerSandbox { sandbox, place, _cores: cores })
    }

    /// Runs the level to its end.
    fn run(&self, arguments: &str) -> (Output, Value) {
        run(&self.sandbox, &self.place, arguments)
    }

    /// Returns the arguments of `kasoku run tls` in the folder.
    fn arguments<'a>(&'a self, arguments: &'a str) -> Vec<&'a str> {
        let mut all = vec!["run", "tls", "--dir", self.place.to_str().unwrap()];
        all.extend(arguments.split_whitespace());
        all
    }

    /// Returns the last run as the store has it.
    fn shown(&self) -> Value {
        let shown = self.sandbox.kasoku(&["show", "last", "--format", "json"]);
        serde_json::from_slice(&shown.stdout).unwrap_or_default()
    }

    /// Returns the document that a run wrote.
    fn document(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.sandbox.path("out.json")).unwrap()).unwrap()
    }

    /// Returns processes whose command line names the folder.
    fn processes(&self) -> Vec<String> {
        let folder = self.place.to_str().unwrap();
        let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let lines = entries.filter_map(|entry| {
            let number: u32 = entry.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            Some(format!("{number} {}", String::from_utf8_lossy(&line).replace('\0', " ")))
        });
        lines.filter(|line| line.contains(folder)).collect()
    }

    fn wait_until_nothing_is_left(&self) {
        wait_until("nothing is left", || names(&self.place).is_empty() && self.processes().is_empty());
    }
}

fn run(sandbox: &Sandbox, place: &Path, arguments: &str) -> (Output, Value) {
    let mut all = vec!["--dir", place.to_str().unwrap()];
    all.extend(arguments.split_whitespace());
    sandbox.run_level("tls", &all)
}

#[test]
fn a_server_is_measured_proven_and_gone() {
    let Some(server) = ServerSandbox::new() else { return };
    let ServerSandbox { sandbox, place, .. } = &server;
    let (output, document) =
        server.run("--libraries openssl --sizes 1M,300000 --workers 1,2 --rounds 2 --duration 0.1");
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    assert_eq!((names(place), server.processes()), (Vec::new(), Vec::new()));
    assert_eq!(document["run"]["complete"], true);

    let all = series(&document, "openssl");
    assert_eq!(all.len(), 5 * 2 * 2, "five suites, two sizes, two numbers of workers");
    for one in all {
        assert_eq!(
            (&one["level"], &one["operation"], &one["unit"]),
            (&"tls".into(), &"serve".into(), &"bytes/s".into())
        );
        assert_eq!((&one["outcome"], &one["note"]), (&"measured".into(), &Value::Null), "{one}");
        assert!(one["median"].as_f64().unwrap() > 1e6, "{one}");
        let parameter = |name: &str| one["details"][name].as_f64().unwrap_or_else(|| panic!("no {name}: {one}"));
        assert!(parameter("concurrency") >= parameter("workers"));
        let worst = parameter("worst_latency_s");
        assert!(worst > 0.0 && worst <= 2.0 && parameter("worst_request_s") >= worst, "{one}");
        assert!(parameter("connection_p50_s") <= parameter("connection_p99_s"));
        assert!(parameter("server_cpu") > 0.01 && parameter("server_cpu") <= 1.2, "{one}");
        assert!(parameter("server_cpu_max") >= parameter("server_cpu") && parameter("client_cpu") > 0.0);
        assert_eq!(parameter("hosts"), 1.0);
        let bottlenecks = ["server-cpu", "client-cpu", "shared-cpu", "memory", "neither"];
        assert!(bottlenecks.contains(&one["details"]["bottleneck"].as_str().unwrap()));
        for sample in one["samples"].as_array().unwrap() {
            assert!(sample["iterations"].as_u64().unwrap() >= 1 && sample["cpu_ns"].as_u64().unwrap() > 0);
        }
    }
    let limits = document["run"]["method"]["limits"].as_array().unwrap();
    assert!(limits.iter().any(|limit| limit["name"] == "nofile" && limit["published"] == "150000 180000"));
    let notes = document["run"]["notes"].to_string();
    assert!(
        notes.contains("the first system limit to be reached") && notes.contains("code paths are unknown"),
        "{notes}"
    );

    assert_eq!(server.shown()["series"], document["series"], "what is stored is what was written");
    let summary = String::from_utf8(output.stdout).unwrap();
    assert!(
        summary.contains("Web server: throughput in Gbit/s") && summary.contains("times the throughput"),
        "{summary}"
    );
    for (language, texts) in [("en", ["Web server", "a core"]), ("ja", ["Webサーバー", "コアあたり"])] {
        let output = sandbox.kasoku(&["--lang", language, "report", "last", "--out", "page.html"]);
        assert!(output.status.success(), "{}", error_of(&output));
        let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
        assert!(page.contains(texts[0]) && page.contains(texts[1]), "{language}");
        assert!(page.contains("150000 180000") && page.contains("AES128-GCM-SHA256"));
    }
}

#[test]
fn a_run_that_was_killed_is_gone_on_with() {
    let Some(server) = ServerSandbox::new() else { return };
    let sandbox = &server.sandbox;
    let arguments = server.arguments(
        "--algorithms aes128-gcm-sha256,aes128-sha --libraries openssl --workers 1 --sizes 300000,1M --duration 0.3 \
         --rounds 4 --concurrency 2",
    );
    let mut child = server.sandbox.start(&arguments);
    let of_size = |document: &Value, bytes: u64| -> Vec<Value> {
        let series = document["series"].as_array().cloned().unwrap_or_default();
        series.into_iter().filter(|one| one["bytes"] == bytes).collect()
    };
    let samples = |one: &Value| one["samples"].as_array().unwrap().clone();
    wait_until("it measures", || of_size(&server.shown(), 1 << 20).iter().any(|one| !samples(one).is_empty()));
    assert!(child.try_wait().unwrap().is_none(), "it should still be measuring");
    child.kill().unwrap();
    child.wait().unwrap();
    let before = server.shown();
    assert_eq!(before["run"]["complete"], false);
    server.wait_until_nothing_is_left();

    let other = sandbox.kasoku(&["run", "tls", "--libraries", "openssl", "--resume", "last"]);
    assert!(other.status.code() == Some(2) && error_of(&other).contains("repeat the same arguments"));

    let resumed = sandbox.command(&arguments).args(["--resume", "last", "--json", "out.json"]).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", error_of(&resumed));
    assert!(error_of(&resumed).contains("resuming"), "{}", error_of(&resumed));
    let document = server.document();
    assert_eq!(document["run"]["complete"], true);
    assert!(document["run"]["notes"].to_string().contains("was interrupted and resumed"));
    // The size that was over is as it was, with all that was seen of it; the other has nothing from before.
    let (kept, known) = (of_size(&document, 300_000), of_size(&before, 300_000));
    assert_eq!((kept.len(), known.len()), (2, 2));
    for (one, before) in kept.iter().zip(&known) {
        assert_eq!((&one["samples"], &one["details"]), (&before["samples"], &before["details"]));
        assert!(one["details"]["worst_latency_s"].as_f64().unwrap() > 0.0 && one["median"].as_f64().unwrap() > 0.0);
    }
    let (anew, interrupted) = (of_size(&document, 1 << 20), of_size(&before, 1 << 20));
    assert_eq!(anew.len(), 2);
    for one in &anew {
        assert!(samples(one).iter().all(|sample| !interrupted.iter().any(|before| samples(before).contains(sample))));
    }
    for one in kept.iter().chain(&anew) {
        assert_eq!(one["outcome"], "measured", "{one}");
        let mut rounds: Vec<u64> = samples(one).iter().map(|sample| sample["round"].as_u64().unwrap()).collect();
        rounds.sort_unstable();
        assert_eq!(rounds, [0, 1, 2, 3], "{one}");
    }
    assert_eq!(server.shown()["series"], document["series"], "what is stored is what was written");
    let again = sandbox.command(&arguments).args(["--resume", "last"]).output().unwrap();
    assert!(again.status.code() == Some(2) && error_of(&again).contains("is complete"), "{}", error_of(&again));
}

#[test]
fn a_client_that_is_killed_costs_a_step_and_no_series() {
    let Some(server) = ServerSandbox::new() else { return };
    let mut run = server.sandbox.start(&server.arguments(
        "--algorithms aes128-sha --libraries openssl --workers 1 --sizes 1M --duration 1 --rounds 4 --concurrency 2 \
         --json out.json",
    ));
    let samples = |document: &Value| document["series"][0]["samples"].as_array().map_or(0, Vec::len);
    wait_until("it measures", || samples(&server.shown()) > 0);
    let line = |process: u32| std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let is_client = |process: &u32| line(*process).contains("tls-client");
    let client = kasoku_measure::tls::children_of(run.id()).into_iter().find(is_client).unwrap();
    assert!(Command::new("kill").args(["-9", &client.to_string()]).status().unwrap().success());
    assert!(run.wait().unwrap().success());
    let document = server.document();
    let one = &document["series"][0];
    assert_eq!((&one["outcome"], samples(&document)), (&"measured".into(), 4), "{one}");
}

/// `kasoku host` with a web server that has no AES instructions and serves files of 16 MiB.
struct ServingHost {
    child: std::process::Child,
    lines: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
    /// The core of the server's worker, and another one.
    cores: [u64; 2],
    url: String,
}

impl ServingHost {
    const BYTES: u64 = 16 << 20;

    fn start(sandbox: &Sandbox, dir: &Path) -> ServingHost {
        let mut command = sandbox.command(&["host"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        let mut host = ServingHost { child, lines, cores: [0; 2], url: String::new() };
        let cores = host.answer()["hello"]["cores"].clone();
        host.cores = [0, 1].map(|index| cores[index].as_u64().unwrap());
        let addresses = ["127.0.0.1"];
        let order =
            json!({"addresses": addresses, "workers": [1], "acceleration": ["off"], "module": null, "dir": dir});
        let serving = host.ask(&json!({ "serve": order }));
        let ports = serving["done"]["servers"][0][1].as_array().unwrap();
        let port = &ports.iter().find(|suite| suite[0] == "aes128-gcm-sha256").unwrap()[1];
        host.ask(&json!({ "make-file": ServingHost::BYTES }));
        host.url = format!("https://127.0.0.1:{port}/{}", ServingHost::BYTES);
        host
    }

    fn answer(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{request}").unwrap();
        self.answer()
    }

    /// Returns the CPU seconds of the server and of ApacheBench for 10⁹ bytes that `ab` fetched.
    fn seconds_with_ab(&mut self) -> (f64, f64) {
        const FILES: u64 = 24;
        self.ask(&json!({"watch": {"library": "openssl", "acceleration": "off", "workers": 1}}));
        let ab = format!(
            "TIMEFORMAT='%U %S'; time taskset -c {} ab -q -s 60 -n {FILES} -c 4 -Z AES128-GCM-SHA256 -f TLS1.2 {}",
            self.cores[1], self.url
        );
        let output = Command::new("bash").args(["-c", &ab]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let fetched = format!("Complete requests:      {FILES}\nFailed requests:        0");
        assert!(output.status.success() && text.contains(&fetched), "{text}{}", error_of(&output));
        let used = self.ask(&json!("report-use"));
        let gigabytes = (FILES * ServingHost::BYTES) as f64 / 1e9;
        let server = used["done"]["workers"]["cpu_ns"].as_f64().unwrap() * 1e-9 / gigabytes;
        let times = error_of(&output);
        let seconds = times.lines().last().unwrap().split(' ').map(|time| time.parse::<f64>().unwrap()).sum::<f64>();
        (server, seconds / gigabytes)
    }
}

impl Drop for ServingHost {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// ApacheBench decrypts what it fetches, and Kasoku's client does not; the server's work is the same.
#[test]
fn server_seconds_agree_with_those_under_apache_bench() {
    let _cores = CORES.write().unwrap_or_else(PoisonError::into_inner);
    if !has(&["nginx", "openssl", "ab", "taskset"]) || std::thread::available_parallelism().unwrap().get() < 2 {
        return;
    }
    let sandbox = Sandbox::new();
    let place = sandbox.open_folder("place");
    let own = || {
        let arguments = "--libraries openssl --acceleration off --algorithms aes128-gcm-sha256 --sizes 16M --workers 1 \
                         --concurrency 4 --duration 1 --rounds 3 --max-latency 60";
        let (output, document) = run(&sandbox, &place, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
        let parameter = |name: &str| document["series"][0]["details"][name].as_f64().unwrap();
        (parameter("server_cpu_s_per_gb"), parameter("client_cpu_s_per_gb"))
    };
    let mut host = ServingHost::start(&sandbox, &place);
    let least = |one: (f64, f64), other: (f64, f64)| if other.0 < one.0 { other } else { one };
    // Where both cores are threads of one, a client that works slows the server down by at most the client's time.
    let agree = |own: (f64, f64), ab: (f64, f64)| (0.8 * (ab.0 - ab.1)..1.25 * ab.0).contains(&own.0);
    let is_cheap = |own: (f64, f64), ab: (f64, f64)| own.1 < ab.1 / 3.0;
    let (mut with_own, mut with_ab) = (own(), host.seconds_with_ab());
    // The least of several counts: other work on this machine makes a time longer and never shorter.
    for _ in 0..5 {
        if agree(with_own, with_ab) && is_cheap(with_own, with_ab) {
            break;
        }
        (with_own, with_ab) = (least(with_own, own()), least(with_ab, host.seconds_with_ab()));
    }
    assert!(agree(with_own, with_ab), "seconds of server and client for 10⁹ bytes: {with_own:?}, {with_ab:?}");
    assert!(is_cheap(with_own, with_ab), "seconds of the server and the client: {with_own:?}, {with_ab:?}");
}

#[test]
fn a_limit_that_nobody_can_meet_is_left_out_and_said() {
    let Some(server) = ServerSandbox::new() else { return };
    let (output, document) = server.run(
        "--libraries openssl --algorithms aes128-sha --sizes 64M,1024G --workers 1 --latency-of request \
         --max-latency 0.01 --rounds 2 --duration 0.1",
    );
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let omissions = document["run"]["omissions"].to_string();
    assert!(omissions.contains("a request takes longer than 0.01 s"), "{omissions}");
    assert!(omissions.contains("files of 1024 GiB do not fit"), "{omissions}");
    assert_eq!(names(&server.place), [""; 0]);
}

#[test]
fn what_is_missing_is_named_with_what_brings_it() {
    let sandbox = Sandbox::new();
    let without =
        sandbox.command(&["run", "tls", "--quick", "--list"]).env("PATH", sandbox.path("nothing")).output().unwrap();
    assert_eq!(without.status.code(), Some(2));
    assert!(error_of(&without).contains("nginx is not in PATH"), "{}", error_of(&without));
    // Beside other levels it is only left out.
    let others = sandbox.command(&["run", "--quick", "--list"]).env("PATH", sandbox.path("nothing")).output().unwrap();
    let listed = String::from_utf8_lossy(&others.stdout).into_owned();
    assert!(others.status.success() && listed.contains("not available: tls: nginx is not in PATH"), "{listed}");
    assert!(listed.contains("apt install nginx"), "{listed}");
}

#[test]
fn modules_that_are_no_provider_are_refused() {
    let Some(server) = ServerSandbox::new() else { return };
    let sandbox = &server.sandbox;
    // A file that is no library ends it before it measures.
    let module = sandbox.path("kasoku.so");
    std::fs::write(&module, "no library").unwrap();
    let refused = sandbox.kasoku(&["run", "tls", "--list", "--module", "kasoku.so"]);
    assert_eq!(refused.status.code(), Some(2), "{}", error_of(&refused));
    assert!(error_of(&refused).contains("--module kasoku.so: cannot be loaded: "), "{}", error_of(&refused));
    // A library that is no provider: OpenSSL passes it over in silence, and the laboratory does not.
    let libraries: Value = serde_json::from_slice(&sandbox.kasoku(&["libraries", "--format", "json"]).stdout).unwrap();
    let Some(libcrypto) = libraries[0]["loaded_from"].as_str() else { return };
    std::fs::copy(libcrypto, &module).unwrap();
    let (output, document) = server.run(&format!(
        "--algorithms tls_aes_128_gcm_sha256 --sizes 300000 --workers 1 --module {} --rounds 2 --duration 0.1",
        module.display()
    ));
    assert_eq!(output.status.code(), Some(1), "{}", error_of(&output));
    let (ours, theirs) = (series(&document, "kasoku"), series(&document, "openssl"));
    assert!(ours.len() == 1 && theirs.len() == 1 && theirs[0]["outcome"] == "measured", "{document}");
    let note = ours[0]["note"].as_str().unwrap();
    assert!(note.contains("did not load") && note.contains("openssl list -providers"), "{note}");
}

#[test]
fn leftovers_of_the_dead_are_removed_and_told() {
    let sandbox = Sandbox::new();
    let place = sandbox.open_folder("place");
    let left = place.join("kasoku-tls-4999999-17");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("rsa.key"), b"key").unwrap();
    let output = sandbox.kasoku(&["run", "tls", "--quick", "--list", "--dir", place.to_str().unwrap()]);
    assert!(error_of(&output).contains("removed") && error_of(&output).contains("kasoku-tls-4999999-17"));
    assert_eq!(names(&place), [""; 0]);
}

#[test]
fn wrong_usage_is_said_before_anything_is_measured() {
    let sandbox = Sandbox::new();
    for (arguments, says) in [
        ("tls --module nowhere.so", "no such file"),
        ("tls --workers 0", "the number of workers must be from 1"),
        ("tls --max-latency never", "a duration must be from 0.01"),
        ("tls --concurrency 1000000", "the number of connections must be from 1"),
        ("tls --latency-of handshake", "of a connection or of a request"),
        ("tls --dir nowhere", "no such folder"),
        ("tls --algorithms aes-128-gcm", "measured with cipher suites"),
        ("tls --libraries ring", "the libraries openssl and kasoku"),
        ("primitives --workers 1", "--workers is for the level tls"),
        ("primitives --dir .", "--dir is for the levels files and tls"),
    ] {
        let output = sandbox.kasoku(&[&["run"], &arguments.split(' ').collect::<Vec<_>>()[..]].concat());
        let error = error_of(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
        assert!(error.contains(says), "{arguments}: {error}");
    }
}

#[test]
fn a_configuration_is_printed_for_a_module_that_is_there() {
    let Some(provider) = provider() else { return };
    let sandbox = Sandbox::new();
    let module = sandbox.path("kasoku.so");
    std::fs::copy(provider, &module).unwrap();
    let output = sandbox.kasoku(&["openssl-conf", "--module", module.to_str().unwrap(), "--counter", "count"]);
    assert!(output.status.success(), "{}", error_of(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let module = module.canonicalize().unwrap();
    assert!(text.contains(&format!("module = {}\n", module.display())) && text.contains("counter = /"), "{text}");
    let missing = sandbox.kasoku(&["openssl-conf", "--module", "nowhere.so"]);
    assert!(missing.status.code() == Some(2) && error_of(&missing).contains("nowhere.so"));
}

#[test]
fn openssl_conf_brings_the_provider_into_node() {
    let Some(provider) = provider().filter(|_| has(&["node"])) else { return };
    let sandbox = Sandbox::new();
    let counter = sandbox.path("counter");
    let arguments = ["openssl-conf", "--module", provider.to_str().unwrap(), "--counter", counter.to_str().unwrap()];
    std::fs::write(sandbox.path("openssl.cnf"), sandbox.text(&arguments)).unwrap();
    let script = "require('crypto').createCipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)).update('a')";
    let output = Command::new("node").args(["-e", script]).env("OPENSSL_CONF", sandbox.path("openssl.cnf")).output();
    assert!(output.as_ref().is_ok_and(|output| output.status.success()), "{output:?}");
    let count = kasoku_libraries::openssl_provider::Count::read(&counter);
    assert!(count.is_some_and(|count| count.operations == 1), "{count:?}");
}

#[test]
fn a_process_without_the_provider_is_seen_not_to_use_it() {
    let sandbox = Sandbox::new();
    let own = std::process::id().to_string();
    let output = sandbox.kasoku(&["libraries", "--program", &own]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("does not use Kasoku"));
    let nobody = sandbox.kasoku(&["libraries", "--program", "4999999"]);
    assert!(nobody.status.code() == Some(2) && error_of(&nobody).contains("no such process: 4999999"));
}

/// What `kasoku libraries --program` says of a running process, once it says `wanted`: the provider is loaded before it
/// opens its counter.
fn told_of(sandbox: &Sandbox, process: &Child, wanted: &str) -> String {
    let mut told = String::new();
    wait_until(wanted, || {
        let output = sandbox.kasoku(&["libraries", "--program", &process.id().to_string()]);
        told = String::from_utf8(output.stdout).unwrap();
        told.contains(wanted)
    });
    told
}

/// Ends a process that waits for its input to end.
fn ended(mut process: Child) {
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
}

#[test]
fn the_counter_of_a_running_program_is_told_and_what_is_wrong_with_it() {
    if provider().is_none() || !has(&["openssl"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let counter = sandbox.path("counter");
    for (path, says) in [
        (None, "no counter is configured"),
        (counter.to_str(), "0 operations on 0 bytes in 0 contexts"),
        (Some("/nowhere/counter"), "its counter failed: /nowhere/counter: cannot be opened: No such file"),
    ] {
        let named: Vec<&str> = path.iter().flat_map(|path| ["--counter", path]).collect();
        let output = sandbox.kasoku(&[&["openssl-conf"], &named[..]].concat());
        std::fs::write(sandbox.path("openssl.cnf"), output.stdout).unwrap();
        let mut program = Command::new("openssl");
        program.args(["dgst", "-sha256"]).env("OPENSSL_CONF", sandbox.path("openssl.cnf"));
        let process = program.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        told_of(&sandbox, &process, says);
        ended(process);
    }
}

/// A process chooses its own name and what it maps.
#[test]
fn names_of_another_process_cannot_reach_the_terminal() {
    if !has(&["python3"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.path("\u{1b}]0;owned\u{7}\u{1b}[31mred");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("kasoku.so"), [0; 4096]).unwrap();
    let script = "import mmap, os, sys; open('/proc/self/comm', 'w').write('\\x1b[32mgreen')\n\
                  module = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 4096, prot=mmap.PROT_READ)\n\
                  named = os.memfd_create('kasoku-counter: \\x1b[33myellow'); os.ftruncate(named, 4096)\n\
                  trouble = mmap.mmap(named, 4096); sys.stdin.read()";
    let mut program = Command::new("python3");
    program.args(["-I", "-c", script]).arg(folder.join("kasoku.so"));
    let process = program.stdin(Stdio::piped()).spawn().unwrap();
    let told = told_of(&sandbox, &process, "yellow");
    for shown in ["\\u{1b}[32mgreen", "\\u{1b}]0;owned\\u{7}\\u{1b}[31mred/kasoku.so", "\\u{1b}[33myellow"] {
        assert!(told.contains(shown), "{told:?}");
    }
    assert!(!told.trim_end().contains(char::is_control), "{told:?}");
    ended(process);
}

/// A service that names a module in a build folder goes silently without when that is cleaned.
#[test]
fn a_module_in_a_build_folder_is_warned_of() {
    let Some(provider) = provider() else { return };
    let sandbox = Sandbox::new();
    let built = sandbox.path("target/release");
    std::fs::create_dir_all(&built).unwrap();
    let module = built.join("libkasoku_openssl.so");
    std::fs::copy(provider, &module).unwrap();
    let configured = || sandbox.kasoku(&["openssl-conf", "--module", module.to_str().unwrap()]);
    assert_eq!(error_of(&configured()), "");
    std::fs::write(sandbox.path("target/CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55").unwrap();
    let output = configured();
    assert!(output.status.success() && String::from_utf8(output.stdout.clone()).unwrap().contains("module = "));
    let warning = error_of(&output);
    assert!(warning.contains("is in a build folder") && warning.contains("openssl-provider/install.sh"), "{warning}");
}

#[test]
fn with_the_provider_both_are_measured_and_its_use_is_proven() {
    let Some(server) = ServerSandbox::new().filter(|_| provider().is_some()) else { return };
    let sandbox = &server.sandbox;
    let (output, document) = server
        .run("--algorithms aes128-gcm-sha256,tls_aes_256_gcm_sha384 --sizes 1M --workers 1 --rounds 2 --duration 0.1");
    assert_eq!(output.status.code(), Some(0), "{}\n{}", error_of(&output), document["series"]);
    assert_eq!((series(&document, "openssl").len(), series(&document, "kasoku").len()), (2, 2));
    for one in series(&document, "kasoku") {
        assert_eq!((&one["outcome"], &one["note"]), (&"measured".into(), &Value::Null), "{one}");
        let share = one["details"]["provider_share"].as_f64().unwrap();
        assert!((0.9..1.3).contains(&share), "{one}");
    }
    let used = sandbox.kasoku(&["libraries", "--program", "openssl", "speed", "-seconds", "1", "-evp", "aes-128-gcm"]);
    assert!(used.status.success() && error_of(&used).contains("used Kasoku: "), "{}", error_of(&used));
    let unused = sandbox.kasoku(&["libraries", "--program", "openssl", "version"]);
    assert_eq!(unused.status.code(), Some(1), "{}", error_of(&unused));
}
