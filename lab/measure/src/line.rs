//! How a request is written: as one flat object, of which each kind of request has its part. Workers in other languages
//! read and write it too. Whatever a line says, it is a request that can be answered, or a refusal.

use serde::{Deserialize, Serialize};

use super::protocol::{FileConversion, FileSlice, Slice, WorkerRequest};
use kasoku_libraries::fixtures::Fixtures;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::packets::MAX_BATCH;
use kasoku_model::workload::{Files, MAX_BYTES, MAX_KEYS, NonceForm, Operation, Packets, Setting, Workload};

/// More threads are nobody's.
const MAX_THREADS: usize = 4096;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RequestLine {
    /// A workload's operation, or `describe`.
    operation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<Algorithm>,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    aad: Option<usize>,
    nonces: NonceForm,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<Packets>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<FileConversion>,
    /// With 0 the workload is only made ready.
    iterations: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixtures: Option<Box<Fixtures>>,
    output: bool,
    observe_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl From<&WorkerRequest> for RequestLine {
    fn from(request: &WorkerRequest) -> RequestLine {
        match request {
            WorkerRequest::Describe => RequestLine { operation: "describe".to_owned(), ..RequestLine::default() },
            WorkerRequest::Ready(workload, threads) => {
                RequestLine { threads: Some(*threads), ..RequestLine::of(workload, 0) }
            }
            WorkerRequest::Slice(Slice { workload, aad, iterations, parts, threads, output, observe_ms }) => {
                RequestLine {
                    aad: *aad,
                    parts: Some(*parts),
                    threads: Some(*threads),
                    output: *output,
                    observe_ms: *observe_ms,
                    ..RequestLine::of(workload, *iterations)
                }
            }
            WorkerRequest::Once(workload, fixtures) => {
                RequestLine { fixtures: Some(fixtures.clone()), output: true, ..RequestLine::of(workload, 1) }
            }
            WorkerRequest::OwnClock(workload, seconds) => {
                RequestLine { seconds: Some(*seconds), ..RequestLine::of(workload, 1) }
            }
            WorkerRequest::File(FileSlice { workload, threads, file, observe_ms }) => RequestLine {
                threads: Some(*threads),
                file: Some(file.clone()),
                observe_ms: *observe_ms,
                ..RequestLine::of(workload, 1)
            },
        }
    }
}

impl RequestLine {
    fn of(workload: &Workload, iterations: u64) -> RequestLine {
        let Workload { operation, algorithm, bytes, nonces, keys, setting: _ } = *workload;
        let files = workload.files();
        RequestLine {
            operation: operation.name().to_owned(),
            algorithm: Some(algorithm),
            // A file brings its own size, and a worker holds no text of it.
            bytes: if files.is_some() { bytes.min(MAX_BYTES) } else { bytes },
            nonces,
            keys: Some(keys),
            packets: workload.packets(),
            file: files.map(|_| FileConversion::default()),
            iterations,
            ..RequestLine::default()
        }
    }

    pub(super) fn request(self) -> Result<WorkerRequest, String> {
        if self.operation == "describe" {
            return Ok(WorkerRequest::Describe);
        }
        let workload = self.workload()?;
        let threads = self.threads.unwrap_or(1);
        if threads == 0 || threads > MAX_THREADS {
            return Err(format!("cannot start {threads} threads"));
        }
        let RequestLine { aad, iterations, parts, output, observe_ms, .. } = self;
        Ok(match (self.file, self.fixtures, self.seconds) {
            (None, Some(fixtures), _) => WorkerRequest::Once(workload, fixtures),
            _ if iterations == 0 => WorkerRequest::Ready(workload, threads),
            (Some(_), ..) if iterations != 1 => {
                return Err("a request encrypts or decrypts a file exactly once".to_owned());
            }
            (Some(file), ..) => WorkerRequest::File(FileSlice { workload, threads, file, observe_ms }),
            (.., Some(seconds)) => WorkerRequest::OwnClock(workload, seconds),
            _ => {
                let parts = parts.unwrap_or(1);
                WorkerRequest::Slice(Slice { workload, aad, iterations, parts, threads, output, observe_ms })
            }
        })
    }

    fn workload(&self) -> Result<Workload, String> {
        let algorithm = self.algorithm.ok_or("the request names no algorithm")?;
        if algorithm.is_quoted() {
            return Err(format!("{algorithm} cannot be measured; it is known only from published tables"));
        }
        let operation: Operation = self.operation.parse().map_err(|error| format!("{error}"))?;
        let setting = match (self.packets(operation)?, &self.file) {
            (Some(packets), _) => Setting::Packets(packets),
            (None, Some(_)) => self.files(operation)?,
            (None, None) => Setting::Memory,
        };
        if !Operation::of(algorithm.kind()).contains(&operation) && setting == Setting::Memory {
            return Err(format!("{algorithm} does not support {operation}"));
        }
        if let Some(bytes) = [self.bytes, self.aad.unwrap_or(0)].into_iter().find(|&bytes| bytes > MAX_BYTES) {
            return Err(format!("a workload has at most {MAX_BYTES} bytes, not {bytes}"));
        }
        let keys = self.keys.unwrap_or(1);
        if keys == 0 || keys > MAX_KEYS {
            return Err(format!("the number of keys must be from 1 to {MAX_KEYS}, not {keys}"));
        }
        let workload = Workload::new(operation, algorithm, self.bytes);
        Ok(Workload { setting, ..workload.with_nonces(self.nonces).with_keys(keys) })
    }

    /// Where the files are is nothing to who works on them.
    fn files(&self, operation: Operation) -> Result<Setting, String> {
        let is_cipher =
            self.algorithm.is_some_and(|one| matches!(one.kind(), AlgorithmKind::Cipher | AlgorithmKind::Aead));
        if !is_cipher || !matches!(operation, Operation::Encrypt | Operation::Decrypt) {
            return Err("files can only be encrypted or decrypted, with a cipher or an AEAD".to_owned());
        }
        Ok(Setting::Files(Files { storage: Storage::File, cache: Cache::Warm }))
    }

    /// How its packets are made, if it is about packets.
    fn packets(&self, operation: Operation) -> Result<Option<Packets>, String> {
        let refuse = |what: &str| Err(what.to_owned());
        let has_header_protection = operation.has_header_protection();
        let Some(packets) = self.packets.or(has_header_protection.then_some(Packets::SINGLE)) else { return Ok(None) };
        let is_of_packets = matches!(operation, Operation::Seal | Operation::Protect | Operation::Unprotect);
        if !is_of_packets || self.algorithm.is_some_and(|algorithm| algorithm.kind() != AlgorithmKind::Aead) {
            return refuse("packets can only be sealed, protected or unprotected, with an AEAD");
        }
        if packets.batch == 0 || packets.batch > MAX_BATCH {
            return refuse(&format!("a batch must have from 1 to {MAX_BATCH} packets"));
        }
        if has_header_protection && (packets.record || !packets.setup) {
            return refuse("header protection needs whole packets");
        }
        if !packets.setup && (packets.record || packets.batch > 1) {
            return refuse("without set-up there are neither records nor batches");
        }
        let (keys, threads) = (self.keys.unwrap_or(1), self.threads.unwrap_or(1));
        if self.nonces != NonceForm::Ahead || keys != 1 || threads > 1 {
            return refuse("packets have one key, nonces made ahead, and one thread");
        }
        Ok(Some(packets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_of_packets_is_read_again_as_it_was_asked_for() {
        for (operation, packets) in [
            (Operation::Seal, Packets::CIPHER),
            (Operation::Seal, Packets::SINGLE),
            (Operation::Seal, Packets::RECORD),
            (Operation::Protect, Packets::batch(16)),
            (Operation::Unprotect, Packets::looped(64)),
        ] {
            let workload = Workload::new(operation, Algorithm::Aes256Gcm, 1440).with_setting(Setting::Packets(packets));
            let request = WorkerRequest::Slice(Slice::of(workload, 1));
            let text = serde_json::to_string(&RequestLine::from(&request)).unwrap();
            let line: RequestLine = serde_json::from_str(&text).unwrap();
            assert_eq!(line.request(), Ok(request), "{text}");
        }
    }

    #[test]
    fn packets_that_contradict_themselves_are_refused() {
        let whole = RequestLine::of(&Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 100), 1);
        let protect = RequestLine { operation: "protect".to_owned(), ..whole.clone() };
        let of_protect = |packets: Packets| RequestLine { packets: Some(packets), ..protect.clone() };
        for line in [
            of_protect(Packets::batch(0)),
            of_protect(Packets::batch(65)),
            of_protect(Packets::CIPHER),
            of_protect(Packets::RECORD),
            RequestLine { packets: Some(Packets { batch: 2, ..Packets::CIPHER }), ..whole.clone() },
            RequestLine { threads: Some(2), ..protect.clone() },
            RequestLine { keys: Some(2), ..protect.clone() },
            RequestLine {
                algorithm: Some(Algorithm::Sha256),
                operation: "hash".to_owned(),
                ..of_protect(Packets::SINGLE)
            },
        ] {
            assert!(line.clone().request().is_err(), "{line:?}");
        }
    }
}
