//! Over TLS 1.3 and TCP: a client that writes as fast as it can to a server that reads, and answers with a byte.

use std::io::{BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ConnectionCommon, ServerConnection, SideData};

use super::configuration::{self, failed};
use super::{ANYWHERE, Begin, NAME, Output, RECEIVED, ROOM, is_other, read_line, wrong_length};
use crate::transfer::lines::{EndpointAnswer, EndpointOrder, EndpointSetting, Peer};
use crate::transfer::pattern::Pattern;

/// Written and read at once: four records, and what rustls keeps before it wants to be rid of it.
const PIECE: usize = 64 << 10;

/// Connects and does what it is told.
pub(super) fn serve(
    setting: &EndpointSetting,
    mut input: impl BufRead,
    output: &mut Output<impl Write>,
) -> Result<(), String> {
    match &setting.peer {
        Some(peer) => {
            let (mut connection, mut socket) = connect(setting, peer)?;
            let mut stream = rustls::Stream::new(&mut connection, &mut socket);
            work(setting, &mut stream, &mut input, output)
        }
        None => {
            let (mut connection, mut socket) = accept(setting, output)?;
            let mut stream = rustls::Stream::new(&mut connection, &mut socket);
            work(setting, &mut stream, &mut input, output)
        }
    }
}

/// Shakes hands and then does what it is told.
fn work<C, S>(
    setting: &EndpointSetting,
    stream: &mut rustls::Stream<'_, C, TcpStream>,
    input: &mut impl BufRead,
    output: &mut Output<impl Write>,
) -> Result<(), String>
where
    C: std::ops::DerefMut + std::ops::Deref<Target = ConnectionCommon<S>>,
    S: SideData,
{
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(stream.sock).map_err(|error| failed("the handshake")(&error))?;
    }
    configuration::check(setting, stream.conn)?;
    output.say(&EndpointAnswer::default())?;
    let pattern = Pattern::new();
    while let Some(order) = read_line::<EndpointOrder>(input)? {
        let begin = Begin::now();
        match setting.peer {
            Some(_) => send(stream, &pattern, order)?,
            None => receive(stream, &pattern, order)?,
        }
        output.say(&begin.end())?;
    }
    Ok(())
}

fn accept(setting: &EndpointSetting, output: &mut Output<impl Write>) -> Result<(ServerConnection, TcpStream), String> {
    let refused = failed("TCP");
    let (tls, certificate) = configuration::receiver(setting)?;
    let connection = ServerConnection::new(Arc::new(tls)).map_err(|error| failed("TLS")(&error))?;
    let listener = TcpListener::bind(ANYWHERE).map_err(|error| refused(&error))?;
    // Before there is a connection, which has it from here. As much as the system allows.
    let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&listener, ROOM);
    let address = listener.local_addr().map_err(|error| refused(&error))?;
    output.say(&EndpointAnswer { peer: Some(Peer { address, certificate }), ..EndpointAnswer::default() })?;
    let (socket, _) = listener.accept().map_err(|error| refused(&error))?;
    Ok((connection, socket))
}

fn connect(setting: &EndpointSetting, peer: &Peer) -> Result<(ClientConnection, TcpStream), String> {
    let tls = configuration::sender(setting, &peer.certificate)?;
    let name = ServerName::try_from(NAME).map_err(|error| failed("TLS")(&error))?;
    let connection = ClientConnection::new(Arc::new(tls), name).map_err(|error| failed("TLS")(&error))?;
    let socket = TcpStream::connect(peer.address).map_err(|error| failed("TCP")(&error))?;
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, ROOM);
    Ok((connection, socket))
}

fn send<C, S>(
    stream: &mut rustls::Stream<'_, C, TcpStream>,
    pattern: &Pattern,
    order: EndpointOrder,
) -> Result<(), String>
where
    C: std::ops::DerefMut + std::ops::Deref<Target = ConnectionCommon<S>>,
    S: SideData,
{
    let broken = failed("sending");
    let mut sent = 0;
    while sent < order.bytes {
        let length = PIECE.min(usize::try_from(order.bytes - sent).unwrap_or(usize::MAX));
        stream.write_all(&pattern.piece(sent, length)).map_err(|error| broken(&error))?;
        sent += length as u64;
    }
    stream.flush().map_err(|error| broken(&error))?;
    let mut answer = [0];
    stream.read_exact(&mut answer).map_err(|error| failed("the receiver's answer")(&error))?;
    if answer == [RECEIVED] { Ok(()) } else { Err("the receiver did not get everything".to_owned()) }
}

fn receive<C, S>(
    stream: &mut rustls::Stream<'_, C, TcpStream>,
    pattern: &Pattern,
    order: EndpointOrder,
) -> Result<(), String>
where
    C: std::ops::DerefMut + std::ops::Deref<Target = ConnectionCommon<S>>,
    S: SideData,
{
    let broken = failed("receiving");
    let mut piece = vec![0; PIECE];
    let mut received = 0;
    while received < order.bytes {
        let bytes = stream.read(&mut piece).map_err(|error| broken(&error))?;
        let Some(part) = piece.get(..bytes).filter(|part| !part.is_empty()) else {
            return Err(wrong_length(received, order));
        };
        if !pattern.is_at(received, part, order.is_looked_at) {
            return Err(is_other(received));
        }
        received += bytes as u64;
    }
    if received != order.bytes {
        return Err(wrong_length(received, order));
    }
    stream.write_all(&[RECEIVED]).and_then(|()| stream.flush()).map_err(|error| broken(&error))
}
