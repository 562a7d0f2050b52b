//! `kasoku become`, for internal use: runs another program in this process, which ends when its parent ends and stays
//! on the given cores.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use super::{CommandOutcome, Failure};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Signal to receive when the parent process ends
    #[arg(long, value_enum)]
    signal: Signal,
    /// Cores to run on [default: all]
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
    /// Before the program starts, send the CPU time of this process (nanoseconds, 8 bytes) to the socket on standard
    /// input, and wait for a byte from it; the program then has no standard input
    #[arg(long)]
    when_told: bool,
    /// Program to run, and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Signal that the system sends to a process when its parent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Signal {
    Terminate,
    Kill,
}

#[cfg(unix)]
impl Signal {
    pub(super) fn number(self) -> rustix::process::Signal {
        match self {
            Signal::Terminate => rustix::process::Signal::TERM,
            Signal::Kill => rustix::process::Signal::KILL,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    bind(args.signal, &args.cores)?;
    let Some((program, arguments)) = args.command.split_first() else {
        return Err(Failure::new("no program was given"));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    if args.when_told {
        wait_for_start()
            .map_err(|error| Failure::in_the_middle(format!("cannot reach the parent process: {error}")))?;
        command.stdin(Stdio::null());
    }
    Err(Failure::in_the_middle(replace_process(&mut command)))
}

#[cfg(unix)]
fn wait_for_start() -> std::io::Result<()> {
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;
    let socket = std::io::stdin().as_fd().try_clone_to_owned()?;
    let mut socket = std::os::unix::net::UnixStream::from(socket);
    socket.write_all(&kasoku_measure::clock::process_cpu_ns().to_le_bytes())?;
    socket.read_exact(&mut [0])
}

#[cfg(not(unix))]
fn wait_for_start() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Replaces this process by `command`, which keeps the process ID, pipes and death signal. Returns an error message if
/// that fails. On systems without `exec`, runs a child and exits with its status.
pub(super) fn replace_process(command: &mut Command) -> String {
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(command);
    #[cfg(not(unix))]
    let error = match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    };
    format!("cannot start {}: {error}", command.get_program().display())
}

/// Has the system send `signal` to this process when its parent ends, and binds the process to `cores` unless the list
/// is empty.
#[cfg(target_os = "linux")]
pub(super) fn bind(signal: Signal, cores: &[usize]) -> Result<(), Failure> {
    use rustix::process;
    use rustix::thread::{CpuSet, sched_setaffinity};
    let parent = process::getppid();
    // If the call fails, the child still ends at the end of its input.
    let _ = process::set_parent_process_death_signal(Some(signal.number()));
    // If the parent ended before the call, the kernel sends no signal.
    if process::getppid() != parent {
        return Err(Failure::in_the_middle("the parent process has ended"));
    }
    if cores.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    cores.iter().filter(|&&core| core < CpuSet::MAX_CPU).for_each(|&core| set.set(core));
    sched_setaffinity(None, &set)
        .map_err(|error| Failure::in_the_middle(format!("cannot run on cores {cores:?}: {error}")))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bind(_signal: Signal, _cores: &[usize]) -> Result<(), Failure> {
    Ok(())
}
