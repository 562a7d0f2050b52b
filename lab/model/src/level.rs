//! The levels of measurement, from single primitives to a web server.

use serde::{Deserialize, Serialize};

use crate::name::named;

/// A level of measurement. The command line shows the variants' comments.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Ciphers, AEADs, hashes, key agreements, signatures and encapsulation
    #[default]
    Primitives,
    /// QUIC packets and TLS records; data end to end
    Packets,
    /// Encryption and decryption of whole files
    Files,
    /// AES in Java: each JDK's own provider, NSS, and add-on providers
    Jvm,
    /// An nginx web server
    Tls,
}

named!(
    Level,
    any spelling of "level",
    Primitives = "primitives",
    Packets = "packets",
    Files = "files",
    Jvm = "jvm",
    Tls = "tls",
);
