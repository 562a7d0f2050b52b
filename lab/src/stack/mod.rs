//! What does the work: one file a library, each giving [`Job`]s for the workloads it has.
//!
//! A stack is opened in a probe process that has the environment of one acceleration state; nothing here times
//! anything (but `openssl-speed`, which is somebody else's clock and says so).

pub mod aws_lc;
mod buffer;
pub mod cipher_suite;
pub(crate) mod command;
mod crate_version;
pub mod files;
pub mod graviola;
pub mod ipsec_mb;
pub mod jvm;
pub mod kasoku;
mod keyring;
pub mod limit;
mod loops;
pub mod nginx;
mod nonces;
pub mod openssl;
pub mod openssl_provider;
pub mod openssl_speed;
pub mod planted;
pub mod ring;
pub mod rustcrypto;
pub mod rustls_provider;

use std::path::PathBuf;
use std::process::Command;

use crate::acceleration::Acceleration;
use crate::material::Material;
use crate::workload::{NonceForm, Packets, Workload};
use files::{FileJob, FileWork};

/// A library opened in this process.
pub trait Stack: Sync {
    /// What was opened.
    fn description(&self) -> Description;

    /// Makes everything ready for `workload` on `material`: key expansion, contexts, buffers. Not timed.
    ///
    /// # Errors
    /// [`Unsupported`] if this library has no such workload, or has it not in this acceleration state, with the reason.
    fn prepare(&self, workload: &Workload, material: &Material) -> Result<Box<dyn Job>, Unsupported> {
        match workload.packets {
            Some(packets) => self.prepare_packets(workload, packets, material),
            None => self.prepare_primitive(workload, material),
        }
    }

    /// The same for a workload of the level `primitives`.
    ///
    /// # Errors
    /// As `prepare`.
    fn prepare_primitive(&self, workload: &Workload, material: &Material) -> Result<Box<dyn Job>, Unsupported>;

    /// The same for a workload of the level `packets`.
    ///
    /// # Errors
    /// As `prepare`.
    fn prepare_packets(
        &self,
        _workload: &Workload,
        _packets: Packets,
        _material: &Material,
    ) -> Result<Box<dyn Job>, Unsupported> {
        Err(Unsupported::new("it is not measured with packets"))
    }

    /// Makes everything ready to encrypt or decrypt whole files: the level `files`.
    ///
    /// # Errors
    /// As `prepare`.
    fn prepare_file(&self, _work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        Err(Unsupported::new("it is not measured with files"))
    }
}

/// One workload made ready. Made and used by one thread.
pub trait Job {
    /// Goes back to the state after `prepare`: the first nonce, the original IV and text. Not timed.
    ///
    /// # Errors
    /// If the library refuses.
    fn reset(&mut self) -> Result<(), JobError>;

    /// Does the operation `iterations` times. This is the timed region: it allocates nothing that the library's own API
    /// does not, and checks what the library returns.
    ///
    /// # Errors
    /// If the library refuses.
    fn run(&mut self, iterations: u64) -> Result<(), JobError>;

    /// What the last operation gave, in the form the table at [`deterministic`](crate::material::deterministic) states. Not timed.
    fn output(&mut self) -> Vec<u8>;

    /// What a user has to know to read the figure: a copy that the API forces, an IV that is set for each call.
    fn note(&self) -> Option<&'static str> {
        None
    }

    /// For a stack that brings its own clock: runs for about `seconds` and says what it measured.
    ///
    /// # Errors
    /// If it could not be run or read.
    fn own_clock(&mut self, _seconds: f64) -> Option<Result<OwnTiming, JobError>> {
        None
    }
}

/// What a stack with its own clock measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnTiming {
    /// Operations done.
    pub iterations: u64,
    /// Nanoseconds they took.
    pub nanoseconds: u64,
}

/// What was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The version as the library states it.
    pub version: String,
    /// The CPU features that the library itself reports to use, where it does.
    pub cpu_features: Option<String>,
    /// The file it was loaded from, where it was loaded.
    pub loaded_from: Option<String>,
}

/// This library does not have this workload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unsupported {
    /// Why not.
    pub why: String,
}

impl Unsupported {
    /// For the reason `why`.
    pub fn new(why: impl Into<String>) -> Self {
        Unsupported { why: why.into() }
    }
}

/// For records whose IV follows from the one before: neither counted nonces nor many keys are asked of them.
fn has_no_nonces(workload: &Workload) -> Result<(), Unsupported> {
    if workload.nonces == NonceForm::Ahead && workload.keys == 1 {
        return Ok(());
    }
    Err(Unsupported::new("its records have no nonces that could be counted, and are measured under one key"))
}

/// The library failed in the middle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct JobError {
    /// What it said.
    pub what: String,
}

impl JobError {
    /// With the message `what`.
    pub fn new(what: impl Into<String>) -> Self {
        JobError { what: what.into() }
    }
}

/// This library is not on this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unavailable {
    /// Why it cannot be opened.
    pub why: String,
    /// The command that would install it, where there is one.
    pub install: Option<String>,
}

/// How a stack is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The library file instead of the system's, for stacks that are loaded.
    pub library: Option<PathBuf>,
    /// The state the process was started in, for stacks that are told rather than find out.
    pub acceleration: Option<Acceleration>,
    /// How the virtual machine is started, for stacks that run in one.
    pub jvm: jvm::Start,
}

/// How a stack is brought into an acceleration state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// By environment variables that are set before the process starts.
    Environment(Vec<(&'static str, String)>),
    /// By flags that its program is started with.
    Flags(Vec<String>),
    /// By an argument of its own when it is opened ([`Opening::acceleration`]).
    WhenOpened,
    /// Not at all, and why.
    None(&'static str),
}

/// Makes the command of the program that answers requests, or says why there is none.
pub type Program = fn(&Opening) -> Result<Command, Unavailable>;

/// A stack that the laboratory knows.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Whether a library file can be chosen.
    pub is_loaded: bool,
    /// Whether it is no library, but exists so that the laboratory can be tested or the CPU's bound be known; never in a
    /// default run, never ranked.
    pub is_test: bool,
    /// Opens it.
    pub open: fn(&Opening) -> Result<Box<dyn Stack>, Unavailable>,
    /// The program that answers in place of this one, for stacks that no code here can hold.
    pub program: Option<Program>,
    /// How it is brought into a state.
    pub switch: fn(Acceleration) -> Switch,
}

/// Every stack, in the order tables show them.
pub const STACKS: &[Entry] = &[
    openssl::ENTRY,
    aws_lc::ENTRY,
    ring::ENTRY,
    rustcrypto::ENTRY,
    graviola::ENTRY,
    ipsec_mb::ENTRY,
    kasoku::ENTRY,
    openssl_speed::ENTRY,
    jvm::SUNJCE,
    jvm::NSS,
    jvm::SPECJVM,
    limit::AES,
    limit::CLMUL,
    limit::MIXED,
    limit::GCM,
    limit::AES_YMM,
    limit::CLMUL_YMM,
    limit::GCM_YMM,
    limit::AES_XMM,
    limit::CLMUL_XMM,
    limit::GCM_XMM,
    limit::AES_XMM_OF_AVX,
    limit::CLMUL_XMM_OF_AVX,
    limit::GCM_XMM_OF_AVX,
    files::COPY,
    planted::SAME,
    planted::SLOW,
    planted::WRONG,
    planted::CRASH,
    planted::HANG,
    planted::NONSENSE,
    planted::EMPTY,
];

/// The stack of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    STACKS.iter().find(|entry| entry.name == name)
}

/// The variables that any stack's switch may set; all are removed before a state's own are set, so that `on` means the
/// machine as it is and not what the user's shell happened to hold.
pub const SWITCH_VARIABLES: &[&str] = &[
    "OPENSSL_ia32cap",
    "OPENSSL_armcap",
    kasoku::BACKEND_VARIABLE,
    "NSS_DISABLE_HW_AES",
    "NSS_DISABLE_PCLMUL",
    "NSS_DISABLE_AVX",
    "NSS_DISABLE_AVX2",
    "NSS_DISABLE_SSSE3",
    "NSS_DISABLE_SSE4_1",
    "NSS_DISABLE_HW_GCM",
    "NSS_DISABLE_HW_SHA",
    "NSS_DISABLE_HW_SHA1",
    "NSS_DISABLE_HW_SHA2",
    "NSS_DISABLE_ARM_NEON",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
];

/// The environment that brings OpenSSL and its relatives into a state: bits to clear in the first two words of the
/// capability vector. Both words are always written: without the second, OpenSSL takes it as zero and everything in it
/// (AVX2, SHA, AVX-512) is off too. VAES goes with AES: from 3.1 on, OpenSSL asks for VAES before AES-NI.
pub fn openssl_switch(state: Acceleration) -> Switch {
    if state == Acceleration::On {
        return Switch::Environment(Vec::new());
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    {
        const AES: u64 = 1 << 57;
        const CLMUL: u64 = 1 << 33;
        const SHA: u64 = 1 << 29;
        const VAES: u64 = 1 << 41;
        const VCLMUL: u64 = 1 << 42;
        // F, DQ, IFMA, CD, BW and VL of leaf 7's EBX; VBMI, VBMI2, VNNI, BITALG and VPOPCNTDQ of its ECX.
        const AVX512: u64 = 0xd023_0000 | 0x5842 << 32;
        let (first, second) = match state {
            Acceleration::On => (0, 0),
            Acceleration::Off => (AES | CLMUL, VAES | VCLMUL | SHA),
            Acceleration::NoAes => (AES, VAES),
            Acceleration::NoClmul => (CLMUL, VCLMUL),
            Acceleration::NoVaes => (0, VAES | VCLMUL),
            Acceleration::NoAvx512 => (0, AVX512),
            Acceleration::NoSha => (0, SHA),
        };
        Switch::Environment(vec![("OPENSSL_ia32cap", format!("~{first:#x}:~{second:#x}"))])
    }
    #[cfg(target_arch = "aarch64")]
    {
        // OPENSSL_armcap is the vector itself, not a mask of it: only "everything off" can be written without
        // knowing what the library would have found.
        match state {
            Acceleration::Off => Switch::Environment(vec![("OPENSSL_armcap", "0".to_owned())]),
            _ => Switch::None("OPENSSL_armcap sets the whole vector; only off is offered"),
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
    Switch::None("no switch known on this architecture")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_off_mask_is_the_one_that_was_measured() {
        let Switch::Environment(variables) = openssl_switch(Acceleration::Off) else { panic!() };
        assert_eq!(variables, [("OPENSSL_ia32cap", "~0x200000200000000:~0x60020000000".to_owned())]);
    }

    #[test]
    fn names_are_unique() {
        for (index, entry) in STACKS.iter().enumerate() {
            assert!(STACKS[index + 1..].iter().all(|other| other.name != entry.name));
        }
    }
}
