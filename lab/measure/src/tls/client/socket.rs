//! Non-blocking sockets and the monotonic clock of a client.

#![allow(unsafe_code)] // setsockopt for an option that the safe wrapper does not have

use std::net::SocketAddr;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, connect, recv, socket_with, sockopt};
use rustix::time::{ClockId, clock_gettime};

/// Returns the nanoseconds of the monotonic clock, which all processes of a host share.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
}

/// Returns a socket that is connecting to `address`.
pub(super) fn begin(address: &SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, None)?;
    // In TLS 1.3 the client sends its last handshake message and its request one after the other, both short. Without
    // this option, the request would wait for an acknowledgement, which the server delays.
    sockopt::set_tcp_nodelay(&socket, true)?;
    match connect(&socket, address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(error) => Err(error),
    }
}

/// Result of [`drain`].
pub(super) enum Drained {
    /// Number of received bytes, after which more may be available.
    Some(u64),
    /// Number of received bytes, after which no more are available.
    All(u64),
    /// The server closed the connection.
    End,
}

/// Makes the kernel discard received data without copying it. On TCP, MSG_TRUNC does that (tcp(7)), and only the length
/// of `room` is used.
pub(super) fn drain(socket: BorrowedFd<'_>, room: &mut [u8]) -> Result<Drained, Errno> {
    let asked = room.len();
    match recv(socket, room, RecvFlags::TRUNC) {
        Ok((_, 0)) => Ok(Drained::End),
        Ok((_, bytes)) if bytes < asked => Ok(Drained::All(bytes as u64)),
        Ok((_, bytes)) => Ok(Drained::Some(bytes as u64)),
        Err(Errno::AGAIN) => Ok(Drained::All(0)),
        Err(error) => Err(error),
    }
}

/// Makes the kernel report received data only from this many bytes on, or at the end of the connection. Each report
/// also costs the server time if the client wakes on its core. If the system rejects the option, the connection works
/// but costs more time.
pub(super) fn tell_from(socket: BorrowedFd<'_>, bytes: usize) {
    let value = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    // SAFETY: the socket is open, and the option takes an int, whose size is passed (socket(7)).
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVLOWAT,
            (&raw const value).cast(),
            size_of_val(&value) as libc::socklen_t,
        );
    }
}
