//! Puts load on a server: for a given time, keeps a number of connections open, each of which fetches one file.

use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::time::Timespec;

use super::socket::{self, Drained, now_ns};
use super::{ClientLoad, Load, Target};
use kasoku_libraries::openssl::connection::{ClientSettings, Connection};

/// Maximum number of bytes discarded at a time. A socket never holds as many.
const ROOM: usize = 64 << 20;
/// Minimum number of received bytes (SO_RCVLOWAT) at which the kernel reports a connection as readable, unless the
/// connection ends. Without this minimum, handling the reports takes a third of the client's work, and of the server's
/// if the client wakes on the server's core.
const TOLD_FROM: usize = 1 << 20;
const MAX_CONNECTIONS: usize = 65_536;
/// Nanoseconds before the start from which a client waits actively, since a sleeping process wakes late.
const SPIN_NS: u64 = 2_000_000;

/// Puts `load` on the server. Fails if a connection fails, negotiates another suite, or receives another number of
/// bytes.
pub(super) fn load(settings: &Rc<ClientSettings>, load: &Load) -> Result<ClientLoad, String> {
    if !(1..=MAX_CONNECTIONS).contains(&load.connections) {
        return Err(format!("the number of connections must be from 1 to {MAX_CONNECTIONS}"));
    }
    let queue = epoll::create(CreateFlags::CLOEXEC).map_err(|error| format!("epoll: {error}"))?;
    let mut run = Run {
        settings,
        load,
        queue,
        request: request_of(&load.file.target),
        room: vec![0; ROOM],
        slots: Vec::with_capacity(load.connections),
        active: 0,
        seen: ClientLoad::default(),
    };
    wait_until(load.start_ns);
    run.seen.late_ns = now_ns().saturating_sub(load.start_ns);
    run.all()?;
    Ok(run.seen)
}

pub(super) fn request_of(Target { address, bytes, .. }: &Target) -> Vec<u8> {
    format!("GET /{bytes} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").into_bytes()
}

fn wait_until(start_ns: u64) {
    let ahead = start_ns.saturating_sub(now_ns());
    if ahead > SPIN_NS {
        std::thread::sleep(Duration::from_nanos(ahead - SPIN_NS));
    }
    while now_ns() < start_ns {
        std::hint::spin_loop();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The connection is open, and the handshake is in progress.
    Shaking,
    /// The client has sent this many bytes of the request.
    Asking(usize),
    /// The client has received this many bytes of the answer.
    Draining(u64),
}

/// Slot for one connection at a time; a new connection follows when one ends.
struct Slot {
    connection: Connection,
    phase: Phase,
    /// Intended start of the connection: the end of the previous connection, or the common start of all clients.
    intended_ns: u64,
}

struct Run<'a> {
    settings: &'a Rc<ClientSettings>,
    load: &'a Load,
    queue: OwnedFd,
    request: Vec<u8>,
    /// Buffer argument of [`drain`], which uses only its length and writes nothing.
    room: Vec<u8>,
    slots: Vec<Option<Slot>>,
    active: usize,
    seen: ClientLoad,
}

impl Run<'_> {
    fn all(&mut self) -> Result<(), String> {
        for index in 0..self.load.connections {
            self.slots.push(None);
            self.begin(index, self.load.start_ns)?;
        }
        let mut events: Vec<Event> = Vec::with_capacity(256);
        while self.active > 0 {
            let left = self.load.until_ns.saturating_sub(now_ns());
            if left == 0 {
                return Err(format!("{} of {} connections did not finish", self.active, self.load.connections));
            }
            let timeout = Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
            events.clear();
            match epoll::wait(&self.queue, rustix::buffer::spare_capacity(&mut events), Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(format!("epoll: {error}")),
            }
            for event in &events {
                self.advance(event.data.u64() as usize)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, index: usize, intended_ns: u64) -> Result<(), String> {
        let failed = |error: Errno| match error {
            Errno::MFILE | Errno::NFILE => "the limit of open files is too low for this many connections".to_owned(),
            Errno::ADDRNOTAVAIL => "there are not enough ports for this many connections".to_owned(),
            error => format!("connecting: {error}"),
        };
        let socket = socket::begin(&self.load.file.target.address).map_err(failed)?;
        let connection = Connection::new(self.settings, socket).map_err(|error| error.what)?;
        // Edge-triggered: `advance` reads all available data, so one registration covers reading and writing.
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.queue, connection.as_fd(), EventData::new_u64(index as u64), flags).map_err(failed)?;
        self.slots[index] = Some(Slot { connection, phase: Phase::Shaking, intended_ns });
        self.active += 1;
        Ok(())
    }

    /// Advances the connection of a slot as far as possible without waiting, and begins the next one when it is done.
    fn advance(&mut self, index: usize) -> Result<(), String> {
        loop {
            let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return Ok(()) };
            match slot.phase {
                Phase::Shaking => match slot.connection.shake_hands().map_err(|error| error.what)? {
                    Poll::Pending => return Ok(()),
                    Poll::Ready(()) => slot.phase = Phase::Asking(0),
                },
                Phase::Asking(sent) if sent == self.request.len() => slot.phase = Phase::Draining(0),
                Phase::Asking(sent) => {
                    match slot.connection.write(&self.request[sent..]).map_err(|error| error.what)? {
                        Poll::Ready(0) => return Err("the server ended before it was asked".to_owned()),
                        Poll::Ready(more) => slot.phase = Phase::Asking(sent + more),
                        Poll::Pending => return Ok(()),
                    }
                }
                Phase::Draining(before) => {
                    match socket::drain(slot.connection.as_fd(), &mut self.room) {
                        Ok(Drained::Some(bytes)) => self.came(index, before, bytes),
                        Ok(Drained::All(bytes)) => {
                            self.came(index, before, bytes);
                            // The end of the data may have come before this read. Epoll would not report it again.
                            if before + bytes < self.load.file.wire_bytes || bytes == 0 {
                                return Ok(());
                            }
                        }
                        Ok(Drained::End) => return self.done(index, before),
                        Err(error) => return Err(format!("receiving: {error}")),
                    }
                }
            }
        }
    }

    fn came(&mut self, index: usize, before: u64, bytes: u64) {
        let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return };
        if before == 0 && bytes > 0 {
            // Raise the receive threshold only now, because the first byte must be reported at once.
            let rest = usize::try_from(self.load.file.wire_bytes).unwrap_or(usize::MAX);
            socket::tell_from(slot.connection.as_fd(), TOLD_FROM.min(rest));
            self.seen.connection.add(now_ns().saturating_sub(slot.intended_ns));
        }
        slot.phase = Phase::Draining(before + bytes);
    }

    /// Counts a complete file, and begins another connection if the time for new ones is not over.
    fn done(&mut self, index: usize, bytes: u64) -> Result<(), String> {
        let expected = self.load.file.wire_bytes;
        if bytes != expected {
            return Err(format!("a connection brought {bytes} bytes instead of {expected}"));
        }
        let now = now_ns();
        if let Some(slot) = self.slots[index].take() {
            self.seen.request.add(now.saturating_sub(slot.intended_ns));
        }
        self.active -= 1;
        self.seen.files += 1;
        self.seen.ns = now.saturating_sub(self.load.start_ns);
        if now < self.load.end_ns { self.begin(index, now) } else { Ok(()) }
    }
}
