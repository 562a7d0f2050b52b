use super::*;
use crate::identity::{client, client_that_trusts, is_other_token, server};

use std::io::Read;
use std::net::TcpListener;
use std::thread::{JoinHandle, spawn};

use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::version::TLS13;

fn streams() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

/// What came of a handshake at the client and at the server.
fn meet(
    of_client: Arc<ClientConfig>,
    of_server: Arc<ServerConfig>,
) -> (io::Result<LineStream>, io::Result<LineStream>) {
    let (client, server) = streams();
    let client = spawn(move || LineStream::to_server(client, of_client, later()));
    let server = LineStream::to_client(server, of_server, later());
    (client.join().unwrap(), server)
}

fn pair() -> (LineStream, LineStream) {
    let token = Token::random().unwrap();
    let (one, other) = meet(client(&token).unwrap(), server(&token).unwrap());
    (one.unwrap(), other.unwrap())
}

fn say(lines: &mut LineStream, bytes: &[u8]) -> io::Result<()> {
    lines.tls.writer().write_all(bytes)?;
    lines.flush()
}

/// For what does not come.
fn soon() -> Instant {
    Instant::now() + Duration::from_millis(300)
}

/// For what comes, on a busy machine too.
fn later() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

#[test]
fn lines_come_as_they_were_sent() {
    let (mut lines, mut other) = pair();
    for question in [ServerQuestion::File(1 << 20), ServerQuestion::Use] {
        other.send(&question).unwrap();
        assert_eq!(lines.receive(Some(later()), &mut || ()).unwrap(), Some(question));
    }
    drop(other);
    assert_eq!(lines.receive::<ServerQuestion>(Some(later()), &mut || ()).unwrap(), None);
}

#[test]
fn who_sends_byte_after_byte_gets_no_more_time() {
    let (mut lines, mut other) = pair();
    spawn(move || {
        while say(&mut other, b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let begin = Instant::now();
    let error = lines.receive::<ServerQuestion>(Some(soon()), &mut || ()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    // A line as long as may be would take minutes.
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[test]
fn what_is_too_long_too_slow_or_nonsense_ends_it() {
    let kind = |bytes: &[u8], ends: bool, until: Instant| {
        let (mut lines, mut other) = pair();
        let bytes = bytes.to_vec();
        let writing = spawn(move || {
            let _ = say(&mut other, &bytes); // it may hang up in the middle
            other
        });
        let mut writing = Some(writing);
        if ends {
            drop(writing.take().map(JoinHandle::join));
        }
        let error = lines.receive::<ServerQuestion>(Some(until), &mut || ()).unwrap_err();
        drop(writing);
        error.kind()
    };
    assert_eq!(kind(&vec![b' '; 4 * MAX], false, later()), io::ErrorKind::InvalidData);
    assert_eq!(kind(b"{\"file\":", false, soon()), io::ErrorKind::TimedOut);
    assert_eq!(kind(b"{\"file\":", true, later()), io::ErrorKind::UnexpectedEof);
    assert_eq!(kind(b"{\"file\":-1}\n", false, later()), io::ErrorKind::InvalidData);
    assert_eq!(kind(b"\xff\xfe\n", false, later()), io::ErrorKind::InvalidData);
    let deep = format!("{}\n", "[".repeat(50_000));
    assert_eq!(kind(deep.as_bytes(), false, later()), io::ErrorKind::InvalidData);
}

#[test]
fn who_has_another_token_is_refused_by_both() {
    let [token, other] = std::array::from_fn(|_| Token::random().unwrap());
    let (at_client, at_server) = meet(client(&other).unwrap(), server(&token).unwrap());
    assert!(is_other_token(&at_client.err().unwrap()) && is_other_token(&at_server.err().unwrap()));
    // A client that takes any server learns nothing either.
    let (at_client, at_server) = meet(client_that_trusts(&token, &other).unwrap(), server(&token).unwrap());
    assert!(is_other_token(&at_server.err().unwrap()));
    let said = at_client.and_then(|mut lines| lines.receive::<ServerAnswer>(Some(later()), &mut || ()));
    assert!(is_other_token(&said.unwrap_err()));
}

#[test]
fn a_certificate_is_no_proof() {
    let token = Token::random().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (chain, key) = (vec![made.cert.der().clone()], PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = || Arc::new(default_provider());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(chain[0].clone()).unwrap();
    let of_server = ServerConfig::builder_with_provider(provider()).with_protocol_versions(&[&TLS13]).unwrap();
    let of_server = of_server.with_no_client_auth().with_single_cert(chain.clone(), key.clone_key().into()).unwrap();
    let of_client = ClientConfig::builder_with_provider(provider()).with_protocol_versions(&[&TLS13]).unwrap();
    let of_client = of_client.with_root_certificates(roots);
    let without = of_client.clone().with_no_client_auth();
    let with = of_client.with_client_auth_cert(chain, key.into()).unwrap();
    assert!(meet(client(&token).unwrap(), Arc::new(of_server)).0.is_err());
    for of_client in [without, with] {
        assert!(meet(Arc::new(of_client), server(&token).unwrap()).1.is_err());
    }
}

#[test]
fn who_speaks_no_tls_gets_an_alert_at_most_and_no_more_time() {
    let config = server(&Token::random().unwrap()).unwrap();
    let record = [0x16, 3, 1, 0x40, 0];
    for (bytes, until, expected) in [
        (b"{\"kasoku\":1}\n".to_vec(), later(), io::ErrorKind::InvalidData),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), later(), io::ErrorKind::InvalidData),
        (vec![0; 4 << 20], later(), io::ErrorKind::InvalidData),
        ([&record[..], &vec![0xff; 1 << 20]].concat(), later(), io::ErrorKind::InvalidData),
        (Vec::new(), soon(), io::ErrorKind::TimedOut),
        (record.to_vec(), soon(), io::ErrorKind::TimedOut),
    ] {
        let (mut client, stream) = streams();
        let saying = spawn(move || {
            let _ = client.write_all(&bytes); // it may hang up in the middle
            client
        });
        let error = LineStream::to_client(stream, config.clone(), until).err().unwrap();
        assert_eq!(error.kind(), expected, "{error}");
        let mut heard = Vec::new();
        let _ = saying.join().unwrap().read_to_end(&mut heard); // a reset is an end too
        assert!(heard.len() <= 7, "{heard:?}");
    }
    // Byte after byte.
    let (mut client, stream) = streams();
    spawn(move || {
        let mut bytes = record.iter().copied().chain(std::iter::repeat(1));
        while bytes.next().is_some_and(|byte| client.write_all(&[byte]).is_ok()) {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    assert_eq!(LineStream::to_client(stream, config, soon()).err().unwrap().kind(), io::ErrorKind::TimedOut);
}
