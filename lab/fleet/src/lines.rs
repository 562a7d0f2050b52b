//! What a client and `kasoku serve` say to each other: lines of JSON over TCP, each side bounded in what it reads and in
//! how long it waits. First both prove that they know the token; then the client asks and the server answers.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::token::{Challenge, Token};
use kasoku_measure::tls::Busy;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;

/// The form of these lines; both sides must have the same.
pub const FORM: u32 = 1;
/// The longest line.
pub const MAX: usize = 64 << 10;
/// How long either may take to prove that it knows the token.
pub const TO_PROVE: Duration = Duration::from_secs(5);

/// The client's first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The form of the lines.
    pub kasoku: u32,
    /// What the client chose.
    pub challenge: Challenge,
}

/// The server's answer to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// The form of the lines.
    pub kasoku: u32,
    /// What the server chose.
    pub challenge: Challenge,
    /// That it knows the token.
    pub proof: String,
}

/// The client's second line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// That it knows the token.
    pub proof: String,
    /// The run it belongs to; a server belongs to one at a time.
    pub run: Token,
}

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// To serve a file of so many random bytes.
    File(u64),
    /// To watch what this server uses from now on.
    Watch(Named),
    /// What it has used since.
    Use,
}

/// What the server answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// What there is: the answer to the proof.
    Here(Description),
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
pub struct Description {
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
pub struct Lines {
    reader: BufReader<TcpStream>,
}

impl Lines {
    /// On `stream`. A host that is gone without a word is noticed within a minute.
    ///
    /// # Errors
    /// The system's.
    pub fn new(stream: TcpStream) -> io::Result<Lines> {
        use rustix::net::sockopt;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(TO_PROVE))?;
        sockopt::set_socket_keepalive(&stream, true)?;
        sockopt::set_tcp_keepidle(&stream, Duration::from_secs(20))?;
        sockopt::set_tcp_keepintvl(&stream, Duration::from_secs(10))?;
        sockopt::set_tcp_keepcnt(&stream, 4)?;
        Ok(Lines { reader: BufReader::new(stream) })
    }

    /// Sends a line.
    ///
    /// # Errors
    /// If the other side is gone.
    pub fn send(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.reader.get_mut().write_all(&text)
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
        const NOW_AND_THEN: Duration = Duration::from_millis(50);
        let mut line = Vec::new();
        self.reader.get_ref().set_read_timeout(Some(NOW_AND_THEN))?;
        loop {
            // One look at a time: who sends byte after byte has no more time than who sends nothing.
            match self.reader.fill_buf() {
                Ok([]) if line.is_empty() => return Ok(None),
                Ok([]) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(bytes) => {
                    let end = bytes.iter().position(|&byte| byte == b'\n');
                    let count = end.map_or(bytes.len(), |end| end + 1);
                    line.extend_from_slice(&bytes[..count]);
                    self.reader.consume(count);
                    if line.len() > MAX {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line that is too long"));
                    }
                    if end.is_some() {
                        break;
                    }
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(error) => return Err(error),
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            meanwhile();
        }
        Ok(Some(serde_json::from_slice(&line)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn pair() -> (Lines, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (Lines::new(listener.accept().unwrap().0).unwrap(), other)
    }

    /// For what does not come.
    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(300))
    }

    /// For what comes, on a busy machine too.
    fn later() -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(60))
    }

    #[test]
    fn lines_come_as_they_were_sent() {
        let (mut lines, other) = pair();
        let mut other = Lines::new(other).unwrap();
        for question in [Question::File(1 << 20), Question::Use] {
            other.send(&question).unwrap();
            assert_eq!(lines.receive(later(), &mut || ()).unwrap(), Some(question));
        }
        drop(other);
        assert_eq!(lines.receive::<Question>(later(), &mut || ()).unwrap(), None);
    }

    #[test]
    fn who_sends_byte_after_byte_gets_no_more_time() {
        let (mut lines, mut other) = pair();
        std::thread::spawn(move || {
            while other.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let begin = Instant::now();
        let error = lines.receive::<Question>(soon(), &mut || ()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        // A line as long as may be would take minutes.
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn what_is_too_long_too_slow_or_nonsense_ends_it() {
        let kind = |bytes: &[u8], ends: bool, until: Option<Instant>| {
            let (mut lines, mut other) = pair();
            let mut writer = other.try_clone().unwrap();
            let bytes = bytes.to_vec();
            let writing = std::thread::spawn(move || drop(writer.write_all(&bytes)));
            if ends {
                other.flush().unwrap();
                writing.join().unwrap();
                other.shutdown(std::net::Shutdown::Both).unwrap();
            }
            lines.receive::<Question>(until, &mut || ()).unwrap_err().kind()
        };
        assert_eq!(kind(&vec![b' '; 4 * MAX], false, later()), io::ErrorKind::InvalidData);
        assert_eq!(kind(b"{\"file\":", false, soon()), io::ErrorKind::TimedOut);
        assert_eq!(kind(b"{\"file\":", true, later()), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(b"{\"file\":-1}\n", false, later()), io::ErrorKind::InvalidData);
        assert_eq!(kind(b"\xff\xfe\n", false, later()), io::ErrorKind::InvalidData);
        let deep = format!("{}\n", "[".repeat(50_000));
        assert_eq!(kind(deep.as_bytes(), false, later()), io::ErrorKind::InvalidData);
    }
}
