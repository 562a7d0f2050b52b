//! Protects and sends the packets of a GSO buffer in one call each, receives them with GRO, and opens them in one call.
//!
//! quinn seals packet by packet; this example shows the performance for a stack that passes whole buffers. Batches and
//! single packets alternate, over UDP on loopback, and the sender and the receiver are timed separately.
//!
//! ```sh
//! cargo run --release --example gso -- 1452 200   # bytes of a packet, megabytes
//! ```

use std::error::Error;
use std::io::IoSliceMut;
use std::net::{Ipv4Addr, UdpSocket};
use std::time::{Duration, Instant};

use kasoku_engine::packet::{Packet, PacketProtection};
use quinn::udp::{RecvMeta, Transmit, UdpSocketState};

/// Offset of the packet number in a short header: after one byte and a connection ID of eight bytes.
const NUMBER_OFFSET: usize = 9;
const NUMBER_BYTES: usize = 2;
const MAX_BYTES: usize = 65_507;
const MAX_PACKETS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let packet_bytes: usize = arguments.first().map_or(Ok(1452), |it| it.parse())?;
    let megabytes: usize = arguments.get(1).map_or(Ok(200), |it| it.parse())?;
    if !(40..=MAX_BYTES).contains(&packet_bytes) {
        return Err("packets have 40 to 65507 bytes".into());
    }
    let packets = megabytes * 1_000_000 / packet_bytes;

    let mut path = Path::new(packet_bytes)?;
    let (mut alone, mut batches) = (Cost::default(), Cost::default());
    // Alternates, so that other load on the machine affects both methods equally.
    while alone.packets < packets {
        path.send_and_receive(false, &mut alone)?;
        path.send_and_receive(true, &mut batches)?;
    }
    println!("{} packets of {packet_bytes} bytes each way, {} in a system call", packets, path.count);
    println!("nanoseconds a packet   protect  unprotect  send and receive");
    for (name, cost) in [("one by one", &alone), ("in batches", &batches)] {
        let each = |time: Duration| time.as_nanos() as f64 / cost.packets as f64;
        println!("{name:<20} {:>9.1} {:>10.1} {:>17.1}", each(cost.protect), each(cost.unprotect), each(cost.network));
    }
    Ok(())
}

/// Elapsed time and number of packets.
#[derive(Default)]
struct Cost {
    protect: Duration,
    unprotect: Duration,
    network: Duration,
    packets: usize,
}

/// Two connected sockets, and the keys of one direction.
struct Path {
    sender: (UdpSocket, UdpSocketState),
    receiver: (UdpSocket, UdpSocketState),
    sending: PacketProtection,
    receiving: PacketProtection,
    packet_bytes: usize,
    count: usize,
    next: u64,
}

impl Path {
    fn new(packet_bytes: usize) -> Result<Self, Box<dyn Error>> {
        let sender = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let receiver = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        sender.connect(receiver.local_addr()?)?;
        let state = UdpSocketState::new((&sender).into())?;
        let count = state.max_gso_segments().min(MAX_BYTES / packet_bytes).clamp(1, MAX_PACKETS);
        let (key, iv, header_key) = ([1; 16], [2; 12], [3; 16]); // in practice from a handshake
        let receiver_state = UdpSocketState::new((&receiver).into())?;
        // quinn makes its sockets non-blocking; this example may block.
        receiver.set_nonblocking(false)?;
        receiver.set_read_timeout(Some(Duration::from_secs(5)))?;
        Ok(Self {
            sender: (sender, state),
            receiver: (receiver, receiver_state),
            sending: PacketProtection::new(&key, &iv, &header_key)?,
            receiving: PacketProtection::new(&key, &iv, &header_key)?,
            packet_bytes,
            count,
            next: 0,
        })
    }

    /// Sends and receives as many packets as one system call takes.
    fn send_and_receive(&mut self, in_batches: bool, cost: &mut Cost) -> Result<(), Box<dyn Error>> {
        let mut buffer = vec![0x5A; self.packet_bytes * self.count];
        let numbers = self.next..;
        for (packet, number) in buffer.chunks_mut(self.packet_bytes).zip(numbers.clone()) {
            packet[0] = 0x40 | (NUMBER_BYTES as u8 - 1);
            packet[NUMBER_OFFSET..][..NUMBER_BYTES].copy_from_slice(&(number as u16).to_be_bytes());
        }

        let start = Instant::now();
        let packets = buffer.chunks_mut(self.packet_bytes).zip(numbers);
        if in_batches {
            let mut packets: Vec<_> =
                packets.map(|(packet, number)| Packet::outgoing(number, packet, NUMBER_OFFSET, NUMBER_BYTES)).collect();
            if self.sending.protect_batch(&mut packets) != self.count {
                return Err("a packet was refused".into());
            }
        } else {
            for (packet, number) in packets {
                self.sending.protect(number, packet, NUMBER_OFFSET, NUMBER_BYTES)?;
            }
        }
        cost.protect += start.elapsed();

        let start = Instant::now();
        let (socket, state) = &self.sender;
        let transmit = Transmit {
            destination: self.receiver.0.local_addr()?,
            ecn: None,
            contents: &buffer,
            segment_size: (self.count > 1).then_some(self.packet_bytes),
            src_ip: None,
        };
        state.try_send(socket.into(), &transmit)?;
        cost.network += start.elapsed();

        let mut taken = 0;
        while taken < self.count {
            taken += self.receive(in_batches, cost)?;
        }
        self.next += self.count as u64;
        cost.packets += self.count;
        Ok(())
    }

    /// Receives with one system call and opens the packets.
    fn receive(&self, in_batches: bool, cost: &mut Cost) -> Result<usize, Box<dyn Error>> {
        let start = Instant::now();
        let mut buffer = vec![0; 1 << 16];
        let mut meta = [RecvMeta::default()];
        let (socket, state) = &self.receiver;
        state.recv(socket.into(), &mut [IoSliceMut::new(&mut buffer)], &mut meta)?;
        cost.network += start.elapsed();

        let start = Instant::now();
        let packets = buffer[..meta[0].len].chunks_mut(meta[0].stride);
        let count = packets.len();
        let mut opened = 0;
        if in_batches {
            let mut packets: Vec<_> = packets.map(|packet| Packet::incoming(packet, NUMBER_OFFSET)).collect();
            opened = self.receiving.unprotect_batch(self.next, &mut packets);
        } else {
            for packet in packets {
                opened += usize::from(self.receiving.unprotect(self.next, packet, NUMBER_OFFSET).is_ok());
            }
        }
        cost.unprotect += start.elapsed();
        if opened == count { Ok(count) } else { Err("a packet was not genuine".into()) }
    }
}
