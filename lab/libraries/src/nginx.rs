//! nginx, the web server of the level `tls`: finds the program, creates certificates, writes the configuration.

pub mod configuration;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Unavailable, command, install};

const LIMIT: Duration = Duration::from_secs(5);
/// Folders with nginx that a user's PATH may lack, as on Debian.
const FOLDERS: &str = "/usr/sbin:/usr/local/sbin:/usr/local/nginx/sbin";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nginx {
    pub program: PathBuf,
    pub version: String,
    /// Version of the OpenSSL that nginx runs with, such as `3.0.19`.
    pub openssl: String,
}

impl Nginx {
    /// Finds nginx in PATH, or where distributions install it.
    pub fn find() -> Result<Nginx, Unavailable> {
        let to_install = || Some(install::NGINX.to_owned());
        let path = std::env::var_os("PATH").unwrap_or_default();
        // A PATH without any folder `bin` may be deliberate, so search the usual folders only for an ordinary PATH.
        let is_usual = std::env::split_paths(&path).any(|folder| folder.ends_with("bin") && folder.is_absolute());
        let program = command::find("nginx", &path)
            .or_else(|| if is_usual { command::find("nginx", FOLDERS.as_ref()) } else { None })
            .ok_or_else(|| Unavailable { why: "nginx is not in PATH".to_owned(), install: to_install() })?;
        let refused = |why: String| Unavailable { why, install: to_install() };
        // nginx prints its version on standard error.
        let told = command::run(&program, &["-V"], LIMIT).map_err(refused)?.err;
        let (version, openssl) = read_version(&told)
            .ok_or_else(|| refused(format!("{} does not report a version of nginx", program.display())))?;
        let openssl = openssl.ok_or_else(|| refused(format!("{} is built without TLS", program.display())))?;
        Ok(Nginx { program, version, openssl })
    }

    pub fn label(&self) -> String {
        format!("{} in nginx {}", self.openssl, self.version)
    }
}

/// Parses the output of `nginx -V`: version of nginx, and of the OpenSSL it runs with if it supports TLS.
fn read_version(told: &str) -> Option<(String, Option<String>)> {
    let version = told.lines().find_map(|line| line.strip_prefix("nginx version: nginx/"))?;
    let version = version.split_whitespace().next()?.to_owned();
    let built = told.lines().find_map(|line| line.strip_prefix("built with OpenSSL "));
    let running = built.map(|line| line.split_once("(running with OpenSSL ").map_or(line, |(_, running)| running));
    let number = running.and_then(|text| text.split_whitespace().next()).map(str::to_owned);
    Some((version, number.filter(|_| told.contains("--with-http_ssl_module"))))
}

/// Time limit for creating a certificate, since finding primes is a matter of luck.
const CERTIFICATE_LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub key: PathBuf,
    pub certificate: PathBuf,
}

/// The server's certificates, created for each run. The RSA certificate is for the cipher suites of Intel's measurement
/// (`published/intel-aes-gcm-nginx.toml`), whose key exchange is RSA. The ECDSA certificate is for TLS 1.3, whose
/// handshake is not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    pub rsa: Certificate,
    pub ecdsa: Certificate,
}

impl Certificates {
    pub fn make(folder: &Path) -> Result<Certificates, Unavailable> {
        let rsa = Certificate::make(folder, "rsa", &["-newkey", "rsa:2048"])?;
        Ok(Certificates { rsa, ecdsa: Certificate::ecdsa(folder)? })
    }
}

impl Certificate {
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
        // Ignore the user's OpenSSL configuration and providers.
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
        command::run_to_end(&mut command, CERTIFICATE_LIMIT).map_err(Unavailable::new)?;
        Ok(Certificate { key, certificate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nginx_version_parses_with_and_without_tls() {
        let debian = "nginx version: nginx/1.22.1\nbuilt with OpenSSL 3.0.8 7 Feb 2023 (running with OpenSSL 3.0.19 27 \
                      Jan 2026)\nTLS SNI support enabled\nconfigure arguments: --with-http_ssl_module --with-threads\n";
        assert_eq!(read_version(debian), Some(("1.22.1".to_owned(), Some("3.0.19".to_owned()))));
        let same = "nginx version: nginx/1.27.0 (Ubuntu)\nbuilt with OpenSSL 3.5.1 1 Jul 2025\nconfigure arguments: \
                    --with-http_ssl_module\n";
        assert_eq!(read_version(same), Some(("1.27.0".to_owned(), Some("3.5.1".to_owned()))));
        let plain = "nginx version: nginx/1.22.1\nconfigure arguments: --prefix=/x\n";
        assert_eq!(read_version(plain), Some(("1.22.1".to_owned(), None)));
        assert_eq!(read_version("apache 2"), None);
    }
}
