//! What a gigabyte costs over loopback, with one cryptography or another: QUIC (quinn, GSO) and TLS 1.3 over TCP.
//!
//! ```text
//! cargo run --release -p kasoku-rustls --features quinn --example throughput -- --rounds 7 --gigabytes 1
//! ```
//!
//! Sender and receiver are processes of their own, started for each transfer, each on a CPU of its own; the cryptographies
//! take turns, and each round's figures are compared with that round's aws-lc (median and quartiles). CPU time is what the system charges the
//! process for, its own work in the kernel included.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example that ends with a word about what went wrong")]

mod cryptography;
mod quic;
mod socket;
mod table;
mod tls;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use cryptography::Cryptography;
use table::Table;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("receive") => receive(&arguments[1..]),
        Some("send") => send(&arguments[1..]),
        _ => measure(&arguments),
    }
}

/// What is moved, and how.
#[derive(Clone, Copy)]
pub(crate) struct Transfer {
    pub(crate) cryptography: Cryptography,
    pub(crate) bytes: u64,
    /// Bytes of a UDP payload; none for TLS.
    pub(crate) packet: Option<u16>,
    /// AES-256 instead of AES-128.
    pub(crate) is_256: bool,
}

/// What one side says of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outcome {
    pub(crate) cpu_seconds: f64,
    /// The part of it that was spent in the kernel, from 0 to 1.
    pub(crate) kernel: f64,
    pub(crate) seconds: f64,
    pub(crate) packets: u64,
    pub(crate) lost: u64,
}

fn measure(arguments: &[String]) {
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let rounds: usize = option("--rounds").map_or(5, |it| it.parse().unwrap());
    let gigabytes: f64 = option("--gigabytes").map_or(1.0, |it| it.parse().unwrap());
    let is_256 = arguments.iter().any(|argument| argument == "--aes-256");
    let mut kinds = vec![Some(1452), Some(8952), None];
    if let Some(packet) = option("--packet") {
        kinds = vec![Some(packet.parse().unwrap())];
    }
    if arguments.iter().any(|argument| argument == "--tls") {
        kinds = vec![None];
    }
    for packet in kinds {
        let contestants = Cryptography::for_packets(packet.is_some());
        let mut table = Table::new(&contestants);
        for round in 0..rounds {
            for turn in 0..contestants.len() {
                let cryptography = contestants[(round + turn) % contestants.len()];
                let transfer = Transfer { cryptography, bytes: (gigabytes * 1e9) as u64, packet, is_256 };
                let (sender, receiver) = once(transfer);
                table.add(cryptography, transfer.bytes, sender, receiver);
                eprint!(".");
            }
        }
        eprintln!();
        match packet {
            Some(bytes) => println!("QUIC, packets of {bytes} bytes, {rounds} rounds of {gigabytes} GB"),
            None => println!("TLS 1.3 over TCP, records of 16 KiB, {rounds} rounds of {gigabytes} GB"),
        }
        table.print();
    }
}

/// One transfer: what the sender says, and what the receiver says.
fn once(transfer: Transfer) -> (Outcome, Outcome) {
    let mut receiver = Running(start("receive", &transfer, &[]));
    let mut lines = BufReader::new(receiver.0.stdout.take().unwrap()).lines();
    let address = lines.next().unwrap().unwrap();
    let mut sender = Running(start("send", &transfer, &address.split(' ').collect::<Vec<_>>()));
    let said = BufReader::new(sender.0.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    let received = lines.next().unwrap().unwrap();
    assert!(sender.0.wait().unwrap().success() && receiver.0.wait().unwrap().success());
    (outcome(&said), outcome(&received))
}

/// A child that does not outlive its parent's interest.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(side: &str, transfer: &Transfer, more: &[&str]) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(side).arg(transfer.cryptography.name()).arg(transfer.bytes.to_string());
    command.arg(transfer.packet.unwrap_or(0).to_string()).arg(transfer.is_256.to_string()).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

fn transfer(arguments: &[String]) -> Transfer {
    let packet: u16 = arguments[2].parse().unwrap();
    Transfer {
        cryptography: Cryptography::named(&arguments[0]),
        bytes: arguments[1].parse().unwrap(),
        packet: (packet != 0).then_some(packet),
        is_256: arguments[3].parse().unwrap(),
    }
}

/// Says where it listens and with which certificate, then what it took.
fn receive(arguments: &[String]) {
    stay_on_cpu(0);
    let transfer = transfer(arguments);
    let ready = |port: u16, certificate: &[u8]| {
        let hex: String = certificate.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{port} {hex}");
        std::io::stdout().flush().unwrap();
    };
    say(if transfer.packet.is_some() { quic::receive(transfer, ready) } else { tls::receive(transfer, ready) });
}

fn send(arguments: &[String]) {
    stay_on_cpu(1);
    let transfer = transfer(arguments);
    let port: u16 = arguments[4].parse().unwrap();
    let hex = &arguments[5];
    let certificate: Vec<u8> =
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    say(if transfer.packet.is_some() {
        quic::send(transfer, port, certificate)
    } else {
        tls::send(transfer, port, certificate)
    });
}

/// Where there are two, neither side is moved about, nor in the other's way. (What loopback costs depends on that more
/// than on any cipher.)
fn stay_on_cpu(which: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let Some(cpu) = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).nth(which) else { return };
    let mut own = CpuSet::new();
    own.set(cpu);
    // Where it is not allowed, the figures are what they are.
    let _ = sched_setaffinity(None, &own);
}

fn say(outcome: Outcome) {
    let Outcome { cpu_seconds, kernel, seconds, packets, lost } = outcome;
    println!("{cpu_seconds} {kernel} {seconds} {packets} {lost}");
}

fn outcome(line: &str) -> Outcome {
    let mut fields = line.split(' ');
    let mut next = || fields.next().unwrap();
    Outcome {
        cpu_seconds: next().parse().unwrap(),
        kernel: next().parse().unwrap(),
        seconds: next().parse().unwrap(),
        packets: next().parse().unwrap(),
        lost: next().parse().unwrap(),
    }
}

/// A moment of a process: by the clock, in CPU time, and in ticks of user and kernel time.
pub(crate) struct Moment {
    time: Instant,
    cpu_seconds: f64,
    ticks: [f64; 2],
}

impl Moment {
    pub(crate) fn now() -> Self {
        let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        // Behind the name in brackets, which may hold anything, the 12th and 13th field.
        let status = std::fs::read_to_string("/proc/self/stat").unwrap();
        let fields: Vec<&str> = status.rsplit_once(')').unwrap().1.split_whitespace().collect();
        Self {
            time: Instant::now(),
            cpu_seconds: cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9,
            ticks: [11, 12].map(|at| fields[at].parse().unwrap()),
        }
    }

    /// What has been taken since.
    pub(crate) fn outcome(&self) -> Outcome {
        let now = Self::now();
        let [user, kernel] = [0, 1].map(|which| now.ticks[which] - self.ticks[which]);
        Outcome {
            cpu_seconds: now.cpu_seconds - self.cpu_seconds,
            kernel: kernel / (user + kernel).max(1.0),
            seconds: (now.time - self.time).as_secs_f64(),
            packets: 0,
            lost: 0,
        }
    }
}
