//! Runs an endpoint: the child process that sends or receives the data.
//!
//! The laboratory and an endpoint exchange lines with one JSON object each. The first line to an endpoint describes it,
//! and each further one orders a transfer. An endpoint that cannot continue reports the reason and ends.

mod configuration;
mod quic;
mod socket;
mod tls;

use std::io::{BufRead, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::child::write_line;
use crate::clock;
use crate::tls::processes::thread_times;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Side;
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::Transport;

/// Maximum length of a line in bytes, enough for a certificate.
pub(super) const MAX_LINE: usize = 64 << 10;
/// Byte that the receiver sends when it has received all data.
const RECEIVED: u8 = 0x06;
/// Buffer size of each socket in bytes. The kernel's own choice differs between connections, which makes their cost
/// differ.
const ROOM: usize = 8 << 20;
/// Address of each endpoint. The system chooses the port.
const ANYWHERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// Server name in the receiver's certificate.
const NAME: &str = "localhost";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndpointSetting {
    pub(super) library: String,
    pub(super) algorithm: Algorithm,
    #[serde(flatten)]
    pub(super) transfer: Transfer,
    /// Bytes of a UDP payload, or of the plaintext of a TLS record.
    pub(super) bytes: usize,
    /// For a sender, the address and certificate of the receiver. `None` for a receiver, which reports its own.
    pub(super) peer: Option<Peer>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peer {
    address: SocketAddr,
    /// Certificate of the receiver in hexadecimal.
    certificate: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndpointOrder {
    pub(super) bytes: u64,
    /// Whether the receiver compares every byte, and not only the ends of each piece of received data.
    pub(super) is_looked_at: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EndpointAnswer {
    /// Address and certificate that a receiver reports when it listens.
    pub(super) peer: Option<Peer>,
    /// Maximum number of packets in one system call, which a sender reports when it is connected.
    pub(super) segments: Option<usize>,
    /// Wall time of the transfer in nanoseconds.
    pub(super) ns: u64,
    pub(super) cpu: Side,
    /// Number of packets sent.
    pub(super) packets: u64,
    /// Number of system calls that sent packets.
    pub(super) calls: u64,
    /// Number of packets that the sender declared lost.
    pub(super) lost: u64,
    /// Reason why the endpoint ends; `None` while it continues.
    pub(super) error: Option<String>,
}

/// Carries out the orders of `input` until it ends.
pub fn serve(mut input: impl BufRead + Send + 'static, mut output: impl Write) -> std::io::Result<()> {
    let failed = |output, why| write_line(output, &EndpointAnswer { error: Some(why), ..EndpointAnswer::default() });
    let setting = match read_line::<EndpointSetting>(&mut input) {
        Ok(Some(setting)) => setting,
        Ok(None) => return Ok(()),
        Err(why) => return failed(&mut output, why),
    };
    let outcome = match setting.transfer.transport {
        Transport::Quic => quic::serve(&setting, input, &mut output),
        Transport::Tls => tls::serve(&setting, input, &mut output),
    };
    outcome.or_else(|why| failed(&mut output, why))
}

/// Reads a line and parses it. Returns `None` at the end of the input.
fn read_line<T: serde::de::DeserializeOwned>(input: &mut impl BufRead) -> Result<Option<T>, String> {
    let mut line = String::new();
    let read = input.take(MAX_LINE as u64).read_line(&mut line).map_err(|error| error.to_string())?;
    if read == 0 {
        return Ok(None);
    }
    serde_json::from_str(&line).map(Some).map_err(|error| format!("invalid line: {error}"))
}

fn say(output: &mut impl Write, answer: &EndpointAnswer) -> Result<(), String> {
    write_line(output, answer).map_err(|error| error.to_string())
}

/// Time at which a transfer began, and the CPU time that the process had used before.
struct OrderTimer(Instant, Side);

impl OrderTimer {
    fn start() -> OrderTimer {
        OrderTimer(Instant::now(), cpu_until_now())
    }

    fn stop(&self) -> EndpointAnswer {
        let OrderTimer(begin, before) = self;
        let (ns, now) = (begin.elapsed().as_nanos() as u64, cpu_until_now());
        let cpu_ns = now.cpu_ns.saturating_sub(before.cpu_ns);
        let kernel_ns = now.kernel_ns.saturating_sub(before.kernel_ns).min(cpu_ns);
        let waited_ns = now.waited_ns.saturating_sub(before.waited_ns);
        EndpointAnswer { ns, cpu: Side { cpu_ns, kernel_ns, waited_ns }, ..EndpointAnswer::default() }
    }
}

/// Returns the CPU and waiting time of this process so far. One thread does all the work, so the thread's waiting time
/// is that of the process.
fn cpu_until_now() -> Side {
    Side {
        cpu_ns: clock::process_cpu_ns(),
        kernel_ns: clock::process_kernel_ns().unwrap_or(0),
        waited_ns: thread_times(Path::new("/proc/thread-self")).map_or(0, |(_, waited)| waited),
    }
}

fn data_differs(position: u64) -> String {
    format!("what was received differs from what was sent, from byte {position} on")
}

fn wrong_length(received: u64, order: EndpointOrder) -> String {
    format!("{received} bytes were received instead of {}", order.bytes)
}

fn check_answer(answer: &[u8]) -> Result<(), String> {
    if answer == [RECEIVED] { Ok(()) } else { Err("the receiver did not get everything".to_owned()) }
}

fn failed<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> String + use<'_, E> {
    move |error| format!("{what}: {error}")
}
