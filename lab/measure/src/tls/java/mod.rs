//! How an HTTPS server in a virtual machine is measured (jvm/Server.java, over the JDK's own `jdk.httpserver`), with
//! the ciphers of one security provider or another: the draining client fetches a file over a few connections at once.
//!
//! Every provider has its server for the length of a start. In each round all have their turn, in shuffled order, while
//! the others wait; what belongs together is then compared within the rounds.

mod case;
mod fixture;
mod run;
mod server;

pub(crate) use run::run;
