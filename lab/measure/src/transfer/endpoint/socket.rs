//! A UDP socket for quinn that limits a GSO buffer to the maximum size of a datagram.
//!
//! quinn puts ten packets into a buffer, whatever their size. Ten packets of 9 KB exceed the maximum datagram, and the
//! system would reject all of them.

use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, Runtime, TokioRuntime, UdpPoller};

use super::{ANYWHERE, ROOM};
use kasoku_model::workload::transfer::MAX_DATAGRAM;

#[derive(Debug)]
pub(super) struct BoundedSocket {
    inner: Arc<dyn AsyncUdpSocket>,
    packet: usize,
}

impl BoundedSocket {
    /// Opens a UDP socket on the loopback for packets of `packet` bytes.
    pub(super) fn open(packet: usize) -> io::Result<BoundedSocket> {
        let socket = UdpSocket::bind(ANYWHERE)?;
        // The system may allow less. Smaller buffers lose more packets, which are counted.
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, ROOM);
        let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, ROOM);
        Ok(BoundedSocket { inner: TokioRuntime.wrap_udp_socket(socket)?, packet })
    }
}

impl AsyncUdpSocket for BoundedSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Arc::clone(&self.inner).create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        self.inner.try_send(transmit)
    }

    fn poll_recv(
        &self,
        context: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        self.inner.poll_recv(context, buffers, meta)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.inner.max_transmit_segments().min(MAX_DATAGRAM / self.packet.max(1)).max(1)
    }

    fn max_receive_segments(&self) -> usize {
        self.inner.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.inner.may_fragment()
    }
}
