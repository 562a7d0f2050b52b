//! An endpoint over QUIC. Each transfer has a stream of its own, and the receiver confirms it with a byte.

use std::io::{BufRead, Write};
use std::sync::Arc;

use bytes::Bytes;
use quinn::{Connection, Endpoint, TokioRuntime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::socket::BoundedSocket;
use super::{
    EndpointAnswer, EndpointOrder, EndpointSetting, NAME, OrderTimer, Peer, RECEIVED, check_answer, configuration,
    data_differs, failed, read_line, say, wrong_length,
};
use crate::transfer::pattern::{MAX_PIECE, Pattern};
use kasoku_model::workload::transfer::Protection;

const PIECES: usize = 64;

pub(super) fn serve(
    setting: &EndpointSetting,
    input: impl BufRead + Send + 'static,
    output: &mut impl Write,
) -> Result<(), String> {
    // One thread does all the work, so that the CPU time of the process is its CPU time.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(failed("the runtime"))?.block_on(async {
        let connected = match &setting.peer {
            Some(peer) => connect(setting, peer).await?,
            None => accept(setting, output).await?,
        };
        let segments = setting.peer.is_some().then_some(connected.segments);
        say(output, &EndpointAnswer { segments, ..EndpointAnswer::default() })?;
        let mut orders = orders(input)?;
        let pattern = Pattern::new();
        while let Some(order) = orders.recv().await {
            let order = order?;
            let before = connected.connection.stats();
            let timer = OrderTimer::start();
            match setting.peer {
                Some(_) => send(&connected.connection, &pattern, order).await?,
                None => receive(&connected.connection, &pattern, order).await?,
            }
            let answer = timer.stop();
            let after = connected.connection.stats();
            say(
                output,
                &EndpointAnswer {
                    packets: after.udp_tx.datagrams - before.udp_tx.datagrams,
                    calls: after.udp_tx.ios - before.udp_tx.ios,
                    lost: after.path.lost_packets - before.path.lost_packets,
                    ..answer
                },
            )?;
        }
        Ok(())
    })
}

/// A connection, with the QUIC endpoint that must exist as long as the connection.
struct Connected {
    connection: Connection,
    segments: usize,
    _endpoint: Endpoint,
}

/// Reads the laboratory's orders in a thread: reading blocks, but the connection must continue.
fn orders(
    mut input: impl BufRead + Send + 'static,
) -> Result<UnboundedReceiver<Result<EndpointOrder, String>>, String> {
    let (sender, orders) = unbounded_channel();
    let reading = std::thread::Builder::new().spawn(move || {
        while let Some(order) = read_line(&mut input).transpose() {
            let is_last = order.is_err();
            if sender.send(order).is_err() || is_last {
                return;
            }
        }
    });
    reading.map(|_| orders).map_err(failed("a thread"))
}

fn endpoint(setting: &EndpointSetting, server: Option<quinn::ServerConfig>) -> Result<(Endpoint, usize), String> {
    let socket = BoundedSocket::open(setting.bytes).map_err(failed("UDP"))?;
    let segments = quinn::AsyncUdpSocket::max_transmit_segments(&socket);
    let config = configuration::endpoint(setting)?;
    let endpoint = Endpoint::new_with_abstract_socket(config, server, Arc::new(socket), Arc::new(TokioRuntime));
    Ok((endpoint.map_err(failed("UDP"))?, segments))
}

async fn accept(setting: &EndpointSetting, output: &mut impl Write) -> Result<Connected, String> {
    let (tls, certificate) = configuration::receiver(setting)?;
    let (endpoint, segments) = endpoint(setting, Some(configuration::quic_receiver(setting, tls)?))?;
    let address = endpoint.local_addr().map_err(failed("UDP"))?;
    say(output, &EndpointAnswer { peer: Some(Peer { address, certificate }), ..EndpointAnswer::default() })?;
    let incoming = endpoint.accept().await.ok_or("nobody came")?;
    let connection = incoming.await.map_err(failed("the handshake"))?;
    check(setting.transfer.protection, &connection)?;
    Ok(Connected { connection, segments, _endpoint: endpoint })
}

async fn connect(setting: &EndpointSetting, peer: &Peer) -> Result<Connected, String> {
    let tls = configuration::sender(setting, &peer.certificate)?;
    let (endpoint, segments) = endpoint(setting, None)?;
    let config = configuration::quic_sender(setting, tls)?;
    let connecting = endpoint.connect_with(config, peer.address, NAME);
    let connection = connecting.map_err(failed("connecting"))?.await;
    let connection = connection.map_err(failed("the handshake"))?;
    check(setting.transfer.protection, &connection)?;
    Ok(Connected { connection, segments, _endpoint: endpoint })
}

/// Checks the application protocol of a connection, and that its session is the requested one. The type of the
/// handshake data identifies the session: quinn's own, or Kasoku's, which protects payload and header in one pass.
fn check(protection: Protection, connection: &Connection) -> Result<(), String> {
    let data = connection.handshake_data().ok_or("the handshake says nothing")?;
    let protocol = match protection {
        Protection::OnePass => {
            data.downcast::<kasoku_rustls::quinn::HandshakeData>().ok().and_then(|data| data.protocol)
        }
        Protection::Provider => {
            data.downcast::<quinn::crypto::rustls::HandshakeData>().ok().and_then(|data| data.protocol)
        }
    };
    configuration::check_protocol(protocol.as_deref())
}

async fn send(connection: &Connection, pattern: &Pattern, order: EndpointOrder) -> Result<(), String> {
    let (mut sending, mut receiving) = connection.open_bi().await.map_err(failed("sending"))?;
    let mut sent = 0;
    while sent < order.bytes {
        let length = MAX_PIECE.min(usize::try_from(order.bytes - sent).unwrap_or(usize::MAX));
        sending.write_chunk(pattern.piece(sent, length)).await.map_err(failed("sending"))?;
        sent += length as u64;
    }
    sending.finish().map_err(failed("sending"))?;
    let answer = receiving.read_to_end(1).await.map_err(failed("the receiver's answer"))?;
    check_answer(&answer)
}

async fn receive(connection: &Connection, pattern: &Pattern, order: EndpointOrder) -> Result<(), String> {
    let (mut sending, mut receiving) = connection.accept_bi().await.map_err(failed("receiving"))?;
    let mut pieces = vec![Bytes::new(); PIECES];
    let mut received = 0;
    while let Some(count) = receiving.read_chunks(&mut pieces).await.map_err(failed("receiving"))? {
        for piece in pieces.iter_mut().take(count) {
            if !pattern.is_at(received, piece, order.is_looked_at) {
                return Err(data_differs(received));
            }
            received += piece.len() as u64;
            *piece = Bytes::new();
        }
    }
    if received != order.bytes {
        return Err(wrong_length(received, order));
    }
    sending.write_all(&[RECEIVED]).await.map_err(failed("receiving"))?;
    sending.finish().map_err(failed("receiving"))
}
