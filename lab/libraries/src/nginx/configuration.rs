//! nginx's configuration. It follows the settings that Intel published with its measurement
//! (`published/intel-aes-gcm-nginx.toml`). Further settings avoid work that is not measured.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use super::Certificates;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::cipher_suite::Protocol;

/// Maximum number of connections of an nginx worker, as in Intel's published measurement.
pub const WORKER_CONNECTIONS: u32 = 8192;

#[derive(Clone, Copy)]
pub struct NginxConfiguration<'a> {
    /// Folder for nginx's own files.
    pub folder: &'a Path,
    /// Folder of the files to serve.
    pub files: &'a Path,
    pub certificates: &'a Certificates,
    pub workers: usize,
    /// Cores for the workers, one each if there are enough cores.
    pub cores: &'a [usize],
    /// Maximum number of open files for each worker.
    pub open_files: u64,
    /// Addresses on which nginx listens, each at every port in `ports`.
    pub addresses: &'a [IpAddr],
    pub ports: &'a [(CipherSuite, u16)],
}

impl NginxConfiguration<'_> {
    pub fn path(&self) -> PathBuf {
        self.folder.join("nginx.conf")
    }

    /// Returns the text of the file. Its paths must satisfy [`is_quotable`].
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
            let _ = writeln!(text, "    {kind}_temp_path \"{folder}/{kind}\";"); // writing to a String cannot fail
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
            // With encrypt-then-MAC, OpenSSL cannot do AES-CBC and SHA-1 in one pass, as it did in the published
            // measurement.
            Protocol::Tls12 => {
                let kept = if suite.is_gcm() { "" } else { " ssl_conf_command Options -EncryptThenMac;" };
                (&self.certificates.rsa, format!("ssl_ciphers {name};{kept}"))
            }
            // Without tickets, only the response follows the handshake, so that its bytes can be counted. The curves are
            // fixed, since handshakes are compared: newer versions of OpenSSL also agree on slower groups.
            Protocol::Tls13 => (
                &self.certificates.ecdsa,
                format!(
                    "ssl_conf_command Ciphersuites {name}; ssl_conf_command NumTickets 0; \
                         ssl_ecdh_curve X25519:prime256v1;"
                ),
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

/// Returns whether `path` can be quoted in a configuration.
pub fn is_quotable(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.chars().any(|c| c.is_control() || matches!(c, '"' | '\\' | '$')))
}

/// Returns the setting that pins each worker to a core, as masks; all workers share all cores if there are fewer cores
/// than workers.
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
    fn nginx_configuration_has_a_server_for_each_suite() {
        let certificate = |name: &str| Certificate {
            key: format!("/d/{name}.key").into(),
            certificate: format!("/d/{name}.crt").into(),
        };
        let certificates = Certificates { rsa: certificate("rsa"), ecdsa: certificate("ecdsa") };
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
             ssl_conf_command NumTickets 0; ssl_ecdh_curve X25519:prime256v1;",
            "listen 127.0.0.1:4003 ssl",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert_eq!(text.matches("rsa.key").count(), 2);
    }

    #[test]
    fn nginx_workers_share_cores_if_there_are_fewer_cores_than_workers() {
        assert_eq!(affinity(3, &[0, 1]), "worker_cpu_affinity 11 11 11;\n");
        assert_eq!(affinity(1, &[]), "");
    }

    #[test]
    fn nginx_configuration_rejects_paths_with_special_characters() {
        assert!(is_quotable(Path::new("/tmp/with space;{}")));
        for path in ["/tmp/\"", "/tmp/$host", "/tmp/\\", "/tmp/a\nb"] {
            assert!(!is_quotable(Path::new(path)), "{path}");
        }
    }
}
