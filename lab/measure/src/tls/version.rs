//! What is measured, by its version.

use kasoku_libraries::kasoku;

/// The version of a provider in a server with this version of OpenSSL.
pub fn library_version(library: &str, openssl: &str) -> String {
    match library == kasoku::ENTRY.name {
        true => format!("{} with OpenSSL {openssl}", env!("CARGO_PKG_VERSION")),
        false => openssl.to_owned(),
    }
}
