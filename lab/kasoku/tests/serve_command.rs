//! `kasoku serve`, and `kasoku run tls --server` beside it on one host: who gets load and who gets files, and what is
//! left.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Sandbox, error_of, has, provider, series};

/// `kasoku serve` in a sandbox. Dropped, it is ended.
struct Serving {
    child: Child,
    input: Option<ChildStdin>,
    place: PathBuf,
    address: String,
    token: String,
    /// The port of aes128-gcm-sha256.
    port: u16,
}

impl Serving {
    fn start(sandbox: &Sandbox, name: &str) -> Serving {
        let place = sandbox.open_folder(name);
        let mut command = sandbox.command(&["serve", "--dir", place.to_str().unwrap()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut said = |begin: &str| {
            let line = lines.find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("no {begin}"));
            line.strip_prefix(begin).unwrap().trim().to_owned()
        };
        let (address, token) = (said("server"), said("token"));
        let ports = said("nginx openssl");
        let port = ports.split_once(" aes128-gcm-sha256").unwrap().0.rsplit(' ').next().unwrap().parse().unwrap();
        let input = child.stdin.take();
        Serving { child, input, place, address, token, port }
    }

    /// Waits until it and all that was its has gone; its exit status.
    fn is_gone(&mut self) -> Option<i32> {
        let status = self.child.wait().unwrap();
        let start = Instant::now();
        while std::fs::read_dir(&self.place).unwrap().next().is_some()
            || TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        {
            assert!(start.elapsed() < Duration::from_secs(10), "something is left in {}", self.place.display());
            std::thread::sleep(Duration::from_millis(20));
        }
        status.code()
    }

    fn signal(&self, name: &str) {
        let number = self.child.id().to_string();
        assert!(Command::new("kill").args([format!("-{name}"), number]).status().unwrap().success());
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SHORT: [&str; 9] =
    ["--sizes", "1M", "--algorithms", "aes128-gcm-sha256", "--rounds", "3", "--duration", "0.1", "--concurrency"];

#[test]
fn a_server_elsewhere_is_measured_by_who_knows_its_token_and_by_nobody_else() {
    if !has(&["nginx", "openssl", "curl"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let mut serving = Serving::start(&sandbox, "place");
    let Serving { address, token, .. } = &serving;
    let mut arguments = vec!["--server", address, "--token", token];
    arguments.extend(SHORT);
    arguments.push("4");
    let (output, document) = sandbox.run_level("tls", &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let series = series(&document, "openssl");
    let [one] = &series[..] else { panic!("{series:?}") };
    assert_eq!(one["verified"], true, "{one}");
    assert_eq!(one["samples"].as_array().unwrap().len(), 3);
    let parameters = &one["parameters"];
    assert_eq!((&parameters["hosts"], &parameters["concurrency"]), (&1.into(), &4.into()));
    assert_eq!(parameters["apart"], false, "server and clients share the cores of this machine: {parameters}");
    let server_cpu = parameters["server_cpu"].as_f64().unwrap();
    assert!((0.02..=1.1).contains(&server_cpu), "{parameters}");
    // Neither the document nor the report has the token.
    let report = sandbox.page();
    assert!(!document.to_string().contains(token) && !report.contains(token));
    assert!(document["run"]["command"].as_str().unwrap().contains("--token …"));

    // Another token: the server is not even asked for a file.
    let other = "00112233445566778899aabbccddeeff";
    let output = sandbox.kasoku(&["run", "tls", "--server", address, "--token", other]);
    assert_eq!(output.status.code(), Some(2));
    assert!(error_of(&output).contains("does not know the token and gets no load"), "{}", error_of(&output));
    // Who knows the port of nginx and nothing else gets no file.
    let mut curl = Command::new("curl");
    let url = format!("https://127.0.0.1:{}/1048576", serving.port);
    let got = curl.args(["-sk", "-o", "/dev/null", "-w", "%{http_code}", &url]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&got.stdout), "404");

    serving.signal("TERM");
    assert_eq!(serving.is_gone(), Some(0));
}

#[test]
fn kasokus_provider_is_served_to_others_and_its_use_is_proven() {
    if provider().is_none() || !has(&["nginx", "openssl"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let serving = Serving::start(&sandbox, "place");
    let mut arguments = vec!["--server", &serving.address, "--token", &serving.token];
    arguments.extend(SHORT);
    arguments.push("4");
    let (output, document) = sandbox.run_level("tls", &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
    let (ours, theirs) = (series(&document, "kasoku"), series(&document, "openssl"));
    let ([ours], [theirs]) = (&ours[..], &theirs[..]) else { panic!("{document}") };
    for one in [ours, theirs] {
        assert_eq!((&one["verified"], &one["parameters"]["elsewhere"]), (&true.into(), &true.into()), "{one}");
        assert_eq!(one["samples"].as_array().unwrap().len(), 3);
    }
    // Only the server's host can see what its provider did.
    let share = ours["parameters"]["provider_share"].as_f64().unwrap();
    assert!((0.9..1.3).contains(&share), "{ours}");
    assert!(theirs["parameters"]["provider_share"].is_null(), "{theirs}");
    // The limits that are known are those of the clients' host, which are not the server's.
    assert!(document["run"]["method"]["limits"].is_null(), "{}", document["run"]["method"]);
    let report = sandbox.page();
    assert!(report.contains("kept by kasoku serve") && !report.contains("Server and clients are on this machine"));
}

#[test]
fn a_server_that_does_not_know_the_token_gets_nothing_but_the_question() {
    let sandbox = Sandbox::new();
    let challenge = "ffeeddccbbaa99887766554433221100";
    // What the version before answered, reflections, nonsense, and TLS that speaks with another token.
    let before = format!("{{\"kasoku\":1,\"challenge\":\"{challenge}\",\"proof\":\"{}\"}}\n", "ab".repeat(32));
    let plain = |text: &[u8]| {
        let text = text.to_vec();
        Box::new(move |hello: &[u8]| if text.is_empty() { hello.to_vec() } else { text.clone() })
    };
    type Answer = Box<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>;
    let answers: [(Answer, &str); 5] = [
        (plain(before.as_bytes()), "does not run this version of kasoku"),
        (plain(b""), "does not run this version of kasoku"),
        (plain(&vec![b'x'; 1 << 20]), "does not run this version of kasoku"),
        (plain(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "does not run this version of kasoku"),
        (Box::new(other_token()), "does not know the token"),
    ];
    for (answer, expected) in answers {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::scope(|scope| {
            let heard = scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                let hello = record(&mut stream);
                let _ = stream.write_all(&answer(&hello)); // it may have gone
                let mut more = Vec::new();
                let _ = stream.take(1 << 20).read_to_end(&mut more);
                listener.set_nonblocking(true).unwrap();
                (more, listener.accept().is_ok())
            });
            let token = "00112233445566778899aabbccddeeff";
            let output = sandbox.kasoku(&["run", "tls", "--server", &address, "--token", token]);
            assert_eq!(output.status.code(), Some(2), "{}", error_of(&output));
            assert!(error_of(&output).contains(expected), "{}", error_of(&output));
            let (more, is_again) = heard.join().unwrap();
            assert!(!is_again, "it was connected to again");
            // An alert, behind the one byte with which TLS 1.3 pretends to change ciphers.
            assert!(more.len() <= 6 + 24, "it was told more than the question: {more:?}");
        });
    }
}

/// A record of TLS.
fn record(stream: &mut TcpStream) -> Vec<u8> {
    let mut record = vec![0; 5];
    stream.read_exact(&mut record).unwrap();
    assert_eq!(record[..2], [0x16, 3]);
    record.resize(5 + usize::from(u16::from_be_bytes([record[3], record[4]])), 0);
    stream.read_exact(&mut record[5..]).unwrap();
    record
}

/// What a server says first that has another token.
fn other_token() -> impl Fn(&[u8]) -> Vec<u8> {
    |hello| {
        let token = "ffeeddccbbaa99887766554433221100".parse().unwrap();
        let config = kasoku_fleet::identity::server(&token).unwrap();
        let mut server = rustls::ServerConnection::new(config).unwrap();
        server.read_tls(&mut &hello[..]).unwrap();
        server.process_new_packets().unwrap();
        let mut said = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut said).unwrap();
        }
        said
    }
}

#[test]
fn clients_without_the_token_are_refused_whatever_they_say() {
    if !has(&["nginx", "openssl"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let serving = Serving::start(&sandbox, "place");
    let hello = "{\"kasoku\":1,\"challenge\":\"00112233445566778899aabbccddeeff\"}\n";
    let run = "00112233445566778899aabbccddeeff";
    for text in [
        String::new(),
        "GET / HTTP/1.1\r\n\r\n".to_owned(),
        "x".repeat(1 << 20),
        "[".repeat(60_000) + "\n",
        hello.to_owned(),
        format!("{hello}{{\"proof\":\"\",\"run\":\"{run}\"}}\n\"use\"\n"),
        format!("{{\"run\":\"{run}\"}}\n\"use\"\n"),
    ] {
        let mut stream = TcpStream::connect(&serving.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
        let _ = stream.write_all(text.as_bytes()); // it may hang up in the middle
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said); // a reset is an end too
        let is_alert = said.len() == 7 && said[0] == 0x15;
        assert!(said.is_empty() || is_alert, "{:?} was answered {said:?}", &text[..text.len().min(80)]);
    }
    // TLS, and a certificate that anybody can have.
    let (key, certificate) = (sandbox.path("key.pem"), sandbox.path("certificate.pem"));
    let (key, certificate) = (key.to_str().unwrap(), certificate.to_str().unwrap());
    let mut request = Command::new("openssl");
    request.args(["req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=kasoku", "-keyout", key]);
    assert!(request.args(["-out", certificate]).output().unwrap().status.success());
    for own in [&[][..], &["-cert", certificate, "-key", key]] {
        let mut client = Command::new("openssl");
        client.args(["s_client", "-connect", &serving.address, "-alpn", "kasoku serve 2"]).args(own);
        let said = client.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&said.stdout);
        assert!(text.contains("no peer certificate available"), "{text}");
    }
    // It still works.
    let mut arguments = vec!["--server", &serving.address, "--token", &serving.token];
    arguments.extend(SHORT);
    arguments.push("1");
    let (output, _) = sandbox.run_level("tls", &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", error_of(&output));
}

#[test]
fn nothing_is_left_however_it_ends() {
    if !has(&["nginx", "openssl"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let mut ended = Serving::start(&sandbox, "interrupted");
    ended.signal("INT");
    assert_eq!(ended.is_gone(), Some(0));
    let mut ended = Serving::start(&sandbox, "closed");
    drop(ended.input.take());
    assert_eq!(ended.is_gone(), Some(0));
    let mut ended = Serving::start(&sandbox, "killed");
    ended.signal("KILL");
    assert_eq!(ended.is_gone(), None);
}

#[test]
fn usage_that_cannot_be_is_refused() {
    let sandbox = Sandbox::new();
    let token = "00112233445566778899aabbccddeeff";
    for (arguments, expected) in [
        (&["run", "tls", "--server", "127.0.0.1:1"][..], "needs --token"),
        (&["run", "tls", "--server", "127.0.0.1:1", "--token", "secret"], "32 hexadecimal digits"),
        (&["run", "tls", "--server", "127.0.0.1:1", "--token", token], "is kasoku serve running there"),
        (&["run", "tls", "--server", "nowhere", "--token", token], "is not an address"),
        (&["run", "primitives", "--server", "127.0.0.1:1", "--token", token], "for the level tls"),
        (&["run", "tls", "files", "--server", "127.0.0.1:1", "--token", token], "for the level tls"),
        (&["serve", "--listen", "somewhere"], "an address of this host"),
        (&["serve", "--workers", "0"], "from 1 to"),
    ] {
        let output = sandbox.kasoku(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", error_of(&output));
        assert!(error_of(&output).contains(expected), "{arguments:?}: {}", error_of(&output));
    }
}

#[cfg(not(feature = "mpi"))]
#[test]
fn under_mpirun_a_build_without_mpi_says_how_to_build_it() {
    let sandbox = Sandbox::new();
    for variable in ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"] {
        let output = sandbox.command(&["run", "primitives", "--quick"]).env(variable, "1").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(error_of(&output).contains("--features mpi"), "{}", error_of(&output));
    }
}
