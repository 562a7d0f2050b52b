//! Runs on other hosts: network namespaces of this machine, a real `mpirun`, and `ssh` to an sshd of the test's own.
//!
//! Needs root. Each namespace has this process's number in its name, and a guard removes it however the test ends.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::MutexGuard;
use std::time::Duration;

use serde_json::Value;

use crate::lock_machine;
use crate::support::{
    Sandbox, Watched, command_line, error_of, has, is_there, list, names, output_of, text_of, wait_until, words,
};

const PREFIX: &str = "kh";
const SERVER: usize = 1;
const CLIENTS: [usize; 2] = [2, 3];
/// A run of two file sizes, each of which takes some seconds.
const LONG_RUN: &str = "--addresses 10.77.0.1 --sizes 1M,4M --algorithms aes128-gcm-sha256 --libraries openssl --rounds 12 --duration 0.3 \
                        --concurrency 6";

/// Three hosts in two networks. Dropping `Namespaces` removes them.
struct Namespaces {
    guard: Child,
    sandbox: Sandbox,
    _machine: MutexGuard<'static, ()>,
}

impl Namespaces {
    /// Returns `None` if the hosts cannot be created. Panics in CI.
    fn new() -> Option<Namespaces> {
        let machine = lock_machine();
        let hub = format!("{}hub", own_prefix());
        if !has(&["ip", "nginx"]) {
            return None;
        }
        let made = run("ip", &["netns", "add", &hub]);
        is_there(made.is_ok(), &format!("permission for network namespaces ({made:?})")).then_some(())?;
        remove_namespaces_of_killed_tests();
        // The guard process outlives the test, so that it removes the hosts even if the test is killed.
        let script = format!("cat >/dev/null; {}", removal(&own_prefix()));
        let mut guard = Command::new("bash");
        let guard = std::os::unix::process::CommandExt::process_group(&mut guard, 0);
        let guard = guard.args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
        let namespaces = Namespaces { guard, sandbox: open_sandbox(), _machine: machine };
        let ip = |arguments: &str| run("ip", &arguments.split(' ').collect::<Vec<_>>()).unwrap();
        for host in 1..=3 {
            ip(&format!("netns add {}", name(host)));
            ip(&format!("-n {} link set lo up", name(host)));
        }
        for network in 0..2 {
            ip(&format!("-n {hub} link add br{network} type bridge"));
            ip(&format!("-n {hub} link set br{network} up"));
            for host in 1..=3 {
                let (here, there, name) = (format!("v{network}-{host}"), format!("eth{network}"), name(host));
                ip(&format!("-n {hub} link add {here} type veth peer name {there} netns {name}"));
                ip(&format!("-n {hub} link set {here} master br{network} up"));
                ip(&format!("-n {name} addr add 10.77.{network}.{host}/24 dev {there}"));
                ip(&format!("-n {name} link set {there} up"));
            }
        }
        Some(namespaces)
    }

    /// Returns `kasoku run` with `arguments`. The launcher reaches a host by `ip netns exec`.
    fn run(&self, arguments: &str) -> Command {
        let folder = self.sandbox.path("");
        let folder = folder.display();
        // These hosts share a file system. Real hosts have their own locks and temporary files.
        let launcher = format!("ip netns exec {{host}} env KASOKU_LOCK={folder}/lock-{{host}} TMPDIR={folder}");
        let mut command = self.sandbox.command(&["run"]);
        command.args(arguments.split_whitespace()).args(["--launcher", &launcher]);
        command
    }

    /// Returns a run of a web server on one host, with load from the two other hosts.
    fn tls(&self, arguments: &str) -> Command {
        let clients = CLIENTS.map(name).join(",");
        self.run(&format!("tls --server {} --clients {clients} --json out.json {arguments}", name(SERVER)))
    }

    /// Starts a long run, and waits until it measures its first file size.
    fn long_run(&self) -> Watched {
        let mut run = Watched::start(&mut self.tls(LONG_RUN));
        run.wait_for("making files of 1 MiB");
        // The first file size takes at least 12 steps of 0.3 s.
        std::thread::sleep(Duration::from_millis(1500));
        run
    }

    /// Waits until no process is left on any host, and no server's folder.
    fn assert_nothing_is_left(&self) {
        let folders = || {
            let names = names(&self.sandbox.path("")).into_iter();
            names.filter(|name| name.starts_with("kasoku-tls-") || name.starts_with("kasoku-host-")).count()
        };
        let processes = || (1..=3).flat_map(processes_of).collect::<Vec<_>>();
        wait_until("nothing is left on any host", || processes().is_empty() && folders() == 0);
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Returns a sandbox that the workers of nginx can enter.
fn open_sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.open_folder("");
    sandbox
}

/// Returns the prefix of the names of this process's hosts.
fn own_prefix() -> String {
    format!("{PREFIX}{}x", std::process::id())
}

fn name(host: usize) -> String {
    format!("{}{host}", own_prefix())
}

fn processes_of(host: usize) -> Vec<String> {
    run("ip", &["netns", "pids", &name(host)]).unwrap().lines().map(str::to_owned).collect()
}

/// Returns a script that removes the hosts whose names begin with `begin`, and kills their processes.
fn removal(begin: &str) -> String {
    format!(
        "for n in $(ip netns list | grep -o '^{begin}[^ ]*'); do kill -9 $(ip netns pids $n) 2>/dev/null; \
         ip netns del $n; done"
    )
}

fn remove_namespaces_of_killed_tests() {
    for line in run("ip", &["netns", "list"]).unwrap_or_default().lines() {
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
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{program} {}: {}", arguments.join(" "), error_of(&output).trim())),
    }
}

fn all_output(output: &Output) -> String {
    text_of(output) + &error_of(output)
}

fn series_of(sandbox: &Sandbox) -> Vec<Value> {
    list(&sandbox.written("out.json")["series"]).to_vec()
}

#[test]
fn two_clients_load_both_server_addresses_at_the_same_time() {
    let Some(hosts) = Namespaces::new() else { return };
    let run = "--addresses 10.77.0.1,10.77.1.1 --sizes 1M --rounds 3 --duration 0.3 --concurrency 8 \
               --algorithms aes128-gcm-sha256,tls_aes_128_gcm_sha256";
    let output = output_of(&mut hosts.tls(run), 0);
    let all = series_of(&hosts.sandbox);
    assert!(!all.is_empty());
    let mut least_skew = f64::MAX;
    for series in &all {
        assert_eq!(series["outcome"], "measured", "{series}");
        let parameters = &series["details"];
        assert_eq!((&parameters["hosts"], &parameters["concurrency"]), (&2.into(), &8.into()));
        for sample in list(&series["samples"]) {
            assert!(sample["iterations"].as_u64().unwrap() >= 8, "{series}");
        }
        let skew = parameters["start_skew_s"].as_f64().unwrap();
        assert!(skew > 0.0, "the skew is an upper bound, so never zero");
        least_skew = least_skew.min(skew);
    }
    // Other work on this machine may delay one start, but not all of them.
    assert!(least_skew < 0.25, "the hosts began {least_skew} s apart");
    assert!(error_of(&output).contains("In every step the hosts began at most"), "{}", error_of(&output));
    assert!(hosts.sandbox.page().contains("2 hosts put load on the server together; they began at most"));
    hosts.assert_nothing_is_left();
}

#[test]
fn killed_client_host_fails_one_file_size_and_is_named() {
    let Some(hosts) = Namespaces::new() else { return };
    let leader = hosts.long_run();
    for process in processes_of(CLIENTS[1]) {
        let _ = run("kill", &["-9", &process]); // fails for processes that ended with another one
    }
    let (status, said) = leader.end();
    assert_eq!(status.code(), Some(1), "{said:?}");
    let lost = format!("lost: {}", name(CLIENTS[1]));
    assert!(said.iter().any(|line| line.starts_with(&lost)), "{said:?}");
    let all = series_of(&hosts.sandbox);
    assert!(all[0]["outcome"]["failed"].as_str().unwrap().contains(&name(CLIENTS[1])), "{}", all[0]);
    assert_eq!((&all[1]["bytes"], &all[1]["outcome"]), (&(4 << 20).into(), &"measured".into()), "{}", all[1]);
    assert_eq!(all[1]["details"]["hosts"], 1);
    hosts.assert_nothing_is_left();
}

#[test]
fn killed_server_host_fails_its_series_and_leaves_no_process() {
    let Some(hosts) = Namespaces::new() else { return };
    let leader = hosts.long_run();
    let is_host = |process: &String| command_line(process.parse().unwrap()).ends_with("kasoku host ");
    let agent = processes_of(SERVER).into_iter().find(is_host).expect("no process `kasoku host` on the server");
    run("kill", &["-9", &agent]).unwrap();
    let (status, said) = leader.end();
    assert_eq!(status.code(), Some(1), "{said:?}");
    let all = series_of(&hosts.sandbox);
    assert!(all.iter().all(|series| series["outcome"]["failed"].as_str().unwrap().contains(&name(SERVER))), "{all:?}");
    hosts.assert_nothing_is_left();
}

#[test]
fn killed_leader_leaves_no_process_on_any_host() {
    let Some(hosts) = Namespaces::new() else { return };
    let mut leader = hosts.long_run();
    assert!((1..=3).all(|host| !processes_of(host).is_empty()));
    leader.kill();
    hosts.assert_nothing_is_left();
}

#[test]
fn fleet_measures_reachable_hosts_and_names_unreachable_ones() {
    let Some(hosts) = Namespaces::new() else { return };
    let fleet = format!("--hosts {},{},nowhere", name(1), name(2));
    let run = "primitives --libraries rustcrypto --algorithms sha-256 --sizes 1350 --rounds 3 --slice 1 \
               --acceleration on --report hosts.html";
    let output = hosts.run(&format!("{run} {fleet}")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", all_output(&output));
    assert!(error_of(&output).contains("lost: nowhere ended with exit status"), "{}", error_of(&output));
    let runs = hosts.sandbox.json(&["runs", "--format", "json"]);
    let mut measured: Vec<&str> = list(&runs).iter().map(|run| run["name"].as_str().unwrap()).collect();
    measured.sort_unstable();
    assert_eq!(measured, [name(1), name(2)]);
    assert!(list(&runs).iter().all(|run| run["complete"] == true));
    let page = hosts.sandbox.read("hosts.html");
    assert!(page.contains(&name(1)) && page.contains(&name(2)));
    hosts.assert_nothing_is_left();
}

#[test]
fn fleet_names_faulty_hosts_and_measures_the_good_one() {
    let _machine = lock_machine();
    let sandbox = open_sandbox();
    // Each faulty host sends its greeting first.
    let script = "#!/bin/bash\nhost=$1; shift\ncase $host in\n\
        dead) \"$@\" </dev/null | head -n 1 ;;\n\
        flood) \"$@\" </dev/null | head -n 1; exec yes ;;\n\
        long) \"$@\" </dev/null | head -n 1; exec head -c 100000000 /dev/zero ;;\n\
        wrong) \"$@\" </dev/null | head -n 1; while read -r line; do echo '{\"began\":[]}'; done ;;\n\
        old) echo '{\"hello\":{\"kasoku\":\"0.0.1\",\"boot\":\"\",\"cores\":[0],\"open_files\":9,\"cpu\":\"\"}}'\n\
        cat ;;\n\
        hang) \"$@\" </dev/null | head -n 1; exec sleep 300 ;;\n\
        *) exec env KASOKU_LOCK=lock-$host \"$@\" ;;\nesac\n";
    sandbox.program("launcher", script);
    let launcher = format!("{} {{host}}", sandbox.path("launcher").display());
    let run = "run primitives --libraries rustcrypto --algorithms sha-256 --sizes 64 --rounds 3 --slice 1 \
               --acceleration on --hosts dead,flood,long,wrong,old,hang,good --report r.html --launcher";
    let said = sandbox.message(&[&words(run)[..], &[&launcher]].concat(), 1, "good: measured");
    for lost in [
        "lost: dead ended with exit status 0",
        "lost: flood ",
        "lost: long ",
        "lost: wrong sent an invalid answer",
        "lost: old has Kasoku 0.0.1, and this host ",
        "lost: hang did not answer within 20 s",
    ] {
        assert!(said.contains(lost), "{lost}: {said}");
    }
    assert_eq!(list(&sandbox.json(&["runs", "--format", "json"])).len(), 1);
}

#[test]
fn mpirun_starts_server_and_clients() {
    let _machine = lock_machine();
    if !has(&["mpirun", "nginx"]) {
        return;
    }
    let sandbox = open_sandbox();
    let line = "run tls --server localhost --clients localhost --launcher mpirun --addresses 127.0.0.1 --sizes 1M \
                --rounds 3 --duration 0.2 --algorithms aes128-sha --json out.json";
    let mut command = sandbox.command(&words(line));
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    let output = output_of(&mut command, 0);
    assert!(series_of(&sandbox).iter().all(|series| series["outcome"] == "measured"), "{}", all_output(&output));
}

/// An sshd on the loopback that accepts one key. Dropping `Sshd` ends the process.
struct Sshd(Child);

impl Sshd {
    fn start(sandbox: &Sandbox) -> Sshd {
        for key in ["host_key", "user_key"] {
            let path = sandbox.path(key);
            run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", path.to_str().unwrap()]).unwrap();
        }
        std::fs::create_dir_all("/run/sshd").unwrap(); // where sshd separates its privileges
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = sandbox.path("");
        let folder = folder.display();
        let server = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host_key\nAuthorizedKeysFile {folder}/user_key.pub\n\
             StrictModes no\nPidFile none\nUsePAM no\nPermitRootLogin prohibit-password\n"
        );
        std::fs::write(sandbox.path("sshd_config"), server).unwrap();
        let client = format!(
            "Host web load1 load2\nHostName 127.0.0.1\nPort {port}\nIdentityFile {folder}/user_key\n\
             StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n"
        );
        std::fs::write(sandbox.path("ssh_config"), client).unwrap();
        sandbox.program("ssh", &format!("#!/bin/sh\nexec /usr/bin/ssh -F {folder}/ssh_config \"$@\"\n"));
        let mut command = Command::new("/usr/sbin/sshd");
        command.args(["-D", "-e", "-f"]).arg(sandbox.path("sshd_config")).stderr(Stdio::null());
        let sshd = Sshd(command.spawn().unwrap());
        wait_until("sshd listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        sshd
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn ssh_starts_server_and_clients_and_names_unknown_hosts() {
    let _machine = lock_machine();
    if !has(&["/usr/sbin/sshd", "/usr/bin/ssh", "ssh-keygen", "nginx"]) {
        return;
    }
    let sandbox = open_sandbox();
    let _sshd = Sshd::start(&sandbox);
    let line = "run tls --server web --clients load1,load2,other --addresses 127.0.0.1 --sizes 1M --rounds 3 \
                --duration 0.2 --algorithms aes128-gcm-sha256 --json out.json --remote-kasoku";
    let mut command = sandbox.command(&words(line));
    command.arg(env!("CARGO_BIN_EXE_kasoku"));
    let path = std::env::join_paths([sandbox.path("").as_path(), Path::new("/usr/bin"), Path::new("/usr/sbin")]);
    let output = command.env("PATH", path.unwrap()).output().unwrap();
    // The run names the host that ssh does not know, and continues with the other hosts.
    assert_eq!(output.status.code(), Some(1), "{}", all_output(&output));
    assert!(error_of(&output).contains("lost: other ended with exit status 255: ssh: "), "{}", error_of(&output));
    let all = series_of(&sandbox);
    assert!(!all.is_empty() && all.iter().all(|series| series["outcome"] == "measured"), "{}", all_output(&output));
    assert!(all.iter().all(|series| series["details"]["hosts"] == 2));
}
