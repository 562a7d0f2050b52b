//! An endpoint over TLS 1.3 and TCP. A client writes as fast as it can to a server, which reads and confirms with a
//! byte.

use std::io::{BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ConnectionCommon, ServerConnection, Stream};

use super::{
    ANYWHERE, EndpointAnswer, EndpointOrder, EndpointSetting, NAME, OrderTimer, Peer, RECEIVED, ROOM, check_answer,
    configuration, data_differs, failed, read_line, say, wrong_length,
};
use crate::transfer::pattern::Pattern;

/// Number of bytes written or read at once: four records, the maximum that rustls buffers.
const PIECE: usize = 64 << 10;

pub(super) fn serve(setting: &EndpointSetting, mut input: impl BufRead, output: &mut impl Write) -> Result<(), String> {
    match &setting.peer {
        Some(peer) => {
            let (mut connection, mut socket) = connect(setting, peer)?;
            shake_hands(setting, &mut connection, &mut socket)?;
            work(setting, &mut Stream::new(&mut connection, &mut socket), &mut input, output)
        }
        None => {
            let (mut connection, mut socket) = accept(setting, output)?;
            shake_hands(setting, &mut connection, &mut socket)?;
            work(setting, &mut Stream::new(&mut connection, &mut socket), &mut input, output)
        }
    }
}

fn shake_hands<S>(
    setting: &EndpointSetting,
    connection: &mut ConnectionCommon<S>,
    socket: &mut TcpStream,
) -> Result<(), String> {
    while connection.is_handshaking() {
        connection.complete_io(socket).map_err(failed("the handshake"))?;
    }
    configuration::check(setting, connection)
}

fn work(
    setting: &EndpointSetting,
    stream: &mut (impl Read + Write),
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), String> {
    say(output, &EndpointAnswer::default())?;
    let pattern = Pattern::new();
    while let Some(order) = read_line::<EndpointOrder>(input)? {
        let timer = OrderTimer::start();
        match setting.peer {
            Some(_) => send(stream, &pattern, order)?,
            None => receive(stream, &pattern, order)?,
        }
        say(output, &timer.stop())?;
    }
    Ok(())
}

fn accept(setting: &EndpointSetting, output: &mut impl Write) -> Result<(ServerConnection, TcpStream), String> {
    let (tls, certificate) = configuration::receiver(setting)?;
    let connection = ServerConnection::new(Arc::new(tls)).map_err(failed("TLS"))?;
    let listener = TcpListener::bind(ANYWHERE).map_err(failed("TCP"))?;
    // Set the size on the listener, from which connections inherit it. The system may allow less.
    let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&listener, ROOM);
    let address = listener.local_addr().map_err(failed("TCP"))?;
    say(output, &EndpointAnswer { peer: Some(Peer { address, certificate }), ..EndpointAnswer::default() })?;
    let (socket, _) = listener.accept().map_err(failed("TCP"))?;
    Ok((connection, socket))
}

fn connect(setting: &EndpointSetting, peer: &Peer) -> Result<(ClientConnection, TcpStream), String> {
    let tls = configuration::sender(setting, &peer.certificate)?;
    let name = ServerName::try_from(NAME).map_err(failed("TLS"))?;
    let connection = ClientConnection::new(Arc::new(tls), name).map_err(failed("TLS"))?;
    let socket = TcpStream::connect(peer.address).map_err(failed("TCP"))?;
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, ROOM);
    Ok((connection, socket))
}

fn send(stream: &mut (impl Read + Write), pattern: &Pattern, order: EndpointOrder) -> Result<(), String> {
    let mut sent = 0;
    while sent < order.bytes {
        let length = PIECE.min(usize::try_from(order.bytes - sent).unwrap_or(usize::MAX));
        stream.write_all(&pattern.piece(sent, length)).map_err(failed("sending"))?;
        sent += length as u64;
    }
    stream.flush().map_err(failed("sending"))?;
    let mut answer = [0];
    stream.read_exact(&mut answer).map_err(failed("the receiver's answer"))?;
    check_answer(&answer)
}

fn receive(stream: &mut (impl Read + Write), pattern: &Pattern, order: EndpointOrder) -> Result<(), String> {
    let mut piece = vec![0; PIECE];
    let mut received = 0;
    while received < order.bytes {
        let bytes = stream.read(&mut piece).map_err(failed("receiving"))?;
        let Some(part) = piece.get(..bytes).filter(|part| !part.is_empty()) else {
            return Err(wrong_length(received, order));
        };
        if !pattern.is_at(received, part, order.is_looked_at) {
            return Err(data_differs(received));
        }
        received += bytes as u64;
    }
    if received != order.bytes {
        return Err(wrong_length(received, order));
    }
    stream.write_all(&[RECEIVED]).and_then(|()| stream.flush()).map_err(failed("receiving"))
}
