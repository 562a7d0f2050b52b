//! QUIC echo with quinn; Kasoku protects each packet and its header in one pass.
//!
//! ```sh
//! openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
//!     -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem
//! cargo run --release --features quinn --example quic_echo -- server certificate.pem key.pem 127.0.0.1:4433 &
//! cargo run --release --features quinn --example quic_echo -- client certificate.pem 127.0.0.1:4433 hello
//! ```

use std::error::Error;

use quinn::{Connection, Endpoint};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Application protocol; QUIC requires both sides to name it.
const PROTOCOL: &[u8] = b"echo";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // From here on, every rustls configuration in this program uses Kasoku's AES-GCM.
    kasoku_rustls::default_provider().install_default().map_err(|_| "a provider was installed before")?;

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["server", certificate, key, address] => server(certificate, key, address).await,
        ["client", certificate, address, text] => client(certificate, address, text).await,
        _ => Err("usage: quic_echo server CERTIFICATE KEY ADDRESS:PORT | client CERTIFICATE ADDRESS:PORT TEXT".into()),
    }
}

async fn server(certificate: &str, key: &str, address: &str) -> Result<(), Box<dyn Error>> {
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<Vec<_>, _>>()?;
    let key = PrivateKeyDer::from_pem_file(key)?;
    let mut tls = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;
    tls.alpn_protocols = vec![PROTOCOL.to_vec()];

    let endpoint = Endpoint::server(kasoku_rustls::quinn::server_config(tls)?, address.parse()?)?;
    println!("{}", endpoint.local_addr()?);
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            match incoming.await {
                Ok(connection) => echo(connection).await,
                Err(error) => eprintln!("{error}"),
            }
        });
    }
    Ok(())
}

/// Echoes every stream until the client closes the connection.
async fn echo(connection: Connection) {
    while let Ok((mut sending, mut receiving)) = connection.accept_bi().await {
        tokio::spawn(async move {
            while let Ok(Some(chunk)) = receiving.read_chunk(usize::MAX, true).await {
                if sending.write_chunk(chunk.bytes).await.is_err() {
                    return; // the client has stopped the stream
                }
            }
            let _ = sending.finish();
        });
    }
}

async fn client(certificate: &str, address: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate)?)?;
    let mut tls = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    tls.alpn_protocols = vec![PROTOCOL.to_vec()];

    let endpoint = Endpoint::client(([0, 0, 0, 0], 0).into())?;
    let config = kasoku_rustls::quinn::client_config(tls)?;
    let connection = endpoint.connect_with(config, address.parse()?, "localhost")?.await?;
    let (mut sending, mut receiving) = connection.open_bi().await?;
    sending.write_all(text.as_bytes()).await?;
    sending.finish()?;
    println!("{}", String::from_utf8(receiving.read_to_end(1 << 20).await?)?);
    connection.close(0_u8.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}
