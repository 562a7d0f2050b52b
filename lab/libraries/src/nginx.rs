//! nginx, the web server of the level `tls`: finds the program and what it runs with, creates certificates, writes the
//! configuration.

pub mod configuration;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
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
        ask_version(&program, None).map(|(version, openssl)| Nginx { program, version, openssl }).map_err(refused)
    }

    /// Returns the build of OpenSSL that consists of `libcrypto`, an absolute path, and the libssl beside it. Fails if
    /// nginx does not run with it.
    pub fn openssl_build(&self, libcrypto: &Path) -> Result<OpensslBuild, String> {
        let mut build = OpensslBuild { libcrypto: libcrypto.to_owned(), version: String::new() };
        let is_libssl = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with("libssl.so."));
        let mut files = fs::read_dir(build.folder()).into_iter().flatten().filter_map(Result::ok);
        if !files.any(|file| is_libssl(&file.file_name())) {
            return Err("nginx needs libssl too, and there is none beside it".to_owned());
        }
        if build.folder().to_str().is_none_or(|folder| folder.contains([':', ';'])) {
            return Err("the loader cannot search its folder, whose name has a colon or a semicolon".to_owned());
        }
        build.version = ask_version(&self.program, Some(&build))?.1;
        Ok(build)
    }

    pub fn label(&self) -> String {
        format!("{} in nginx {}", self.openssl, self.version)
    }
}

/// A build of OpenSSL for nginx in place of the one that the loader finds by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpensslBuild {
    /// Absolute path. libssl is in the same folder.
    pub libcrypto: PathBuf,
    pub version: String,
}

impl OpensslBuild {
    fn folder(&self) -> &Path {
        self.libcrypto.parent().unwrap_or(Path::new("/"))
    }

    /// Makes the loader of `command` search this build first, and then where it searches anyway.
    pub fn apply_to(&self, command: &mut Command) {
        let mut path = self.folder().as_os_str().to_owned();
        if let Some(inherited) = std::env::var_os(LOADER_PATH).filter(|inherited| !inherited.is_empty()) {
            path.push(":");
            path.push(inherited);
        }
        command.env(LOADER_PATH, path);
    }

    /// Checks that a process with `maps`, the content of `/proc/PID/maps`, runs with this build and no other.
    pub fn check_mapped(&self, maps: &str) -> Result<(), String> {
        let paths = maps.lines().filter_map(|line| line.find('/').map(|start| Path::new(&line[start..])));
        let of_openssl: BTreeSet<&Path> = paths.filter(|path| openssl_part(path).is_some()).collect();
        let named = self.libcrypto.display();
        if let Some(other) = of_openssl.iter().find(|path| path.parent() != Some(self.folder())) {
            return Err(format!("nginx runs with {} instead of the OpenSSL of {named}", other.display()));
        }
        let has_libssl = of_openssl.iter().any(|path| openssl_part(path) == Some("libssl"));
        match of_openssl.contains(&*self.libcrypto) && has_libssl {
            true => Ok(()),
            false => Err(format!("nginx does not load {named} and the libssl beside it")),
        }
    }
}

/// Folders that the loader searches before its own.
const LOADER_PATH: &str = "LD_LIBRARY_PATH";

/// Returns `libssl` or `libcrypto` if `path` is a shared library of that name.
fn openssl_part(path: &Path) -> Option<&str> {
    let (name, _) = path.file_name()?.to_str()?.split_once(".so")?;
    Some(name).filter(|name| ["libssl", "libcrypto"].contains(name))
}

/// Asks nginx for its version and the version of the OpenSSL it runs with, which is that of `build` if there is one.
fn ask_version(program: &Path, build: Option<&OpensslBuild>) -> Result<(String, String), String> {
    let mut command = Command::new(program);
    command.arg("-V");
    build.into_iter().for_each(|build| build.apply_to(&mut command));
    // nginx prints its version on standard error.
    let told = command::run_to_end(&mut command, LIMIT)?.err;
    let (version, openssl) =
        read_version(&told).ok_or_else(|| format!("{} does not report a version of nginx", program.display()))?;
    Ok((version, openssl.ok_or_else(|| format!("{} is built without TLS", program.display()))?))
}

/// Parses the output of `nginx -V`: version of nginx, and of the OpenSSL it runs with if it supports TLS.
fn read_version(told: &str) -> Option<(String, Option<String>)> {
    let version = told.lines().find_map(|line| line.strip_prefix("nginx version: nginx/"))?;
    let version = version.split_whitespace().next()?.to_owned();
    let built = told.lines().find_map(|line| line.strip_prefix("built with OpenSSL "));
    let running = built.map(|line| line.split_once("(running with OpenSSL ").map_or(line, |(_, running)| running));
    let number = running.and_then(|text| text.split_whitespace().next()).filter(|number| is_version(number));
    Some((version, number.map(str::to_owned).filter(|_| told.contains("--with-http_ssl_module"))))
}

/// Whether a library reports a version that can be shown as it is.
fn is_version(number: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".+-_~".contains(&byte);
    number.len() <= 32 && number.starts_with(|first: char| first.is_ascii_digit()) && number.bytes().all(is_plain)
}

/// Time limit for creating a certificate, since finding primes is a matter of luck.
const CERTIFICATE_LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub key: PathBuf,
    pub certificate: PathBuf,
}

/// The server's certificates, created for each run. The RSA certificate is for the cipher suites of Intel's measurement
/// (`published/intel-aes-gcm-nginx.toml`), whose key exchange is RSA. The ECDSA certificate is for TLS 1.3 and
/// its handshakes.
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
        let hostile = same.replace("3.5.1", "3.5.1\u{1b}[31m");
        assert_eq!(read_version(&hostile), Some(("1.27.0".to_owned(), None)));
        assert_eq!(read_version(&same.replace("3.5.1", &"3".repeat(33))), Some(("1.27.0".to_owned(), None)));
    }

    #[test]
    fn openssl_build_requires_both_of_its_libraries_and_no_other() {
        let build = OpensslBuild { libcrypto: "/opt/my ssl/libcrypto.so.3".into(), version: "3.5.5".to_owned() };
        let maps = |paths: &[&str]| -> String {
            paths.iter().map(|path| format!("7f00-7f01 r-xp 00000000 fe:00 1   {path}\n")).collect()
        };
        let own = ["/usr/lib/libc.so.6", "/opt/my ssl/libcrypto.so.3", "/opt/my ssl/libssl.so.3"];
        assert_eq!(build.check_mapped(&maps(&own)), Ok(()));
        let of_system = build.check_mapped(&maps(&["/usr/lib/libssl.so.3", own[1]])).unwrap_err();
        assert!(of_system.contains("/usr/lib/libssl.so.3 instead of"), "{of_system}");
        assert!(build.check_mapped(&maps(&own[1..2])).unwrap_err().contains("does not load"));
        assert!(build.check_mapped("").unwrap_err().contains("does not load"));
    }
}
