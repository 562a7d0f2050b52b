//! What a request asks for: whatever it says, the answer is a workload or a refusal.

use super::protocol::Request;
use kasoku_model::algorithm::Kind;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::packets::MAX_BATCH;
use kasoku_model::workload::{Files, MAX_BYTES, MAX_KEYS, NonceForm, Operation, Packets, Workload};

/// The workload that `request` names.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub(super) fn workload_of(request: &Request) -> Result<Workload, String> {
    let refuse = |what: String| Err(what);
    let Some(algorithm) = request.algorithm else { return refuse("the request names no algorithm".to_owned()) };
    if algorithm.is_quoted() {
        return refuse(format!("{algorithm} is known from tables only; nothing here measures it"));
    }
    let operation = match request.operation.parse::<Operation>() {
        Ok(operation) => operation,
        Err(error) => return refuse(error.to_string()),
    };
    let packets = packets_of(request, operation)?;
    let files = files_of(request, operation)?;
    if !Operation::of(algorithm.kind()).contains(&operation) && packets.is_none() && files.is_none() {
        return refuse(format!("{algorithm} has no operation {operation}"));
    }
    if let Some(bytes) = [request.bytes, request.aad.unwrap_or(0)].into_iter().find(|&bytes| bytes > MAX_BYTES) {
        return refuse(format!("{bytes} bytes are more than the {MAX_BYTES} a workload may have"));
    }
    if request.threads == 0 || request.threads > 4096 {
        return refuse(format!("{} threads cannot be had", request.threads));
    }
    if request.keys == 0 || request.keys > MAX_KEYS {
        return refuse(format!("{} keys cannot be had; there are from 1 to {MAX_KEYS}", request.keys));
    }
    let workload = Workload::new(operation, algorithm, request.bytes);
    Ok(Workload { packets, files, ..workload.with_nonces(request.nonces).with_keys(request.keys) })
}

/// Whether it is files that a request is about; where they are is nothing to who works on them.
fn files_of(request: &Request, operation: Operation) -> Result<Option<Files>, String> {
    if request.file.is_none() {
        return Ok(None);
    }
    let is_cipher = request.algorithm.is_some_and(|one| matches!(one.kind(), Kind::Cipher | Kind::Aead));
    if !is_cipher || !matches!(operation, Operation::Encrypt | Operation::Decrypt) {
        return Err("files are encrypted and decrypted, with ciphers and AEADs".to_owned());
    }
    Ok(Some(Files { storage: Storage::File, cache: Cache::Warm }))
}

/// How the packets are made that a request is about, if it is.
fn packets_of(request: &Request, operation: Operation) -> Result<Option<Packets>, String> {
    let refuse = |what: &str| Err(what.to_owned());
    let has_header_protection = operation.has_header_protection();
    let (batch, setup, record) = (request.batch, request.setup, request.record.unwrap_or(false));
    let names_packets =
        batch.is_some() || setup.is_some() || record || request.header_protection.is_some() || request.looped.is_some();
    if !names_packets && !has_header_protection {
        return Ok(None);
    }
    let is_of_packets = matches!(operation, Operation::Seal | Operation::Protect | Operation::Unprotect);
    if !is_of_packets || request.algorithm.is_some_and(|algorithm| algorithm.kind() != Kind::Aead) {
        return refuse("packets are sealed, protected and unprotected with AEADs");
    }
    let looped = request.looped.unwrap_or(false);
    let packets = Packets { batch: batch.unwrap_or(1), looped, setup: setup.unwrap_or(true), record };
    if packets.batch == 0 || packets.batch > MAX_BATCH {
        return refuse(&format!("a batch has from 1 to {MAX_BATCH} packets"));
    }
    if request.header_protection.is_some_and(|is_asked| is_asked != has_header_protection) {
        return refuse("headers are protected by protect and unprotect, and by no other operation");
    }
    if has_header_protection && (record || !packets.setup) {
        return refuse("headers are protected of whole packets only");
    }
    if !packets.setup && (record || packets.batch > 1) {
        return refuse("the cipher alone knows neither records nor batches");
    }
    if request.nonces != NonceForm::Ahead || request.keys != 1 || request.threads > 1 {
        return refuse("packets have nonces made ahead and one key, and are measured in one thread");
    }
    Ok(Some(packets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_model::algorithm::Algorithm;

    #[test]
    fn a_workload_of_packets_is_read_again_as_it_was_asked_for() {
        for (operation, packets) in [
            (Operation::Seal, Packets::CIPHER),
            (Operation::Seal, Packets::SINGLE),
            (Operation::Seal, Packets::RECORD),
            (Operation::Protect, Packets::batch(16)),
            (Operation::Unprotect, Packets::looped(64)),
        ] {
            let workload = Workload::new(operation, Algorithm::Aes256Gcm, 1440).with_packets(packets);
            let text = serde_json::to_string(&Request::of(&workload, 1)).unwrap();
            let request: Request = serde_json::from_str(&text).unwrap();
            assert!(workload_of(&request).is_ok_and(|read| read == workload), "{text}");
        }
    }

    #[test]
    fn packets_that_contradict_themselves_are_refused() {
        let whole = Request::work(Operation::Seal, Algorithm::Aes128Gcm, 100, 1);
        let protect = Request { operation: "protect".to_owned(), ..whole.clone() };
        for request in [
            Request { header_protection: Some(true), ..whole.clone() },
            Request { header_protection: Some(false), ..protect.clone() },
            Request { batch: Some(0), ..protect.clone() },
            Request { batch: Some(65), ..protect.clone() },
            Request { setup: Some(false), ..protect.clone() },
            Request { record: Some(true), ..protect.clone() },
            Request { setup: Some(false), batch: Some(2), ..whole.clone() },
            Request { threads: 2, ..protect.clone() },
            Request { keys: 2, ..protect },
            Request { batch: Some(1), algorithm: Some(Algorithm::Sha256), operation: "hash".to_owned(), ..whole },
        ] {
            assert!(workload_of(&request).is_err(), "{request:?}");
        }
    }
}
