//! Whole files: Cobblestone-256 through `kasoku-file`. The format has AES-256 only.

use std::num::NonZeroUsize;
use std::path::Path;

use kasoku_engine::Backend;
use kasoku_file::{Key, Options, decrypt_file, encrypt_file};

use super::super::files::{FileJob, FileWork, open_from, open_to};
use super::super::loops::rejected;
use super::super::{JobError, Result, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;
use kasoku_model::workload::files::Form;

/// Makes the job ready.
pub(super) fn prepare(backend: Backend, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
    if work.algorithm != Algorithm::Aes256Gcm {
        return Err(Unsupported::new(format!("kasoku's files have AES-256-GCM only, no {}", work.algorithm.title())));
    }
    let key = work.fixtures.key.as_slice().try_into().map_err(|_| rejected("key"))?;
    let threads = NonZeroUsize::new(work.threads).unwrap_or(NonZeroUsize::MIN);
    let is_encrypting = work.operation == Operation::Encrypt;
    Ok(Box::new(Cobblestone { key: Key::from_bytes(key), is_encrypting, threads, backend }))
}

struct Cobblestone {
    key: Key,
    is_encrypting: bool,
    threads: NonZeroUsize,
    backend: Backend,
}

impl FileJob for Cobblestone {
    fn form(&self) -> Form {
        Form::Cobblestone
    }

    fn run(&mut self, from: &Path, to: &Path) -> Result<()> {
        let (from, to) = (open_from(from)?, open_to(to)?);
        let options = Options { threads: self.threads, backend: Some(self.backend), ..Options::default() };
        let work = if self.is_encrypting { encrypt_file } else { decrypt_file };
        work(&self.key, b"", &from, &to, &options).map(drop).map_err(|error| JobError::new(error.to_string()))
    }

    fn has_buffer(&self) -> bool {
        false
    }
}
