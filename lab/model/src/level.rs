//! The levels of measurement, from single primitives to a web server.

use serde::{Deserialize, Serialize};

use crate::name::named;

/// A level of measurement.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Ciphers, AEADs, hashes, key agreements, signatures and encapsulation, on messages in memory.
    #[default]
    Primitives,
    /// QUIC packets and TLS records, and data from end to end.
    Packets,
    /// Whole files.
    Files,
    /// Java.
    Jvm,
    /// An nginx web server.
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
