//! Temporary files for child processes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::certificates::Identity;

/// Private folder with a certificate and its key, removed when dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(identity: &Identity) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("files-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        std::fs::create_dir_all(&folder.0).unwrap();
        std::fs::write(folder.certificate(), identity.certificate.pem()).unwrap();
        std::fs::write(folder.key(), identity.key.serialize_pem()).unwrap();
        folder
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
