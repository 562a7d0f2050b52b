//! For quinn: packets protected in one pass.
//!
//! quinn takes a rustls configuration with our provider as it is, and then protects the payload and the header of a
//! packet by two objects that do not know each other. Its own traits see the whole packet: with the configurations made
//! here, the seal makes the header's mask too, and the nonce and the tag are not copied about. On the wire it is the
//! same.
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
//! What differs from quinn's own: [`HandshakeData`] is this module's type; of QUIC's versions there is version 1,
//! without the drafts before it. Suites other than AES-GCM go through rustls's traits, as in quinn. The rustls
//! configuration may have any provider: the engine protects the packets in any case.

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
