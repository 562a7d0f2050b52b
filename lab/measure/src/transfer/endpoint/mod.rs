//! An endpoint: the child process that sends or receives the data.
//!
//! The laboratory and an endpoint exchange one JSON object a line. The first describes the endpoint, each further one
//! orders data. An endpoint that cannot go on says why and ends.

mod configuration;
mod quic;
mod socket;
mod tls;

use std::io::{BufRead, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::child::write_line;
use crate::clock;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Side;
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::Transport;

/// Maximum length of a line in bytes; a certificate fits.
pub(super) const MAX_LINE: usize = 64 << 10;
/// Byte by which the receiver confirms that it has everything.
const RECEIVED: u8 = 0x06;
/// Buffer size of each socket in bytes. The kernel's own choice differs between connections, and the cost with it.
const ROOM: usize = 8 << 20;
/// Address of both endpoints, with any port.
const ANYWHERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// Server name of the receiver.
const NAME: &str = "localhost";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndpointSetting {
    pub(super) library: String,
    pub(super) algorithm: Algorithm,
    #[serde(flatten)]
    pub(super) transfer: Transfer,
    /// Bytes of a UDP payload, or of a record's text.
    pub(super) bytes: usize,
    /// For a sender: the receiver. `None` for a receiver, which reports its address.
    pub(super) peer: Option<Peer>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peer {
    address: SocketAddr,
    /// Certificate in hexadecimal.
    certificate: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndpointOrder {
    pub(super) bytes: u64,
    /// Whether every byte is compared, instead of the ends of each piece.
    pub(super) is_looked_at: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EndpointAnswer {
    /// From a receiver that listens: its address and certificate.
    pub(super) peer: Option<Peer>,
    /// From a sender that is connected: maximum number of packets in one system call.
    pub(super) segments: Option<usize>,
    /// Wall time in nanoseconds.
    pub(super) ns: u64,
    pub(super) cpu: Side,
    /// Number of packets sent, of system calls that sent them, and of packets taken for lost.
    pub(super) packets: u64,
    pub(super) calls: u64,
    pub(super) lost: u64,
    /// Why the endpoint ends.
    pub(super) error: Option<String>,
}

/// Carries out the orders of `input` until it ends.
pub fn serve(mut input: impl BufRead + Send + 'static, output: impl Write) -> std::io::Result<()> {
    let mut output = Output(output);
    let setting = match read_line::<EndpointSetting>(&mut input) {
        Ok(Some(setting)) => setting,
        Ok(None) => return Ok(()),
        Err(why) => return output.failed(why),
    };
    let outcome = match setting.transfer.transport {
        Transport::Quic => quic::serve(&setting, input, &mut output),
        Transport::Tls => tls::serve(&setting, input, &mut output),
    };
    outcome.or_else(|why| output.failed(why))
}

/// Returns `None` at the end of the input.
fn read_line<T: serde::de::DeserializeOwned>(input: &mut impl BufRead) -> Result<Option<T>, String> {
    let mut line = String::new();
    let read = input.take(MAX_LINE as u64).read_line(&mut line).map_err(|error| error.to_string())?;
    if read == 0 {
        return Ok(None);
    }
    serde_json::from_str(&line).map(Some).map_err(|error| format!("invalid line: {error}"))
}

struct Output<W>(W);

impl<W: Write> Output<W> {
    fn say(&mut self, answer: &EndpointAnswer) -> Result<(), String> {
        write_line(&mut self.0, answer).map_err(|error| error.to_string())
    }

    fn failed(&mut self, why: String) -> std::io::Result<()> {
        write_line(&mut self.0, &EndpointAnswer { error: Some(why), ..EndpointAnswer::default() })
    }
}

/// Start of an order, and the CPU time of the process until then.
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

/// One thread does all work, so its waiting time is the process's.
fn cpu_until_now() -> Side {
    Side {
        cpu_ns: clock::process_cpu_ns(),
        kernel_ns: clock::process_kernel_ns().unwrap_or(0),
        waited_ns: clock::thread_waited_ns().unwrap_or(0),
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
