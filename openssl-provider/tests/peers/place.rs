//! A folder of what is served, and the servers in it.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::evp;

/// Bytes of the file that is served.
pub(crate) const FILE_BYTES: usize = 3_000_001;

/// A folder with a key, a certificate, a file to serve, and configurations with the provider and without.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let mut random = evp::random::Random::new(9);
        std::fs::write(place.at("file"), random.bytes(FILE_BYTES)).unwrap();
        std::fs::write(
            place.at("with.cnf"),
            evp::configuration(&format!("counter = {}", place.at("counter").display())),
        )
        .unwrap();
        std::fs::write(place.at("without.cnf"), "").unwrap();
        std::fs::write(place.at("request.cnf"), "[req]\ndistinguished_name = dn\n[dn]\n").unwrap();
        let mut request = place.program("openssl", false);
        request.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]);
        request.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]);
        request.args(["-config", "request.cnf", "-keyout", "key.pem", "-out", "certificate.pem"]);
        succeeded(request.output().unwrap());
        place
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program in this folder, with the provider or without.
    pub(crate) fn program(&self, program: &str, has_provider: bool) -> Command {
        let mut command = Command::new(program);
        let configuration = if has_provider { "with.cnf" } else { "without.cnf" };
        command.env("OPENSSL_CONF", self.at(configuration)).current_dir(self.folder.path());
        command
    }

    /// A server: it dies with the thread that started it, however that ends.
    pub(crate) fn server(&self, program: &str, has_provider: bool) -> Command {
        let mut command = self.program("setpriv", has_provider);
        command.args(["--pdeathsig", "KILL", "--", program]);
        command
    }

    /// Operations that any process did with the provider: none, while there is no file, or nothing in it yet.
    pub(crate) fn operations(&self) -> u64 {
        let numbers = std::fs::read(self.at("counter")).unwrap_or_default();
        numbers.get(16..24).map_or(0, |number| u64::from_ne_bytes(number.try_into().unwrap()))
    }
}

/// A server that ends with the test.
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
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    output.stdout
}

/// Starts a server, and reads its port from what it says.
pub(crate) fn started(mut server: Command, port: impl Fn(&str) -> Option<u16>) -> Server {
    let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    let port = loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended: {said}");
        if let Some(port) = port(&line) {
            break port;
        }
        said.push_str(&line);
    };
    // What it says later must not fill the pipe.
    std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
    let server = Server { child, port };
    wait_until("the server answers", || TcpStream::connect(("127.0.0.1", server.port)).is_ok());
    server
}

/// Waits for what comes soon.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
