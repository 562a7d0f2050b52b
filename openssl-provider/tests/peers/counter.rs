//! Checks that programs continue whatever happens to the counter file: a full disk, a file size limit, a read-only
//! disk, a shortened file.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use super::nginx::Nginx;
use super::place::{Place, Server, succeeded};
use super::{PYTHON_CLIENT, SUITES, serve};

const SUITE: (&str, &str, &str) = SUITES[3];

/// Shell commands that cause a problem for the counter in the folder `$1` and then execute the program that follows.
const TROUBLES: [(&str, &str); 4] = [
    (
        "a full disk",
        "mount -t tmpfs -o size=64k none \"$1\" && head -c 70000 /dev/zero > \"$1/fill\" 2>&-; shift; exec \"$@\"",
    ),
    (
        "a full disk with the hole that older versions left",
        "mount -t tmpfs -o size=64k none \"$1\" && truncate -s 64 \"$1/counter\" && chmod 600 \"$1/counter\" && \
         head -c 70000 /dev/zero > \"$1/fill\" 2>&-; shift; exec \"$@\"",
    ),
    ("a disk that is read only", "mount -t tmpfs none \"$1\" && mount -o remount,ro \"$1\" && shift && exec \"$@\""),
    ("a limit on files' sizes", "shift; ulimit -f 0; exec \"$@\""),
];

/// Folder for the counter alone, on which a file system can be mounted.
struct Trouble {
    place: Place,
    is_mounting_possible: bool,
}

impl Trouble {
    fn new() -> Self {
        let place = Place::new();
        std::fs::create_dir(place.path("disk")).unwrap();
        let with = std::fs::read_to_string(place.path("with.cnf")).unwrap();
        let counter = place.path("disk/counter");
        std::fs::write(
            place.path("with.cnf"),
            with.replace(place.path("counter").to_str().unwrap(), counter.to_str().unwrap()),
        )
        .unwrap();
        let is_mounting_possible =
            Command::new("unshare").args(NAMESPACE).arg("true").status().is_ok_and(|status| status.success());
        if !is_mounting_possible {
            assert!(std::env::var("CI").unwrap_or_default().is_empty(), "with CI set, unshare must be possible");
            println!("no mount namespaces here: not tried on a full disk");
        }
        Self { place, is_mounting_possible }
    }

    /// Returns the command prefix that causes the problem, or `None` if that is impossible here.
    fn prefix(&self, trouble: &str) -> Option<Vec<String>> {
        let disk = self.place.path("disk").display().to_string();
        let shell = ["sh", "-c", trouble, "sh", &disk].map(str::to_owned);
        let mounts = trouble.contains("mount");
        if mounts && !self.is_mounting_possible {
            return None;
        }
        let namespace = ["unshare"].iter().chain(NAMESPACE).map(|word| (*word).to_owned()).filter(|_| mounts);
        Some(namespace.chain(shell).collect())
    }

    /// Runs `program` with the provider, after the command prefix `by`, which causes the problem.
    fn run(&self, by: &[String], program: &[&str]) -> Output {
        let mut command = self.place.program(&by[0], true);
        command.args(&by[1..]).args(program).output().unwrap()
    }
}

/// For root only a mount namespace: in a user namespace, nginx could not switch users.
const NAMESPACE: &[&str] = &["--mount"];

#[test]
fn programs_start_if_the_counter_file_cannot_be_written() {
    let trouble = Trouble::new();
    let place = &trouble.place;
    let file = std::fs::read(place.path("file")).unwrap();
    let server = serve(place, false, SUITE);
    for (what, makes) in TROUBLES {
        let Some(by) = trouble.prefix(makes) else { continue };
        let listed = succeeded(trouble.run(&by, &["openssl", "list", "-providers"]));
        assert!(String::from_utf8_lossy(&listed).contains("Kasoku's AES-GCM"), "{what}");
        succeeded(trouble.run(&by, &["openssl", "speed", "-seconds", "1", "-bytes", "1024", "-evp", "aes-128-gcm"]));
        assert!(fetched_by_curl(&trouble, &by, &server) == file, "{what}");
        let port = server.port.to_string();
        let python = succeeded(trouble.run(&by, &["python3", "-I", "-c", PYTHON_CLIENT, &port, "TLSv1_3"]));
        assert!(python == file, "{what}");
        assert!(!place.path("disk/counter").exists() || std::fs::read(place.path("disk/counter")).unwrap().is_empty());
    }
}

fn fetched_by_curl(trouble: &Trouble, by: &[String], server: &Server) -> Vec<u8> {
    let resolve = format!("localhost:{}:127.0.0.1", server.port);
    let address = format!("https://localhost:{}/file", server.port);
    let curl = ["curl", "--silent", "--show-error", "--http0.9", "--cacert", "certificate.pem", "--noproxy", "*"];
    succeeded(trouble.run(by, &[&curl[..], &["--resolve", &resolve, &address]].concat()))
}

#[test]
fn nginx_serves_requests_if_the_counter_file_cannot_be_written() {
    let trouble = Trouble::new();
    let place = &trouble.place;
    let file = std::fs::read(place.path("file")).unwrap();
    // With a file size limit, nginx itself fails at its log; its workers get a limit below.
    for (what, makes) in TROUBLES.iter().filter(|(_, makes)| makes.contains("mount")) {
        let Some(by) = trouble.prefix(makes) else { continue };
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        let mut nginx = Nginx::start_by(place, &by);
        let body = succeeded(nginx.download("TLS1.3", "1G").wait_with_output().unwrap());
        assert!(body == file, "{what}");
        nginx.signal("QUIT", nginx.master.id());
        assert!(nginx.master.wait().unwrap().success(), "{what}");
    }
}

/// Overwrites the file under its lock. Otherwise a provider that is writing at that moment could restore the contents
/// that it had read.
fn overwrite(counter: &Path, content: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(counter).unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    file.set_len(0).unwrap();
    file.write_all(content).unwrap();
}

/// The file of a running server is shortened, overwritten and removed, and gets a size limit.
#[test]
fn nginx_survives_changes_to_its_counter_file() {
    let place = Place::new();
    let file = std::fs::read(place.path("file")).unwrap();
    let counter = place.path("counter");
    type Change = fn(&Path, &Nginx<'_>);
    let changes: [(&str, Change); 5] = [
        ("shorter", |counter, _| overwrite(counter, b"KAS")),
        ("empty", |counter, _| overwrite(counter, b"")),
        ("something else", |counter, _| overwrite(counter, b"something else")),
        ("removed", |counter, _| std::fs::remove_file(counter).unwrap()),
        ("a limit", |_, nginx| {
            for worker in nginx.workers() {
                let limited = Command::new("prlimit").args(["--fsize=0", "--pid", &worker.to_string()]).output();
                succeeded(limited.unwrap());
            }
        }),
    ];
    for (what, change) in changes {
        let mut nginx = Nginx::start_by(&place, &[]);
        let workers = nginx.workers();
        let running = nginx.download("TLS1.3", "4M");
        change(&counter, &nginx);
        let before = std::fs::read(&counter).ok().filter(|_| what != "a limit");
        for suite in ["ECDHE-ECDSA-AES128-GCM-SHA256", "TLS1.3"] {
            assert!(succeeded(nginx.download(suite, "1G").wait_with_output().unwrap()) == file, "{what}");
        }
        assert!(succeeded(running.wait_with_output().unwrap()) == file, "{what}");
        assert_eq!(nginx.workers(), workers, "{what}");
        nginx.signal("QUIT", nginx.master.id());
        assert!(nginx.master.wait().unwrap().success(), "{what}");
        if what != "a limit" {
            assert_eq!(std::fs::read(&counter).ok(), before, "{what}");
        }
        let _ = std::fs::remove_file(&counter);
    }
}

/// `openssl speed` transfers counts some ten thousand times a second.
#[test]
fn openssl_survives_truncation_of_its_counter_file() {
    let place = Place::new();
    let mut speed = place.program("openssl", true);
    speed.args(["speed", "-seconds", "1", "-bytes", "16384", "-evp", "aes-128-gcm"]);
    let speed = speed.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    super::place::wait_until("it counts", || place.operations() > 0);
    overwrite(&place.path("counter"), b"");
    succeeded(speed.wait_with_output().unwrap());
    assert_eq!(std::fs::read(place.path("counter")).unwrap(), b"");
}

#[test]
fn program_continues_if_the_disk_of_its_counter_file_fills() {
    let trouble = Trouble::new();
    let fills = "mount -t tmpfs -o size=64k none \"$1\"; \
                 (for i in $(seq 200); do [ -s \"$1/counter\" ] || sleep 0.05; done; \
                  head -c 70000 /dev/zero > \"$1/fill\") 2>&- & \
                 place=\"$1\"; shift; \"$@\" && od -A n -t u8 -j 8 -N 16 \"$place/counter\"";
    let Some(by) = trouble.prefix(fills) else { return };
    let printed = trouble.run(&by, &["openssl", "speed", "-seconds", "1", "-bytes", "16384", "-evp", "aes-128-gcm"]);
    let printed = String::from_utf8(succeeded(printed)).unwrap();
    let numbers = printed.lines().last().unwrap().split_whitespace().map(|number| number.parse::<u64>().unwrap());
    assert!(numbers.sum::<u64>() > 1, "{printed}");
}
