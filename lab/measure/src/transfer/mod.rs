//! Measures end-to-end transfers of data with the cryptography of one library. A sender and a receiver, each a process
//! of its own, use QUIC (quinn) or TLS 1.3 over TCP (rustls) on the loopback.
//!
//! Each case has two processes that run for a whole start. Each round transfers data for all cases one after the other,
//! in shuffled order, while the others wait. So cases are compared within rounds.

pub mod endpoint;
mod endpoints;
mod pattern;
mod run;

use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

pub(crate) use run::run;

/// Maximum time for testing whether the loopback works.
const GREETING: Duration = Duration::from_secs(1);

/// Returns why this system cannot transfer data; `None` if it can. A sandbox may have no sockets or no loopback.
pub fn why_unavailable() -> Option<String> {
    greet_self().err().map(|error| format!("data end to end: sockets on the loopback do not work here ({error})"))
}

/// Sends a datagram to this process, and connects to it by TCP.
fn greet_self() -> std::io::Result<()> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_read_timeout(Some(GREETING))?;
    socket.connect(socket.local_addr()?)?;
    socket.send(&[0])?;
    socket.recv(&mut [0])?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    TcpStream::connect_timeout(&listener.local_addr()?, GREETING).map(drop)
}
