//! What the level `files` adds to a workload: whole files, encrypted or decrypted from one into another.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// The largest file that is measured: 1 TiB.
pub const MAX_FILE_BYTES: usize = 1 << 40;

/// Bytes that are read, worked on and written at a time, where the library does not choose.
pub const BUFFER: usize = 128 << 10;

/// Whole files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Files {
    /// Where they are.
    pub storage: Storage,
    /// Whether what is read is in the page cache.
    #[serde(default)]
    pub cache: Cache,
}

/// Where a file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// On a file system that has a device behind it: the one that was chosen.
    #[default]
    File,
    /// In the kernel's file system in memory.
    Memory,
}

/// Whether what is read is in the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// It is: it was read or written just before.
    #[default]
    Warm,
    /// It is not: it was written to the device and dropped from the cache.
    Cold,
}

/// How a file's encrypted form is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Form {
    /// One message through one cipher: what comes out of it, and behind that the tag of an AEAD. CBC is padded (PKCS
    /// #7).
    #[default]
    #[serde(rename = "stream")]
    Stream,
    /// C2SP chunked encryption with AES-256-GCM.
    #[serde(rename = "cobblestone-256")]
    Cobblestone,
    /// The text itself: nothing is encrypted.
    #[serde(rename = "copy")]
    Copy,
}

named!(Storage, exactly "storage is file or memory", File = "file", Memory = "memory");

named!(Cache, exactly "the page cache is warm or cold", Warm = "warm", Cold = "cold");

impl Form {
    /// The name in code, output and documents.
    pub fn name(self) -> &'static str {
        match self {
            Form::Stream => "stream",
            Form::Cobblestone => "cobblestone-256",
            Form::Copy => "copy",
        }
    }
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.storage {
            Storage::File => "a file",
            Storage::Memory => "a file in memory",
        };
        match self.cache {
            Cache::Warm => f.write_str(place),
            Cache::Cold => write!(f, "{place}, not in the page cache"),
        }
    }
}
