//! What a client and `kasoku serve` say to each other: lines of JSON in TLS, each side bounded in what it reads and in
//! how long it waits. The client names its run, then it asks and the server answers.

use std::io::{self, BufRead, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::identity::PROTOCOL;
use super::token::Token;
use kasoku_measure::tls::Busy;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;

/// The longest line.
pub const MAX: usize = 64 << 10;
/// How long the other side may take for the handshake, and for its first line.
pub const TO_PROVE: Duration = Duration::from_secs(5);

/// The client's first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Join {
    /// The run it belongs to; a server belongs to one at a time.
    pub run: Token,
}

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerQuestion {
    /// To serve a file of this many random bytes.
    File(u64),
    /// To watch what this server uses from now on.
    Watch(Named),
    /// What it has used since.
    Use,
}

/// What the server answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerAnswer {
    /// What there is: the answer to the first line.
    Here(ServerDescription),
    /// It is done.
    Done,
    /// What it used.
    Used(Used),
    /// Why not.
    Refused(String),
}

/// A web server by what it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Named {
    /// Its provider.
    pub library: String,
    /// The state of that.
    pub acceleration: Acceleration,
    /// Its workers.
    pub workers: usize,
}

/// What there is on a host that serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerDescription {
    /// This start of `kasoku serve`: several addresses may lead to one.
    pub id: Token,
    /// Its host since it was started, so that server and client on one machine know of each other.
    pub boot: String,
    /// The version of nginx.
    pub nginx: String,
    /// The version of the OpenSSL it runs with.
    pub openssl: String,
    /// The machine's CPU.
    pub cpu: String,
    /// The cores it has for its workers.
    pub cores: Vec<usize>,
    /// Connections at once that its limits allow, for each worker.
    pub connections_of_a_worker: u64,
    /// The folder of the files, which nobody can guess.
    pub folder: String,
    /// The web servers, and the port of each suite.
    pub servers: Vec<(Named, Vec<(Algorithm, u16)>)>,
}

/// What a web server used while it was watched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// Its workers.
    pub workers: Busy,
    /// How often TCP was short of memory on its host.
    pub pressures: u64,
    /// Bytes that Kasoku's provider encrypted meanwhile, if it has it.
    pub provided: Option<u64>,
    /// Whether all of its workers are those it began with.
    pub is_whole: bool,
}

/// A connection that speaks lines.
pub struct LineStream {
    tls: rustls::Connection,
    stream: TcpStream,
}

impl LineStream {
    /// To the server at the other end of `stream`, which has shown its key when this returns.
    ///
    /// # Errors
    /// The system's, and rustls's as [`io::ErrorKind::InvalidData`].
    pub fn to_server(stream: TcpStream, config: Arc<ClientConfig>, until: Instant) -> io::Result<LineStream> {
        let server = stream.peer_addr()?.ip().into();
        let tls = ClientConnection::new(config, server).map_err(io::Error::other)?;
        LineStream::new(tls.into(), stream, until)
    }

    /// To the client at the other end of `stream`, which has shown its key when this returns.
    ///
    /// # Errors
    /// The system's, and rustls's as [`io::ErrorKind::InvalidData`].
    pub fn to_client(stream: TcpStream, config: Arc<ServerConfig>, until: Instant) -> io::Result<LineStream> {
        let tls = ServerConnection::new(config).map_err(io::Error::other)?;
        LineStream::new(tls.into(), stream, until)
    }

    /// A host that is gone without a word is noticed within a minute.
    fn new(mut tls: rustls::Connection, stream: TcpStream, until: Instant) -> io::Result<LineStream> {
        use rustix::net::sockopt;
        const NOW_AND_THEN: Duration = Duration::from_millis(50);
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(NOW_AND_THEN))?;
        stream.set_write_timeout(Some(TO_PROVE))?;
        sockopt::set_socket_keepalive(&stream, true)?;
        sockopt::set_tcp_keepidle(&stream, Duration::from_secs(20))?;
        sockopt::set_tcp_keepintvl(&stream, Duration::from_secs(10))?;
        sockopt::set_tcp_keepcnt(&stream, 4)?;
        tls.set_buffer_limit(None); // lines of ours, each sent before the next
        let mut lines = LineStream { tls, stream };
        while lines.tls.is_handshaking() {
            lines.look()?;
            if Instant::now() >= until {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        if lines.tls.alpn_protocol() != Some(PROTOCOL) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "unexpected protocol in TLS"));
        }
        lines.flush()?;
        Ok(lines)
    }

    /// Sends a line.
    ///
    /// # Errors
    /// If the other side is gone.
    pub fn send(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.tls.writer().write_all(&text)?;
        self.flush()
    }

    /// The next line; `meanwhile` is called while none is there, every twentieth of a second, and can end it. `None` if
    /// the other side has ended.
    ///
    /// # Errors
    /// If it is none of the kind, too long, or does not come until `until`.
    pub fn receive<T: DeserializeOwned>(
        &mut self,
        until: Option<Instant>,
        meanwhile: &mut dyn FnMut(),
    ) -> io::Result<Option<T>> {
        let mut line = Vec::new();
        loop {
            // One look at a time: who sends byte after byte has no more time than who sends nothing.
            let mut reader = self.tls.reader();
            match reader.fill_buf() {
                Ok(bytes) if !bytes.is_empty() => {
                    let end = bytes.iter().position(|&byte| byte == b'\n');
                    let count = end.map_or(bytes.len(), |end| end + 1);
                    line.extend_from_slice(&bytes[..count]);
                    reader.consume(count);
                    if line.len() > MAX {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, "line too long"));
                    }
                    if end.is_some() {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.look()?,
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
                // With a farewell or, as of a process that was killed, without.
                Ok(_) | Err(_) if line.is_empty() => return Ok(None),
                Ok(_) | Err(_) => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            meanwhile();
        }
        Ok(Some(serde_json::from_slice(&line)?))
    }

    /// Takes what the other side has sent, for which it waits a twentieth of a second.
    fn look(&mut self) -> io::Result<()> {
        self.flush()?;
        match self.tls.read_tls(&mut self.stream) {
            Ok(0) if self.tls.is_handshaking() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        let checked = self.tls.process_new_packets();
        let flushed = self.flush(); // what is wrong is said to the other side too
        checked.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        flushed
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.tls.wants_write() {
            if self.tls.write_tls(&mut self.stream)? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
