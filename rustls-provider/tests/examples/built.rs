//! Where the examples are, and what they need.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::certificates::Identity;

/// The example, which Cargo builds with the tests; built now if a single test was asked for.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let path = profile.join("examples").join(name);
    if !path.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
        cargo.args(["--features", "quinn", "--example", name]);
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
    }
    path
}

/// A private folder that is gone with the test; with a certificate for `localhost` and its key.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> (Self, Identity) {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("example-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        std::fs::create_dir_all(&folder.0).unwrap();
        let identity = Identity::ecdsa();
        std::fs::write(folder.certificate(), identity.certificate.pem()).unwrap();
        std::fs::write(folder.key(), identity.key.serialize_pem()).unwrap();
        (folder, identity)
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.0.join("certificate.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.0.join("key.pem")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
