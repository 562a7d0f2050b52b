//! The levels, as documents name them.

/// What a library does with messages: the level that charts, rankings and verdicts are about.
pub(crate) const PRIMITIVES: &str = "primitives";
/// QUIC packets, and data from end to end.
pub(crate) const PACKETS: &str = "packets";
/// Encrypted files.
pub(crate) const FILES: &str = "files";
/// Java.
pub(crate) const JVM: &str = "jvm";
/// A web server.
pub(crate) const TLS: &str = "tls";
