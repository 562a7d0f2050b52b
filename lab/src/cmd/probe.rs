//! `kasoku probe STACK`: the child process that holds one stack. The laboratory starts it; people need not.

use std::io::{BufReader, stdin, stdout};
use std::path::PathBuf;

use super::{Failure, Outcome};
use crate::acceleration::Acceleration;
use crate::measure::serve::serve;
use crate::stack::{self, Opening};

/// The arguments of `kasoku probe`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The stack
    stack: String,
    /// The acceleration state this process was started in
    #[arg(long, default_value = "on")]
    acceleration: Acceleration,
    /// The library file to load instead of the system's
    #[arg(long)]
    libcrypto: Option<PathBuf>,
}

/// Opens the stack and answers requests on standard input until it ends.
///
/// # Errors
/// If there is no such stack, or the lines cannot be read or written.
pub fn run(args: &Args) -> Result<Outcome, Failure> {
    die_with_the_laboratory();
    let entry = stack::find(&args.stack)
        .ok_or_else(|| Failure::new(format!("unknown stack \"{}\"; see kasoku stacks", args.stack)))?;
    let opening = Opening { library: args.libcrypto.clone(), acceleration: Some(args.acceleration) };
    let opened = (entry.open)(&opening);
    let stack = match &opened {
        Ok(stack) => Ok(&**stack),
        Err(unavailable) => Err(unavailable.clone()),
    };
    serve(stack, BufReader::new(stdin().lock()), stdout().lock())
        .map_err(|error| Failure::new(format!("the probe's lines: {error}")))?;
    Ok(Outcome::Done)
}

/// However the laboratory ends, its probes end too; one in the middle of a slice would not see its input end.
fn die_with_the_laboratory() {
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getppid();
        // Where it is refused, the end of the input still ends the probe after its slice.
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        // The laboratory may have ended in between, and the signal with it.
        if rustix::process::getppid() != parent {
            std::process::exit(1);
        }
    }
}
