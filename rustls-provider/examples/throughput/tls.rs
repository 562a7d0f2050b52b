//! A client that writes as fast as it can to a server that reads.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ServerConnection, StreamOwned};
use socket2::SockRef;

use crate::{Moment, Outcome, Transfer};

/// Moved before the clock starts.
const WARM_UP: u64 = 50 << 20;

/// Written and read at once: four records.
const PIECE: usize = 64 << 10;

/// Room in each socket: what the kernel would choose differs from one connection to the next, and the cost with it.
const BUFFER: usize = 4 << 20;

pub(crate) fn receive(transfer: Transfer, ready: impl FnOnce(u16, &[u8])) -> Outcome {
    let (tls, certificate) = transfer.cryptography.server();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    SockRef::from(&listener).set_recv_buffer_size(BUFFER).unwrap();
    ready(listener.local_addr().unwrap().port(), &certificate);
    let (socket, _) = listener.accept().unwrap();
    let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(tls)).unwrap(), socket);
    let mut piece = vec![0; PIECE];
    let (mut taken, mut start) = (0, None);
    loop {
        let bytes = stream.read(&mut piece).unwrap();
        if bytes == 0 {
            break;
        }
        taken += bytes as u64;
        if start.is_none() && taken >= WARM_UP {
            start = Some(Moment::now());
        }
    }
    assert_eq!(taken, transfer.bytes / PIECE as u64 * PIECE as u64 + WARM_UP);
    start.unwrap().outcome()
}

pub(crate) fn send(transfer: Transfer, port: u16, certificate: Vec<u8>) -> Outcome {
    let tls = transfer.cryptography.client(transfer.is_256, certificate);
    let client = ClientConnection::new(Arc::new(tls), ServerName::try_from("localhost").unwrap()).unwrap();
    let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    SockRef::from(&socket).set_send_buffer_size(BUFFER).unwrap();
    let mut stream = StreamOwned::new(client, socket);
    let piece = vec![0xA5; PIECE];
    for _ in 0..WARM_UP / PIECE as u64 {
        stream.write_all(&piece).unwrap();
    }
    let start = Moment::now();
    for _ in 0..transfer.bytes / PIECE as u64 {
        stream.write_all(&piece).unwrap();
    }
    stream.conn.send_close_notify();
    stream.flush().unwrap();
    let outcome = start.outcome();
    // A socket that is closed with tickets unread takes what was sent with it.
    let _ = stream.read(&mut [0]);
    outcome
}
