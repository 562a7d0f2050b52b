//! Setting of the level `files`: whole files, which are encrypted or decrypted into another file.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// Maximum number of bytes of a file: 1 TiB.
pub const MAX_FILE_BYTES: usize = 1 << 40;

/// Number of bytes that are read, converted and written at a time, unless the library chooses it.
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
    /// Whether the input file is in the page cache.
    #[derive(Default)]
    pub enum Cache {
        /// The input file is in the page cache, because it was just read or written.
        #[default]
        Warm = "warm",
        /// The input file was written to the device and dropped from the page cache.
        Cold = "cold",
    }
}

named! {
    #[derive(Default)]
    pub enum Form {
        /// The output file is the ciphertext of one message, followed by the tag of an AEAD. CBC is padded (PKCS #7).
        #[default]
        Stream = "stream",
        /// The output file has C2SP chunked encryption with AES-256-GCM.
        Cobblestone = "cobblestone-256",
        /// Plain copy: the output file is the plaintext, not encrypted.
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
