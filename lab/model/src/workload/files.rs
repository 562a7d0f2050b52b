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

named! {
    /// Where a file is.
    #[derive(Default)]
    pub enum Storage: exactly "storage is file or memory" {
        /// On a file system that has a device behind it: the one that was chosen.
        #[default]
        File = "file",
        /// In the kernel's file system in memory.
        Memory = "memory",
    }
}

named! {
    /// Whether what is read is in the page cache.
    #[derive(Default)]
    pub enum Cache {
        /// It is: it was read or written just before.
        #[default]
        Warm = "warm",
        /// It is not: it was written to the device and dropped from the cache.
        Cold = "cold",
    }
}

named! {
    /// How a file's encrypted form is laid out.
    #[derive(Default)]
    pub enum Form {
        /// One message through one cipher: what comes out of it, and behind that the tag of an AEAD. CBC is padded
        /// (PKCS #7).
        #[default]
        Stream = "stream",
        /// C2SP chunked encryption with AES-256-GCM.
        Cobblestone = "cobblestone-256",
        /// The text itself: nothing is encrypted.
        Copy = "copy",
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
