//! The connection to a host that serves, as its client has it: opened only if that host has the token.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use super::identity;
use super::lines::{Join, LineStream, ServerAnswer, ServerDescription, ServerQuestion, TO_PROVE};
use super::token::Token;
use kasoku_measure::level::tls::MAX_WORKERS;
use kasoku_model::algorithm::{AlgorithmKind, CipherSuite};
use kasoku_model::printable::printable;

/// How long a host may take to answer at all.
const TO_CONNECT: Duration = Duration::from_secs(5);
/// The longest text in a description, and the most cores and servers.
const MAX_TEXT: usize = 200;
const MAX_CORES: usize = 8192;
const MAX_SERVERS: usize = 256;

/// Why a host that serves is not used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// What was named is no address.
    #[error("{0} is not an address; use HOST:PORT as printed by kasoku serve")]
    NoAddress(String),
    /// Nobody answers there.
    #[error("{address}: {why}; is kasoku serve running there, and does a firewall block this host?")]
    Unreachable {
        /// The address that was tried.
        address: String,
        /// The system's error.
        why: std::io::Error,
    },
    /// Who answers has another token.
    #[error("{0} does not know the token and gets no load; use the token printed by kasoku serve there")]
    OtherToken(String),
    /// It speaks otherwise.
    #[error("{0} does not run this version of kasoku; use the same version on all hosts")]
    OtherProtocol(String),
    /// It says no.
    #[error("{address}: {why}")]
    Refused {
        /// The address that was tried.
        address: String,
        /// The host's own words.
        why: String,
    },
    /// It hung up, or made no sense.
    #[error("{address}: {why}")]
    Broken {
        /// The address that was tried.
        address: String,
        /// What happened.
        why: String,
    },
}

/// A connection to a host that serves and has the token.
pub struct HostConnection {
    name: String,
    address: SocketAddr,
    lines: LineStream,
    description: ServerDescription,
}

impl HostConnection {
    /// Opens one to `name`, HOST:PORT, for the run `run`.
    ///
    /// # Errors
    /// [`ConnectionError`].
    pub fn open(name: &str, token: &Token, run: &Token) -> Result<HostConnection, ConnectionError> {
        let shown = printable(name);
        let addresses = name.to_socket_addrs().map_err(|_| ConnectionError::NoAddress(shown.clone()))?;
        let mut last = ConnectionError::NoAddress(shown.clone());
        let mut found = None;
        for address in addresses {
            match TcpStream::connect_timeout(&address, TO_CONNECT) {
                Ok(stream) => {
                    found = Some((address, stream));
                    break;
                }
                Err(why) => last = ConnectionError::Unreachable { address: shown.clone(), why },
            }
        }
        let Some((address, stream)) = found else { return Err(last) };
        let broken = |why: std::io::Error| ConnectionError::Broken { address: shown.clone(), why: ended(&why) };
        let config = identity::client(token).map_err(|error| broken(std::io::Error::other(error)))?;
        let until = Instant::now() + TO_PROVE;
        let mut lines =
            LineStream::to_server(stream, config, until).map_err(|error| match identity::is_other_token(&error) {
                true => ConnectionError::OtherToken(shown.clone()),
                false => ConnectionError::OtherProtocol(shown.clone()),
            })?;
        lines.send(&Join { run: run.clone() }).map_err(broken)?;
        match lines.receive(Some(until), &mut || ()).map_err(broken)? {
            Some(ServerAnswer::Here(description)) => {
                check(&description)
                    .map_err(|why| ConnectionError::Broken { address: shown.clone(), why: why.to_owned() })?;
                Ok(HostConnection { name: shown, address, lines, description })
            }
            Some(ServerAnswer::Refused(why)) => Err(ConnectionError::Refused { address: shown, why: printable(&why) }),
            _ => Err(broken(std::io::ErrorKind::UnexpectedEof.into())),
        }
    }

    /// What there is.
    pub fn description(&self) -> &ServerDescription {
        &self.description
    }

    /// Where it was reached.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// [`ConnectionError::Refused`] with its own words, or that it hung up.
    pub fn ask(&mut self, question: &ServerQuestion, patience: Duration) -> Result<ServerAnswer, ConnectionError> {
        let address = || self.name.clone();
        let asked = self.lines.send(question);
        let answer = asked.and_then(|()| self.lines.receive(Some(Instant::now() + patience), &mut || ()));
        match answer {
            Ok(Some(ServerAnswer::Refused(why))) => {
                Err(ConnectionError::Refused { address: address(), why: printable(&why) })
            }
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(ConnectionError::Broken { address: address(), why: "kasoku serve has ended".to_owned() }),
            Err(error) => Err(ConnectionError::Broken { address: address(), why: ended(&error) }),
        }
    }
}

fn ended(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::TimedOut => "kasoku serve does not answer".to_owned(),
        std::io::ErrorKind::UnexpectedEof => "kasoku serve has ended, or refused".to_owned(),
        _ => printable(&error.to_string()),
    }
}

/// Whether a description is possible: its words go into requests, tables and documents.
///
/// # Errors
/// Why not.
pub fn check(description: &ServerDescription) -> Result<(), &'static str> {
    let ServerDescription { boot, nginx, openssl, cpu, cores, connections_of_a_worker, folder, servers, .. } =
        description;
    if folder.parse::<Token>().is_err() {
        return Err("its folder name is invalid");
    }
    if [boot, nginx, openssl, cpu].iter().any(|text| text.len() > MAX_TEXT || printable(text) != **text) {
        return Err("its description is too long or not text");
    }
    if cores.is_empty() || cores.len() > MAX_CORES || servers.is_empty() || servers.len() > MAX_SERVERS {
        return Err("it has no cores or servers, or too many");
    }
    if *connections_of_a_worker == 0 {
        return Err("it allows no connections");
    }
    for (named, ports) in servers {
        let is_server = (1..=MAX_WORKERS).contains(&named.workers)
            && ["openssl", "kasoku"].contains(&named.library.as_str())
            && !ports.is_empty()
            && ports.iter().all(|(suite, port)| {
                suite.kind() == AlgorithmKind::CipherSuite && CipherSuite::of(*suite).is_some() && *port > 0
            });
        if !is_server {
            return Err("one of its servers is invalid");
        }
    }
    Ok(())
}
