//! TLS connections between real programs, one with the provider and one without: `openssl`, Python, curl, nginx. The
//! counter proves that the provider was used.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod counter;
#[path = "../evp/mod.rs"]
mod evp;
mod nginx;
mod place;

use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

use place::{FILE_BYTES, Place, Server, started, succeeded};

/// TLS version and cipher suite, as options of `openssl`.
const SUITES: [(&str, &str, &str); 5] = [
    ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    ("-tls1_2", "-cipher", "DHE-PSK-AES128-GCM-SHA256"),
    ("-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"),
    ("-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"),
];

/// Serves the folder's files with `openssl s_server`.
fn serve(place: &Place, has_provider: bool, (version, kind, suite): (&str, &str, &str)) -> Server {
    let mut server = place.server("openssl", has_provider);
    server.args(["s_server", "-accept", "127.0.0.1:0", "-key", "key.pem", "-cert", "certificate.pem", "-WWW", version]);
    server.args([kind, suite]);
    if suite.contains("PSK") {
        server.args(["-psk", "00112233445566778899aabbccddeeff", "-nocert"]);
    }
    started(server, |line| line.strip_prefix("ACCEPT ").and_then(|line| line.rsplit(':').next()?.trim().parse().ok()))
}

/// Fetches the file with `openssl s_client`.
fn fetch(place: &Place, has_provider: bool, server: &Server, (version, kind, suite): (&str, &str, &str)) -> Vec<u8> {
    let mut client = place.program("openssl", has_provider);
    client.args(["s_client", "-quiet", "-connect", &format!("127.0.0.1:{}", server.port), version, kind, suite]);
    if suite.contains("PSK") {
        client.args(["-psk", "00112233445566778899aabbccddeeff"]);
    } else {
        client.args(["-CAfile", "certificate.pem", "-verify_return_error"]);
    }
    let mut client = client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    client.stdin.take().unwrap().write_all(b"GET /file HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    client.stdout.take().unwrap().read_to_end(&mut answer).unwrap();
    client.wait().unwrap();
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4);
    answer.split_off(body.unwrap_or_else(|| panic!("{suite}: no answer")))
}

#[test]
fn openssl_connects_with_the_provider_in_client_or_server() {
    let place = Place::new();
    let file = std::fs::read(place.path("file")).unwrap();
    for suite in SUITES {
        for (server_has, client_has) in [(true, false), (false, true), (true, true), (false, false)] {
            let before = place.operations();
            let server = serve(&place, server_has, suite);
            let body = fetch(&place, client_has, &server, suite);
            assert!(body == file, "{suite:?}: {} bytes", body.len());
            drop(server);
            let records = place.operations() - before;
            // Each side has at least one record per 16 KiB, and a killed process may not have counted its last 255.
            let expected = FILE_BYTES.div_ceil(1 << 14) as u64;
            match (server_has, client_has) {
                (false, false) => assert_eq!(records, 0, "{suite:?}"),
                (true, false) => assert!(records > 0, "{suite:?}: {records}"),
                _ => assert!(records >= expected, "{suite:?}: {records}"),
            }
        }
    }
}

const PYTHON_SERVER: &str = r#"
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("certificate.pem", "key.pem")
listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1], flush=True)
while True:
    plain, _ = listener.accept()
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            connection.recv(1000)
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + open("file", "rb").read())
            connection.unwrap()
    except (OSError, ssl.SSLError):
        pass
"#;

const PYTHON_CLIENT: &str = r#"
import socket, ssl, sys
context = ssl.create_default_context(cafile="certificate.pem")
version = getattr(ssl.TLSVersion, sys.argv[2])
context.minimum_version = context.maximum_version = version
plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
with context.wrap_socket(plain, server_hostname="localhost") as connection:
    assert "GCM" in connection.cipher()[0], connection.cipher()
    connection.sendall(b"GET /file HTTP/1.0\r\n\r\n")
    answer = b""
    try:
        while piece := connection.recv(65536):
            answer += piece
    except ssl.SSLEOFError:
        pass
sys.stdout.buffer.write(answer.split(b"\r\n\r\n", 1)[1])
"#;

#[test]
fn python_connects_with_the_provider_in_client_or_server() {
    let place = Place::new();
    let file = std::fs::read(place.path("file")).unwrap();
    for (server_has, client_has) in [(true, false), (false, true)] {
        let mut server = place.server("python3", server_has);
        server.args(["-I", "-c", PYTHON_SERVER]);
        let server = started(server, |line| line.strip_prefix("port ")?.trim().parse().ok());
        for version in ["TLSv1_2", "TLSv1_3"] {
            let before = place.operations();
            let mut client = place.program("python3", client_has);
            client.args(["-I", "-c", PYTHON_CLIENT]);
            let body = succeeded(client.args([&server.port.to_string(), version]).output().unwrap());
            assert!(body == file, "{version}: {} bytes", body.len());
            assert!(place.operations() > before, "{version}: the provider was not used");
        }
    }
}

#[test]
fn curl_downloads_with_the_provider() {
    let place = Place::new();
    let file = std::fs::read(place.path("file")).unwrap();
    for suite in SUITES.into_iter().filter(|(.., suite)| !suite.contains("PSK")) {
        let server = serve(&place, false, suite);
        let before = place.operations();
        let mut curl = place.program("curl", true);
        curl.args(["--silent", "--show-error", "--http0.9", "--cacert", "certificate.pem", "--noproxy", "*"]);
        curl.arg(format!("https://localhost:{}/file", server.port))
            .args(["--resolve", &format!("localhost:{}:127.0.0.1", server.port)]);
        let output = curl.output().unwrap();
        assert!(output.stdout == file, "{suite:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(place.operations() - before >= FILE_BYTES.div_ceil(1 << 14) as u64, "{suite:?}");
    }
}

/// A wheel of PyPI's cryptography includes its own OpenSSL, which must load the provider too.
#[test]
fn python_wheel_with_bundled_openssl_loads_the_provider() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python/bin/python");
    if !python.exists() {
        assert!(
            std::env::var("CI").unwrap_or_default().is_empty(),
            "{} is not here; test.sh makes it",
            python.display()
        );
        println!("not tested: {} is not here", python.display());
        return;
    }
    let script = "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\n\
                  for number in range(200): sealed = AESGCM(bytes(16)).encrypt(bytes([number] * 12), bytes(1000), \
                  b'aad')\nprint(sealed.hex())";
    let place = Place::new();
    let [without, with] = [false, true].map(|has_provider| {
        let mut python = place.program(python.to_str().unwrap(), has_provider);
        succeeded(python.args(["-I", "-c", script]).output().unwrap())
    });
    assert_eq!(with, without);
    // Even if the program does not unload its providers, the last counts are written at the end.
    assert_eq!(place.operations(), 200);
}

/// If the module is missing, OpenSSL silently uses its own provider. Programs therefore need the counter as evidence.
#[test]
fn openssl_falls_back_silently_without_the_module() {
    let place = Place::new();
    let configuration = std::fs::read_to_string(place.path("with.cnf")).unwrap();
    let missing = configuration.replace(&evp::module().display().to_string(), "/nowhere/kasoku.so");
    assert_ne!(missing, configuration);
    std::fs::write(place.path("with.cnf"), missing).unwrap();
    let suite = SUITES[3];
    let server = serve(&place, true, suite);
    let file = std::fs::read(place.path("file")).unwrap();
    assert!(fetch(&place, true, &server, suite) == file);
    assert_eq!(place.operations(), 0);
    assert!(!Path::new(&place.path("counter")).exists());
}
