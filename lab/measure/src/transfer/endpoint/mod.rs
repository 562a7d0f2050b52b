//! An endpoint: the child process that sends the data, or that receives it. It is told what it is, connects, and then
//! moves as much as it is asked to, as often as it is asked.

mod configuration;
mod quic;
mod socket;
mod tls;

use std::io::{BufRead, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Instant;

use super::lines::{EndpointAnswer, EndpointOrder, EndpointSetting, MAX_LINE};
use crate::clock;
use kasoku_model::workload::transfer::Transport;

/// Whoever receives it all answers with this.
const RECEIVED: u8 = 0x06;
/// Room in each socket. What the kernel would choose differs from one connection to the next, and the cost with it.
const ROOM: usize = 8 << 20;
/// Where both are.
const ANYWHERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// As whom the receiver is known.
const NAME: &str = "localhost";

/// Does what `input` says until it ends.
///
/// # Errors
/// If the lines cannot be read or written.
pub fn serve(mut input: impl BufRead + Send + 'static, output: impl Write) -> std::io::Result<()> {
    let mut output = Output(output);
    let setting = match read_line::<EndpointSetting>(&mut input) {
        Ok(Some(setting)) => setting,
        Ok(None) => return Ok(()),
        Err(why) => return output.failed(why),
    };
    let outcome = match setting.transfer() {
        Ok((Transport::Quic, protection)) => quic::serve(&setting, protection, input, &mut output),
        Ok((Transport::Tls, _)) => tls::serve(&setting, input, &mut output),
        Err(why) => Err(why),
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(why) => output.failed(why),
    }
}

/// The next line; `None` at the end.
fn read_line<T: serde::de::DeserializeOwned>(input: &mut impl BufRead) -> Result<Option<T>, String> {
    let mut line = String::new();
    let read = input.take(MAX_LINE as u64).read_line(&mut line).map_err(|error| error.to_string())?;
    if read == 0 {
        return Ok(None);
    }
    serde_json::from_str(&line).map(Some).map_err(|error| format!("invalid line: {error}"))
}

/// Where answers go.
struct Output<W>(W);

impl<W: Write> Output<W> {
    fn say(&mut self, answer: &EndpointAnswer) -> Result<(), String> {
        self.write(answer).map_err(|error| error.to_string())
    }

    fn failed(&mut self, why: String) -> std::io::Result<()> {
        self.write(&EndpointAnswer { error: Some(why), ..EndpointAnswer::default() })
    }

    fn write(&mut self, answer: &EndpointAnswer) -> std::io::Result<()> {
        serde_json::to_writer(&mut self.0, answer)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}

/// When an order was begun.
struct Begin {
    wall: Instant,
    cpu_ns: u64,
    kernel_ns: u64,
    waited_ns: u64,
}

impl Begin {
    fn now() -> Begin {
        let waited_ns = clock::thread_waited_ns().unwrap_or(0);
        let (cpu_ns, kernel_ns) = (clock::process_cpu_ns(), clock::process_kernel_ns().unwrap_or(0));
        Begin { wall: Instant::now(), cpu_ns, kernel_ns, waited_ns }
    }

    /// What it took until now.
    fn end(&self) -> EndpointAnswer {
        let ns = self.wall.elapsed().as_nanos() as u64;
        let cpu_ns = clock::process_cpu_ns().saturating_sub(self.cpu_ns);
        let kernel_ns = clock::process_kernel_ns().unwrap_or(0).saturating_sub(self.kernel_ns);
        // All work is done by one thread.
        let waited_ns = clock::thread_waited_ns().unwrap_or(0).saturating_sub(self.waited_ns);
        EndpointAnswer { ns, cpu_ns, kernel_ns: kernel_ns.min(cpu_ns), waited_ns, ..EndpointAnswer::default() }
    }
}

/// That what came is not what was sent.
fn is_other(position: u64) -> String {
    format!("what was received differs from what was sent, from byte {position} on")
}

/// That too much came, or too little.
fn wrong_length(received: u64, order: EndpointOrder) -> String {
    format!("{received} bytes were received instead of {}", order.bytes)
}
