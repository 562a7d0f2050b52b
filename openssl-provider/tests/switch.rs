//! `kasoku-provider`, the command that enables and disables the Debian package.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Relevant parts of Debian's configuration.
const SYSTEM: &str = "HOME = .\nopenssl_conf = openssl_init\nconfig_diagnostics = 1\n\n[openssl_init]\nproviders = \
                      provider_sect\n\n[provider_sect]\ndefault = default_sect\n\n[default_sect]\n# activate = 1\n\n\
                      [tsa]\ndefault_tsa = tsa_config1\n";

#[test]
fn disable_restores_the_openssl_configuration() {
    let place = Place::new(SYSTEM);
    std::fs::set_permissions(&place.system, PermissionsExt::from_mode(0o640)).unwrap();
    assert_eq!(place.run("status").status.code(), Some(1));

    let output = place.run("enable");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("disable\" undoes it"), "{output:?}");
    assert!(place.run("status").status.success());
    let ciphers = place.openssl(&["list", "-cipher-algorithms"]);
    assert!(ciphers.contains("@ kasoku") && ciphers.contains("@ default"), "{ciphers}");
    let enabled = place.text();
    assert!(place.run("enable").status.success());
    assert_eq!(place.text(), enabled, "it was added twice");

    assert!(place.run("disable").status.success());
    assert_eq!(place.text(), SYSTEM);
    assert_eq!(std::fs::metadata(&place.system).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(!place.openssl(&["list", "-cipher-algorithms"]).contains("@ kasoku"));
    assert!(place.run("disable").status.success());
    assert_eq!(place.text(), SYSTEM);
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 3, "something was left behind");
}

#[test]
fn enable_leaves_unsupported_openssl_configurations_unchanged() {
    let other_names = SYSTEM.replace("openssl_init", "our_init");
    let own_choice = SYSTEM.replace("[provider_sect]", "alg_section = fips_only\n\n[provider_sect]");
    let own_node = format!("nodejs_conf = node_init\n{SYSTEM}");
    for text in [&*other_names, &own_choice, &own_node, "[openssl_init]\n"] {
        let place = Place::new(text);
        let output = place.run("enable");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("by hand"), "{output:?}");
        assert_eq!(place.text(), text);
        assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 3, "something was left behind");
    }
}

#[test]
fn enable_makes_node_js_use_the_provider() {
    let place = Place::new(SYSTEM);
    let script = "require('crypto').createCipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)).update('a');\n\
                  console.log(require('fs').readFileSync('/proc/self/maps', 'utf8').includes('libkasoku_openssl'))";
    let uses_it = || {
        let output = Command::new("node").args(["-e", script]).env("OPENSSL_CONF", &place.system).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    if Command::new("node").arg("--version").output().is_err() {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "no node: apt-get install nodejs");
        eprintln!("not tested: node is not here");
        return;
    }
    assert_eq!(uses_it(), "false\n");
    assert!(place.run("enable").status.success());
    assert_eq!(uses_it(), "true\n");
}

#[test]
fn enable_accepts_a_configuration_without_final_newline() {
    let place = Place::new(SYSTEM.trim_end());
    assert!(place.run("enable").status.success());
    assert!(place.run("disable").status.success());
    assert_eq!(place.text(), SYSTEM);
}

#[test]
fn kasoku_provider_command_rejects_wrong_usage() {
    let place = Place::new(SYSTEM);
    assert_eq!(place.run("start").status.code(), Some(2));
    let alone = Command::new("sh").arg(&place.script).output().unwrap();
    assert_eq!(alone.status.code(), Some(2));
}

/// Folder with the script, the provider's configuration and a system configuration.
struct Place {
    folder: tempfile::TempDir,
    script: PathBuf,
    system: PathBuf,
}

impl Place {
    fn new(system: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let path_of = |name: &str| folder.path().join(name);
        let packaged = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/provider");
        let read = |name: &str| std::fs::read_to_string(packaged.join(name)).unwrap();

        let configuration = read("openssl-provider.cnf.in").replace("@module@", module().to_str().unwrap());
        std::fs::write(path_of("provider.cnf"), configuration).unwrap();
        let installed = "provider=/etc/kasoku/openssl-provider.cnf";
        let script = read("kasoku-provider");
        assert!(script.contains(installed));
        let script = script.replace(installed, &format!("provider={}", path_of("provider.cnf").display()));
        std::fs::write(path_of("kasoku-provider"), script).unwrap();
        std::fs::write(path_of("openssl.cnf"), system).unwrap();
        Place { script: path_of("kasoku-provider"), system: path_of("openssl.cnf"), folder }
    }

    fn run(&self, what: &str) -> Output {
        Command::new("sh").arg(&self.script).arg(what).arg(&self.system).output().unwrap()
    }

    fn openssl(&self, arguments: &[&str]) -> String {
        let output = Command::new("openssl").args(arguments).env("OPENSSL_CONF", &self.system).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.system).unwrap()
    }
}

/// Returns the module that was built with this test.
fn module() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap();
    let names = ["libkasoku_openssl.so", "../libkasoku_openssl.so"];
    names.map(|name| built.join(name)).into_iter().find(|file| file.is_file()).unwrap()
}
