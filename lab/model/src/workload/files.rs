//! Setting of the level `files`: whole files, encrypted or decrypted from one into another.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// Maximum number of bytes of a file: 1 TiB.
pub const MAX_FILE_BYTES: usize = 1 << 40;

/// Bytes read, converted and written at a time, unless the library chooses.
pub const BUFFER: usize = 128 << 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Files {
    pub storage: Storage,
    #[serde(default)]
    pub cache: Cache,
}

named! {
    #[derive(Default)]
    pub enum Storage: exactly "storage is file or memory" {
        #[default]
        File = "file",
        Memory = "memory",
    }
}

named! {
    /// Whether the input is in the page cache.
    #[derive(Default)]
    pub enum Cache {
        /// In the page cache, because it was just read or written.
        #[default]
        Warm = "warm",
        /// Written to the device and dropped from the cache.
        Cold = "cold",
    }
}

named! {
    #[derive(Default)]
    pub enum Form {
        /// The ciphertext of one message, followed by the tag of an AEAD. CBC is padded (PKCS #7).
        #[default]
        Stream = "stream",
        /// C2SP chunked encryption with AES-256-GCM.
        Cobblestone = "cobblestone-256",
        /// The plaintext; nothing is encrypted.
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
