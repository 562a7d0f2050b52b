//! Levels of measurement, from single primitives to a web server.

use crate::name::named;

named! {
    /// A level of measurement. The command line shows the variants' comments.
    #[derive(Default, clap::ValueEnum)]
    pub enum Level: any spelling of "level" {
        /// Ciphers, AEADs, hashes, key agreements, signatures and encapsulation
        #[default]
        Primitives = "primitives",
        /// QUIC packets and TLS records; data end to end
        Packets = "packets",
        /// Encryption and decryption of whole files
        Files = "files",
        /// AES in Java: each JDK's own provider, NSS, and add-on providers
        Jvm = "jvm",
        /// An nginx web server
        Tls = "tls",
    }
}
