//! Several hosts: network namespaces on one machine, and a real mpirun over them. Needs root; everything that is made
//! has a name with this process's number in it, and goes with it however it ends.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use kasoku_model::histogram::Histogram;
use serde_json::Value;
use support::{Sandbox, error_of, find};

const PREFIX: &str = "kf";
const HOSTS: usize = 3;

/// One after the other: they measure on the same cores.
static TURN: Mutex<()> = Mutex::new(());

/// Three hosts and what connects them. Dropped, they are gone.
struct Hosts {
    guard: Child,
}

impl Hosts {
    /// `None`, with the reason told, where they cannot be had; in CI that fails.
    fn new() -> Option<Hosts> {
        let missing = ["ip", "unshare", "mpirun", "nginx"].iter().find(|program| find(program).is_none());
        let why = match missing {
            Some(program) => Some(format!("{program} is not here; see test.sh")),
            None => run("ip", &["netns", "add", &format!("{}hub", own())]).err(),
        };
        if let Some(why) = why {
            assert!(std::env::var("CI").unwrap_or_default().is_empty(), "{why}");
            eprintln!("not tested: {why}");
            return None;
        }
        sweep();
        // It outlives this process, if that is killed, and clears up.
        let script = format!("cat >/dev/null; {}", removal(&own()));
        let mut guard = Command::new("bash");
        let guard = std::os::unix::process::CommandExt::process_group(&mut guard, 0);
        let guard = guard.args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
        let hosts = Hosts { guard };
        let hub = format!("{}hub", own());
        let ip = |arguments: &str| run("ip", &arguments.split(' ').collect::<Vec<_>>()).unwrap();
        for host in 1..=HOSTS {
            ip(&format!("netns add {}", name(host)));
            ip(&format!("-n {} link set lo up", name(host)));
        }
        // Two networks, as of two network cards each.
        for network in 0..2 {
            ip(&format!("-n {hub} link add br{network} type bridge"));
            ip(&format!("-n {hub} link set br{network} up"));
            for host in 1..=HOSTS {
                let (here, there, name) = (format!("v{network}-{host}"), format!("eth{network}"), name(host));
                ip(&format!("-n {hub} link add {here} type veth peer name {there} netns {name}"));
                ip(&format!("-n {hub} link set {here} master br{network} up"));
                ip(&format!("-n {name} addr add {}/24 dev {there}", address(network, host)));
                ip(&format!("-n {name} link set {there} up"));
            }
        }
        Some(hosts)
    }

    /// A command on a host.
    fn on(&self, host: usize, script: &str) -> Command {
        let name = name(host);
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &name, "unshare", "-u", "bash", "-c", &format!("hostname {name}; {script}")]);
        command
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// What begins the names of this process's hosts.
fn own() -> String {
    format!("{PREFIX}{}x", std::process::id())
}

fn name(host: usize) -> String {
    format!("{}{host}", own())
}

fn address(network: usize, host: usize) -> String {
    format!("10.77.{network}.{host}")
}

/// A script that ends what runs on the hosts whose names begin so, and removes them.
fn removal(begin: &str) -> String {
    format!(
        "for n in $(ip netns list | grep -o '^{begin}[^ ]*'); do kill -9 $(ip netns pids $n) 2>/dev/null; ip netns del \
         $n; done"
    )
}

/// Removes the hosts of tests that were killed together with their guards.
fn sweep() {
    let names = run("ip", &["netns", "list"]).unwrap_or_default();
    for line in names.lines() {
        let number = line.strip_prefix(PREFIX).and_then(|rest| rest.split_once('x')).map(|(number, _)| number);
        if let Some(number) = number.filter(|number| number.parse::<u32>().is_ok())
            && !Path::new("/proc").join(number).exists()
        {
            let _ = run("bash", &["-c", &removal(&format!("{PREFIX}{number}x"))]);
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{program} {}: {}", arguments.join(" "), error_of(&output).trim()))
    }
}

/// The command, built with MPI: the one that test.sh has built, or one that is built here, in a folder of its own.
fn kasoku() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(built) = std::env::var_os("KASOKU_MPI") {
            return PathBuf::from(built);
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let target = root.join("target/mpi");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--release", "--locked", "-p", "kasoku", "--features", "mpi", "--quiet", "--target-dir"]);
        let output = cargo.arg(&target).current_dir(&root).output().unwrap();
        assert!(output.status.success(), "{}", error_of(&output));
        target.join("release/kasoku")
    })
}

/// The hosts, a room for what they keep, and a script for the environment of each.
struct Fleet {
    hosts: Hosts,
    sandbox: Sandbox,
    serving: Option<Child>,
}

impl Fleet {
    fn new() -> Option<Fleet> {
        use std::os::unix::fs::PermissionsExt;
        let hosts = Hosts::new()?;
        let sandbox = Sandbox::new();
        std::fs::set_permissions(sandbox.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
        sandbox.program(
            "agent",
            &format!(
                "#!/bin/bash\nn={}${{1##*.}}; shift\nexec ip netns exec $n unshare -u bash -c \"hostname $n; exec \
                 $*\"\n",
                own()
            ),
        );
        // Hosts have locks, stores and temporary files of their own; these here share a file system.
        let folder = sandbox.path("");
        let folder = folder.to_str().unwrap();
        sandbox.program(
            "on-host",
            &format!(
                "#!/bin/bash\ncd {folder}\nh=$(hostname); mkdir -p tmp-$h; chmod 755 tmp-$h\nexport \
                 KASOKU_LOCK=$PWD/lock-$h TMPDIR=$PWD/tmp-$h KASOKU_STORE=$PWD/store.sqlite NO_COLOR=1\nexec {} \
                 \"$@\"\n",
                kasoku().display()
            ),
        );
        Some(Fleet { hosts, sandbox, serving: None })
    }

    /// `kasoku serve` on the first host; its token.
    fn serve(&mut self) -> String {
        let script = format!("exec {} serve --listen 0.0.0.0:7000", self.sandbox.path("on-host").display());
        let mut command = self.hosts.on(1, &script);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let token = lines.filter_map(|line| Some(line.strip_prefix("token ")?.to_owned())).next();
        self.serving = Some(child);
        token.expect("kasoku serve says no token")
    }

    /// `kasoku` with these arguments on all hosts.
    fn mpirun(&self, arguments: &str) -> Command {
        let all: Vec<String> = (1..=HOSTS).map(|host| format!("{}:1", address(0, host))).collect();
        let script = format!(
            "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; exec timeout -k 5 120 mpirun \
             --mca plm_rsh_agent {agent} --mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 \
             --mca btl tcp,self --bind-to none --oversubscribe --host {hosts} -np {HOSTS} {on_host} {arguments}",
            agent = self.sandbox.path("agent").display(),
            on_host = self.sandbox.path("on-host").display(),
            hosts = all.join(","),
        );
        let mut command = self.hosts.on(1, &script);
        command.current_dir(self.sandbox.path("")).stdin(Stdio::null());
        command
    }

    /// The documents that the hosts kept, by host.
    fn kept(&self) -> Vec<(PathBuf, Value)> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir(self.sandbox.path("")).unwrap() {
            let path = entry.unwrap().path();
            let is_kept = path.extension().is_some_and(|extension| extension == "json")
                && path.file_name().unwrap().to_str().unwrap().starts_with("kasoku-");
            if is_kept && let Ok(document) = serde_json::from_slice(&std::fs::read(&path).unwrap()) {
                all.push((path, document));
            }
        }
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if let Some(mut serving) = self.serving.take() {
            drop(serving.stdin.take()); // a pipe that is closed ends it
            let _ = serving.wait();
        }
    }
}

fn text_of(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), error_of(output))
}

#[test]
fn three_hosts_put_load_on_two_addresses_of_a_server_in_step() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mut fleet) = Fleet::new() else { return };
    let token = fleet.serve();
    let run = format!(
        "run tls --server 10.77.0.1:7000,10.77.1.1:7000 --token {token} --sizes 1M --rounds 3 \
         --algorithms aes128-gcm-sha256,tls_aes_128_gcm_sha256 --duration 0.3 --concurrency 12 --json out.json"
    );
    let output = fleet.mpirun(&run).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    let document: Value = serde_json::from_slice(&std::fs::read(fleet.sandbox.path("out.json")).unwrap()).unwrap();
    let kept = fleet.kept();
    assert_eq!(kept.len(), HOSTS, "{}", text_of(&output));
    let all = document["series"].as_array().unwrap();
    // With Kasoku's provider beside the command each suite is served by both.
    let has_ours = kasoku().with_file_name("libkasoku_openssl.so").is_file();
    assert_eq!(all.len(), if has_ours { 4 } else { 2 });
    // What else runs here may keep a host from one start, and not from every one.
    let mut least_skew = f64::MAX;
    for series in all {
        assert_eq!(series["verified"], true, "{series}");
        let parameters = &series["parameters"];
        assert_eq!((&parameters["hosts"], &parameters["concurrency"]), (&3.into(), &12.into()));
        assert!(parameters["servers"].is_null(), "two addresses of one host are one server: {parameters}");
        let skew = parameters["start_skew_s"].as_f64().unwrap();
        // It holds how far the clocks may be wrong, so that it is never nothing.
        assert!(skew > 0.0, "{skew} s apart");
        least_skew = least_skew.min(skew);
        // Every round is what the hosts kept, added up; the longest wait is the longest of any of them.
        let own: Vec<&Value> = kept
            .iter()
            .map(|(_, document)| {
                let of_host = document["series"].as_array().unwrap();
                let is_same =
                    |one: &&Value| one["algorithm"] == series["algorithm"] && one["library"] == series["library"];
                of_host.iter().find(is_same).unwrap()
            })
            .collect();
        assert!(own.iter().all(|one| one["library_version"] == series["library_version"]), "{own:?}");
        for sample in series["samples"].as_array().unwrap() {
            let of_hosts: Vec<&Value> = own
                .iter()
                .map(|one| {
                    one["samples"].as_array().unwrap().iter().find(|own| own["round"] == sample["round"]).unwrap()
                })
                .collect();
            let files: u64 = of_hosts.iter().map(|own| own["iterations"].as_u64().unwrap()).sum();
            assert_eq!(sample["iterations"], files);
            assert_eq!(sample["ns"], of_hosts.iter().map(|own| own["ns"].as_u64().unwrap()).max().unwrap());
            assert!(of_hosts.iter().all(|own| own["iterations"].as_u64().unwrap() >= 4), "{of_hosts:?}");
        }
        let waits = own.iter().map(|one| one["parameters"]["worst_latency_s"].as_f64().unwrap());
        assert_eq!(parameters["worst_connection_s"].as_f64().unwrap(), waits.fold(0.0, f64::max));
        // Times are counted together: the quantiles are those of all connections of all hosts.
        let together = |name: &str| {
            own.iter().fold(Histogram::default(), |mut all, one| {
                all.merge(&serde_json::from_value(one["parameters"][name].clone()).unwrap());
                all
            })
        };
        for (kind, name) in [("connection", "connection_times"), ("request", "request_times")] {
            let all = together(name);
            let of_series = series["samples"].as_array().unwrap().iter();
            let files: u64 = of_series.map(|sample| sample["iterations"].as_u64().unwrap()).sum();
            assert_eq!(all.count(), files, "{name}");
            for (quantile, of) in [("p50", 0.5), ("p99", 0.99)] {
                let told = parameters[format!("{kind}_{quantile}_s")].as_f64();
                assert_eq!(told, all.quantile_s(of), "{kind} {quantile}: {parameters}");
            }
        }
    }
    assert!(least_skew < 0.25, "{least_skew} s apart");
    let report = fleet.sandbox.page();
    assert!(report.contains("3 hosts put load on the server together; they began at most"), "the skew is not shown");
    for (path, document) in &kept {
        assert_eq!(document["run"]["complete"], true, "{} was gathered", path.display());
        assert!(!document.to_string().contains(&token));
    }
}

#[test]
fn a_host_that_is_lost_ends_the_run_and_what_all_have_kept_restores_it() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mut fleet) = Fleet::new() else { return };
    let token = fleet.serve();
    let run = format!(
        "run tls --server 10.77.0.1:7000 --token {token} --sizes 1M --rounds 500 --algorithms aes128-gcm-sha256 \
         --duration 0.1 --concurrency 6"
    );
    let mut mpirun = fleet.mpirun(&run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // When each has kept some rounds, the last host loses its process.
    let rounds = |document: &Value| document["series"][0]["samples"].as_array().map_or(0, Vec::len);
    let start = Instant::now();
    loop {
        let kept = fleet.kept();
        if kept.len() == HOSTS && kept.iter().all(|(_, document)| rounds(document) >= 3) {
            break;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60) && mpirun.try_wait().unwrap().is_none(),
            "no rounds are kept"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let killed = self::run("bash", &["-c", &format!("kill -9 $(ip netns pids {})", name(HOSTS))]);
    assert!(killed.is_ok(), "{killed:?}");
    let output = mpirun.wait_with_output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    assert!(text_of(&output).contains(&address(0, HOSTS)), "which host it was is not said: {}", text_of(&output));

    let kept = fleet.kept();
    assert_eq!(kept.len(), HOSTS);
    let mut arguments = vec!["--store", "elsewhere.sqlite", "import"];
    let paths: Vec<&str> = kept.iter().map(|(path, _)| path.to_str().unwrap()).collect();
    arguments.extend(&paths);
    let output = fleet.sandbox.kasoku(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    let whole = kept[0].1["run"]["method"]["fleet"]["run"].as_str().unwrap();
    let restored = format!("{whole}-restored");
    assert!(error_of(&output).contains(&format!("Next: `kasoku show {restored}`")), "{}", error_of(&output));
    let output = fleet.sandbox.kasoku(&["--store", "elsewhere.sqlite", "export", &restored, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["run"]["complete"], false);
    let series = &document["series"][0];
    assert!(series["median"].as_f64().unwrap() > 0.0 && rounds(&document) >= 3, "{series}");
    let first = |document: &Value| document["series"][0]["samples"][0]["iterations"].as_u64().unwrap();
    assert_eq!(first(&document), kept.iter().map(|(_, document)| first(document)).sum::<u64>());
}

#[test]
fn each_host_measures_itself_and_the_first_one_gathers_all() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(fleet) = Fleet::new() else { return };
    let run = "run primitives --libraries rustcrypto --algorithms sha-256 --sizes 1350 --rounds 3 --slice 1 \
        --acceleration on";
    let output = fleet.mpirun(run).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    let runs = fleet.sandbox.kasoku(&["runs", "--format", "json"]);
    let runs: Value = serde_json::from_slice(&runs.stdout).unwrap();
    let mut names: Vec<&str> = runs.as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, [name(1), name(2), name(3)]);
    assert!(runs.as_array().unwrap().iter().all(|run| run["complete"] == true));
    let report = fleet.sandbox.page();
    assert!((1..=HOSTS).all(|host| report.contains(&name(host))));
    assert!(fleet.kept().iter().all(|(_, document)| document["run"]["complete"] == true));
    assert_eq!(fleet.kept().len(), HOSTS);
}

#[test]
fn what_is_wrong_on_one_host_is_said_and_ends_all() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(fleet) = Fleet::new() else { return };
    // Nobody serves there: every host finds that, and none waits for another.
    let token = "00112233445566778899aabbccddeeff";
    let output = fleet.mpirun(&format!("run tls --server 10.77.0.2:9 --token {token}")).output().unwrap();
    assert!(text_of(&output).contains("is kasoku serve running there"), "{}", text_of(&output));
    assert_ne!(output.status.code(), Some(0));
    // Twice on one host.
    let twice = fleet.mpirun("run primitives --quick");
    let script =
        twice.get_args().last().unwrap().to_str().unwrap().replace("--host 10.77.0.1:1,10.77.0.2:1,10.77.0.3:1", "");
    let output = fleet.hosts.on(1, &script).output().unwrap();
    assert!(text_of(&output).contains("each host takes part only once"), "{}", text_of(&output));
}
