//! The library `kasoku`: this project's engine, measured like all other libraries.
//!
//! Each acceleration state uses the backend that the engine prefers on a CPU without the forbidden instructions. The
//! variables `KASOKU_BACKEND` and `KASOKU_SCHEDULE` select a backend and its schedule explicitly. A backend that cannot
//! run here is an error.

mod packets;

use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;

use kasoku_engine::cpu::{Feature, Found, RunnablePath, preferred};
use kasoku_engine::{AesGcm, AesGcmSiv, Backend, CodePath, OneTimeKey, Schedule, XaesGcm};
use kasoku_file::{Key, Options, decrypt_file, encrypt_file};

use super::files::{FileJob, FileWork, open_from, open_to};
use super::loops::aead::{Nonce, Tag, TwoBufferAead, two_buffer_job};
use super::loops::{failed, rejected};
use super::{
    JobError, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use crate::fixtures::Fixtures;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library::{self, Role};
use kasoku_model::workload::files::Form;
use kasoku_model::workload::{Operation, Packets, Workload};

/// Environment variable that selects a backend, by the names of `kasoku_engine::Backend`.
pub const BACKEND_VARIABLE: &str = "KASOKU_BACKEND";

/// Environment variable that selects the backend's schedule: `karatsuba` or, for `vaes512`, `schoolbook`.
pub const SCHEDULE_VARIABLE: &str = "KASOKU_SCHEDULE";

pub const ENTRY: LibraryEntry = LibraryEntry {
    variables: &[BACKEND_VARIABLE, SCHEDULE_VARIABLE],
    has_files: true,
    ..LibraryEntry::new(library::KASOKU, "Kasoku's own engine", open, |state| match state {
        Acceleration::On => Switch::Environment(Vec::new()),
        Acceleration::NoSha => Switch::None("the engine has nothing to hash with SHA"),
        _ => Switch::Environment(vec![(BACKEND_VARIABLE, backend_of(state).name().to_owned())]),
    })
};

/// Registry entries of both instruction schedules (orders) of the backend `vaes512`, for `kasoku-bench`, which compares
/// them.
pub const SCHEDULE_ENTRIES: [LibraryEntry; 2] = [
    LibraryEntry::new("kasoku-karatsuba", "Kasoku's own engine, vaes512 by karatsuba", open, |state| {
        schedule_switch(state, Schedule::Karatsuba)
    })
    .unlisted(Role::Library),
    LibraryEntry::new("kasoku-schoolbook", "Kasoku's own engine, vaes512 by schoolbook", open, |state| {
        schedule_switch(state, Schedule::Schoolbook)
    })
    .unlisted(Role::Library),
];

fn schedule_switch(state: Acceleration, schedule: Schedule) -> Switch {
    if state != Acceleration::On {
        return Switch::None("a schedule of one backend");
    }
    let backend = Backend::Vaes512.name().to_owned();
    Switch::Environment(vec![(BACKEND_VARIABLE, backend), (SCHEDULE_VARIABLE, schedule.name().to_owned())])
}

pub fn backend_of(state: Acceleration) -> Backend {
    let without: &[Feature] = match state {
        Acceleration::On | Acceleration::NoSha => &[],
        Acceleration::Off => &[Feature::Aes, Feature::Pclmulqdq, Feature::Vaes, Feature::Vpclmulqdq],
        Acceleration::NoAes => &[Feature::Aes, Feature::Vaes],
        Acceleration::NoClmul => &[Feature::Pclmulqdq, Feature::Vpclmulqdq, Feature::Pmull],
        Acceleration::NoVaes => &[Feature::Vaes, Feature::Vpclmulqdq],
        Acceleration::NoAvx512 => &[Feature::Avx512f, Feature::Avx512bw, Feature::Avx512dq, Feature::Avx512vl],
    };
    let found = without.iter().fold(Found::here(), |found, &feature| found.without(feature));
    preferred(found.features())
}

/// Returns the acceleration states that select different backends of the engine, those with the widest registers first.
/// On x86-64 they select every backend that runs here.
pub fn backend_states() -> Vec<Acceleration> {
    let mut states = vec![Acceleration::On];
    for state in [Acceleration::NoAvx512, Acceleration::NoVaes, Acceleration::Off] {
        if states.iter().all(|&other| backend_of(other) != backend_of(state)) {
            states.push(state);
        }
    }
    states
}

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let state = opening.acceleration.unwrap_or(Acceleration::On);
    let mut path = CodePath::from(parse_variable(BACKEND_VARIABLE)?.unwrap_or_else(|| backend_of(state)));
    let mut variable = BACKEND_VARIABLE;
    if let Some(schedule) = parse_variable(SCHEDULE_VARIABLE)? {
        path.schedule = schedule;
        variable = SCHEDULE_VARIABLE;
    }
    AesGcm::with_backend(&[0; 16], path).map_err(|error| unavailable(variable, &error))?;
    Ok(Box::new(Kasoku { path }))
}

fn parse_variable<T: FromStr<Err: fmt::Display>>(variable: &str) -> Result<Option<T>, Unavailable> {
    let Some(name) = std::env::var_os(variable) else { return Ok(None) };
    let name = name.to_string_lossy();
    let wrong = |error| unavailable(variable, &format_args!("\"{}\" is {error}", name.escape_debug()));
    name.parse().map(Some).map_err(wrong)
}

fn unavailable(variable: &str, why: &impl fmt::Display) -> Unavailable {
    Unavailable::new(format!("{variable}: {why}"))
}

struct Kasoku {
    path: CodePath,
}

impl Library for Kasoku {
    fn description(&self) -> LibraryDescription {
        let cpu_features = Some(self.path.backend.name().to_owned());
        LibraryDescription { cpu_features, ..LibraryDescription::new(env!("CARGO_PKG_VERSION")) }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let (workload, path) = (*workload, self.path);
        match workload.algorithm {
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm if workload.operation == Operation::SealNewKey => {
                let path =
                    RunnablePath::new(path, Found::here()).map_err(|error| Unsupported::new(error.to_string()))?;
                two_buffer_job(&workload, fixtures, move |key| {
                    let (key, key_bytes) = (padded_key(checked_key(&workload, key)?), key.len());
                    Ok(OneMessage { path, key, key_bytes })
                })
            }
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => two_buffer_job(&workload, fixtures, move |key| {
                AesGcm::with_backend(checked_key(&workload, key)?, path).map_err(|_| rejected("key"))
            }),
            Algorithm::Aes128GcmSiv | Algorithm::Aes256GcmSiv => two_buffer_job(&workload, fixtures, move |key| {
                AesGcmSiv::with_backend(checked_key(&workload, key)?, path).map_err(|_| rejected("key"))
            }),
            Algorithm::Xaes256Gcm => two_buffer_job(&workload, fixtures, move |key| {
                let key = key.try_into().map_err(|_| rejected("key"))?;
                XaesGcm::with_backend(key, path).map_err(|_| rejected("key"))
            }),
            _ => Err(Unsupported::algorithm(library::KASOKU, &workload)),
        }
    }

    fn prepare_updates(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        packets::prepare_updates(self.path, workload, fixtures)
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        packets::prepare(self.path, workload, packets, fixtures)
    }

    fn prepare_file(&self, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        file_job(self.path.backend, work)
    }
}

/// Returns `key` if its length is that of the workload's algorithm. The engine itself accepts a key of any length that
/// it supports.
fn checked_key<'a>(workload: &Workload, key: &'a [u8]) -> Result<&'a [u8], Unsupported> {
    if key.len() == workload.algorithm.key_bytes() { Ok(key) } else { Err(rejected("key")) }
}

impl TwoBufferAead for AesGcm {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.seal_into(nonce, aad, text, ciphertext, tag).map_err(|_| failed("seal"))
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        self.open_to(nonce, aad, ciphertext, text, tag).map_err(|_| failed("open"))
    }
}

/// A key for one message. The engine expands only what the message needs, on the stack.
struct OneMessage {
    path: RunnablePath,
    /// The key, followed by zeros.
    key: [u8; 32],
    key_bytes: usize,
}

fn padded_key(key: &[u8]) -> [u8; 32] {
    std::array::from_fn(|index| key.get(index).copied().unwrap_or_default())
}

impl OneMessage {
    #[inline]
    fn key(&self) -> Result<OneTimeKey<'_>> {
        OneTimeKey::for_path(self.path, &self.key[..self.key_bytes]).map_err(|_| failed("take the key"))
    }
}

impl TwoBufferAead for OneMessage {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.key()?.seal_into(nonce, aad, text, ciphertext, tag).map_err(|_| failed("seal"))
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        self.key()?.open_to(nonce, aad, ciphertext, text, tag).map_err(|_| failed("open"))
    }
}

impl TwoBufferAead for AesGcmSiv {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        *tag = self.seal_to(nonce, aad, text, ciphertext).map_err(|_| failed("seal"))?;
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        self.open_to(nonce, aad, ciphertext, text, tag).map_err(|_| failed("open"))
    }
}

impl TwoBufferAead<24> for XaesGcm {
    #[inline]
    fn seal(&self, nonce: &Nonce<24>, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        *tag = self.seal_to(nonce, aad, text, ciphertext).map_err(|_| failed("seal"))?;
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &Nonce<24>, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        self.open_to(nonce, aad, ciphertext, text, tag).map_err(|_| failed("open"))
    }
}

/// Prepares the measurement of `kasoku-file`: encrypting and decrypting whole files in the format Cobblestone-256.
fn file_job(backend: Backend, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
    if work.algorithm != Algorithm::Aes256Gcm {
        return Err(Unsupported::new(format!(
            "kasoku's files are measured with AES-256-GCM, not {}",
            work.algorithm.title()
        )));
    }
    let key = Key::from_bytes(&work.fixtures.key).map_err(|_| rejected("key"))?;
    let threads = NonZeroUsize::new(work.threads).unwrap_or(NonZeroUsize::MIN);
    let is_encrypting = work.operation == Operation::Encrypt;
    Ok(Box::new(Cobblestone { key, is_encrypting, threads, backend }))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn backend_states_cover_every_backend_once() {
        let mut backends: Vec<Backend> = backend_states().into_iter().map(backend_of).collect();
        assert_eq!(backends[0], preferred(Found::here().features()));
        backends.sort_unstable();
        let all = Backend::ALL.into_iter().filter(|backend| backend.runs_on(Found::here().features()));
        assert_eq!(backends, all.collect::<Vec<_>>());
    }

    #[test]
    fn states_never_select_backends_with_forbidden_features() {
        for (state, forbidden) in [
            (Acceleration::Off, Feature::Aes),
            (Acceleration::NoAes, Feature::Vaes),
            (Acceleration::NoClmul, Feature::Pclmulqdq),
            (Acceleration::NoVaes, Feature::Vpclmulqdq),
            (Acceleration::NoAvx512, Feature::Avx512vl),
        ] {
            assert!(!backend_of(state).needs().contains(&forbidden), "{state}");
            let library = open(&Opening { acceleration: Some(state), ..Opening::default() }).unwrap();
            assert_eq!(library.description().cpu_features.as_deref(), Some(backend_of(state).name()));
        }
    }
}
