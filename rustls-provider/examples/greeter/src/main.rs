//! HTTPS server for curl, and QUIC server that sends back what it receives. Kasoku seals and opens for both.
//!
//! ```sh
//! openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
//!     -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem
//! cargo run --release &
//! curl --cacert certificate.pem https://localhost:8443/
//! ```

use std::{convert::Infallible, error::Error, sync::Arc};

use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // From here on every rustls configuration in this program has AES-GCM from Kasoku.
    kasoku_rustls::default_provider().install_default().map_err(|_| "a provider was installed before")?;

    let chain = CertificateDer::pem_file_iter("certificate.pem")?.collect::<Result<Vec<_>, _>>()?;
    let key = PrivateKeyDer::from_pem_file("key.pem")?;
    let tls = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;

    // QUIC: whatever a client sends in a stream comes back.
    let mut quic_tls = tls.clone();
    quic_tls.alpn_protocols = vec![b"echo".to_vec()];
    let endpoint = quinn::Endpoint::server(kasoku_rustls::quinn::server_config(quic_tls)?, "127.0.0.1:4433".parse()?)?;
    tokio::spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            tokio::spawn(async move {
                let Ok(connection) = incoming.await else { return };
                while let Ok((mut sending, mut receiving)) = connection.accept_bi().await {
                    let Ok(text) = receiving.read_to_end(1 << 20).await else { continue };
                    let _ = sending.write_all(&text).await;
                    let _ = sending.finish();
                }
            });
        }
    });

    // HTTPS: a page.
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(tls));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8443").await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let page =
                service_fn(|_: Request<Incoming>| async { Ok::<_, Infallible>(Response::new("Hello.\n".to_owned())) });
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), page).await;
        });
    }
}
