//! A stream from a client to a server.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quinn::{Endpoint, EndpointConfig, Runtime, TokioRuntime, TransportConfig, VarInt};

use crate::socket::Socket;
use crate::{Moment, Outcome, Transfer};

/// Moved before the clock starts.
const WARM_UP: u64 = 50_000_000;

const WINDOW: u32 = 4 << 20;

pub(crate) fn receive(transfer: Transfer, ready: impl FnOnce(u16, &[u8])) -> Outcome {
    runtime().block_on(async {
        let (tls, certificate) = transfer.cryptography.server();
        let mut config = transfer.cryptography.quic_server(tls);
        config.transport_config(transport(transfer));
        let endpoint = endpoint(transfer, Some(config));
        ready(endpoint.local_addr().unwrap().port(), &certificate);
        let connection = endpoint.accept().await.unwrap().await.unwrap();
        let mut stream = connection.accept_uni().await.unwrap();
        let mut chunks = vec![Bytes::new(); 64];
        let mut taken = 0;
        let mut start = None;
        while let Some(count) = stream.read_chunks(&mut chunks).await.unwrap() {
            taken += chunks[..count].iter().map(|chunk| chunk.len() as u64).sum::<u64>();
            if start.is_none() && taken >= WARM_UP {
                start = Some(Moment::now());
            }
        }
        let outcome = Outcome { packets: connection.stats().udp_rx.datagrams, ..start.unwrap().outcome() };
        assert_eq!(taken, transfer.bytes + WARM_UP);
        connection.close(VarInt::from_u32(0), b"");
        endpoint.wait_idle().await;
        outcome
    })
}

pub(crate) fn send(transfer: Transfer, port: u16, certificate: Vec<u8>) -> Outcome {
    runtime().block_on(async {
        let tls = transfer.cryptography.client(transfer.is_256, certificate);
        let mut config = transfer.cryptography.quic_client(tls);
        config.transport_config(transport(transfer));
        let endpoint = endpoint(transfer, None);
        let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let connection = endpoint.connect_with(config, server, "localhost").unwrap().await.unwrap();
        let mut stream = connection.open_uni().await.unwrap();
        let piece = Bytes::from(vec![0xA5; 1 << 20]);
        let mut left = WARM_UP;
        let mut start = None;
        loop {
            while left > 0 {
                let part = piece.slice(..piece.len().min(left as usize));
                left -= part.len() as u64;
                stream.write_chunk(part).await.unwrap();
            }
            if start.is_some() {
                break;
            }
            start = Some(Moment::now());
            left = transfer.bytes;
        }
        stream.finish().unwrap();
        let _ = stream.stopped().await;
        let stats = connection.stats();
        let outcome =
            Outcome { packets: stats.udp_tx.datagrams, lost: stats.path.lost_packets, ..start.unwrap().outcome() };
        let _ = connection.closed().await;
        outcome
    })
}

/// One thread: what it does is what the process is charged for.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Sockets with room for a window, as far as the system allows.
fn endpoint(transfer: Transfer, server: Option<quinn::ServerConfig>) -> Endpoint {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let view = socket2::SockRef::from(&socket);
    let _ = view.set_recv_buffer_size(2 * WINDOW as usize);
    let _ = view.set_send_buffer_size(2 * WINDOW as usize);
    let packet = transfer.packet.unwrap_or(1452);
    let mut config = EndpointConfig::default();
    config.max_udp_payload_size(packet).unwrap();
    let runtime = Arc::new(TokioRuntime);
    let socket = Socket { inner: runtime.wrap_udp_socket(socket).unwrap(), packet_bytes: usize::from(packet) };
    Endpoint::new_with_abstract_socket(config, server, Arc::new(socket), runtime).unwrap()
}

/// Packets of one size, and a window that loopback does not overrun.
fn transport(transfer: Transfer) -> Arc<TransportConfig> {
    let packet = transfer.packet.unwrap_or(1452);
    let mut transport = TransportConfig::default();
    transport.initial_mtu(packet).min_mtu(packet).mtu_discovery_config(None);
    transport.stream_receive_window(VarInt::from_u32(WINDOW)).receive_window(VarInt::from_u32(WINDOW));
    transport.send_window(u64::from(WINDOW));
    transport.max_idle_timeout(Some(Duration::from_secs(10).try_into().unwrap()));
    Arc::new(transport)
}
