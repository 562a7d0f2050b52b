//! The server's configuration: that of the published measurement where it says one, and nothing that would cost what
//! is not measured.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use super::Certificates;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::cipher_suite::Protocol;

/// Connections a worker may have, as published.
pub const WORKER_CONNECTIONS: u32 = 8192;

/// What one server is to do.
#[derive(Clone, Copy)]
pub struct NginxConfiguration<'a> {
    /// The folder it may write to.
    pub folder: &'a Path,
    /// The folder of the files it sends.
    pub files: &'a Path,
    /// Its certificates.
    pub certificates: &'a Certificates,
    /// Processes that do the work.
    pub workers: usize,
    /// The cores they may run on; worker for worker if there are enough of them.
    pub cores: &'a [usize],
    /// Files that each may have open.
    pub open_files: u64,
    /// The addresses at which it listens, on the same ports.
    pub addresses: &'a [IpAddr],
    /// A port for each suite.
    pub ports: &'a [(CipherSuite, u16)],
}

impl NginxConfiguration<'_> {
    /// The file in which it is written.
    pub fn path(&self) -> PathBuf {
        self.folder.join("nginx.conf")
    }

    /// The text. Paths are quoted; they may hold anything but what [`is_writable`] refuses.
    pub fn text(&self) -> String {
        let folder = self.folder.display();
        let mut text = format!(
            "daemon off;\nmaster_process on;\nworker_processes {};\nworker_rlimit_nofile {};\n\
             {}pid \"{folder}/nginx.pid\";\n\
             error_log \"{folder}/error.log\" warn;\n\
             events {{\n    worker_connections {WORKER_CONNECTIONS};\n    multi_accept on;\n}}\n\
             http {{\n    access_log off;\n    default_type application/octet-stream;\n    sendfile on;\n    \
             keepalive_timeout 0;\n    ssl_session_cache off;\n    ssl_session_tickets off;\n    \
             ssl_buffer_size 16k;\n",
            self.workers,
            self.open_files,
            affinity(self.workers, self.cores),
        );
        for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
            let _ = writeln!(text, "    {kind}_temp_path \"{folder}/{kind}\";"); // a String takes everything
        }
        for &(suite, port) in self.ports {
            text.push_str(&self.server(suite, port));
        }
        text.push_str("}\n");
        text
    }

    fn server(&self, suite: CipherSuite, port: u16) -> String {
        let name = suite.openssl_name();
        let listen =
            |address: &IpAddr| format!("        listen {} ssl backlog=8192;\n", SocketAddr::from((*address, port)));
        let listen: String = self.addresses.iter().map(listen).collect();
        let (certificate, how) = match suite.protocol() {
            // Encrypt-then-MAC would keep OpenSSL from doing AES-CBC and SHA-1 in one pass, as it did when this was
            // published.
            Protocol::Tls12 => {
                let kept = if suite.is_gcm() { "" } else { " ssl_conf_command Options -EncryptThenMac;" };
                (&self.certificates.rsa, format!("ssl_ciphers {name};{kept}"))
            }
            // Without tickets nothing but the answer comes behind the handshake, so that its bytes can be counted.
            Protocol::Tls13 => (
                &self.certificates.ecdsa,
                format!("ssl_conf_command Ciphersuites {name}; ssl_conf_command NumTickets 0;"),
            ),
        };
        format!(
            "    server {{\n{listen}        root \"{}\";\n        \
             ssl_protocols {}; {how}\n        ssl_certificate \"{}\";\n        ssl_certificate_key \"{}\";\n    }}\n",
            self.files.display(),
            suite.protocol().name(),
            certificate.certificate.display(),
            certificate.key.display(),
        )
    }
}

/// Whether `path` can stand in quotation marks in a configuration.
pub fn is_writable(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.chars().any(|c| c.is_control() || matches!(c, '"' | '\\' | '$')))
}

/// Which worker runs on which core, as masks; on any of them all if there are fewer cores than workers.
fn affinity(workers: usize, cores: &[usize]) -> String {
    let mask = |cores: &[usize]| -> String {
        let highest = cores.iter().max().copied().unwrap_or(0);
        (0..=highest).rev().map(|core| if cores.contains(&core) { '1' } else { '0' }).collect()
    };
    if cores.is_empty() {
        return String::new();
    }
    let masks: Vec<String> = (0..workers)
        .map(|worker| match cores.get(worker) {
            Some(core) if workers <= cores.len() => mask(&[*core]),
            _ => mask(cores),
        })
        .collect();
    format!("worker_cpu_affinity {};\n", masks.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nginx::Certificate;

    #[test]
    fn the_text_is_the_published_setting_with_suites_apart() {
        let one = |name: &str| Certificate {
            key: format!("/d/{name}.key").into(),
            certificate: format!("/d/{name}.crt").into(),
        };
        let certificates = Certificates { rsa: one("rsa"), ecdsa: one("ecdsa") };
        let ports =
            [(CipherSuite::Aes128Sha, 4001), (CipherSuite::Aes128GcmSha256, 4002), (CipherSuite::Tls13ChaCha20, 4003)];
        let (folder, files) = (Path::new("/d/s 1"), Path::new("/d/files"));
        let setting = NginxConfiguration {
            folder,
            files,
            certificates: &certificates,
            workers: 2,
            cores: &[0, 3],
            open_files: 20_000,
            addresses: &[std::net::Ipv4Addr::LOCALHOST.into()],
            ports: &ports,
        };
        let text = setting.text();
        for line in [
            "worker_processes 2;",
            "worker_cpu_affinity 1 1000;",
            "worker_connections 8192;",
            "multi_accept on;",
            "pid \"/d/s 1/nginx.pid\";",
            "ssl_protocols TLSv1.2; ssl_ciphers AES128-SHA; ssl_conf_command Options -EncryptThenMac;",
            "ssl_protocols TLSv1.2; ssl_ciphers AES128-GCM-SHA256;\n",
            "ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_CHACHA20_POLY1305_SHA256; \
             ssl_conf_command NumTickets 0;",
            "listen 127.0.0.1:4003 ssl",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert_eq!(text.matches("rsa.key").count(), 2);
    }

    #[test]
    fn more_workers_than_cores_share_them() {
        assert_eq!(affinity(3, &[0, 1]), "worker_cpu_affinity 11 11 11;\n");
        assert_eq!(affinity(1, &[]), "");
    }

    #[test]
    fn paths_that_would_be_read_as_something_else_are_refused() {
        assert!(is_writable(Path::new("/tmp/with space;{}")));
        for path in ["/tmp/\"", "/tmp/$host", "/tmp/\\", "/tmp/a\nb"] {
            assert!(!is_writable(Path::new(path)), "{path}");
        }
    }
}
