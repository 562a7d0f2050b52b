//! quinn configurations that protect packet and header in one pass.
//!
//! quinn accepts a rustls configuration with this crate's provider, but then protects payload and header with two
//! independent objects. quinn's own traits see the whole packet. With the configurations of this module, sealing also
//! computes the header mask, and nonce and tag are not copied. The packets on the wire do not change.
//!
//! ```
//! # use std::sync::Arc;
//! # fn example(tls: rustls::ServerConfig, other_tls: rustls::ClientConfig) -> Result<(), rustls::Error> {
//! // quinn calls them quinn::ServerConfig and quinn::ClientConfig.
//! let server: quinn_proto::ServerConfig = kasoku_rustls::quinn::server_config(tls)?;
//! let client: quinn_proto::ClientConfig = kasoku_rustls::quinn::client_config(other_tls)?;
//! # Ok(())
//! # }
//! ```
//!
//! Two things differ from quinn's own configurations: [`HandshakeData`] is a type of this module, and only QUIC version
//! 1 is supported, without earlier drafts. Suites other than AES-GCM use rustls's traits, as in quinn. The rustls
//! configuration may have any provider: the engine protects AES-GCM packets in any case.

mod config;
mod foreign;
mod keys;
mod mask;
mod retry;
mod secrets;
mod session;
mod tokens;

pub use config::{ClientCrypto, ServerCrypto, client_config, endpoint_config, server_config};
pub use session::HandshakeData;
