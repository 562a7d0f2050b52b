//! Whole files through OpenSSL's EVP: read a piece, update, write the output; at the end the padding or tag.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use super::cipher_name;
use super::libcrypto::Libcrypto;
use super::libcrypto::cipher_context::{CipherContext, CipherDirection, ROOM, Settings, TAG_BYTES};
use crate::files::{FileJob, FileWork, open_from, open_to, piece_by_piece, reading, writing};
use crate::{JobError, Result, Unsupported};
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::workload::Operation;
use kasoku_model::workload::files::Form;

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::Aes128Gcm,
    Algorithm::Aes256Gcm,
    Algorithm::Aes128Cbc,
    Algorithm::Aes256Cbc,
    Algorithm::Aes128Ctr,
    Algorithm::Aes256Ctr,
];

pub(super) fn prepare(libcrypto: &Arc<Libcrypto>, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
    if !ALGORITHMS.contains(&work.algorithm) {
        return Err(Unsupported::new(format!("{} is not measured with files", work.algorithm)));
    }
    if work.threads > 1 {
        return Err(Unsupported::new("a stream through EVP is the work of one thread"));
    }
    let has_tag = work.algorithm.kind() == AlgorithmKind::Aead;
    let settings = Settings { nonce_bytes: has_tag.then_some(work.fixtures.nonce.len()), ..Settings::default() };
    let is_encrypting = work.operation == Operation::Encrypt;
    let direction = if is_encrypting { CipherDirection::Encrypt } else { CipherDirection::Decrypt };
    let (key, nonce) = (&work.fixtures.key, &work.fixtures.nonce);
    Ok(Box::new(Stream {
        context: CipherContext::new(libcrypto, cipher_name(work.algorithm)?, direction, settings, key, nonce)?,
        nonce: nonce.clone(),
        has_tag,
        is_encrypting,
        input: vec![0; work.buffer],
        output: vec![0; work.buffer + ROOM],
    }))
}

struct Stream {
    context: CipherContext,
    nonce: Vec<u8>,
    has_tag: bool,
    is_encrypting: bool,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl FileJob for Stream {
    fn form(&self) -> Form {
        Form::Stream
    }

    fn run(&mut self, from: &Path, to: &Path) -> Result<()> {
        let (mut from, mut to) = (open_from(from)?, open_to(to)?);
        let mut bytes = from.metadata().map_err(|error| reading(&error))?.len();
        self.context.set_iv(&self.nonce)?;
        if self.has_tag && !self.is_encrypting {
            bytes = bytes.checked_sub(TAG_BYTES as u64).ok_or_else(|| JobError::new("a file without a tag"))?;
            let mut tag = [0; TAG_BYTES];
            from.seek(SeekFrom::Start(bytes)).map_err(|error| reading(&error))?;
            from.read_exact(&mut tag).map_err(|error| reading(&error))?;
            from.rewind().map_err(|error| reading(&error))?;
            self.context.expect_tag(&tag)?;
        }
        let (input, output) = (&mut self.input, &mut self.output);
        let context = &mut self.context;
        piece_by_piece(&mut from, &mut to, bytes, (input, output), |piece, made| context.update(piece, made))?;
        let rest = self.context.finish(&mut self.output)?;
        to.write_all(&self.output[..rest]).map_err(|error| writing(&error))?;
        if self.has_tag && self.is_encrypting {
            let mut tag = [0; TAG_BYTES];
            self.context.tag(&mut tag)?;
            to.write_all(&tag).map_err(|error| writing(&error))?;
        }
        Ok(())
    }
}
