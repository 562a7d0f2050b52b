//! OpenSSL's client and server, and curl, over loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{CipherSuite, ClientConnection, ServerConfig, ServerConnection, StreamOwned};

use crate::pair::text;
use crate::support::certificates::Identity;
use crate::support::children::{Running, program};
use crate::support::folder::Folder;
use crate::support::providers::{SUITES, needs_rsa, only, versions_of};

/// Enough bytes for many records.
const BYTES: usize = 300_000;

#[test]
fn openssl_s_client_exchanges_data_with_rustls_server() {
    if program("openssl").is_none() {
        return;
    }
    for suite in SUITES {
        let server = Server::start(suite, |stream| {
            // Echoes a line, then sends the requested bytes.
            let mut line = String::new();
            BufReader::new(&mut *stream).read_line(&mut line).unwrap();
            stream.write_all(line.as_bytes()).unwrap();
            stream.write_all(hex(&text(BYTES)).as_bytes()).unwrap();
        });
        let mut client = Running::start(server.s_client().arg("-quiet").args(openssl_suite(suite)));
        client.0.stdin.take().unwrap().write_all(b"from openssl\nK\n").unwrap();
        let (_, printed) = client.finish();
        assert_eq!(printed, format!("from openssl\n{}", hex(&text(BYTES))), "{suite:?}");
        server.finish();
    }
}

#[test]
fn openssl_s_server_exchanges_data_with_rustls_client() {
    if program("openssl").is_none() {
        return;
    }
    for suite in SUITES {
        let identity = identity_for(suite);
        let folder = Folder::new(&identity);
        let mut command = program("openssl").unwrap();
        command.args(["s_server", "-rev", "-accept", "127.0.0.1:0"]);
        command.arg("-cert").arg(folder.certificate()).arg("-key").arg(folder.key()).args(openssl_suite(suite));
        let mut server = Running::start(&mut command);
        let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
        let port: u16 = lines.find_map(|line| line.unwrap().strip_prefix("ACCEPT 127.0.0.1:")?.parse().ok()).unwrap();

        let config = rustls::ClientConfig::builder_with_provider(only(kasoku_rustls::default_provider(), suite))
            .with_protocol_versions(versions_of(suite))
            .unwrap()
            .with_root_certificates(identity.roots())
            .with_no_client_auth();
        let client = ClientConnection::new(Arc::new(config), ServerName::try_from("localhost").unwrap()).unwrap();
        let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let mut stream = StreamOwned::new(client, socket);
        // `openssl s_server -rev` sends each line back reversed.
        for length in [1, 100, 8000] {
            let line: Vec<u8> = text(length).iter().map(|byte| b'a' + byte % 26).collect();
            stream.write_all(&[&line[..], b"\n"].concat()).unwrap();
            let mut answer = vec![0; line.len() + 1];
            stream.read_exact(&mut answer).unwrap();
            assert!(answer[..line.len()].iter().rev().eq(&line), "{suite:?}");
        }
        if versions_of(suite)[0].version == rustls::ProtocolVersion::TLSv1_3 {
            stream.conn.refresh_traffic_keys().unwrap();
            stream.write_all(b"after an update\n").unwrap();
            let mut answer = [0; 16];
            stream.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"etadpu na retfa\n");
        }
        drop(server);
    }
}

/// `openssl s_client` requests a key update in both directions.
#[test]
fn openssl_s_client_updates_keys_with_rustls_server() {
    if program("openssl").is_none() {
        return;
    }
    let (sender, has_read) = channel();
    let server = Server::start(CipherSuite::TLS13_AES_256_GCM_SHA384, move |stream| {
        let mut lines = BufReader::new(&mut *stream).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "before");
        sender.send(()).unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), "after");
        drop(lines);
        stream.write_all(b"the server's turn\n").unwrap();
    });
    let mut client = Running::start(server.s_client().stderr(Stdio::piped()));
    let mut lines = BufReader::new(client.0.stderr.take().unwrap()).lines();
    let mut input = client.0.stdin.take().unwrap();
    input.write_all(b"before\n").unwrap();
    has_read.recv().unwrap();
    // s_client treats a `K` that it reads alone as the command for a key update in both directions.
    input.write_all(b"K\n").unwrap();
    assert!(lines.any(|line| line.unwrap() == "KEYUPDATE"));
    input.write_all(b"after\n").unwrap();
    server.finish();
    drop(input);
    let (_, printed) = client.finish();
    // If the client had sent the K as text, the server would have printed it.
    assert!(printed.contains("the server's turn"), "{printed}");
}

#[test]
fn curl_downloads_from_rustls_server() {
    if program("curl").is_none() {
        return;
    }
    for suite in SUITES {
        let server = Server::start(suite, |stream| {
            let mut request = BufReader::new(&mut *stream);
            let mut line = String::new();
            while request.read_line(&mut line).unwrap() > 2 {
                line.clear();
            }
            let page = hex(&text(BYTES));
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}", page.len())
                .unwrap();
        });
        let mut command = program("curl").unwrap();
        command.args(["--silent", "--show-error", "--noproxy", "*", "--cacert"]).arg(server.folder.certificate());
        command.arg(format!("https://localhost:{}/", server.port));
        let (is_good, printed) = Running::start(&mut command).finish();
        assert!(is_good && printed == hex(&text(BYTES)), "{suite:?}");
        server.finish();
    }
}

fn identity_for(suite: CipherSuite) -> Identity {
    if needs_rsa(suite) { Identity::rsa() } else { Identity::ecdsa() }
}

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

type Stream = StreamOwned<ServerConnection, TcpStream>;

/// rustls server for one connection.
struct Server {
    folder: Folder,
    port: u16,
    thread: std::thread::JoinHandle<()>,
}

impl Server {
    /// Starts a server with one suite: handshake, `talk`, and an orderly close.
    fn start(suite: CipherSuite, talk: impl FnOnce(&mut Stream) + Send + 'static) -> Self {
        let identity = identity_for(suite);
        let config = ServerConfig::builder_with_provider(only(kasoku_rustls::default_provider(), suite))
            .with_protocol_versions(versions_of(suite))
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(identity.chain(), identity.private_key())
            .unwrap();
        let (listener, port) = listener();
        let thread = std::thread::spawn(move || {
            let (socket, _) = listener.accept().unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), socket);
            talk(&mut stream);
            stream.conn.send_close_notify();
            stream.flush().unwrap();
        });
        Self { folder: Folder::new(&identity), port, thread }
    }

    /// Returns OpenSSL's client, which trusts the certificate and reads its input from a pipe.
    fn s_client(&self) -> Command {
        let mut command = program("openssl").unwrap();
        command.args(["s_client", "-verify_return_error", "-servername", "localhost", "-connect"]);
        command.arg(format!("127.0.0.1:{}", self.port)).arg("-CAfile").arg(self.folder.certificate());
        command.stdin(Stdio::piped());
        command
    }

    fn finish(self) {
        self.thread.join().unwrap();
    }
}

/// Returns the options that restrict openssl to that suite.
fn openssl_suite(suite: CipherSuite) -> [&'static str; 3] {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => ["-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"],
        CipherSuite::TLS13_AES_256_GCM_SHA384 => ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 => ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"],
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 => ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"],
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"],
        _ => ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"],
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
