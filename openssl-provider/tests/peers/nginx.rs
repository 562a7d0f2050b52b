//! An unmodified nginx with the provider, which its workers inherit across reloads and crashes.

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::place::{FILE_BYTES, Place, succeeded, wait_until};

const WORKERS: usize = 2;

/// Running nginx, stopped with its workers when dropped.
pub(crate) struct Nginx<'a> {
    place: &'a Place,
    pub(crate) master: Child,
    port: u16,
}

impl<'a> Nginx<'a> {
    fn start(place: &'a Place) -> Self {
        Self::start_by(place, &[])
    }

    /// Starts nginx by a command prefix that executes it.
    pub(crate) fn start_by(place: &'a Place, by: &[&str]) -> Self {
        // nginx does not support port 0, so another program may take the port first.
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut nginx = Self { place, master: spawned(place, port, by), port };
            let mut has_ended = false;
            wait_until("nginx answers", || {
                has_ended = nginx.master.try_wait().unwrap().is_some();
                // nginx has workers only once it listens; another program on the port does not count.
                let answers = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
                has_ended || (nginx.workers().len() == WORKERS && answers())
            });
            if !has_ended {
                return nginx;
            }
        }
        panic!("nginx does not start: {}", std::fs::read_to_string(place.path("error.log")).unwrap_or_default());
    }

    pub(crate) fn signal(&self, signal: &str, process: u32) {
        succeeded(
            Command::new("sh").args(["-c", "kill -s \"$0\" -- \"$1\"", signal, &process.to_string()]).output().unwrap(),
        );
    }

    pub(crate) fn workers(&self) -> Vec<u32> {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter(|process| parent_of(*process) == Some(self.master.id())).collect()
    }

    /// Waits until all workers are running and none of them is in `old`.
    fn wait_for_others_than(&self, old: &[u32]) {
        wait_until("there are new workers", || {
            let workers = self.workers();
            workers.len() == WORKERS && workers.iter().all(|worker| !old.contains(worker))
        });
    }

    /// Downloads the file at the given rate with a curl without the provider.
    pub(crate) fn download(&self, suite: &str, rate: &str) -> Child {
        let mut curl = self.place.program("curl", false);
        curl.args(["--silent", "--show-error", "--fail", "--cacert", "certificate.pem", "--noproxy", "*"]);
        curl.args(["--limit-rate", rate, "--resolve", &format!("localhost:{}:127.0.0.1", self.port)]);
        match suite {
            "TLS1.3" => curl.arg("--tlsv1.3"),
            suite => curl.args(["--tls-max", "1.2", "--ciphers", suite]),
        };
        curl.arg(format!("https://localhost:{}/file", self.port));
        curl.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Downloads the whole file, and checks that the provider encrypted it.
    #[track_caller]
    fn serves(&self, suite: &str) {
        let before = self.place.operations();
        let body = succeeded(self.download(suite, "1G").wait_with_output().unwrap());
        assert!(body == std::fs::read(self.place.path("file")).unwrap(), "{suite}: {} bytes", body.len());
        let records = FILE_BYTES.div_ceil(1 << 14) as u64;
        // The connection's context transfers its last counts when it is freed, which may be after curl has ended.
        wait_until("all records are counted", || self.place.operations() - before >= records);
    }
}

impl Drop for Nginx<'_> {
    fn drop(&mut self) {
        if matches!(self.master.try_wait(), Ok(None)) {
            let group = format!("-{}", self.master.id());
            let _ = Command::new("sh").args(["-c", "kill -s KILL -- \"$0\"", &group]).status();
            let _ = self.master.wait();
        }
    }
}

fn spawned(place: &Place, port: u16, by: &[&str]) -> Child {
    let folder = place.path("");
    let folder = folder.to_str().unwrap();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = temporary.map(|kind| format!("{kind}_temp_path {folder}/{kind};")).join(" ");
    std::fs::write(
        place.path("nginx.conf"),
        format!(
            "daemon off; worker_processes {WORKERS}; pid {folder}/pid; error_log {folder}/error.log;\n\
             events {{}}\nhttp {{ access_log off; {temporary}\n\
             server {{ listen 127.0.0.1:{port} ssl; root {folder}; ssl_protocols TLSv1.2 TLSv1.3;\n\
             ssl_certificate certificate.pem; ssl_certificate_key key.pem; }} }}\n"
        ),
    )
    .unwrap();
    // If this test is killed, nginx gets a signal to stop, and stops its workers.
    let mut nginx = place.program("setpriv", true);
    nginx.args(["--pdeathsig", "TERM", "--"]).args(by);
    nginx.args(["nginx", "-p", folder, "-e", "error.log", "-c", "nginx.conf"]);
    // Otherwise the workers switch to a user without access to this private folder.
    nginx.args(["-g", "user root;"]).process_group(0);
    nginx.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat")).ok()?;
    let mut fields = stat.rsplit(") ").next()?.split(' ');
    (fields.next()? != "Z").then_some(fields.next()?.parse().ok()?)
}

#[test]
fn nginx_uses_the_provider_across_reload_crash_and_quit() {
    let place = Place::new();
    let mut nginx = Nginx::start(&place);
    for suite in ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "TLS1.3"] {
        nginx.serves(suite);
    }

    let first = nginx.workers();
    nginx.signal("HUP", nginx.master.id());
    nginx.wait_for_others_than(&first);
    nginx.serves("TLS1.3");

    let second = nginx.workers();
    for worker in &second {
        nginx.signal("KILL", *worker);
    }
    nginx.wait_for_others_than(&second);
    nginx.serves("ECDHE-ECDSA-AES128-GCM-SHA256");
    nginx.serves("TLS1.3");

    // After the quit signal, nginx completes the requests it has begun.
    let mut last = nginx.download("TLS1.3", "2M");
    let mut first = [0];
    last.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    nginx.signal("QUIT", nginx.master.id());
    let body = [&first[..], &succeeded(last.wait_with_output().unwrap())].concat();
    assert!(body == std::fs::read(place.path("file")).unwrap(), "the last one: {} bytes", body.len());
    assert!(nginx.master.wait().unwrap().success());
    assert!(nginx.workers().is_empty());
}
