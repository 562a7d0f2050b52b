//! The lines that the laboratory and its workers exchange: one JSON object each, request and answer in turn.

use serde::{Deserialize, Serialize};

use kasoku_libraries::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::files::{BUFFER, Form};
use kasoku_model::workload::{MAX_BYTES, NonceForm, Operation, Workload};

/// No line is longer: the answer that holds an output of the largest verified text fits.
pub const MAX_LINE: usize = 4 << 20;

/// What a worker is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// A workload's operation, or `describe`.
    pub operation: String,
    /// The algorithm's name; empty for `describe`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<Algorithm>,
    /// The size in bytes.
    #[serde(default)]
    pub bytes: usize,
    /// Bytes of AAD of an AEAD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aad: Option<usize>,
    /// How the nonces of an AEAD come about.
    #[serde(default)]
    pub nonces: NonceForm,
    /// Under how many keys an AEAD works in turn.
    #[serde(default = "one")]
    pub keys: usize,
    /// Packets done together; this and the next four belong to the level `packets` and are absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// Whether a batch is a loop of calls for single packets.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    pub looped: Option<bool>,
    /// Whether nonce, AAD and tag belong to the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<bool>,
    /// Whether headers are protected; it follows from the operation and must not contradict it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_protection: Option<bool>,
    /// Whether they are TLS records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<bool>,
    /// A file to work on in place of a text: belongs to the level `files`, absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileWork>,
    /// Operations to time, in each thread; with 0 the workload is only made ready, to see whether there is such a one.
    #[serde(default)]
    pub iterations: u64,
    /// In how many parts the operations are timed, one after the other; the fastest part is answered.
    #[serde(default = "one")]
    pub parts: usize,
    /// How many threads do that at once.
    #[serde(default = "one")]
    pub threads: usize,
    /// Other inputs than the workload's own: a published vector, or another library's signature to verify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixtures: Option<Fixtures>,
    /// Whether the output itself is wanted, and not only its check.
    #[serde(default)]
    pub output: bool,
    /// Milliseconds to find out the code path in; 0 for not.
    #[serde(default)]
    pub observe_ms: u64,
    /// Seconds to run, for libraries that bring their own clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A file that is encrypted or decrypted into another, in pieces, as an application does it: with operation `encrypt` or
/// `decrypt`, of GCM too. Key and IV are those of [`Fixtures::of`] for the algorithm at any size; CBC is padded (PKCS #7),
/// GCM has no AAD and its tag behind the ciphertext. Timed is everything from opening the files to closing them, each of
/// `iterations` times, and the answer is the sum; `parts` and `bytes` play no role, and `threads` work on one file. With
/// `output` the answer's check is that of the whole file that came out, made after it was timed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileWork {
    /// What is read.
    pub input: String,
    /// What is written; one that is there is overwritten.
    pub output: String,
    /// Bytes that are read and handed to the cipher at once, where the library does not choose.
    pub buffer: usize,
}

impl Default for FileWork {
    /// No files yet: to ask whether there is such work.
    fn default() -> Self {
        FileWork { input: String::new(), output: String::new(), buffer: BUFFER }
    }
}

fn one() -> usize {
    1
}

impl Request {
    /// The question what library this is.
    pub fn describe() -> Request {
        Request {
            operation: "describe".to_owned(),
            algorithm: None,
            bytes: 0,
            aad: None,
            nonces: NonceForm::Ahead,
            keys: 1,
            batch: None,
            looped: None,
            setup: None,
            header_protection: None,
            record: None,
            file: None,
            iterations: 0,
            parts: 1,
            threads: 1,
            fixtures: None,
            output: false,
            observe_ms: 0,
            seconds: None,
        }
    }

    /// The order to do a workload `iterations` times.
    pub fn work(operation: Operation, algorithm: Algorithm, bytes: usize, iterations: u64) -> Request {
        Request {
            operation: operation.name().to_owned(),
            algorithm: Some(algorithm),
            bytes,
            iterations,
            ..Request::describe()
        }
    }

    /// The order to do `workload` `iterations` times.
    pub fn of(workload: &Workload, iterations: u64) -> Request {
        let Workload { operation, algorithm, bytes, nonces, keys, packets, files, served: _, transfer: _ } = *workload;
        Request {
            nonces,
            keys,
            batch: packets.map(|packets| packets.batch),
            looped: packets.filter(|packets| packets.looped).map(|_| true),
            setup: packets.map(|packets| packets.setup),
            header_protection: packets.map(|_| operation.has_header_protection()),
            record: packets.filter(|packets| packets.record).map(|_| true),
            file: files.map(|_| FileWork::default()),
            // A file brings its own size, and a worker holds no text of it.
            ..Request::work(operation, algorithm, bytes.min(MAX_BYTES), iterations)
        }
    }
}

/// What a worker answers. The fields that a question does not concern are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// Wall time of the timed region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nanoseconds: Option<u64>,
    /// CPU time of the thread, or of all threads together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_nanoseconds: Option<u64>,
    /// Operations that were timed, where that is not what was asked for: in the fastest part, or in all threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// The first 16 bytes of SHA-256 over the output of one operation from a fresh state, in hexadecimal. Absent where
    /// the output is not determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// What really ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_path: Option<String>,
    /// The core clock around the slice, in Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_hz: Option<f64>,
    /// Independent additions a second right before or after the slice, the lower of the two, in Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additions_hz: Option<f64>,
    /// The output, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What a reader of the figure must know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How the encrypted form of a file is laid out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// Bytes that are read, worked on and written at a time; absent where the library chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<usize>,
    /// `describe`: the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// `describe`: the CPU features that the library reports to use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_features: Option<String>,
    /// `describe`: the file it was loaded from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_from: Option<String>,
    /// Why there is no such workload here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Why the library cannot be opened here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// What would install it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
