//! HTTPS server with hyper and rustls, whose records Kasoku seals and opens.
//!
//! ```sh
//! openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
//!     -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem
//! cargo run --release --example https_server -- certificate.pem key.pem 127.0.0.1:8443 &
//! curl --cacert certificate.pem https://localhost:8443/
//! ```

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [certificate, key, address] = &arguments[..] else {
        return Err("usage: https_server CERTIFICATE.pem KEY.pem ADDRESS:PORT".into());
    };

    // From here on, every rustls configuration in this program uses Kasoku's AES-GCM.
    kasoku_rustls::default_provider().install_default().map_err(|_| "a provider was installed before")?;

    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<Vec<_>, _>>()?;
    let key = PrivateKeyDer::from_pem_file(key)?;
    let mut tls = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(tls));

    let listener = TcpListener::bind(address).await?;
    println!("https://{}/", listener.local_addr()?);
    loop {
        let (stream, client) = listener.accept().await?;
        let acceptor = acceptor.clone();
        // An error with one client does not affect the others.
        tokio::spawn(async move {
            if let Err(error) = serve(acceptor, stream).await {
                eprintln!("{client}: {error}");
            }
        });
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream) -> Result<(), Box<dyn Error + Send + Sync>> {
    let stream = acceptor.accept(stream).await?;
    let suite = stream.get_ref().1.negotiated_cipher_suite();
    let page = service_fn(|request: Request<_>| async move {
        let _: &Request<hyper::body::Incoming> = &request;
        Ok::<_, Infallible>(Response::new(format!("{} by way of {suite:?}\n", request.uri())))
    });
    http1::Builder::new().serve_connection(TokioIo::new(stream), page).await?;
    Ok(())
}
