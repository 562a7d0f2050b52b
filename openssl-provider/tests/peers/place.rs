//! Test folder with served files, and the servers in it.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::evp;

/// Length of the served file in bytes.
pub(crate) const FILE_BYTES: usize = 3_000_001;

/// Folder with a key, a certificate, a file to serve, and configurations with and without the provider.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let mut random = evp::random::Random::new(9);
        std::fs::write(place.path("file"), random.bytes(FILE_BYTES)).unwrap();
        std::fs::write(
            place.path("with.cnf"),
            evp::configuration(&format!("counter = {}", place.path("counter").display())),
        )
        .unwrap();
        std::fs::write(place.path("without.cnf"), "").unwrap();
        std::fs::write(place.path("request.cnf"), "[req]\ndistinguished_name = dn\n[dn]\n").unwrap();
        let mut request = place.program("openssl", false);
        request.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]);
        request.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]);
        request.args(["-config", "request.cnf", "-keyout", "key.pem", "-out", "certificate.pem"]);
        succeeded(request.output().unwrap());
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command in this folder, with or without the provider.
    pub(crate) fn program(&self, program: &str, has_provider: bool) -> Command {
        let mut command = Command::new(program);
        let configuration = if has_provider { "with.cnf" } else { "without.cnf" };
        command.env("OPENSSL_CONF", self.path(configuration)).current_dir(self.folder.path());
        command
    }

    /// Returns a command for a server that dies with the thread that starts it.
    pub(crate) fn server(&self, program: &str, has_provider: bool) -> Command {
        let mut command = self.program("setpriv", has_provider);
        command.args(["--pdeathsig", "KILL", "--", program]);
        command
    }

    /// Returns the number of operations in the counter; 0 while the file is missing or empty.
    pub(crate) fn operations(&self) -> u64 {
        let numbers = std::fs::read(self.path("counter")).unwrap_or_default();
        numbers.get(16..24).map_or(0, |number| u64::from_ne_bytes(number.try_into().unwrap()))
    }
}

/// Server that is stopped when dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
pub(crate) fn succeeded(output: Output) -> Vec<u8> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    output.stdout
}

/// Starts a server and reads its port from its output.
pub(crate) fn started(mut server: Command, port: impl Fn(&str) -> Option<u16>) -> Server {
    let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    let port = loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended: {printed}");
        if let Some(port) = port(&line) {
            break port;
        }
        printed.push_str(&line);
    };
    // Drains later output, so that the pipe does not fill up.
    std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
    let server = Server { child, port };
    wait_until("the server answers", || TcpStream::connect(("127.0.0.1", server.port)).is_ok());
    server
}

/// Waits until `is_so` returns true.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
