//! Certificates for the server, made anew for each run: RSA for the suites of the published measurement, whose key
//! exchange is RSA, and ECDSA P-256 for TLS 1.3, where the handshake is not the subject.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Unavailable;
use crate::{command, install};

/// How long making one may take: primes are a matter of luck.
const LIMIT: Duration = Duration::from_secs(30);

/// A key and its certificate, each in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The key.
    pub key: PathBuf,
    /// The certificate.
    pub certificate: PathBuf,
}

/// The two kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    /// RSA, 2048 bits.
    pub rsa: Certificate,
    /// ECDSA, P-256.
    pub ecdsa: Certificate,
}

impl Certificates {
    /// Makes both in `folder`.
    ///
    /// # Errors
    /// If there is no `openssl`, or it fails.
    pub fn make(folder: &Path) -> Result<Certificates, Unavailable> {
        let rsa = Certificate::make(folder, "rsa", &["-newkey", "rsa:2048"])?;
        Ok(Certificates { rsa, ecdsa: Certificate::ecdsa(folder)? })
    }
}

impl Certificate {
    /// Makes one with an ECDSA key in `folder`.
    ///
    /// # Errors
    /// As [`Certificates::make`].
    pub fn ecdsa(folder: &Path) -> Result<Certificate, Unavailable> {
        Certificate::make(folder, "ecdsa", &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
    }

    fn make(folder: &Path, name: &str, kind: &[&str]) -> Result<Certificate, Unavailable> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = command::find("openssl", &path).ok_or_else(|| Unavailable {
            why: "openssl, which makes the server's certificate, is not in PATH".to_owned(),
            install: Some(install::OPENSSL.to_owned()),
        })?;
        let (key, certificate) = (folder.join(format!("{name}.key")), folder.join(format!("{name}.crt")));
        let mut command = Command::new(&program);
        command.args(["req", "-x509", "-nodes", "-days", "30", "-subj", "/CN=localhost"]).args(kind);
        command.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
        // Nobody's configuration, and nobody's provider.
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
        command::run_to_end(&mut command, LIMIT).map_err(|why| Unavailable { why, install: None })?;
        Ok(Certificate { key, certificate })
    }
}
