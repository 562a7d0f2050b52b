//! The QUIC echo example with its own client and with quinn's.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;

use crate::built::example;
use crate::support::certificates::Identity;
use crate::support::children::Running;
use crate::support::folder::Folder;

#[test]
fn quic_echo_example_returns_what_clients_send() {
    let identity = Identity::ecdsa();
    let folder = Folder::new(&identity);
    let mut command = example("quic_echo");
    command.arg("server").arg(folder.certificate()).arg(folder.key()).arg("127.0.0.1:0").stdout(Stdio::piped());
    let mut server = Running::start(&mut command);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim();

    let mut client = example("quic_echo");
    client.arg("client").arg(folder.certificate()).args([address, "hello over there"]).stdout(Stdio::piped());
    let (is_good, said) = Running::start(&mut client).finish();
    assert!(is_good && said == "hello over there\n", "{said}");

    assert_eq!(echoed(address.parse().unwrap(), &identity, &[7; 100_000]), [7; 100_000]);
}

/// Sends `text` with quinn's own client on aws-lc-rs, and returns the server's answer.
pub(crate) fn echoed(address: SocketAddr, identity: &Identity, text: &[u8]) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let talk = async {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_root_certificates(identity.roots())
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"echo".to_vec()];
        let config = quinn::ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls).unwrap()));
        let endpoint = quinn::Endpoint::client((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
        let (mut sending, mut receiving) = connection.open_bi().await.unwrap();
        let (_, answer) = tokio::join!(
            async {
                sending.write_all(text).await.unwrap();
                sending.finish().unwrap();
            },
            async { receiving.read_to_end(1 << 20).await.unwrap() }
        );
        answer
    };
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(120), talk).await.unwrap() })
}
