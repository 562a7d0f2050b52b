//! Fetches one file without timing, either to compare its content or to count its bytes on the wire.

use std::io::Read;
use std::rc::Rc;
use std::task::Poll;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::time::Timespec;

use super::Fetch;
use super::draining::request_of;
use super::socket::{self, now_ns};
use crate::files::random_text;
use crate::tls::records::RecordCounter;
use kasoku_libraries::openssl::connection::{ClientSettings, Connection};

const PIECE: usize = 256 << 10;
const MAX_HEADER_BYTES: usize = 8 << 10;

/// Fetches the file. Returns the number of bytes of the HTTP header if the content is compared; otherwise the number of
/// bytes of all records.
pub(super) fn fetch(settings: &Rc<ClientSettings>, fetch: &Fetch) -> Result<u64, String> {
    let address = &fetch.target.address;
    let socket = socket::begin(address).map_err(|error| format!("cannot connect to {address}: {error}"))?;
    let mut connection = Connection::new(settings, socket).map_err(|error| error.what)?;
    until_done(&mut connection, fetch.until_ns, Connection::shake_hands)?;
    let request = request_of(&fetch.target);
    let mut sent = 0;
    while sent < request.len() {
        sent += until_done(&mut connection, fetch.until_ns, |connection| connection.write(&request[sent..]))?;
    }
    match fetch.text_bytes {
        Some(bytes) => content(&mut connection, fetch, random_text(bytes)),
        None => records(&connection, fetch),
    }
}

fn content(connection: &mut Connection, fetch: &Fetch, mut file: impl Read) -> Result<u64, String> {
    let (mut piece, mut expected) = (vec![0; PIECE], vec![0; PIECE]);
    let mut header: Vec<u8> = Vec::new();
    let mut header_bytes = 0;
    let mut compared = 0u64;
    loop {
        let bytes = until_done(connection, fetch.until_ns, |connection| connection.read(&mut piece))?;
        if bytes == 0 {
            break;
        }
        let mut body = &piece[..bytes];
        if header_bytes == 0 {
            header.extend_from_slice(body);
            let Some(end) = header.windows(4).position(|window| window == b"\r\n\r\n") else {
                if header.len() > MAX_HEADER_BYTES {
                    return Err("the server's response header does not end".to_owned());
                }
                continue;
            };
            if !header.starts_with(b"HTTP/1.1 200 ") {
                let line = header.split(|&byte| byte == b'\r').next().unwrap_or_default();
                return Err(format!("the server answered \"{}\"", String::from_utf8_lossy(line).escape_debug()));
            }
            header_bytes = end + 4;
            body = &body[bytes - (header.len() - header_bytes)..];
        }
        let expected = &mut expected[..body.len()];
        file.read_exact(expected).map_err(|_| "the server sent more than the file has".to_owned())?;
        if body != expected {
            return Err(format!("the server's data differs from the file from byte {compared} on"));
        }
        compared += body.len() as u64;
    }
    if header_bytes == 0 || compared != fetch.target.bytes {
        return Err(format!("the server sent {compared} bytes of {}", fetch.target.bytes));
    }
    Ok(header_bytes as u64)
}

/// Counts the TLS records of the answer without decrypting them.
fn records(connection: &Connection, fetch: &Fetch) -> Result<u64, String> {
    let mut counter = RecordCounter::default();
    let mut piece = vec![0; PIECE];
    loop {
        match recv(connection.as_fd(), &mut piece[..], RecvFlags::empty()) {
            Ok((0, _)) => break,
            Ok((bytes, _)) => counter.count(&piece[..bytes])?,
            Err(Errno::AGAIN) => wait(connection.as_fd(), fetch.until_ns)?,
            Err(error) => return Err(format!("receiving: {error}")),
        }
    }
    if !counter.is_at_boundary() {
        return Err("the server ended in the middle of a record".to_owned());
    }
    Ok(counter.bytes)
}

/// Calls `step` repeatedly until it is done, and waits for the socket in between.
fn until_done<T>(
    connection: &mut Connection,
    until_ns: u64,
    mut step: impl FnMut(&mut Connection) -> Result<Poll<T>, kasoku_libraries::JobError>,
) -> Result<T, String> {
    loop {
        match step(connection).map_err(|error| error.what)? {
            Poll::Ready(value) => return Ok(value),
            Poll::Pending => wait(connection.as_fd(), until_ns)?,
        }
    }
}

fn wait(socket: BorrowedFd<'_>, until_ns: u64) -> Result<(), String> {
    /// Maximum time to wait until the socket is readable. An unfinished connect or a full buffer needs a writable
    /// socket, which this wait does not report, so they are checked again afterwards. Needless checks cost nothing
    /// here.
    const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    if now_ns() >= until_ns {
        return Err("the server did not answer in time".to_owned());
    }
    let mut sockets = [PollFd::from_borrowed_fd(socket, PollFlags::IN)];
    match poll(&mut sockets, Some(&LOOK_AGAIN)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(format!("poll: {error}")),
    }
}
