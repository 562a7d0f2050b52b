//! Compares the CPU time of a server under Kasoku's client with the time under ApacheBench.

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::lock_machine;
use crate::support::{Sandbox, error_of, has, text_of, words};

/// `kasoku host` with a web server that has no AES instructions and serves files of 16 MiB.
struct ServingHost {
    child: std::process::Child,
    lines: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
    client_core: u64,
    url: String,
}

impl ServingHost {
    const BYTES: u64 = 16 << 20;

    fn start(sandbox: &Sandbox, dir: &Path) -> ServingHost {
        let mut command = sandbox.command(&["host"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        let mut host = ServingHost { child, lines, client_core: 0, url: String::new() };
        // The server's worker uses the first core.
        host.client_core = host.answer()["hello"]["cores"][1].as_u64().unwrap();
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
            self.client_core, self.url
        );
        let output = Command::new("bash").args(["-c", &ab]).output().unwrap();
        let text = text_of(&output);
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

/// ApacheBench decrypts what it fetches, and Kasoku's client does not. The server does the same work for either.
#[test]
fn server_cpu_time_agrees_with_apache_bench() {
    let _machine = lock_machine();
    if !has(&["nginx", "openssl", "ab", "taskset"]) || std::thread::available_parallelism().unwrap().get() < 2 {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.open_folder("served");
    let own = || {
        let line = "--dir served --libraries openssl --acceleration off --algorithms aes128-gcm-sha256 --sizes 16M \
                    --workers 1 --concurrency 4 --duration 1 --rounds 3 --max-latency 60";
        let (_, document) = sandbox.measure("tls", &words(line));
        let parameter = |name: &str| document["series"][0]["details"][name].as_f64().unwrap();
        (parameter("server_cpu_s_per_gb"), parameter("client_cpu_s_per_gb"))
    };
    let mut host = ServingHost::start(&sandbox, &folder);
    let least = |one: (f64, f64), other: (f64, f64)| if other.0 < one.0 { other } else { one };
    // If both CPUs are threads of one core, the client slows the server down by at most the client's own time.
    let agree = |own: (f64, f64), ab: (f64, f64)| (0.8 * (ab.0 - ab.1)..1.25 * ab.0).contains(&own.0);
    let is_cheap = |own: (f64, f64), ab: (f64, f64)| own.1 < ab.1 / 3.0;
    let (mut with_own, mut with_ab) = (own(), host.seconds_with_ab());
    // The shortest of several times counts, because other load only makes them longer.
    for _ in 0..5 {
        if agree(with_own, with_ab) && is_cheap(with_own, with_ab) {
            break;
        }
        (with_own, with_ab) = (least(with_own, own()), least(with_ab, host.seconds_with_ab()));
    }
    assert!(agree(with_own, with_ab), "seconds of server and client for 10⁹ bytes: {with_own:?}, {with_ab:?}");
    assert!(is_cheap(with_own, with_ab), "seconds of the server and the client: {with_own:?}, {with_ab:?}");
}
