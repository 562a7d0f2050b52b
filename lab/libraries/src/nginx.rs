//! nginx, the web server of the level `tls`: which one there is, and how it is configured.

pub mod certificate;
pub mod configuration;

use std::path::PathBuf;
use std::time::Duration;

use super::Unavailable;
use super::{command, install};

/// How long it may take to tell its version.
const LIMIT: Duration = Duration::from_secs(5);
/// Where Debian puts it, which a user's PATH may lack.
const FOLDERS: &str = "/usr/sbin:/usr/local/sbin:/usr/local/nginx/sbin";

/// A program nginx with TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nginx {
    /// The program.
    pub program: PathBuf,
    /// Its version: `1.22.1`.
    pub version: String,
    /// The OpenSSL it runs with: `3.0.19`.
    pub openssl: String,
}

impl Nginx {
    /// The first nginx in the variable PATH, or where distributions put it.
    ///
    /// # Errors
    /// If there is none, or it cannot do what is measured.
    pub fn find() -> Result<Nginx, Unavailable> {
        let to_install = || Some(install::NGINX.to_owned());
        let path = std::env::var_os("PATH").unwrap_or_default();
        // Who sets PATH to something that has no nginx may mean it; who has a usual one is helped.
        let is_usual = std::env::split_paths(&path).any(|folder| folder.ends_with("bin") && folder.is_absolute());
        let program = command::find("nginx", &path)
            .or_else(|| if is_usual { command::find("nginx", FOLDERS.as_ref()) } else { None })
            .ok_or_else(|| Unavailable { why: "nginx is not in PATH".to_owned(), install: to_install() })?;
        let refused = |why: String| Unavailable { why, install: to_install() };
        // It tells on standard error.
        let told = command::run(&program, &["-V"], LIMIT).map_err(refused)?.err;
        let (version, openssl) = read_version(&told)
            .ok_or_else(|| refused(format!("{} does not report a version of nginx", program.display())))?;
        let openssl = openssl.ok_or_else(|| refused(format!("{} is built without TLS", program.display())))?;
        Ok(Nginx { program, version, openssl })
    }

    /// As the series tell it: the provider's host and the server.
    pub fn label(&self) -> String {
        format!("{} in nginx {}", self.openssl, self.version)
    }
}

/// The version of nginx, and that of the OpenSSL it runs with if it has one.
fn read_version(told: &str) -> Option<(String, Option<String>)> {
    let version = told.lines().find_map(|line| line.strip_prefix("nginx version: nginx/"))?;
    let version = version.split_whitespace().next()?.to_owned();
    let built = told.lines().find_map(|line| line.strip_prefix("built with OpenSSL "));
    let running = built.map(|line| line.split_once("(running with OpenSSL ").map_or(line, |(_, running)| running));
    let number = running.and_then(|text| text.split_whitespace().next()).map(str::to_owned);
    Some((version, number.filter(|_| told.contains("--with-http_ssl_module"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_with_and_without_tls() {
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
